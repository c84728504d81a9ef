"""A picture as data: what `specint graph` writes as Mermaid, DOT or SVG, and what the report shows of a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from specint.errors import SpecintError

if TYPE_CHECKING:
    from specint.analysis.result import Result
    from specint.compliance.model import ModelCompliance
    from specint.graph.export import ClassGraph

Mark = Literal["", "focus", "provider", "unknown"]


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """One class. `lines` stand below its name: where it is, what it inherits from outside, what it provides; below
    them, in red, what it `lacks`."""

    key: str
    name: str
    lines: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    mark: Mark = ""


class Arrow(msgspec.Struct, frozen=True, kw_only=True):
    """From a class to its base, or to what it holds; `missing` where a member is not handed on along it."""

    source: str
    target: str
    kind: Literal["inherits", "holds"]
    text: str = ""
    missing: bool = False


class Diagram(msgspec.Struct, frozen=True, kw_only=True):
    """`direction` is the way that the arrows go: down for one class, right where many lead to one."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    direction: Literal["down", "right"] = "down"


_MOST_MEMBERS = 6
"""More members than this are counted in the picture; the table beside it names them."""


def about(result: Result, class_: str) -> Diagram:
    """A class with its bases and what it holds; for a model also what it lacks, and what is not handed on."""
    graph = result.graph
    reached = _reached(graph, class_, lambda name: graph.out_edges(name, data=True), forward=True)
    title = f"{graph.nodes[class_]['name']}: what it inherits and what it holds"
    model = next((model for model in result.models if model.class_ == class_), None)
    if model is None:
        boxes = tuple(_box(graph, name, class_, ()) for name in reached)
        return Diagram(title=title, boxes=boxes, arrows=tuple(_arrows(graph, reached, {})))
    gaps = _gaps(model)
    provided = _provided(model, gaps)
    arrows = _arrows(graph, reached, {class_: gaps})
    lost = []
    for wrap in model.wraps:
        if not wrap.classes:
            key = f"?{wrap.attribute}"
            lost.append(Box(key=key, name="not known", lines=_wrapped(wrap.reason or "", 40), mark="unknown"))
            arrows.append(Arrow(source=class_, target=key, kind="holds", text=wrap.attribute))
    focus, *others = (_box(graph, name, class_, provided.get(name, ())) for name in reached)
    focus = msgspec.structs.replace(focus, lacks=_some("lacks", _lacking(model)))
    return Diagram(title=title, boxes=(focus, *others, *lost), arrows=tuple(arrows))


def around(result: Result, class_: str) -> Diagram:
    """Who wraps a class, or inherits from it, directly or not."""
    graph = result.graph
    reached = _reached(graph, class_, lambda name: graph.in_edges(name, data=True), forward=False)
    boxes = [_box(graph, name, class_, ()) for name in reached]
    gaps = {model.class_: _gaps(model) for model in result.models if model.class_ in reached}
    arrows = _arrows(graph, reached, gaps, counted=True)
    title = f"who wraps {graph.nodes[class_]['name']} or inherits from it"
    return Diagram(title=title, boxes=tuple(boxes), arrows=tuple(arrows), direction="right")


def find_class(result: Result, name: str) -> str:
    """The dotted class of that name, of models and of everything they inherit from or hold."""
    from specint.analysis.names import called
    from specint.suggestion import did_you_mean

    nodes = result.graph.nodes
    found = [key for key in nodes if name in (key, nodes[key]["name"]) and nodes[key]["inside"]]
    if len(found) > 1:
        raise SpecintError("several files have a class of that name", name, " or ".join(sorted(found)))
    if not found:
        found = [model.class_ for model in called(result.models, name)][:1]
    if not found:
        hint = did_you_mean(name.rpartition(".")[2], [nodes[key]["name"] for key in nodes])
        raise SpecintError(
            f"no model, and nothing a model inherits from or holds, is called `{name}`",
            "graph",
            hint or "`specint report` lists the models",
        )
    return found[0]


