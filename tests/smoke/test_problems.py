"""What a run shows to be wrong, on runs written by hand."""

from __future__ import annotations

import pytest

from specint.smoke.model import DraftResult, Job, Judgement, Ran, Step
from specint.smoke.problems import comparison, problems

SETTER = "set_eagle3_layers_to_capture"


def ran(**facts: dict) -> Ran:
    steps = [Step(name=name.replace("_", " "), outcome="ok", facts=told) for name, told in facts.items()]
    return Ran(ended="done", steps=tuple(steps))


def captured(*pairs: tuple) -> Ran:
    found = [{"asked": asked, "states": states} for asked, states in pairs]
    return ran(build={"layers": 4}, forward={"capture": SETTER, "captured": found})


JOB = Job(
    id=0, class_="kumo.Kumo", architecture="Kumo", module=None, role="target", members=(), asks=(), capture=(), inner=()
)
DRAFT = DraftResult(name="draft", class_="kumo.Draft", built=True, reason=None, agreements=(), verdicts=())


def told(run: Ran) -> list:
    return list(problems(run, JOB, drafts=[DRAFT]))


def kinds(run: Ran) -> list[tuple[str, str]]:
    return [(one.kind, one.severity) for one in told(run)]


def test_a_model_that_gives_what_it_was_asked_for_has_no_problem():
    assert kinds(captured(([0, 1, 2], 3), ([0, 1, 2, 3], 4), ([3], 1), (None, 3))) == []


def test_states_that_never_arrive_are_an_error():
    assert kinds(captured(([0, 1, 2], 0), ([3], 0))) == [("states dropped", "error")]


def test_a_lost_last_layer_and_a_short_model_are_warnings_with_their_figures():
    run = captured(([0, 1, 2], 3), ([0, 3], 1), (None, 2))
    assert kinds(run) == [("last layer lost", "warning"), ("short model", "warning")]
    assert "asked for [0, 3], it gives 1 state and no error" in [one.what for one in told(run)]


def test_a_lost_inner_layer_is_an_error():
    assert kinds(captured(([0, 1, 2], 3), ([1], 0))) == [("states lost", "error")]


def test_requests_that_add_up():
    run = ran(
        build={"layers": 4},
        forward={
            "capture": SETTER,
            "captured": [{"asked": [0], "states": 1}],
            "asked_twice": {"asked": [[0], [1]], "states": 2},
        },
    )
    assert kinds(run) == [("requests add up", "warning")]


def compared(*pairs: tuple, logits: float = 1e-6) -> Ran:
    found = [
        {"asked": asked, "matches": [{"layer": layer, "difference": 1e-6} for layer in layers]}
        for asked, layers in pairs
    ]
    facts = {"logits_difference": logits, "decode_difference": 1e-6, "close": 1e-4, "compared": found}
    return ran(weights={"reference": "KumoForCausalLM"}, reference=facts)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([([0, 1], [0, 1]), ([2], [2])], "a layer's id gives its output"),
        ([([0, 1], [-1, 0]), ([2], [1])], "a layer's id gives its input"),
        ([([0, 1], [-1, 0]), ([1], [1])], "[0, 1] gives inputs; [1] gives outputs"),
        ([([1], [3])], "[1] gives states shifted by 2"),
    ],
)
def test_the_convention_for_layer_ids_is_said(pairs, said):
    assert comparison(compared(*pairs)).convention == said


def test_numbers_that_differ_are_an_error_and_so_is_no_number():
    assert kinds(compared(logits=0.1)) == [("numbers differ", "error")]
    assert kinds(compared(logits=float("nan"))) == [("numbers differ", "error")]
    assert kinds(compared()) == []


def test_a_setter_that_fails_is_an_error_for_a_draft_and_odd_for_a_target():
    failing = {"set": "set_embed_and_head", "outcome": "raises", "what": "AttributeError: weight", "tied": True}
    assert kinds(ran(exchange={"exchanges": [failing]})) == [("sharing fails", "warning")]
    assert kinds(ran(draft_hand_over={"handed_over": [failing]})) == [("sharing fails", "error")]


def test_what_is_wrong_with_a_draft_is_about_the_draft():
    failing = {"set": "set_embed", "outcome": "raises", "what": "AttributeError: weight"}
    run = ran(exchange={"exchanges": [failing]}, draft_hand_over={"handed_over": [failing]})
    assert [one.about for one in told(run)] == ["kumo.Kumo", "kumo.Draft"]


def test_a_call_that_raises_is_an_error_where_an_algorithm_insists_on_it_and_else_a_warning():
    call = {"arguments": "()", "outcome": "raises", "what": "AttributeError: x", "where": "m.py:1"}
    run = ran(contract={"answers": [{"member": "get", "calls": [call]}]})
    assert [(one.kind, one.where) for one in told(run)] == [("call raises", "m.py:1")]
    assert kinds(run) == [("call raises", "warning")]
    broken = Judgement(algorithm="EAGLE3", static="broken", running="broken", broken=("get",), accord="agree")
    assert [one.severity for one in problems(run, JOB, [broken])] == ["error"]


def test_a_draft_that_runs_no_longer_after_the_hand_over_is_an_error():
    def failed(before: str | None) -> Ran:
        step = Step(name="draft forward", outcome="failed", reason="AttributeError: weight", facts={"before": before})
        return Ran(ended="done", steps=(step,))

    assert kinds(failed(None)) == [("forward failed", "error")]
    assert kinds(failed("StandInCalled: a kernel")) == [("forward failed", "warning")]


def test_a_draft_that_drops_its_table_of_tokens_is_an_error():
    told_ = {"weight": "d2t", "member": "hot_token_id", "found": "NoneType"}
    assert kinds(ran(draft_hot_tokens={**told_, "same": False})) == [("hot tokens lost", "error")]
    assert kinds(ran(draft_hot_tokens={**told_, "same": True})) == []
