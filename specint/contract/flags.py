"""Which names can carry a decision of the algorithm: so that only conditions that mention one are looked into.

Name-based and generous, like `Code.flow_names`: a flag is followed through aliases, arguments, results and constants
that are assigned under a condition which mentions one already.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from specint.contract.code import Code, tail
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.evaluation import Frame
from specint.graph.evaluator import Evaluator
from specint.graph.project import FunctionNode
from specint.graph.value import Instance

_HOPS = 5
"""How many assignments, calls and results a flag is followed through. Farther away names meet by accident."""

_NAMESAKES = 4
"""A name that more functions share than this tells nothing of which one an argument goes to."""


def decisive_names(code: Code, roots: Iterable[str]) -> set[str]:
    """The names whose value can depend on the algorithm, starting from those that hold the algorithm itself."""
    edges: dict[str, set[str]] = defaultdict(set)
    for functions in code.functions.values():
        for function in functions:
            _edges_of(function, edges)
    for name, calls in code.calls.items():
        for call in calls:
            assert isinstance(call.expr, facts.Call)
            for position, arg in enumerate(call.expr.args):
                for source in _sources(arg, set()):
                    edges[source].add(f"{name}({position})")
            for keyword in call.expr.keywords:
                if keyword.name is not None:
                    for source in _sources(keyword.value, set()):
                        edges[source].add(keyword.name)
    found = set(roots)
    front = set(found)
    for _ in range(_HOPS):
        reached: set[str] = set()
        for name in front:
            reached |= edges.get(name, set())
            if name.endswith(")") and not name.endswith("()"):
                callee, _, index = name[:-1].rpartition("(")
                if len(code.functions.get(callee, ())) <= _NAMESAKES:
                    reached.update(code.parameters(callee, index))
        front = reached - found
        found |= front
    return found


def _edges_of(function: FunctionNode, edges: dict[str, set[str]]) -> None:
    scope = function.facts.body
    under: dict[int, set[str]] = {-1: set()}
    for number, guard in enumerate(scope.guards):
        test = guard.test if guard.kind != "loop" else None
        under[number] = under[guard.parent] | (set(mentioned(test)) if test is not None else set())
    for step in scope.steps:
        match step:
            case facts.Bind(target=target, value=value, how="=") if value is not None:
                if (target_name := tail(target)) is not None:
                    for source in _sources(value, under[step.guard]):
                        edges[source].add(target_name)
            case facts.Return(value=value) if value is not None:
                for source in _sources(value, under[step.guard]):
                    edges[source].add(function.name)
            case _:
                pass


def _sources(value: Expr, under: set[str]) -> set[str]:
    """What the value of a flag depends on: for a constant that is what it was assigned under."""
    if type(value) is facts.Name:
        return {value.id}
    match value:
        case facts.Constant(value=bool()):
            return under
        case facts.Not() | facts.Compare() | facts.Boolean():
            return under | set(mentioned(value))
        case facts.Choice(test=test, then=then, otherwise=otherwise):
            answers = (facts.Constant, facts.Not, facts.Compare, facts.Boolean)
            if isinstance(then, answers) and isinstance(otherwise, answers):
                return under | set(mentioned(test)) | _sources(then, set()) | _sources(otherwise, set())
            return set()
        case facts.Name() | facts.Attribute() | facts.Call():
            return set(mentioned(value))
        case _:
            return set()


def mentioned(expr: Expr) -> Iterator[str]:
    """The names in an expression, also in what it calls."""
    if type(expr) is facts.Name:  # most are
        yield expr.id
        return
    match expr:
        case facts.Attribute(base=base, name=name):
            yield name
            while isinstance(base, facts.Attribute):  # what `a.b.c` is depends on the c of some object, not on a
                base = base.base
            if not isinstance(base, facts.Name):
                yield from mentioned(base)
        case facts.Call(func=facts.Name(id="getattr"), args=(base, facts.Constant(value=str(name)), *rest)):
            yield name
            for one in rest:
                yield from mentioned(one)
        case facts.Call(func=func, args=args):
            yield from mentioned(func)
            if isinstance(func, facts.Name) and func.id == "bool":
                for one in args:
                    yield from mentioned(one)
        case facts.Other() | facts.Comprehension() | facts.Lambda() | facts.Display() | facts.DictDisplay():
            return
        case _:
            for child in facts.children(expr):
                yield from mentioned(child)


def is_given(answer: bool, expr: Expr, function: FunctionNode, evaluator: Evaluator) -> bool:
    """Whether the source gives a flag this answer somewhere: a constant that is assigned or returned."""
    match expr:
        case facts.Not(operand=operand):
            return is_given(not answer, operand, function, evaluator)
        case facts.Boolean(values=values):
            return any(is_given(answer, value, function, evaluator) for value in values)
        case facts.Name(id=name):
            steps = function.binds.get(name, ())
            return any(_is_constant(s.value, answer) for s in steps if isinstance(s, facts.Bind) and s.how == "=")
        case facts.Attribute(base=base, name=name):
            return any(_is_constant(value, answer) for value in _given(base, name, function, evaluator))
        case facts.Call(func=func):
            return any(
                _is_constant(step.value, answer)
                for callee in _callees(func, function, evaluator)
                for step in callee.facts.body.steps
                if isinstance(step, facts.Return)
            )
        case _:
            return False


def _given(base: Expr, name: str, function: FunctionNode, evaluator: Evaluator) -> Iterator[Expr | None]:
    """What the classes that an object can be of give one of its attributes: in their bodies, and on themselves."""
    owner = function.owner
    if owner is not None and _is_self(base, function):
        nodes = [owner]
    else:
        receiver = evaluator.instance(owner) if owner is not None else None
        values = evaluator.evaluate(base, Frame(function.module, function, receiver))
        nodes = [value.node for value in values if isinstance(value, Instance)]
    for node in nodes:
        member = evaluator.hierarchy.lookup(node, name)
        if member is not None and member.kind == "attribute":
            yield member.value
        for _, step in evaluator.self_binds(node, name):
            yield step.value


def _callees(func: Expr, function: FunctionNode, evaluator: Evaluator) -> Iterator[FunctionNode]:
    """What a plain call calls: a function by name, or a method of the own class."""
    if isinstance(func, facts.Attribute) and function.owner is not None and _is_self(func.base, function):
        member = evaluator.hierarchy.lookup(function.owner, func.name)
        if member is not None and member.function is not None:
            yield member.function
    elif isinstance(func, facts.Name):
        yield from (s for s in evaluator.project.symbol(function.module, func) if isinstance(s, FunctionNode))


def _is_self(expr: Expr, function: FunctionNode) -> bool:
    return function.receiver is not None and expr == facts.Name(function.receiver)


def _is_constant(expr: Expr | None, truth: bool) -> bool:
    return isinstance(expr, facts.Constant) and bool(expr.value) is truth
