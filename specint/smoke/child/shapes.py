"""A key of a configuration whose value has the wrong shape: found in the line that failed, and given another one.

A class reads a list for its layers where the configuration's own default is a number, a number where it is None, a part
where it is a dictionary. Which key that is, the failing line says; which shape it wants, the error does.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .configuration import Tiny

NEAREST = 12
"""Frames, from the innermost, in which the key is looked for."""
ONE_OF_THEM = re.compile(
    r"Field '(\w+)' (?:with value \S+ doesn't match any type in \(<class '(\w+)'|expected (\w+), got)"
)
OF_ONE_LENGTH = re.compile(r"`(\w+)` \(\d+\) must be equal to the number of `(\w+)` \(\d+\)")
Read = tuple[Any, str, Any]
"""A configuration object, the key that is read from it, and what is read from its value: a name, NUMBERED for what
isn't written out, or None."""
NUMBERED = object()
LONGEST = 64
ROPES = ("rope_scaling", "rope_parameters")


def reshaped(error: BaseException, tiny: Tiny, outermost: Any) -> bool:  # noqa: ANN401 - Transformers' object
    """Give the key for which an exception came a value of another shape; whether one was left to try."""
    text = f"{type(error).__name__}: {error}"
    if (named := ONE_OF_THEM.search(text)) is not None:
        return _cast(tiny, named[1], named[2] or named[3])
    if (two := OF_ONE_LENGTH.search(text)) is not None:
        return _fitted(tiny, two[1], two[2])
    for config, key, inner in _reads(error, outermost):
        if isinstance(error, KeyError) and inner not in (error.args[0], NUMBERED):
            continue
        for value in _others(tiny, config, key, inner, text):
            if tiny.reshape(type(config).__name__, key, value, outermost):
                return True
    return False


def _others(tiny: Tiny, config: Any, key: str, inner: Any, text: str) -> Iterator[object]:  # noqa: ANN401
    """Values of other shapes for a key, the likeliest first, as far as the error says that one is wanted."""
    now = _of(config, key)
    known, value = tiny.value_for(key)
    if inner is NUMBERED and now in (None, {}):
        singular, one = tiny.value_for(key.removesuffix("s"))
        if singular:
            yield [one] * tiny.layers
    elif isinstance(inner, str) and text.startswith("KeyError") and isinstance(now, dict):
        named, its = tiny.value_for(inner)
        if named:
            yield {**now, inner: its}
    if "PreTrainedConfig" in text or "PretrainedConfig" in text:
        yield tiny.AS_DICTIONARY
    elif re.search("not subscriptable|not iterable|has no len|is not a container", text):
        yield from _listed(tiny, key, now, value if known else None)
    elif now is None or now == {}:
        yield from _filled(tiny, key, value if known else None, text)
    elif key not in ROPES:
        yield from _turned(tiny, now, text)


def _turned(tiny: Tiny, now: object, text: str) -> Iterator[object]:
    """A value that is there, as something else."""
    if "'dict' object has no attribute" in text and (isinstance(now, dict) or _of_dictionaries(now)):
        yield tiny.AS_PART
    elif "unexpected keyword argument" in text and isinstance(now, (dict, list)):
        yield type(now)()
    elif isinstance(now, list) and re.search("'list' object has no attribute '(split|strip)'", text):
        yield ",".join(map(str, now))
    elif isinstance(now, list) and text.startswith("IndexError") and 0 < len(now) < LONGEST:
        yield (now * LONGEST)[:LONGEST]


def _listed(tiny: Tiny, key: str, now: object, known: object) -> Iterator[object]:
    """What can be looked into, where the class does that."""
    if key in ROPES and not now:
        yield tiny.settings["rope"]
    if now is None and isinstance(known, (list, dict)):
        yield known
    single = now if now is not None else known
    if isinstance(single, (int, float, str)):
        yield [single] * tiny.layers
    if now is None:
        yield []


def _filled(tiny: Tiny, key: str, known: object, text: str) -> Iterator[object]:
    """Something, where the class doesn't expect that there is nothing."""
    if key in ROPES:
        yield tiny.settings["rope"]
        yield None
    elif known is not None:
        yield known
    elif "has no attribute" in text:
        yield {}


