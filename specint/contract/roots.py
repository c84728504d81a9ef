"""The declared places, found again in the tree under analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from specint.contract.declared import Declared, declared
from specint.errors import SpecintError
from specint.graph.project import ClassNode, Project


@dataclass(frozen=True)
class Roots:
    """The declared places as nodes of one tree."""

    declared: Declared
    enum: ClassNode
    runner: ClassNode
    worker: ClassNode


def find_roots(project: Project, unread: Callable[[str], SpecintError | None] | None = None) -> Roots:
    """The roots in a tree.

    Args:
        unread: why a module can't be read, None if it can.

    Raises:
        SpecintError: one matches nothing, or its file can't be read; the contract could only be guessed without it.
    """
    data = declared()

    def find(table: str, dotted: str) -> ClassNode:
        node = project.class_by_key(f"{project.package}.{dotted}")
        if node is None and unread is not None:
            why = unread(f"{project.package}.{dotted.rpartition('.')[0]}")
            if why is not None:
                raise why
        module = f"{project.package}.{data.algorithm.enum.rpartition('.')[0]}"
        if project.module(module) is None:
            raise SpecintError(
                f"this SGLang has no speculative decoding: there is no {module}",
                project.package,
                f"releases have it since {data.algorithm.since}; where a fork moved it, say so in rules/contract.toml",
            )
        if node is None:
            raise SpecintError(
                f"no class {project.package}.{dotted} in this tree, so no contract can be read from it",
                f"rules/contract.toml [{table}]",
                "is this a whole SGLang? If it moved the class, declare its new name there",
            )
        return node

    return Roots(
        data,
        enum=find("algorithm", data.algorithm.enum),
        runner=find("runner", data.runner.class_),
        worker=find("worker", data.worker.class_),
    )
