"""Python source by choices: whoever makes them, a fuzzer or a random generator, makes a text that mostly parses."""

from __future__ import annotations

import random
from typing import Protocol

NAMES = (
    "a",
    "b",
    "self",
    "cls",
    "x",
    "super",
    "nn",
    "config",
    "A",
    "B",
    "C",
    "Model",
    "EntryClass",
    "é",
    "ﬁ",
    "_",
    "T",
)
MEMBERS = (
    "model",
    "language_model",
    "lm_head",
    "forward",
    "get_embed_and_head",
    "config",
    "__init__",
    "__getattr__",
    "x",
)
MODULES = (
    "torch.nn",
    "sglang.srt.models.fuzz0",
    "sglang.srt.models.fuzz1",
    "sglang.srt.models.oak",
    ".fuzz0",
    "..",
    "os",
)
BASES = ("nn.Module", "A", "B", "C", "Generic[T]", "make()", "*bases", "metaclass=M", "OakForCausalLM")
DECORATORS = ("property", "staticmethod", "classmethod", "torch.no_grad()", "x.setter", "a[0]", "lambda f: f")
LITERALS = (
    "0",
    "1.5",
    "None",
    "True",
    "'get_embed_and_head'",
    "b'x'",
    "1j",
    "...",
    "'\\ud800'",
    "9" * 30,
    "-1",
    "''",
    "f'{a!r:>{b}}'",
)
OPERATORS = ("+", "-", "*", "@", "|", "**", "//", "<<")
COMPARISONS = ("==", "!=", "<", "is", "is not", "in", "not in")
PATTERNS = ("1", "None", "'a'", "[a, *b]", "{'k': v, **rest}", "A(x=1)", "a.b", "_", "1 | 2", "(a as b)")


class Choices(Protocol):
    """What makes the choices."""

    def upto(self, last: int) -> int:
        """A number from 0 to `last`."""
        ...

    def spent(self) -> bool:
        """Whether it is time to come to an end."""
        ...


class Random:
    """Choices at random, the same for the same seed."""

    def __init__(self, seed: int, budget: int = 300) -> None:
        self._random = random.Random(seed)
        self._left = budget

    def upto(self, last: int) -> int:
        self._left -= 1
        return self._random.randint(0, last)

    def spent(self) -> bool:
        return self._left <= 0


