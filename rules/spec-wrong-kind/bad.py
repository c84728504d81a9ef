from sglang.srt.models.oak_eagle3 import OakForCausalLMEagle3


class Later:
    """A value that is made when it is first needed."""

    def __init__(self, make):
        self.make = make

    def value(self):
        return self.make()


class LateDraft(OakForCausalLMEagle3):  # <- spec-wrong-kind
    def __init__(self, config):
        super().__init__(config)
        self.hot_token_id = Later(config.read_tokens)


EntryClass = LateDraft
