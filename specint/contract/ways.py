"""On which ways a function of the workers is entered, and what its callers' conditions say on each.

A guard in the caller counts like one around the line itself, so does one around the line that makes the object whose
method runs. A function is taken to be entered without a condition where nobody under scan calls it, where it is handed
on as a value, or where its callers are too many to tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from specint.contract.code import Occurrence
from specint.contract.conditions import Side
from specint.contract.presence import Clause, Open, Presence
from specint.contract.touches import Touch
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.containers import union
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.questions import Questions
from specint.graph.value import ClassValue, ConstantValue, FunctionValue, Instance, ModelObject, SequenceValue

_ASKING = frozenset({"hasattr", "getattr", "isinstance", "issubclass", "callable", "bool", "len", "type"})
"""What asks an object for what it is: the answer is as lasting as the object. Any other call may look at the step."""
_MOST_WAYS = 12
_SAID_HOPS = 3
_DEPTH = 6


@dataclass(frozen=True, eq=False)
class Way:
    """One way into a function.

    Attributes:
        clauses: what holds on it, beyond the function's own conditions.
        handed: the function's parameters, and the truth of what this way hands over where it is known: whether it is
            None, and whether it is true.
        written: of these, the parameters that get what is written in a call, or their written default.
        never: nobody comes by: what a caller hands over forbids it.
    """

    clauses: tuple[Clause, ...] = ()
    handed: dict[str, tuple[bool | None, bool | None]] = field(default_factory=dict)
    written: frozenset[str] = frozenset()
    never: bool = False

    def told(self, function: FunctionNode, literal: Open) -> bool | None:
        """What the arguments say about a condition on a parameter."""
        if literal.function is not function or not isinstance(literal.expr, facts.Name):
            return None
        if literal.expr.id in function.binds:
            return None
        given, truth = self.handed.get(literal.expr.id, (None, None))
        return given if literal.of_none else truth

    def forbids(self, function: FunctionNode, literal: Open) -> bool:
        """Whether what is written in a call makes a condition on a parameter false. What only was followed doesn't:
        there may be values that were not."""
        name = literal.expr.id if isinstance(literal.expr, facts.Name) else ""
        return name in self.written and self.told(function, literal) is (not literal.positive)


_PLAIN: tuple[Way, ...] = (Way(),)
_NEVER = Way(never=True)


class Ways:
    """Answers, memoised, how functions are entered on one side."""

    def __init__(self, presence: Presence) -> None:
        self.presence = presence
        self.reach = presence.reach
        self.receivers = presence.reach.receivers
        self.code = self.receivers.code
        self._questions = Questions()
        # with the way itself, so that its id stays its own
        self._made_up: dict[tuple[int, Side], tuple[Way, tuple[Clause, ...], frozenset[tuple[str, str, object]]]] = {}
        self._lasting: dict[tuple[Open, str], bool] = {}
        self._answered: dict[Open, tuple[tuple[str, str, object], ...]] = {}

    def into(self, function: FunctionNode, side: Side) -> tuple[Way, ...]:
        """The ways into a function, at least one."""
        return self._ways(function, side) or _PLAIN

    def onto(self, occurrence: Touch | Occurrence, side: Side) -> tuple[Way, ...]:
        """The ways into a function on which a line of it can run; none where every caller's arguments forbid it."""
        function = occurrence.function
        around = self.presence.around(occurrence)
        ways = self.into(function, side)
        return tuple(way for way in ways if not way.never and not _denied(around, way, function))

    def of_make_up(self, clause: Clause, side: Side) -> bool:
        """Whether a choice of conditions asks for the server's make-up alone, and is open."""
        return all(isinstance(one, Open) and self.lasts(one, side) for one in clause)

    def made_up(self, way: Way, side: Side) -> tuple[tuple[Clause, ...], frozenset[tuple[str, str, object]]]:
        """The conditions on a way that ask for the server's make-up alone, and what they say."""
        key = (id(way), side)
        if key not in self._made_up:
            clauses = tuple(clause for clause in way.clauses if self.of_make_up(clause, side))
            self._made_up[key] = (way, clauses, self.world(clauses, side))
        return self._made_up[key][1:]

    def lasts(self, literal: Open, side: Side) -> bool:
        """Whether a condition is one of the server's make-up, the same in every step: it asks for what is kept on an
        object or in a module, not for what is handed over. That a worker is there at all is none: without it nobody
        drafts."""
        key = (literal, side.algorithm)
        if key not in self._lasting:
            self._lasting[key] = self._of_lasting(literal.expr, literal.function) and not (
                literal.positive and self._is_worker(literal, side)
            )
        return self._lasting[key]

    def world(self, clauses: Iterable[Clause], side: Side) -> frozenset[tuple[str, str, object]]:
        """What the conditions on the make-up say, in words that are the same wherever the same is asked."""
        return frozenset(
            answer
            for clause in clauses
            if len(clause) == 1 and self.of_make_up(clause, side)
            for one in clause
            if isinstance(one, Open)
            for answer in self._said(one)
        )

    def _said(self, literal: Open) -> tuple[tuple[str, str, object], ...]:
        if literal not in self._answered:
            answers = (answer for said in self._says(literal, _SAID_HOPS) for answer in _answers(said))
            self._answered[literal] = tuple(answers)
        return self._answered[literal]

    def _says(self, literal: Open, hops: int) -> Iterable[Open]:
        """A condition, and what it comes to where one line gives what it asks for."""
        yield literal
        if not hops or not isinstance(literal.expr, (facts.Name, facts.Attribute, facts.Call)):
            return
        makings = self.presence.kept.makings(literal.expr, literal.function) or []
        live = [one for one in makings if not one.is_empty(of_none=literal.of_none)]
        if len(live) == 1 and (literal.positive or len(makings) == 1) and live[0].value is not None:
            (one,) = live
            if not literal.of_none and one.value is not None:
                yield from self._says(Open(one.value, literal.positive, one.function), hops - 1)

    def _is_worker(self, literal: Open, side: Side) -> bool:
        if not isinstance(literal.expr, (facts.Name, facts.Attribute)):
            return False
        evaluator = self.receivers.evaluator
        found = self.presence.of_heirs(literal.expr, literal.function, side.algorithm)
        values = union(found or [evaluator.evaluate(literal.expr, self.receivers.frame(literal.function))])
        nodes = [value.node for value in values if isinstance(value, Instance)]
        return bool(nodes) and all(
            self.receivers.has_side(node) or self.reach.workers.takes_target(node) for node in nodes
        )

    def _of_lasting(self, expr: Expr, function: FunctionNode) -> bool:
        calls = (part for part in facts.walk(expr) if isinstance(part, facts.Call) and part.args)
        if any(not isinstance(call.func, facts.Name) or call.func.id not in _ASKING for call in calls):
            return False
        return all(self._lasts(part.id, function) for part in facts.within(expr, facts.Name))

    def _lasts(self, name: str, function: FunctionNode) -> bool:
        if name == function.own:
            return True
        if any(param.name == name for param in function.facts.params):
            return False
        steps = function.binds.get(name)
        if steps is None:
            return function.outer is None or self._lasts(name, function.outer)
        key = ("lasts", id(function), name)

        def answer() -> bool:
            return all(
                isinstance(step, facts.Import)
                or (
                    isinstance(step, facts.Bind)
                    and step.how == "="
                    and step.value is not None
                    and self._of_lasting(step.value, function)
                )
                for step in steps
            )

        return self._questions.ask(key, answer, meanwhile=True)

    def _ways(self, function: FunctionNode, side: Side) -> tuple[Way, ...]:
        def answer() -> tuple[Way, ...]:
            return self._find(function, side)

        key = (id(function), side)
        return self._questions.ask_within(_DEPTH, key, answer, meanwhile=(), beyond=_PLAIN)

    def _find(self, function: FunctionNode, side: Side) -> tuple[Way, ...]:
        if function.outer is not None:
            return self._where_defined(function, side)
        if function.owner is not None and function.name == "__init__":
            return self._where_made(function.owner, side)
        born = self._born(function.owner, side) if function.owner is not None else ()
        dunder = function.name.startswith("__") and function.name.endswith("__")
        if dunder or function.name in self.code.handed_on:
            return (Way(born),)
        found = [way for caller in self._callers(function, side) for way in self._through(caller, function, side)]
        if found and all(way.never for way in found):
            return (_NEVER,)
        found = [way for way in found if not way.never]
        if not found or len(found) > _MOST_WAYS:
            return (Way(born),)
        return tuple(replace(way, clauses=(*way.clauses, *born)) for way in found)

    def _callers(self, function: FunctionNode, side: Side) -> Sequence[Occurrence]:
        callers = self.reach.callers(function)
        return [one for one in callers if self.reach.occurs(one, side)] or callers

    def _through(self, caller: Occurrence, function: FunctionNode, side: Side) -> Iterable[Way]:
        """The ways that lead through one call; what the scheduler asks before it turns to its worker is no condition
        of the worker's."""
        handed, written = self._arguments(caller, function)
        workers = self.reach.workers
        if workers.is_worker_code(function) and not workers.is_worker_code(caller.function):
            yield Way((), handed, written)
            return
        raw = self.presence.around(caller)
        for way in self._ways(caller.function, side):
            if way.never or _denied(raw, way, caller.function):
                yield _NEVER
                continue
            above = self.presence.settle(raw, side, lambda literal, way=way: way.told(caller.function, literal))  # type: ignore[misc]
            passed = self._passed_on(caller, function, way)
            yield Way((*above, *way.clauses), {**handed, **passed}, written | passed.keys())

    def _passed_on(
        self, caller: Occurrence, function: FunctionNode, way: Way
    ) -> dict[str, tuple[bool | None, bool | None]]:
        """What a caller hands on as it was written in the call of itself."""
        if not way.written:
            return {}
        bound = self.receivers.arguments(caller, function)
        names = {to: value.id for to, value in bound.items() if isinstance(value, facts.Name)}
        unchanged = way.written - caller.function.binds.keys()
        return {to: way.handed[name] for to, name in names.items() if name in unchanged}

    def _where_defined(self, function: FunctionNode, side: Side) -> tuple[Way, ...]:
        """A function within another stands under what the line is under that defines it."""
        outer = function.outer
        assert outer is not None
        index = next((n for n, one in enumerate(outer.facts.body.functions) if one is function.facts), None)
        steps = (s for s in outer.facts.body.steps if isinstance(s, facts.Define) and s.index == index)
        step = next(steps, None)
        if step is None:
            return _PLAIN
        raw = self.presence.on_the_way(outer, step.guard)
        return tuple(
            Way(
                (*self.presence.settle(raw, side, lambda literal, way=way: way.told(outer, literal)), *way.clauses),  # type: ignore[misc]
                never=way.never,
            )
            for way in self._ways(outer, side)
        )

    def _where_made(self, node: ClassNode, side: Side) -> tuple[Way, ...]:
        """The ways into a constructor: where objects of the class are made; workers and runners always are."""
        if self.receivers.has_side(node) or self.reach.workers.takes_target(node):
            return _PLAIN
        member = self.receivers.hierarchy.lookup(node, "__init__")
        if member is not None and member.function is not None:
            function = member.function
            found = [way for one in self._callers(function, side) for way in self._through(one, function, side)]
            found = [way for way in found if not way.never]
            return tuple(found) if 0 < len(found) <= _MOST_WAYS else _PLAIN
        made = [
            call
            for call in self.code.calls.get(node.name, ())
            if isinstance(call.expr, facts.Call)
            and ClassValue(node)
            in self.receivers.evaluator.evaluate(call.expr.func, self.receivers.frame(call.function), call.step)
        ]
        found = [
            Way((*self.presence.settle(self.presence.around(call), side), *way.clauses))
            for call in made
            for way in self._ways(call.function, side)
        ]
        return tuple(found) if 0 < len(found) <= _MOST_WAYS else _PLAIN

    def _born(self, node: ClassNode, side: Side) -> tuple[Clause, ...]:
        """What holds wherever objects of a class are made."""
        ways = self._questions.ask(("born", node.key, side), lambda: self._where_made(node, side), _PLAIN)
        first, others = ways[0], ways[1:]
        return tuple(clause for clause in first.clauses if all(clause in way.clauses for way in others))

    def _arguments(
        self, caller: Occurrence, function: FunctionNode
    ) -> tuple[dict[str, tuple[bool | None, bool | None]], frozenset[str]]:
        """The truth of what a call hands to each parameter, and those for which it is written there."""
        assert isinstance(caller.expr, facts.Call)
        call = caller.expr
        if any(k.name is None for k in call.keywords) or any(isinstance(arg, facts.Starred) for arg in call.args):
            return {}, frozenset()
        bound = self.presence.reach.receivers.arguments(caller, function)
        found = {}
        written = set()
        for param in function.facts.params:
            value = bound.get(param.name, param.default)
            if value is not None and param.kind not in ("*", "**"):
                found[param.name] = self._truth(value, caller)
                if isinstance(value, facts.Constant):
                    written.add(param.name)
        return found, frozenset(written)

    def _truth(self, value: Expr, caller: Occurrence) -> tuple[bool | None, bool | None]:
        """Whether a value is there (not None), and whether it is true."""
        if isinstance(value, facts.Constant):
            return value.value is not None, bool(value.value)
        if not isinstance(value, (facts.Name, facts.Attribute, facts.Call)):
            return None, None
        values = self.receivers.evaluator.evaluate(value, self.receivers.frame(caller.function), caller.step)
        whole = (one for one in values if not (isinstance(one, ModelObject) and one.path))  # a part may be None
        kinds = (Instance, ModelObject, ClassValue, FunctionValue)
        if values and sum(isinstance(one, kinds) for one in whole) == len(values):
            return True, True
        if values and all(isinstance(one, SequenceValue) for one in values):
            return True, None
        if values and all(isinstance(one, ConstantValue) and one.value is None for one in values):
            return False, False
        return None, None


