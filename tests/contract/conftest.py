"""Contracts of trees that stand in a test, or of real ones with a few texts replaced."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from specint.contract.code import Code
from specint.contract.model import Contract, Requirement
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
