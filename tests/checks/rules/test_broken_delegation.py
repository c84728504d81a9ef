"""What a finding about a broken delegation shows beside its message."""

from __future__ import annotations

TEXT = """
from torch import nn


class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(1, 1)


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = Inner(config)

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.inner.no_head


EntryClass = Model
"""


def test_evidence_names_each_part_and_what_lacks_it(analysed) -> None:
    (found,) = [one for one in analysed({"sglang.srt.models.trial": TEXT}).findings if one.id == "E7704"]
    assert "self.embed_tokens" in found.message
    assert {e.what for e in found.evidence} >= {"Inner has no attribute no_head"}
