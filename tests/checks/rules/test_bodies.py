"""What rules say of one member's body: a class a case, all in one file, analysed at once.

Told as the rule's number, the line of the body (0: the method itself) and what stands there.
"""

from __future__ import annotations

import re
import textwrap

import pytest

HEAD = """
from torch import nn

class Leaf(nn.Module): ...

class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(1)
        self.leaf = Leaf()
        self.spare = None

    def help(self):
        return 1

class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(8, 8)
        self.part = Part()

    def both(self):
        return self.embed_tokens.weight, self.part.weight

    def single(self):
        return self.embed_tokens.weight

    def three(self):
        return 1, 2, 3

    def nothing(self):
        self.part = Part()

    def counts(self):
        yield 1

    @wrapped
    def decorated(self):
        return 1

    def get_embed_and_head(self):
        return self.both()

    def forward(self, x):
        return self.embed_tokens(x)

class Above(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.skipped = 1

"""
CLASS = """
class X(Above):
    def __init__(self, config, quant_config=None):
        nn.Module.__init__(self)
        self.model = Inner(config)
        self.lm_head = nn.Linear(8, 8)
        self.quantised = nn.Linear(8, 8, quant_config=quant_config)
        self.plain = nn.Linear(8, 8, quant_config=None)
        self.perhaps = Inner(config) if config.has_one else None
        self.part = Part()
        self.either = Inner(config) if config.has_one else Part()
        if config.has_one:
            self.only = Inner(config)
        self.from_above = 1

    def own_pair(self):
        return self.model.both()

    def looks(self):
        return self.model.nobody

    def forward(self, input_ids, positions, forward_batch):
        return forward_batch.logits(self.model(input_ids), self.lm_head, None)

    def load_weights(self, weights): ...

    def get_embed_and_head(self{params}):
{body}
"""
W = "self.model.embed_tokens.weight"
CASES: dict[str, list[str]] = {
    # what is given back
    f"return {W}, self.lm_head.weight": [],
    f"return {W}": [f"E7707 @1: it returns {W}, a single tensor"],
    f"return {W}, 1, 2": ["E7707 @1: it returns 3 values"],
    f"return ({W},)": ["E7707 @1: it returns 1 value"],
    "return None": ["E7707 @0: it returns nothing"],
    "return": ["E7707 @0: it returns nothing"],
    "pass": ["E7707 @0: it returns nothing"],
    "raise NotImplementedError": [],
    "return 1": ["E7707 @1: it returns a constant"],
    "return self.model.both()": [],
    "return self.model.single()": [
        "E7707 @1: it returns what Inner.single gives: returns self.embed_tokens.weight, a single tensor"
    ],
    "return self.model.three()": ["E7707 @1: it returns what Inner.three gives: returns 3 values"],
    "return self.model.nothing()": ["E7707 @1: it returns what Inner.nothing gives, which is nothing"],
    "return self.model.counts()": [],
    "return self.model.decorated()": [],
    "return self.own_pair()": [],
    "return self.model.both": ["E7707 @1: it returns the method self.model.both itself, without a call"],
    "return self.model.both, 1": ["E7707 @1: it returns the method self.model.both itself, without a call"],
    "return self.part": ["E7707 @1: it returns self.part, a single object"],
    "self.model.get_embed_and_head()": [
        "E7707 @1: it calls self.model.get_embed_and_head and doesn't return what that gives"
    ],
    "self.model.both()": ["E7707 @0: it returns nothing"],
    f"if self.on:\n    return {W}, 1\n": [
        "E7704 @1: X.get_embed_and_head reads self.on here",
        "E7707 @2: it ends without a return where none of its conditions holds",
    ],
    "self.x = 1\nif self.x:\n    return 1, 2": [
        "E7707 @3: it ends without a return where none of its conditions holds"
    ],
    "self.x = 1\nif self.x:\n    return 1, 2\nraise ValueError": [],
    "self.x = 1\nif self.x:\n    return 1, 2\nreturn None": ["E7707 @4: it returns None"],
    "return (1, 2) if self.lm_head else None": ["E7707 @1: it returns None"],
    "return (1, 2) if self.lm_head else (1, 2, 3)": ["E7707 @1: it returns 3 values"],
    "x = self.model.both()\nreturn x": [],
    "return 1, *self.model.both()": [],
    # what it reaches for
    "return self.model.leaf, 1": ["E7704 @1: X.get_embed_and_head reads self.model.leaf here"],
    "return self.model.nobody, 1": ["E7704 @1: X.get_embed_and_head reads self.model.nobody here"],
    "return self.model.part.nobody, 1": ["E7704 @1: X.get_embed_and_head reads self.model.part.nobody here"],
    "return self.nobody, 1": ["E7704 @1: X.get_embed_and_head reads self.nobody here"],
    "self.model.late = 1\nreturn 1, 2": [],
    "self.model.late = 1\nreturn self.model.late, 1": [],
    "try:\n    return self.model.nobody, 1\nexcept AttributeError:\n    return 1, 2": [],
    "return self.perhaps.embed_tokens, 1": ["W7714 @1: X.get_embed_and_head reads self.perhaps.embed_tokens here"],
    "if self.perhaps is None:\n    return 1, 2\nreturn self.perhaps.embed_tokens, 1": [],
    "assert self.perhaps is not None\nreturn self.perhaps.embed_tokens, 1": [],
    "return self.looks(), 1": [
        "E7704 @1: X.get_embed_and_head calls on from here",
    ],
    "return self.either.embed_tokens, 1": ["E7704 @1: X.get_embed_and_head reads self.either.embed_tokens here"],
    "return self.model.both().nobody, 1": [],
    "(*, config=None) return (self.nobody if config else 1), 1": [],
    "return self.either.nobody, 1": ["E7704 @1: X.get_embed_and_head reads self.either.nobody here"],
    "return self.only.embed_tokens, 1": ["W7714 @1: X.get_embed_and_head reads self.only.embed_tokens here"],
    "return self.only.nobody, 1": ["E7704 @1: X.get_embed_and_head reads self.only.nobody here"],
    "return self.model.help, 1": ["E7704 @1: X.get_embed_and_head reads self.model.help here"],
    "return self.model.spare, 1": ["E7704 @1: X.get_embed_and_head reads self.model.spare here"],
    "return self.model.nobody, self.part.nobody": ["E7704 @1: X.get_embed_and_head reads self.model.nobody here"],
    "return self.model.nobody, self.part.another": ["E7704 @1: X.get_embed_and_head reads self.model.nobody here"],
    "return self.skipped, 1": [],
    "return self.model.skipped, 1": ["E7704 @1: X.get_embed_and_head reads self.model.skipped here"],
    # quantised layers
    "return self.quantised.weight, 1": ["W7713 @1: self.quantised.weight is handed out here"],
    "return self.plain.weight, 1": [],
    "return self.quantised, 1": [],
    "x = self.quantised.weight\nreturn 1, 2": [],
    # parameters
    "(config) return 1, 2": ["E7706 @0: X.get_embed_and_head is defined here"],
    "(config=None) return 1, 2": [],
    "(*, config) return 1, 2": ["E7706 @0: X.get_embed_and_head is defined here"],
    "(config=None) return config.nobody, 1": [],
    "(config=None) if config:\n    return self.nobody, 1\nreturn 1, 2": [],
}


