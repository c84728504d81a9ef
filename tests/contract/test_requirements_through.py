"""What becomes of touches in functions and objects beside the snippet: told as in `test_requirements.py`."""

from __future__ import annotations

import pytest

CASES = {
    "a function that asks": ("ask(model)", "def ask(m):\n    m.hook()", ["hook: call required @h2 ()"]),
    "a function that hands the result back": (
        "a, b = ask(model)",
        "def ask(m):\n    return m.hook()",
        ["hook: call required @h2 () -> 2"],
    ),
    "a function of a function that does": (
        "a, b = ask(model)",
        "def ask(m):\n    return deeper(m)\ndef deeper(m):\n    return m.hook()",
        ["hook: call required @h4 () -> 2"],
    ),
    "a function that unpacks itself": (
        "x = ask(model)",
        "def ask(m):\n    a, b = m.hook()\n    return a",
        ["hook: call required @h2 () -> 2"],
    ),
    "looked for by the caller": (
        "if hasattr(model, 'hook'):\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call optional @h2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for by one caller of two": (
        "if hasattr(model, 'hook'):\n    ask(model)\nask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call required @h2 ()", "hook: read optional @1"],
    ),
    "a fallback in a function": (
        "if hasattr(model, 'other'):\n    model.other()\nelse:\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call any-of @h2 by 1 one of other|hook ()", "other: call any-of @2 by 1 one of other|hook ()"],
    ),
    "a flag of the model, asked by the caller": (
        "if model.flag:\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["flag: read required @1", "hook: call conditional @h2 where flag ()"],
    ),
    "behind a setting of the caller's": (
        "if self.off:\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call required @h2 perhaps behind self.off ()"],
    ),
    "behind a setting of one caller of two": (
        "if self.off:\n    ask(model)\nask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call required @h2 ()"],
    ),
    "on the batch, in the caller": (
        "if batch.x:\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call required @h2 ()"],
    ),
    "what the caller hands over": (
        "ask(model, True)",
        "def ask(m, on):\n    if on:\n        m.hook()",
        ["hook: call required @h3 ()"],
    ),
    "what the caller hands over is there": (
        "ask(model, server_args)",
        "def ask(m, on=None):\n    if on is not None:\n        m.hook()",
        ["hook: call required @h3 ()"],
    ),
    "what the caller leaves out": (
        "ask(model)",
        "def ask(m, on=True):\n    if on:\n        m.hook()",
        ["hook: call required @h3 ()"],
    ),
    "what the caller may hand over": (
        "ask(model, batch)",
        "def ask(m, on):\n    if on:\n        m.hook()",
        ["hook: call required @h3 perhaps ()"],
    ),
    "an error where it is lacking, in a function": (
        "ask(model)",
        "def ask(m):\n    if not hasattr(m, 'hook'):\n        raise ValueError\n    m.hook()",
        ["hook: call raises @h4 by h3 raises h3 ()"],
    ),
    "a function within": (
        "def inner():\n    model.hook()\ninner()",
        "",
        ["hook: call required @2 ()"],
    ),
    "a function within, under a look": (
        "if hasattr(model, 'hook'):\n    def inner():\n        model.hook()\n    inner()",
        "",
        ["hook: call optional @3 by 1 ()", "hook: read optional @1"],
    ),
    "an error in the caller": (
        "if not hasattr(model, 'hook'):\n    raise ValueError\nask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call required @h2 ()", "hook: read raises @1 by 2 raises 2"],
    ),
    "a type's own branch in the caller": (
        "if isinstance(model, Special):\n    ask(model)",
        "def ask(m):\n    m.hook()",
        ["hook: call optional @h2 ()"],
    ),
    "a function that asks for what it is told": (
        "ask(model, 'hook')",
        "def ask(m, name):\n    getattr(m, name)()",
        ["hook: call required @h2 ()"],
    ),
    "a look that a function makes": (
        "if ask(model):\n    model.hook()",
        "def ask(m):\n    return hasattr(m, 'hook')",
        ["hook: call optional @2 by h2 ()", "hook: read optional @h2"],
    ),
    "a look and more that a function makes": (
        "if ask(model):\n    model.hook()",
        "def ask(m):\n    return m is not None and hasattr(m, 'hook')",
        ["hook: call optional @2 by h2 ()", "hook: read optional @h2"],
    ),
    "by a keyword": (
        "ask(m=model, on=False)",
        "def ask(m, on=True):\n    if not on:\n        m.hook()",
        ["hook: call required @h3 ()"],
    ),
    "what is spread": (
        "ask(model, **batch)",
        "def ask(m, on=False):\n    if on:\n        m.hook()",
        ["hook: call required @h3 perhaps behind on ()"],
    ),
    "in a circle": (
        "ask(model)",
        "def ask(m):\n    m.hook()\n    deeper(m)\ndef deeper(m):\n    ask(m)",
        ["hook: call required @h2 ()"],
    ),
    "made under a setting": (
        "if self.off:\n    ask(model)",
        "class ask:\n    def __init__(self, m):\n        m.hook()",
        ["hook: call required @h3 perhaps behind self.off ()"],
    ),
    "made under a setting, asked later": (
        "if self.off:\n    x = ask(model)\n    x.go()",
        "class ask:\n    def __init__(self, m):\n        self.m = m\n    def go(self):\n        self.m.hook()",
        ["hook: call required @h5 perhaps behind self.off ()"],
    ),
    "made under a setting in one place of two": (
        "if self.off:\n    x = ask(model)\ny = ask(model)",
        "class ask:\n    def __init__(self, m):\n        self.m = m\n    def go(self):\n        self.m.hook()",
        ["hook: call required @h5 ()"],
    ),
    "a function within, that is defined under a setting": (
        "if self.off:\n    def inner():\n        model.hook()\n    inner()",
        "",
        ["hook: call required @3 perhaps behind self.off ()"],
    ),
    "a special method of an object": (
        "x = ask(model)\nlen(x)",
        "class ask:\n    def __init__(self, m):\n        self.m = m\n"
        "    def __len__(self):\n        return self.m.hook()",
        ["hook: call required @h5 ()"],
    ),
    "a property of an object": (
        "ask(model).inside.hook()",
        "class ask:\n    def __init__(self, m):\n        self.m = m\n"
        "    @property\n    def inside(self):\n        return self.m",
        ["hook: call required @1 ()"],
    ),
    "a function that is handed on": (
        "keep(ask)\nask(model)",
        "def ask(m):\n    m.hook()\ndef keep(f):\n    pass",
        ["hook: call required @h2 ()"],
    ),
    "a dataclass that keeps it": (
        "x = ask(m=model)\nx.m.hook()",
        "import dataclasses\n@dataclasses.dataclass\nclass ask:\n    m: object",
        ["hook: call required @2 ()"],
    ),
    "an object that asks": (
        "ask(model).go()",
        "class ask:\n    def __init__(self, m):\n        self.m = m\n    def go(self):\n        self.m.hook()",
        ["hook: call required @h5 ()"],
    ),
    "an object that is made under a look": (
        "if hasattr(model, 'hook'):\n    ask(model)",
        "class ask:\n    def __init__(self, m):\n        m.hook()",
        ["hook: call optional @h3 by 1 ()", "hook: read optional @1"],
    ),
}


@pytest.fixture(scope="module")
def requirements(requirements_of) -> dict[str, list[str]]:
    return requirements_of({case: (snippet, beside) for case, (snippet, beside, _) in CASES.items()})


@pytest.mark.parametrize("case", CASES)
def test_requirements_of_a_snippet(requirements: dict[str, list[str]], case: str) -> None:
    assert requirements[case] == sorted(CASES[case][-1])
