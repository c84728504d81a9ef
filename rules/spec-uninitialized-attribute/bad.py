from torch import nn


class ParentForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.scaled = False

    def forward(self, input_ids, positions, forward_batch):
        hidden_states = self.embed_tokens(input_ids)
        if self.scaled:
            hidden_states = hidden_states * 2
        return forward_batch.logits(hidden_states, self.output_head, None)


class ChildForCausalLM(ParentForCausalLM):  # <- spec-uninitialized-attribute
    def __init__(self, config):
        nn.Module.__init__(self)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)


EntryClass = [ParentForCausalLM, ChildForCausalLM]
