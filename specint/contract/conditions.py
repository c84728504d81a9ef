"""What the conditions around a line say under one algorithm, on one side.

Conditions are evaluated with the algorithm given: the enum's own predicates are run on it, flags are followed to where
they are set, parameters to what callers hand over. What is open stays open, and an open condition excludes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from specint.contract.code import Occurrence
from specint.contract.flags import decisive_names, is_given, mentioned
from specint.contract.receivers import Receivers
from specint.contract.registrations import Registration
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.binding import reaching
from specint.graph.hierarchy import Member
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.questions import Questions
from specint.graph.value import ConstantValue, FunctionValue, Instance

Constant = str | int | float | bool | None
Constants = frozenset[Constant] | None
"""The constants an expression can be; None: anything."""

_NONE_YET: Constants = frozenset()

MANY_CALLERS = 40
DEPTH = 16


class Side(NamedTuple):
    """One algorithm, looked at from the target's or the draft's side.

    `near`: only what a function itself tells is used, no flag is followed out of it. Whether code is reached at all is
    decided so; following every flag of every caller would cost minutes and changes nothing.
    `plain`: without the workers that only run where a server's setting asks for them.
    """

    algorithm: str
    role: str
    near: bool = False
    plain: bool = False

    @property
    def nearby(self) -> Side:
        """The same side, looked at from close by."""
        return Side(self.algorithm, self.role, near=True, plain=self.plain)


class Runs(Protocol):
    """Who knows what runs at all: a flag counts only where the code that sets it does."""

    def occurs(self, occurrence: Occurrence, side: Side) -> bool:
        """Whether one expression can be evaluated on a side."""

    def reachable(self, function: FunctionNode, side: Side) -> bool:
        """Whether a function can run on a side."""


class Conditions:
    """Answers, memoised, what tests and flags are on a side."""

    def __init__(self, receivers: Receivers, registrations: Mapping[str, Registration], runs: Runs) -> None:
        self.receivers = receivers
        self.registrations = registrations
        self.runs = runs
        self.project = receivers.project
        self.hierarchy = receivers.hierarchy
        self.roots = receivers.roots
        self.code = receivers.code
        self.evaluator = receivers.evaluator
        self.questions = Questions()
        algorithm, flag = self.roots.declared.algorithm.attributes, self.roots.declared.worker.draft_flag
        predicates = self.hierarchy.own(self.roots.enum)
        self.decisive = decisive_names(self.code, [*algorithm, flag, *predicates])
        self._deciding: dict[int, bool] = {}

    def possible(self, function: FunctionNode, guard: int, side: Side) -> bool:
        """Whether no condition on the way to a guard is known to fail."""
        if guard < 0:
            return True

        def answer() -> bool:
            guards = function.facts.body.guards_of(guard)
            return all(one.test is None or self._may_hold(one, function, side) for one in guards)

        return self.questions.ask(("possible", id(function), guard, side), answer, True)

    def _may_hold(self, guard: facts.Guard, function: FunctionNode, side: Side) -> bool:
        assert guard.test is not None
        if guard.kind == "loop":
            return True
        at = facts.Evaluate(guard.test, guard.parent, guard.line)
        return self.truth(guard.test, function, at, side) is not (not guard.positive)

    def stands(self, occurrence: Occurrence, side: Side) -> bool:
        """Whether the conditions around an expression, within its function, may hold on a side."""
        return self.possible(occurrence.function, occurrence.step.guard, side) and all(
            self.truth(test, occurrence.function, occurrence.step, side) is not (not positive)
            for test, positive in occurrence.local
        )

    def settings(self, function: FunctionNode, guard: int) -> tuple[str, ...]:
        """The conditions on the way to a guard that a server's settings must opt in to, as written: the algorithm
        doesn't decide them, and somewhere the source answers no."""
        return tuple(
            f"{'' if one.positive else 'not '}{facts.spell(one.test)}"
            for one in (function.facts.body.guards_of(guard) if guard >= 0 else ())
            if one.test is not None and one.kind != "loop" and not self.decides(one.test, function)
            if is_given(not one.positive, one.test, function, self.evaluator)
        )

    def truth(self, expr: Expr, function: FunctionNode, at: facts.Step, side: Side) -> bool | None:
        """The truth of an expression on a side, None where it is open."""
        if not self.decides(expr, function):
            return bool(expr.value) if isinstance(expr, facts.Constant) else None
        match expr:
            case facts.Not(operand=operand):
                inner = self.truth(operand, function, at, side)
                return None if inner is None else not inner
            case facts.Boolean(op=op, values=values):
                decisive = op == "or"
                answers = []
                for value in values:
                    answer = self.truth(value, function, at, side)
                    if answer is decisive:
                        return decisive
                    answers.append(answer)
                return None if None in answers else not decisive
            case facts.Compare(operands=(left, right), ops=(op,)):
                return self._compare(left, op, right, function, at, side)
            case _:
                values_ = self.constants(expr, function, at, side)
                if values_ is None or not values_:
                    return None
                truths = {bool(value) for value in values_}
                return truths.pop() if len(truths) == 1 else None

    def decides(self, expr: Expr, function: FunctionNode) -> bool:
        """Whether an expression can depend on the algorithm at all, by the names in it."""
        if id(expr) not in self._deciding:
            in_enum = function.owner is not None and function.owner is self.roots.enum
            self._deciding[id(expr)] = in_enum or any(name in self.decisive for name in mentioned(expr))
        return self._deciding[id(expr)]

    def _compare(
        self, left: Expr, op: str, right: Expr, function: FunctionNode, at: facts.Step, side: Side
    ) -> bool | None:
        positive = op in ("==", "is", "in")
        if op not in ("==", "!=", "is", "is not", "in", "not in"):
            return None
        if self.is_algorithm(left, function):
            named = self._named_algorithms(right)
            if named is None:
                return None
            return (side.algorithm in named) is positive
        lefts = self.constants(left, function, at, side)
        if lefts is None or len(lefts) == 0:
            return None
        read = self._members if "in" in op.split() else self.constants
        rights = read(right, function, at, side)
        if rights is None or not rights:
            return None
        if "in" in op.split():
            answers = {(value in rights) is positive for value in lefts}
        elif len(rights) == 1:
            (other,) = rights
            answers = {(value == other and type(value) is type(other)) is positive for value in lefts}
        else:
            if not lefts & rights:
                return not positive
            return None
        return answers.pop() if len(answers) == 1 else None

    def _members(self, expr: Expr, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        if not isinstance(expr, facts.Display):
            return None
        found: set[Constant] = set()
        for item in expr.items:
            one = self.constants(item, function, at, side)
            if one is None:
                return None
            found |= one
        return frozenset(found)

    def is_algorithm(self, expr: Expr, function: FunctionNode) -> bool:
        """Whether an expression is the algorithm that the server runs."""
        match expr:
            case facts.Name(id=name) | facts.Attribute(name=name) if name in self.roots.declared.algorithm.attributes:
                return not self._is_option(expr)
            case facts.Name():
                if function.owner is not None and self.hierarchy.is_subclass(function.owner, self.roots.enum):
                    return expr.id == function.receiver
                key = ("algorithm", id(function), expr.id)
                return self.questions.ask(key, lambda: self._names_algorithm(expr.id, function), False)
            case facts.Call(func=facts.Attribute(base=base)):  # the enum's own ways to make a member of a name
                return self.roots.enum in self.project.symbol(function.module, base)
            case _:
                return False

    def _names_algorithm(self, name: str, function: FunctionNode) -> bool:
        """Whether a local name holds the algorithm: by its annotation, or because it is given one that does."""
        param = next((p for p in function.facts.params if p.name == name), None)
        if param is not None and param.annotation is not None:
            return self.roots.enum in self.project.symbol(function.module, param.annotation)
        return any(
            self.is_algorithm(step.value, function)
            for step in function.binds.get(name, ())
            if isinstance(step, facts.Bind) and step.value is not None and step.how == "="
        )

    def _is_option(self, expr: Expr) -> bool:
        # the server argument of the same name is a string, compared with strings
        return isinstance(expr, facts.Attribute) and (facts.dotted(expr.base) or "").endswith("server_args")

    def _named_algorithms(self, expr: Expr) -> set[str] | None:
        items = expr.items if isinstance(expr, facts.Display) else (expr,)
        found = set()
        for item in items:
            if not (isinstance(item, facts.Attribute) and isinstance(item.base, (facts.Name, facts.Attribute))):
                return None
            found.add(item.name)
        return found

    # -- constants -------------------------------------------------------------------------------------------------

    def constants(self, expr: Expr | None, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        """The constants that an expression can be on a side."""
        if expr is None:
            return frozenset({None})
        if isinstance(expr, facts.Constant):
            return frozenset({expr.value})
        if not self.decides(expr, function):
            return None
        key = ("constants", id(expr), id(function), at.guard, at.line, side)

        def answer() -> Constants:
            return self._constants_of(expr, function, at, side)

        # a flag that depends on itself adds nothing
        return self.questions.ask_within(DEPTH, key, answer, meanwhile=_NONE_YET, beyond=None)

    def _constants_of(self, expr: Expr, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        match expr:
            case facts.Name(id=name) | facts.Attribute(name=name) if name == self.roots.declared.worker.draft_flag:
                return frozenset({side.role == "draft"})
            case facts.Name(id=name):
                return self._local(name, function, at, side)
            case facts.Attribute(base=base, name=name):
                return self._flag(base, name, function, at, side)
            case facts.Choice(test=test, then=then, otherwise=otherwise):
                answer = self.truth(test, function, at, side)
                arms = [then] if answer is True else [otherwise] if answer is False else [then, otherwise]
                return self._together(self.constants(arm, function, at, side) for arm in arms)
            case facts.Not() | facts.Compare():
                answer = self.truth(expr, function, at, side)
                return frozenset({True, False}) if answer is None else frozenset({answer})
            case facts.Boolean(op=op, values=values):
                decisive = op == "or"
                kept = []
                for value in values:
                    answer = self.truth(value, function, at, side)
                    if answer is decisive:
                        kept.append(value)
                        break
                    if answer is None or value is values[-1]:
                        kept.append(value)
                return self._together(self.constants(value, function, at, side) for value in kept)
            case facts.Call():
                return self._called(expr, function, at, side)
            case facts.Walrus(value=value):
                return self.constants(value, function, at, side)
            case _:
                return None

    @staticmethod
    def _together(sets: Iterable[Constants]) -> Constants:
        found: set[Constant] = set()
        for one in sets:
            if one is None:
                return None
            found |= one
        return frozenset(found)

    def _local(self, name: str, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        steps = function.binds.get(name)
        param = next((p for p in function.facts.params if p.name == name), None)
        if steps is None and param is None:
            if function.outer is not None:
                return self._local(name, function.outer, facts.END, side)
            return self._module_constant(name, function)
        found: list[Constants] = []
        assigning, hidden = reaching(steps or (), at, function.facts.body)
        certain = False  # whether one of them always ran here, under this algorithm
        for step in assigning:
            if not isinstance(step, facts.Bind) or step.how != "=" or not isinstance(step.target, facts.Name):
                return None
            if self.possible(function, step.guard, side) and not (certain and step.line <= at.line):
                found.append(self.constants(step.value, function, step, side))
                certain = certain or self._happens(function, step.guard, side)
        if param is not None and not hidden and not certain:
            found.append(self._parameter(param, function, side))
        return self._together(found)

    def _happens(self, function: FunctionNode, guard: int, side: Side) -> bool:
        """Whether the algorithm alone makes all conditions on the way to a guard hold."""
        return all(
            one.test is not None
            and one.kind != "loop"
            and self.truth(one.test, function, facts.Evaluate(one.test, one.parent, one.line), side) is one.positive
            for one in function.facts.body.guards_of(guard)
        )

    def _module_constant(self, name: str, function: FunctionNode) -> Constants:
        values = self.evaluator.module_name(name, function.module)
        constants = [v.value for v in values if isinstance(v, ConstantValue)]
        return frozenset(constants) if constants and len(constants) == len(values) else None

    def _parameter(self, param: facts.Param, function: FunctionNode, side: Side) -> Constants:
        if side.near:
            return None
        callers = self.receivers.callers(function)
        if not callers or len(callers) > MANY_CALLERS:
            return None
        found: list[Constants] = []
        for caller in callers:
            if not self.runs.occurs(caller, side.nearby):
                continue
            assert isinstance(caller.expr, facts.Call)
            bound = self.receivers.arguments(caller, function)
            if param.name in bound:
                found.append(self.constants(bound[param.name], caller.function, caller.step, side))
            elif any(k.name is None for k in caller.expr.keywords):
                return None
            elif param.default is not None:
                found.append(self.constants(param.default, function, caller.step, side))
            else:
                return None
        return self._together(found)

    def _flag(self, base: Expr, name: str, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        if self.is_algorithm(base, function):
            return frozenset({side.algorithm}) if name == "name" else None
        if side.near:
            return None
        holders = self.evaluator.evaluate(base, self.receivers.frame(function), at)
        nodes = {value.node for value in holders if isinstance(value, Instance)}
        if not nodes or any(not isinstance(value, Instance) for value in holders):
            return None
        return self._together(self._flag_of(node, name, side) for node in nodes)

    def _flag_of(self, node: ClassNode, name: str, side: Side) -> Constants:
        key = ("flag", node.key, name, side)
        return self.questions.ask(key, lambda: self._flag_values(node, name, side), _NONE_YET)

    def _flag_values(self, node: ClassNode, name: str, side: Side) -> Constants:
        found: list[Constants] = []
        member = self.hierarchy.lookup(node, name)
        if member is not None and member.kind == "property" and member.function is not None:
            return self._returns(member.function, side)
        if member is not None and member.kind != "attribute":
            return None
        bound = [(method, step) for method, step in self.evaluator.self_binds(node, name)]
        if self.evaluator.outside_binds is not None:
            for frame, step in self.evaluator.outside_binds(node, name):
                if frame.function is not None:
                    bound.append((frame.function, step))
        if member is not None and member.value is not None:
            if self._is_given_elsewhere(member.owner, name):
                return None
            found.append(self.constants(member.value, _nowhere(member.owner), facts.Return(None, -1, 0), side))
        if not bound and not found:
            return None
        for method, step in bound:
            if step.how == "declare" or not self.possible(method, step.guard, side):
                continue
            if not self.runs.reachable(method, side.nearby):
                continue
            if step.how != "=" or isinstance(step.target, facts.Display):
                return None
            found.append(self.constants(step.value, method, step, side))
        return self._together(found)

    def _is_given_elsewhere(self, node: ClassNode, name: str) -> bool:
        """Whether a class-level value is the default of a field, and not all objects are made where it can be seen: the
        options of a server are made of its command line."""
        return name in self.receivers.hierarchy.fields(node) and node.module.name not in self.code

    def _called(self, call: facts.Call, function: FunctionNode, at: facts.Step, side: Side) -> Constants:
        match call:
            case facts.Call(func=facts.Name(id="getattr"), args=(base, facts.Constant(value=str(name)), *default)):
                found = self._flag(base, name, function, at, side)
                if found is None or not default:
                    return found
                return self._together((found, self.constants(default[0], function, at, side)))
            case facts.Call(func=facts.Name(id="bool"), args=(one,)):
                answer = self.truth(one, function, at, side)
                return None if answer is None else frozenset({answer})
            case facts.Call(func=facts.Attribute(base=base, name=name)) if self.is_algorithm(base, function):
                member = self._answering(name, side.algorithm)
                return self._predicate(member.function, side) if member is not None and member.function else None
            case _ if side.near:
                return None
            case _:
                callees = self.evaluator.evaluate(call.func, self.receivers.frame(function), at)
                functions = [value.node for value in callees if isinstance(value, FunctionValue)]
                if len(functions) != 1 or len(callees) != 1 or functions[0].facts.is_generator:
                    return None
                return self._returns(functions[0], side)

    def _answering(self, name: str, algorithm: str) -> Member | None:
        """The method by which an algorithm answers: of the class it was registered to behave as, else of the enum."""
        registration = self.registrations.get(algorithm)
        classes = (*(registration.behaves_as if registration is not None else ()), self.roots.enum)
        return next((m for node in classes if (m := self.hierarchy.lookup(node, name)) is not None), None)

    def _predicate(self, function: FunctionNode, side: Side) -> Constants:
        """What a method of the algorithm answers. One that looks a word up in what was registered (SGLang 0.5.5)
        answers whether the algorithm was registered with it."""
        answers = self._returns(function, side)
        registration = self.registrations.get(side.algorithm)
        if registration is None or (answers is not None and len(answers) == 1):
            return answers
        words = {
            part.value
            for step in function.facts.body.steps
            if isinstance(step, facts.Return) and step.value is not None
            for part in facts.walk(step.value)
            if isinstance(part, facts.Constant) and isinstance(part.value, str)
        }
        return frozenset({words.pop().upper() in registration.words}) if len(words) == 1 else answers

    def _returns(self, function: FunctionNode, side: Side) -> Constants:
        def answer() -> Constants:
            steps = [s for s in function.facts.body.steps if isinstance(s, facts.Return)]
            reached = [step for step in steps if self.possible(function, step.guard, side)]
            return self._together(self.constants(step.value, function, step, side) for step in reached)

        return self.questions.ask(("returns", id(function), side), answer, _NONE_YET)


def _nowhere(owner: ClassNode) -> FunctionNode:
    """A function without parameters in a class's module: where a class-level default is evaluated."""
    body = facts.Scope((), (), (), ())
    return FunctionNode(owner.module, facts.Function("", owner.name, 0, 0, 0, (), None, (), body, False))
