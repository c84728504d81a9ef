from sglang.srt.models.oak import OakForCausalLM


class StubbornModel(OakForCausalLM):
    def set_dflash_layers_to_capture(self, layer_ids):  # <- spec-unread-argument
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = [2, 4, 6]


EntryClass = StubbornModel
