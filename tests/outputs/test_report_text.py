from __future__ import annotations

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.compliance.model import Verdict
from specint.outputs.report_text import print_report
from specint.outputs.terminal import rendered
from specint.source.tree import Origin


def text(analysis: Analysis, width: int = 80, algorithms: tuple[str, ...] = ()) -> list[str]:
    written = rendered("never", width, lambda console: print_report(console, analysis, analysis.findings, algorithms))
    return written.splitlines()


def test_wrapper_with_findings_comes_first_and_the_summary_last(analysis: Analysis) -> None:
    lines = text(analysis)
    names = [line.split()[0] for line in lines if line.startswith(("Draft", "Kumo", "Mirage", "Oak"))]
    assert names == ["Kumo", "Mirage", "Oak", "Draft"], "drafts have a table of their own, behind the targets"
    assert lines[-1] == "4 models, 4 algorithms; 2 findings in 1 class; 1 unknown"


@pytest.mark.parametrize(
    ("source", "title"), [("sglang 0.5.9", "SGLang 0.5.9"), ("../python/sglang", "SGLang 0.5.9 ../python/sglang")]
)
def test_title_says_where_it_was_read_unless_that_is_the_release(analysis: Analysis, source: str, title: str) -> None:
    sglang = Origin(version="0.5.9", source=source)
    assert text(msgspec.structs.replace(analysis, sglang=sglang))[0] == title


def test_cells_have_a_sign_and_a_word(analysis: Analysis) -> None:
    row = next(line for line in text(analysis) if line.startswith("Kumo"))
    assert row.split() == ["Kumo", "◐", "half", "there", "»", "one", "step", "2"]
    assert any("? unknown" in line for line in text(analysis))
    assert any("· n/a" in line for line in text(analysis))


def test_algorithms_that_tell_nothing_apart_have_a_line_instead_of_a_column(analysis: Analysis) -> None:
    lines = text(analysis)
    assert "FROZEN: the same as EAGLE for every model" in lines
    assert "NGRAM: ok for every model that it applies to" in lines
    head = next(line for line in lines if line.startswith("model"))
    assert head.split() == ["model", "EAGLE", "EAGLE3", "findings"]


def test_algorithm_that_no_model_meets_is_not_told_as_ok(analysis: Analysis) -> None:
    apart = {name: Verdict(verdict="not applicable") for name in analysis.models[0].algorithms}
    models = tuple(
        msgspec.structs.replace(model, algorithms=model.algorithms | {"NGRAM": apart["NGRAM"]})
        for model in analysis.models
    )
    lines = text(msgspec.structs.replace(analysis, models=models))
    assert "NGRAM: applies to none of the models here" in lines
    assert not any("ok for every model" in line for line in lines)


def test_algorithms_that_were_asked_for_keep_their_columns(analysis: Analysis) -> None:
    head = next(line for line in text(analysis, algorithms=("FROZEN", "EAGLE")) if line.startswith("model"))
    assert head.split() == ["model", "FROZEN", "EAGLE", "findings"]


@pytest.mark.parametrize("width", [36, 80])
def test_no_line_of_the_table_is_wider_than_the_terminal(analysis: Analysis, width: int) -> None:
    table = [line for line in text(analysis, width) if line.startswith(("model ", "Kumo", "Oak", "Mirage", "Draft"))]
    assert len(table) == 5
    assert max(map(len, table)) <= width


def test_narrow_terminal_has_signs_with_a_legend(analysis: Analysis) -> None:
    lines = text(analysis, 36)
    assert next(line for line in lines if line.startswith("Kumo")).split() == ["Kumo", "◐", "»", "2"]
    totals = [line.split() for line in lines if line.startswith(("✓", "»", "◐", "?"))]
    assert totals == [
        ["✓", "ok", "1", "1"],
        ["»", "one", "step", "away", "1"],
        ["◐", "half", "there", "1"],
        ["?", "unknown", "1", "1"],
    ]


def test_totals_are_explained_where_there_is_room(analysis: Analysis) -> None:
    assert any("the lines that it lacks are written" in line for line in text(analysis, 160))
    assert not any("the lines that it lacks are written" in line for line in text(analysis, 80))


def test_draft_stands_with_its_algorithms_and_the_targets_that_it_is_made_of(analysis: Analysis) -> None:
    served = {
        "EAGLE": Verdict(verdict="ok"),
        "EAGLE3": Verdict(verdict="ok"),
        "NGRAM": Verdict(verdict="not applicable"),
    }
    models = tuple(
        msgspec.structs.replace(one, algorithms=served, made_from=("Oak",)) if one.name == "Draft" else one
        for one in analysis.models
    )
    lines = text(msgspec.structs.replace(analysis, models=models))
    assert [line.split() for line in lines if line.startswith("Draft")] == [
        ["Draft", "EAGLE,", "EAGLE3", "✓", "ok", "Oak"]
    ]


def test_long_name_gives_way_and_the_heads_stay_whole(analysis: Analysis) -> None:
    long = "A" * 90
    models = tuple(msgspec.structs.replace(one, name=long) if one.name == "Oak" else one for one in analysis.models)
    lines = text(msgspec.structs.replace(analysis, models=models))
    assert next(line for line in lines if line.startswith("model")).split() == ["model", "EAGLE", "EAGLE3", "findings"]
    row = next(line for line in lines if line.startswith("AAA"))
    assert len(row) <= 80
    assert row.split()[0].endswith("…")


def test_two_classes_of_one_name_are_told_apart(analysis: Analysis) -> None:
    twin = msgspec.structs.replace(analysis.models[3], class_="sglang.srt.models.oak_text.Oak")
    lines = text(msgspec.structs.replace(analysis, models=(*analysis.models, twin)))
    assert [line.split("  ")[0] for line in lines if line.startswith("Oak")] == ["Oak (oak)", "Oak (oak_text)"]
