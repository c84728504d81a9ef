"""What a line does to a model object: which member, how it is used, and in which shape it is called."""

from __future__ import annotations

import pytest

# snippet -> the members touched, each with its use.
USES = {
    "a call": ("model.hook()", {("hook", "call")}),
    "a read": ("x = model.hook", {("hook", "read")}),
    "a write": ("model.hook = 1", {("hook", "write")}),
    "an annotated write": ("model.hook: int = 1", {("hook", "write")}),
    "two writes": ("model.hook = model.other = 1", {("hook", "write"), ("other", "write")}),
    "a write by setattr": ("setattr(model, 'hook', 1)", {("hook", "write")}),
    "a read by getattr": ("x = getattr(model, 'hook')", {("hook", "read")}),
    "a read with a default": ("x = getattr(model, 'hook', None)", {("hook", "read")}),
    "a call of what getattr gives": ("getattr(model, 'hook')()", {("hook", "call")}),
    "a probe": ("x = hasattr(model, 'hook')", {("hook", "read")}),
    "a name that is computed": ("x = getattr(model, gpu_id)", set()),
    "a name that every object has": ("x = model.__class__", set()),
    "in an argument": ("print(model.hook)", {("hook", "read")}),
    "in an index": ("x = self.table[model.hook]", {("hook", "read")}),
    "in a comprehension": ("x = [model.hook for i in self.all]", {("hook", "read")}),
    "in the condition of a comprehension": ("x = [i for i in self.all if model.hook(i)]", {("hook", "call")}),
    "in a lambda": ("x = lambda i: model.hook(i)", {("hook", "call")}),
    "in an f-string": ("x = f'{model.hook}'", {("hook", "read")}),
    "in a with": ("with model.hook():\n    pass", {("hook", "call")}),
    "in a loop's head": ("for i in model.hook():\n    pass", {("hook", "call")}),
    "in a while's head": ("while model.hook():\n    pass", {("hook", "call")}),
    "in an assert": ("assert model.hook()", {("hook", "call")}),
    "in a raise": ("raise ValueError(model.hook)", {("hook", "read")}),
    "in a return": ("return model.hook()", {("hook", "call")}),
    "in arithmetic": ("x = 1 + model.hook", {("hook", "read")}),
    "of what a member holds": ("x = model.hook.weight", {("hook", "read"), ("hook.weight", "read")}),
    "of what a call gives": ("x = model.hook().weight", {("hook", "call")}),
    "in a nested function": ("def later():\n    model.hook()\nlater()", {("hook", "call")}),
    "in a default": ("def later(x=model.hook):\n    pass", {("hook", "read")}),
    "walrus": ("if (x := model.hook()) is None:\n    pass", {("hook", "call")}),
    "in a starred argument": ("print(*model.hook())", {("hook", "call")}),
    "in a keyword argument": ("print(end=model.hook())", {("hook", "call")}),
    "two at once": ("a, b = model.hook(), model.other", {("hook", "call"), ("other", "read")}),
}


@pytest.mark.parametrize("name", USES)
def test_use(asked, name: str) -> None:
    snippet, expected = USES[name]
    assert {(one.member, one.use) for one in asked(snippet)} == expected


HELPERS = """

def handed_on(thing):
    return thing.hook()


def handed_on_twice(thing):
    return handed_over(thing)


def handed_over(thing):
    return thing.hook()


def named_first(thing):
    result = thing.hook()
    return result
"""

# snippet -> (positional, keywords, unpacks, starred) of the one call.
SHAPES = {
    "nothing": ("model.hook()", (0, (), None, False)),
    "one by position": ("model.hook(1)", (1, (), None, False)),
    "two and a name": ("model.hook(1, 2, key=3)", (2, ("key",), None, False)),
    "names in order": ("model.hook(b=1, a=2)", (0, ("a", "b"), None, False)),
    "a spread list": ("model.hook(*self.all)", (0, (), None, True)),
    "a spread list behind one": ("model.hook(1, *self.all)", (1, (), None, True)),
    "a spread dict": ("model.hook(1, **self.all)", (1, (), None, True)),
    "unpacked into two": ("a, b = model.hook()", (0, (), 2, False)),
    "unpacked into one": ("(a,) = model.hook()", (0, (), 1, False)),
    "unpacked into a list": ("[a, b, c] = model.hook()", (0, (), 3, False)),
    "unpacked into attributes": ("self.a, self.b = model.hook()", (0, (), 2, False)),
    "unpacked with a rest": ("a, *b = model.hook()", (0, (), None, False)),
    "kept whole": ("a = model.hook()", (0, (), None, False)),
    "unpacked later": ("pair = model.hook()\na, b = pair", (0, (), 2, False)),
    "another name unpacked later": ("pair = model.hook()\nc = (1, 2)\na, b = c", (0, (), None, False)),
    "part of what is unpacked": ("a, b = model.hook(), 1", (0, (), None, False)),
    "unpacked in a loop": ("for a, b in model.hook():\n    pass", (0, (), None, False)),
    "unpacked by the caller": ("a, b = handed_on(model)", (0, (), 2, False)),
    "unpacked by the caller's caller": ("a, b, c = handed_on_twice(model)", (0, (), 3, False)),
    "unpacked by the caller through a name": ("pair = handed_on(model)\na, b = pair", (0, (), 2, False)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape(asked, name: str) -> None:
    snippet, expected = SHAPES[name]
    (found,) = asked(snippet, HELPERS)
    assert (found.call.positional, found.call.keywords, found.call.unpacks, found.call.starred) == expected


def test_shapes_of_two_calls_are_one(asked) -> None:
    (found,) = asked("model.hook(1, a=1)\na, b = model.hook(1, 2, 3, *self.all)")
    shape = found.call
    assert (shape.fewest, shape.positional, shape.keywords, shape.unpacks, shape.starred) == (1, 3, ("a",), 2, True)


def test_a_read_before_the_call_is_no_requirement_of_its_own(asked) -> None:
    found = asked("assert hasattr(model, 'hook')\nmodel.hook()")
    assert [(one.use, len(one.sites)) for one in found] == [("call", 1)], "and no site of the call, either"
