"""The answer to a launch: starts, refused, fails, depends or unknown, with what it rests on."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from specint.execution.bounds import ExhaustedError
from specint.execution.decisions import Decision, Decisions
from specint.execution.files import Files
from specint.execution.interpreter import Interpreter
from specint.execution.library.parser import Parser, fill_like
from specint.execution.operators import shown
from specint.execution.stack import with_deep_stack
from specint.execution.values import Instance, Raised, UndeterminedError, Unknown
from specint.launch.command import Command
from specint.launch.construction import Built
from specint.launch.course import Course, Found, Open, Side
from specint.launch.declared import declared
from specint.launch.fit import Fit
from specint.launch.inspection import draft_built, inspected
from specint.launch.judging import Judge, Lack
from specint.launch.machine import Machine
from specint.launch.setting import Setting
from specint.launch.sides import WHATEVER, Compared, compared, of_the_target, without_draft

AS_WRITTEN = "{} has a value only where the launch runs: it is taken as it is written"
SCHEMA = "specint.preflight/1"
MOST_FLIPS = 24


Build = Callable[[Course], dict[str, Built]]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """An open decision that matters: what is tested, where, and what each arm gives."""

    what: str
    file: str
    line: int
    arms: dict[str, str]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said of one launch on one machine."""

    id: str | None
    version: str
    machine: Machine
    command: Command
    answer: str
    found: Found
    contract: tuple[Lack, ...] = ()
    fit: tuple[Fit, ...] = ()
    decisions: tuple[Turn, ...] = ()
    undecided: tuple[Decision, ...] = ()
    assumed: tuple[str, ...] = ()
    facts: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


