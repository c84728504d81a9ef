"""The hierarchy and the composition as one networkx graph, for whoever wants to ask other questions than ours.

Nodes are dotted classes, with `name`, `module`, `file`, `line` and `inside` (whether the class is one of the tree).
An edge of kind "inherits" leads from a class to a base, with its `position` among the bases; one of kind "holds" from a
class to a class that one of its attributes is an object of, with `attribute`, `condition` ("" where it always holds it)
and `line`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import networkx as nx

from specint.graph.composition import Composition
from specint.graph.hierarchy import external_classes
from specint.graph.project import ClassNode, External, Project

if TYPE_CHECKING:
    ClassGraph = nx.MultiDiGraph[str]


def class_graph(
    project: Project,
    composition: Composition,
    classes: Iterable[ClassNode],
    counts: Callable[[str], bool],
) -> ClassGraph:
    """The graph of these classes, their bases, and what they hold.

    Args:
        counts: whether an inner class, by dotted name, is worth an edge: a model's layers and norms are not.
    """
    hierarchy = composition.hierarchy
    graph: ClassGraph = nx.MultiDiGraph(package=project.package)
    waiting = list(classes)
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        if node.key in seen:
            continue
        seen.add(node.key)
        _add_class(graph, node)
        for position, base in enumerate(hierarchy.bases(node)):
            graph.add_edge(node.key, _add_base(graph, base), kind="inherits", position=position)
            if isinstance(base, ClassNode):
                waiting.append(base)
        for held, attribute, condition, line in _held(composition, node):
            if counts(held.key) and held is not node:
                waiting.append(held)
                _add_class(graph, held)
                graph.add_edge(node.key, held.key, kind="holds", attribute=attribute, condition=condition, line=line)
    return graph


def only(graph: ClassGraph, kind: str) -> ClassGraph:
    """The graph with its edges of one kind alone ("inherits", "holds"); all classes stay."""
    made: ClassGraph = nx.MultiDiGraph(**graph.graph)
    made.add_nodes_from(graph.nodes(data=True))
    for source, target, data in graph.edges(data=True):
        if data["kind"] == kind:
            made.add_edge(source, target, **data)
    return made


def _held(composition: Composition, node: ClassNode) -> list[tuple[ClassNode, str, str, int]]:
    """What the attributes hold once the constructor has run, each class and attribute once."""
    found: dict[tuple[str, str], tuple[ClassNode, str, str, int]] = {}
    for attribute, assignments in composition.assignments(node).items():
        for one in assignments:
            if not one.late:
                for held in one.classes:
                    found.setdefault((attribute, held.key), (held, attribute, one.condition, one.line))
    return list(found.values())


def _add_class(graph: ClassGraph, node: ClassNode) -> None:
    graph.add_node(node.key, name=node.name, module=node.module.name, file=node.file, line=node.facts.line, inside=True)


def _add_base(graph: ClassGraph, base: ClassNode | External) -> str:
    if isinstance(base, ClassNode):
        _add_class(graph, base)
        return base.key
    declared = external_classes().get(base.name)
    name = declared.name if declared else base.name
    graph.add_node(name, name=name.rpartition(".")[2], module=name.rpartition(".")[0], file="", line=0, inside=False)
    return name
