# module: mine.model
from torch import nn


class OwnForCausalLM(nn.Module):  # <- spec-cannot-serve
    def __init__(self, config, quant_config=None):
        super().__init__()
        self.embed = nn.Embedding(8, 8)

    def forward(self, input_ids):  # <- spec-cannot-serve
        return self.embed(input_ids)


EntryClass = OwnForCausalLM
