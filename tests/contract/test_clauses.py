"""What one condition says about a model: clauses that all hold (`&`), each a choice (`|`).

`has x`, `lacks x`: the member is there or not. `x`, `not x`: its value. `is`, `is not`: the model's type. `f takes x`:
somebody looked at a signature. `[…]` is a condition on anything else, `[model: …]` one that asks something of a model,
`[… is there]` one that asks for None. First where the condition is true, then where it is false.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.contract.presence import Clause, Has, Holds, IsA, Literal, Presence, Takes
from specint.contract.touches import find_touches
from specint.facts import model as facts

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
import inspect
from sglang.srt.lora.layers import unwrap_lora_layer
from sglang.srt.managers.tp_worker import TpModelWorker

def takes(function, name):
    return name in inspect.signature(function).parameters

def has_it(model):
    return hasattr(model, "hook")

class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        model = target_worker.model_runner.model
        other = target_worker.other
        has = hasattr(model, "hook")
        lacks = not hasattr(model, "hook")
        hook = getattr(model, "hook", None)
        flag = getattr(model, "flag", False)
        twice = hasattr(model, "hook")
        twice = gpu_id
        later = None
        if hasattr(model, "hook"):
            later = 1
        chosen = 1 if hasattr(model, "hook") else None
        both = hasattr(model, "a") and hasattr(model, "b")
        self.has = hasattr(model, "hook")
        parameters = inspect.signature(model.forward).parameters
        number = 3
{lines}
"""
CLAUSES = {
    "hasattr(model, 'hook')": ("has hook", "lacks hook"),
    "not hasattr(model, 'hook')": ("lacks hook", "has hook"),
    "not not hasattr(model, 'hook')": ("has hook", "lacks hook"),
    "hasattr(other, 'hook')": ("[hasattr(other, 'hook')]", "[not hasattr(other, 'hook')]"),
    "hasattr(model, gpu_id)": ("[hasattr(model, gpu_id)]", "[not hasattr(model, gpu_id)]"),
    "model.flag": ("flag", "not flag"),
    "not model.flag": ("not flag", "flag"),
    "model.flag()": ("[model: model.flag()]", "[model: not model.flag()]"),
    "bool(model.flag)": ("flag", "not flag"),
    "getattr(model, 'flag', False)": ("has flag", "not flag"),
    "getattr(model, 'hook', None)": ("has hook", "lacks hook"),
    "getattr(model, 'hook')": ("hook", "not hook"),
    "callable(getattr(model, 'hook', None))": ("has hook", "lacks hook"),
    "getattr(model, 'hook', None) is None": ("lacks hook", "has hook"),
    "getattr(model, 'hook', None) == None": ("lacks hook", "has hook"),
    "getattr(model, 'hook', None) is not None": ("has hook", "lacks hook"),
    "getattr(model, 'hook', None) != None": ("has hook", "lacks hook"),
    "unwrap_lora_layer(getattr(model, 'hook', None)) is None": ("lacks hook", "has hook"),
    "unwrap_lora_layer(*getattr(model, 'hook', None))": (
        "[model: unwrap_lora_layer(*getattr(model, 'hook', None))]",
        "[model: not unwrap_lora_layer(*getattr(model, 'hook', None))]",
    ),
    "(found := getattr(model, 'hook', None))": ("has hook", "lacks hook"),
    "model.flag is None": ("[model: not model.flag is there]", "[model: model.flag is there]"),
    "isinstance(model, Special)": ("is", "is not"),
    "not isinstance(model, Special)": ("is not", "is"),
    "isinstance(other, Special)": ("[isinstance(other, Special)]", "[not isinstance(other, Special)]"),
    "gpu_id": ("[gpu_id]", "[not gpu_id]"),
    "gpu_id is None": ("[not gpu_id is there]", "[gpu_id is there]"),
    "gpu_id is not None": ("[gpu_id is there]", "[not gpu_id is there]"),
    "gpu_id == 3": ("[gpu_id == 3]", "[not gpu_id == 3]"),
    "other.go(model)": ("[other.go(model)]", "[not other.go(model)]"),
    "other.go(model.flag)": ("[model: other.go(model.flag)]", "[model: not other.go(model.flag)]"),
    # several
    "hasattr(model, 'a') and hasattr(model, 'b')": ("has a & has b", "lacks a | lacks b"),
    "hasattr(model, 'a') or hasattr(model, 'b')": ("has a | has b", "lacks a & lacks b"),
    "hasattr(model, 'a') and gpu_id": ("has a & [gpu_id]", "lacks a | [not gpu_id]"),
    "hasattr(model, 'a') or not model.flag": ("has a | not flag", "lacks a & flag"),
    "hasattr(model, 'a') and not (model.b or gpu_id)": ("has a & not b & [not gpu_id]", "lacks a | b | [gpu_id]"),
    "hasattr(model, 'a') or (model.b and gpu_id)": (
        "has a | [model: model.b and gpu_id]",
        "lacks a & not b | [not gpu_id]",
    ),
    # kept under a name
    "has": ("has hook", "lacks hook"),
    "not has": ("lacks hook", "has hook"),
    "lacks": ("lacks hook", "has hook"),
    "hook": ("has hook", "lacks hook"),
    "hook is None": ("lacks hook", "has hook"),
    "hook is not None": ("has hook", "lacks hook"),
    "callable(hook)": ("has hook", "lacks hook"),
    "flag": ("has flag", "not flag"),
    "twice": ("[twice]", "[not twice]"),
    "later": ("has hook", "lacks hook"),
    "later is not None": ("has hook", "lacks hook"),
    "chosen": ("has hook", "lacks hook"),
    "chosen is None": ("lacks hook", "has hook"),
    "both": ("has a & has b", "lacks a | lacks b"),
    "self.has": ("has hook", "lacks hook"),
    "has_it(model)": ("has hook", "lacks hook"),
    "number": ("[3]", "[not 3]"),
    # a signature
    "'x' in inspect.signature(model.forward).parameters": ("forward takes x", "forward lacks x"),
    "'x' not in inspect.signature(model.forward).parameters": ("forward lacks x", "forward takes x"),
    "'x' in parameters": ("forward takes x", "forward lacks x"),
    "takes(model.forward, 'x')": ("forward takes x", "forward lacks x"),
    "'x' in inspect.signature(other.forward).parameters": (
        "['x' in inspect.signature(other.forward).parameters]",
        "[not 'x' in inspect.signature(other.forward).parameters]",
    ),
    "'x' == inspect.signature(model.forward).parameters": (
        "[model: 'x' == inspect.signature(model.forward).parameters]",
        "[model: not 'x' == inspect.signature(model.forward).parameters]",
    ),
    "hasattr(model, 'a') and hasattr(model, 'b') or gpu_id": (
        "[model: hasattr(model, 'a') and hasattr(model, 'b')] | [gpu_id]",
        "lacks a | lacks b & [not gpu_id]",
    ),
}