AT = "; EAGLE and EAGLE3 get an AttributeError from it at sglang/srt/speculative/eagle_worker.py:17"
CANT = "X.get_embed_and_head can't work"
OF_INNER = "self.model is of class Inner, which has no"
MESSAGES = {
    "return self.model.nobody, 1": f"{CANT}: it reaches for self.model.nobody, but {OF_INNER} nobody{AT}",
    "return self.nobody, 1": f"{CANT}: it reaches for self.nobody, but nothing ever sets it{AT}",
    "return self.model.leaf, 1": f"{CANT}: it reaches for self.model.leaf, but {OF_INNER} leaf "
    f"(self.model.part.leaf exists){AT}",
    "return self.looks(), 1": f"{CANT}, through X.looks: it reaches for self.model.nobody, but {OF_INNER} nobody{AT}",
    "return self.either.embed_tokens, 1": f"{CANT}: it reaches for self.either.embed_tokens, but self.either is of "
    f"class Part, which has no embed_tokens{AT}",
}


@pytest.fixture(scope="module")
def said(analysed, told) -> dict[str, list[str]]:
    text, names, first, start = HEAD, {}, {}, {}
    for number, case in enumerate(CASES):
        name = f"X{number:02}"
        given = re.match(r"\((.*?)\) ", case)
        params, body = (f", {given[1]}", case[given.end() :]) if given else ("", case)
        source = CLASS.replace("{params}", params).replace("class X(", f"class {name}(")
        start[name] = text.count("\n") + 1
        first[name] = text.count("\n") + source[: source.index("{body}")].count("\n")
        text += source.replace("{body}", textwrap.indent(body, " " * 8))
        names[case] = name
    findings = analysed({"sglang.srt.models.trial": f"{text}\nEntryClass = [{', '.join(names.values())}]\n"}).findings

    def short(name: str) -> list[str]:
        mine = [f for f in findings if f.class_.endswith(f".{name}") and f.member == "get_embed_and_head"]
        for one in mine:
            if one.id == "E7704":
                messages[name] = one.message.replace(name, "X")
        return sorted(
            f"{one.id} @{one.evidence[0].line - first[name]}: {one.evidence[0].what}".replace(name, "X") for one in mine
        )

    def full(case: str, name: str) -> str:
        mine = [f for f in findings if f.class_.endswith(f".{name}") and f.member == "get_embed_and_head"]
        said = "\n".join([f"== {case}", *(told(one).replace(name, "X") for one in mine), ""])
        return re.sub(r"sglang/srt/models/trial\.py:(\d+)", lambda line: near(int(line[1]), start[name]), said)

    def near(line: int, class_: int) -> str:
        return f"{line - class_} lines below the class" if line >= class_ else f"line {line}"

    messages: dict[str, str] = {}
    found = {case: short(name) for case, name in names.items()}
    found["in full"] = [full(case, name) for case, name in names.items() if CASES[case]]
    return found | {f"message of {case}": [messages[name]] for case, name in names.items() if name in messages}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_of_a_body(said: dict[str, list[str]], case: str) -> None:
    assert said[case] == CASES[case]


@pytest.mark.parametrize("case", MESSAGES)
def test_how_a_reach_that_fails_is_told(said: dict[str, list[str]], case: str) -> None:
    assert said[f"message of {case}"] == [MESSAGES[case]]


def test_all_that_is_said_of_bodies(said: dict[str, list[str]], golden) -> None:
    """With the evidence and what would settle it."""
    golden("bodies.txt", "\n".join(said["in full"]).encode())
