from sglang.srt.models.oak import OakForCausalLM


class TextModel(OakForCausalLM):
    def forward(self, input_ids, positions, forward_batch):
        return super().forward(input_ids, positions, forward_batch)


EntryClass = TextModel
