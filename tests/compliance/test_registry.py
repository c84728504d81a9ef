"""Which classes count as models, and which of them only draft."""

from __future__ import annotations

import pytest

HEAD = (
    "from torch import nn\nfrom sglang.srt.models.oak import OakForCausalLM\n"
    "class A(nn.Module): ...\nclass B(nn.Module): ...\n"
)
READS = "        return forward_batch.spec_info.hidden_states\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EntryClass = A", {"A"}),
        ("EntryClass = [A, B]", {"A", "B"}),
        ("EntryClass = (A, B)", {"A", "B"}),
        ("EntryClass: list = [A]", {"A"}),
        ("EntryClass = [A]\nEntryClass.append(B)", {"A", "B"}),
        ("EntryClass = [A]\nEntryClass += [B]", {"A", "B"}),
        ("ALL = [A, B]\nEntryClass = ALL", {"A", "B"}),
        ("EntryClass = A\nEntryClass = B", {"B"}),
        ("if FAST:\n    EntryClass = A\nelse:\n    EntryClass = B", {"A", "B"}),
        ("EntryClass = [A, *[B]]", {"A", "B"}),
        ("EntryClass = [A, EntryClass]", {"A"}),
        ("from sglang.srt.models.sub.deep import Deep\nEntryClass = Deep", {"Deep"}),
        ("from sglang.srt.models.sub.deep import EntryClass", {"Deep"}),
        ("EntryClass = []", set()),
        ("EntryClass = [A]\nEntryClass.extend([B])", {"A", "B"}),
        ("EntryClass = []\nEntryClass.extend((A, B))", {"A", "B"}),
        ("EntryClass = [A]\nEntryClass += (B,)", {"A", "B"}),
        ("EntryClass = [A] + [B]", {"A", "B"}),
        ("EntryClass = A if FAST else B", {"A", "B"}),
        ("EntryClass = [A]\nif FAST:\n    EntryClass = [B]", {"A", "B"}),
        ("if FAST:\n    EntryClass = [B]\nEntryClass = [A]", {"A"}),
        ("EntryClass = [A]\nif FAST:\n    EntryClass.append(B)", {"A", "B"}),
        ("EntryClass = [A]\nothers.append(B)", {"A"}),
        ("EntryClass = [A]\nEntryClass.remove(B)", {"A"}),
        ("def later():\n    EntryClass = A", set()),
        ("class Holder:\n    EntryClass = A", set()),
        ("EntryClass = None", set()),
        ("EntryClass = 'A'", set()),
        ("First = A\nSecond = First\nEntryClass = [Second]", {"A"}),
        ("import sglang.srt.models.sub.deep as deep\nEntryClass = deep.Deep", {"Deep"}),
        ("from sglang.srt.models.sub import deep\nEntryClass = [A, deep.Deep]", {"A", "Deep"}),
        ("try:\n    EntryClass = A\nexcept ImportError:\n    EntryClass = B", {"A", "B"}),
        ("EntryClass = [A, A]", {"A"}),
        ("entry = A", set()),
    ],
)
def test_entry_class(judged, text: str, expected: set[str]) -> None:
    deep = "from torch import nn\nclass Deep(nn.Module): ...\nEntryClass = [Deep]\n"
    texts = {"sglang.srt.models.mine": f"{HEAD}{text}\n", "sglang.srt.models.sub.deep": deep}
    before = {one.class_ for one in judged().models}
    found = {one.name for one in judged(texts).models if one.class_ not in before}
    assert found == expected, "a package below models is not looked into by itself"


def test_two_files_with_a_class_of_one_name_are_two_models(judged) -> None:
    texts = {f"sglang.srt.models.{name}": f"{HEAD}EntryClass = A\n" for name in ("mine", "mine_text")}
    found = [one.class_ for one in judged(texts).models if one.name == "A"]
    assert found == ["sglang.srt.models.mine.A", "sglang.srt.models.mine_text.A"]


@pytest.mark.parametrize(
    "text",
    [
        f"class Draft(OakForCausalLM):\n    def forward(self, i, p, forward_batch):\n{READS}",
        f"class Inner(nn.Module):\n    def forward(self, forward_batch):\n{READS}"
        "class Draft(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.model = Inner()\n",
        "from sglang.srt.models.oak_nextn import OakForCausalLMNextN as Above\nclass Draft(Above): ...\n",
    ],
    ids=["reads what a target hands over", "through what it is built of", "heir of a draft"],
)
def test_draft_is_no_target(judged, text: str) -> None:
    texts = {"sglang.srt.models.mine": f"{HEAD}{text}EntryClass = Draft\n"}
    (model,) = [one for one in judged(texts).models if one.name == "Draft"]
    assert model.roles == ("draft",)
    assert {name for name, one in model.algorithms.items() if one.verdict != "not applicable"} == {"EAGLE"}


def test_target_with_a_draft_in_its_own_file_stays_a_target(judged) -> None:
    text = f"class Other(nn.Module):\n    def forward(self, forward_batch):\n{READS}class Target(OakForCausalLM): ...\n"
    texts = {"sglang.srt.models.mine": f"{HEAD}{text}EntryClass = [Target, Other]\n"}
    assert {one.name: one.roles for one in judged(texts).models if one.name in ("Target", "Other")} == {
        "Target": ("target",),
        "Other": ("draft",),
    }


def test_class_that_the_configuration_rewrites_to_is_a_draft(judged) -> None:
    roles = {one.name: one.roles for one in judged().models}
    assert roles["OakForCausalLMNextN"] == ("draft",)
    assert roles["OakForCausalLM"] == ("target",)