class Grammar:
    """Writes statements and expressions, never deeper than it is told."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def one_of(self, words: tuple[str, ...]) -> str:
        return words[self.choices.upto(len(words) - 1)]

    def chance(self, of: int) -> bool:
        return not self.choices.spent() and self.choices.upto(of - 1) == 0

    def module(self) -> str:
        return self.block(0, 4, longest=8)

    def block(self, indent: int, depth: int, longest: int = 3) -> str:
        count = 1 + self.choices.upto(longest - 1) if not self.choices.spent() else 1
        return "".join(self.statement(indent, depth) for _ in range(count))

    def statement(self, indent: int, depth: int) -> str:
        pad = "    " * indent
        simple = depth <= 0 or self.choices.spent()
        e = self.expression
        match self.choices.upto(13 if simple else 27):
            case 0 | 1:
                return f"{pad}{self.target(2)} = {e(3)}\n"
            case 2:
                return f"{pad}self.{self.one_of(MEMBERS)} = {e(3)}\n"
            case 3:
                return f"{pad}{e(3)}\n"
            case 4:
                return f"{pad}{self.one_of(NAMES)}: {self.annotation()} = {e(2)}\n"
            case 5:
                return f"{pad}return {e(2)}\n" if indent else f"{pad}EntryClass = {e(2)}\n"
            case 6:
                return f"{pad}from {self.one_of(MODULES)} import {self.one_of((*NAMES[8:12], '*'))}\n".replace(
                    "from os import *", "import os.path as x"
                )
            case 7:
                return f"{pad}import {self.one_of(MODULES[:4])} as {self.one_of(NAMES)}\n"
            case 8:
                return f"{pad}{self.one_of(NAMES)} {self.one_of(OPERATORS)}= {e(2)}\n"
            case 9:
                return f"{pad}del {self.target(1)}\n"
            case 10:
                return f"{pad}assert {e(2)}, {e(1)}\n"
            case 11:
                return f"{pad}raise {e(1)} from {e(1)}\n"
            case 12:
                return f"{pad}{self.one_of(('pass', 'continue', 'break', 'global x', 'nonlocal y', 'raise'))}\n"
            case 13:
                return f"{pad}setattr({self.one_of(NAMES)}, {self.one_of(LITERALS)}, {e(1)})  # pylint: disable=all\n"
            case 14 | 15:
                return self.branch(indent, depth)
            case 16:
                return f"{pad}for {self.target(1)} in {e(2)}:\n{self.inner(indent, depth)}"
            case 17:
                return f"{pad}while {e(2)}:\n{self.inner(indent, depth)}{pad}else:\n{self.inner(indent, depth)}"
            case 18:
                item = f"{e(2)} as {self.target(1)}" if self.chance(2) else e(2)
                return f"{pad}with {item}:\n{self.inner(indent, depth)}"
            case 19 | 20:
                return self.attempt(indent, depth)
            case 21:
                cases = "".join(
                    f"{pad}    case {self.one_of(PATTERNS)} if {e(1)}:\n{self.inner(indent + 1, depth)}"
                    for _ in range(2)
                )
                return f"{pad}match {e(1)}:\n{cases}"
            case 22 | 23 | 24:
                return self.function(indent, depth)
            case _:
                return self.class_(indent, depth)

    def inner(self, indent: int, depth: int) -> str:
        return self.block(indent + 1, depth - 1)

    def branch(self, indent: int, depth: int) -> str:
        pad = "    " * indent
        text = f"{pad}if {self.expression(3)}:\n{self.inner(indent, depth)}"
        while self.chance(3):
            text += f"{pad}elif {self.expression(2)}:\n{self.inner(indent, depth)}"
        return text + (f"{pad}else:\n{self.inner(indent, depth)}" if self.chance(2) else "")

    def attempt(self, indent: int, depth: int) -> str:
        pad = "    " * indent
        star = "*" if self.chance(5) else ""
        caught = self.one_of(("ImportError", "(A, B)", "a.b", "f()", "Exception"))
        text = f"{pad}try:\n{self.inner(indent, depth)}{pad}except{star} {caught} as e:\n{self.inner(indent, depth)}"
        return text + (f"{pad}finally:\n{self.inner(indent, depth)}" if self.chance(2) else "")

    def function(self, indent: int, depth: int) -> str:
        pad = "    " * indent
        head = f"{pad}@{self.one_of(DECORATORS)}\n" if self.chance(3) else ""
        name = self.one_of((*MEMBERS, "f", "g"))
        way = "async def" if self.chance(6) else "def"
        returns = f" -> {self.annotation()}" if self.chance(3) else ""
        return f"{head}{pad}{way} {name}({self.parameters()}){returns}:\n{self.inner(indent, depth)}"

    def parameters(self) -> str:
        extra = (
            "",
            ", /",
            ", *, k=1",
            ", *args",
            ", **kwargs",
            ", *args, k, **kwargs",
            f", x: {self.annotation()} = 1",
        )
        return f"self{self.one_of(extra)}" if self.chance(1) else ""

    def class_(self, indent: int, depth: int) -> str:
        pad = "    " * indent
        head = f"{pad}@{self.one_of(DECORATORS)}\n" if self.chance(6) else ""
        bases = sorted({self.one_of(BASES) for _ in range(self.choices.upto(2))}, key=lambda base: "=" in base)
        return f"{head}{pad}class {self.one_of(NAMES[8:12])}({', '.join(bases)}):\n{self.inner(indent, depth)}"

    def target(self, depth: int) -> str:
        name = self.one_of(NAMES)
        match self.choices.upto(4):
            case 0 if depth:
                return f"{name}, {self.target(depth - 1)}"
            case 1 if depth:
                return f"({self.target(depth - 1)}, [{self.one_of(NAMES)}])"
            case 2:
                return f"{name}.{self.one_of(MEMBERS)}"
            case 3:
                return f"{name}[{self.expression(1)}]"
            case _:
                return name

    def annotation(self) -> str:
        return self.one_of(
            ("int", "'A'", "Optional[A]", "'list[B] | None'", "'not ( parsed'", "A | B", "type[C]", "''", "1")
        )

    def expression(self, depth: int) -> str:
        if depth <= 0 or self.choices.spent():
            return self.one_of((*NAMES, *LITERALS[:4]))
        e = self.expression
        match self.choices.upto(23):
            case 0 | 1:
                return f"{e(depth - 1)}.{self.one_of(MEMBERS)}"
            case 2 | 3:
                return f"{self.one_of(NAMES)}({e(depth - 1)}, {self.one_of(MEMBERS)}={e(depth - 1)})"
            case 4:
                return f"{e(depth - 1)}(*{e(depth - 1)}, **{e(depth - 1)})"
            case 5:
                return f"super().{self.one_of(MEMBERS)}({e(depth - 1)})"
            case 6:
                return f"getattr({e(depth - 1)}, {self.one_of(LITERALS)}, None)"
            case 7:
                return f"hasattr({e(depth - 1)}, {self.one_of(LITERALS)})"
            case 8:
                return f"({e(depth - 1)} {self.one_of(OPERATORS)} {e(depth - 1)})"
            case 9:
                return f"({e(depth - 1)} {self.one_of(('and', 'or'))} {e(depth - 1)})"
            case 10:
                return f"(not {e(depth - 1)})"
            case 11:
                return f"({e(depth - 1)} {self.one_of(COMPARISONS)} {e(depth - 1)})"
            case 12:
                return f"({e(depth - 1)} if {e(depth - 1)} else {e(depth - 1)})"
            case 13:
                return f"(lambda {self.parameters()}: {e(depth - 1)})"
            case 14:
                return f"[{e(depth - 1)} for {self.target(1)} in {e(depth - 1)} if {e(depth - 1)}]"
            case 15:
                return f"{{{e(depth - 1)}: {e(depth - 1)}, **{e(depth - 1)}}}"
            case 16:
                return f"({e(depth - 1)}, *{e(depth - 1)})"
            case 17:
                return f"{e(depth - 1)}[{e(depth - 1)}]"
            case 18:
                return f"{e(depth - 1)}[{e(depth - 1)}:{e(depth - 1)}, ...]"
            case 19:
                return f"({self.one_of(NAMES)} := {e(depth - 1)})"
            case 20:
                return self.one_of(("(yield)", "(yield from a)", "(await a)", "(yield a)"))
            case 21:
                return f"f'{{{self.one_of(NAMES)}!r}} {{{self.one_of(NAMES)}.{self.one_of(MEMBERS)}:>{{x}}}}'"
            case 22:
                return f"target_worker.model_runner.model.{self.one_of(MEMBERS)}()"
            case _:
                return self.one_of(LITERALS)
