"""spec-lost-residual: an inner model keeps what a layer added, without the sum that its layers carry beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import anchor, capture_hooks, effects, layers_written
from specint.checks.wording import does, listed
from specint.compliance.model import ModelCompliance
from specint.facts import model as facts
from specint.graph.effects import Held, Run
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.steps import expressions

SYMBOL = "spec-lost-residual"
ASIDE = True  # follows what runs and what it returns: as much work as all other rules together
FORWARD = "forward"


@dataclass(frozen=True)
class _Carry:
    """`hidden, residual = layer(..., hidden, ..., residual)` in a loop: its layers leave the sum to the next one."""

    hidden: str
    residual: str
    line: int
    loops: frozenset[int]


@dataclass(frozen=True)
class _Loss:
    """Where one half of what layers carry is kept."""

    function: FunctionNode
    carry: _Carry
    line: int


def check(context: Context) -> Iterator[Finding]:
    """One finding a target whose inner model keeps the one half, with every algorithm that drafts from it."""
    hooks = capture_hooks(context)
    for model in context.models:
        if "target" not in model.roles:
            continue
        lost: dict[tuple[str, int], tuple[list[str], list[str], _Loss]] = {}
        for member, asking in hooks.items():
            algorithms = model.under(asking)
            if algorithms and model.members[member].status == "present":
                for loss in _losses(context, context.node(model), member):
                    key = (loss.function.module.path, loss.carry.line)
                    members, under, _ = lost.setdefault(key, ([], [], loss))
                    members += [member] if member not in members else []
                    under += [a for a in algorithms if a not in under]
        # several ways through one forward, as for several kinds of machine, are one defect
        for members, under, loss in list(lost.values())[:1]:
            yield _finding(context, model, members, tuple(under), loss)


def _losses(context: Context, node: ClassNode, member: str) -> Iterator[_Loss]:
    flow = effects(context)
    written = layers_written(flow, node, member)
    layers = frozenset(write.attribute for write in written)
    for holder in dict.fromkeys(held for write in written for held in write.holders):
        for run in flow.runs(holder.node, FORWARD, within=()):
            if run.receiver in (None, Held(holder.node)) and (loss := _kept_alone(run, layers)) is not None:
                yield loss


def _kept_alone(run: Run, layers: frozenset[str]) -> _Loss | None:
    """A state that is kept under a question for the chosen layers, and is only one half of what the layers carry."""
    body = run.function.facts.body
    carries = list(_carries(body))
    for step in body.steps:
        if not _asks_for(body, step, layers):
            continue
        for carry in carries:
            if _keeps(step, carry) and not _looks(body, step, carry) and not _joined(body, carry, step):
                return _Loss(run.function, carry, step.line)
    return None


def _carries(body: facts.Scope) -> Iterator[_Carry]:
    """The loops whose layers carry two things of which a later call takes both: so they are to be added up."""
    for step in body.steps:
        match step:
            case facts.Bind(
                target=facts.Display(items=(facts.Name(id=hidden), facts.Name(id=residual))), value=facts.Call() as call
            ):
                loops = frozenset(_loops(body, step.guard))
                if loops and hidden != residual and _given(call, hidden) and _given(call, residual):
                    carry = _Carry(hidden, residual, step.line, loops)
                    if any(
                        _joins(later, carry) for later in body.steps if later.line > step.line and later is not step
                    ):
                        yield carry


def _loops(body: facts.Scope, guard: int) -> Iterator[int]:
    while guard >= 0:
        if body.guards[guard].kind == "loop":
            yield guard
        guard = body.guards[guard].parent


def _given(call: facts.Call, name: str) -> bool:
    values = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(isinstance(one, facts.Name) and one.id == name for one in values)


def _joins(step: facts.Step, carry: _Carry) -> bool:
    """Whether a step puts both halves together: a norm that takes both, or a sum."""
    if isinstance(step, facts.Bind) and isinstance(step.target, facts.Display) and step.value is not None:
        names = [one.id for one in step.target.items if isinstance(one, facts.Name)]
        if names == [carry.hidden, carry.residual]:
            return False  # the next layers, which carry it on
    for expr in expressions(step):
        for part in facts.walk(expr):
            match part:
                case facts.Call() as call if _given(call, carry.hidden) and _given(call, carry.residual):
                    return True
                case facts.Other(parts=parts) if {carry.hidden, carry.residual} <= _names(parts):
                    return True
                case _:
                    pass
    return False


def _names(parts: tuple[facts.Expr, ...]) -> set[str]:
    return {part.id for part in parts if isinstance(part, facts.Name)}


def _asks_for(body: facts.Scope, step: facts.Step, layers: frozenset[str]) -> bool:
    for guard in body.guards_of(step.guard):
        asked = guard.test if guard.kind != "loop" and guard.positive else None
        parts = facts.walk(asked) if asked is not None else ()
        if any(isinstance(part, facts.Attribute) and part.name in layers for part in parts):
            return True
    return False


def _keeps(step: facts.Step, carry: _Carry) -> bool:
    """`states.append(hidden)`, `states += [hidden]`, `states[n] = hidden`, also of a copy."""
    match step:
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(name="append"), args=(kept,))):
            return _is_half(kept, carry)
        case facts.Bind(target=facts.Item(), value=kept) if kept is not None:
            return _is_half(kept, carry)
        case facts.Bind(how="augment", value=facts.Other(parts=(_, facts.Display(items=(kept,))))):
            return _is_half(kept, carry)
        case _:
            return False


def _looks(body: facts.Scope, step: facts.Step, carry: _Carry) -> bool:
    """Whether a question for the residual is on the way: where there is none, nothing is lost."""
    tests = [guard.test for guard in body.guards_of(step.guard) if guard.test is not None and guard.kind != "loop"]
    return any(carry.residual in _names(tuple(facts.walk(test))) for test in tests)


def _is_half(kept: facts.Expr, carry: _Carry) -> bool:
    while isinstance(kept, facts.Call) and isinstance(kept.func, facts.Attribute) and not kept.keywords:
        if any(not isinstance(one, facts.Constant) for one in kept.args):
            return False
        kept = kept.func.base  # `hidden.clone()`
    return isinstance(kept, facts.Name) and kept.id == carry.hidden


def _joined(body: facts.Scope, carry: _Carry, kept: facts.Step) -> bool:
    """Whether something else than the layers gives either half a value on the way to where it is kept."""
    inside = bool(carry.loops & set(_loops(body, kept.guard)))
    for step in body.steps:
        if not isinstance(step, facts.Bind) or step.line == carry.line:
            continue
        given = {one.id for one in facts.targets(step.target) if isinstance(one, facts.Name)}
        if not given & {carry.hidden, carry.residual}:
            continue
        in_loop = bool(carry.loops & set(_loops(body, step.guard)))
        if in_loop or (not inside and carry.line < step.line < kept.line):
            return True
    return False


def _finding(
    context: Context, model: ModelCompliance, members: list[str], algorithms: tuple[str, ...], loss: _Loss
) -> Finding:
    status = model.members[members[0]]
    carry, path = loss.carry, loss.function.module.path
    message = (
        f"{model.name} offers {listed(members)}, but {loss.function.facts.qualname} keeps {carry.hidden} alone, while "
        f"its layers carry {carry.hidden} and {carry.residual}, whose sum the state is: {does(algorithms, 'draft')} "
        "from what one layer added, and few tokens are accepted"
    )
    sites = tuple(site for member in members for site in call_sites(context.insisted(member), algorithms))
    return about(
        SYMBOL,
        model,
        FORWARD,
        algorithms,
        at=anchor(context.node(model), model, status),
        message=message,
        evidence=(
            Evidence(file=path, line=loss.line, what=f"{carry.hidden} is kept here, without {carry.residual}"),
            Evidence(file=path, line=carry.line, what="a layer takes both and gives both, here"),
            Evidence(
                file=status.file or model.file, line=status.line or model.line, what=f"{members[0]} is offered here"
            ),
            *sites,
        ),
    )
