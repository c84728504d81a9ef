from torch import nn
from transformers import AutoModelForCausalLM


class AnyModel(nn.Module):  # <- spec-unresolved
    def __init__(self, config):
        super().__init__()
        self.language_model = AutoModelForCausalLM.from_config(config.text_config)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.language_model, name)


EntryClass = AnyModel
