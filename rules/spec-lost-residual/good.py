from torch import nn


class CarryModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(config.num_hidden_layers))
        self.norm = nn.LayerNorm(8)
        self.layers_to_capture = []

    def forward(self, input_ids, positions, forward_batch):
        hidden_states, residual, captured = self.embed_tokens(input_ids), None, []
        for index, layer in enumerate(self.layers):
            if index in self.layers_to_capture:
                captured.append(hidden_states if residual is None else hidden_states + residual)
            hidden_states, residual = layer(positions, hidden_states, forward_batch, residual)
        hidden_states, _ = self.norm(hidden_states, residual)
        return (hidden_states, captured) if captured else hidden_states


class CarryForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = CarryModel(config)
        self.output_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.capture = False

    def forward(self, input_ids, positions, forward_batch):
        hidden_states, captured = self.model(input_ids, positions, forward_batch), None
        if self.capture:
            hidden_states, captured = hidden_states
        return forward_batch.logits(hidden_states, self.output_head, captured)

    def get_embed_and_head(self):
        return self.model.embed_tokens.weight, self.output_head.weight

    def set_eagle3_layers_to_capture(self, layer_ids=None):
        self.capture = True
        self.model.layers_to_capture = layer_ids or [1, 2, 3]


EntryClass = CarryForCausalLM
