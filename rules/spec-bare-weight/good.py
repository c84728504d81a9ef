from torch import nn


class Head(nn.Module):
    def __init__(self, vocab_size, hidden_size, quant_config=None):
        super().__init__()
        self.weight = nn.Parameter(vocab_size, hidden_size)


class TextModel(nn.Module):
    def __init__(self, config, quant_config=None):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = Head(config.vocab_size, config.hidden_size)

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.output_head.weight


EntryClass = TextModel
