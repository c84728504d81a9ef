"""Whose model it is that a worker reaches, through whatever it is reached: the target's, the draft's, or either."""

from __future__ import annotations

import pytest

DRAFT = "d = TpModelWorker(server_args, gpu_id, is_draft_worker=True)\n"
HOOK = "model_runner.model.hook()"
MORE = """
    @property
    def drafting(self):
        return self.d

    def make(self):
        return TpModelWorker(self.server_args, 0, is_draft_worker=True)

    def pair(self):
        return 1, self.d


class OwnDraft(TpModelWorker):
    def __init__(self, server_args, gpu_id):
        super().__init__(server_args, gpu_id, is_draft_worker=True)


class OwnTarget(TpModelWorker):
    def __init__(self, server_args, gpu_id):
        super().__init__(server_args, gpu_id, is_draft_worker=False)


class Box:
    def __init__(self, kept, other=None):
        self.kept = kept
        self.other = other


class Fields:
    kept: TpModelWorker
    number: int


class Heir(Box):
    def __init__(self, worker):
        super().__init__(worker)


class Named(Box):
    def __init__(self, worker):
        Box.__init__(self, worker)


class Below(Box):
    def __init__(self, kept):
        Box.__init__(self, 1)
        self.below = kept


def first(one, two):
    return one


def ask(thing):
    thing.model_runner.model.hook()


def ask_model(*, of):
    of.hook()
"""

