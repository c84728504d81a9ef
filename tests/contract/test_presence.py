"""What the conditions around a touch say of the model: how strictly it is meant, and on what it depends.

Each case is (snippet, member -> its strengths). `hook` is what the case is about.
"""

from __future__ import annotations

import pytest

OPTIONAL, REQUIRED, RAISES, CONDITIONAL = {"optional"}, {"required"}, {"raises"}, {"conditional"}

STRENGTHS = {
    "hasattr": ("if hasattr(model, 'hook'):\n    model.hook()", OPTIONAL),
    "not hasattr, the other branch": ("if not hasattr(model, 'hook'):\n    pass\nelse:\n    model.hook()", OPTIONAL),
    "hasattr of another object": ("if hasattr(server_args, 'hook'):\n    model.hook()", REQUIRED),
    "hasattr and a setting": ("if gpu_id and hasattr(model, 'hook'):\n    model.hook()", OPTIONAL),
    "hasattr or a setting": ("if gpu_id or hasattr(model, 'hook'):\n    model.hook()", {"required", "optional"}),
    "behind a return": ("if not hasattr(model, 'hook'):\n    return\nmodel.hook()", OPTIONAL),
    "behind a continue": (
        "for i in self.all:\n    if not hasattr(model, 'hook'):\n        continue\n    model.hook()",
        OPTIONAL,
    ),
    "a guard further out": ("if hasattr(model, 'hook'):\n    if gpu_id:\n        model.hook()", OPTIONAL),
    "a guard by an alias": ("has = hasattr(model, 'hook')\nif has:\n    model.hook()", OPTIONAL),
    "a guard by an alias, turned round": (
        "has = hasattr(model, 'hook')\nif not has:\n    return\nmodel.hook()",
        OPTIONAL,
    ),
    "an alias under a negated test that raises": (
        "has = hasattr(model, 'hook')\nif not has:\n    raise ValueError\nmodel.hook()",
        RAISES,
    ),
    "an alias of the negation": ("lacks = not hasattr(model, 'hook')\nif lacks:\n    raise ValueError", RAISES),
    "an alias that is set twice says nothing": (
        "has = hasattr(model, 'hook')\nif gpu_id:\n    has = True\nif has:\n    model.hook()",
        {"required", "optional"},
    ),
    "getattr is not None": ("hook = getattr(model, 'hook', None)\nif hook is not None:\n    hook()", OPTIONAL),
    "getattr is None, then a raise": (
        "hook = getattr(model, 'hook', None)\nif hook is None:\n    raise ValueError",
        RAISES,
    ),
    "getattr == None, then a raise": (
        "hook = getattr(model, 'hook', None)\nif hook == None:\n    raise ValueError",
        RAISES,
    ),
    "not getattr, then a raise": ("if not getattr(model, 'hook', None):\n    raise ValueError", RAISES),
    "not callable, then a raise": (
        "if not callable(getattr(model, 'hook', None)):\n    raise ValueError",
        RAISES,
    ),
    "a wrapper gives None for None": (
        "if unwrap_lora_layer(getattr(model, 'hook', None)) is None:\n    raise ValueError",
        RAISES,
    ),
    "a flag that is false raises nothing of its absence": (
        "if not getattr(model, 'hook', False):\n    raise ValueError",
        OPTIONAL,
    ),
    "raise where either is missing": (
        "if not hasattr(model, 'hook') or not hasattr(model, 'other'):\n    raise ValueError",
        RAISES,
    ),
    "raise where it is missing and a setting": (
        "if gpu_id and not hasattr(model, 'hook'):\n    raise ValueError",
        RAISES,
    ),
    "raise in the else": ("if hasattr(model, 'hook'):\n    model.hook()\nelse:\n    raise ValueError", RAISES),
    "warn in the else": ("if hasattr(model, 'hook'):\n    model.hook()\nelse:\n    print('no')", OPTIONAL),
    "assert": ("assert hasattr(model, 'hook'), 'no'", RAISES),
    "assert of two": ("assert hasattr(model, 'hook') and hasattr(model, 'other')", RAISES),
    "try AttributeError": ("try:\n    model.hook()\nexcept AttributeError:\n    pass", OPTIONAL),
    "try Exception": ("try:\n    model.hook()\nexcept Exception:\n    pass", OPTIONAL),
    "try BaseException": ("try:\n    model.hook()\nexcept BaseException:\n    pass", OPTIONAL),
    "try of two": ("try:\n    model.hook()\nexcept (KeyError, AttributeError):\n    pass", OPTIONAL),
    "try KeyError": ("try:\n    model.hook()\nexcept KeyError:\n    pass", REQUIRED),
    "try that raises again": ("try:\n    model.hook()\nexcept AttributeError:\n    raise ValueError", REQUIRED),
    "behind the try": ("try:\n    pass\nexcept AttributeError:\n    pass\nmodel.hook()", REQUIRED),
    "in the else of a try": ("try:\n    pass\nexcept AttributeError:\n    pass\nelse:\n    model.hook()", REQUIRED),
    "in a finally": ("try:\n    pass\nfinally:\n    model.hook()", REQUIRED),
    "in the handler of something else": ("try:\n    self.go()\nexcept KeyError:\n    model.hook()", REQUIRED),
    "isinstance of the model": ("if isinstance(model, Special):\n    model.hook()", OPTIONAL),
    "not isinstance of the model": ("if not isinstance(model, Special):\n    model.hook()", REQUIRED),
    "isinstance of something else": ("if isinstance(server_args, Special):\n    model.hook()", REQUIRED),
    "and, in an expression": ("x = hasattr(model, 'hook') and model.hook()", OPTIONAL),
    "or not, in an expression": ("x = not hasattr(model, 'hook') or model.hook()", OPTIONAL),
    "conditional expression": ("x = model.hook() if hasattr(model, 'hook') else None", OPTIONAL),
    "conditional expression, turned round": ("x = None if not hasattr(model, 'hook') else model.hook()", OPTIONAL),
    "in a comprehension": ("x = [model.hook(i) for i in self.all if hasattr(model, 'hook')]", OPTIONAL),
}


