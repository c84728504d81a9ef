"""spec-tied-weight-deletion: a draft's setter deletes two weights that its constructor may have made one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import anchor, effects, provided_by
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement
from specint.facts import model as facts
from specint.graph.composition import condition_text
from specint.graph.effects import Effects, Held, Path, Place, Run
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.steps import expressions, written

SYMBOL = "spec-tied-weight-deletion"
_COMMON = 0.05


@dataclass(frozen=True)
class _Deletion:
    """`del <path>.<weight>`; `resets`: the same weight is given anew before the next one is deleted."""

    path: Path
    weight: str
    run: Run
    guard: int
    line: int
    resets: bool


@dataclass(frozen=True)
class _Tie:
    """The constructor makes what stands at `path` the same object as what stands at `other`."""

    path: Path
    other: Path
    place: Place
    guard: int
    condition: str
    names: frozenset[str]
    tests: frozenset[tuple[str, bool]]


def check(context: Context) -> Iterator[Finding]:
    """One finding for each setter of a draft whose second deletion can't work where the two are tied."""
    setters: dict[str, list[Requirement]] = {}
    for requirement in context.contract.requirements:
        call = requirement.call
        if requirement.role != "draft" or requirement.use != "call" or call is None:
            continue
        if call.positional + len(call.keywords) > 0:
            setters.setdefault(requirement.member, []).append(requirement)
    for model in context.models:
        if "draft" not in model.roles:
            continue
        for member, requirements in setters.items():
            if model.members[member].status == "present":
                yield from _judge(context, model, member, requirements)


def _judge(context: Context, model: ModelCompliance, member: str, requirements: list[Requirement]) -> Iterator[Finding]:
    flow, node = effects(context), context.node(model)
    if not _may_delete(context, node, member):
        return
    deletions = list(_deletions(flow, node, member))
    if len(deletions) < 2:
        return
    holders = dict.fromkeys([Held(node), *(d.run.receiver for d in deletions if d.run.receiver is not None)])
    under = {a for r in requirements for a in r.algorithms}
    algorithms = tuple(a for a in context.contract.algorithms if a in under and a in model.applicable)
    if not algorithms:
        return
    switches = {r.condition.member for r in requirements if r.condition is not None and r.condition.holds}
    ties = [
        tie
        for held in holders
        for tie in _ties(context, held)
        if not any(_excludes(context, node, tie, switch) for switch in switches)
    ]
    for index, first in enumerate(deletions):
        for second in deletions[index + 1 :]:
            for tie in ties:
                if {first.path, second.path} != {tie.path, tie.other} or first.weight != second.weight:
                    continue
                if not first.resets and not _looks(first, tie) and not _looks(second, tie):
                    yield _finding(context, model, member, algorithms, first, second, tie)
                    return


def _may_delete(context: Context, node: ClassNode, member: str) -> bool:
    """Whether a member deletes something itself, or passes the call on; following any other would take long."""
    found = context.judge.hierarchy.lookup(node, member)
    if found is None or found.function is None:
        return False
    steps = found.function.facts.body.steps
    if any(isinstance(step, facts.Delete) for step in steps):
        return True
    parts = (part for step in steps for expr in expressions(step) for part in facts.walk(expr))
    return any(isinstance(part, facts.Attribute) and part.name == member for part in parts)


def _deletions(flow: Effects, node: ClassNode, member: str) -> Iterator[_Deletion]:
    for run in flow.runs(node, member, carrying=True):
        steps = list(flow.steps(run))
        for index, step in enumerate(steps):
            if not isinstance(step, facts.Delete) or not isinstance(step.target, facts.Attribute):
                continue
            resets = False
            for later in steps[index + 1 :]:
                if isinstance(later, facts.Delete):
                    break
                resets = resets or (
                    isinstance(later, facts.Bind) and later.target == _unlined(step.target, later.target)
                )
            for path in flow.paths(step.target.base, run):
                yield _Deletion(path, step.target.name, run, step.guard, step.line, resets)


def _excludes(context: Context, node: ClassNode, tie: _Tie, switch: str) -> bool:
    """Whether a class turns on what makes the worker call the setter, and only where it doesn't tie."""
    body = tie.place.function.facts.body
    tied = {(facts.spell(g.test), g.positive) for g in body.guards_of(tie.guard) if g.test is not None}
    found = False
    for frame in context.judge.composition.constructor(node):
        if frame.function is None:
            continue
        for step in frame.function.facts.body.steps:
            for target, value in written(step):
                if not isinstance(target, facts.Attribute) or target.name != switch or value == facts.Constant(False):
                    continue
                guards = list(frame.function.facts.body.guards_of(step.guard))
                if not any((facts.spell(g.test), not g.positive) in tied for g in guards if g.test is not None):
                    return False
                found = True
    return found


def _unlined(target: facts.Expr, other: facts.Expr) -> facts.Expr | None:
    """The other expression where both are spelled alike; nodes know their lines, so equality would say no."""
    return other if facts.spell(target) == facts.spell(other) else None


