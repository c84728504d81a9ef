# demand: TextModel:EAGLE3
from torch import nn


class TextModel(nn.Module):  # <- spec-unsupported-algorithm
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)


EntryClass = TextModel
