"""One launch through SGLang's own code, stage by stage: arguments, target, worker, draft."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from specint.errors import SpecintError
from specint.execution.bounds import ExhaustedError, HaltedError
from specint.execution.interpreter import Interpreter
from specint.execution.operators import shown
from specint.execution.records import record_of
from specint.execution.values import Class, Instance, Raised, UndeterminedError, Unknown
from specint.launch.declared import declared
from specint.launch.setting import ModelClass


@dataclass(frozen=True)
class Refusal:
    """Who refuses a launch, with which error, and where: the innermost place inside of SGLang."""

    stage: str
    by: str
    error: str
    message: str
    file: str | None
    line: int | None


@dataclass(frozen=True)
class Open:
    """A stage that could not be evaluated to its end."""

    stage: str
    why: str
    file: str | None = None
    line: int | None = None
    bounded: bool = False
    """Whether a bound of specint's own was reached."""


@dataclass(frozen=True)
class Side:
    """The target or the draft: its class and where that is, its architectures after rewriting."""

    cls: str | None
    module: str | None
    file: str | None
    architectures: tuple[str, ...]
    path: str | None = None
    config: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Change:
    """An argument whose value SGLang replaces, where it does, and what it logs there."""

    name: str
    before: Any
    after: Any
    file: str | None = None
    line: int | None = None
    why: str | None = None


@dataclass
class Found:
    """What came of a launch."""

    refusals: list[Refusal] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
    algorithm: Any = None
    worker: tuple[str, str | None] | None = None
    target: Side | None = None
    draft: Side | None = None
    changed: list[Change] | None = None
    values: dict[str, Any] = field(default_factory=dict)
    speculative: bool = True
    halted: bool = False
    elsewhere: str | None = None
    """The algorithm that was asked for, where a draft that isn't here kept its arguments from being resolved."""

    def outcome(self) -> tuple[Any, ...]:
        """What flipping a decision may change: everything that the answer is made of but the values."""
        sides = [
            None if side is None else (side.cls, side.module, side.architectures) for side in (self.target, self.draft)
        ]
        refusals = tuple((one.error, one.file, one.line) for one in self.refusals[:1])
        return (refusals, tuple(one.stage for one in self.open), str(self.algorithm), self.worker, *sides)


