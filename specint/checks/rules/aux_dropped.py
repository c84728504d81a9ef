"""spec-aux-dropped: captured hidden states come out of the inner model and get lost on the way to the logits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.arrival import Arrival, results, takes_apart, unpacks
from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import capture_hooks, effects, layers_written
from specint.checks.rules.unread_capture import read_in_forward
from specint.checks.wording import does, listed
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.facts import model as facts
from specint.graph.effects import Effects, Held, Place, Run
from specint.graph.project import ClassNode
from specint.graph.steps import bound_names, expressions

SYMBOL = "spec-aux-dropped"
ASIDE = True  # follows what runs and what it returns: as much work as the rest of the rules
FORWARD = "forward"


@dataclass(frozen=True)
class Loss:
    """Where and how the states get lost: the line, what happens there, what else is to be seen; `fails`: with an error,
    not in silence."""

    place: Place
    what: str
    seen: tuple[Evidence, ...] = ()
    fails: bool = False


def check(context: Context) -> Iterator[Finding]:
    """One finding a target whose captured states don't arrive, with every algorithm that this stops."""
    hooks = capture_hooks(context)
    for model in context.models:
        if "target" not in model.roles:
            continue
        lost: dict[str, tuple[list[str], list[str], Loss]] = {}
        for member, asking in hooks.items():
            algorithms = model.under(asking)
            if algorithms and model.members[member].status == "present":
                loss = _loss(context, context.node(model), member)
                if loss is not None:
                    members, under, _ = lost.setdefault(loss.what, ([], [], loss))
                    members.append(member)
                    under += [a for a in algorithms if a not in under]
        for members, under, loss in lost.values():
            yield _finding(context, model, members, tuple(under), loss)


def _loss(context: Context, node: ClassNode, member: str) -> Loss | None:
    flow, registered = effects(context), set(context.judge.models) - {node}
    if flow.lost(node, member) or _serves_otherwise(context, node, member):
        return None
    layers = layers_written(flow, node, member)
    holders = dict.fromkeys(held for write in layers for held in write.holders if held.path)
    flags = frozenset(write.attribute for write in flow.writes(node, member) if write.is_flag)
    for holder in holders:
        reaching = [w for w in layers if not w.holders or holder in w.holders]  # marks on layers hang on nobody's name
        if not any(read_in_forward(flow, node, w.attribute, holder) for w in reaching):
            continue  # spec-unread-capture, or another mechanism
        loss = lost_on_the_way(flow, node, holder, flags, registered) or _never_returned(flow, holder)
        if loss is not None:
            return loss
    return None


def _serves_otherwise(context: Context, node: ClassNode, member: str) -> bool:
    """Whether a class inherits the contract and yet can't be a target: another member reads what it doesn't have."""
    flow, members = effects(context), context.judge.members
    algorithms = {a for r in context.insisted(member) for a in r.algorithms}
    needed = {
        r.member
        for r in context.contract.requirements
        if r.use == "call" and r.member != member and any(insists(r, a) for a in algorithms)
    }
    return any(
        members.status(node, read.attribute).status == "missing"
        for name in sorted(needed)
        for run in flow.runs(node, name, within=())
        for read in flow.own_reads(run)
        if not read.soft
    )


# -- on the way from the inner model -----------------------------------------------------------------------------------


