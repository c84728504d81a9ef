"""spec-uninitialized-attribute: a method reads what only a constructor that was skipped would have set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import capture_hooks, effects
from specint.checks.skipping import skipping_parts
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.facts import model as facts
from specint.graph.dataflow import Reach, reaches
from specint.graph.effects import Place, Read, Run
from specint.graph.hierarchy import external_classes
from specint.graph.opening import is_open
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.steps import expressions, read_names, written
from specint.graph.value import ConstantValue

SYMBOL = "spec-uninitialized-attribute"
ASIDE = True  # looks into every part of every model: as much work as all other rules together
FORWARD = "forward"


@dataclass(frozen=True)
class _Unset:
    """An attribute that an object lacks: who would have set it, and which algorithms depend on that (none: all do)."""

    place: Place
    skipped: bool
    algorithms: tuple[str, ...] = ()


def check(context: Context) -> Iterator[Finding]:
    """One finding for each attribute that a registered class reads and never sets."""
    calls = [r for r in context.contract.requirements if r.use == "call"]
    asked = {
        role: tuple(dict.fromkeys(r.member for r in calls if r.role in (role, "both"))) for role in ("target", "draft")
    }
    writes = [r for r in context.contract.requirements if r.use == "write"]
    outside = {role: {r.member for r in writes if r.role in (role, "both")} for role in ("target", "draft")}
    hooks = capture_hooks(context)
    for model in context.models:
        node = context.node(model)
        unset = {name: one for name, one in _unset(context, node, hooks).items() if name not in outside[model.roles[0]]}
        if not unset:
            continue
        may = {r.member for r in calls if not r.algorithms or model.under(r.algorithms)}
        members = [m for m in asked[model.roles[0]] if m in may and (model.roles[0] == "target" or m not in hooks)]
        for name, (read, reading) in _reads(context, node, (FORWARD, *members), unset).items():
            algorithms = unset[name].algorithms or model.under(_asking(context, model.roles[0], reading))
            yield _finding(context, model, node, name, read, unset[name], algorithms, tuple(dict.fromkeys(reading)))
    for model in context.models:
        yield from _within(context, model, hooks)


def _within(context: Context, model: ModelCompliance, hooks: dict[str, tuple[str, ...]]) -> Iterator[Finding]:
    """The same of the objects that a model is built of: its body, their layers, the blocks within."""
    for part in skipping_parts(context.judge.members, context.node(model)):
        unset = {name: one for name, one in _unset(context, part, {}).items() if one.skipped}
        offered = tuple(hook for hook in hooks if model.members[hook].status == "present")
        for name, read in sure_reads(context, part, unset).items():
            if not _while_capturing(read, context.once(capture_marks)):
                yield _finding(context, model, part, name, read, unset[name], (), (FORWARD,))
            elif "target" in model.roles and (under := _capturing(model, offered, hooks)):
                yield _finding(context, model, part, name, read, unset[name], under, offered)


def sure_reads(context: Context, node: ClassNode, unset: dict[str, _Unset]) -> dict[str, Read]:
    """Attribute -> where forward of a part reads it, on a way that servers really take.

    What stands under a test of the configuration, or of what a batch brings, may never run for this class.
    """
    flow, marks = effects(context), context.once(capture_marks)
    known = _reads(context, node, (FORWARD,), unset)
    start = flow.hierarchy.lookup(node, FORWARD)
    if not known or start is None or start.function is None:
        return {}
    sure = {id(start.function)}
    runs = list(flow.runs(node, FORWARD, within=()))
    for run in runs:  # the nearest first: who calls comes before who is called
        if id(run.function) not in sure:
            continue
        for step in flow.steps(run):
            for call in _calls_of(step):
                if _is_taken(run, step, (), marks):
                    sure |= {id(f) for f, held, _ in flow.callees(call, run) if held == run.receiver}
    found: dict[str, Read] = {}
    for run in runs:
        for reach in reaches(run.function) if id(run.function) in sure else ():
            name = reach.expr.name
            if name not in known or name in found or reach.expr.base != facts.Name(run.own or ""):
                continue
            if _is_taken(run, reach.step, reach.tests, marks) and not _is_ruled_out(context, node, run, reach):
                found[name] = Read(name, Place(run.function, reach.expr.line), run, reach.step.guard, soft=False)
    return found


def _is_ruled_out(context: Context, node: ClassNode, run: Run, reach: Reach) -> bool:
    """Whether a test within the statement keeps a read off, as `x if self.is_on else None` does."""
    read = Read(reach.expr.name, Place(run.function, reach.expr.line), run, reach.step.guard, soft=False)
    return _is_off(context, node, read) or any(_constant(context, node, one, read) is False for one in reach.tests)


def _is_taken(run: Run, step: facts.Step, tests: tuple[facts.Expr, ...], marks: frozenset[str]) -> bool:
    """Whether nothing on the way to a step asks for more than the object's state, or whether a layer is captured."""
    guards = run.function.facts.body.guards_of(step.guard)
    asked = [g.test for g in guards if g.test is not None and g.positive and g.kind != "loop"]
    return all(_asks_for(test, marks) or _is_own(run, test) for test in (*asked, *tests))


