"""What a condition is under each algorithm: true, false or open. One runner whose constructor asks them all.

Expected is what a server would find; `T`, `F` and `?` stand for DFLASH, DSPARK, EAGLE, EAGLE3, NGRAM and NONE in turn,
and where both sides differ, the draft's follow.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.contract.conditions import Side
from specint.facts import model as facts

MODULE = "sglang.srt.model_executor.graph_runner"
ALGORITHMS = ("DFLASH", "DSPARK", "EAGLE", "EAGLE3", "NGRAM", "NONE")
RUNNER = """
from __future__ import annotations

from typing import TYPE_CHECKING

from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

if TYPE_CHECKING:
    from sglang.srt.model_executor.model_runner import ModelRunner

DEEP = "deep"
late = True
plain = open("x").read()
SOME = open("x").read()
NUMBER: int

def answered(kind: SpeculativeAlgorithm):
    if kind.is_eagle3():
        return True
    return False

def spelled(kind: SpeculativeAlgorithm):
    return "deep" if kind.is_eagle3() else "flat"

def nothing(kind: SpeculativeAlgorithm):
    return kind.is_eagle() and not kind.is_eagle()

def rounds(kind: SpeculativeAlgorithm):
    yield kind.is_eagle()

def itself(kind: SpeculativeAlgorithm):
    return itself(kind) or kind.is_ngram()

class Holder:
    of_class = False
    late = False

    def __init__(self, algo: SpeculativeAlgorithm, default=None, *, plain=False):
        self.eagle = algo.is_eagle()
        self.plain = plain
        self.default = default
        self.pair, self.other = algo.is_eagle(), 1
        if algo.is_ngram():
            self.late = True
        self.grown = algo.is_eagle()
        self.grown += 1
        self.unsure = algo.is_eagle()
        self.unsure = open("x")

    @property
    def deep(self):
        return self.eagle

    def method(self):
        return self.eagle

