"""Contracts of trees that stand in a test, or of real ones with a few texts replaced."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from specint.contract.code import Code
from specint.contract.model import CallShape, Contract, Requirement
from specint.contract.reach import Reach
from specint.contract.receivers import Receivers
from specint.contract.roots import Roots, find_roots
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import FunctionNode, Project
from specint.pipeline import contract_of
from specint.source.locate import open_tree
from specint.source.tree import Tree


@dataclass
class Read:
    """A contract, asked in short."""

    contract: Contract

    def of(self, member: str, role: str | None = None, algorithm: str | None = None) -> list[Requirement]:
        return [
            one
            for one in self.contract.requirements
            if one.member == member
            and role in (None, one.role)
            and (algorithm is None or algorithm in one.algorithms or not one.algorithms)
        ]

    def strengths(self, member: str, role: str = "target", algorithm: str | None = None) -> list[str]:
        return sorted({one.strength for one in self.of(member, role, algorithm)})

    def algorithms(self, member: str, role: str = "target") -> set[str]:
        return {algorithm for one in self.of(member, role) for algorithm in one.algorithms}


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Read]:
    """`read(tree, {module: text})`: the contract of a tree with some modules replaced; facts are kept between calls."""
    cache = tmp_path_factory.mktemp("facts")
    return lambda tree, texts=None, **more: Read(
        contract_of(tree.overlay(texts or {}), store=Store(cache), jobs=1, **more)
    )


@pytest.fixture(scope="session")
def small_tree(fixture_tree: Callable[[str], Path]) -> Tree:
    return open_tree(str(fixture_tree("sglang_small") / "sglang"))


@pytest.fixture(scope="session")
def small(read: Callable[..., Read], small_tree: Tree) -> Read:
    return read(small_tree)


@dataclass
class Engines:
    """What a contract is inferred with, over a tree, for tests that ask one engine alone."""

    project: Project
    hierarchy: Hierarchy
    roots: Roots
    code: Code
    receivers: Receivers
    reach: Reach

    def function(self, module: str, name: str) -> FunctionNode:
        found = self.project.module(module)
        assert found is not None
        return next(one for one in self.project.functions_of(found) if one.facts.qualname == name)


PACKAGES = ("srt.speculative", "srt.model_executor", "srt.managers")


@pytest.fixture(scope="session")
def engines(small_tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Engines]:
    """`engines({module: text})`: over the small tree with some modules replaced."""
    store = Store(tmp_path_factory.mktemp("facts"))

    def of(texts: dict[str, str]) -> Engines:
        tree = small_tree.overlay(texts)
        loader = Loader(tree, store, version="", jobs=1)
        project = Project(loader.module, "sglang")
        hierarchy, roots, code = Hierarchy(project), find_roots(project), Code(project)
        files = [file for package in PACKAGES for file in tree.files(f"sglang.{package}")]
        code.add([module for file in files if (module := loader.module(file.module)) is not None])
        receivers = Receivers(project, hierarchy, roots, code)
        return Engines(project, hierarchy, roots, code, receivers, Reach(receivers))

    return of


SNIPPET_WORKER = """
import functools
from functools import partial

from sglang.srt.lora.layers import unwrap_lora_layer
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        model = target_worker.model_runner.model
"""


@pytest.fixture
def asked(read: Callable[..., Read], small_tree: Tree) -> Callable[..., list[Requirement]]:
    """`asked(snippet, more="")`: what a snippet asks of the model, in the one worker that asks nothing by itself."""

    def ask(snippet: str, more: str = "") -> list[Requirement]:
        text = SNIPPET_WORKER + textwrap.indent(textwrap.dedent(snippet), "        ") + "\n" + more
        found = read(small_tree, {"sglang.srt.speculative.ngram_worker": text})
        return [one for one in found.contract.requirements if "NGRAM" in one.algorithms]

    return ask


@pytest.fixture(scope="session")
def release_tree(release: Callable[[str], Path]) -> Callable[[str], Tree]:
    return lambda version: open_tree(str(release(version)))


# -- what becomes of touches -------------------------------------------------------------------------------------------

TOUCHING_WORKER = """
import inspect
from sglang.srt.lora.layers import unwrap_lora_layer
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        self.off = False
        if server_args.disable_overlap_schedule:
            self.off = True
        self.on = True
        self.inner = None
        self.has = hasattr(target_worker.model_runner.model, "kept_hook")
        {calls}