class Workbench:
    """One SGLang on one machine, which answers launch after launch.

    The modules that the first launch needed are evaluated once more without any launch; later ones start from that
    state, and go back to it.
    """

    def __init__(self, setting: Setting, machine: Machine, judge: Judge | None = None) -> None:
        self.setting = setting
        self.machine = machine
        self.judge = judge
        self.base: Interpreter | None = None
        self.base_decisions: dict[str, Decision] = {}
        self.order: list[str] = []
        self.asked: dict[str, set[str]] = {}
        """What the latest answer asked of the file system: see `Files.asked`."""

    def answer(self, command: Command, name: str | None = None) -> Answer:
        """The answer to one launch."""
        self.asked = {}
        return with_deep_stack(lambda: self._answer(command, name))

    def _answer(self, command: Command, name: str | None) -> Answer:
        collecting = gc.isenabled()
        gc.disable()  # evaluating makes no garbage worth looking for before it is done
        try:
            return self._judged(command, name)
        finally:
            if collecting:
                gc.enable()

    def _judged(self, command: Command, name: str | None) -> Answer:
        run = self._run(command, (), draft_built)
        turns = self._turns(command, run)
        found = run.found
        sides = Compared()
        notes = [*self.setting.notes, *(AS_WRITTEN.format(one) for one in dict.fromkeys(command.unknown))]
        kind = self._kind(found, turns)
        # What is certain of one side stays so where the other can't be read.
        if kind == "starts" or (kind == "unknown" and not found.refusals and found.worker is not None):
            looked = inspected(
                found,
                Files(command.folders, self.asked),
                compared(self.judge, found),
                run.made,
                partial(self._built, command),
            )
            sides, notes = looked.sides, [*notes, *looked.notes]
            kind = "fails" if sides.fatal else kind
        elif kind == "unknown" and found.elsewhere is not None:
            alone = self._run(without_draft(command), ()).found
            lacks = of_the_target(self.judge, alone, found.elsewhere)
            sides, notes = Compared(contract=lacks), [*notes, *([WHATEVER] if lacks else [])]
        return Answer(
            id=name,
            version=self.setting.tree.origin.version,
            machine=self.machine,
            command=command,
            answer=kind,
            found=found,
            contract=sides.contract,
            fit=sides.fit,
            decisions=tuple(turns),
            undecided=tuple(run.decisions.values()),
            assumed=run.assumed,
            facts=run.facts,
            notes=tuple(notes),
        )

    def _built(self, command: Command, build: Callable[[Course], dict[str, Built]]) -> dict[str, Built]:
        return self._evaluated(command, (), build).made

    def _kind(self, found: Found, turns: list[Turn]) -> str:
        if turns:
            return "depends"
        if found.refusals and (not found.open or _before(found.refusals[0].stage, found.open[0].stage)):
            return "refused"
        return "unknown" if found.open else "starts"

    # -- running -------------------------------------------------------------------------------------------------------
    def _run(self, command: Command, flipped: Iterable[str], build: Build | None = None) -> Run:
        run = self._evaluated(command, tuple(flipped), build)
        leave_open(run.found, command)
        return run

    def _evaluated(self, command: Command, flipped: tuple[str, ...], build: Build | None = None) -> Run:
        if self.base is not None and not (set(flipped) & self.base_decisions.keys()) and self._fits_base(command):
            return self._from_base(command, flipped, build)
        it = self.setting.interpreter(self.machine, Files(command.folders, self.asked), command.environment)
        it.decisions = Decisions(flipped)
        course = Course(it, self.setting.package, list(command.argv))
        found = course.run()
        made = build(course) if build is not None else {}
        if not self.order:
            self.order = list(it.order)
        return Run(found, it, made=made)

    def _fits_base(self, command: Command) -> bool:
        assert self.base is not None
        return all(command.environment.get(name) == value for name, value in self.base.environment.asked.items())

    def prepare(self) -> None:
        """Evaluate the modules that a launch needed, once for all that follow."""
        if self.base is None and self.order:
            with_deep_stack(self._prepare)

    def _prepare(self) -> None:
        it = self.setting.interpreter(self.machine, Files(), {})
        for name in self.order:
            try:
                it.modules.load(it, name)
            except Raised:
                continue  # it is evaluated where the launch needs it
        it.stack.clear()
        it.budget.depth = 0
        self._keep_parser(it)
        self.base_decisions = dict(it.decisions.taken)
        self.base = it
        gc.collect()
        gc.freeze()

    def _keep_parser(self, it: Interpreter) -> None:
        """Fill the parser once: later launches get the same arguments added, unevaluated."""
        for dotted in declared()["entry"]["parser"]["functions"]:
            module, _, cls, name = _parts(f"{self.setting.package}.{dotted}")
            if it.modules.where(module) is None:
                continue
            filled = Parser()
            try:
                function = it.get_attribute(it.module_attribute(it.module(module), cls), name)
                it.call(function, [filled], {})
            except (Raised, UndeterminedError, ExhaustedError):
                continue
            it.hooks[f"{self.setting.package}.{dotted}"] = partial(_fill, filled)

    def _from_base(self, command: Command, flipped: tuple[str, ...], build: Build | None) -> Run:
        it = self.base
        assert it is not None
        it.remember()
        it.touch(it.environment)
        it.environment.update(command.environment)
        asked = dict(it.environment.asked)
        files, it.files = it.files, Files(command.folders, self.asked)
        it.decisions = Decisions(flipped)
        it.decisions.taken.update(self.base_decisions)
        it.parsed = []
        try:
            course = Course(it, self.setting.package, list(command.argv))
            found = course.run()
            made = build(course) if build is not None else {}
            return Run(found, it, known=self.base_decisions.keys(), made=made)
        finally:
            it.restore()
            it.files = files
            it.environment.asked = asked
            it.absent = set()

    # -- sensitivity ---------------------------------------------------------------------------------------------------
    def _turns(self, command: Command, run: Run) -> list[Turn]:
        """The decisions whose other arm gives another outcome: first all of them at once, then one by one."""
        if run.found.halted:
            return []
        open_ = [one for one in run.decisions.values() if not one.importing]
        if not open_:
            return []
        self.prepare()
        usual = run.found.outcome()
        if self._run(command, [one.what for one in open_]).found.outcome() == usual:
            return []
        turns = []
        for one in open_[:MOST_FLIPS]:
            other = self._run(command, [one.what]).found
            if other.outcome() != usual:
                arms = {_arm(one.arm): told(run.found), _arm(not one.arm): told(other)}
                turns.append(Turn(what=one.what, file=one.file, line=one.line, arms=arms))
        return turns


class Run:
    """What one evaluation gave, taken out of the interpreter before it goes on."""

    def __init__(
        self, found: Found, it: Interpreter, known: Iterable[str] = (), made: dict[str, Built] | None = None
    ) -> None:
        self.found = found
        self.made = made or {}
        seen = set(known)
        self.decisions = {what: one for what, one in it.decisions.taken.items() if what not in seen}
        said = [text for level, text, _file, _line in it.logged if level == "assumed"]
        # What Python itself asks of any object (`__deepcopy__`) is no key of a configuration.
        self.assumed = (*dict.fromkeys(said), *sorted(name for name in it.absent if not name.startswith("_")))
        self.facts = {path: value for path, value in it.outside.used.items() if not isinstance(value, Unknown)}
        for side in (found.target, found.draft):
            if side is not None and isinstance(side.config, Instance):
                # Later launches go back to the state before this one: what is still asked for is copied.
                object.__setattr__(side, "config", plain_config(side.config))