class GraphRunner:
    on_class = False

    def __init__(self, model_runner: ModelRunner):
        self.model_runner = model_runner
        algo = model_runner.spec_algorithm
        args = model_runner.server_args
        eagle = algo.is_eagle()
        holder = Holder(algo)
        told = Holder(algo, algo.is_ngram(), plain=algo.is_eagle3())
        word = "deep" if algo.is_eagle3() else "flat"
        size = 2 if algo.is_ngram() else 0
        sure = 1 if eagle else 2
        pick = "deep" if algo.is_eagle3() and args.x else "flat"
        apart = "high" if algo.is_eagle3() and args.x else "low"
        alike = "deep" if algo.is_eagle3() and args.x else "low"
        maybe = args.x if algo.is_eagle() else False
        twice = algo.is_eagle()
        if args.fast:
            twice = algo.is_ngram()
        cleared = True
        if algo.is_ngram():
            cleared = False
        kept = eagle and args.fast
        one, two = algo.is_eagle(), algo.is_ngram()
        for looped in (algo.is_eagle(), True):
            pass
        grown = algo.is_ngram()
        grown += 1
        def inner():
            return 1
{lines}
        self.asks(algo.is_eagle(), algo, 1, word="deep" if algo.is_ngram() else "flat")
        if algo.is_ngram():
            self.twice(True)
        if algo.is_eagle3():
            self.twice(False)
        self.spread(**args.more)
        self.renamed(args.kind)

    def asks(self, on, kind, number, off=False, *, word="none", first: bool = False):
{asked}

    def twice(self, on, both=True):
{twice}

    def spread(self, on=False):
{spread}

    def unasked(self, on=False):
{unasked}

    def renamed(self, kind):
        kind = self.model_runner.spec_algorithm
{renamed}
"""
#                                           DDEENN, the draft's if it differs
TRUTHS = {
    # the algorithm
    "algo.is_eagle()":                      "FFTTFF",
    "not algo.is_eagle()":                  "TTFFTT",
    "algo.is_eagle() or args.x":            "??TT??",
    "args.x or algo.is_eagle()":            "??TT??",
    "algo.is_eagle() and args.x":           "FF??FF",
    "args.x and algo.is_eagle()":           "FF??FF",
    "algo.is_eagle() and algo.is_eagle3()": "FFFTFF",
    "algo.is_eagle() or algo.is_ngram()":   "FFTTTF",
    "algo == SpeculativeAlgorithm.EAGLE":   "FFTFFF",
    "algo is SpeculativeAlgorithm.EAGLE":   "FFTFFF",
    "algo != SpeculativeAlgorithm.EAGLE":   "TTFTTT",
    "algo is not SpeculativeAlgorithm.EAGLE": "TTFTTT",
    "algo in (SpeculativeAlgorithm.EAGLE, SpeculativeAlgorithm.NGRAM)": "FFTFTF",
    "algo not in (SpeculativeAlgorithm.EAGLE,)": "TTFTTT",
    "algo in (SpeculativeAlgorithm.EAGLE, args.x[0])": "??????",
    "algo == args.x()":                     "??????",
    "algo == wanted":                       "??????",
    "algo > SpeculativeAlgorithm.EAGLE":    "??????",
    "algo.name == 'EAGLE'":                 "FFTFFF",
    "algo.name in ('EAGLE', 'NGRAM')":      "FFTFTF",
    "algo.name not in ['EAGLE']":           "TTFTTT",
    "algo.name in args.x":                  "??????",
    "algo.name in ('EAGLE', args.x)":       "??????",
    "algo.name == args.x":                  "??????",
    "algo.value == 'EAGLE'":                "??????",
    "algo.nobody()":                        "??????",
    "model_runner.server_args.speculative_algorithm == 'EAGLE'": "??????",
    "model_runner.spec_algorithm.is_eagle()": "FFTTFF",
    "self.model_runner.spec_algorithm.is_ngram()": "FFFFTF",
    "SpeculativeAlgorithm.from_string('x').is_eagle()": "FFTTFF",
    "args.x().spec_algorithm.is_eagle()":   "FFTTFF",
    "getattr(model_runner, 'spec_algorithm').is_eagle()": "FFTTFF",
    "bool(algo.is_eagle())":                "FFTTFF",
    "bool(algo.is_eagle() and args.x)":     "FF??FF",
    "(found := algo.is_eagle())":           "FFTTFF",
    "algo":                                 "??????",
    "1 < algo.name < 2":                    "??????",
    "lambda: algo.is_eagle()":              "??????",
    # the side
    "model_runner.is_draft_worker":         "FFFFFF TTTTTT",
    "not model_runner.is_draft_worker":     "TTTTTT FFFFFF",
    "self.is_draft_worker":                 "FFFFFF TTTTTT",
    "is_draft_worker":                      "FFFFFF TTTTTT",
    "algo.is_eagle() and model_runner.is_draft_worker": "FFFFFF FFTTFF",
    "model_runner.eagle_use_aux_hidden_state":"FFF?FF FFFFFF",
    # constants
    "True":                                 "TTTTTT",
    "0":                                    "FFFFFF",
    "'x'":                                  "TTTTTT",
    "None":                                 "FFFFFF",
    "args.x":                               "??????",
    # names
    "eagle":                                "FFTTFF",
    "not eagle":                            "TTFFTT",
    "word == 'deep'":                       "FFFTFF",
    "word != 'deep'":                       "TTTFTT",
    "word is 'deep'":                       "FFFTFF",
    "word == DEEP":                        "??????",
    "word == SOME":                         "??????",
    "word in ('deep', 'x')":                "FFFTFF",
    "word not in ('deep', 'x')":            "TTTFTT",
    "word in (DEEP,)":                     "??????",
    "word > 'deep'":                        "??????",
    "size":                                 "FFFFTF",
    "size == 2":                            "FFFFTF",
    "size == True":                         "FFFFFF",
    "sure == 1":                            "FFTTFF",
    "sure":                                 "TTTTTT",
    "pick == apart":                        "FFFFFF",
    "pick != apart":                        "TTTTTT",
    "pick == alike":                        "FFF?FF",
    "pick == 'deep'":                       "FFF?FF",
    "pick == 'high'":                       "FFFFFF",
    "pick in ('high', 'low')":              "FFFFFF",
    "pick in ('deep', 'flat')":             "TTTTTT",
    "pick in ('deep', 'x')":                "FFF?FF",
    "maybe":                               "??????",
    "twice":                               "FF???F",
    "cleared":                              "TTTTFT",
    "kept":                                 "FF??FF",
    "two":                                 "FFFFTF",
    "one":                                 "FFTTFF",
    "looped":                               "??????",
    "grown":                                "??????",
    "nobody":                               "??????",
    "late":                                 "TTTTTT",
    "plain":                                "??????",
    "late and eagle":                       "FFTTFF",
    "('a' if algo.is_eagle() else 'b') == 'a'": "FFTTFF",
    "(args.x if algo.is_eagle() else 'b') == 'b'": "TT??TT",
    "(word or 'x') == 'deep'":              "FFFTFF",
    "(size or 3) == 3":                     "TTTTFT",
    "(size and 3) == 3":                    "FFFFTF",
    "(not eagle) is True":                  "TTFFTT",
    "(found := word) == 'deep'":             "FFFTFF",
    "('a', 'b')[algo.is_eagle()] == 'b'":    "??????",
    "-algo.is_eagle()":                      "??????",
    "(1 if algo.is_eagle() else 0) == 1":    "FFTTFF",
    "(None if algo.is_eagle() else 1) is None": "FFTTFF",
    "(args.x and word) == 'deep'":           "??????",
    "word in []":                            "??????",
    "not (algo.is_eagle() and args.x)":      "TT??TT",
    "not (algo.is_eagle() or args.x)":       "??FF??",
    "algo.is_eagle() is False":              "TTFFTT",
    "algo.is_eagle() == args.x":             "??????",
    "(algo.is_eagle3() or algo.is_ngram()) and not algo.is_ngram()": "FFFTFF",
    # attributes of objects
    "told.plain":                            "FFF?FF",
    "told.default":                          "FFFF?F",
    "holder.nobody":                         "??????",
    "model_runner.nobody":                   "??????",
    "holder.eagle":                         "FFTTFF",
    "holder.deep":                          "FFTTFF",
    "holder.method()":                      "FFTTFF",
    "holder.method":                        "??????",
    "holder.late":                         "FFFF?F",
    "holder.pair":                         "FFTTFF",
    "holder.grown":                         "??????",
    "holder.unsure":                        "??????",
    "holder.eagle == True":                 "FFTTFF",
    "getattr(holder, 'eagle')":             "FFTTFF",
    "getattr(holder, 'eagle', False)":     "FF??FF",
    "getattr(holder, 'eagle', True)":       "??TT??",
    "getattr(holder, 'eagle', args.x)":     "??????",
    "args.eagle":                           "??????",
    # what is called
    "answered(algo)":                       "FFFTFF",
    "nothing(algo)":                        "FFFFFF",
    "spelled(algo) == 'deep'":              "FFFTFF",
    "rounds(algo)":                         "??????",
    "itself(algo)":                         "FFFFTF",
    "unknown(algo.is_eagle())":             "??????",
}  # fmt: skip


# In the methods that the constructor calls, each named by the mark in its body.
PARAMETERS = {
    "asked": {
        "on":                               "FFTTFF",
        "off":                              "??????",
        "first":                            "??????",
        "kind.is_ngram()":                  "??????",
        "word == 'deep'":                   "FFFFTF",
        "number == 1":                      "??????",
        "on and word == 'deep'":            "FFFFFF",
        "self.model_runner.spec_algorithm.is_ngram()": "FFFFTF",
    },
    "twice": {"on": "???FT?", "both": "??????", "on or both": "????T?"},
    "spread": {"on": "??????"},
    "unasked": {"on": "??????"},
    "renamed": {"kind.is_eagle()": "FFTTFF"},
}  # fmt: skip


def method(name: str) -> str:
    return {"lines": "__init__", "asked": "asks"}.get(name, name)


@pytest.fixture(scope="module")
def truths(engines) -> dict[tuple[str, str], str]:
    tables = {"lines": TRUTHS, **PARAMETERS}
    text = RUNNER
    for mark, table in tables.items():
        tests = "\n".join(f"if {one}:\n    pass" for one in table)
        text = text.replace(f"{{{mark}}}", textwrap.indent(tests, " " * 8))
    found = engines({MODULE: text})
    conditions, signs = found.reach.conditions, {True: "T", False: "F", None: "?"}
    told: dict[tuple[str, str], str] = {}
    for mark, table in tables.items():
        function = found.function(MODULE, f"GraphRunner.{method(mark)}")
        first = text[: text.index(f"def {method(mark)}(", text.index("class GraphRunner"))].count("\n")
        lines = text.splitlines()
        steps = {step.line: step for step in function.facts.body.steps if isinstance(step, facts.Evaluate)}
        for condition in table:
            line = next(n for n in range(first, len(lines)) if lines[n] == f"        if {condition}:") + 1
            step = steps[line]
            sides = (
                "".join(signs[conditions.truth(step.value, function, step, Side(one, role))] for one in ALGORITHMS)
                for role in ("target", "draft")
            )
            told[mark, condition] = " ".join(dict.fromkeys(sides))
    return told


@pytest.mark.parametrize("text", TRUTHS)
def test_condition_under_each_algorithm(truths: dict[tuple[str, str], str], text: str) -> None:
    assert truths["lines", text] == TRUTHS[text]


@pytest.mark.parametrize(("mark", "text"), [(mark, text) for mark, table in PARAMETERS.items() for text in table])
def test_condition_on_what_callers_hand_over(truths: dict[tuple[str, str], str], mark: str, text: str) -> None:
    assert truths[mark, text] == PARAMETERS[mark][text]
