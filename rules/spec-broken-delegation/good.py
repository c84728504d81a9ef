from torch import nn


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)


class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.decoder = Decoder(config)


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Inner(config)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)

    def get_embed_and_head(self):
        return self.model.decoder.embed_tokens.weight, self.output_head.weight


EntryClass = TextModel
