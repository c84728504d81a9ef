"""Under which algorithms, and on which side, a line is met: one snippet in the graph runner, which every server has.

Expected is what a run of SGLang would do; a condition that the source doesn't decide excludes nothing.
"""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.model_executor.graph_runner"
HEAD = """
from __future__ import annotations

from typing import TYPE_CHECKING

from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

if TYPE_CHECKING:
    from sglang.srt.model_executor.model_runner import ModelRunner

"""
RUNNER = """

class GraphRunner:
    def __init__(self, model_runner: ModelRunner):
        self.model_runner = model_runner
        algo = model_runner.spec_algorithm
        model = model_runner.model
        args = model_runner.server_args
        layers = model_runner.eagle_layer_ids
"""
INTERFACES = ("speculative", "graph", "runtime")
EVERY = {"every"}
EAGLES = {"EAGLE", "EAGLE3"}
BLOCKS = {"DFLASH", "DSPARK"}


@pytest.fixture
def met(read, small_tree):
    """`met(snippet)`: role -> the algorithms under which `model.hook` is asked for; {"every"} for every server."""

    def of(snippet: str, before: str = "", after: str = "") -> dict[str, set[str]]:
        text = HEAD + before + RUNNER + textwrap.indent(textwrap.dedent(snippet), "        ") + "\n" + after
        found: dict[str, set[str]] = {}
        for one in read(small_tree, {MODULE: text}, interfaces=INTERFACES).of("hook"):
            for role in ("target", "draft") if one.role == "both" else (one.role,):
                found.setdefault(role, set()).update(one.algorithms or EVERY)
        return found

    return of


ALL = EAGLES | BLOCKS | {"NGRAM"}
E3 = {"EAGLE3"}
NGRAM = {"NGRAM"}
NOT_EAGLES = BLOCKS | NGRAM
CALL = "model.hook()"

# A test of the algorithm, and under which algorithms what stands behind it is met.
TESTS = {
    "algo.is_eagle()": EAGLES,
    "not algo.is_eagle()": NOT_EAGLES,
    "not not algo.is_eagle()": EAGLES,
    "algo == SpeculativeAlgorithm.EAGLE3": E3,
    "algo is SpeculativeAlgorithm.EAGLE3": E3,
    "algo != SpeculativeAlgorithm.EAGLE3": {"DFLASH", "DSPARK", "EAGLE", "NGRAM"},
    "algo in (SpeculativeAlgorithm.DFLASH, SpeculativeAlgorithm.EAGLE3)": {"DFLASH", "EAGLE3"},
    "algo in [SpeculativeAlgorithm.DFLASH]": {"DFLASH"},
    "algo not in {SpeculativeAlgorithm.DFLASH, SpeculativeAlgorithm.EAGLE3}": {"DSPARK", "EAGLE", "NGRAM"},
    "algo.name == 'EAGLE3'": E3,
    "algo.name != 'EAGLE3'": {"DFLASH", "DSPARK", "EAGLE", "NGRAM"},
    "algo.name in ('EAGLE', 'DSPARK')": {"EAGLE", "DSPARK"},
    "algo.name not in ('EAGLE', 'DSPARK')": {"EAGLE3", "DFLASH", "NGRAM"},
    "algo.is_eagle3() or algo.is_ngram()": E3 | NGRAM,
    "algo.is_eagle() and not algo.is_eagle3()": {"EAGLE"},
    "algo.is_eagle() and args.fast": EAGLES,
    "algo.is_eagle3() and algo.is_ngram()": set(),
    "algo.is_dflash_family() and not algo.is_dflash()": {"DSPARK"},
    "bool(algo.is_eagle3())": E3,
    "True if algo.is_eagle3() else False": E3,
    "False if algo.is_eagle3() else args.fast": {"DFLASH", "DSPARK", "EAGLE", "NGRAM"},
    "model_runner.spec_algorithm.is_eagle3()": E3,
    "self.model_runner.spec_algorithm.is_eagle3()": E3,
    "getattr(model_runner, 'spec_algorithm').is_eagle3()": E3,
    "SpeculativeAlgorithm.from_string(args.speculative_algorithm).is_eagle3()": E3,
}


