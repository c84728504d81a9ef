# The earlier release, for comparison: the hooks came with the parent.
from sglang.srt.models.oak import OakForCausalLM


class TextModel(OakForCausalLM):
    pass


EntryClass = TextModel
