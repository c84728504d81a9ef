"""Under which names things travel, who calls what, and what conditions stand within an expression."""

from __future__ import annotations

import textwrap

import pytest

from specint.contract.code import Code, tail, tails
from specint.contract.flags import decisive_names, is_given, mentioned
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.evaluator import Evaluator
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import FunctionNode, Project
from specint.source.tree import Origin, TextTree


def code_of(text: str) -> Code:
    tree = TextTree({"pack/m.py": textwrap.dedent(text).encode()}, Origin(version="", source=""), "pack")
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")
    module = project.module("pack.m")
    assert module is not None
    code = Code(project)
    code.add([module])
    return code


def function_of(code: Code, name: str) -> FunctionNode:
    return next(one for one in code.of_module("pack.m") if one.facts.qualname == name)


def expression(text: str) -> facts.Expr:
    step = extract(f"x = {text}\n", name="m", path="m.py").body.steps[0]
    assert isinstance(step, facts.Bind)
    assert step.value is not None
    return step.value


NAMES = {
    "a": ("a", ["a"]),
    "a.b": ("b", ["b"]),
    "a()": ("a()", ["a()"]),
    "a.b()": ("b()", ["b()"]),
    "a[0]": ("a", ["a"]),
    "a.b[0]": ("b", ["b"]),
    "(a := b)": ("b", ["b"]),
    "1": (None, []),
    "'a'": (None, []),
    "not a": (None, []),
    "a + b": (None, []),
    "a()()": ("a()()", ["a()()"]),
    "a or b": (None, ["a", "b"]),
    "[a, b]": (None, ["a", "b"]),
    "(a, *b)": (None, ["a", "b"]),
    "{'k': a}": (None, ["a"]),
    "a if b else c": (None, ["a", "c"]),
    "[a for b in c]": (None, ["a"]),
    "getattr(x, 'a')": ("a", ["a"]),
    "getattr(x, 'a', b)": ("getattr()", ["a", "b"]),
    "getattr(x, a)": ("getattr()", ["getattr()"]),
    "partial(a, b)": ("partial()", ["partial()", "a"]),
    "functools.partial(a)": ("partial()", ["partial()", "a"]),
    "a.values()": ("values()", ["values()", "a"]),
    "a.get(b)": ("get()", ["get()", "a"]),
    "a.pop()": ("pop()", ["pop()", "a"]),
    "a.index(b)": ("index()", ["index()"]),
    "list(a)": ("list()", ["list()", "a"]),
    "zip(a, b)": ("zip()", ["zip()", "a", "b"]),
    "enumerate(a)": ("enumerate()", ["enumerate()", "a"]),
    "cast(T, a)": ("cast()", ["cast()", "T", "a"]),
    "sorted(a)": ("sorted()", ["sorted()", "a"]),
    "unknown(a)": ("unknown()", ["unknown()"]),
}


@pytest.mark.parametrize("text", NAMES)
def test_names_of_an_expression(text: str) -> None:
    one = expression(text)
    assert (tail(one), list(tails(one))) == NAMES[text]


# Body of `f(self, seed, x)` -> the names, beyond it, under which what goes by `seed` is met.
FLOW = {
    "a = seed": {"a"},
    "a = seed\nb = a": {"a", "b"},
    "a = other": set(),
    "self.a = seed": {"a"},
    "x.a = seed": {"a"},
    "a, b = seed, x": {"a"},
    "a, b = seed": {"a", "b"},
    "a = [seed]": {"a"},
    "a = x or seed": {"a"},
    "a = seed if x else None": {"a"},
    "a = x if seed else None": set(),
    "for a in seed: pass": {"a"},
    "with seed as a: pass": {"a"},
    "a = [b for b in seed]": {"a", "b"},
    "x((a := seed))": {"a", "x(0)"},
    "a = seed.values()": {"a"},
    "a = partial(seed, 1)": {"a", "partial(0)"},
    "helper(seed)": {"helper(0)", "one"},
    "helper(1, seed)": {"helper(1)", "two"},
    "helper(two=seed)": {"two", "helper(**)"},
    "helper(three=seed)": {"three", "helper(**)"},
    "helper(*seed)": {"helper(*)", "one", "two"},
    "helper(**seed)": {"helper(*)", "one", "two"},
    "gather(1, seed)": {"gather(1)", "rest", "given"},
    "gather(word=seed)": {"word", "gather(**)", "words", "raw"},
    "hand(seed)": {"hand(0)", "helper(*)", "one", "two"},
    "Heir(seed)": {"Heir(0)", "made"},
    "type(x)(1, seed)": {"type()(1)"},
    "x.method(seed)": {"method(0)", "given"},
    "x.plain(seed)": {"plain(0)", "raw"},
    "Made(seed)": {"Made(0)", "made"},
    "Made(1, seed)": {"Made(1)", "more"},
    "unknown(seed)": {"unknown(0)"},
    "return seed": {"f()", "f", "b"},
    "a = lambda p=seed: p": {"p", "a", "a()"},
    "a = {'k': seed}": {"a"},
    "del seed": set(),
    "partial(helper, seed)": {"partial(1)", "helper(0)", "one"},
    "partial(partial(helper, 1), seed)": {"partial(1)", "helper(1)", "two"},
}
OTHERS = """
def helper(one, two=1):
    pass

def calls(x):
    b = f()

def gather(first, *rest, **words):
    given = rest[0]
    raw = words["word"]

def hand(*rest):
    return helper(*rest)

class Made:
    def __init__(self, made, more=1):
        pass

    def method(self, given):
        pass

    @staticmethod
    def plain(raw):
        pass

class Heir(Made):
    pass

def f(self, seed, x):
"""


