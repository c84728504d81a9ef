"""What registration code comes to: each text is run by Python too, which must find the same in `answer`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from specint.compliance.written import Place, Reader, Several, Table, Unread, Written, additions, places
from specint.facts import model as facts
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.project import ClassNode, FunctionNode, ModuleRef, Project
from specint.source.tree import Origin, TextTree

MODELS = """
class Outer:
    class Inner:
        pass

class A(Outer):
    pass

class B:
    pass

def make():
    return B

KNOWN = {"a": A, "b": B}
ALIAS = A
"""
TEXTS = {
    # values
    "constants": "answer = ['a', 1, 2.5, True, None]",
    "a tuple in a list": "answer = [(A, 'a'), [B]]",
    "a list spread into another": "more = [A, B]\nanswer = [*more, A]",
    "a table spread into another": "more = {'a': A}\nanswer = {**more, 'b': B}",
    "a later key hides an earlier one": "answer = {'a': A, **{'a': B}}['a']",
    "an item of a list": "answer = [A, B][1]",
    "an item from the end": "answer = [A, B][-1]",
    "the first from the end": "answer = [A, B][-2]",
    "an item of a table": "answer = {'a': A, 'b': B}['b']",
    "a class by the module's names": "answer = globals()['A']",
    "a class of a module that Python has": "import sys\nanswer = sys.modules['pack.models'].B",
    "a walrus": "answer = [(one := A), one][0]",
    "an f-string": "n = 2\nanswer = f'pack.{n}.x'",
    "texts that are added": "a = 'pack'\nb = '.models'\nanswer = a + b + ':A'",
    "lists that are added": "answer = [A] + [B] + [A]",
    "tables that are joined": "answer = {'a': A} | {'b': B}",
    "an empty list": "answer = []",
    "an empty table": "answer = {}",
    # comprehensions
    "a list comprehension": "answer = [one for one in (A, B)]",
    "a comprehension over a table": "answer = [one for one in {'a': A, 'b': B}]",
    "a comprehension over pairs": "answer = [c for n, c in [('a', A), ('b', B)]]",
    "pairs within pairs": "answer = [(a, b, c) for a, (b, c) in [('a', (A, B))]]",
    "two loops of a comprehension": "answer = [(n, c) for n in 'a b'.split() for c in (A, B)]",
    "a loop over the other's name": "answer = [c for row in [[A], [B]] for c in row]",
    # names
    "the last assignment": "x = A\nx = B\nanswer = x",
    "an assignment after it": "x = A\nanswer = x\nx = B",
    "two names at once": "x, y = A, B\nanswer = y",
    "a name of a name": "x = A\ny = x\nanswer = [y]",
    "another name of a class": "answer = models.ALIAS",
    "a name that is imported": "from pack.models import B as Renamed\nanswer = Renamed",
    "a table of another module": "answer = models.KNOWN['b']",
    "the module's own name": "answer = __name__",
    "the name of its package": "answer = __package__",
    # what statements add
    "append": "answer = []\nanswer.append(A)\nanswer.append(B)",
    "extend": "answer = [A]\nanswer.extend([B, A])",
    "plus": "answer = [A]\nanswer += [B]",
    "insert": "answer = []\nanswer.insert(0, A)",
    "update": "answer = {'a': A}\nanswer.update({'b': B})",
    "update by keywords": "answer = list(dict(a=A, b=B).values())",
    "append in a loop": "answer = []\nfor one in (A, B):\n    answer.append(one)",
    "append in two loops": "answer = []\nfor n in ('a', 'b'):\n    for c in (A, B):\n        answer.append((n, c))",
    "append to another list": "answer = [A]\nother = []\nother.append(B)",
    # attributes and calls
    "the name of a class": "answer = A.__name__",
    "the qualified name of a class": "answer = A.__qualname__",
    "the module of a class": "answer = A.__module__",
    "a class of a class": "answer = models.Outer.Inner",
    "getattr": "answer = getattr(models, 'B')",
    "getattr with a default": "answer = getattr(models, 'A', None)",
    "import_module": "import importlib\nanswer = importlib.import_module('pack.models').A",
    "a module": "import importlib\nanswer = importlib.import_module('pack.models')",
    "list": "answer = list((A, B))",
    "list of a table": "answer = list({'a': A, 'b': B})",
    "list of nothing": "answer = list()",
    "tuple": "answer = tuple([A, B])",
    "frozenset": "answer = frozenset([A])",
    "set": "answer = set([B])",
    "set of nothing": "answer = set()",
    "iter": "answer = list(iter([A, B]))",
    "tuple of nothing": "answer = tuple()",
    "sorted names": "answer = sorted(['a', 'b'])",
    "names in reverse": "answer = list(reversed(['a']))",
    "dict of pairs": "answer = dict([('a', A), ('b', B)])",
    "dict by keywords": "answer = dict(a=A, b=B)",
    "dict of a table and keywords": "answer = dict({'a': A}, b=B)",
    "zip": "answer = dict(zip(['a', 'b'], [A, B]))",
    "zip of unequal lists": "answer = list(zip(['a'], [A, B]))",
    "enumerate": "answer = list(enumerate([A, B]))",
    "a function's result": "answer = models.make()",
    "a function with an argument": "def same(one):\n    return one\n\nanswer = same(A)",
    "a function with two": "def pair(a, b):\n    return [b, a]\n\nanswer = pair(A, B)",
    "a function with a keyword": "def pair(a, b):\n    return (b, a)\n\nanswer = pair(B, b=A)",
    "a function's own names": "def f(one):\n    two = [one]\n    return two\n\nanswer = f(A)",
    "a function beside the module's names": "x = A\n\ndef f():\n    x = B\n    return x\n\nanswer = f()",
    "a function that reads the module's names": "x = A\n\ndef f():\n    return x\n\nanswer = f()",
    "a function within a function": "def f():\n    x = A\n    def g():\n        return x\n    return g()\nanswer = f()",
    # methods
    "partition": "answer = 'a.b:C'.partition(':')[2]",
    "rpartition": "answer = 'a.b.c'.rpartition('.')[0]",
    "split at spaces": "answer = 'a b  c'.split()",
    "split at a sign": "answer = 'a,b,c'.split(',')",
    "split once": "answer = 'a,b,c'.split(',', 1)",
    "rsplit once": "answer = 'a.b.c'.rsplit('.', 1)",
    "rsplit at spaces": "answer = 'a b'.rsplit()",
    "strip": "answer = ' a '.strip()",
    "lower and upper": "answer = 'aB'.lower() + 'aB'.upper()",
    "title": "answer = 'ab cd'.title()",
    "replace": "answer = 'a-b'.replace('-', '_')",
    "removeprefix": "answer = 'pack.a'.removeprefix('pack.')",
    "removesuffix": "answer = 'a.py'.removesuffix('.py')",
    "items": "answer = [c for n, c in {'a': A, 'b': B}.items()]",
    "values": "answer = list({'a': A, 'b': B}.values())",
    "keys": "answer = list({'a': A, 'b': B}.keys())",
    "get": "answer = {'a': A, 'b': B}.get('b')",
    "get with a default": "answer = {'a': A}.get('a', None)",
    "pop": "answer = {'a': A}.pop('a')",
    "a copied list": "answer = [A].copy()",
    "a copied table": "answer = {'a': A}.copy()",
}
HEAD = "from pack import models\nfrom pack.models import A, B\n\n"


def written_as(text: str) -> Project:
    files = {"pack/__init__.py": "", "pack/models.py": MODELS, "pack/reg.py": HEAD + text}
    tree = TextTree({name: body.encode() for name, body in files.items()}, Origin(version="", source=""), "pack")
    return Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")


def read(text: str, name: str = "answer") -> list[Any]:
    """Everything that a name of the module can be."""
    project = written_as(text)
    module = project.module("pack.reg")
    assert module is not None
    place = next(places(project, module))
    return [plain(value) for value in Reader(project).values(facts.Name(name), place, {})]


def plain(value: Written) -> Any:
    match value:
        case ClassNode() | FunctionNode() | ModuleRef():
            return value.name.rpartition(".")[2]
        case Several(items=items):
            return [plain(one) for one in items]
        case Table(pairs=pairs):
            return {"table": [(plain(key), plain(one)) for key, one in pairs]}
        case _:
            return value


def run(text: str) -> Any:
    """What Python makes of it, told in the same words."""
    package, models, reg = ModuleType("pack"), ModuleType("pack.models"), ModuleType("pack.reg")
    package.models, package.__path__, reg.__package__ = models, [], "pack"
    known = dict(sys.modules)
    sys.modules.update({"pack": package, "pack.models": models, "pack.reg": reg})
    try:
        exec(MODELS, vars(models))
        exec(HEAD + text, vars(reg))
    finally:
        for name in ("pack", "pack.models", "pack.reg"):
            del sys.modules[name]
        sys.modules.update(known)
    return told(reg.answer)


def told(value: Any) -> Any:
    match value:
        case type() | ModuleType():
            return value.__name__.rpartition(".")[2]
        case dict():
            return {"table": [(key, told(one)) for key, one in value.items()]}
        case list() | tuple() | set() | frozenset():
            return [told(one) for one in value]
        case _:
            return value


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_written_is_what_python_makes_of_it(name: str) -> None:
    assert read(TEXTS[name]) == [run(TEXTS[name])]


SEVERAL = {
    "the branches of an expression": ("answer = A if __debug__ else B", ["A", "B"]),
    "one or the other": ("x = None\nanswer = x or A", [None, "A"]),
    "an assignment that may run": ("x = A\nif __debug__:\n    x = B\nanswer = x", ["B", "A"]),
    "two branches": ("if __debug__:\n    x = A\nelse:\n    x = B\nanswer = x", ["B", "A"]),
    "an assignment under the same condition": ("x = A\nif __debug__:\n    x = B\n    answer = x", ["B"]),
    "an import that may fail": ("x = A\ntry:\n    from pack.models import B as x\nexcept ImportError:\n    pass\n"
                                "answer = x", ["B", "A"]),
    "texts of several parts": ("n = 'a' if __debug__ else 'b'\nanswer = f'{n}-{n}'", ["a-a", "a-b", "b-a", "b-b"]),
    "an item of either table": ("x = {'a': A} if __debug__ else {'a': B}\nanswer = x['a']", ["A", "B"]),
    "the same twice": ("answer = A if __debug__ else A", ["A"]),
    "two ways out of a function": (
        "def f():\n    if __debug__:\n        return A\n    return B\n\nanswer = f()",
        ["A", "B"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_where_branches_differ_all_count(name: str) -> None:
    text, expected = SEVERAL[name]
    assert read(text) == expected


UNREAD = {
    "a name that nobody knows": ("answer = unknown", "`unknown` isn't known"),
    "something from outside": ("import os\nanswer = os.environ", "outside of what is read"),
    "a call of something outside": ("from os import listdir\nanswer = listdir('.')", "`listdir('.')` gives"),
    "an index that isn't there": ("answer = [A][1]", "entry 1"),
    "an index before the first": ("answer = [A][-2]", "entry -2"),
    "a key that isn't there": ("answer = {'a': A}['b']", "entry 'b'"),
    "a key of a list": ("answer = [A]['a']", "entry 'a'"),
    "a loop over a text": ("answer = [c for c in 'ab']", "looped over"),
    "three names for two": ("a, b, c = A, B\nanswer = a", "gets can't be read"),
    "a name of one that is no list": ("a, b = A\nanswer = a", "gets can't be read"),
    "behind its loop": ("for x in (A, B):\n    pass\nanswer = x", "behind its loop"),
    "an attribute that the module lacks": ("answer = getattr(models.A, 'none')", "has no `none`"),
    "an import of what isn't there": ("from pack.models import Nobody\nanswer = Nobody", ""),
    "a module that isn't there": ("import importlib\nanswer = importlib.import_module('elsewhere')", "'elsewhere'"),
    "a parameter that nobody fills": ("def f(x):\n    return x\n\nanswer = f()", "calls f with a value"),
    "a list that isn't of pairs": ("answer = dict([A])", "as one"),
    "a list of threes": ("answer = dict([(A, B, A)])", "as one"),
    "texts and lists that are added": ("answer = 'a' + [A]", "put together"),
    "a text and a class that are added": ("answer = 'a' + A", "put together"),
    "a class and a text that are added": ("answer = A + 'a'", "put together"),
    "a name in its own line": ("answer = answer", "no value that is written down"),
    "a class in a text": ("answer = f'{A}'", "a text is put together"),
    "split at nothing": ("answer = 'a'.split('')", ".split"),
    "partition at nothing": ("answer = 'a'.partition('')", ".partition"),
    "replace by a number": ("answer = 'a'.replace('a', 1)", ".replace"),
    "split by a text": ("answer = 'a b'.split(' ', 'x')", ".split"),
    "an attribute of a text": ("answer = 'a'.name", ".name"),
    "a comparison": ("answer = A == B", "can't be read"),
    "a name through a dozen and more": ("x0 = A\n" + "".join(f"x{n + 1} = x{n}\n" for n in range(20)) + "answer = x20",
                                       "more names than"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_written_down_is_said(name: str) -> None:
    text, why = UNREAD[name]
    with pytest.raises(Unread) as error:
        read(text)
    assert why in str(error.value)


def test_class_made_by_type_is_judged_as_its_base() -> None:
    assert read("answer = type('Own', (A,), {})") == ["A"]
    for text in ("type('Own', (A, B), {})", "type('Own', (A,), {'x': 1})", "type(A)"):
        with pytest.raises(Unread):
            read(f"answer = {text}")


# Where a function is handed what it registers: the text, and what `one` is in the function `put`.
HANDED = {
    "by position": ("def put(name, one):\n    pass\n\nput('a', A)\nput('b', B)", ["A", "B"]),
    "by keyword": ("def put(name, one):\n    pass\n\nput(one=A, name='a')", ["A"]),
    "in a loop": ("def put(one):\n    pass\n\nfor x in (A, B):\n    put(x)", ["A", "B"]),
    "inside another function": ("def put(one):\n    pass\n\ndef all_of_them():\n    put(B)", ["B"]),
    "through another function": (
        "def put(one):\n    pass\n\ndef hand_on(x):\n    put(x)\n\nhand_on(A)",
        ["A"],
    ),
    "as a decorator": ("def put(one):\n    return one\n\n@put\nclass Own(A):\n    pass", ["Own"]),
    "as a decorator with arguments": (
        "def named(n):\n    def put(one):\n        return one\n    return put\n\n@named('a')\nclass Own(A):\n    pass",
        ["Own"],
    ),
    "a call of another function": ("def put(one):\n    pass\n\ndef get(one):\n    pass\n\nget(A)\nput(B)", ["B"]),
}


@pytest.mark.parametrize("name", HANDED)
def test_what_a_parameter_is_handed(name: str) -> None:
    text, expected = HANDED[name]
    project = written_as(text)
    module = project.module("pack.reg")
    assert module is not None
    (place,) = [one for one in places(project, module) if one.function is not None and one.function.name == "put"]
    assert [plain(value) for value in Reader(project).values(facts.Name("one"), place, {})] == expected


@pytest.mark.parametrize(
    "text",
    [
        "def put(one):\n    pass",
        "def put(one):\n    pass\n\nput()",
        "def put(other, one):\n    return other\n\n@put\nclass Own(A):\n    pass",
        "def put(one):\n    return one\n\n@put()\nclass Own(A):\n    pass",
        "def named(x):\n    def put(one):\n        return one\n    return put\n\n@named\nclass Own(A):\n    pass",
    ],
)
def test_parameter_that_nothing_fills(text: str) -> None:
    project = written_as(text)
    module = project.module("pack.reg")
    assert module is not None
    (place,) = [one for one in places(project, module) if one.function is not None and one.function.name == "put"]
    with pytest.raises(Unread):
        Reader(project).values(facts.Name("one"), place, {})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pack.models:A", "pack.models.A"),
        ("pack.models.A", "pack.models.A"),
        ("models:B", "pack.models.B"),
        ("models.B", "pack.models.B"),
        ("pack.models:ALIAS", None),
        ("pack.models:make", None),
        ("pack.nowhere:A", None),
        ("A", None),
        ("pack.models:", None),
    ],
)
def test_class_by_its_text(text: str, found: str | None) -> None:
    project = written_as("pass")
    module = project.module("pack.reg")
    assert module is not None
    if found is not None:
        assert Reader(project).class_named(text, module).key == found
        return
    with pytest.raises(Unread, match="names no class"):
        Reader(project).class_named(text, module)


# Statement -> (the value, whether it is spread, whether it replaces what was there).
ADDITIONS = {
    "x = [A]": [("(A)", True, True)],
    "x += [A]": [("(A)", True, False)],
    "x = x2 = [A]": [("(A)", True, True)],
    "x['a'] = A": [("A", False, False)],
    "x.append(A)": [("A", False, False)],
    "x.add(A)": [("A", False, False)],
    "x.insert(0, A)": [("A", False, False)],
    "x.setdefault('a', A)": [("A", False, False)],
    "x.__setitem__('a', A)": [("A", False, False)],
    "x.extend(A)": [("A", True, False)],
    "x.update(A, a=B, **C)": [("A", True, False), ("B", False, False), ("C", True, False)],
    "x.__ior__(A)": [("A", True, False)],
    "x.__iadd__(A)": [("A", True, False)],
    "y = x.append(A)": [("A", False, False)],
    "x.append()": [],
    "x.remove(A)": [],
    "x.clear()": [],
    "y.append(A)": [],
    "y['a'] = A": [],
    "x: list": [],
}


@pytest.mark.parametrize("text", ADDITIONS)
def test_what_a_statement_adds(text: str) -> None:
    module = written_as(text).module("pack.reg")
    assert module is not None
    found = additions(module.body, lambda one: one == facts.Name("x"))
    assert [(facts.spell(one.value), one.spread, one.whole) for one in found] == ADDITIONS[text]


# What `x` is in each round of the loops around the last statement.
ROUNDS = {
    "no loop": ("pass", [None]),
    "one loop": ("for x in (1, 2):\n    x", [1, 2]),
    "a loop in a loop": ("for y in ([1], [2, 3]):\n    for x in y:\n        x", [1, 2, 3]),
    "two loops one after the other": ("for x in (1, 2):\n    pass\nfor x in (3, 4):\n    x", [3, 4]),
    "a condition in a loop": ("for x in (1, 2):\n    if x:\n        x", [1, 2]),
    "pairs": ("for n, x in {'a': 1, 'b': 2}.items():\n    x", [1, 2]),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_rounds_of_loops(name: str) -> None:
    text, expected = ROUNDS[name]
    project = written_as(text)
    module = project.module("pack.reg")
    assert module is not None
    last = module.body.steps[-1]
    rounds = list(Reader(project).rounds(Place(module, module.body), last.guard))
    assert [one.get("x") for one in rounds] == expected


def test_loop_that_goes_on_for_long_is_cut_off() -> None:
    project = written_as("for x in [" + "1, " * 500 + "]:\n    x")
    module = project.module("pack.reg")
    assert module is not None
    rounds = Reader(project).rounds(Place(module, module.body), module.body.steps[-1].guard)
    assert len(list(rounds)) == 400


def test_number_of_rounds_that_nobody_knows() -> None:
    project = written_as("while A:\n    B")
    module = project.module("pack.reg")
    assert module is not None
    with pytest.raises(Unread, match="number of rounds"):
        list(Reader(project).rounds(Place(module, module.body), module.body.steps[-1].guard))