def lost_on_the_way(
    flow: Effects, node: ClassNode, holder: Held, flags: frozenset[str], registered: set[ClassNode]
) -> Loss | None:
    """Where, between an inner model that captures and the logits, the captured states get lost; None where nothing is
    known of that."""
    runs = list(flow.runs(node, FORWARD, within=holder.path))
    inner = flow.hierarchy.lookup(holder.node, FORWARD)
    if inner is None or not any(run.receiver == holder and run.function is inner.function for run in runs):
        return None  # how the inner model is reached can't be followed
    taken = False
    called: Place | None = None
    for run in runs:
        if run.receiver is not None and run.receiver.path == holder.path:
            continue
        names, place = results(flow, run, holder)
        called = called or place
        for step in flow.steps(run):
            if not takes_apart(flow, step, run, holder, names):
                continue
            taken = True
            told = run.receiver is not None and run.receiver.node in registered
            if unpacks(step) and not told and (loss := _unused(run, step, flags)) is not None:
                return loss
    between = {run.receiver.node for run in runs if run.receiver is not None and run.receiver.path != holder.path}
    if taken:
        return _arrives_alone(flow, runs, holder)
    if called is None or between & registered:
        return None
    what = f"hands on what {holder.node.name} returns as if it were one tensor, and never takes the captured states out"
    place = Place(inner.function, inner.line) if inner.function is not None else called
    return Loss(
        called, what, (Evidence(file=place.file, line=place.line, what="it returns two things when it captures"),)
    )


def _arrives_alone(flow: Effects, runs: list[Run], holder: Held) -> Loss | None:
    """Two things are unpacked of which one alone arrives: somebody on the way keeps the other to itself."""
    arrival = Arrival(flow)
    for run, step in arrival.in_vain(runs, holder):
        kept = arrival.keeps_to_itself(runs)
        if kept is None:
            continue  # spec-unread-capture, or an inner model that never captures
        what = (
            f"{kept.function.facts.qualname} takes the captured states out of what the inner model returns and keeps "
            f"them, so {run.function.facts.qualname} unpacks two things of one"
        )
        unpacked = Evidence(file=run.function.module.path, line=step.line, what="two things are unpacked here")
        return Loss(kept, what, (unpacked,), fails=True)
    return None


def _unused(run: Run, unpack: facts.Step, flags: frozenset[str]) -> Loss | None:
    """The second of two things that were unpacked, where it reaches no call and is not returned."""
    assert isinstance(unpack, facts.Bind)
    assert isinstance(unpack.target, facts.Display)
    second = unpack.target.items[1]
    body = run.function.facts.body
    tests = [guard.test for guard in body.guards_of(unpack.guard) if guard.test is not None and guard.positive]
    if not isinstance(second, facts.Name) or not any(_mentions_flag(test, flags) for test in tests):
        return None
    kept = _made_of(body, unpack, second.id)
    name = run.function.facts.qualname
    used = [step for step in body.steps if _after(step, unpack) and _uses(step, kept)]
    if not used:
        what = f"{name} takes {second.id} from what the inner model returns, and uses it nowhere"
        return Loss(Place(run.function, unpack.line), what)
    passing = {call for step in used for call in _calls(step) if _is_given(call, kept)}
    functions = {facts.spell(call.func) for call in passing}
    for step in body.steps:
        if not _after(step, unpack) or not _shares_way(body, step, kept, flags):
            continue
        for call in _calls(step):
            if facts.spell(call.func) in functions and call not in passing and not _spreads(call):
                what = f"{name} hands {second.id} to one call of {facts.spell(call.func)}, and not to another"
                other = min(one.line for one in passing if facts.spell(one.func) == facts.spell(call.func))
                seen = Evidence(file=run.function.module.path, line=other, what=f"here {second.id} is handed over")
                return Loss(Place(run.function, call.line), what, (seen,))
    return None


def _mentions_flag(test: facts.Expr, flags: frozenset[str]) -> bool:
    return any(isinstance(part, facts.Attribute) and part.name in flags for part in facts.walk(test))


def _made_of(body: facts.Scope, unpack: facts.Bind, name: str) -> frozenset[str]:
    found = {name}
    for step in body.steps:
        if isinstance(step, facts.Bind) and _after(step, unpack) and Effects.mentions(step.value, found):
            found |= {one for one in bound_names(_base(step.target)) if not one.startswith(".")}
    return frozenset(found)


def _base(target: facts.Expr) -> facts.Expr:
    return target.base if isinstance(target, facts.Item) else target


