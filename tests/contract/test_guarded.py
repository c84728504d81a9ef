"""What becomes of touches under looks, flags, fallbacks, tries and settings: told as in `test_requirements.py`."""

from __future__ import annotations

import pytest

CASES = {
    "looked for under another condition": (
        "if batch.x and hasattr(model, 'hook'):\n    model.hook()",
        ["hook: call optional @2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for in the else": (
        "if not hasattr(model, 'hook'):\n    pass\nelse:\n    model.hook()",
        ["hook: call optional @4 by 1 ()", "hook: read optional @1"],
    ),
    "looked for before a conditional expression": (
        "x = model.hook() if hasattr(model, 'hook') else None",
        ["hook: call optional @1 ()", "hook: read optional @1"],
    ),
    "looked for by or": (
        "x = not hasattr(model, 'hook') or model.hook()",
        ["hook: call optional @1 ()", "hook: read optional @1"],
    ),
    "looked for in a loop that goes on": (
        "for _ in batch:\n    if not hasattr(model, 'hook'):\n        continue\n    model.hook()",
        ["hook: call optional @4 by 2 ()", "hook: read optional @2"],
    ),
    "looked for by its value": (
        "if getattr(model, 'hook', None):\n    model.hook()",
        ["hook: call optional @2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for by None": (
        "if getattr(model, 'hook', None) is not None:\n    model.hook()",
        ["hook: call optional @2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for by callable": (
        "if callable(getattr(model, 'hook', None)):\n    model.hook()",
        ["hook: call optional @2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for under a name": (
        "there = hasattr(model, 'hook')\nif there:\n    model.hook()",
        ["hook: call optional @3 by 1 ()", "hook: read optional @1"],
    ),
    "a look that another line replaces": (
        "there = hasattr(model, 'hook')\nthere = batch.x\nif there:\n    model.hook()",
        ["hook: call required @4 perhaps ()", "hook: read optional @1"],
    ),
    "an error with a default": (
        "hook = getattr(model, 'hook', None)\nif hook is None:\n    raise ValueError\nhook()",
        ["hook: read raises @1 by 3 raises 3"],
    ),
    "an error with a default, by not": (
        "hook = getattr(model, 'hook', None)\nif not hook:\n    raise ValueError",
        ["hook: read raises @1 by 3 raises 3"],
    ),
    "an error with a default, by callable": (
        "hook = getattr(model, 'hook', None)\nif not callable(hook):\n    raise ValueError",
        ["hook: read raises @1 by 3 raises 3"],
    ),
    "an assertion of a default": (
        "hook = getattr(model, 'hook', None)\nassert hook is not None\nhook()",
        ["hook: read raises @1 by 2 raises 2"],
    ),
    "an error in the else": (
        "if hasattr(model, 'hook'):\n    model.hook()\nelse:\n    raise ValueError",
        ["hook: call raises @2 by 4 raises 4 ()"],
    ),
    "an error in the else of another reason": (
        "if batch.x:\n    model.hook()\nelse:\n    raise ValueError",
        ["hook: call required @2 perhaps ()"],
    ),
    "an error where it is there": ("if hasattr(model, 'hook'):\n    raise ValueError", ["hook: read optional @1"]),
    "an error where it is there, and asked after": (
        "if hasattr(model, 'hook'):\n    raise ValueError\nmodel.other()",
        ["hook: read optional @1", "other: call required @3 ()"],
    ),
    "an error where one is there and another not": (
        "if hasattr(model, 'other') and not hasattr(model, 'hook'):\n    raise ValueError",
        ["hook: read conditional @1 by 2 raises 2 where other", "other: read optional @1"],
    ),
    "an error where a flag is off": (
        "if not model.flag:\n    raise ValueError\nmodel.hook()",
        ["flag: read required @1", "hook: call required @3 ()"],
    ),
    "an error after a loop": (
        "for _ in batch:\n    pass\nif not hasattr(model, 'hook'):\n    raise ValueError",
        ["hook: read raises @3 by 4 raises 4"],
    ),
    "a flag with a default": (
        "if getattr(model, 'flag', False):\n    model.hook()",
        ["flag: read optional @1", "hook: call conditional @2 where flag ()"],
    ),
    "a flag with a default that is on": (
        "if getattr(model, 'flag', True):\n    model.hook()",
        ["flag: read optional @1", "hook: call conditional @2 where flag ()"],
    ),
    "a flag under a name": (
        "flag = model.flag\nif flag:\n    model.hook()",
        ["flag: read required @1", "hook: call conditional @3 where flag ()"],
    ),
    "a flag that is compared": (
        "if model.flag == 3:\n    model.hook()",
        ["flag: read required @1", "hook: call required @2 perhaps ()"],
    ),
    "a flag is None": (
        "if model.flag is None:\n    model.hook()",
        ["flag: read required @1", "hook: call required @2 perhaps ()"],
    ),
    "a flag is not None": (
        "if model.flag is not None:\n    model.hook()",
        ["flag: read required @1", "hook: call required @2 perhaps ()"],
    ),
    "two flags": (
        "if model.flag and model.other:\n    model.hook()",
        ["flag: read required @1", "hook: call conditional @2 where flag ()", "other: read conditional @1 where flag"],
    ),
    "a flag of a part": (
        "if model.lm_head.flag:\n    model.hook()",
        [
            "hook: call conditional @2 where lm_head.flag ()",
            "lm_head.flag: read required @1",
            "lm_head: read required @1",
        ],
    ),
    "a flag and a return": (
        "if model.flag:\n    return\nmodel.hook()",
        ["flag: read required @1", "hook: call conditional @3 where not flag ()"],
    ),
    "a flag of another model": ("if self.target_worker.flag:\n    model.hook()", ["hook: call required @2 perhaps ()"]),
    "a fallback by or": (
        "x = getattr(model, 'other', None) or model.hook()",
        ["hook: call any-of @1 one of other|hook ()", "other: read any-of @1 one of other|hook"],
    ),
    "a fallback of a default": (
        "x = getattr(model, 'other', model.hook)",
        ["hook: read required @1", "other: read optional @1"],
    ),
    "a fallback in an except": (
        "try:\n    x = model.other\nexcept AttributeError:\n    x = model.hook",
        ["hook: read required @4 by 3 perhaps behind except AttributeError", "other: read optional @2 by 1"],
    ),
    "a fallback after a return": (
        "if hasattr(model, 'other'):\n    return model.other()\nreturn model.hook()",
        ["hook: call any-of @3 by 1 one of other|hook ()", "other: call any-of @2 by 1 one of other|hook ()"],
    ),
    "a fallback that writes": (
        "if not hasattr(model, 'other'):\n    model.hook = 1",
        ["hook: write conditional @2 where not other", "other: read optional @1"],
    ),
    "a fallback that raises": (
        "if hasattr(model, 'a'):\n    model.a()\nelif hasattr(model, 'b'):\n    model.b()\nelse:\n    raise ValueError",
        [
            "a: call any-of @2 by 6 raises 6 perhaps one of a|b ()",
            "b: call any-of @4 by 6 raises 6 perhaps one of a|b ()",
        ],
    ),
    "a fallback under a condition": (
        "if batch.x:\n    if hasattr(model, 'other'):\n        model.other()\n    else:\n        model.hook()",
        [
            "hook: call any-of @5 by 2 perhaps one of other|hook ()",
            "other: call any-of @3 by 2 perhaps one of other|hook ()",
        ],
    ),
    "one of several in an expression": (
        "x = (model.a if hasattr(model, 'a') else model.b)",
        ["a: read any-of @1 one of a|b", "b: read any-of @1 one of a|b"],
    ),
    "an inner model, if there is one": (
        "x = getattr(model, 'inner', model).hook",
        ["hook: read any-of @1 one of inner.hook|hook", "inner.hook: read any-of @1 one of inner.hook|hook"],
    ),
    "an inner model, if there is one, called": (
        "x = getattr(model, 'inner', model).hook()",
        ["hook: call any-of @1 one of inner.hook|hook ()", "inner.hook: call any-of @1 one of inner.hook|hook ()"],
    ),
    "under a name": (
        "inner = getattr(model, 'inner', model)\ninner.hook()\nmodel.other()",
        [
            "hook: call any-of @2 one of inner.hook|hook ()",
            "inner.hook: call any-of @2 one of inner.hook|hook ()",
            "other: call required @3 ()",
        ],
    ),
    "the inner model by a look": (
        "inner = model.inner if hasattr(model, 'inner') else model\ninner.hook()",
        ["hook: call any-of @2 one of inner.hook|hook ()", "inner.hook: call any-of @2 one of inner.hook|hook ()"],
    ),
    "in a loop over names": (
        "for name in ('a', 'b'):\n    if hasattr(model, name):\n        x = getattr(model, name)",
        ["a: read optional @2,3", "b: read optional @2,3"],
    ),
    "in a loop over names, without a look": (
        "for name in ('a', 'b'):\n    x = getattr(model, name)()",
        ["a: call required @2 ()", "b: call required @2 ()"],
    ),
    "by a computed name": ("x = getattr(model, batch.name)", []),
    "swallowed with others": (
        "try:\n    model.hook()\nexcept (KeyError, AttributeError):\n    pass",
        ["hook: call optional @2 by 1 ()"],
    ),
    "raised as another error": (
        "try:\n    model.hook()\nexcept AttributeError as e:\n    raise ValueError from e",
        ["hook: call required @2 by 1 ()"],
    ),
    "raised again under a condition": (
        "try:\n    model.hook()\nexcept AttributeError:\n    if batch.x:\n        raise",
        ["hook: call required @2 by 1 ()"],
    ),
    "in the else of a try": (
        "try:\n    batch.go()\nexcept AttributeError:\n    pass\nelse:\n    model.hook()",
        ["hook: call required @6 ()"],
    ),
    "in a finally": (
        "try:\n    batch.go()\nexcept AttributeError:\n    pass\nfinally:\n    model.hook()",
        ["hook: call required @6 ()"],
    ),
    "in a handler of several": (
        "try:\n    batch.go()\nexcept (KeyError, ValueError):\n    model.hook()",
        ["hook: call required @4 by 3 perhaps behind except KeyError or ValueError ()"],
    ),
    "in a bare handler": (
        "try:\n    batch.go()\nexcept:\n    model.hook()",
        ["hook: call required @4 by 3 perhaps behind except ()"],
    ),
    "in a function within a try": (
        "try:\n    def inner():\n        model.hook()\n    inner()\nexcept AttributeError:\n    pass",
        ["hook: call required @3 ()"],
    ),
    "looked for in a try": (
        "try:\n    if hasattr(model, 'hook'):\n        model.hook()\nexcept KeyError:\n    pass",
        ["hook: call optional @3 by 2 ()", "hook: read optional @2"],
    ),
    "unpacked in a loop": ("for a, b in model.hook():\n    pass", ["hook: call required @1 ()"]),
    "unpacked by an index": ("x = model.hook()[0]", ["hook: call required @1 ()"]),
    "unpacked into one": ("(a,) = model.hook()", ["hook: call required @1 () -> 1"]),
    "unpacked into nested": ("a, (b, c) = model.hook()", ["hook: call required @1 () -> 2"]),
    "kept and unpacked in an attribute": ("self.kept = model.hook()\na, b = self.kept", ["hook: call required @1 ()"]),
    "handed back": ("return model.hook()", ["hook: call required @1 ()"]),
    "a keyword of one call alone": ("model.hook(k=1)\nmodel.hook()", ["hook: call required @1,2 (k)"]),
    "in a with": ("with model.hook() as x:\n    pass", ["hook: call required @1 ()"]),
    "in a lambda": ("x = lambda: model.hook(1)", ["hook: call required @1 (1)"]),
    "in a comprehension": ("x = [model.hook(i) for i in batch]", ["hook: call required @1 (1)"]),
    "deleted": ("del model.hook", ["hook: read required @1"]),
    "written in a loop": ("for model.hook in batch:\n    pass", ["hook: write required @1"]),
    "written with others": ("model.hook, x = 1, 2", ["hook: write required @1"]),
    "written by update": ("model.__dict__['hook'] = 1", ["hook: write required @1"]),
    "awaited": ("x = await_(model.hook(1))", ["hook: call required @1 (1)"]),
    "yielded": ("yield model.hook()", ["hook: call required @1 ()"]),
    "starred": ("x = [*model.hook()]", ["hook: call required @1 ()"]),
    "a call of a part": ("model.lm_head(1)", ["lm_head: call required @1 (1)"]),
    "a call of the model": ("model(1)", []),
    "a signature is asked": ("x = 'k' in inspect.signature(model.hook).parameters", ["hook: read required @1"]),
    "not taken, and left out": (
        "if 'k' not in inspect.signature(model.hook).parameters:\n    model.hook()",
        ["hook: call required @2 ()", "hook: read required @1"],
    ),
    "a keyword by a dict that depends": (
        "more = {}\nif batch.x:\n    more['k'] = 1\nmodel.hook(**more)",
        ["hook: call required @4 (*)"],
    ),
    "a keyword by a dict": ("more = dict(k=1)\nmodel.hook(**more)", ["hook: call required @2 (*)"]),
    "behind a setting and the batch": (
        "if server_args.disable_overlap_schedule and batch.x:\n    model.hook()",
        ["hook: call required @2 perhaps behind server_args.disable_overlap_schedule ()"],
    ),
    "behind a setting that is compared": (
        "if server_args.device == 'cuda':\n    model.hook()",
        ["hook: call required @2 perhaps behind server_args.device == 'cuda' ()"],
    ),
    "behind a setting that is compared with its default": (
        "if server_args.device == 'cpu':\n    model.hook()",
        ["hook: call required @2 perhaps ()"],
    ),
    "behind a setting that is there": (
        "if server_args.speculative_draft_model_path:\n    model.hook()",
        ["hook: call required @2 perhaps behind server_args.speculative_draft_model_path ()"],
    ),
    "behind a setting that is not there": (
        "if server_args.speculative_draft_model_path is None:\n    model.hook()",
        ["hook: call required @2 perhaps ()"],
    ),
    "behind a setting under a name": (
        "off = server_args.disable_overlap_schedule\nif off:\n    model.hook()",
        ["hook: call required @3 perhaps behind server_args.disable_overlap_schedule ()"],
    ),
    "behind a setting and an error": (
        "if server_args.disable_overlap_schedule:\n    if not hasattr(model, 'hook'):\n        raise ValueError",
        ["hook: read raises @2 by 3 raises 3 behind server_args.disable_overlap_schedule"],
    ),
    "behind two settings": (
        "if self.off:\n    if server_args.speculative_draft_model_path:\n        model.hook()",
        ["hook: call required @3 perhaps behind server_args.speculative_draft_model_path behind self.off ()"],
    ),
    "behind a return for a setting": (
        "if not self.off:\n    return\nmodel.hook()",
        ["hook: call required @3 perhaps behind self.off ()"],
    ),
    "behind a setting in a loop": (
        "for x in batch:\n    if self.off:\n        model.hook()",
        ["hook: call required @3 perhaps behind self.off ()"],
    ),
    "what was looked for at the start, and another": (
        "if self.has:\n    model.hook()",
        ["hook: call conditional @2 where kept_hook ()"],
    ),
}


@pytest.fixture(scope="module")
def requirements(requirements_of) -> dict[str, list[str]]:
    return requirements_of({case: (snippet, "") for case, (snippet, _) in CASES.items()})


@pytest.mark.parametrize("case", CASES)
def test_requirements_of_a_snippet(requirements: dict[str, list[str]], case: str) -> None:
    assert requirements[case] == sorted(CASES[case][-1])
