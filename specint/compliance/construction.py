"""What every server asks of a model, whatever it is started with: by what SGLang's loader does with all."""

from __future__ import annotations

from collections.abc import Iterator

from specint.contract.declared import Declared
from specint.graph.project import Project


def loader_calls(project: Project, declared: Declared, member: str) -> Iterator[tuple[str, int]]:
    """Where the loader calls a member, by file and line."""
    module = project.module(f"{project.package}.{declared.loader.module}")
    for function in project.functions_of(module) if module is not None else ():
        for attribute in function.attributes:
            if attribute.name == member:
                yield function.module.path, attribute.line