def _after(step: facts.Step, unpack: facts.Step) -> bool:
    return step.line > unpack.line


def _uses(step: facts.Step, names: frozenset[str]) -> bool:
    """Whether a step does something with a name; a test for None is not a use."""
    match step:
        case facts.Return(value=value) | facts.Bind(value=value):
            return Effects.mentions(value, names)
        case facts.Evaluate(value=facts.Call() as call) if not _is_test(call):
            return _is_given(call, names) or Effects.mentions(call.func, names)
        case _:
            return any(_is_given(call, names) for call in _calls(step) if not _is_test(call))


def _is_test(call: facts.Call) -> bool:
    return isinstance(call.func, facts.Name) and call.func.id in ("len", "isinstance")


def _calls(step: facts.Step) -> Iterator[facts.Call]:
    for expr in expressions(step):
        yield from facts.within(expr, facts.Call)


def _is_given(call: facts.Call, names: frozenset[str]) -> bool:
    return any(Effects.mentions(one, names) for one in (*call.args, *(k.value for k in call.keywords)))


def _spreads(call: facts.Call) -> bool:
    return any(isinstance(one, facts.Starred) for one in call.args) or any(k.name is None for k in call.keywords)


def _shares_way(body: facts.Scope, step: facts.Step, names: frozenset[str], flags: frozenset[str]) -> bool:
    """Whether a step can run after the unpacking: no guard of it asks the other way round."""
    for guard in body.guards_of(step.guard):
        if guard.test is None:
            continue
        if Effects.mentions(guard.test, names):
            return False
        if _mentions_flag(guard.test, flags) and not guard.positive:
            return False
    return True


# -- out of the inner model --------------------------------------------------------------------------------------------


def _never_returned(flow: Effects, holder: Held) -> Loss | None:
    """The inner model reads which layers to keep, but no way out of it returns more than one thing."""
    forward = flow.hierarchy.lookup(holder.node, FORWARD)
    if forward is None or forward.function is None:
        return None
    for run in flow.runs(holder.node, FORWARD, within=()):
        for step in run.function.facts.body.steps:
            if isinstance(step, facts.Return) and step.value is not None and _may_be_several(step.value):
                return None
            if isinstance(step, facts.Bind) and isinstance(step.value, facts.Display) and len(step.value.items) > 1:
                return None  # a tuple under a name
    what = f"forward of {holder.node.name} looks at which layers to capture, but never returns more than one thing"
    return Loss(Place(forward.function, forward.line), what)


def _may_be_several(value: facts.Expr) -> bool:
    for part in facts.walk(value):
        if isinstance(part, facts.Display) and len(part.items) > 1:
            return True
    return isinstance(value, facts.Call) and isinstance(value.func, facts.Attribute)


def _finding(
    context: Context, model: ModelCompliance, members: list[str], algorithms: tuple[str, ...], loss: Loss
) -> Finding:
    forward = context.judge.hierarchy.lookup(context.node(model), FORWARD)
    own = forward is not None and forward.owner.key == model.class_ and forward.function is not None
    line = forward.line if own and forward is not None else model.line
    column = (
        forward.function.facts.column if own and forward is not None and forward.function is not None else model.column
    )
    status = model.members[members[0]]
    happens = f"{does(algorithms, 'draft')} without the captured states, and few tokens are accepted"
    if loss.fails:
        happens = f"{does(algorithms, 'fail')} at the first forward"
    message = f"{model.name} offers {listed(members)}, but {loss.what}: {happens}"
    sites = tuple(site for member in members for site in call_sites(context.insisted(member), algorithms))
    offered = Evidence(
        file=status.file or model.file, line=status.line or model.line, what=f"{members[0]} is offered here"
    )
    return about(
        SYMBOL,
        model,
        FORWARD,
        algorithms,
        at=(line, column),
        message=message,
        evidence=(Evidence(file=loss.place.file, line=loss.place.line, what="here"), *loss.seen, offered, *sites),
    )
