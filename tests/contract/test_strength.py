"""How strictly a touch is meant: one worker, one snippet, one answer.

The snippets run in the worker of the small tree that asks nothing by itself, so everything found is theirs.
"""

from __future__ import annotations

import pytest

from specint.contract.model import telling_site

SNIPPET_MODULE = "sglang.srt.speculative.ngram_worker"
SNIPPET_WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker


class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
"""


def summary(requirements) -> set[tuple[str, str, str]]:
    return {(one.member, one.use, one.strength) for one in requirements}


CASES = {
    "plain call": ("model.hook()", {("hook", "call", "required")}),
    "plain read": ("self.x = model.hook", {("hook", "read", "required")}),
    "write": ("model.hook = 1", {("hook", "write", "required")}),
    "probe alone": ("self.x = hasattr(model, 'hook')", {("hook", "read", "optional")}),
    "guarded": (
        "if hasattr(model, 'hook'):\n    model.hook()",
        {("hook", "call", "optional"), ("hook", "read", "optional")},
    ),
    "guarded by and": (
        "self.x = hasattr(model, 'hook') and model.hook()",
        {("hook", "call", "optional"), ("hook", "read", "optional")},
    ),
    "guarded by an early return": (
        "if not hasattr(model, 'hook'):\n    return\nmodel.hook()",
        {("hook", "call", "optional"), ("hook", "read", "optional")},
    ),
    "guarded in form, an error in fact": (
        "if not hasattr(model, 'hook'):\n    raise ValueError('no hook')\nmodel.hook()",
        {("hook", "call", "raises")},
    ),
    "asserted": ("assert hasattr(model, 'hook')\nmodel.hook()", {("hook", "call", "raises")}),
    "default that is used": ("self.x = getattr(model, 'hook', 7)", {("hook", "read", "optional")}),
    "no default": ("self.x = getattr(model, 'hook')", {("hook", "read", "required")}),
    "None and then a raise": (
        "head = getattr(model, 'hook', None)\nif head is None:\n    raise ValueError('no hook')",
        {("hook", "read", "raises")},
    ),
    "None through a wrapper and then a raise": (
        "head = unwrap_lora_layer(getattr(model, 'hook', None))\n"
        "if head is None or not hasattr(head, 'weight'):\n    raise ValueError('no')",
        {("hook", "read", "raises")},
    ),
    "callable or nothing": (
        "hook = getattr(model, 'hook', None)\nif callable(hook):\n    hook()",
        {("hook", "read", "optional")},
    ),
    "swallowed": ("try:\n    model.hook()\nexcept AttributeError:\n    pass", {("hook", "call", "optional")}),
    "swallowed by a bare except": ("try:\n    model.hook()\nexcept:\n    pass", {("hook", "call", "optional")}),
    "another exception is no guard": (
        "try:\n    model.hook()\nexcept KeyError:\n    pass",
        {("hook", "call", "required")},
    ),
    "raised again": ("try:\n    model.hook()\nexcept AttributeError:\n    raise", {("hook", "call", "required")}),
    "raised again under a condition": (
        "try:\n    model.hook()\nexcept AttributeError:\n    if gpu_id:\n        raise",
        {("hook", "call", "required")},
    ),
    "in a type's own branch": (
        "if isinstance(model, Special):\n    model.hook()",
        {("hook", "call", "optional")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_strength(asked, name: str) -> None:
    snippet, expected = CASES[name]
    assert summary(asked(snippet)) == expected


def test_one_of_two(asked) -> None:
    found = asked(
        """
        if hasattr(model, 'better'):
            model.better(1)
        elif hasattr(model, 'hook'):
            model.hook(1)
        else:
            raise ValueError('neither')
        """
    )
    assert {(one.member, one.strength, one.group) for one in found} == {
        ("better", "any-of", "better|hook"),
        ("hook", "any-of", "better|hook"),
    }


def test_fallback_without_a_check_of_its_own_is_one_of_two(asked) -> None:
    found = asked("if hasattr(model, 'better'):\n    model.better()\nelse:\n    model.hook()")
    assert {(one.member, one.group) for one in found if one.strength == "any-of"} == {
        ("better", "better|hook"),
        ("hook", "better|hook"),
    }


def test_condition_on_another_member_of_the_model(asked) -> None:
    found = asked("if getattr(model, 'shares', False):\n    model.hook()\nelse:\n    model.other()")
    conditions = {one.member: (one.condition.member, one.condition.holds) for one in found if one.condition}
    assert conditions == {"hook": ("shares", True), "other": ("shares", False)}


HELPER = """
def reach(thing, *, extra=None, other: int = 0):
    return thing.hook(extra)
