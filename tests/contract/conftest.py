"""Contracts of trees that stand in a test, or of real ones with a few texts replaced."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from specint.contract.model import Contract, Requirement
from specint.facts.store import Store
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
