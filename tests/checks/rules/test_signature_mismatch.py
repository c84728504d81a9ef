"""Whether a call fits a signature: every signature against every call, as Python itself binds it."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import pytest

from specint.checks.rules.signature_mismatch import keeps_signature, unbound
from specint.contract.model import CallShape
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.graph.hierarchy import Member

SIGNATURES = (
    *("", "a", "a, b", "a, b=1", "a=1, b=2", "a, /", "a, /, b", "*a", "a, *b"),
    *("*, k", "*, k=1", "a, *, k", "a=1, *, k", "**m", "a, **m", "a, *b, k=1, **m"),
)
CALLS = [
    CallShape(positional=most, fewest=fewest, keywords=keywords)
    for most in range(4)
    for fewest in range(most + 1)
    for keywords in ((), ("k",), ("b",), ("k", "z"))
]
KINDS = {"method": "self, ", "classmethod": "cls, ", "staticmethod": ""}


def member(params: str, kind: str = "method", decorators: str = "") -> Any:
    text = f"class M:\n    {decorators or 'pass'}\n    def f({params}):\n        pass\n"
    function = extract(text, name="m", path="m.py").body.classes[0].body.functions[0]
    return Member(None, "f", kind, 1, SimpleNamespace(facts=function))  # type: ignore[arg-type]


def binds(params: str, call: CallShape) -> bool | None:
    """Whether Python takes the call with the most and with the fewest arguments; None where one of them hands an
    argument over twice, which is the caller's own mistake."""
    scope: dict[str, Any] = {}
    exec(f"def f({params}): pass", scope)
    signature = inspect.signature(scope["f"])
    answers = []
    for count in (call.positional, call.fewest):
        try:
            signature.bind(*range(count), **dict.fromkeys(call.keywords, 0))
            answers.append(True)
        except TypeError as error:
            if "multiple values" in str(error):
                return None
            answers.append(False)
    return all(answers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("params", SIGNATURES)
def test_call_fits_where_python_binds_it(params: str, kind: str) -> None:
    definition = member(KINDS[kind] + params, kind)
    for call in CALLS:
        expected = binds(params, call)
        why = unbound(definition, call)
        assert expected is None or (why is None) is expected, (call, why)


@pytest.mark.parametrize(
    ("params", "call", "why"),
    [
        ("self", CallShape(1, fewest=1), "callers pass 1 argument by position, but it takes none"),
        ("self, a", CallShape(2, fewest=2), "callers pass 2 arguments by position, but it takes at most 1"),
        ("self", CallShape(keywords=("k", "z")), "callers pass k and z by name, but it has no such parameter"),
        ("self, a", CallShape(), "it requires a, but callers pass no arguments"),
        ("self, a, b", CallShape(1, fewest=1), "it requires b, but callers pass only 1 argument"),
        ("self, a, *, k", CallShape(1, fewest=0), "it requires a and k, but callers pass no arguments"),
        ("self, a", CallShape(keywords=("b",)), "callers pass b by name, but it has no such parameter"),
        ("self, a, b", CallShape(keywords=("b",)), "it requires a, but callers pass only 0 arguments"),
        ("", CallShape(), "it has no parameter for the object itself (self)"),
        ("*all", CallShape(3, fewest=3), None),
        ("*all", CallShape(keywords=("k",)), "callers pass k by name, but it has no such parameter"),
        ("self, a", CallShape(starred=True), None),
        ("self", CallShape(1, fewest=1, starred=True), "callers pass 1 argument by position, but it takes none"),
    ],
)
def test_why_a_call_does_not_fit(params: str, call: CallShape, why: str | None) -> None:
    assert unbound(member(params), call) == why


@pytest.mark.parametrize(
    ("decorator", "kept"),
    [
        ("@staticmethod", True),
        ("@functools.lru_cache(None)", True),
        ("@torch.no_grad()", True),
        ("@torch.compile", True),
        ("@override", True),
        ("@own", False),
        ("@own.cached(1)", False),
        ("@override\n    @own", False),
    ],
)
def test_decorator_that_keeps_the_signature(decorator: str, kept: bool) -> None:
    assert keeps_signature(member("self", decorators=decorator)) is kept
    assert keeps_signature(member("self", "property", decorator))


def test_parameters_are_told_apart_by_what_the_facts_say() -> None:
    kinds = [param.kind for param in member("a, /, b, *c, d, **e").function.facts.params]
    assert kinds == ["positional-only", "positional", "*", "keyword", "**"]
    assert isinstance(member("a").function.facts, facts.Function)