class Course:
    """A launch on its way through the entry points of `rules/preflight.toml`."""

    def __init__(self, it: Interpreter, package: str, argv: list[str]) -> None:
        self.it = it
        self.package = package
        self.argv = argv
        self.entry = declared()["entry"]
        self.found = Found()
        self.given: dict[int, tuple[Instance, dict[str, Any]]] = {}
        self.places: dict[str, tuple[str, int, int]] = {}
        self.record: Instance | None = None
        self.values: dict[str, Any] = {}
        """The resolved arguments as the evaluated code holds them."""

    def run(self) -> Found:
        """All stages. SpecintError where this SGLang has none of the declared entry points."""
        self.it.on_built = self._built
        self.it.on_write = self._written
        self.it.on_append = self._appended
        resolved = self._stage("arguments", self._resolve)
        if not isinstance(resolved, Instance):
            self._look_for_draft()
            return self.found
        self._stage("arguments", lambda: self._changes(resolved))
        self.found.target = self._side("target", resolved, {})
        self._stage("worker", lambda: self._worker(resolved))
        self._draft(resolved)
        return self.found

    # -- stages --------------------------------------------------------------------------------------------------------
    def _stage(self, name: str, run: Any) -> Any:
        try:
            return run()
        except Raised as raised:
            self._refused(name, raised)
        except UndeterminedError as undetermined:
            self.found.open.append(Open(name, undetermined.unknown.reason))
        except ExhaustedError as error:
            frame = self.it.stack[-1] if self.it.stack else None
            file, line = (frame.file, frame.line) if frame else (None, None)
            why = error.what if isinstance(error, HaltedError) else f"evaluating it takes too much: {error.what}"
            self.found.halted = self.found.halted or isinstance(error, HaltedError)
            self.found.open.append(Open(name, why, file, line, bounded=not isinstance(error, HaltedError)))
        finally:
            self.it.stack.clear()
            self.it.budget.depth = 0
        return None

    def _refused(self, stage: str, raised: Raised) -> None:
        places = [(raised.file, raised.line), *raised.through]
        inside = next((place for place in places if place[0].startswith(f"{self.package}/")), (None, None))
        if isinstance(raised.value, Unknown):
            self.found.open.append(Open(stage, raised.value.reason, *inside))
            return
        if raised.file == "argparse":
            message = str(raised.value).removeprefix("error: ")
            self.found.refusals.append(Refusal("command line", "argparse", "SystemExit", message, None, None))
            return
        by = "sglang" if raised.file.startswith(f"{self.package}/") else "transformers"
        value = raised.value
        name = value.cls.name if isinstance(value, Instance) else type(value).__name__
        self.found.refusals.append(Refusal(stage, by, name, message_of(self.it, value), *inside))

    def _resolve(self) -> Any:
        function = self._function(self.entry["arguments"]["functions"])
        resolved = self.it.call(function, [list(self.argv)], {})
        if not isinstance(resolved, Instance):
            raise Raised(resolved if isinstance(resolved, Unknown) else Unknown("what the command line resolves to"))
        self.record = resolved
        for step in ("resolution", "validation"):
            self._method(resolved, self.entry[step]["methods"])
        return resolved

    def _function(self, names: list[str]) -> Any:
        for dotted in names:
            module, _, name = f"{self.package}.{dotted}".rpartition(".")
            if self.it.modules.where(module) is None:
                continue
            found = self.it.module(module)
            if self.it.has_attribute(found, name) is not False:
                return self.it.module_attribute(found, name)
        raise SpecintError(
            f"this SGLang has none of {', '.join(names)}", "rules/preflight.toml", "is it a release from 0.5 on?"
        )

    def _class(self, dotted: str) -> Any:
        return self._function([dotted])

    def _method(self, value: Any, names: list[str]) -> Any:
        for name in names:
            if self.it.has_attribute(value, name) is True:
                return self.it.call(self.it.get_attribute(value, name), [], {})
        return None

    def _look_for_draft(self) -> None:
        given = vars(self.it.parsed[-1]) if self.it.parsed and self.found.halted else {}
        path = given.get(self.entry["draft"]["path"])
        if isinstance(path, str) and not self.it.files.known(path):
            self.found.elsewhere = str(given.get(self.entry["algorithm"]["value"]))

    # -- what is watched -----------------------------------------------------------------------------------------------
    def _built(self, obj: Instance) -> None:
        record = record_of(obj)
        if record is not None and self.it.parsed and len(record.names) > 50:
            self.given[id(obj)] = (obj, dict(obj.attributes))
            self.record = obj

    def _written(self, obj: Any, name: str) -> None:
        if obj is self.record and self.it.stack:
            frame = self.it.stack[-1]
            self.places[name] = (frame.file, frame.line, len(self.it.logged))

    def _appended(self, container: Any, item: Any) -> None:
        """Resolved values may be kept in a list beside the record: then they are named in what is appended to it."""
        if self.record is None or not isinstance(item, tuple) or len(self.it.stack) < 2:
            return
        if not any(container is value for name, value in self.record.attributes.items() if name.startswith("_")):
            return
        frame = self.it.stack[-2]
        for part in item:
            if isinstance(part, dict):
                for name in part:
                    self.places[str(name)] = (frame.file, frame.line, len(self.it.logged))

    # -- values --------------------------------------------------------------------------------------------------------
    def _changes(self, resolved: Instance) -> None:
        record = record_of(resolved)
        after = self._method(resolved, self.entry["values"]["methods"])
        if not isinstance(after, dict):
            names = record.names if record is not None else list(resolved.attributes)
            after = {name: resolved.attributes.get(name) for name in names}
        self.values = dict(after)
        self.found.values = {name: kept(value) for name, value in after.items()}
        self.found.algorithm = after.get(self.entry["algorithm"]["value"])
        known, before = self.given.get(id(resolved), (None, {}))
        parsed = vars(self.it.parsed[-1]) if self.it.parsed else before
        changed = []
        for name in sorted(after):
            if name in before and name in parsed and not same(before[name], after[name]):
                file, line, at = self.places.get(name, (None, None, 0))
                said = self._said(file, line, at)
                changed.append(Change(name, kept(before[name]), self.found.values[name], file, line, said))
        self.found.changed = changed
        del known

    def _said(self, file: str | None, line: int | None, at: int) -> str | None:
        """What SGLang logs beside a change: the nearest line of the same file, just before or after it."""
        if file is None or line is None:
            return None
        near = [
            (abs(where - line), text)
            for level, text, place, where in self.it.logged[max(0, at - 3) : at + 3]
            if place == file and abs(where - line) <= 12 and level in ("info", "warning", "warn", "error", "print")
        ]
        return min(near)[1] if near else None

    # -- worker, target, draft -----------------------------------------------------------------------------------------
    def _worker(self, resolved: Instance) -> None:
        entry = self.entry["algorithm"]
        enum = self._class(entry["enum"])
        kind = self.it.call(self.it.get_attribute(enum, entry["from_text"]), [self.found.algorithm], {})
        none = self.it.call(self.it.get_attribute(kind, entry["none"]), [], {})
        if self.it.truth_value(none):
            self.found.speculative = False
            return
        if self.it.has_attribute(kind, entry["worker"]) is not True:
            return
        worker = self.it.call(self.it.get_attribute(kind, entry["worker"]), [resolved], {})
        if isinstance(worker, Class):
            self.found.worker = (worker.name, worker.file or None)
        else:
            reason = worker.reason if isinstance(worker, Unknown) else str(type(worker).__name__)
            raise Raised(Unknown(f"the worker: {reason}"))

    def _draft(self, resolved: Instance) -> None:
        entry = self.entry["draft"]
        algorithm = self.found.algorithm
        if not algorithm or not self.found.speculative or algorithm in entry["without"]:
            return
        words = entry["keywords"]
        path = self.found.values.get(entry["path"])
        keywords = {
            words["path"]: path,
            words["revision"]: self.found.values.get(entry["revision"]),
            words["flag"]: True,
        }
        self.found.draft = self._side("draft", resolved, keywords, path)

    def _side(self, name: str, resolved: Instance, keywords: dict[str, Any], path: Any = None) -> Side | None:
        entry = self.entry["model"]

        def configure() -> Any:
            make = self.it.get_attribute(self._class(entry["config"]), entry["make"])
            return self.it.call(make, [resolved], keywords)

        config = self._stage(name, configure)
        if not isinstance(config, Instance):
            if config is not None:
                self.found.open.append(Open(name, getattr(config, "reason", "its configuration")))
            return None
        inner = self.it.get_attribute(config, entry["inner"])
        text_path = path if isinstance(path, str) else None

        def architecture() -> Any:
            return self.it.call(self._function(self.entry["architecture"]["functions"]), [config], {})

        found = self._stage(name, architecture)
        listed = self._stage(name, lambda: self.it.get_attribute(inner, entry["architectures"]))
        architectures = tuple(str(one) for one in listed) if isinstance(listed, list | tuple) else ()
        if isinstance(found, tuple) and found and isinstance(found[0], ModelClass):
            cls = found[0]
            file = self.it.tree.find(cls.module)
            return Side(cls.cls, cls.module, file.path if file else None, architectures, text_path, inner)
        if found is not None:
            reason = found.reason if isinstance(found, Unknown) else "the class"
            self.found.open.append(Open(name, f"which class serves {', '.join(architectures)}: {reason}"))
        return Side(None, None, None, architectures, text_path, inner)


def kept(value: Any, depth: int = 0) -> Any:
    """A copy of containers and objects: what evaluated code holds goes back to what it was, once the launch is
    answered. Members of an enum are one of a kind."""
    if depth > DEEPEST_VALUE:
        return value
    if type(value) is dict:
        return {name: kept(one, depth + 1) for name, one in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(kept(one, depth + 1) for one in value)
    if type(value) is Instance and value.payload is None and value.cls.record != "enum":
        copied = Instance(value.cls)
        copied.attributes = {name: kept(one, depth + 1) for name, one in value.attributes.items()}
        return copied
    return value


DEEPEST_VALUE = 6


def same(one: Any, other: Any) -> bool:
    """Whether two values of an argument are the same, as far as they are known."""
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other)
    except (UndeterminedError, Raised):
        return False


def message_of(it: Interpreter, value: Any) -> str:
    """An exception's text."""
    if isinstance(value, Instance):
        try:
            return shown(it.str_of(value))
        except Raised:
            return ""
    return shown(value)
