"""Where boxes and arrows go: layers by depth, each layer ordered by what it hangs on."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from specint.outputs.diagrams.diagram import Arrow, Box, Diagram

LETTER = 7.3
"""The width of a letter of the name, in a monospaced face of 12 units."""
SMALL_LETTER = 6.1
LINE = 14.0
PADDING = 10.0
_GAP = 28.0
_BETWEEN = 46.0

Point = tuple[float, float]


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A box with its corner and size."""

    box: Box
    x: float
    y: float
    width: float
    height: float


class Routed(msgspec.Struct, frozen=True, kw_only=True):
    """An arrow with the points that it passes, and the middle of its text."""

    arrow: Arrow
    points: tuple[Point, ...]
    label: Point


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A diagram that can be drawn."""

    width: float
    height: float
    boxes: tuple[Placed, ...]
    arrows: tuple[Routed, ...]


class _Slot:
    """A place in a layer: a box, or the point where a long arrow crosses the layer."""

    def __init__(self, key: str, along: float, across: float) -> None:
        self.key = key
        self.along = along  # the size in the direction of the arrows
        self.across = across
        self.position = 0.0
        self.start = 0.0
        self.before: list[_Slot] = []


def laid_out(diagram: Diagram) -> Layout:
    """Place a diagram. A cycle of arrows (a model that holds one of its own kind) is cut where it closes."""
    down = diagram.direction == "down"
    sizes = {box.key: _size(box) for box in diagram.boxes}
    slots = {key: _Slot(key, *((h, w) if down else (w, h))) for key, (w, h) in sizes.items()}
    depths = _depths(diagram, from_the_end=not down)
    layers: list[list[_Slot]] = [[] for _ in range(max(depths.values(), default=0) + 1)]
    for box in diagram.boxes:
        layers[depths[box.key]].append(slots[box.key])
    ways = [_way(arrow, slots, depths, layers) for arrow in diagram.arrows]
    rooms = _rooms(diagram, depths, len(layers), down=down)
    _order(layers)
    across = _spread(layers)
    start = 1.0
    for number, layer in enumerate(layers):
        deepest = max(slot.along for slot in layer)
        for slot in layer:
            slot.start = start
            if not slot.across:
                slot.along = deepest
        start += deepest + rooms[number]
    total = start - rooms[-1] + 1
    placed = tuple(_placed(box, slots[box.key], sizes[box.key], down=down) for box in diagram.boxes)
    texts: dict[str, int] = {}
    routed = tuple(_routed(arrow, way, texts, down=down) for arrow, way in zip(diagram.arrows, ways, strict=True))
    width, height = (across, total) if down else (total, across)
    right = max((r.label[0] + text_width(r.arrow) / 2 + 4 for r in routed if r.arrow.text), default=0.0)
    return Layout(width=max(width, right), height=height, boxes=placed, arrows=routed)


def text_width(arrow: Arrow) -> float:
    """How wide the text beside an arrow is."""
    return len(arrow.text) * SMALL_LETTER


def _size(box: Box) -> tuple[float, float]:
    lines = (*box.lines, *box.lacks)
    small = max((len(line) for line in lines), default=0) * SMALL_LETTER
    width = max(len(box.name) * LETTER, small) + 2 * PADDING
    return width, LINE * (1 + len(lines)) + 2 * PADDING - 4


def _depths(diagram: Diagram, *, from_the_end: bool) -> dict[str, int]:
    """The longest way to each box from one that nothing leads to, or to one that leads to nothing.

    Arrows that close a circle don't count.
    """
    out: dict[str, list[str]] = {box.key: [] for box in diagram.boxes}
    for arrow in diagram.arrows:
        if from_the_end:
            out[arrow.target].append(arrow.source)
        else:
            out[arrow.source].append(arrow.target)
    order: list[str] = []
    state: dict[str, int] = {}
    kept: dict[str, list[str]] = {key: [] for key in out}

    def visit(key: str) -> None:
        state[key] = 1
        for target in out[key]:
            if state.get(target) == 1:
                continue
            kept[key].append(target)
            if target not in state:
                visit(target)
        state[key] = 2
        order.append(key)

    for key in out:
        if key not in state:
            visit(key)
    depths = dict.fromkeys(out, 0)
    for key in reversed(order):
        for target in kept[key]:
            depths[target] = max(depths[target], depths[key] + 1)
    deepest = max(depths.values(), default=0)
    return {key: deepest - depth for key, depth in depths.items()} if from_the_end else depths


def _way(arrow: Arrow, slots: dict[str, _Slot], depths: dict[str, int], layers: list[list[_Slot]]) -> list[_Slot]:
    """The slots that an arrow passes; in every layer between its ends it gets a narrow one of its own."""
    way = [slots[arrow.source]]
    for depth in range(depths[arrow.source] + 1, depths[arrow.target]):
        slot = _Slot(f"{arrow.source}|{arrow.target}|{depth}", 0, 0)
        layers[depth].append(slot)
        way.append(slot)
    way.append(slots[arrow.target])
    for first, second in pairwise(way):
        second.before.append(first)
    return way


def _rooms(diagram: Diagram, depths: dict[str, int], layers: int, *, down: bool) -> list[float]:
    """The room after each layer for the texts of the arrows: above their ends, or right of their beginnings."""
    rooms = [_BETWEEN] * layers
    texts: dict[str, int] = {}
    for arrow in diagram.arrows:
        if not arrow.text:
            continue
        if down:
            texts[arrow.target] = texts.get(arrow.target, 0) + 1
            depth, size = depths[arrow.target] - 1, LINE * texts[arrow.target]
        else:
            depth, size = depths[arrow.source], text_width(arrow)
        rooms[depth] = max(rooms[depth], size + 40)
    return rooms


def _order(layers: list[list[_Slot]]) -> None:
    """Each layer by the middle of what its slots hang on, as many times as it takes to be good enough."""
    for _ in range(3):
        for layer in layers:
            for number, slot in enumerate(layer):
                slot.position = number
        for layer in layers[1:]:
            layer.sort(key=lambda slot: _middle([one.position for one in slot.before], slot.position))
            for number, slot in enumerate(layer):
                slot.position = number


def _middle(positions: list[float], otherwise: float) -> float:
    return sum(positions) / len(positions) if positions else otherwise


def _spread(layers: list[list[_Slot]]) -> float:
    """Give every slot its place across the layer, each layer in the middle; the size of the widest."""
    sizes = [sum(slot.across for slot in layer) + _GAP * (len(layer) - 1) for layer in layers]
    widest = max(sizes) + 2
    for layer, size in zip(layers, sizes, strict=True):
        place = (widest - size) / 2
        for slot in layer:
            slot.position = place + slot.across / 2
            place += slot.across + _GAP
    return widest


def _placed(box: Box, slot: _Slot, size: tuple[float, float], *, down: bool) -> Placed:
    width, height = size
    if down:
        return Placed(box=box, x=slot.position - width / 2, y=slot.start, width=width, height=height)
    return Placed(box=box, x=slot.start, y=slot.position - height / 2, width=width, height=height)


def _routed(arrow: Arrow, way: list[_Slot], texts: dict[str, int], *, down: bool) -> Routed:
    points: list[Point] = []
    for number, slot in enumerate(way):
        if number:
            points.append((slot.position, slot.start))
        if number < len(way) - 1:
            points.append((slot.position, slot.start + slot.along))
    end = arrow.target if down else arrow.source
    earlier = texts.get(end, 0)  # several arrows with a text meet there
    texts[end] = earlier + bool(arrow.text)
    if down:
        across, along = points[-1]
        return Routed(arrow=arrow, points=tuple(points), label=(across, along - 18 - earlier * LINE))
    across, along = points[0]
    turned = tuple((along, across) for across, along in points)
    return Routed(arrow=arrow, points=turned, label=(along + 12 + text_width(arrow) / 2, across + earlier * LINE))
