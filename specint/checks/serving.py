"""Whether a wrapper serves by its inner model: what its forward runs of it, and by whose tables it reads and speaks.

A line that hands a member on is right only where the wrapper runs the model that has it. One that runs the body within,
or brings an embedding or a head of its own, would hand out tensors that it doesn't use, or switch on what its own
forward doesn't take.
"""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context
from specint.checks.flow import effects
from specint.facts import model as facts
from specint.graph.composition import Assignment
from specint.graph.effects import Effects, Held, Run
from specint.graph.project import ClassNode
from specint.graph.steps import bound_names, expressions
from specint.graph.value import ExternalValue, Instance

FORWARD = "forward"
_WEIGHTS = ("torch.nn.Linear", "torch.nn.Embedding")
"""What PyTorch itself has for a head and an embedding."""


def stands_apart(context: Context, node: ClassNode, attribute: str) -> str:
    """Why what the inner model has isn't what a wrapper serves with; "" where it is, or where that can't be known."""
    part = _part_that_runs(context, node, attribute)
    if part:
        return (
            f"forward of {node.name} never calls self.{attribute} itself, it runs {part}: "
            "decide what it has to take and to hand out on this way"
        )
    own = next(_own_tables(context, node, attribute), None)
    if own is not None:
        return f"{node.name} serves with a table of its own, self.{own}: decide which of the two is meant"
    return ""


def _part_that_runs(context: Context, node: ClassNode, attribute: str) -> str:
    """What forward runs within the inner model, where it doesn't run the model as a whole."""
    if context.judge.composition.assigned(node, FORWARD):
        return ""
    flow = effects(context)
    part = ""
    for run in flow.runs(node, FORWARD):
        receiver = run.receiver
        if receiver is not None and receiver.path == (attribute,):
            if _is_forward(flow, run) or any(_runs_deeper(flow, run, call) for call in _calls(flow, run)):
                return ""
        elif receiver is not None and receiver.path[:1] == (attribute,) and _is_forward(flow, run):
            part = part or f"self.{'.'.join(receiver.path)}"
        if any(_is_lost(flow, run, call, attribute) for call in _calls(flow, run)):
            return ""
    return part


def _is_forward(flow: Effects, run: Run) -> bool:
    assert run.receiver is not None
    member = flow.hierarchy.lookup(run.receiver.node, FORWARD)
    return member is not None and member.function is run.function


def _runs_deeper(flow: Effects, run: Run, call: facts.Call) -> bool:
    """Whether a method of the inner model runs what stands within it: then it is a forward under another name."""
    assert run.receiver is not None
    depth = len(run.receiver.path)
    return any(
        held is not None and len(held.path) > depth and function.name == FORWARD
        for function, held, _ in flow.callees(call, run)
    )


def _is_lost(flow: Effects, run: Run, call: facts.Call, attribute: str) -> bool:
    """Whether the inner model is handed to something that can't be followed."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    handed = any(held.path == (attribute,) for one in given for held in flow.objects(one, run))
    return handed and next(flow.callees(call, run), None) is None


def _calls(flow: Effects, run: Run) -> Iterator[facts.Call]:
    for step in flow.steps(run):
        for expr in expressions(step):
            yield from facts.within(expr, facts.Call)


# -- tables and heads --------------------------------------------------------------------------------------------------


def _own_tables(context: Context, node: ClassNode, attribute: str) -> Iterator[str]:
    """The attributes by which a wrapper itself embeds its tokens, or makes logits of what the inner model returns."""
    flow = effects(context)
    kinds = frozenset(_inner_tables(context, node, attribute))
    assignments = context.judge.composition.assignments(node)
    own = {
        name
        for name, given in assignments.items()
        if name != attribute and any(not one.late and _is_table(one, kinds, attribute) for one in given)
    }
    if not own:
        return
    for run in flow.runs(node, FORWARD, within=(attribute,)):
        if run.receiver is None or run.receiver.path or run.own is None:
            continue
        tokens = {p.name for p in run.function.facts.params[1:2]} if run.function.name == FORWARD else set()
        results = _results(flow, run, attribute)
        for call in _calls(flow, run):
            used = [
                part.name
                for part in facts.walk(call)
                if isinstance(part, facts.Attribute) and part.base == facts.Name(run.own) and part.name in own
            ]
            embeds = isinstance(call.func, facts.Attribute) and call.func.name in used
            speaks = Effects.mentions(call, results) or _takes_result(flow, run, call, attribute)
            if used and (speaks or (embeds and _is_handed(call, tokens))):
                yield used[0]


def _takes_result(flow: Effects, run: Run, call: facts.Call, attribute: str) -> bool:
    """Whether a call of something else is handed what the inner model returns."""
    calls = [part for one in call.args for part in facts.within(one, facts.Call)]
    runs = any(held.path[:1] == (attribute,) for part in calls for held in _run_by(flow, part, run))
    return runs and all(held is None or not held.path for _, held, _ in flow.callees(call, run))


def _is_handed(call: facts.Call, names: set[str]) -> bool:
    return any(isinstance(one, facts.Name) and one.id in names for one in call.args)


def _is_table(one: Assignment, kinds: frozenset[ClassNode], attribute: str) -> bool:
    """Whether an assignment gives a wrapper a table that isn't the inner model's."""
    table = any(
        (isinstance(value, ExternalValue) and value.called and value.name in _WEIGHTS)
        or (isinstance(value, Instance) and value.node in kinds)
        for value in one.values
    )
    if not table:
        return False
    return not (isinstance(one.step, facts.Bind) and Effects.mentions(one.step.value, {f".{attribute}"}))


def _inner_tables(context: Context, node: ClassNode, attribute: str) -> Iterator[ClassNode]:
    """The classes of the tables whose weights members of the inner model hand out."""
    flow = effects(context)
    asked = dict.fromkeys(r.member for r in context.contract.requirements if r.algorithms)
    for held in flow.held(Held(node), attribute):
        for member in asked:
            found = flow.hierarchy.lookup(held.node, member)
            if found is None or found.function is None:
                continue
            run = Run(found.function, held)
            for step in found.function.facts.body.steps:
                for part in facts.walk(step.value) if isinstance(step, facts.Return) and step.value else ():
                    if isinstance(part, facts.Attribute) and part.name == "weight":
                        yield from (one.node for one in flow.objects(part.base, run))


def _results(flow: Effects, run: Run, attribute: str) -> frozenset[str]:
    """The local names that hold what something of the inner model returned."""
    names: set[str] = set()
    for step in flow.steps(run):
        if isinstance(step, facts.Bind) and step.value is not None:
            within = any(
                held.path[:1] == (attribute,)
                for call in facts.within(step.value, facts.Call)
                for held in _run_by(flow, call, run)
            )
            if within or Effects.mentions(step.value, names):
                names |= {name for name in bound_names(step.target) if not name.startswith(".")}
    return frozenset(names)


def _run_by(flow: Effects, call: facts.Call, run: Run) -> Iterator[Held]:
    """The objects on which a call runs something, and those that it hands to somebody."""
    yield from (held for _, held, _ in flow.callees(call, run) if held is not None)
    for one in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from flow.objects(one, run)
