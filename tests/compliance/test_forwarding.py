"""A class that answers for names it does not know has what the objects have that it asks, and lacks what they lack."""

from __future__ import annotations

import textwrap

import pytest

HEAD = """
from torch import nn

from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.models.registry import ModelRegistry

FORWARDED = ("get_embed_and_head", "set_embed")


class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.llm = OakForCausalLM(config)


class Above:
    def __getattr__(self, name):
        raise AttributeError(name)


class Mine(Above):
    def __init__(self, config):
        self.bare = Body(config)
        self.full = OakForCausalLM(config)
        self.some = Body(config) if config.bare else OakForCausalLM(config)
        self.chosen = ModelRegistry.resolve_model_cls(config.architectures)[0](config)

"""
# To which object what is not known is handed on; `None`: to nobody who could have it
PLAIN = {
    "getattr": "def __getattr__(self, name):\n    return getattr({inner}, name)",
    "its own name looked up above": (
        "def __getattr__(self, name):\n    if name == 'full':\n        return super().__getattr__(name)\n"
        "    return getattr({inner}, name)"
    ),
    "other names left out": (
        "def __getattr__(self, name):\n    if name in ('full', 'bare') or name.startswith('__'):\n"
        "        raise AttributeError(name)\n    else:\n        return getattr({inner}, name)"
    ),
    "a name of its own answered": (
        "def __getattr__(self, name):\n    if name == 'a':\n        return None\n    return getattr({inner}, name)"
    ),
    "first above": (
        "def __getattr__(self, name):\n    try:\n        return super().__getattr__(name)\n"
        "    except AttributeError:\n        return getattr({inner}, name)"
    ),
    "getattribute": (
        "def __getattribute__(self, name):\n    try:\n        return object.__getattribute__(self, name)\n"
        "    except AttributeError:\n        return getattr({inner}, name)"
    ),
    "getattribute above": (
        "def __getattribute__(self, name):\n    try:\n        return super().__getattribute__(name)\n"
        "    except AttributeError:\n        pass\n    return getattr({inner}, name)"
    ),
    "an alias": "def __getattr__(self, key):\n    inner = {inner}\n    return getattr(inner, key)",
    "a table of names": (
        "def __getattr__(self, name):\n    if name in FORWARDED:\n        return getattr({inner}, name)\n"
        "    raise AttributeError(name)"
    ),
    "only what it has": (
        "def __getattr__(self, name):\n    if hasattr({inner}, name):\n        return getattr({inner}, name)\n"
        "    raise AttributeError(name)"
    ),
}
SPELLINGS = ["self.{}", "self.__dict__['{}']", "object.__getattribute__(self, '{}')", "self._modules['{}']"]
SPELLINGS += ["self.__dict__['_modules']['{}']", "self.__dict__.get('{}')", "vars(self)['_modules'].get('{}')"]


@pytest.fixture
def status(judged):
    def of(body: str, member: str = "get_embed_and_head"):
        text = HEAD + textwrap.indent(textwrap.dedent(body), "    ") + "\n\nEntryClass = Mine\n"
        (model,) = [one for one in judged({"sglang.srt.models.mine": text}).models if one.name == "Mine"]
        return model.members[member]

    return of


@pytest.mark.parametrize("form", PLAIN)
@pytest.mark.parametrize(
    ("inner", "expected"), [("full", "present"), ("bare", "missing"), ("some", "unknown"), ("chosen", "unknown")]
)
def test_what_the_inner_object_has_and_lacks(status, form: str, inner: str, expected: str) -> None:
    found = status(PLAIN[form].format(inner=f"self.{inner}"))
    assert found.status == expected, found
    assert (found.way == "forwarded") is (expected == "present")
    assert found.reason


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("inner", "expected"), [("full", "present"), ("bare", "missing")])
def test_the_inner_object_in_any_spelling(status, spelling: str, inner: str, expected: str) -> None:
    assert status(PLAIN["getattr"].format(inner=spelling.format(inner))).status == expected


def test_provider_is_the_class_that_has_it(status) -> None:
    found = status(PLAIN["getattr"].format(inner="self.bare.llm"))
    assert (found.status, found.provider, found.way) == ("present", "sglang.srt.models.oak.OakForCausalLM", "forwarded")
    assert found.file == "sglang/srt/models/oak.py"


def test_two_objects_are_asked(status) -> None:
    body = (
        "def __getattr__(self, name):\n    try:\n        return getattr(self.bare, name)\n"
        "    except AttributeError:\n        return getattr(self.{}, name)"
    )
    assert status(body.format("full")).status == "present"
    assert status(body.format("bare")).status == "missing"


@pytest.mark.parametrize(
    "body",
    [
        "def __getattr__(self, name):\n    return getattr(self.bare, name, None)",
        "def __getattr__(self, name):\n    return getattr(self.bare, name.removeprefix('x_'))",
        "def __getattr__(self, name):\n    return self.find(name)",
        "def __getattr__(self, name):\n    if name in self.__dict__:\n        return getattr(self.bare, name)",
        "def __getattr__(self, name):\n    if name.startswith('get_'):\n        return lambda: None\n"
        "    return getattr(self.bare, name)",
        "def __getattr__(self, name):\n    return getattr(self.nobody, name)",
        "def __getattr__(self, name):\n    return getattr(self, 'a_' + name)",
        "__getattr__ = make()",
        "def __new__(cls, config):\n    return OakForCausalLM(config)",
        "def __new__(cls, config):\n    return super().__new__(cls.choose(config))(config)",
    ],
)
def test_what_can_not_be_followed_is_unknown(status, body: str) -> None:
    found = status(body)
    assert found.status == "unknown", found
    assert found.reason


@pytest.mark.parametrize(
    "body",
    [
        "def __getattr__(self, name):\n    raise AttributeError(name)",
        "def __getattr__(self, name):\n    return super().__getattr__(name)",
        "def __getattr__(self, name):\n    if name == 'other':\n        return 1\n    raise AttributeError(name)",
        "def __getattribute__(self, name):\n    return object.__getattribute__(self, name)",
        "def __new__(cls, config):\n    made = super().__new__(cls)\n    made.ready = True\n    return made",
        "def __setattr__(self, name, value):\n    super().__setattr__(name, value)",
    ],
)
def test_what_answers_for_no_such_name_opens_nothing(status, body: str) -> None:
    assert status(body).status == "missing"
