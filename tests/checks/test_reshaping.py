from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from specint import checks
from specint.checks.context import Context
from specint.checks.reshaping import defaulted, moved_into
from specint.contract.model import CallShape
from specint.edits.model import Edit
from specint.edits.placing import source_lines, spliced
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

MODULE = "sglang.srt.models.zebra"
HEAD = """from torch import nn


class Zebra(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.head = None

    def forward(self, input_ids):
        return input_ids
"""
NOTHING = CallShape()
ONE = CallShape(positional=1, fewest=1)

ContextOf = Callable[[str], Context]


@pytest.fixture
def context_of(fixture_tree: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> ContextOf:
    """What the rules see, of the small SGLang with one more model."""

    def make(text: str) -> Context:
        seen: list[Context] = []
        with monkeypatch.context() as patched:
            patched.setattr(checks, "run", lambda context, **_: seen.append(context) or ((), ()))
            analyze(open_tree(str(fixture_tree("sglang_small") / "sglang")).overlay({MODULE: text}), store=Store(None))
        return seen[0]

    return make


def after(text: str, edit: Edit) -> str:
    made = "".join(spliced(source_lines(text.encode(), "zebra.py"), edit.splices))
    ast.parse(made)
    return made


def moved(context: Context, text: str) -> Edit:
    (model,) = (one for one in context.models if one.class_ == f"{MODULE}.Zebra")
    module = context.node(model).module
    (function,) = (one for one in module.body.functions if one.name == "get_embed_and_head")
    return moved_into(context, model, function)


STRAY = '''

# What the workers ask for.
@torch.no_grad()
def get_embed_and_head(self):
    """Both.

  Odd text.
    """
    a = f"""x
{self.head}
y"""

    return (
        self.head,  # one
        a,
    )
    # and no more
'''


def test_function_moves_with_its_remarks_and_its_strings_stay(context_of: ContextOf) -> None:
    text = f"{HEAD}{STRAY}\n\nEntryClass = Zebra\n"
    edit = moved(context_of(text), text)
    assert (edit.kind, edit.doubt) == ("move", "")
    assert after(text, edit) == (
        HEAD
        + '''
    # What the workers ask for.
    @torch.no_grad()
    def get_embed_and_head(self):
        """Both.

  Odd text.
    """
        a = f"""x
{self.head}
y"""

        return (
            self.head,  # one
            a,
        )
        # and no more


EntryClass = Zebra
'''
    )


def test_function_behind_the_registration_moves_up(context_of: ContextOf) -> None:
    text = f"{HEAD}\n\nEntryClass = Zebra\n\n\ndef get_embed_and_head(self):\n    return self.head, self.head\n"
    assert after(text, moved(context_of(text), text)) == (
        f"{HEAD}\n    def get_embed_and_head(self):\n        return self.head, self.head\n\n\nEntryClass = Zebra\n"
    )


def test_two_classes_that_lack_it_make_a_doubt(context_of: ContextOf) -> None:
    other = HEAD.partition("\n\n\n")[2].replace("Zebra", "Zorse")
    text = f"{HEAD}\n\n{other}{STRAY}\n\nEntryClass = [Zebra, Zorse]\n"
    assert moved(context_of(text), text).doubt == "it could be meant for Zorse as well"


def test_class_that_has_it_already_is_for_a_person(context_of: ContextOf) -> None:
    own = "\n    def get_embed_and_head(self):\n        return 1, 2\n"
    text = f"{HEAD}{own}{STRAY}\n\nEntryClass = Zebra\n"
    edit = moved(context_of(text), text)
    assert (edit.kind, edit.splices) == ("decide", ())
    assert "already" in edit.decide


@pytest.mark.parametrize(
    ("signature", "calls", "expected"),
    [
        ("self, ids", [NOTHING], "self, ids=None"),
        ("self, ids: list[int]", [NOTHING, ONE], "self, ids: list[int] = None"),
        ("self, one, two, three=3", [ONE], "self, one, two=None, three=3"),
        ("self, one, two", [NOTHING, CallShape(keywords=("two",))], "self, one=None, two=None"),
        ("self, *, flag", [NOTHING], "self, *, flag=None"),
        ("self, \u00e9: '\u00e9\u00e9', ids", [NOTHING], "self, \u00e9: '\u00e9\u00e9' = None, ids=None"),
        ("self, ids", [CallShape(positional=2)], None),
        ("self, ids", [CallShape(keywords=("other",))], None),
    ],
)
def test_parameters_get_defaults_where_that_is_all_it_takes(
    context_of: ContextOf, signature: str, calls: list[CallShape], expected: str | None
) -> None:
    text = f"{HEAD}\n    def hook({signature}):\n        return self.head\n\n\nEntryClass = Zebra\n"
    context = context_of(text)
    (model,) = (one for one in context.models if one.class_ == f"{MODULE}.Zebra")
    definition = context.judge.hierarchy.lookup(context.node(model), "hook")
    assert definition is not None
    edit = defaulted(context, definition, calls)
    if expected is None:
        assert (edit.kind, edit.splices) == ("decide", ())
    else:
        assert after(text, edit) == text.replace(signature, expected)


@pytest.mark.parametrize(
    ("body", "doubt"),
    [
        ("return self.head", False),
        ("return self.head if ids is None else ids", False),
        ("return self.head(ids)", True),
    ],
)
def test_default_is_safe_where_the_body_gets_along_with_none(context_of: ContextOf, body: str, doubt: bool) -> None:
    text = f"{HEAD}\n    def hook(self, ids):\n        {body}\n\n\nEntryClass = Zebra\n"
    context = context_of(text)
    (model,) = (one for one in context.models if one.class_ == f"{MODULE}.Zebra")
    definition = context.judge.hierarchy.lookup(context.node(model), "hook")
    assert definition is not None
    edit = defaulted(context, definition, [NOTHING])
    assert bool(edit.doubt) == doubt
