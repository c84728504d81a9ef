from sglang.srt.models.oak import OakForCausalLM


class StubbornModel(OakForCausalLM):
    def set_dflash_layers_to_capture(self, layer_ids):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = [one + 1 for one in layer_ids]


EntryClass = StubbornModel
