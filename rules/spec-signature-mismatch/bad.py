from torch import nn


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.layers_to_capture = []

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.output_head.weight

    def set_eagle3_layers_to_capture(self, layer_ids):  # <- spec-signature-mismatch
        self.layers_to_capture = layer_ids

    def get_input_embeddings(self, input_ids):  # <- spec-signature-mismatch
        return self.embed_tokens(input_ids)


EntryClass = TextModel
