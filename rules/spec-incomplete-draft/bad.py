from torch import nn


class SmallDraftEagle3(nn.Module):  # <- spec-incomplete-draft
    """Takes the target's embedding, and says nothing of the vocabulary it drafts in."""

    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.fuse = nn.Linear(config.hidden_size * 3, config.hidden_size)
        self.load_lm_head_from_target = False
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def set_embed(self, embed):
        self.embed_tokens.weight = embed

    def set_embed_and_head(self, embed, head):
        self.set_embed(embed)
        self.lm_head.weight = head

    def forward(self, input_ids, positions, forward_batch, input_embeds=None):
        return self.embed_tokens(input_ids) + self.fuse(forward_batch.spec_info.hidden_states)


EntryClass = SmallDraftEagle3
