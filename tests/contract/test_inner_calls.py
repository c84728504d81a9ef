"""A call on an inner object is the inner's business, and a look at a signature before it is honoured."""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
import inspect

from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.model = target_worker.model_runner.model
        self.start()
"""


@pytest.fixture
def asked_for(read, small_tree):
    """`asked_for(methods, more="")`: what the worker with these methods asks of the target."""

    def ask(methods: str, more: str = ""):
        text = WORKER + textwrap.indent(textwrap.dedent(methods), "    ") + "\n\n" + textwrap.dedent(more)
        found = read(small_tree, {MODULE: text}).contract.requirements
        return [one for one in found if "NGRAM" in one.algorithms]

    return ask


@pytest.fixture
def hook(asked_for):
    """`hook(methods, more="")`: what they ask of its `hook`, when they call it."""
    return lambda methods, more="": next(
        one for one in asked_for(methods, more) if (one.member, one.use) == ("hook", "call")
    )


INNER = {
    "by a default": """
        def start(self):
            inner = getattr(self.model, "language_model", self.model)
            inner.hook(1)
        """,
    "by a choice": """
        def start(self):
            inner = self.model.language_model if hasattr(self.model, "language_model") else self.model
            inner.hook(1)
        """,
    "by two branches": """
        def start(self):
            if hasattr(self.model, "language_model"):
                inner = self.model.language_model
            else:
                inner = self.model
            inner.hook(1)
        """,
    "by or": """
        def start(self):
            inner = getattr(self.model, "language_model", None) or self.model
            inner.hook(1)
        """,
    "kept on the worker": """
        def start(self):
            self.inner = getattr(self.model, "language_model", self.model)
            self.inner.hook(1)
        """,
}


@pytest.mark.parametrize("name", INNER)
def test_call_on_the_inner_is_asked_of_whichever_is_there(asked_for, name: str) -> None:
    found = asked_for(INNER[name])
    assert {one.group for one in found if one.member == "hook"} == {"language_model.hook|hook"}
    assert {one.strength for one in found if one.member == "hook"} == {"any-of"}


def test_inner_that_is_handed_to_a_method_is_not_the_model(asked_for) -> None:
    found = asked_for(
        """
        def start(self):
            self.warm(getattr(self.model, "language_model", self.model))

        def warm(self, inner):
            inner.hook(1)
        """
    )
    assert {one.strength for one in found if one.member == "hook"} <= {"any-of", "conditional", "optional"}


def test_call_on_the_model_itself_stays_required(hook) -> None:
    found = hook(
        "def start(self):\n    inner = getattr(self.model, 'language_model', self.model)\n    self.model.hook(1)\n"
    )
    assert found.strength == "required"


LOOKED_UP = {
    "an early return": """
        def start(self):
            if "extra" not in inspect.signature(self.model.hook).parameters:
                return
            self.model.hook(1, extra=2)
        """,
    "a kept answer": """
        def start(self):
            self.takes = "extra" in inspect.signature(self.model.hook).parameters
            if self.takes:
                self.model.hook(1, extra=2)
        """,
    "kept parameters": """
        def start(self):
            taken = inspect.signature(self.model.hook).parameters
            if "extra" in taken:
                self.model.hook(1, extra=2)
            else:
                self.model.hook(1)
        """,
    "in the caller": """
        def start(self):
            if "extra" in inspect.getfullargspec(self.model.hook).args:
                self.use()

        def use(self):
            self.model.hook(1, extra=2)
        """,
    "a helper that looks": """
        def start(self):
            if accepts(self.model.hook, "extra"):
                self.model.hook(1, extra=2)
        """,
}
HELPER = """
def accepts(function, name):
    return name in inspect.signature(function).parameters
"""


@pytest.mark.parametrize("name", LOOKED_UP)
def test_keyword_that_was_looked_up_needs_not_be_taken(hook, name: str) -> None:
    assert hook(LOOKED_UP[name], HELPER).call.keywords == ()


@pytest.mark.parametrize(
    "start",
    [
        "if 'other' in inspect.signature(self.model.hook).parameters:\n    self.model.hook(1, extra=2)",
        "if 'extra' in inspect.signature(self.model.other).parameters:\n    self.model.hook(1, extra=2)",
        "if 'extra' not in inspect.signature(self.model.hook).parameters:\n    raise ValueError\n"
        "self.model.hook(1, extra=2)",
        "print(inspect.signature(self.model.hook))\nself.model.hook(1, extra=2)",
    ],
    ids=["another parameter", "another member", "a raise", "only shown"],
)
def test_keyword_that_nobody_looked_up_must_be(hook, start: str) -> None:
    assert hook("def start(self):\n" + textwrap.indent(start, "    ") + "\n").call.keywords == ("extra",)
