from torch import nn


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.output_head.weight


EntryClass = TextModel
