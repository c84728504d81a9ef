# module: mine.model
from sglang.srt.models.oak import OakForCausalLM

try:
    from sglang.srt.models.acorn import AcornForCausalLM as Base
except ImportError:
    Base = OakForCausalLM


class Own(OakForCausalLM):
    pass


EntryClass = Own
