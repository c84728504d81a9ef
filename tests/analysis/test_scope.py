from __future__ import annotations

import pytest

from specint.analysis.model import Analysis
from specint.analysis.scope import find_models, narrow, resolve_algorithms
from specint.errors import SpecintError


def test_alias_and_letter_case_name_the_same_algorithm(analysis: Analysis) -> None:
    assert resolve_algorithms(analysis.contract, ["nextn", "EAGLE", "eagle3"]) == ("EAGLE", "EAGLE3")


def test_unknown_algorithm_is_an_error_with_the_nearest(analysis: Analysis) -> None:
    with pytest.raises(SpecintError, match=r"--algorithm: .*`EAGEL3` \(did you mean EAGLE3"):
        resolve_algorithms(analysis.contract, ["EAGEL3"])
    with pytest.raises(SpecintError, match="it has EAGLE, EAGLE3, NGRAM, FROZEN"):
        resolve_algorithms(analysis.contract, ["zzz"])


def test_model_is_found_by_name_and_by_dotted_name(analysis: Analysis) -> None:
    by_name = find_models(analysis.models, "Oak")
    assert by_name == find_models(analysis.models, "sglang.srt.models.oak.Oak")
    with pytest.raises(SpecintError, match=r"`Kumoo` \(did you mean Kumo"):
        find_models(analysis.models, "Kumoo")


def test_narrowing_keeps_what_was_named_and_its_findings(analysis: Analysis) -> None:
    assert [model.name for model in narrow(analysis, ["Oak"]).models] == ["Oak"]
    assert narrow(analysis, ["Oak"]).findings == ()
    assert narrow(analysis, ["Kumo"]).findings == analysis.findings
    assert list(narrow(analysis, (), ["EAGLE"]).models[0].algorithms) == ["EAGLE"]
    assert narrow(analysis, (), ["EAGLE"]).findings == ()
    assert narrow(analysis).diagnostics == analysis.diagnostics
