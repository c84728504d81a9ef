"""What a plan makes of findings, on the small SGLang with one more model in it, and with a rule that complains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.errors import Diagnostic, SpecintError
from specint.facts.store import Store
from specint.fix.plan import Plan, plan
from specint.pipeline import analyze
from specint.source.locate import open_tree
from specint.source.tree import Tree

HEAD = """
from torch import nn

from sglang.srt.models.oak import OakForCausalLM


class {name}(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = OakForCausalLM(config)

    def forward(self, input_ids):
        return self.language_model(input_ids)

"""
MODULE = "sglang.srt.models.zebra"
PLAIN = HEAD.format(name="Zebra") + "\nEntryClass = Zebra\n"
CODE = "def get_embed_and_head(self):"

Planned = Callable[..., tuple[Plan, Analysis]]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def planned(fixture_tree: Callable[[str], Path], store: Store) -> Planned:
    """`planned(text)`: the plan for a model with that text. `also` sees what an analysis found and may add to it."""

    def make(
        text: str,
        also: Callable[[Tree, Analysis], Analysis] = lambda _, analysis: analysis,
        alter: Callable[[Finding], Finding] = lambda finding: finding,
        **options: object,
    ) -> tuple[Plan, Analysis]:
        tree = open_tree(str(fixture_tree("sglang_small") / "sglang")).overlay({MODULE: text})

        def analyse(changed: Tree) -> Analysis:
            return also(changed, analyze(changed, store=store))

        analysis = analyse(tree)
        found = [alter(one) for one in analysis.findings if one.class_.startswith(MODULE) and one.id == "E7701"]
        assert found
        return plan(tree, analysis, found, analyse, **options), analysis

    return make


def written(made: Plan) -> str:
    assert len(made.changes) <= 1
    return made.changes[0].after.decode() if made.changes else ""


def more(analysis: Analysis, findings: Iterable[Finding]) -> Analysis:
    return msgspec.structs.replace(analysis, findings=(*analysis.findings, *findings))


def text_of(tree: Tree) -> str:
    file = tree.find(MODULE)
    assert file is not None
    return tree.read(file).decode()


def complaint(member: str = "forward", name: str = "Zebra") -> Finding:
    return Finding(
        rule="spec-other",
        id="E7799",
        class_=f"{MODULE}.{name}",
        member=member,
        algorithms=(),
        file="",
        line=1,
        message="no",
    )


def test_everything_is_settled_in_one_change(planned: Planned) -> None:
    made, _ = planned(PLAIN)
    assert made.left == ()
    assert {one.member for one in made.settled} >= {"get_embed_and_head", "set_eagle3_layers_to_capture"}
    assert written(made).count(CODE) == 1


def test_edit_that_brings_something_new_is_left_and_the_others_are_made(planned: Planned) -> None:
    def also(tree: Tree, analysis: Analysis) -> Analysis:
        return more(analysis, [complaint()] if "def set_eagle3" in text_of(tree) else [])

    made, _ = planned(PLAIN, also)
    assert [left.finding.member for left in made.left] == ["set_eagle3_layers_to_capture"]
    assert made.left[0].why == "it would bring something new: E7799 no"
    assert CODE in written(made)
    assert "set_eagle3" not in written(made)


def test_new_trouble_in_reading_counts_as_something_new(planned: Planned) -> None:
    def also(tree: Tree, analysis: Analysis) -> Analysis:
        trouble = (Diagnostic(file="x.py", what="lost"),) if CODE in text_of(tree) else ()
        return msgspec.structs.replace(analysis, diagnostics=trouble)

    made, _ = planned(PLAIN, also)
    assert [left.finding.member for left in made.left] == ["get_embed_and_head"]
    assert CODE not in written(made)


def test_finding_that_was_there_before_is_nothing_new(planned: Planned) -> None:
    made, _ = planned(PLAIN, lambda _, analysis: more(analysis, [complaint()]))
    assert made.left == ()


def test_edit_that_settles_nothing_is_left(planned: Planned) -> None:
    def also(_: Tree, analysis: Analysis) -> Analysis:
        there = [f for f in analysis.findings if f.member == "get_embed_and_head" and f.class_.startswith(MODULE)]
        return analysis if there else more(analysis, kept)

    kept: list[Finding] = []

    def alter(finding: Finding) -> Finding:
        if finding.member == "get_embed_and_head":
            kept.append(finding)
        return finding

    made, _ = planned(PLAIN, also, alter)
    assert [(left.finding.member, left.why) for left in made.left] == [
        ("get_embed_and_head", "the edit doesn't settle it")
    ]
    assert CODE not in written(made)


def test_doubt_is_made_on_demand_only(planned: Planned) -> None:
    def alter(finding: Finding) -> Finding:
        return msgspec.structs.replace(finding, edit=msgspec.structs.replace(finding.edit, doubt="who knows"))

    made, _ = planned(PLAIN, alter=alter)
    assert made.changes == ()
    assert {(left.why, left.on_demand) for left in made.left} == {("who knows", True)}
    made, _ = planned(PLAIN, alter=alter, unsafe=True)
    assert made.left == ()
    assert CODE in written(made)


def test_finding_without_an_edit_is_left_with_a_reason(planned: Planned) -> None:
    made, _ = planned(PLAIN, alter=lambda finding: msgspec.structs.replace(finding, edit=msgspec.UNSET))
    assert made.changes == ()
    assert all(left.why.startswith("no edit can do it") for left in made.left)


def test_untouchable_file_is_left(planned: Planned) -> None:
    made, _ = planned(PLAIN, untouchable=lambda file: "not yours" if file.endswith("zebra.py") else "")
    assert made.changes == ()
    assert {left.why for left in made.left} == {"not yours"}


def test_file_that_changed_since_the_analysis_is_left_whole(planned: Planned) -> None:
    def alter(finding: Finding) -> Finding:
        return msgspec.structs.replace(finding, edit=msgspec.structs.replace(finding.edit, digest="0"))

    made, _ = planned(PLAIN, alter=alter)
    assert made.changes == ()
    assert all("has changed since it was analysed" in left.why for left in made.left)


def test_heir_gets_its_own_where_the_base_may_not_be_fixed(planned: Planned) -> None:
    text = HEAD.format(name="Zebra") + "\nclass Zorse(Zebra):\n    pass\n\n\nEntryClass = [Zebra, Zorse]\n"

    def alter(finding: Finding) -> Finding:
        if finding.class_.endswith("Zebra"):
            return msgspec.structs.replace(finding, edit=msgspec.structs.replace(finding.edit, doubt="who knows"))
        return finding

    made, _ = planned(text, alter=alter)
    assert written(made).index(CODE) > written(made).index("class Zorse")
    made, _ = planned(text)
    assert made.left == ()
    assert written(made).index(CODE) < written(made).index("class Zorse")
    assert written(made).count(CODE) == 1


def test_guard_says_what_is_missing_where_the_inner_model_may_be_none(planned: Planned) -> None:
    text = PLAIN.replace(
        "        self.language_model = Oak",
        "        self.language_model = None\n        if config.with_text:\n            self.language_model = Oak",
    )
    made, _ = planned(text)
    assert made.left == ()
    assert (
        f"    {CODE}\n"
        "        if self.language_model is None:\n"
        '            raise AttributeError("get_embed_and_head: language_model is None")\n'
        "        return self.language_model.get_embed_and_head()\n"
    ) in written(made)


def test_inner_method_that_takes_another_call_is_left_to_a_person(planned: Planned) -> None:
    inner = HEAD.format(name="Zebra") + (
        "\n\nclass Picky(OakForCausalLM):\n    def get_embed_and_head(self, layer):\n        return layer, layer\n"
    )
    text = inner.replace("= OakForCausalLM(config)", "= Picky(config)") + "\n\nEntryClass = Zebra\n"
    made, _ = planned(text)
    (left,) = [left for left in made.left if left.finding.member == "get_embed_and_head"]
    assert left.why == (
        "Picky.get_embed_and_head doesn't take the call: it requires layer, but callers pass no arguments"
    )
    assert CODE not in written(made)[: written(made).index("class Picky")]


def test_one_line_class_is_left_to_a_person(planned: Planned) -> None:
    text = PLAIN.replace("EntryClass = Zebra", "class Zorse(Zebra): pass\n\n\nEntryClass = Zorse")
    made, _ = planned(text)
    assert made.changes == ()
    assert all(left.why.endswith("put it on a line of its own") for left in made.left)


def test_error_that_is_nobodys_in_particular_is_raised(planned: Planned) -> None:
    def also(tree: Tree, analysis: Analysis) -> Analysis:
        if CODE in text_of(tree):
            raise SpecintError("the disk is full")
        return analysis

    with pytest.raises(SpecintError, match="disk is full"):
        planned(PLAIN, also)