"""


@pytest.mark.parametrize(
    "snippet",
    [
        "reach(model)",
        "reach(thing=model)",
        "reach(self.target_worker.model_runner.model, extra=1)",
        "runner = self.target_worker.model_runner\nreach(runner.model)",
        "m = n = model\nreach(n)",
        "pair = (1, model)\nreach(pair[1])",
        "a, b = 1, model\nreach(b)",
        "for one in [model]:\n    reach(one)",
        "reach(model if gpu_id else target_worker.model_runner.model)",
        "self.kept = model\nreach(self.kept)",
        "reach((lambda: model)()) or model.hook(1)",
    ],
)
def test_model_is_followed(asked, snippet: str) -> None:
    assert ("hook", "call", "required") in summary(asked(snippet, HELPER))


@pytest.mark.parametrize(
    "more",
    [
        "    def later(self):\n        self.target_worker.model_runner.model.hook()\n",
        "    @property\n    def target(self):\n        return self.target_worker.model_runner.model\n\n"
        "    def later(self):\n        self.target.hook()\n",
        "    def target(self):\n        return self.target_worker.model_runner.model, 1\n\n"
        "    def later(self):\n        m, _ = self.target()\n        m.hook()\n",
    ],
    ids=["attribute", "property", "one of several results"],
)
def test_model_is_followed_through_the_worker(asked, more: str) -> None:
    found = asked("self.later()", more)
    assert ("hook", "call", "required") in summary(found)


def test_what_is_called_alike_but_no_model_asks_nothing(asked) -> None:
    assert asked("other = server_args.model\nother.hook()\nmodel = 3\nmodel.hook()") == []


def test_call_shapes_of_several_sites_are_merged(asked) -> None:
    (found,) = asked("a, b = model.hook()\nmodel.hook(1, key=2)\nmodel.hook(3)")
    assert found.call.positional == 1
    assert found.call.fewest == 0
    assert found.call.keywords == ("key",)
    assert found.call.unpacks == 2
    assert len(found.sites) == 3


def test_arguments_that_are_spread_are_lower_bounds(asked) -> None:
    (found,) = asked("model.hook(1, *rest, **more)")
    assert (found.call.positional, found.call.starred) == (1, True)


def test_results_unpacked_by_the_caller_of_a_helper(asked) -> None:
    (found,) = asked("a, b, c = reach(model)", HELPER)
    assert found.call.unpacks == 3


def test_setting_that_has_to_be_opted_in_is_kept_beside(asked) -> None:
    found = asked("self.on = False\nif server_args.device == 'x':\n    self.on = True\nif self.on:\n    model.hook()")
    assert [(one.member, one.settings) for one in found] == [("hook", ("self.on",))]


def test_function_that_nobody_calls_and_no_worker_has_asks_of_no_single_algorithm(read, small_tree) -> None:
    text = (
        SNIPPET_WORKER + "\n\ndef stray(target_worker: TpModelWorker):\n    target_worker.model_runner.model.hook()\n"
    )
    found = read(small_tree, {SNIPPET_MODULE: text}).of("hook")
    assert all(one.algorithms == () for one in found)


def test_site_knows_which_algorithms_come_by(asked) -> None:
    (one,) = [r for r in asked("a, b = model.get_embed_and_head()") if r.member == "get_embed_and_head"]
    here = {site.file.rpartition("/")[2]: site.algorithms for site in one.sites}
    assert here.pop("ngram_worker.py") == ("NGRAM",)
    assert here
    assert not any("NGRAM" in algorithms for algorithms in here.values())
    assert [site.file.rpartition("/")[2] for site in one.sites_under(["NGRAM"])] == ["ngram_worker.py"]
    assert telling_site([one], ["NGRAM"]).algorithms == ("NGRAM",), "not the first one, which NGRAM never reaches"