@pytest.mark.parametrize("test", TESTS)
def test_condition_on_the_algorithm(met, test: str) -> None:
    assert met(f"if {test}:\n    {CALL}").get("target", set()) == TESTS[test]


@pytest.mark.parametrize("test", TESTS)
def test_the_other_branch(met, test: str) -> None:
    found = met(f"if {test}:\n    pass\nelse:\n    {CALL}").get("target", set())
    open_test = "args.fast" in test
    assert (ALL if found == EVERY else found) == (ALL if open_test else ALL - TESTS[test])


SNIPPETS = {
    "an option that is not given by default": (
        "self.speculative_draft_model_path = algo.is_eagle()\n"
        f"if args.speculative_draft_model_path is not None:\n    {CALL}",
        EVERY,
    ),
    "behind an early return": (f"if not algo.is_eagle():\n    return\n{CALL}", EAGLES),
    "behind an early raise": (f"if algo.is_ngram():\n    raise ValueError\n{CALL}", EAGLES | BLOCKS),
    "behind an assert": (f"assert algo.is_dflash()\n{CALL}", {"DFLASH"}),
    "in an elif": (f"if algo.is_eagle3():\n    pass\nelif algo.is_eagle():\n    {CALL}", {"EAGLE"}),
    "in an else behind an elif": (
        f"if algo.is_eagle():\n    pass\nelif algo.is_ngram():\n    pass\nelse:\n    {CALL}",
        BLOCKS,
    ),
    "nested": (f"if algo.is_eagle():\n    if not algo.is_eagle3():\n        {CALL}", {"EAGLE"}),
    "in an expression": ("self.x = algo.is_eagle3() and model.hook()", E3),
    "behind or": ("self.x = algo.is_eagle3() or model.hook()", {"DFLASH", "DSPARK", "EAGLE", "NGRAM"}),
    "in a conditional expression": ("self.x = model.hook() if algo.is_ngram() else None", NGRAM),
    "in the other half of one": ("self.x = None if algo.is_eagle() else model.hook()", NOT_EAGLES),
    "in a while": (f"while algo.is_eagle3():\n    {CALL}\n    break", EVERY),
    "in a loop under a condition": (f"if algo.is_ngram():\n    for i in args.all:\n        {CALL}", NGRAM),
    "a local flag": (f"flag = algo.is_eagle3()\nif flag:\n    {CALL}", E3),
    "a local flag, turned round": (f"flag = not algo.is_eagle()\nif flag:\n    {CALL}", NOT_EAGLES),
    "a local flag set under a condition": (
        f"flag = False\nif algo.is_dflash():\n    flag = True\nif flag:\n    {CALL}",
        {"DFLASH"},
    ),
    "a local flag cleared under a condition": (
        f"flag = True\nif algo.is_dflash():\n    flag = False\nif flag:\n    {CALL}",
        EAGLES | NGRAM | {"DSPARK"},
    ),
    "a local flag set in a later round": (
        f"flag = False\nfor i in args.all:\n    if flag:\n        {CALL}\n    flag = algo.is_ngram()",
        NGRAM,
    ),
    "a local flag of the other branch": (
        f"if args.fast:\n    flag = algo.is_ngram()\nelse:\n    flag = algo.is_eagle()\n    if flag:\n        {CALL}",
        EAGLES,
    ),
    "a local flag that is set later": (
        f"flag = algo.is_eagle()\nif flag:\n    {CALL}\nflag = algo.is_ngram()",
        EAGLES,
    ),
    "a local flag that is set again": (
        f"flag = algo.is_eagle()\nflag = algo.is_ngram()\nif flag:\n    {CALL}",
        NGRAM,
    ),
    "a flag of a word": (
        f"kind = 'deep' if algo.is_eagle3() else 'flat'\nif kind == 'deep':\n    {CALL}",
        E3,
    ),
    "a flag of another word": (
        f"kind = 'deep' if algo.is_eagle3() else 'flat'\nif kind != 'deep':\n    {CALL}",
        {"DFLASH", "DSPARK", "EAGLE", "NGRAM"},
    ),
    "a flag of a number": (f"depth = 2 if algo.is_ngram() else 0\nif depth:\n    {CALL}", NGRAM),
    "a number is no truth": (f"depth = 1 if algo.is_ngram() else 0\nif depth is True:\n    {CALL}", set()),
    "a flag that is None or not": (
        f"layers = args.layers if algo.is_eagle3() else None\nif layers is not None:\n    {CALL}",
        EVERY,
    ),
    "an attribute of the runner": (
        f"if model_runner.block_use_aux_hidden_state:\n    {CALL}",
        BLOCKS,
    ),
    "an attribute of its own": (f"self.on = algo.is_ngram()\nif self.on:\n    {CALL}", NGRAM),
    "an attribute that is set under a condition": (
        f"self.on = False\nif algo.is_ngram():\n    self.on = True\nif self.on:\n    {CALL}",
        NGRAM,
    ),
    "a flag by getattr": (f"if getattr(model_runner, 'block_use_aux_hidden_state', False):\n    {CALL}", BLOCKS),
    "walrus": (f"if (flag := algo.is_eagle3()):\n    {CALL}", E3),
    "an assigned alias": (f"other = algo\nif other.is_eagle3():\n    {CALL}", E3),
    "a setting decides nothing": (f"if args.fast:\n    {CALL}", EVERY),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(met, name: str) -> None:
    snippet, expected = SNIPPETS[name]
    assert met(snippet).get("target", set()) == expected


SIDES = {
    "no condition": (CALL, EVERY, EVERY),
    "of the draft alone": (f"if model_runner.is_draft_worker:\n    {CALL}", set(), EVERY),
    "of the target alone": (f"if not model_runner.is_draft_worker:\n    {CALL}", EVERY, set()),
    "of the target's EAGLE3": (
        f"if algo.is_eagle3() and not model_runner.is_draft_worker:\n    {CALL}",
        E3,
        set(),
    ),
    "a flag that only the target sets": (
        f"if model_runner.eagle_use_aux_hidden_state:\n    {CALL}",
        E3,
        set(),
    ),
    "of the draft, or of NGRAM": (
        f"if model_runner.is_draft_worker or algo.is_ngram():\n    {CALL}",
        NGRAM,
        EVERY,
    ),
}


@pytest.mark.parametrize("name", SIDES)
def test_side(met, name: str) -> None:
    snippet, target, draft = SIDES[name]
    found = met(snippet)
    assert (found.get("target", set()), found.get("draft", set())) == (target, draft)


# Through functions: a flag that is handed over, asked for or returned.
THROUGH = {
    "a parameter": ("ask(model, algo.is_eagle3())", "def ask(model, on):\n    if on:\n        model.hook()", E3),
    "a keyword": ("ask(model, on=algo.is_eagle3())", "def ask(model, on=False):\n    if on:\n        model.hook()", E3),
    "a default": ("ask(model)", "def ask(model, on=True):\n    if on:\n        model.hook()", EVERY),
    "a default that no caller changes": (
        "ask(model)",
        "def ask(model, on=False):\n    if on:\n        model.hook()",
        set(),
    ),
    "the algorithm itself": (
        "ask(model, algo)",
        "def ask(model, kind: SpeculativeAlgorithm):\n    if kind.is_ngram():\n        model.hook()",
        NGRAM,
    ),
    "two callers": (
        "ask(model, algo.is_eagle3())\nask(model, algo.is_ngram())",
        "def ask(model, on):\n    if on:\n        model.hook()",
        E3 | NGRAM,
    ),
    "called under a condition": (
        "if algo.is_dflash():\n    ask(model)",
        "def ask(model):\n    model.hook()",
        {"DFLASH"},
    ),
    "called under a condition, and again": (
        "if algo.is_dflash():\n    ask(model)",
        "def ask(model):\n    deeper(model)\ndef deeper(model):\n    model.hook()",
        {"DFLASH"},
    ),
    "a function that answers": (
        "if wanted(algo):\n    model.hook()",
        "def wanted(kind: SpeculativeAlgorithm):\n    return kind.is_eagle3()",
        E3,
    ),
    "a function that answers by branches": (
        "if wanted(algo):\n    model.hook()",
        "def wanted(kind: SpeculativeAlgorithm):\n    if kind.is_ngram():\n        return True\n    return False",
        NGRAM,
    ),
}


@pytest.mark.parametrize("name", THROUGH)
def test_through_functions(met, name: str) -> None:
    snippet, before, expected = THROUGH[name]
    assert met(snippet, before).get("target", set()) == expected