def _ties(context: Context, held: Held) -> Iterator[_Tie]:
    flow = effects(context)
    for frame in context.judge.composition.constructor(held.node):
        if frame.function is None:
            continue
        run = Run(frame.function, held)
        for step in flow.steps(run):
            if not isinstance(step, facts.Bind) or not isinstance(step.target, facts.Attribute) or step.value is None:
                continue
            for path in flow.paths(step.target, run):
                for other in flow.paths(step.value, run):
                    guards = [g.test for g in frame.function.facts.body.guards_of(step.guard) if g.test is not None]
                    asked = [*guards, step.value.test] if isinstance(step.value, facts.Choice) else guards
                    condition = condition_text(frame.function, step.guard)
                    place = Place(frame.function, step.line)
                    names = frozenset(name for test in asked for name in _names(test))
                    tests = _asked(frame.function.facts.body, step.guard)
                    tie = _Tie(path, other, place, step.guard, condition, names, tests)
                    if not _undone(context, held, tie):
                        yield tie


def _undone(context: Context, held: Held, tie: _Tie) -> bool:
    """Whether the constructor later replaces one of the two, or what holds it: they may be two again."""
    order = context.judge.hierarchy.order(held.node).nodes
    owner = tie.place.function.owner
    changed = {path[: n + 1] for path in (tie.path, tie.other) for n in range(len(held.path), len(path))}
    for frame in context.judge.composition.constructor(held.node):
        function = frame.function
        if function is None or function.owner not in order or owner not in order:
            continue
        run = Run(function, held)
        for step in function.facts.body.steps:
            if function is tie.place.function:
                later = step.line > tie.place.line and not _excluding(function, step.guard, tie.guard)
            else:
                later = order.index(function.owner) < order.index(owner)  # a child goes on after its parent
            if later and isinstance(step, facts.Bind) and any(p in changed for p in _given_paths(context, step, run)):
                return True
    return False


def _given_paths(context: Context, step: facts.Bind, run: Run) -> Iterator[Path]:
    """What a step gives a value, as a way from the object."""
    if isinstance(step.target, facts.Attribute):
        yield from effects(context).paths(step.target, run)


def _excluding(function: FunctionNode, one: int, other: int) -> bool:
    """Whether two guards of a function can't both be true: the arms of one `if`."""
    body = function.facts.body
    tests = {(facts.spell(g.test), g.positive) for g in body.guards_of(one) if g.test is not None}
    return any((facts.spell(g.test), not g.positive) in tests for g in body.guards_of(other) if g.test is not None)


def _names(test: facts.Expr) -> Iterator[str]:
    for part in facts.walk(test):
        match part:
            case facts.Attribute(name=name) | facts.Constant(value=str(name)):
                yield name
            case _:
                pass


def _asked(body: facts.Scope, guard: int) -> frozenset[tuple[str, bool]]:
    """The conditions of a step, as they are asked on whatever object, and how they must turn out."""
    guards = body.guards_of(guard)
    return frozenset((facts.spell(g.test).removeprefix("self."), g.positive) for g in guards if g.test is not None)


def _looks(deletion: _Deletion, tie: _Tie) -> bool:
    """Whether the deletion asks first: for what the tie depends on, or whether the two are one.

    One that runs just where the two are tied has not.
    """
    if tie.tests & _asked(deletion.run.function.facts.body, deletion.guard):
        return False
    for guard in deletion.run.function.facts.body.guards_of(deletion.guard):
        if guard.kind == "try":
            return True
        if guard.test is None:
            continue
        if tie.names & set(_names(guard.test)) - {"config"}:
            return True
        for part in facts.walk(guard.test):
            match part:
                case facts.Compare(operands=operands) if not any(isinstance(o, facts.Constant) for o in operands):
                    if {tie.path[-1], tie.other[-1]} & set(_names(part)):
                        return True
                case facts.Call(func=facts.Name(id="hasattr"), args=(_, facts.Constant(value=str(name)))):
                    if name == deletion.weight:
                        return True
                case _:
                    pass
    return False


def _finding(
    context: Context,
    model: ModelCompliance,
    member: str,
    algorithms: tuple[str, ...],
    first: _Deletion,
    second: _Deletion,
    tie: _Tie,
) -> Finding:
    status = model.members[member]
    one, two = (f"self.{'.'.join(d.path)}.{d.weight}" for d in (first, second))
    under = f"where {tie.condition}" if tie.condition else "always"
    same = f"self.{'.'.join(tie.path)} is self.{'.'.join(tie.other)}"
    message = (
        f"{model.name}.{member}{provided_by(model, status)} deletes {one} and then {two}, but {same} {under}: "
        f"the second deletion raises AttributeError when it drafts for {listed(algorithms)}"
    )
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        at=anchor(context.node(model), model, status),
        message=message,
        evidence=(
            Evidence(file=first.run.function.module.path, line=first.line, what=f"{one} is deleted here"),
            Evidence(file=second.run.function.module.path, line=second.line, what=f"{two} is deleted here, unasked"),
            Evidence(file=tie.place.file, line=tie.place.line, what=f"the two are tied here, {under}"),
        ),
    )
