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
                for node, name, value in _given(reader, place, step):
                    given = facts.Bind(facts.Name(name), value, None, "=", step.guard, step.line)
                    hierarchy.give(node, name, given, place.module, maybe=place.function is not None)


def _given(reader: Reader, place: Place, step: facts.Step) -> Iterator[tuple[ClassNode, str, facts.Expr]]:
    """The classes that a step gives a member, the member's name, and what it is."""
    match step:
        case facts.Bind(target=facts.Attribute(base=base, name=name), value=value) if value is not None:
            what: facts.Expr = facts.Constant(name)
        case facts.Evaluate(value=facts.Call(func=facts.Name(id="setattr"), args=(base, what, value))):
            pass
        case _:
            return
    if place.function is not None and facts.dotted(base) == place.function.receiver:
        return
    try:
        for round_ in reader.rounds(place, step.guard):
            names = [one for one in reader.values(what, place, round_, step) if isinstance(one, str)]
            for node in reader.values(base, place, round_, step):
                yield from ((node, name, value) for name in names if isinstance(node, ClassNode))
    except Unread:  # no class that is written down: an object, mostly
        return
