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
    "('a' if algo.is_eagle() else 'b') == 'a'": "FFTTFF",
    "(args.x if algo.is_eagle() else 'b') == 'b'": "TT??TT",
    "(word or 'x') == 'deep'":              "FFFTFF",
    "(size or 3) == 3":                     "TTTTFT",
    "(size and 3) == 3":                    "FFFFTF",
    "(not eagle) is True":                  "TTFFTT",
    # attributes of objects
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


@pytest.fixture(scope="module")
def truths(engines) -> dict[str, str]:
    lines = textwrap.indent("\n".join(f"if {one}:\n    pass" for one in TRUTHS), " " * 8)
    found = engines({MODULE: RUNNER.replace("{lines}", lines)})
    function = found.function(MODULE, "GraphRunner.__init__")
    steps = [step for step in function.facts.body.steps if isinstance(step, facts.Evaluate)][-len(TRUTHS) :]
    signs = {True: "T", False: "F", None: "?"}

    def of(step: facts.Evaluate, role: str) -> str:
        conditions = found.reach.conditions
        return "".join(signs[conditions.truth(step.value, function, step, Side(one, role))] for one in ALGORITHMS)

    pairs = {text: (of(step, "target"), of(step, "draft")) for text, step in zip(TRUTHS, steps, strict=True)}
    return {text: target if target == draft else f"{target} {draft}" for text, (target, draft) in pairs.items()}


@pytest.mark.parametrize("text", TRUTHS)
def test_condition_under_each_algorithm(truths: dict[str, str], text: str) -> None:
    assert truths[text] == TRUTHS[text]