@pytest.mark.parametrize("text", FLOW)
def test_names_under_which_a_thing_travels(text: str) -> None:
    code = code_of(OTHERS + textwrap.indent(text, "    ") + "\n")
    found = {name for name in code.flow_names(["seed"]) if not name.startswith(("lambda", "*"))}
    assert found == {"seed", *FLOW[text]}


def test_what_a_kept_callable_gives_is_met_where_it_is_called() -> None:
    code = code_of(
        "def seed(x):\n    pass\n\ndef f(self):\n    self.kept = seed\n\ndef g(self, y):\n    out = self.kept(y)\n"
    )
    assert code.kept_as("seed") == ("kept",)
    assert code.kept_in("kept") == ("seed",)
    assert {"kept()", "out"} <= code.flow_names(["seed()"])
    assert "x" in code.flow_names(["y"])
    assert code.kept_as("nobody") == code.kept_in("nobody") == ()


@pytest.mark.parametrize(("hops", "names"), [(0, set()), (1, {"a"}), (2, {"a", "b"}), (3, {"a", "b", "c"})])
def test_names_that_a_thing_is_given_next(hops: int, names: set[str]) -> None:
    code = code_of("def f(seed):\n    a = seed\n    b = a\n    c = b\n    g(seed)\n")
    assert code.names_after(["seed"], hops) == names


# Expression -> the conditions within it under which `m.hook` is reached.
LOCAL = {
    "m.hook": [],
    "a and m.hook": [("a", True)],
    "a or m.hook": [("a", False)],
    "a and b and m.hook": [("a", True), ("b", True)],
    "m.hook and a": [],
    "m.hook if a else b": [("a", True)],
    "b if a else m.hook": [("a", False)],
    "b if m.hook else a": [],
    "[m.hook for x in y if a]": [("a", True)],
    "[x for x in m.hook if a]": [],
    "[x for x in y if m.hook if a]": [],
    "f(a and m.hook)": [("a", True)],
    "f(k=a or m.hook)": [("a", False)],
    "not (a and m.hook)": [("a", True)],
    "{'k': m.hook}": [],
}


@pytest.mark.parametrize("text", LOCAL)
def test_conditions_within_an_expression(text: str) -> None:
    code = code_of(f"def f(m, a, b, y):\n    return {text}\n")
    (one,) = [access for access in code.accesses["m"] if access.expr.name == "hook"]
    assert [(facts.spell(test), holds) for test, holds in one.local] == LOCAL[text]


INDEX = """
class C:
    def f(self, m):
        self.own = m.read
        m.written = 1
        (m.first, [m.second]) = 1, [2]
        m.called(1)
        hasattr(m, "x")
        super().f(m)
        handed(self.f)
        del m.gone
        raise m.error

        def inner(p=m.default):
            return m.within

    kept = lambda q: q.of_class

lam = lambda r: r.of_module
"""


def test_indexes_of_one_module() -> None:
    code = code_of(INDEX)
    function = function_of(code, "C.f")
    names = sorted(one.expr.name for one in code.accesses["m"])
    assert names == sorted(["read", "called", "default", "error", "gone", "within"])
    assert set(code.writes) == {"written", "first", "second"}, "of anything but self"
    assert [facts.spell(one.expr) for one in code.calls["called"]] == ["m.called(1)"]
    assert [facts.spell(one.expr) for one in code.probes["m"]] == ["hasattr(m, 'x')"]
    assert code.super_calls[id(function)] == ["f"]
    assert "f" in code.handed_on
    assert "called" not in code.handed_on
    assert {name for name, _ in code.mentions[id(function)]} >= {"m", "hasattr", "handed"}
    assert {"read", "called", "f"} <= set(code.attributes[id(function)])
    assert sorted(how for how, _ in code.inside[id(function)]).count("write") == 3
    assert "pack.m" in code
    assert "pack.other" not in code
    assert len(code.lambdas) == 2
    assert [one.expr.name for one in (*code.accesses["q"], *code.accesses["r"])] == ["of_class", "of_module"]
    assert list(code.of_module("pack.other")) == []
    before = len(code.accesses["m"])
    code.add([code.project.module("pack.m")])
    assert len(code.accesses["m"]) == before, "a module is read once"


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("return inspect.signature(x)", True),
        ("return signature(x)", True),
        ("return inspect.getfullargspec(x)", True),
        ("return x.parameters", False),
    ],
)
def test_function_that_looks_at_a_signature(text: str, looks: bool) -> None:
    code = code_of(f"def f(x):\n    {text}\n")
    assert code.looks_at_signature(function_of(code, "f")) is looks


