"""What must hold of any text and of any tree, whoever wrote it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.store import Store
from specint.graph.steps import expressions
from specint.pipeline import analyze
from specint.source.locate import open_tree

SMALL = Path(__file__).parents[2] / "fixtures/sglang_small/sglang"


def check_facts(text: str) -> bool:
    """Whether the text was read; an AssertionError, or whatever was raised, if something is wrong with its facts."""
    try:
        found = extract(text, name="pack.mod", path="pack/mod.py")
    except SpecintError as error:
        if not str(error).startswith("pack/mod.py") or (error.what.startswith("does not parse") and _parses(text)):
            raise AssertionError("refused for no reason") from error
        return False
    assert facts.decode(facts.encode(found)) == found
    assert extract(text, name="pack.mod", path="pack/mod.py") == found
    for scope in _scopes(found.body):
        for index, guard in enumerate(scope.guards):
            assert -1 <= guard.parent < index
        for step in scope.steps:
            assert -1 <= step.guard < len(scope.guards)
            for expression in expressions(step):
                assert isinstance(facts.spell(expression), str)
                assert sum(1 for _ in facts.walk(expression))
    return True


def check_tree(modules: Mapping[str, str], cache: Path | None = None) -> int:
    """How many findings a small SGLang has with these modules in it; the answer has to come, and to come again."""
    tree = open_tree(str(SMALL)).overlay({f"sglang.srt.{name}": text for name, text in modules.items()})
    answers = []
    for store in (Store(cache), Store(None)):
        try:
            analysis = analyze(tree, store=store, jobs=1)
        except SpecintError as error:
            answers.append(str(error))
        else:
            answers.append((analysis.models, analysis.findings, analysis.contract, analysis.diagnostics))
    assert answers[0] == answers[1]
    return len(answers[0][1])


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _scopes(scope: facts.Scope) -> Iterator[facts.Scope]:
    yield scope
    for inner in (*scope.functions, *scope.classes):
        yield from _scopes(inner.body)
