# module: mine.model
from torch import nn


class OwnForCausalLM(nn.Module):
    def __init__(self, config, quant_config=None):
        super().__init__()
        self.embed = nn.Embedding(8, 8)

    def forward(self, input_ids, positions, forward_batch):
        return self.embed(input_ids)

    def load_weights(self, weights):
        for name, weight in weights:
            self.get_parameter(name).data.copy_(weight)


EntryClass = OwnForCausalLM