CASES = {
    "the target's": (f"target_worker.{HOOK}", "target"),
    "a worker of its own with the flag": (f"{DRAFT}d.{HOOK}", "draft"),
    "the flag said to be false": (f"d = TpModelWorker(server_args, gpu_id, is_draft_worker=False)\nd.{HOOK}", "target"),
    "the flag by position": (f"d = TpModelWorker(server_args, gpu_id, True)\nd.{HOOK}", "draft"),
    "the flag left to its default": (f"d = TpModelWorker(server_args, gpu_id)\nd.{HOOK}", "target"),
    "the flag that a setting gives": (
        f"d = TpModelWorker(server_args, gpu_id, is_draft_worker=server_args.fast)\nd.{HOOK}",
        "both",
    ),
    "the flag perhaps among what is spread": (
        f"d = TpModelWorker(server_args, gpu_id, **server_args.more)\nd.{HOOK}",
        "both",
    ),
    "the flag perhaps in a spread list": (f"d = TpModelWorker(*server_args.more)\nd.{HOOK}", "both"),
    "a class that sets the flag": (f"d = OwnDraft(server_args, gpu_id)\nd.{HOOK}", "draft"),
    "a class that sets the flag to false": (f"d = OwnTarget(server_args, gpu_id)\nd.{HOOK}", "both"),
    "in a list": (f"{DRAFT}self.all = [d]\nself.all[0].{HOOK}", "draft"),
    "in a list that grows": (f"{DRAFT}self.all = []\nself.all.append(d)\nself.all[gpu_id].{HOOK}", "draft"),
    "in a loop over a list": (f"{DRAFT}for one in [d]:\n    one.{HOOK}", "draft"),
    "in a dict": (f"{DRAFT}table = {{'a': d}}\ntable['a'].{HOOK}", "draft"),
    "a dict's get": (f"{DRAFT}table = {{'a': d}}\ntable.get('a').{HOOK}", "draft"),
    "a comprehension": (
        f"made = [TpModelWorker(server_args, i, is_draft_worker=True) for i in gpu_id]\nmade[0].{HOOK}",
        "draft",
    ),
    "an attribute": (f"{DRAFT}self.d = d\nself.d.{HOOK}", "draft"),
    "a property": (f"{DRAFT}self.d = d\nself.drafting.{HOOK}", "draft"),
    "what a method makes": (f"self.make().{HOOK}", "draft"),
    "one of two that a method gives": (f"{DRAFT}self.d = d\n_, one = self.pair()\none.{HOOK}", "draft"),
    "getattr": (f"{DRAFT}self.d = d\ngetattr(self, 'd').{HOOK}", "draft"),
    "getattr of the model": (f"{DRAFT}getattr(d.model_runner, 'model').hook()", "draft"),
    "a field of another's annotation": (f"box = Fields(kept=target_worker, number=1)\nbox.number.{HOOK}", None),
    "a name for the runner": (f"{DRAFT}r = d.model_runner\nr.model.hook()", "draft"),
    "a name for the model": (f"{DRAFT}m = d.model_runner.model\nm.hook()", "draft"),
    "a box": (f"{DRAFT}box = Box(d)\nbox.kept.{HOOK}", "draft"),
    "a box by keyword": (f"{DRAFT}box = Box(1, other=d)\nbox.other.{HOOK}", "draft"),
    "a box of an heir": (f"{DRAFT}box = Heir(d)\nbox.kept.{HOOK}", "draft"),
    "a box of an heir that names the class": (f"{DRAFT}box = Named(d)\nbox.kept.{HOOK}", "draft"),
    "what a call on the class above hands over": (f"{DRAFT}Named(d)\nbox = Below(1)\nbox.below.{HOOK}", None),
    "a method on its class": (f"{DRAFT}self.d = d\nNGRAMWorker.pair(self)[1].{HOOK}", "draft"),
    "places changed": (f"{DRAFT}a, b = target_worker, d\na, b = b, a\na.{HOOK}", "draft"),
    "a box filled from outside": (f"{DRAFT}box = Box(1)\nbox.later = d\nbox.later.{HOOK}", "draft"),
    "a function that hands it back": (f"{DRAFT}first(d, target_worker).{HOOK}", "draft"),
    "a function that asks": (f"{DRAFT}ask(d)", "draft"),
    "a function that asks both": (f"{DRAFT}ask(d)\nask(target_worker)", "both"),
    "a function that asks a model by keyword": (f"{DRAFT}ask_model(of=d.model_runner.model)", "draft"),
    "one of two": (f"{DRAFT}one = d if gpu_id else target_worker\none.{HOOK}", "both"),
    "the first of or": (f"{DRAFT}one = d or None\none.{HOOK}", "draft"),
    "walrus": (f"{DRAFT}if (m := d.model_runner.model):\n    m.hook()", "draft"),
    "partial": (f"{DRAFT}partial(ask, d)()", "draft"),
    "a lambda": (f"{DRAFT}later = lambda: d.{HOOK}\nlater()", "draft"),
    "a nested function": (f"{DRAFT}def later():\n    d.{HOOK}\nlater()", "draft"),
    "replaced": (f"{DRAFT}one = target_worker\none = d\none.{HOOK}", "draft"),
    "no model": (f"{DRAFT}d.model_config.hook()", None),
    "a name alike": ("class Mine:\n    model = 1\nMine().model.hook()", None),
}


@pytest.mark.parametrize("name", CASES)
def test_role(asked, name: str) -> None:
    snippet, expected = CASES[name]
    roles = {one.role for one in asked(snippet, MORE) if one.member == "hook"}
    merged = "both" if roles == {"target", "draft"} else next(iter(roles), None)
    assert merged == expected


WALK = """
class Walk:
    def __init__(self):
        self.a = self

    def keep(self, model):
        self.a = model

    def step(self, model):
        self.a = self.after(model)

    def after(self, model):
        model.hook()
        return self.a if model else self


class Other:
    def step(self, model): ...

    def after(self, model): ...
"""


def test_a_caller_that_is_asked_for_in_a_circle_is_found_once_the_circle_is_known(asked) -> None:
    """What `w.a` is depends on who calls `step`, and whether `w.a.step()` does so on what `w.a` is."""
    members = {one.member for one in asked("w = Walk()\nw.a.step(model)", WALK)}
    assert "hook" in members
