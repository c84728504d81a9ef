"""What is said of layers and tables that were seen from outside, on observations written by hand."""

from __future__ import annotations

import pytest

from specint.smoke.traced import of_layers, of_tables, of_use

SETTER = "set_eagle3_layers_to_capture"


def said(*pairs: tuple, bare: bool = False, layers: int = 8) -> list[tuple[str, str]]:
    traced = [{"asked": asked, "layers": found, "without_residual": [bare] * len(found)} for asked, found in pairs]
    return [(one.kind, one.severity) for one in of_layers({"capture": SETTER, "dependence": traced}, layers)]


def test_an_id_that_gives_its_layers_output_is_right():
    assert said(([0, 1, 2], [0, 1, 2]), ([1], [1]), (None, [1, 3, 4])) == []


def test_every_id_off_is_an_error_and_some_are_a_mixed_convention():
    assert said(([0, 1, 2], [-1, 0, 1]), ([1], [0])) == [("layers off", "error")]
    assert said(([0, 1, 2], [-1, 0, 1]), ([1], [1])) == [("mixed convention", "warning")]


def test_the_layers_that_a_model_chooses_by_itself_are_known_for_its_depth():
    assert said((None, [1, 3, 5])) == [("layers off", "error")]
    assert said((None, [1, 7, 12]), layers=16) == []
    assert said((None, [0, 0, 1]), layers=4) == []  # too few to tell them apart


def test_states_in_which_nothing_of_the_embedding_is_left_lack_their_residual():
    assert said(([1], [1]), bare=True) == [("states without residual", "error")]


def test_a_request_that_failed_says_nothing_of_layers():
    assert list(of_layers({"capture": SETTER, "dependence": [{"asked": [0], "error": "ValueError"}]}, 8)) == []


@pytest.mark.parametrize(
    ("roles", "severities"),
    [
        (["embedding", "head"], []),
        (["both", "both"], []),
        (["unknown", "unknown"], []),
        (["head", "embedding"], ["error", "error"]),
        (["embedding", "neither"], ["warning"]),
    ],
)
def test_a_getter_gives_what_the_forward_uses(roles: list[str], severities: list[str]):
    assert [one.severity for one in of_tables([{"get": "get_embed_and_head", "is": roles}])] == severities


def test_a_draft_uses_what_it_was_given_as_what_it_is():
    right = {"set": "set_embed_and_head", "given": "head", "is": "head"}
    assert list(of_use([right, {**right, "is": "unknown"}])) == []
    (problem,) = of_use([{**right, "is": "embedding"}])
    assert problem.what.startswith("set_embed_and_head: the target's head is to the draft the table in which")
