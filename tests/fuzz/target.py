"""A fuzzer that sees which lines it reaches (atheris) looks for texts and trees that break what must hold.

    make fuzz                                    # both targets, a fixed number of inputs, a fixed seed
    python tests/fuzz/target.py facts -runs=200000 -seed=1

Bytes at random are hardly ever Python, so the bytes are choices: of a grammar, of how to change pieces of real files,
or, for one input in eight, the text itself. What is found goes into tests/facts/test_bounds.py or beside the fault.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import tokenize
from pathlib import Path

import atheris

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

FACTS = ["specint.facts", "specint.parsing"]
REACHED = FACTS if sys.argv[1:2] == ["facts"] else [*FACTS, "specint.graph", "specint.contract", "specint.compliance"]
"""What isn't reached is not watched: it would only cost time."""

with atheris.instrument_imports(include=REACHED):
    from grammar import Grammar
    from invariants import SMALL, check_facts, check_tree


class Bytes:
    """Choices by the bytes of an input."""

    def __init__(self, data: bytes) -> None:
        self.provider = atheris.FuzzedDataProvider(data)

    def upto(self, last: int) -> int:
        return self.provider.ConsumeIntInRange(0, last)

    def spent(self) -> bool:
        return self.provider.remaining_bytes() == 0


def pieces() -> list[list[str]]:
    """The fixtures' files, each as its tokens with the space before them."""
    found = []
    for path in sorted(SMALL.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        tokens, line, column = [], 1, 0
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (to_line, to_column), start = token.end, (line, column)
            if token.end > start:
                inside = lines[line - 1 : to_line]
                inside[-1:] = [inside[-1][:to_column]] if inside else []
                tokens.append("".join(inside)[column:])
                line, column = to_line, to_column
        found.append(tokens)
    return [tokens for tokens in found if len(tokens) > 10]


PIECES = pieces()
VOCABULARY = sorted({token for tokens in PIECES for token in tokens})


def mutated(choices: Bytes) -> str:
    tokens = list(PIECES[choices.upto(len(PIECES) - 1)])
    start = choices.upto(len(tokens) - 1) if choices.upto(1) else 0
    del tokens[: start // 2]
    while tokens and not choices.spent():
        at = choices.upto(len(tokens) - 1)
        match choices.upto(5):
            case 0:
                del tokens[at : at + 1 + choices.upto(5)]
            case 1:
                tokens[at] = VOCABULARY[choices.upto(len(VOCABULARY) - 1)]
            case 2:
                tokens.insert(at, VOCABULARY[choices.upto(len(VOCABULARY) - 1)])
            case 3:
                tokens[at:at] = tokens[at : at + choices.upto(20)] * (1 + choices.upto(3))
            case 4:
                tokens[at] = f" {Grammar(choices).expression(3)} "
            case _:
                tokens.insert(at, choices.provider.ConsumeUnicode(4))
    return "".join(tokens)


def text_of(choices: Bytes) -> str:
    match choices.upto(7):
        case 0:
            return choices.provider.ConsumeUnicode(4000)
        case 1 | 2 | 3:
            return mutated(choices)
        case _:
            return Grammar(choices).module()


def facts_target(data: bytes) -> None:
    check_facts(text_of(Bytes(data)))


def tree_target(data: bytes, cache: Path) -> None:
    choices = Bytes(data)
    names = ("models.fuzz0", "models.fuzz1", "speculative.fuzz_worker")
    check_tree({name: text_of(choices) for name in names}, cache)


def in_a_process_of_its_own() -> None:
    """What follows runs in a fork; the process that was started waits, and ends as the fork does.

    A program that is executed keeps the peak of memory of whoever started it (Linux hands `ru_maxrss` on), and
    libFuzzer takes that peak for the fuzzer's own: started by a test run of 3 GB, it ended at one of its first inputs.
    """
    if child := os.fork():
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def main() -> None:
    in_a_process_of_its_own()
    kind, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        target = facts_target if kind == "facts" else lambda data: tree_target(data, Path(scratch))
        atheris.Setup([sys.argv[0], *arguments], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
