# module: mine.model
from sglang.srt.models.acorn import AcornForCausalLM  # <- spec-lost-import
from sglang.srt.models.oak import OakForCausalLM, OakOfOld  # <- spec-lost-import


class Own(OakForCausalLM):
    other = (AcornForCausalLM, OakOfOld)


EntryClass = Own