"""
TOUCHING_METHOD = """
    def {name}(self, batch):
        server_args, target_worker = self.server_args, self.target_worker
        model = target_worker.model_runner.model
{body}
"""
NAMES = r"(?<=model\.)(a|b)\b|(?<=')(a|b)(?=')|\b(hook|other|flag|lm_head|layers|ask|deeper)\b"


@pytest.fixture(scope="session")
def requirements_of(
    read: Callable[..., Read], small_tree: Tree
) -> Callable[[dict[str, tuple[str, str]]], dict[str, list[str]]]:
    """`requirements_of({case: (snippet, functions beside it)})`: each requirement that follows from each, told in short
    (`test_requirements.py` says how)."""
    return lambda cases: _requirements(read, small_tree, cases)


def _requirements(read: Callable[..., Read], tree: Tree, cases: dict[str, tuple[str, str]]) -> dict[str, list[str]]:
    """All cases in one worker: each has names of its own for `hook`, `other`, `flag`, `a` and `b`."""
    methods = {f"case{number:03}": case for number, case in enumerate(cases)}
    text = TOUCHING_WORKER.format(calls="\n        ".join(f"self.{name}(gpu_id)" for name in methods))
    starts: dict[str, int] = {}
    helpers: dict[str, int] = {}
    for name, case in methods.items():
        body = re.sub(NAMES, rf"\g<0>_{name}", cases[case][0])
        starts[name] = text.count("\n") + TOUCHING_METHOD.count("\n", 0, TOUCHING_METHOD.index("{body}"))
        text += TOUCHING_METHOD.format(name=name, body=textwrap.indent(body, " " * 8))
    for name, case in methods.items():
        text += "\n"
        helpers[name] = text.count("\n")
        text += re.sub(NAMES, rf"\g<0>_{name}", cases[case][1]) + "\n"
    found = read(tree, {"sglang.srt.speculative.ngram_worker": text}).contract
    answers: dict[str, list[str]] = {}
    for name, case in methods.items():
        own = [one for one in found.requirements if f"_{name}" in one.member or f".{name}" in str(one.sites)]
        own = [one for one in own if "_case" in one.member or one.member.startswith("__")]
        assert all(one.algorithms == ("NGRAM",) for one in own)
        first, beside = starts[name], helpers[name] if cases[case][1] else text.count("\n")
        answers[case] = sorted(re.sub(rf"_{name}", "", _told(one, first, beside)) for one in own)
    return answers


def _told(one: Requirement, first: int, helpers: int) -> str:
    def line_told(line: int) -> str:
        return f"h{line - helpers}" if line > helpers else str(line - first)

    lines = ",".join(line_told(site.line) for site in one.sites)
    words = [f"{one.member}: {one.use} {one.strength} @{lines}"]
    if one.decided_by is not None and one.decided_by.line != one.sites[0].line:
        words.append(f"by {line_told(one.decided_by.line)}")
    raised = {site.raised_at for site in one.sites} - {0}
    words += [f"raises {line_told(line)}" for line in sorted(raised)]
    words += ["perhaps"] if one.strength in ("required", "any-of") and not one.unconditional else []
    words += [f"one of {one.group}"] if one.group else []
    if one.condition is not None:
        words.append(f"where {'' if one.condition.holds else 'not '}{one.condition.member}")
    words += [f"behind {setting}" for setting in one.settings]
    return " ".join([*words, *([] if one.call is None else [_shape(one.call)])])


def _shape(call: CallShape) -> str:
    fewest = "" if call.fewest == call.positional else f"{call.fewest}-"
    count = [f"{fewest}{call.positional}"] if call.positional else []
    unpacked = f" -> {call.unpacks}" if call.unpacks is not None else ""
    return f"({', '.join([*count, *call.keywords, *('*' * call.starred)])}){unpacked}"
