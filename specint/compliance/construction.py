"""What every server asks of a model, whatever it is started with: by what SGLang's loader and runner do with all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.contract.declared import Declared
from specint.facts import model as facts
from specint.graph.project import FunctionNode, Project


@dataclass(frozen=True)
class Construction:
    """The call that builds every model: the keywords it always hands over, and where it is."""

    keywords: tuple[str, ...]
    file: str
    line: int


def constructions(project: Project, declared: Declared) -> Iterator[Construction]:
    """The calls of the class that the registry gave, in the loader's module."""
    module = project.module(f"{project.package}.{declared.loader.module}")
    giver = declared.architecture.function.rpartition(".")[2]
    for function in project.functions_of(module) if module is not None else ():
        for name in _given_by(function, giver):
            for step in function.facts.body.steps:
                value = getattr(step, "value", None)
                for call in facts.walk(value) if isinstance(value, facts.Node) else ():  # type: ignore[arg-type]
                    if isinstance(call, facts.Call) and call.func == facts.Name(name):
                        yield Construction(tuple(_keywords(function, call)), function.module.path, call.line)


def loader_calls(project: Project, declared: Declared, member: str) -> Iterator[tuple[str, int]]:
    """Where the loader calls a member, by file and line."""
    module = project.module(f"{project.package}.{declared.loader.module}")
    for function in project.functions_of(module) if module is not None else ():
        for attribute in function.attributes:
            if attribute.name == member:
                yield function.module.path, attribute.line


def _given_by(function: FunctionNode, giver: str) -> Iterator[str]:
    """The local names that hold the class: `model_class, _ = get_model_architecture(...)`."""
    for step in function.facts.body.steps:
        if isinstance(step, facts.Bind) and isinstance(step.value, facts.Call):
            if (facts.dotted(step.value.func) or "").rpartition(".")[2] != giver:
                continue
            first = next(iter(facts.targets(step.target)), None)
            if isinstance(first, facts.Name):
                yield first.id


def _keywords(function: FunctionNode, call: facts.Call) -> Iterator[str]:
    """The keywords of a call, and those of the dict display that it spreads; what is added to it may not be there."""
    for keyword in call.keywords:
        if keyword.name is not None:
            yield keyword.name
        elif isinstance(keyword.value, facts.Name):
            for step in function.binds.get(keyword.value.id, ()):
                if isinstance(step, facts.Bind) and isinstance(step.value, facts.DictDisplay) and step.guard == -1:
                    yield from (str(key.value) for key in step.value.keys if isinstance(key, facts.Constant))