def _of_dictionaries(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _cast(tiny: Tiny, key: str, kind: str) -> bool:
    makers: dict[str, Any] = {"float": float, "int": int, "bool": bool, "str": str}
    known, value = tiny.value_for(key)
    parts = [part for part in tiny.parts() if key in part] or [tiny.values]
    changed = False
    for part in parts:
        now = part.get(key) if part.get(key) is not None else value if known else None
        if kind in makers and now is not None:
            part[key] = tiny.assumed[key] = makers[kind](now)
            changed = True
    return changed and tiny.first_time(key, tiny.assumed[key])


def _fitted(tiny: Tiny, count: str, key: str) -> bool:
    for part in tiny.parts():
        if isinstance(part.get(count), int) and isinstance(part.get(key), list) and part[key]:
            wanted = part[count]
            if len(part[key]) != wanted:
                part[key] = tiny.assumed[key] = (part[key] * wanted)[:wanted]
                return tiny.first_time(key, part[key])
    for part in tiny.parts():  # the list is the class's own
        if isinstance(part.get(count), int) and part.get(key) is None:
            known, value = tiny.value_for(key)
            if known and isinstance(value, list):
                part[key] = tiny.assumed[key] = (value * part[count])[: part[count]]
                return tiny.first_time(key, part[key])
    return False


def _reads(error: BaseException, outermost: Any) -> Iterator[Read]:  # noqa: ANN401
    """What the failing lines read from a configuration, the innermost first, what failed before its neighbours."""
    steps = []
    step = error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    told: set[tuple[int, str, int]] = set()
    for one in list(reversed(steps))[:NEAREST]:
        for read in _reads_of(one, outermost):
            if (id(read[0]), read[1], id(read[2])) not in told:
                told.add((id(read[0]), read[1], id(read[2])))
                yield read


def _reads_of(step: types.TracebackType, outermost: Any) -> Iterator[Read]:  # noqa: ANN401
    frame = step.tb_frame
    function = _parsed(frame.f_code)
    if function is None:
        return
    names = {**frame.f_globals, **frame.f_locals}
    positions = list(frame.f_code.co_positions())[step.tb_lasti // 2]
    inside = [node for node in ast.walk(function) if isinstance(node, ast.expr) and _within(node, positions)]
    line = step.tb_lineno
    statements = [
        node for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node is not function and node.lineno <= line <= (node.end_lineno or line)
    ]  # fmt: skip
    innermost = min(statements, key=lambda one: (one.end_lineno or line) - one.lineno, default=None)
    around = list(ast.walk(innermost)) if innermost is not None else []
    reading = _Reading(function, names, outermost, frame.f_locals)
    for node in [*inside, *around]:
        yield from reading.of(node)


class _Reading:
    """What expressions of one function read from a configuration, also by way of what they were assigned to."""

    def __init__(self, function: ast.AST, names: dict[str, Any], outermost: Any, local: dict[str, Any]) -> None:  # noqa: ANN401
        self.names, self.local = names, local
        self.configs = list(_configs(outermost))
        self.assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assigned.setdefault(ast.unparse(target), []).append(node.value)

    def of(self, node: ast.AST, depth: int = 3) -> Iterator[Read]:
        """The keys that an expression reads itself."""
        if isinstance(node, ast.Subscript):
            written = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            inner = node.slice.value if written and isinstance(node.slice, ast.Constant) else NUMBERED
            for config, key, _ in self.of(node.value, depth):
                yield config, key, inner
        elif isinstance(node, ast.Attribute) and _is_config(config := _value(node.value, self.names)):
            yield config, node.attr, None
        elif isinstance(node, ast.Call) and _is(node.func, "getattr") and len(node.args) > 1:
            config = _value(node.args[0], self.names)
            if _is_config(config) and isinstance(node.args[1], ast.Constant):
                yield config, str(node.args[1].value), None
        if depth and isinstance(node, (ast.Name, ast.Attribute)):
            for value in self.assigned.get(ast.unparse(node), ()):
                for part in ast.walk(value):
                    yield from self.of(part, depth - 1)
        if isinstance(node, ast.Name) and node.id in self.local:
            yield from self._handed(node.id, self.local[node.id])

    def _handed(self, name: str, value: object) -> Iterator[Read]:
        """A parameter: the key that holds the same."""
        for config in self.configs:
            for key, its in list(vars(config).items()):
                if its is value and (key == name or isinstance(value, (dict, list))):
                    yield config, key, None


def _parsed(code: types.CodeType) -> ast.AST | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, IndentationError, TypeError):
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    return tree.body[0] if tree.body else None


def _within(node: ast.expr, positions: tuple[int | None, int | None, int | None, int | None]) -> bool:
    first, last = positions[0], positions[1]
    return first is not None and last is not None and first <= node.lineno and (node.end_lineno or 0) <= last


def _is(target: ast.AST, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _value(node: ast.expr, names: dict[str, Any]) -> Any:  # noqa: ANN401
    """What a dotted name holds; None where it is something else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        holder = _value(node.value, names)
        return _of(holder, node.attr) if holder is not None else None
    return None


def _of(holder: Any, key: str) -> Any:  # noqa: ANN401
    try:
        return getattr(holder, key, None)
    except Exception:
        return None


def _is_config(value: object) -> bool:
    return any(owner.__name__ in ("PretrainedConfig", "PreTrainedConfig") for owner in type(value).__mro__)


def _configs(outermost: Any) -> Iterator[Any]:  # noqa: ANN401
    if _is_config(outermost):
        yield outermost
        for value in list(vars(outermost).values()):
            yield from _configs(value)
