"""What counts as a small mistake."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", Path(__file__).with_name("mutate.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    spec.loader.exec_module(module)
    return module


CASES = {
    "x = a == b": {"x = a != b"},
    "x = a is not b": {"x = a is b"},
    "x = a not in b": {"x = a in b"},
    "x = a < b": {"x = a <= b"},
    "x = a and b": {"x = (a) or (b)", "x = (a)"},
    "x = not a": {"x = (a)"},
    "x = a + b": {"x = a - b"},
    "x = f(True)": {"x = f(False)"},
    "x = f(1)": {"x = f(2)"},
    "x = f('word')": {"x = f('wordXX')"},
    "x = any(a)": {"x = all(a)"},
    "if a:\n    pass": {"if (not (a)):\n    pass"},
    "x = [a for a in b if c]": {"x = [a for a in b if True]"},
    "a.append(b)": {"pass"},
    "x += a": {"pass"},
    "for a in b:\n    continue": {"for a in b:\n    break"},
    "def f():\n    return a": {"def f():\n    return None"},
    "def f():\n    yield a": {"def f():\n    (yield) if False else None"},
    "match a:\n    case A():\n        pass": {"match a:\n    case A() if False:\n        pass"},
    "match a:\n    case A(x='b'):\n        pass": {
        "match a:\n    case A(x='b') if False:\n        pass",
        "match a:\n    case A(x='bXX'):\n        pass",
    },
    "match a:\n    case A() if b:\n        pass": {
        "match a:\n    case A() if True:\n        pass",
        "match a:\n    case A() if False:\n        pass",
    },
    "match a:\n    case 1 | 2:\n        pass": {
        "match a:\n    case 1 | 2 if False:\n        pass",
        "match a:\n    case (2):\n        pass",
        "match a:\n    case (1):\n        pass",
        "match a:\n    case 2 | 2:\n        pass",
        "match a:\n    case 1 | 3:\n        pass",
    },
    "import a": set(),
    "assert a == b": set(),
    "'''A docstring.'''": set(),
    "_MOST = 5": set(),
    "__all__ = ['a']": set(),
    "A = Literal['a', 'b']": set(),
    "A = Listed['a']": {"A = Listed['aXX']"},
    "class A(B, frozen=True):\n    pass": set(),
    "class A(B):\n    x: int = 1": {"class A(B):\n    x: int = 2"},
    "@f(frozen=True)\nclass A:\n    pass": set(),
    "def f(a: 'b') -> 'c':\n    raise ValueError('no ' + a)": set(),
    "x = f'{a == b}'": set(),
    "x = f('several words')": set(),
    "_MOST = 5\ndef f(x):\n    g(x > _MOST)": {"_MOST = 5\ndef f(x):\n    pass"},
    "MOST = a\ndef f(x):\n    g(x > MOST)": {
        "MOST = a\ndef f(x):\n    pass",
        "MOST = a\ndef f(x):\n    g(x >= MOST)",
    },
    "key = ('flag', 1)": {"key = ('flag', 2)"},
    "other = ('flag', x)": {"other = ('flagXX', x)"},
    "x = a.ask(('flag', 1), b)": {"x = a.ask(('flag', 2), b)"},
    "x = a.told(('flag', y), b)": {"x = a.told(('flagXX', y), b)"},
}


@pytest.mark.parametrize("text", CASES)
def test_every_change_and_no_other(mutate: ModuleType, text: str) -> None:
    data = text.encode()
    changed = {one.applied(data).decode() for one in mutate.mutants("a.py", data)}
    assert {one for one in changed if mutate.compiles(one.encode())} == CASES[text]


def test_a_mutant_says_where_it_is(mutate: ModuleType) -> None:
    (mutant,) = mutate.mutants("a/b.py", "é = 1\n\nx = (a ==\n     b)\n".encode())
    assert mutant.title == "a/b.py:3: '==' -> '!='"
