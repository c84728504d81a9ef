from __future__ import annotations

import msgspec
import pytest

from specint.analysis.comparison import Releases, compared
from specint.analysis.model import Analysis
from specint.compliance.model import Verdict
from specint.outputs.releases import print_releases, releases_markdown
from specint.outputs.terminal import rendered
from specint.source.tree import Origin


def changed(analysis: Analysis, name: str, algorithm: str, verdict: Verdict) -> Analysis:
    models = tuple(
        msgspec.structs.replace(one, algorithms={**one.algorithms, algorithm: verdict}) if one.name == name else one
        for one in analysis.models
    )
    return msgspec.structs.replace(analysis, models=models)


@pytest.fixture
def earlier(analysis: Analysis) -> Analysis:
    """Kumo could run EAGLE, Oak could not run EAGLE3, Mirage lacked something, and there was no draft yet."""
    made = changed(analysis, "Kumo", "EAGLE", Verdict(verdict="ok"))
    made = changed(made, "Oak", "EAGLE3", Verdict(verdict="missing", missing=("set_it",)))
    made = changed(made, "Mirage", "EAGLE", Verdict(verdict="missing", missing=("get_it",)))
    return msgspec.structs.replace(
        made,
        models=tuple(one for one in made.models if one.name != "Draft"),
        sglang=Origin(version="0.5.8", source="the test"),
    )


@pytest.fixture
def releases(earlier: Analysis, analysis: Analysis) -> Releases:
    return compared(earlier, analysis)


def told(releases: Releases, kind: str) -> list[tuple[str, str]]:
    return [(change.name, change.algorithm) for change in releases.of_kind(kind)]


def test_what_became_ok_was_lost_or_changed_otherwise(releases: Releases) -> None:
    assert told(releases, "became ok") == [("Oak", "EAGLE3")]
    assert told(releases, "lost") == [("Kumo", "EAGLE")]
    assert told(releases, "other") == [("Mirage", "EAGLE")]
    assert releases.added == ("sglang.srt.models.draft.Draft",)
    assert releases.gone == ()


def test_the_other_way_round_is_the_opposite(earlier: Analysis, analysis: Analysis) -> None:
    back = compared(analysis, earlier)
    assert told(back, "became ok") == [("Kumo", "EAGLE")]
    assert told(back, "lost") == [("Oak", "EAGLE3")]
    assert back.gone == ("sglang.srt.models.draft.Draft",)


def test_class_that_moved_is_the_same_class(earlier: Analysis, analysis: Analysis) -> None:
    moved = msgspec.structs.replace(
        earlier,
        models=tuple(
            msgspec.structs.replace(one, class_=one.class_.replace("models.", "old.")) for one in earlier.models
        ),
    )
    assert compared(moved, analysis).changes == compared(earlier, analysis).changes
    assert compared(moved, analysis).added == ("sglang.srt.models.draft.Draft",)


def test_an_algorithm_of_one_release_alone_is_no_change_of_a_model(earlier: Analysis, analysis: Analysis) -> None:
    contract = msgspec.structs.replace(earlier.contract, algorithms=("EAGLE", "OLD"))
    found = compared(msgspec.structs.replace(earlier, contract=contract), analysis)
    assert {change.algorithm for change in found.changes} == {"EAGLE"}
    assert found.algorithms_gone == ("OLD",)
    assert found.algorithms_added == ("EAGLE3", "NGRAM", "FROZEN")


def test_text_names_each_model_once_with_what_it_lacks_now(releases: Releases) -> None:
    lines = rendered("never", 80, lambda console: print_releases(console, releases)).splitlines()
    assert "Since SGLang 0.5.8: 1 verdict became ok, 1 was lost; 1 model new, 0 gone" in lines
    assert "  Kumo: EAGLE (lacks get_embed_and_head)" in lines
    assert "  Mirage: EAGLE (missing -> unknown)" in lines
    assert lines[lines.index("new models:") + 1] == "  Draft"


def test_markdown_has_the_same_in_lists(releases: Releases) -> None:
    text = releases_markdown(releases)
    assert "## Since SGLang 0.5.8" in text
    assert "- Kumo: EAGLE (lacks get\\_embed\\_and\\_head)" in text
