"""Which argument meets which parameter, as Python binds them; which assignments reach a line; what a line is under."""

from __future__ import annotations

import inspect

import pytest

from specint.facts import model as facts
from specint.graph.binding import bind_arguments, reaching
from specint.graph.composition import condition_text

SIGNATURES = ["a, b", "a, b=1", "a, /, b", "a, *, b=1", "a, *rest", "a, **more", "*, b=1", "self, a", ""]
CALLS = ["", "1", "1, 2", "1, b=2", "a=1, b=2", "b=2", "1, 2, 3", "1, c=3"]


def of(linked, text: str, name: str):
    found = linked(m=text)
    return next(one for one in found.project.functions_of(found.project.module("pack.m")) if one.facts.qualname == name)


def called(linked, call: str) -> facts.Call:
    (step,) = of(linked, f"def g():\n    f({call})\n", "g").facts.body.steps
    assert isinstance(step, facts.Evaluate)
    assert isinstance(step.value, facts.Call)
    return step.value


@pytest.mark.parametrize("signature", SIGNATURES)
def test_arguments_meet_the_parameters_that_python_gives_them(linked, signature: str) -> None:
    function = of(linked, f"def f({signature}):\n    pass\n", "f")
    namespace: dict[str, object] = {}
    exec(f"def f({signature}): pass", namespace)
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    signed = inspect.signature(namespace["f"])  # type: ignore[arg-type]
    for call in CALLS:
        try:
            expected = eval(f"signed.bind({call})", {"signed": signed}).arguments
        except TypeError:
            continue  # Python refuses the call, so there is nothing to agree about
        plain = {name: str(value) for name, value in expected.items() if signed.parameters[name].kind not in kinds}
        bound = bind_arguments(function, called(linked, call), skip_first=False)
        of_one = {name: value for name, value in bound.items() if signed.parameters[name].kind not in kinds}
        assert {name: facts.spell(value) for name, value in of_one.items()} == plain, call


@pytest.mark.parametrize(
    ("call", "skip_first", "ahead", "expected"),
    [
        ("1, 2", True, 0, {"b": "1", "c": "2"}),
        ("1, 2", False, 0, {"a": "1", "b": "2"}),
        ("1", False, 1, {"b": "1"}),
        ("1", True, 1, {"c": "1"}),
        ("1, a=2", True, 0, {"b": "1"}),
        ("1, *x, 2", False, 0, {"a": "1"}),
        ("*x, c=1", False, 0, {"c": "1"}),
        ("1, **x", False, 0, {"a": "1"}),
    ],
)
def test_arguments_beside_an_object_or_what_was_handed_ahead(linked, call, skip_first, ahead, expected) -> None:
    function = of(linked, "def f(a, b, c):\n    pass\n", "f")
    bound = bind_arguments(function, called(linked, call), skip_first=skip_first, ahead=ahead)
    assert {name: facts.spell(value) for name, value in bound.items()} == expected


# `use(x)` is the line; the numbers are what `x` is given on the lines that reach it, and ! that it surely was given.
REACHING = {
    "x = 1\nuse(x)": "1!",
    "x = 1\nx = 2\nuse(x)": "2!",
    "use(x)\nx = 1": "",
    "if c:\n    x = 1\nuse(x)": "1",
    "x = 1\nif c:\n    x = 2\nuse(x)": "1 2!",
    "if c:\n    x = 1\nelse:\n    x = 2\nuse(x)": "1 2",
    "if c:\n    x = 1\nelse:\n    use(x)": "",
    "if c:\n    x = 1\n    use(x)": "1!",
    "x = 1\nif c:\n    x = 2\nelse:\n    use(x)": "1!",
    "if c:\n    x = 1\nif c:\n    use(x)": "1",
    "if c:\n    x = 1\nelif d:\n    use(x)": "",
    "x = 1\nfor i in c:\n    use(x)\n    x = 2": "1 2!",
    "for i in c:\n    x = 1\n    use(x)\n    x = 2": "1!",
    "for i in c:\n    for j in c:\n        use(x)\n        x = 1\n    x = 2": "1 2",
    "for i in c:\n    x = 1\n    for j in c:\n        use(x)\n        x = 2": "1 2!",
    "for i in c:\n    use(x)\nx = 1": "",
    "for i in c:\n    x = 1\nuse(x)": "1",
    "while c:\n    use(x)\n    x = 1": "1",
    "for i in c:\n    if i:\n        x = 1\n    else:\n        use(x)": "1",
    "x = 1; use(x)": "1!",
    "x = 1; use(x); x = 2": "1!",
    "x = 1\nuse((x := 2))": "2!",
    "x = 1\nuse(x); x = 2": "1!",
}


@pytest.mark.parametrize("text", REACHING)
def test_which_assignments_reach_a_line(linked, text: str) -> None:
    body = "\n".join(f"    {line}" for line in text.splitlines())
    function = of(linked, f"def f(c, d):\n{body}\n", "f")
    steps = function.facts.body.steps
    at = next(one for one in steps if isinstance(one, facts.Evaluate) and facts.spell(one.value).startswith("use("))
    found, surely = reaching(function.binds.get("x", ()), at, function.facts.body)
    numbers = sorted(facts.spell(one.value) for one in found if isinstance(one, facts.Bind) and one.value is not None)
    assert f"{' '.join(numbers)}{'!' * surely}" == REACHING[text]


def test_without_a_line_every_assignment_counts(linked) -> None:
    function = of(linked, "def f(c):\n    x = 1\n    y = 1\n    y = 2\n    if c:\n        z = 1\n", "f")
    binds, scope = function.binds, function.facts.body
    assert reaching(binds["x"], None, scope) == (list(binds["x"]), True)
    assert reaching(binds["y"], None, scope) == (list(binds["y"]), False)
    assert reaching(binds["z"], None, scope) == (list(binds["z"]), False)
    assert reaching((), None, scope) == ([], False)


CONDITIONS = {
    "use()": "",
    "if a:\n    use()": "a",
    "if a:\n    pass\nelse:\n    use()": "not a",
    "if not a:\n    pass\nelse:\n    use()": "a",
    "if a == 1:\n    pass\nelse:\n    use()": "a != 1",
    "if a:\n    if b:\n        use()": "a and b",
    "if a:\n    pass\nelif b:\n    use()": "not a and b",
    "if a:\n    return\nuse()": "not a",
    "if a:\n    raise ValueError\nuse()": "",
    "if a or b:\n    if c:\n        use()": "(a or b) and c",
    "for i in a:\n    use()": "",
    "while a:\n    use()": "",
    "for i in a:\n    if b:\n        use()": "b",
    "try:\n    pass\nexcept KeyError:\n    use()": "except KeyError",
    "try:\n    pass\nexcept (KeyError, ValueError):\n    use()": "except KeyError or ValueError",
    "try:\n    pass\nexcept:\n    use()": "except",
    "if a:\n    try:\n        pass\n    except KeyError:\n        use()": "a and except KeyError",
    "try:\n    use()\nexcept KeyError:\n    pass": "",
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_what_a_line_is_under(linked, text: str) -> None:
    body = "\n".join(f"    {line}" for line in text.splitlines())
    function = of(linked, f"def f(a, b, c):\n{body}\n", "f")
    steps = function.facts.body.steps
    at = next(one for one in steps if isinstance(one, facts.Evaluate) and facts.spell(one.value) == "use()")
    assert condition_text(function, at.guard) == CONDITIONS[text]
