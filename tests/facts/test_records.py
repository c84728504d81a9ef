"""A record that is made by a call is a class that declares its fields."""

from __future__ import annotations

import pytest

from specint.facts.extract import extract
from specint.graph.hierarchy import declared_fields


def classes(text: str):
    return {one.name: declared_fields(one) for one in extract(text, name="m", path="m.py").body.classes}


@pytest.mark.parametrize(
    "made",
    [
        "namedtuple('Sides', ['target', 'draft'])",
        "collections.namedtuple('Sides', 'target draft')",
        "namedtuple('Sides', 'target, draft', defaults=(None,))",
        "NamedTuple('Sides', [('target', int), ('draft', int)])",
        "dataclasses.make_dataclass('Sides', ['target', ('draft', int)])",
    ],
)
def test_made_record_declares_its_fields(made: str) -> None:
    assert classes(f"Sides = {made}\n") == {"Sides": ("target", "draft")}


def test_base_that_is_made_on_the_spot_brings_its_fields() -> None:
    assert classes("class Sides(namedtuple('Base', 'target draft')):\n    more: int = 0\n") == {
        "Sides": ("target", "draft", "more")
    }


@pytest.mark.parametrize(
    "made", ["namedtuple('Sides', names)", "namedtuple('Sides', ['a', name])", "other('S', 'a b')"]
)
def test_computed_fields_make_no_class(made: str) -> None:
    assert classes(f"Sides = {made}\n") == {}