# -- what a decision hangs on ------------------------------------------------------------------------------------------

MENTIONED = {
    "a": ["a"],
    "a.b": ["b"],
    "a.b.c": ["c"],
    "a().b": ["b", "a"],
    "a(b)": ["a"],
    "a.b(c)": ["b"],
    "bool(a)": ["bool", "a"],
    "not a": ["a"],
    "a and b.c": ["a", "c"],
    "a == b": ["a", "b"],
    "a if b else c": ["b", "a", "c"],
    "getattr(a, 'b')": ["b"],
    "getattr(a, 'b', c)": ["b", "c"],
    "a[0]": ["a"],
    "[a]": [],
    "{'k': a}": [],
    "a + b": [],
    "[a for a in b]": [],
    "lambda: a": [],
    "1": [],
}


@pytest.mark.parametrize("text", MENTIONED)
def test_names_that_a_condition_hangs_on(text: str) -> None:
    assert list(mentioned(expression(text))) == MENTIONED[text]


# Body of a function -> the further names that `seed` decides.
DECISIVE = {
    "a = seed": {"a"},
    "a = not seed": {"a"},
    "a = seed == 1": {"a"},
    "a = seed and b": {"a"},
    "a = seed()": {"a"},
    "a = x.seed": {"a"},
    "self.a = seed": {"a"},
    "a = 1 if seed else 2": {"a"},
    "a = True if seed else x": set(),
    "a = seed + 1": set(),
    "a = [seed]": set(),
    "if seed:\n    a = True": {"a"},
    "if seed:\n    a = 1": set(),
    "if seed:\n    if b:\n        a = False": {"a"},
    "for i in seed:\n    a = True": set(),
    "return seed": {"f"},
    "if seed:\n    return True": {"f"},
    "a = seed\nb = a\nc = b\nd = c\ne = d\nlast = e": {"a", "b", "c", "d", "e"},
    "helper(seed)": {"helper(0)", "one"},
    "helper(k=seed)": {"k"},
    "helper(1, not seed)": {"helper(1)", "two"},
    "many(seed)": {"many(0)"},
}
HELPERS = "def helper(one, two=1): pass\n" + "".join(f"class C{n}:\n    def many(self, x): pass\n" for n in range(5))


@pytest.mark.parametrize("text", DECISIVE)
def test_names_that_carry_a_decision(text: str) -> None:
    code = code_of(HELPERS + "def f(self, seed, x, b):\n" + textwrap.indent(text, "    ") + "\n")
    assert decisive_names(code, ["seed"]) == {"seed", *DECISIVE[text]}


GIVEN = """
ON = True

def says_no():
    return False

def says_both(x):
    if x:
        return True
    return False

class Other:
    of_class = False

    def __init__(self):
        self.on = True

class C:
    switch = False

    def __init__(self, x):
        self.off = False
        self.either = False
        self.either = True
        self.made = x

    def no(self):
        return False

    def f(self, x, other: Other):
        local = False
        local = x
        for looped in (False,):
            pass
{lines}
"""
ANSWERS = {
    "self.off": "no",
    "self.either": "yes no",
    "self.made": "",
    "self.switch": "no",
    "self.nobody": "",
    "not self.off": "yes",
    "self.off or x": "no",
    "local": "no",
    "looped": "",
    "x": "",
    "says_no()": "no",
    "says_both(x)": "yes no",
    "self.no()": "no",
    "self.nobody()": "",
    "other.on": "yes",
    "other.of_class": "no",
    "x.on": "",
    "x == 1": "",
}


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_that_the_source_gives_a_flag(text: str) -> None:
    code = code_of(GIVEN.replace("{lines}", f"        x.out = {text}"))
    function = function_of(code, "C.f")
    step = function.facts.body.steps[-1]
    evaluator = Evaluator(code.project, Hierarchy(code.project))
    given = [is_given(answer, step.value, function, evaluator) for answer in (True, False)]
    words = [word for word, there in zip(("yes", "no"), given, strict=True) if there]
    assert " ".join(words) == ANSWERS[text]
