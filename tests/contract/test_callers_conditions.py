"""A guard in the caller counts like one around the line, and what is kept counts like where it came from."""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        self.model = target_worker.model_runner.model
        self.pool = target_worker.model_runner.token_to_kv_pool
        self.setup()

    def setup(self):
        pass
"""


@pytest.fixture
def asked(read, small_tree):
    """`asked(methods, more="")`: what the worker asks of the target with these methods, by member."""

    def ask(methods: str, more: str = ""):
        text = WORKER + textwrap.indent(textwrap.dedent(methods), "    ") + "\n" + textwrap.dedent(more)
        found = read(small_tree, {MODULE: text})
        return {
            (one.member, one.use): one
            for one in found.contract.requirements
            if "NGRAM" in one.algorithms and one.member.endswith("hook")
        }

    return ask


OPTIONAL = {
    "the caller looks first": """
        def setup(self):
            if hasattr(self.model, "hook"):
                self.use()

        def use(self):
            self.model.hook()
        """,
    "the caller's caller looks first": """
        def setup(self):
            if not hasattr(self.model, "hook"):
                return
            self.between()

        def between(self):
            self.use()

        def use(self):
            self.model.hook()
        """,
    "each of two callers looks first": """
        def setup(self):
            if hasattr(self.model, "hook"):
                self.use()
            self.other()

        def other(self):
            hasattr(self.model, "hook") and self.use()

        def use(self):
            self.model.hook()
        """,
    "kept on the worker": """
        def setup(self):
            self.has = hasattr(self.model, "hook")
            self.step()

        def step(self):
            if self.has:
                self.model.hook()
        """,
    "kept on the worker, off before": """
        def setup(self):
            self.has = False
            if hasattr(self.model, "hook"):
                self.has = True
            self.step()

        def step(self):
            if not self.has:
                return
            self.model.hook()
        """,
    "kept with more": """
        def setup(self):
            self.has = hasattr(self.model, "hook") and self.pool is not None
            if self.has:
                self.model.hook()
        """,
    "kept in a local of another function": """
        def setup(self):
            has = hasattr(self.model, "hook")
            self.use(has)

        def use(self, allowed):
            if allowed:
                self.model.hook()
        """,
    "the answer of a method": """
        def setup(self):
            if self.can():
                self.model.hook()

        def can(self):
            return hasattr(self.model, "hook")
        """,
    "the answer of a property": """
        def setup(self):
            if self.can:
                self.model.hook()

        @property
        def can(self):
            if hasattr(self.model, "hook"):
                return True
            return False
        """,
    "a helper that is there only then": """
        def setup(self):
            self.helper = Helper(self.model) if hasattr(self.model, "hook") else None
            self.step()

        def step(self):
            if self.helper is not None:
                self.helper.run()
        """,
    "a helper that is made only then": """
        def setup(self):
            self.helper = None
            if hasattr(self.model, "hook"):
                self.helper = Helper(self.model)
            self.helper.run()
        """,
    "a function within": """
        def setup(self):
            if hasattr(self.model, "hook"):
                def run():
                    self.model.hook()
                run()
        """,
    "a test by := that was handed over": """
        def setup(self):
            if (has := hasattr(self.model, "hook")):
                self.use()
            print(has)

        def use(self):
            self.model.hook()
        """,
}
HELPER = """

class Helper:
    def __init__(self, model):
        self.model = model

    def run(self):
        self.model.hook()
