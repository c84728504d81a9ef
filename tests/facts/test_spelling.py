"""An attribute that is set, read or deleted by a call is the same fact as one that is written with a dot."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract


def steps(text: str) -> list[facts.Step]:
    lines = "\n".join(f"        {line}" for line in text.splitlines())
    module = extract(f"class A:\n    def f(self, a, c, name):\n{lines}\n", name="m", path="m.py")
    return list(module.body.classes[0].body.functions[0].body.steps)


def told(text: str) -> list[str]:
    """Each step as `target = value`, `del target` or the expression."""
    found = []
    for step in steps(text):
        match step:
            case facts.Bind(target=target, value=value):
                found.append(f"{facts.spell(target)} = {facts.spell(value)}")
            case facts.Delete(target=target):
                found.append(f"del {facts.spell(target)}")
            case facts.Evaluate(value=value) | facts.Return(value=value):
                found.append(facts.spell(value))
            case _:
                found.append("?")
    return found


@pytest.mark.parametrize(
    "text",
    [
        "a.b = c",
        "setattr(a, 'b', c)",
        "object.__setattr__(a, 'b', c)",
        "a.__setattr__('b', c)",
        "a.__dict__['b'] = c",
        "vars(a)['b'] = c",
        "a.__dict__.update(b=c)",
        "vars(a).update({'b': c})",
    ],
)
def test_attribute_is_set(text: str) -> None:
    assert told(text) == ["a.b = c"]
    assert steps(text) == steps("a.b = c")


def test_super_sets_an_attribute_of_the_object() -> None:
    assert told("super().__setattr__('b', c)") == ["self.b = c"]
    assert told("def inner(x):\n    super().__delattr__('b')\n") == ["?"]


def test_several_are_set_at_once() -> None:
    assert told("self.__dict__.update({'x': a}, y=c)") == ["self.x = a", "self.y = c"]


def test_pair_is_taken_apart_in_any_spelling() -> None:
    assert told("a.__dict__['x'], vars(a)['y'] = c, None") == ["a.x = c", "a.y = None"]


@pytest.mark.parametrize("text", ["del a.b", "delattr(a, 'b')", "del a.__dict__['b']", "object.__delattr__(a, 'b')"])
def test_attribute_is_deleted(text: str) -> None:
    assert told(text) == ["del a.b"]


@pytest.mark.parametrize("text", ["a.b", "getattr(a, 'b')", "a.__dict__['b']", "vars(a)['b']"])
def test_attribute_is_read(text: str) -> None:
    assert told(f"return {text}") == ["a.b"]


@pytest.mark.parametrize(
    "text",
    [
        "setattr(a, name, c)",
        "getattr(a, name)",
        "getattr(a, 'b', None)",
        "a.__dict__.update(c)",
        "a.__dict__.update(**c)",
        "a.__dict__.update({name: c})",
        "a.update(b=c)",
        "object.__setattr__(a, name, c)",
        "hasattr(a, 'b')",
    ],
)
def test_what_is_computed_or_asks_something_else_stays_a_call(text: str) -> None:
    (step,) = steps(text)
    assert isinstance(step, facts.Evaluate)
    assert isinstance(step.value, facts.Call)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("f(*(a, c))", "f(a, c)"),
        ("f(a, *[c, name])", "f(a, c, name)"),
        ("f(*(a, *[c]))", "f(a, c)"),
        ("f(**{'x': a})", "f(x=a)"),
        ("f(a, **{'x': c}, y=name)", "f(a, x=c, y=name)"),
        ("f(**dict(x=a, y=c))", "f(x=a, y=c)"),
        ("f(**{**{'x': a}, 'y': c})", "f(x=a, y=c)"),
        ("f(**{**c, 'y': a})", "f(**c, y=a)"),
        ("f(*c, **name)", "f(*c, **name)"),
        ("f(**{name: a})", "f(**{…})"),
    ],
)
def test_what_is_spread_stands_where_it_goes(text: str, plain: str) -> None:
    assert told(text) == [plain]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("self.__x = c", "self._A__x = c"),
        ("__y = self.__x", "_A__y = self._A__x"),
        ("self.__x__ = c.__dunder__", "self.__x__ = c.__dunder__"),
        ("f(__k=a)", "f(_A__k=a)"),
        ("setattr(self, '__x', c)", "self.__x = c"),  # a text stays as it is, as in Python
    ],
)
def test_private_names_are_spelled_as_python_does(text: str, spelled: str) -> None:
    assert told(text) == [spelled]


def test_private_names_belong_to_the_class_around_them() -> None:
    text = """
def __free(): pass
class __Model:
    def __hook(self, __given):
        def within(): return self.__x
        class Inner:
            def f(self): return self.__x
class ___:
    def f(self): return self.__x
"""
    module = extract(text, name="m", path="m.py")
    outer, blank = module.body.classes
    assert module.body.functions[0].name == "__free"
    assert outer.name == "__Model"
    hook = outer.body.functions[0]
    assert (hook.name, hook.qualname, hook.params[1].name) == ("_Model__hook", "__Model.__hook", "_Model__given")

    def returned(function: facts.Function) -> list[str]:
        return [facts.spell(step.value) for step in function.returned()]

    assert returned(hook.body.functions[0]) == ["self._Model__x"]
    assert returned(hook.body.classes[0].body.functions[0]) == ["self._Inner__x"]
    assert returned(blank.body.functions[0]) == ["self.__x"]


def test_names_of_other_scopes_are_told() -> None:
    text = "def f():\n    global a, b\n    def g():\n        nonlocal c\n    c = 1\n"
    text += "class K:\n    def m(self):\n        global __p\n"
    module = extract(text, name="m", path="m.py")
    function = module.body.functions[0]
    assert function.shared == ("a", "b")
    assert function.body.functions[0].shared == ("c",)
    assert module.globals == ("a", "b", "_K__p")


@pytest.mark.parametrize("written", ["cast('T', a)", "typing.cast('T', a)", "cast(T, a)"])
def test_type_of_a_cast_may_be_a_text(written: str) -> None:
    assert told(f"x = {written}")[0].endswith("cast(T, a)")