def _is_own(run: Run, test: facts.Expr) -> bool:
    """Whether a test is about the object, or about sizes and None."""
    match test:
        case facts.Not():
            return True
        case facts.Boolean(values=values):
            return all(_is_own(run, value) for value in values)
        case facts.Compare():
            return not facts.within(test, facts.Call)
        case facts.Attribute(base=facts.Name(id=base)):
            return base == run.own
        case _:
            return False


def _calls_of(step: facts.Step) -> Iterator[facts.Call]:
    for expr in expressions(step):
        yield from facts.within(expr, facts.Call)


def _capturing(model: ModelCompliance, offered: tuple[str, ...], hooks: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The algorithms that tell a model what to capture, each once."""
    return model.under(tuple(dict.fromkeys(a for hook in offered for a in hooks[hook])))


def capture_marks(context: Context) -> frozenset[str]:
    """The attributes by which capture hooks tell what to capture."""
    flow, hooks = effects(context), capture_hooks(context)
    return frozenset(
        write.attribute
        for model in context.models
        for hook in hooks
        if model.members[hook].status == "present"
        for write in flow.writes(context.node(model), hook)
    )


def _while_capturing(read: Read, marks: frozenset[str]) -> bool:
    """Whether an attribute is read only where a layer is captured: a test on the way, or before it in its own
    statement, asks for what a capture hook writes."""
    body = read.run.function.facts.body
    for guard in body.guards_of(read.guard):
        if guard.test is not None and guard.positive and _asks_for(guard.test, marks):
            return True
    for step in body.steps:
        for expr in expressions(step) if step.guard == read.guard else ():
            for part in facts.walk(expr):
                if isinstance(part, facts.Boolean) and part.op == "and" and _reads_after(part, read, marks):
                    return True
    return False


def _reads_after(test: facts.Boolean, read: Read, marks: frozenset[str]) -> bool:
    asked = False
    for value in test.values:
        attributes = facts.within(value, facts.Attribute)
        if asked and any(one.name == read.attribute and one.line == read.place.line for one in attributes):
            return True
        asked = asked or _asks_for(value, marks)
    return False


def _asks_for(test: facts.Expr, marks: frozenset[str]) -> bool:
    return any(name in marks for name, _ in read_names(test))


def _asking(context: Context, role: str, members: list[str]) -> tuple[str, ...]:
    """The algorithms that ask for one of these members; none where every server runs one of them."""
    asking = [r.algorithms for r in context.contract.requirements if r.member in members and r.role in (role, "both")]
    if FORWARD in members or not all(asking):
        return ()
    return tuple(name for name in context.contract.algorithms if any(name in one for one in asking))


def _unset(context: Context, node: ClassNode, hooks: dict[str, tuple[str, ...]]) -> dict[str, _Unset]:
    """What an object of a class lacks although some method of its bases gives it a value."""
    composition, hierarchy = context.judge.composition, context.judge.hierarchy
    skipped = composition.skipped_constructors(node)
    assigned = composition.assignments(node)
    found: dict[str, _Unset] = {}
    for function in skipped:
        for name, line in _own_attributes(function):
            found.setdefault(name, _Unset(Place(function, line), skipped=True))
    for name, assignments in assigned.items():
        lacked = found.pop(name, None)
        if all(one.late and one.function.name in hooks for one in assignments):
            under = tuple(a for one in assignments for a in hooks[one.function.name])
            place = Place(assignments[0].function, assignments[0].line)
            found[name] = lacked or _Unset(place, skipped=False, algorithms=tuple(dict.fromkeys(under)))
    if not found or _is_open(context, node):
        return {}
    external = {m for one in hierarchy.order(node).external for m in external_classes()[one.name].members}
    declared = {name for name in found if _is_declared(context, node, name)}
    return {name: one for name, one in found.items() if name not in external and name not in declared}


def _is_declared(context: Context, node: ClassNode, name: str) -> bool:
    return context.judge.hierarchy.lookup(node, name) is not None


def _is_open(context: Context, node: ClassNode) -> bool:
    """Whether an attribute may come to be in a way that no assignment shows."""
    hierarchy = context.judge.hierarchy
    if hierarchy.order(node).problem or hierarchy.unknown_bases(node) or is_open(hierarchy, node):
        return True
    for frame in context.judge.composition.constructor(node):
        function = frame.function
        if function is None or function.receiver is None:
            continue
        own = facts.Name(function.receiver)
        for step in function.facts.body.steps:
            value = getattr(step, "value", None)
            if isinstance(value, facts.Call) and _fills(value, own):
                return True
    return False


def _fills(call: facts.Call, own: facts.Name) -> bool:
    """`setattr(self, name, …)` with a computed name, `self.__dict__.update(…)`, or `self` handed to something else."""
    match call:
        case facts.Call(func=facts.Name(id="setattr"), args=(first, second, *_)):
            return first == own and not isinstance(second, facts.Constant)
        case facts.Call(func=facts.Attribute(base=facts.Attribute(base=base, name="__dict__"))):
            return base == own
        case facts.Call(func=facts.Attribute(name="__init__")):
            return False
        case _:
            return any(argument == own for argument in call.args)


def _own_attributes(function: FunctionNode) -> Iterator[tuple[str, int]]:
    if function.receiver is None:
        return
    own = facts.Name(function.receiver)
    for step in function.facts.body.steps:
        for target, _ in written(step):
            if isinstance(target, facts.Attribute) and target.base == own:
                yield target.name, step.line


def _reads(
    context: Context, node: ClassNode, members: tuple[str, ...], unset: dict[str, _Unset]
) -> dict[str, tuple[Read, list[str]]]:
    """Attribute -> where the first of the members that read it does, and which do; what is read with care anywhere is
    left out."""
    flow = effects(context)
    found: dict[str, tuple[Read, list[str]]] = {}
    careful: set[str] = set()
    for member in members:
        for run in flow.runs(node, member, within=()):
            for read in flow.own_reads(run):
                if read.attribute not in unset:
                    continue
                if read.soft or _is_caught(read) or _is_set_before(read):
                    careful.add(read.attribute)
                elif not _is_off(context, node, read):
                    found.setdefault(read.attribute, (read, []))[1].append(member)
    return {name: one for name, one in found.items() if name not in careful}


def _is_caught(read: Read) -> bool:
    guards = read.run.function.facts.body.guards_of(read.guard)
    return any(guard.kind == "try" and guard.reraises != "always" for guard in guards)


def _is_set_before(read: Read) -> bool:
    own = read.run.own
    return any(name == read.attribute for name, _ in _own_attributes(read.run.function)) if own is not None else False


def _is_off(context: Context, node: ClassNode, read: Read) -> bool:
    """Whether the read stands behind a switch that is off: one that the constructor only ever turns off, or a parameter
    whose default keeps it off."""
    for guard in read.run.function.facts.body.guards_of(read.guard):
        if (
            guard.test is not None
            and guard.kind in ("if", "after")
            and _constant(context, node, guard.test, read) is (not guard.positive)
        ):
            return True
    return False


def _constant(context: Context, node: ClassNode, test: facts.Expr, read: Read) -> bool | None:
    match test:
        case facts.Not(operand=operand):
            inner = _constant(context, node, operand, read)
            return None if inner is None else not inner
        case facts.Boolean(op="and", values=values):
            return False if any(_constant(context, node, value, read) is False for value in values) else None
        case facts.Name(id=name):
            param = next((p for p in read.run.function.facts.params if p.name == name), None)
            default = param.default if param is not None else None
            return bool(default.value) if isinstance(default, facts.Constant) else None
        case facts.Attribute(base=facts.Name(id=found), name=name) if found == read.run.own:
            assignments = [a for a in context.judge.composition.assigned(node, name) if not a.late]
            held = {value for one in assignments for value in one.values}
            only = next(iter(held)) if len(held) == 1 else None
            return bool(only.value) if isinstance(only, ConstantValue) else None
        case _:
            return None


def _finding(
    context: Context,
    model: ModelCompliance,
    node: ClassNode,
    name: str,
    read: Read,
    unset: _Unset,
    algorithms: tuple[str, ...],
    reading: tuple[str, ...],
) -> Finding:
    function = read.place.function
    at = Evidence(
        file=read.place.file, line=read.place.line, what=f"self.{name} is read here, without a check that it exists"
    )
    setter = unset.place.function.facts.qualname
    by = Evidence(file=unset.place.file, line=unset.place.line, what=f"only here, in {setter}, is it set")
    ran = context.judge.hierarchy.lookup(node, "__init__")
    evidence = [at, by]
    if unset.skipped:
        instead = f"which {node.name} doesn't run"
        if ran is not None:
            what = f"the constructor that runs instead, {ran.owner.name}.__init__"
            evidence.append(Evidence(file=ran.owner.file, line=ran.line, what=what))
        when = f"the first call{f' of {listed(algorithms)}' if algorithms else ''} fails with an AttributeError"
    else:
        instead = "which only a worker calls"
        when = f"without {listed(unset.algorithms)} the first call fails with an AttributeError"
    where = function.facts.qualname
    inside = "" if node.key == model.class_ else f", of which {model.name} is built"
    message = f"{where} reads self.{name} on {node.name}{inside}, but only {setter} sets it, {instead}: {when}"
    return about(
        SYMBOL,
        model,
        name,
        algorithms,
        message=message,
        evidence=tuple(evidence),
        through=reading,
    )
