"""Values in containers: what is in them, how deep they nest, and which of them lead anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from specint.graph.value import (
    ConstantValue,
    ElementsOf,
    ExternalValue,
    Instance,
    ModelObject,
    ModuleValue,
    PartialValue,
    SequenceValue,
    TableValue,
    Unknown,
    Value,
    Values,
    changed,
    completed,
    flat,
    handed_ahead,
    is_telling,
    together,
)

ONE, TWO = ConstantValue(1), ConstantValue(2)
MODEL, OTHER = ModelObject("target"), ModelObject("draft")


def values(*of: Value) -> Values:
    return frozenset(of)


def listed(*of: Value) -> ElementsOf:
    return ElementsOf(values(*of))


def row(*of: Value) -> SequenceValue:
    return SequenceValue(tuple(values(one) for one in of))


def nested(depth: int, value: Value = ONE) -> Value:
    for _ in range(depth):
        value = row(value)
    return value


def test_plain_values_go_into_a_container_as_they_are() -> None:
    assert flat(values(ONE, MODEL)) == values(ONE, MODEL)
    assert flat(values(row(ONE))) == values(row(ONE))
    assert flat(values()) == values()


def test_what_is_nested_deeply_is_replaced_by_what_it_holds() -> None:
    deepest = next(depth for depth in range(20) if flat(values(nested(depth))) != values(nested(depth)))
    assert deepest == 3, "a list of lists is still told apart"
    assert flat(values(nested(deepest))) == values(ONE)
    assert flat(values(nested(deepest), nested(1), TWO)) == values(ONE, nested(1), TWO)
    table = TableValue(((values(nested(deepest - 1)), values(MODEL)),))
    assert flat(values(table)) == values(ONE, MODEL), "keys count too"
    assert flat(values(ElementsOf(values(nested(deepest - 1), MODEL)))) == values(ONE, MODEL)


def test_containers_of_any_length_are_one() -> None:
    assert together(values(listed(ONE), listed(TWO), MODEL)) == values(listed(ONE, TWO), MODEL)
    assert together(values(listed(ONE), MODEL)) == values(listed(ONE), MODEL)
    assert together(values(row(ONE), row(TWO))) == values(row(ONE), row(TWO))
    assert flat(values(listed(ONE), listed(TWO))) == values(listed(ONE, TWO))


def test_everything_in_a_value_is_changed_but_keys() -> None:
    def swap(value: Value) -> Value:
        return {ONE: TWO, MODEL: OTHER}.get(value, value)

    assert changed(ONE, swap) == TWO
    assert changed(row(ONE, MODEL), swap) == row(TWO, OTHER)
    assert changed(listed(ONE), swap) == listed(TWO)
    assert changed(listed(row(ONE)), swap) == listed(row(TWO))
    table = TableValue(((values(ONE), values(MODEL)),))
    assert changed(table, swap) == TableValue(((values(ONE), values(OTHER)),))


NODE: Any = object()


@pytest.mark.parametrize(
    ("value", "telling"),
    [
        (MODEL, True),
        (Instance(NODE), True),
        (ONE, False),
        (ModuleValue("m"), False),
        (ExternalValue("torch"), False),
        (Unknown("why"), False),
        (row(ONE), False),
        (row(ONE, MODEL), True),
        (listed(ONE), False),
        (listed(row(MODEL)), True),
        (TableValue(((values(ONE), values(MODEL)),)), True),
        (TableValue(((values(MODEL), values(ONE)),)), True),
        (TableValue(((values(ONE), values(TWO)),)), False),
    ],
)
def test_value_that_leads_anywhere(value: Value, telling: bool) -> None:
    assert is_telling(value) is telling


def test_what_was_handed_ahead_is_counted_through_partials() -> None:
    callee: Any = Instance(NODE)
    once = PartialValue(callee, (values(ONE),), ())
    twice = PartialValue(once, (values(ONE), values(TWO)), (("k", values(ONE)),))
    assert (handed_ahead(callee), handed_ahead(once), handed_ahead(twice)) == (0, 1, 3)
    assert completed(twice) is completed(once) is completed(callee) is callee