def _reached(graph: ClassGraph, start: str, edges: Callable[[str], Iterable[Any]], *, forward: bool) -> list[str]:
    """The classes of the tree that can be reached, nearest first."""
    found = {start: None}
    waiting = deque([start])
    while waiting:
        for one in sorted(edges(waiting.popleft()), key=lambda edge: (edge[2]["kind"] == "holds", edge[0], edge[1])):
            name = one[1] if forward else one[0]
            if name not in found and graph.nodes[name]["inside"]:
                found[name] = None
                waiting.append(name)
    return list(found)


def _arrows(
    graph: ClassGraph, reached: list[str], gaps: dict[str, dict[str, list[str]]], *, counted: bool = False
) -> list[Arrow]:
    """The edges among these classes; one is missing where its holder doesn't hand on what it holds has."""
    made: dict[tuple[str, str, str], Arrow] = {}
    for source in reached:
        for _, target, data in graph.out_edges(source, data=True):
            if target not in reached:
                continue
            text = data.get("attribute", "")
            lacking = gaps.get(source, {}).get(text, ()) if text else ()
            if lacking and counted:
                text += f": {len(lacking)} not handed on"
            arrow = Arrow(source=source, target=target, kind=data["kind"], text=text, missing=bool(lacking))
            made.setdefault((source, target, text), arrow)
    return list(made.values())


def _gaps(model: ModelCompliance) -> dict[str, list[str]]:
    """Attribute -> members that an algorithm misses on the model, although what the attribute holds has them."""
    found: dict[str, dict[str, None]] = {}
    for label in _lacking(model):
        for member in label.split("|"):
            status = model.members.get(member)
            if status and status.status == "missing" and status.inner and status.inner_status == "present":
                found.setdefault(status.inner, {})[member] = None
                break  # of several that will do, the first one is enough
    return {attribute: list(members) for attribute, members in found.items()}


def _provided(model: ModelCompliance, gaps: dict[str, list[str]]) -> dict[str, list[str]]:
    """Dotted class -> the missing members that it has."""
    found: dict[str, dict[str, None]] = {}
    for members in gaps.values():
        for member in members:
            for inner in model.members[member].inners:
                if inner.provider:
                    found.setdefault(inner.provider, {})[member] = None
    return {provider: list(members) for provider, members in found.items()}


def _box(graph: ClassGraph, name: str, focus: str, provided: Iterable[str]) -> Box:
    data = graph.nodes[name]
    lines = [f"{data['file'].rpartition('/')[2]}:{data['line']}"]
    outside = [
        target
        for _, target, edge in graph.out_edges(name, data=True)
        if edge["kind"] == "inherits" and not graph.nodes[target]["inside"]
    ]
    lines += [f"from {base}" for base in outside if base != "object"]
    members = list(provided)
    lines += _some("has", members)
    mark: Mark = "focus" if name == focus else "provider" if members else ""
    return Box(key=name, name=data["name"], lines=tuple(lines), mark=mark)


def _lacking(model: ModelCompliance) -> list[str]:
    """What the algorithms miss on a model, as the verdicts name it; no choice of which one part is missed anyway."""
    labels = dict.fromkeys(label for verdict in model.algorithms.values() for label in verdict.missing)
    return [label for label in labels if "|" not in label or not labels.keys() & set(label.split("|"))]


def _some(verb: str, names: list[str]) -> tuple[str, ...]:
    """`has a`, `has b`, `and 3 more`."""
    told = [f"{verb} {name.replace('|', ' or ')}" for name in names]
    if len(told) > _MOST_MEMBERS:
        told[_MOST_MEMBERS - 1 :] = [f"and {len(told) - _MOST_MEMBERS + 1} more"]
    return tuple(told)


def _wrapped(text: str, width: int) -> tuple[str, ...]:
    import textwrap

    return tuple(textwrap.wrap(text, width, max_lines=3, placeholder=" …"))
