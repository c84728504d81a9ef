import torch
from torch import nn


class DraftModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.fuse = nn.Linear(config.hidden_size * 2, config.hidden_size)

    def forward(self, input_ids, positions, forward_batch):
        states = forward_batch.spec_info.hidden_states
        return self.fuse(torch.cat((self.embed_tokens(input_ids), states), dim=-1))


class TiedDraftForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = DraftModel(config)
        if config.tie_word_embeddings:
            self.output_head = self.model.embed_tokens
        else:
            self.output_head = nn.Linear(config.hidden_size, config.vocab_size)

    def forward(self, input_ids, positions, forward_batch):
        return forward_batch.logits(self.model(input_ids, positions, forward_batch), self.output_head, None)

    def set_embed_and_head(self, embed, head):  # <- spec-tied-weight-deletion
        del self.model.embed_tokens.weight
        del self.output_head.weight
        self.model.embed_tokens.weight = embed
        self.output_head.weight = head


EntryClass = TiedDraftForCausalLM