def told(clauses: tuple[Clause, ...]) -> str:
    return " & ".join(" | ".join(map(literal, clause)) for clause in clauses)


def literal(one: Literal) -> str:
    match one:
        case Has():
            return f"{'has' if one.positive else 'lacks'} {one.member}"
        case Holds():
            return one.member if one.positive else f"not {one.member}"
        case IsA():
            return "is" if one.positive else "is not"
        case Takes():
            return f"{one.member} {'takes' if one.positive else 'lacks'} {one.parameter}"
    text = f"{'' if one.positive else 'not '}{facts.spell(one.expr)}{' is there' if one.of_none else ''}"
    return f"[{'model: ' if one.about_model else ''}{text}]"


@pytest.fixture(scope="module")
def said(engines) -> dict[str, tuple[str, str]]:
    lines = textwrap.indent("\n".join(f"if {one}:\n    pass" for one in CLAUSES), " " * 8)
    found = engines({MODULE: WORKER.replace("{lines}", lines)})
    function = found.function(MODULE, "NGRAMWorker.__init__")
    presence = Presence(found.reach, find_touches(found.receivers, found.receivers.model_names()))
    steps = [step for step in function.facts.body.steps if isinstance(step, facts.Evaluate)][-len(CLAUSES) :]
    return {
        text: (told(presence.clauses(step.value, True, function)), told(presence.clauses(step.value, False, function)))
        for text, step in zip(CLAUSES, steps, strict=True)
    }


@pytest.mark.parametrize("text", CLAUSES)
def test_condition_as_clauses(said: dict[str, tuple[str, str]], text: str) -> None:
    assert said[text] == CLAUSES[text]