def _denied(clauses: Iterable[Clause], way: Way, function: FunctionNode) -> bool:
    """Whether nobody comes to what stands under conditions on a way."""
    return bool(way.written) and any(
        all(isinstance(one, Open) and way.forbids(function, one) for one in clause) for clause in clauses
    )


def _answers(literal: Open) -> Iterable[tuple[str, str, object]]:
    """What a condition says: where it is asked, what, and the answer."""
    match literal.expr:
        case facts.Call(func=facts.Name(id="hasattr"), args=(_, facts.Constant(value=str(name)))):
            # whatever the object is called here: what is asked for tells which kind of it there is
            yield "", f"hasattr {name}", literal.positive
        case _:
            pass
    function = literal.function
    expr = _spelled_out(literal.expr, function, 3)
    names = {part.id for part in facts.within(expr, facts.Name)}
    if function.own in names and function.owner is not None:
        where = function.owner.key
    elif any(name in function.binds for name in names):
        where = function.key
    else:
        where = function.module.name
    words = "there: " if literal.of_none else ""
    yield where, f"{words}{facts.spell(expr)}", literal.positive
    match expr:
        case facts.Compare(operands=(left, facts.Constant(value=value)), ops=("==",)) if literal.positive:
            yield where, f"= {facts.spell(left)}", value
        case facts.Compare(operands=(left, right), ops=("!=" | "is not" as op,)):
            same = facts.Compare((left, right), ("==" if op == "!=" else "is",))
            yield where, facts.spell(same), not literal.positive
        case _:
            pass


def _spelled_out(expr: Expr, function: FunctionNode, hops: int) -> Expr:
    """An expression with its locals replaced by what they are, where one line says so."""
    match expr:
        case facts.Name(id=name) if hops:
            steps = function.binds.get(name, ())
            match steps:
                case [facts.Bind(target=facts.Name(), value=value, how="=")] if value is not None:
                    return _spelled_out(value, function, hops - 1)
                case _:
                    return expr
        case facts.Attribute(base=base, name=name, line=line):
            return facts.Attribute(_spelled_out(base, function, hops), name, line)
        case facts.Call(func=func, args=args, keywords=keywords, line=line):
            parts = tuple(_spelled_out(arg, function, hops) for arg in args)
            return facts.Call(_spelled_out(func, function, hops), parts, keywords, line)
        case facts.Compare(operands=operands, ops=ops):
            return facts.Compare(tuple(_spelled_out(one, function, hops) for one in operands), ops)
        case _:
            return expr