def leave_open(found: Found, command: Command) -> None:
    """A refusal of what is only written in a word's place refuses no launch."""
    for n, one in enumerate(found.refusals):
        written = next((part for part in command.unknown if part in one.message), None)
        if written is not None:
            found.refusals = found.refusals[:n]
            why = f"{written} has a value only where the launch runs ({one.message[:200]})"
            found.open.insert(0, Open(one.stage, why, one.file, one.line))
            return


def _fill(filled: Parser, it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
    fill_like(arguments[0], filled)


def _parts(dotted: str) -> tuple[str, str, str, str]:
    above, _, name = dotted.rpartition(".")
    module, dot, cls = above.rpartition(".")
    return module, dot, cls, name


def plain_config(config: Any, depth: int = 0) -> Any:
    """A configuration as plain dictionaries."""
    if isinstance(config, Instance) and depth < 4:
        return {name: plain_config(value, depth + 1) for name, value in config.attributes.items()}
    return config


def _before(one: str, other: str) -> bool:
    stages = ("command line", "arguments", "target", "worker", "draft")
    return stages.index(one) <= stages.index(other)


def _arm(taken: bool) -> str:
    return "true" if taken else "false"


def told(found: Found) -> str:
    """An outcome in a few words."""
    if found.refusals:
        one = found.refusals[0]
        return f"refused: {one.error} {one.file or one.by}:{one.line or 0}"
    if found.open:
        return f"unknown: {found.open[0].why[:120]}"
    worker = found.worker[0] if found.worker else None
    sides = [side.cls or "?" for side in (found.target, found.draft) if side is not None]
    return f"{found.algorithm or 'no algorithm'}, {worker or 'no worker'}, {' + '.join(sides)}"


# -- the document ------------------------------------------------------------------------------------------------------
def document(answer: Answer, replace: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The answer as `specint.preflight/1`."""
    found = answer.found
    refusal = found.refusals[0] if found.refusals and answer.answer in ("refused", "depends") else None
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "id": answer.id,
        "sglang": {"version": answer.version},
        "machine": answer.machine.name,
        "answer": answer.answer,
        "refusal": None if refusal is None else {
            "by": refusal.by, "stage": refusal.stage, "error": refusal.error, "message": refusal.message,
            "file": refusal.file, "line": refusal.line,
        },
        "algorithm": plain(found.algorithm),
        "worker": None if found.worker is None else {"class": found.worker[0], "file": found.worker[1]},
        "target": _side(found.target),
        "draft": _side(found.draft),
        "changed": [
            {"name": one.name, "before": plain(one.before), "after": plain(one.after), "file": one.file,
             "line": one.line, "why": one.why}
            for one in found.changed or ()
        ],
        "contract": [msgspec.to_builtins(lack) for lack in answer.contract],
        "fit": [
            {"name": one.name, "target": plain(one.target), "draft": plain(one.draft), "fits": one.fits,
             "reason": one.reason}
            for one in answer.fit
        ],
        "decisions": [msgspec.to_builtins(turn) for turn in answer.decisions],
        "undecided": [{"what": one.what, "file": one.file, "line": one.line} for one in answer.undecided],
        "unknown": [{"stage": one.stage, "why": one.why, "file": one.file, "line": one.line} for one in found.open],
        "assumed": list(answer.assumed),
        "facts": {name: plain(value) for name, value in sorted(answer.facts.items())},
        "notes": list(answer.notes),
    }  # fmt: skip
    if replace:
        text = json.dumps(made)
        for old, new in replace.items():
            text = text.replace(old, new)
        made = json.loads(text)
    return made


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    dotted = f"{side.module}.{side.cls}" if side.cls else None
    return {"class": dotted, "file": side.file, "architectures": list(side.architectures), "path": side.path}


def plain(value: Any) -> Any:
    """A value as JSON has it; one that is not known as its reason."""
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    try:
        return json.loads(json.dumps(value, default=shown))
    except (TypeError, ValueError, RecursionError):
        return shown(value)