"""


@pytest.mark.parametrize("name", OPTIONAL)
def test_question_elsewhere_makes_the_call_optional(asked, name: str) -> None:
    found = asked(OPTIONAL[name], HELPER if "Helper" in OPTIONAL[name] else "")
    assert found["hook", "call"].strength == "optional"


REQUIRED = {
    "one of two callers doesn't look": """
        def setup(self):
            if hasattr(self.model, "hook"):
                self.use()
            self.other()

        def other(self):
            self.use()

        def use(self):
            self.model.hook()
        """,
    "the question is about something else": """
        def setup(self):
            if hasattr(self.pool, "hook"):
                self.use()

        def use(self):
            self.model.hook()
        """,
    "kept and not asked": """
        def setup(self):
            self.has = hasattr(self.model, "hook")
            self.model.hook()
        """,
    "true for another reason, too": """
        def setup(self):
            self.has = hasattr(self.model, "hook")
            if self.pool is not None:
                self.has = True
            if self.has:
                self.model.hook()
        """,
    "handed on and called by somebody": """
        def setup(self):
            if hasattr(self.model, "hook"):
                self.use()
            self.target_worker.on_start(self.use)

        def use(self):
            self.model.hook()
        """,
}


@pytest.mark.parametrize("name", REQUIRED)
def test_question_that_not_every_way_asks_changes_nothing(asked, name: str) -> None:
    assert asked(REQUIRED[name])["hook", "call"].strength == "required"


@pytest.mark.parametrize(
    ("methods", "unconditional"),
    [
        ("def setup(self):\n    self.use()\n", True),
        ("def setup(self):\n    if self.pool.special:\n        self.use()\n", False),
        ("def setup(self):\n    wide = self.pool.wide\n    if wide and self.gpu:\n        self.use()\n", False),
        ("def step(self, batch):\n    if batch.ready:\n        self.use()\n", True),
    ],
    ids=["always", "only with some pool", "only with two things", "in some steps of every server"],
)
def test_condition_of_the_make_up_in_the_caller_is_one(asked, methods: str, unconditional: bool) -> None:
    found = asked(methods + "\ndef use(self):\n    self.model.hook()\n")["hook", "call"]
    assert (found.strength, found.unconditional) == ("required", unconditional)


def test_fallback_in_a_function_of_its_own_is_one_of_two(asked) -> None:
    found = asked(
        """
        def setup(self):
            if hasattr(self.model, "better_hook"):
                self.model.better_hook()
            else:
                self.fall_back()

        def fall_back(self):
            self.model.hook()
        """
    )
    assert {one.group for one in found.values() if one.strength == "any-of"} == {"better_hook|hook"}
    assert found["hook", "call"].strength == found["better_hook", "call"].strength == "any-of"


ALTERNATIVES = """
        def setup(self):
            first(self.model, {argument})


def first(model{parameter}):
    if {name} is not None and hasattr(model, "better_hook"):
        return model.better_hook({name})
    return model.hook()
"""


@pytest.mark.parametrize(
    ("argument", "strength"),
    [("draft=self.target_worker.model_runner", "any-of"), ("draft=None", "required"), ("", "required")],
    ids=["handed over", "None is handed over", "left out"],
)
def test_what_callers_hand_over_decides_which_hook_is_asked(asked, argument: str, strength: str) -> None:
    text = textwrap.dedent(ALTERNATIVES.format(argument=argument, parameter=", draft=None", name="draft"))
    methods, _, more = text.partition("\n\n\n")
    assert asked(methods, more)["hook", "call"].strength == strength


RAISES = {
    "another reason": (
        "for name in ('a', 'b'):\n"
        "    if getattr(self.model, 'hook', None) and not self.model.hook(name):\n        continue\n"
        "    if name == 'b':\n        raise ValueError(name)\n",
        "optional",
    ),
    "another reason, after a return": (
        "if hasattr(self.model, 'hook') and self.model.hook():\n    return\n"
        "if self.pool is None:\n    raise ValueError('no pool')\n",
        "optional",
    ),
    "another reason, asserted": (
        "if hasattr(self.model, 'hook') and self.model.hook():\n    return\nassert self.pool is not None\n",
        "optional",
    ),
    "no other reason": (
        "if hasattr(self.model, 'hook'):\n    return self.model.hook()\nraise ValueError('no hook')\n",
        "raises",
    ),
    "the raise's own test, and another around it": (
        "if self.pool is None:\n    if not hasattr(self.model, 'hook'):\n        raise ValueError('no hook')\n"
        "    self.model.hook()\n",
        "raises",
    ),
    "kept and then raised about": (
        "self.has = hasattr(self.model, 'hook')\nif not self.has:\n    raise ValueError\nself.model.hook()\n",
        "raises",
    ),
}


@pytest.mark.parametrize("name", RAISES)
def test_raise_asks_for_what_its_own_test_asks_for(asked, name: str) -> None:
    body, strength = RAISES[name]
    found = asked("def setup(self):\n" + textwrap.indent(body, "    "))
    assert found["hook", "call"].strength == strength


def test_what_follows_a_check_that_raised_is_no_less_required(asked) -> None:
    found = asked(
        """
        def setup(self):
            if getattr(self.model, "first_hook", None) is None:
                raise ValueError("no first hook")
            self.model.hook()
        """
    )
    assert found["hook", "call"].strength == "required"
    assert found["first_hook", "read"].strength == "raises"
