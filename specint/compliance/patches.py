"""What a plugin puts onto classes from outside of them: `Class.hook = function`, in its modules and functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specint.compliance.written import Place, Reader, Unread, places
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, Project
from specint.source.tree import SourceFile


def give_from_outside(project: Project, hierarchy: Hierarchy, files: Iterable[SourceFile]) -> None:
    """Tell the hierarchy what these files put onto classes, those of SGLang too: a plugin is imported before a model
    is made. What a function does is believed as what a condition does: it may not be called."""
    reader = Reader(project)
    for file in files:
        module = project.module(file.module)
        for place in places(project, module) if module is not None else ():
            for step in place.scope.steps:
                if isinstance(step, facts.Bind) and step.value is not None and isinstance(step.target, facts.Attribute):
                    for node in _classes(reader, step.target.base, place, step):
                        hierarchy.give(node, step.target.name, step, place.module, maybe=place.function is not None)


def _classes(reader: Reader, expr: facts.Expr, place: Place, step: facts.Step) -> Iterator[ClassNode]:
    if place.function is not None and facts.dotted(expr) == place.function.receiver:
        return
    try:
        for round_ in reader.rounds(place, step.guard):
            for value in reader.values(expr, place, round_, step):
                if isinstance(value, ClassNode):
                    yield value
    except Unread:  # no class that is written down: an object, mostly
        return