@pytest.mark.parametrize("name", STRENGTHS)
def test_strength_under_a_condition(asked, name: str) -> None:
    snippet, expected = STRENGTHS[name]
    by_use = {one.use: one.strength for one in asked(snippet) if one.member == "hook"}
    calls = {one.strength for one in asked(snippet) if one.member == "hook" and one.use == "call"}
    assert (calls or set(by_use.values())) <= expected, by_use
    assert calls != {"optional"} or "optional" in expected


# What a touch depends on: (member, whether it holds).
CONDITIONS = {
    "a flag of the model": ("if model.flag:\n    model.hook()", ("flag", True)),
    "a flag of the model, turned round": ("if not model.flag:\n    model.hook()", ("flag", False)),
    "the else of a flag": ("if model.flag:\n    pass\nelse:\n    model.hook()", ("flag", False)),
    "a flag that may be absent": ("if getattr(model, 'flag', False):\n    model.hook()", ("flag", True)),
    "a flag that may be absent, turned round": (
        "if not getattr(model, 'flag', False):\n    model.hook()",
        ("flag", False),
    ),
    "a flag behind a return": ("if not model.flag:\n    return\nmodel.hook()", ("flag", True)),
    "another member": ("if hasattr(model, 'flag'):\n    model.hook()", ("flag", True)),
    "a flag by an alias": ("flag = getattr(model, 'flag', False)\nif flag:\n    model.hook()", ("flag", True)),
    "bool of a flag": ("if bool(model.flag):\n    model.hook()", ("flag", True)),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_condition_on_the_model(asked, name: str) -> None:
    snippet, expected = CONDITIONS[name]
    (found,) = [one for one in asked(snippet) if one.member == "hook"]
    assert found.condition is not None, found
    assert (found.condition.member, found.condition.holds) == expected


GROUPS = {
    "if, else": ("if hasattr(model, 'a'):\n    model.a()\nelse:\n    model.b()", "a|b"),
    "not, else": ("if not hasattr(model, 'a'):\n    model.b()\nelse:\n    model.a()", "a|b"),
    "three": (
        "if hasattr(model, 'a'):\n    model.a()\nelif hasattr(model, 'b'):\n    model.b()\nelse:\n    model.c()",
        "a|b|c",
    ),
    "three and a raise": (
        "if hasattr(model, 'a'):\n    model.a()\nelif hasattr(model, 'b'):\n    model.b()\n"
        "elif hasattr(model, 'c'):\n    model.c()\nelse:\n    raise ValueError",
        "a|b|c",
    ),
    "return, then the other": ("if hasattr(model, 'a'):\n    return model.a()\nmodel.b()", "a|b"),
    "neither, then a raise": (
        "if not hasattr(model, 'a') and not hasattr(model, 'b'):\n    raise ValueError",
        "a|b",
    ),
    "not either, then a raise": (
        "if not (hasattr(model, 'a') or hasattr(model, 'b')):\n    raise ValueError",
        "a|b",
    ),
    "an assert of either": ("assert hasattr(model, 'a') or hasattr(model, 'b')", "a|b"),
}


@pytest.mark.parametrize("name", GROUPS)
def test_one_of_several(asked, name: str) -> None:
    snippet, group = GROUPS[name]
    found = {one.member: (one.strength, one.group) for one in asked(snippet) if one.group}
    assert found == dict.fromkeys(group.split("|"), ("any-of", group))


def test_line_of_the_decision_is_kept(asked) -> None:
    (found,) = [one for one in asked("if hasattr(model, 'hook'):\n\n    model.hook()") if one.use == "call"]
    assert found.decided_by.line == found.sites[0].line - 2


SETTINGS = {
    "never given": ("if server_args.fast:\n    model.hook()", ()),
    "off unless": ("self.on = False\nif gpu_id:\n    self.on = True\nif self.on:\n    model.hook()", ("self.on",)),
    "on unless, turned round": (
        "self.off = True\nif gpu_id:\n    self.off = False\nif not self.off:\n    model.hook()",
        ("not self.off",),
    ),
    "a local": ("on = False\nif gpu_id:\n    on = True\nif on:\n    model.hook()", ("on",)),
    "a local that is on": ("on = True\nif gpu_id:\n    on = gpu_id\nif on:\n    model.hook()", ()),
    "what a function of its own answers": ("if wanted(gpu_id):\n    model.hook()", ("wanted(gpu_id)",)),
    "what a method of its own answers": ("if self.wanted():\n    model.hook()", ("self.wanted()",)),
    "asked elsewhere without": (
        "self.on = False\nif gpu_id:\n    self.on = True\nif self.on:\n    model.hook()\nmodel.hook()",
        (),
    ),
}
METHOD = "    def wanted(self):\n        if self.kind:\n            return True\n        return False\n"
FUNCTION = "\n\ndef wanted(gpu_id):\n    if gpu_id == 3:\n        return False\n    return True\n"


@pytest.mark.parametrize("name", SETTINGS)
def test_setting_that_is_opted_in(asked, name: str) -> None:
    snippet, expected = SETTINGS[name]
    found = {one.settings for one in asked(snippet, METHOD + FUNCTION) if one.member == "hook"}
    assert found == {expected}
