"""What becomes of touches: one snippet a method of one worker, and every requirement that follows from it.

A requirement is told as `member: use strength @lines`, and where it is so: `one of a|b`, `where flag` (the model's),
`behind x` (a setting that has to be given), `perhaps` (under a condition that nothing decides), `by 3` (the line that
decides how strict it is, where that isn't the first), `raises 3` (the line that raises), and how it is called: the
fewest and the most arguments, keywords, `*` for spread ones, `-> 2` for what is unpacked. Lines are the snippet's; `h2`
is the second of the functions that some cases have beside it.
"""

from __future__ import annotations

import pytest

CASES = {
    "a call": ("model.hook()", ["hook: call required @1 ()"]),
    "a call with arguments": ("model.hook(1, 2)", ["hook: call required @1 (2)"]),
    "a call by keyword": ("model.hook(1, b=2, a=3)", ["hook: call required @1 (1, a, b)"]),
    "a call that spreads": ("model.hook(1, *batch)", ["hook: call required @1 (1, *)"]),
    "a call that spreads keywords": ("model.hook(**batch)", ["hook: call required @1 (*)"]),
    "an unpacked result": ("a, b = model.hook()", ["hook: call required @1 () -> 2"]),
    "a result unpacked later": ("a = model.hook()\nb, c, d = a", ["hook: call required @1 () -> 3"]),
    "a result that is spread out": ("a, *b = model.hook()", ["hook: call required @1 ()"]),
    "two calls": ("model.hook(1)\nmodel.hook(1, 2, k=3)", ["hook: call required @1,2 (1-2, k)"]),
    "a read and a call": ("x = model.hook\nmodel.hook()", ["hook: call required @2 ()", "hook: read required @1"]),
    "a write": ("model.hook = 1", ["hook: write required @1"]),
    "a write that adds": ("model.hook += 1", ["hook: read required @1", "hook: write required @1"]),
    "setattr": ("setattr(model, 'hook', 1)", ["hook: write required @1"]),
    "getattr": ("x = getattr(model, 'hook')", ["hook: read required @1"]),
    "getattr, called": ("getattr(model, 'hook')(1)", ["hook: call required @1 (1)"]),
    "getattr with a default": ("x = getattr(model, 'hook', 1)", ["hook: read optional @1"]),
    "hasattr": ("x = hasattr(model, 'hook')", ["hook: read optional @1"]),
    "what every object has": ("x = model.__class__\nmodel.__init__()", []),
    # a look before the call
    "looked for": (
        "if hasattr(model, 'hook'):\n    model.hook()",
        ["hook: call optional @2 by 1 ()", "hook: read optional @1"],
    ),
    "looked for, with an error": (
        "if not hasattr(model, 'hook'):\n    raise ValueError\nmodel.hook()",
        ["hook: call raises @3 by 2 raises 2 ()"],
    ),
    "looked for in a loop, with an error": (
        "for name in ('hook', 'other'):\n    if not hasattr(model, name):\n        raise ValueError",
        ["hook: read raises @2 by 3 raises 3", "other: read raises @2 by 3 raises 3"],
    ),
    "an error for another reason": (
        "if batch.x:\n    raise ValueError\nmodel.hook()",
        ["hook: call required @3 ()"],
    ),
    "an error where either is lacking": (
        "if not hasattr(model, 'hook') or batch.x:\n    raise ValueError",
        ["hook: read raises @1 by 2 raises 2"],
    ),
    "an error where both are lacking": (
        "if not hasattr(model, 'hook') and not hasattr(model, 'other'):\n    raise ValueError",
        [
            "hook: read any-of @1 by 2 raises 2 perhaps one of hook|other",
            "other: read any-of @1 by 2 raises 2 perhaps one of hook|other",
        ],
    ),
    "an error where it is lacking under a setting": (
        "if server_args.disable_overlap_schedule and not hasattr(model, 'hook'):\n    raise ValueError",
        ["hook: read raises @1 by 2 raises 2 behind server_args.disable_overlap_schedule"],
    ),
    "an error where it is lacking and another is true": (
        "if model.flag and not hasattr(model, 'hook'):\n    raise ValueError",
        ["flag: read required @1", "hook: read conditional @1 by 2 raises 2 where flag"],
    ),
    "an error behind an error for another reason": (
        "if not server_args.disable_overlap_schedule:\n    raise ValueError\n"
        "if not hasattr(model, 'hook'):\n    raise ValueError",
        ["hook: read raises @3 by 4 raises 4"],
    ),
    "an error behind a return for a setting": (
        "if not server_args.disable_overlap_schedule:\n    return\n"
        "if not hasattr(model, 'hook'):\n    raise ValueError",
        ["hook: read raises @3 by 4 raises 4 behind server_args.disable_overlap_schedule"],
    ),
    "an error for another reason behind a look": (
        "if not hasattr(model, 'hook'):\n    return\nif batch.x:\n    raise ValueError",
        ["hook: read optional @1"],
    ),
    "an error within a look": (
        "if not hasattr(model, 'hook'):\n    if batch.x:\n        raise ValueError",
        ["hook: read raises @1 by 3 raises 3"],
    ),
    "an assertion": ("assert hasattr(model, 'hook'), 'no'", ["hook: read raises @1 raises 1"]),
    "a write where it is lacking": (
        "if not hasattr(model, 'hook'):\n    model.hook = 1",
        ["hook: read optional @1", "hook: write required @2"],
    ),
    "a call of what was looked up": (
        "hook = getattr(model, 'hook', None)\nif hook is not None:\n    hook(1)",
        ["hook: read optional @1"],
    ),
    # conditions
    "on the batch": ("if batch.x:\n    model.hook()", ["hook: call required @2 perhaps ()"]),
    "on a setting that is off": (
        "if server_args.disable_overlap_schedule:\n    model.hook()",
        ["hook: call required @2 perhaps behind server_args.disable_overlap_schedule ()"],
    ),
    "on a setting that is on": (
        "if not server_args.disable_overlap_schedule:\n    model.hook()",
        ["hook: call required @2 perhaps ()"],
    ),
    "on an attribute that a setting turns on": (
        "if self.off:\n    model.hook()",
        ["hook: call required @2 perhaps behind self.off ()"],
    ),
    "on an attribute that is on": ("if self.on:\n    model.hook()", ["hook: call required @2 perhaps ()"]),
    "on one that is None": (
        "if self.inner is not None:\n    model.hook()",
        ["hook: call required @2 perhaps behind self.inner ()"],
    ),
    "on one setting or another": (
        "if self.off or server_args.disable_overlap_schedule:\n    model.hook()",
        ["hook: call required @2 perhaps behind self.off or server_args.disable_overlap_schedule ()"],
    ),
    "with a setting and without": (
        "if self.off:\n    model.hook(1)\nmodel.hook()",
        ["hook: call required @2,3 by 3 (0-1)"],
    ),
    "on a flag of the model": (
        "if model.flag:\n    model.hook()",
        ["flag: read required @1", "hook: call conditional @2 where flag ()"],
    ),
    "on the lack of a flag": (
        "if not model.flag:\n    model.hook()",
        ["flag: read required @1", "hook: call conditional @2 where not flag ()"],
    ),
    "on another member": (
        "if hasattr(model, 'other'):\n    model.hook()",
        ["hook: call conditional @2 where other ()", "other: read optional @1"],
    ),
    "on the model's type": (
        "if isinstance(model, Special):\n    model.hook()",
        ["hook: call optional @2 ()"],
    ),
    "on two flags at once": (
        "if not (model.flag and model.other):\n    model.hook()",
        [
            "flag: read required @1",
            "hook: call conditional @2 where not other ()",
            "other: read conditional @1 where flag",
        ],
    ),
    # one of several
    "a fallback": (
        "if hasattr(model, 'other'):\n    model.other()\nelse:\n    model.hook()",
        [
            "hook: call any-of @4 by 1 one of other|hook ()",
            "other: call any-of @2 by 1 one of other|hook ()",
        ],
    ),
    "a fallback of two": (
        "if hasattr(model, 'a'):\n    pass\nelif hasattr(model, 'b'):\n    pass\nelse:\n    model.hook()",
        [
            "a: read any-of @1 by 3 one of a|b|hook",
            "b: read any-of @3 one of a|b|hook",
            "hook: call any-of @6 by 3 one of a|b|hook ()",
        ],
    ),
    "a fallback that is asked for anyway": (
        "if hasattr(model, 'other'):\n    model.other()\nelse:\n    model.hook()\nmodel.hook()",
        [
            "hook: call required @4,5 by 5 ()",
            "other: call optional @2 by 1 ()",
            "other: read optional @1",
        ],
    ),
    # try
    "swallowed": (
        "try:\n    model.hook()\nexcept AttributeError:\n    pass",
        ["hook: call optional @2 by 1 ()"],
    ),
    "swallowed by an except for everything": (
        "try:\n    x = model.hook\nexcept Exception:\n    pass",
        ["hook: read optional @2 by 1"],
    ),
    "raised again": (
        "try:\n    model.hook()\nexcept AttributeError:\n    raise",
        ["hook: call required @2 by 1 ()"],
    ),
    "another exception": ("try:\n    model.hook()\nexcept KeyError:\n    pass", ["hook: call required @2 ()"]),
    "in a handler": (
        "try:\n    batch.go()\nexcept KeyError:\n    model.hook()",
        ["hook: call required @4 by 3 perhaps behind except KeyError ()"],
    ),
    "in a try within a try": (
        "try:\n    try:\n        model.hook()\n    except KeyError:\n        pass\nexcept AttributeError:\n    pass",
        ["hook: call optional @3 by 1 ()"],
    ),
    # parts
    "of a part": (
        "x = model.lm_head.hook",
        ["lm_head: read required @1", "lm_head.hook: read required @1"],
    ),
    "of a part by an alias": (
        "head = model.lm_head\nhead.hook()",
        ["lm_head: read required @1", "lm_head.hook: call required @2 ()"],
    ),
    "of an element": (
        "x = model.layers[0].hook",
        ["layers: read required @1", "layers[].hook: read required @1"],
    ),
    "of a part that is looked for": (
        "if hasattr(model.lm_head, 'hook'):\n    pass",
        ["lm_head: read required @1", "lm_head.hook: read optional @1"],
    ),
    # a signature
    "a keyword that is taken": (
        "more = {}\nif 'k' in inspect.signature(model.hook).parameters:\n    model.hook(k=1)",
        ["hook: call required @3 ()", "hook: read required @2"],
    ),
}


@pytest.fixture(scope="module")
def requirements(requirements_of) -> dict[str, list[str]]:
    return requirements_of({case: (snippet, "") for case, (snippet, _) in CASES.items()})


@pytest.mark.parametrize("case", CASES)
def test_requirements_of_a_snippet(requirements: dict[str, list[str]], case: str) -> None:
    assert requirements[case] == sorted(CASES[case][-1])
