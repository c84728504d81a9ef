"""What a class builds of one configuration: its constructor evaluated, as on a rank that is alone.

Constructors of the models' own classes are followed to a depth; of what those build, the class and the numbers it is
given are noted. So arms that test the configuration are decided as they will be.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from specint.errors import SpecintError
from specint.execution.attributes import METHOD, NOTHING, in_order, look_up
from specint.execution.bounds import LOOK_EVERY, ExhaustedError
from specint.execution.classes import instantiate
from specint.execution.decisions import Decision, Decisions
from specint.execution.functions import prepare
from specint.execution.interpreter import Interpreter
from specint.execution.values import Class, Foreign, Function, Instance, Raised, UndeterminedError, Unknown
from specint.launch.course import Course, Side, message_of
from specint.launch.declared import declared

LAYER = "torch.nn"
MOST_PARTS = 2_000
MOST_STEPS = 1_000_000
"""Of one constructor; those of SGLang take some ten thousands, a layer some hundreds."""
DEEPEST_PART = 4


@dataclass(frozen=True)
class Part:
    """Something that a model holds: under which path, of which class, with a weight of so many rows and columns (None
    where that isn't known). `same` is the path that the same object has, where it is held twice."""

    path: str
    cls: str
    rows: int | None = None
    columns: int | None = None
    same: str | None = None
    table: bool = False
    """Whether it is a table with a row for each token: an embedding, a head."""


@dataclass(frozen=True)
class Built:
    """What came of a constructor.

    Attributes:
        parts: what the model holds, by path.
        has: whether it has a member: True, False, or None where that is open.
        decisions: tests on what isn't known, that fell on the way.
        lost: why parts of it are known by their class alone, whose constructors could not be followed.
        why: why there is no model, "" where there is one.
        words: texts in its loader by which tensors may be renamed.
        kept: texts that it looks for in the names of tensors to keep those itself, and under which attribute.
        refusal: what SGLang's own code raised, with its place, where nothing that isn't known led there.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    has: dict[str, bool | None] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    lost: tuple[str, ...] = ()
    why: str = ""
    refusal: tuple[str, str, int] | None = None
    words: tuple[str, ...] = ()
    kept: dict[str, str] = field(default_factory=dict)


def built(course: Course, side: Side, members: tuple[str, ...] = ()) -> Built:
    """What the class of a side builds of its configuration."""
    it = course.it
    if side.cls is None or side.module is None:
        return Built(why="its class is not known")
    before, it.decisions = it.decisions, Decisions()
    steps = it.budget.steps
    it.budget.steps = min(steps, MOST_STEPS)
    it.budget.next_look = max(it.budget.steps - LOOK_EVERY, 0)
    try:
        with _alone(course) as shallow:
            cls = it.module_attribute(it.module(side.module), side.cls)
            model = it.call(cls, [side.config], {})
            if not isinstance(model, Instance):
                return Built(why=f"{side.cls} is no class that can be followed")
            decisions = tuple(one for one in it.decisions.taken.values() if not one.importing)
            words, kept = _loader(model.cls)
            has = {member: _has(model, member) for member in members}
            return Built(
                parts=shallow.parts(model),
                has=has,
                decisions=decisions,
                lost=tuple(shallow.lost),
                words=words,
                kept=kept,
            )
    except Raised as raised:
        return _not_built(it, course, raised)
    except UndeterminedError as undetermined:
        return Built(why=undetermined.unknown.reason)
    except (ExhaustedError, SpecintError) as error:
        return Built(why=error.what)
    except RecursionError:
        return Built(why="recursion too deep")
    finally:
        it.decisions = before
        it.budget.steps, it.budget.next_look = steps, max(steps - LOOK_EVERY, 0)
        it.stack.clear()
        it.budget.depth = 0


def _not_built(it: Interpreter, course: Course, raised: Raised) -> Built:
    if isinstance(raised.value, Unknown):
        return Built(why=raised.value.reason)
    message = message_of(it, raised.value)
    kind = raised.value.cls.name if isinstance(raised.value, Instance) else type(raised.value).__name__
    models = f"{course.package}/{declared()['construction']['package'].replace('.', '/')}/"
    open_ = [one for one in it.decisions.taken.values() if not one.importing]
    sure = raised.file.startswith(models) and kind in STATED and not open_
    return Built(
        why=f"{kind}: {message[:200]} ({raised.file}:{raised.line})",
        refusal=(f"{kind}: {message}", raised.file, raised.line) if sure else None,
    )


STATED = ("ValueError", "NotImplementedError", "AssertionError")
"""What a class raises in so many words; others are as often a sign that something was not there when it was read."""


def _loader(cls: Class) -> tuple[tuple[str, ...], dict[str, str]]:
    """The texts in a class's loader, but for those that it only looks for; and those whose tensor it keeps itself."""
    kind, function = look_up(cls, declared()["construction"]["loader"])
    if kind != METHOD or type(function) is not Function:
        return (), {}
    prepare(function.code, function.owner)
    words: list[str] = []
    kept: dict[str, str] = {}
    asked: set[int] = set()
    for node in ast.walk(function.code.node):  # from the outside to the inside
        if isinstance(node, ast.Compare):
            asked.add(id(node.left))
        if isinstance(node, ast.Subscript):
            asked.add(id(node.slice))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in asked:
            words.append(node.value)
        if isinstance(node, ast.If) and (word := _looked_for(node.test)) is not None:
            for inner in ast.walk(ast.Module(node.body, [])):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    kept[word] = inner.attr
    return tuple(dict.fromkeys(words)), kept


def _looked_for(test: ast.expr) -> str | None:
    """The text of `"text" in name`."""
    match test:
        case ast.Compare(left=ast.Constant(value=str(word)), ops=[ast.In()]):
            return word
    return None


def _has(model: Instance, member: str) -> bool | None:
    """Whether an object has a member that callers ask for; open where an unread base may bring it."""
    if member in model.attributes:
        return True
    if look_up(model.cls, member)[0] not in (NOTHING, FOREIGN_KIND):
        return True
    read = all(type(one) is Class or one is object or _is_layer(one) for one in model.cls.order)
    forwards = look_up(model.cls, "__getattr__")[0] == METHOD
    return False if read and not forwards else None


FOREIGN_KIND = in_order([Foreign("x")], "x")[0]


def _is_layer(one: Any) -> bool:
    return isinstance(one, Foreign) and one.reason.startswith(LAYER)


class _Shallow:
    """Which constructors run, and what the others were given."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.rows = declared()["construction"]
        self.package = f"{course.package}.{self.rows['package']}."
        self.depth = 0
        self.lost: list[str] = []
        """Why constructors that were begun did not come to their end."""
        self.given: dict[int, tuple[Instance, list[Any], dict[str, Any]]] = {}

    def instance(self, it: Interpreter, cls: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a call of a class gives; None where it is evaluated as usual."""
        if isinstance(cls, Foreign):
            return (
                self._noted(self._outside(it, cls), arguments, keywords)
                if cls.reason in self.rows["shapes"]["torch"]
                else None
            )
        if not any(_is_layer(one) for one in cls.order):
            return None
        if self.depth > self.rows["deepest"] or not f"{cls.module}.".startswith(self.package):
            return self._noted(cls, arguments, keywords)
        if self.depth == 0:  # the model itself
            return self._within(lambda: instantiate(it, cls, arguments, keywords))
        made = self._noted(cls, arguments, keywords)
        kind, own = look_up(cls, "__init__")
        try:
            if kind == METHOD:
                self._within(lambda: it.call(own, [made, *arguments], keywords))
        except (Raised, UndeterminedError) as error:
            unknown = error.unknown if isinstance(error, UndeterminedError) else error.value
            self.lost.append(f"{cls.name}: {getattr(unknown, 'reason', unknown)}")
        return made

    def _within(self, run: Callable[[], Any]) -> Any:
        self.depth += 1
        try:
            return run()
        finally:
            self.depth -= 1

    def _noted(self, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
        made = Instance(cls)
        self.given[id(made)] = (made, arguments, keywords)
        return made

    def _outside(self, it: Interpreter, path: Foreign) -> Class:
        cls = Class(it, path.reason.rpartition(".")[2], [path], {})
        cls.module, cls.order, cls.foreign = path.reason.rpartition(".")[0], [cls, path], path
        return cls

    def parts(self, model: Instance) -> dict[str, Part]:
        """What a model holds, by path."""
        found: dict[str, Part] = {}
        seen: dict[int, str] = {}
        waiting = [("", model, 0)]
        while waiting and len(found) < MOST_PARTS:
            above, obj, depth = waiting.pop(0)
            for name, value in obj.attributes.items():
                if not isinstance(value, Instance) or not any(_is_layer(one) for one in value.cls.order):
                    continue
                path = f"{above}{name}"
                rows, columns, table = self._sides(value)
                found[path] = Part(path, value.cls.name, rows, columns, seen.get(id(value)), table)
                if id(value) not in seen and depth < DEEPEST_PART:
                    seen[id(value)] = path
                    waiting.append((f"{path}.", value, depth + 1))
        return found

    def _sides(self, value: Instance) -> tuple[int | None, int | None, bool]:
        noted = self.given.get(id(value))
        if noted is None:
            return None, None, False
        _, arguments, keywords = noted
        shapes = self.rows["shapes"]
        path = f"{value.cls.module}.{value.cls.name}"
        named = dict(zip(shapes["torch"].get(path) or self._parameters(value.cls), arguments, strict=False)) | keywords

        def side(names: list[str]) -> int | None:
            return next((named[name] for name in names if type(named.get(name)) is int), None)

        return side(shapes["rows"]), side(shapes["columns"]), type(named.get(shapes["rows"][0])) is int

    def _parameters(self, cls: Class) -> list[str]:
        kind, function = look_up(cls, "__init__")
        return function.code.positional[1:] if kind == METHOD and type(function) is Function else []


@contextmanager
def _alone(course: Course) -> Iterator[_Shallow]:
    """What a constructor asks of a running server is given as on a rank that is alone."""
    it = course.it
    rows = declared()["construction"]
    shallow = _Shallow(course)
    group = _plain_object(it, "a process group", rows["alone"]["attributes"])
    values = {**course.values, **rows["arguments"]["attributes"]}
    arguments = _plain_object(it, "the arguments", values | dict.fromkeys(rows["arguments"]["groups"], group))
    results = {"alone": group, "one": 1, "zero": 0, "arguments": arguments}
    hooks: dict[str, Callable[..., Any]] = {}
    for kind, value in results.items():
        for name in rows[kind]["functions"]:
            hooks[f"{course.package}.{name}"] = lambda _it, _a, _k, value=value: value
    before = it.hooks
    it.hooks = {**before, **hooks}
    it.on_instance = shallow.instance
    try:
        yield shallow
    finally:
        it.hooks = before
        it.on_instance = None


def _plain_object(it: Interpreter, name: str, attributes: dict[str, Any]) -> Instance:
    """An object with these attributes, of which others are not known."""
    cls = Class(it, "Alone", [], {})
    cls.order = [cls, Unknown(name)]
    made = Instance(cls)
    made.attributes = dict(attributes)
    return made
