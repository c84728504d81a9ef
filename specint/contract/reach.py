"""Under which algorithm, and on which side, a line of the workers can run at all.

Conditions are evaluated with the algorithm given: the enum's own predicates are run on it, flags are followed to where
they are set, parameters to what callers hand over. What is open stays open, and an open condition excludes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from specint.contract.code import Occurrence
from specint.contract.flags import decisive_names, mentioned
from specint.contract.receivers import Receivers
from specint.contract.registrations import Registration
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.binding import bind_arguments
from specint.graph.hierarchy import Member
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.questions import Questions
from specint.graph.value import ClassValue, ConstantValue, FunctionValue, Instance, Value

Constant = str | int | float | bool | None
Constants = frozenset[Constant] | None
"""The constants an expression can be; None: anything."""

_NONE_YET: Constants = frozenset()

_MANY_CALLERS = 40
_DEPTH = 16


class Side(NamedTuple):
    """One algorithm, looked at from the target's or the draft's side.

    `near`: only what a function itself tells is used, no flag is followed out of it. Whether code is reached at all is
    decided so; following every flag of every caller would cost minutes and changes nothing.
    """

    algorithm: str
    role: str
    near: bool = False

    @property
    def nearby(self) -> Side:
        """The same side, looked at from close by."""
        return Side(self.algorithm, self.role, True)


class Reach:
    """Answers, memoised, whether code runs on a side."""

    def __init__(
        self,
        receivers: Receivers,
        registrations: Mapping[str, Registration] | None = None,
        outside: frozenset[str] = frozenset(),
    ) -> None:
        self.receivers = receivers
        self.registrations = registrations or {}
        self._outside = outside
        self.project = receivers.project
        self.hierarchy = receivers.hierarchy
        self.roots = receivers.roots
        self.code = receivers.code
        self.evaluator = receivers.evaluator
        self._questions = Questions()
        self._live: dict[str, set[int]] = {}
        self._living: dict[str, set[ClassNode]] = {}
        self._references: dict[int, list[tuple[ClassNode | FunctionNode | str, facts.Step]]] = {}
        algorithm, flag = self.roots.declared.algorithm.attributes, self.roots.declared.worker.draft_flag
        predicates = self.hierarchy.own(self.roots.enum)
        self.decisive = decisive_names(self.code, [*algorithm, flag, *predicates])
        self._deciding: dict[int, bool] = {}
        self._depth = 0
        self._package = f"{self.project.package}.{self.roots.declared.code.workers}"

    # -- conditions ------------------------------------------------------------------------------------------------

    def possible(self, function: FunctionNode, guard: int, side: Side) -> bool:
        """Whether no condition on the way to a guard is known to fail."""
        if guard < 0:
            return True

        def answer() -> bool:
            guards = function.facts.body.guards_of(guard)
            return all(one.test is None or self._may_hold(one, function, side) for one in guards)

        return self._questions.ask(("possible", id(function), guard, side), answer, True)

    def _may_hold(self, guard: facts.Guard, function: FunctionNode, side: Side) -> bool:
        assert guard.test is not None
        if guard.kind == "loop":
            return True
        at = facts.Evaluate(guard.test, guard.parent, guard.line)
        return self.truth(guard.test, function, at, side) is not (not guard.positive)

    def occurs(self, occurrence: Occurrence, side: Side) -> bool:
        """Whether one expression can be evaluated on a side: its function is reached, its conditions may hold."""
        return (
            self.stands(occurrence, side.nearby)
            and self.reachable(occurrence.function, side.nearby)
            and self.stands(occurrence, side)
            and (side.near or self._called_under(occurrence.function, side))
        )

    def stands(self, occurrence: Occurrence, side: Side) -> bool:
        """Whether the conditions around an expression, within its function, may hold on a side."""
        return self.possible(occurrence.function, occurrence.step.guard, side) and all(
            self.truth(test, occurrence.function, occurrence.step, side) is not (not positive)
            for test, positive in occurrence.local
        )

    def _called_under(self, function: FunctionNode, side: Side) -> bool:
        """Whether some caller's own conditions, flags included, may hold on a side."""
        if function.owner is not None and (function.name.startswith("__") or self._is_worker_code(function)):
            return True
        callers = self.receivers.callers(function) if self._few_calls(function) else []
        return not callers or any(self.occurs(one, side.nearby) and self.stands(one, side) for one in callers)

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
        if not isinstance(expr, facts.Sequence):
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
                own = function.facts.params[0].name if function.facts.params else ""
                if function.owner is not None and self.hierarchy.is_subclass(function.owner, self.roots.enum):
                    return expr.id == own
                key = ("algorithm", id(function), expr.id)
                return self._questions.ask(key, lambda: self._names_algorithm(expr.id, function), False)
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
        items = expr.items if isinstance(expr, facts.Sequence) else (expr,)
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
        if self._depth > _DEPTH:
            self._questions.lean(_DEPTH)
            return None
        key = ("constants", id(expr), id(function), at.guard, at.line, side)
        self._depth += 1
        try:  # a flag that depends on itself adds nothing
            return self._questions.ask(key, lambda: self._constants_of(expr, function, at, side), _NONE_YET)
        finally:
            self._depth -= 1

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
                return self._local(name, function.outer, facts.Return(None, -1, 10**9), side)
            return self._module_constant(name, function)
        found: list[Constants] = []
        for step in steps or ():
            if not isinstance(step, facts.Bind) or step.how != "=" or not isinstance(step.target, facts.Name):
                return None
            if self.possible(function, step.guard, side) and step.line <= at.line:
                found.append(self.constants(step.value, function, step, side))
                if step.guard == -1:
                    found = found[-1:]
        if param is not None and not any(s.guard == -1 and s.line <= at.line for s in steps or ()):
            found.append(self._parameter(param, function, side))
        return self._together(found)

    def _module_constant(self, name: str, function: FunctionNode) -> Constants:
        values = self.evaluator.module_name(name, function.module)
        constants = [v.value for v in values if isinstance(v, ConstantValue)]
        return frozenset(constants) if constants and len(constants) == len(values) else None

    def _parameter(self, param: facts.Param, function: FunctionNode, side: Side) -> Constants:
        if side.near:
            return None
        callers = self.receivers.callers(function)
        if not callers or len(callers) > _MANY_CALLERS:
            return None
        found: list[Constants] = []
        for caller in callers:
            if not self.occurs(caller, side.nearby):
                continue
            assert isinstance(caller.expr, facts.Call)
            is_method = function.owner is not None and function.outer is None
            bound = bind_arguments(function, caller.expr, skip_first=is_method)
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
        return self._questions.ask(key, lambda: self._flag_values(node, name, side), _NONE_YET)

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
            found.append(self.constants(member.value, _nowhere(member.owner), facts.Return(None, -1, 0), side))
        if not bound and not found:
            return None
        for method, step in bound:
            if step.how == "declare" or not self.possible(method, step.guard, side):
                continue
            if not self.reachable(method, side.nearby):
                continue
            if step.how != "=" or isinstance(step.target, facts.Sequence):
                return None
            found.append(self.constants(step.value, method, step, side))
        return self._together(found)

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

        return self._questions.ask(("returns", id(function), side), answer, _NONE_YET)

    def answers(self, expr: Expr, answer: bool, function: FunctionNode) -> bool:
        """Whether the source gives a flag this answer somewhere: a constant that is assigned or returned."""
        match expr:
            case facts.Not(operand=operand):
                return self.answers(operand, not answer, function)
            case facts.Boolean(values=values):
                return any(self.answers(value, answer, function) for value in values)
            case facts.Name(id=name):
                steps = function.binds.get(name, ())
                return any(_is_constant(s.value, answer) for s in steps if isinstance(s, facts.Bind) and s.how == "=")
            case facts.Attribute(base=base, name=name) if function.owner is not None and self._is_self(base, function):
                binds = (step for _, step in self.evaluator.self_binds(function.owner, name))
                return any(_is_constant(step.value, answer) for step in binds)
            case facts.Call(func=func):
                return any(
                    _is_constant(step.value, answer)
                    for callee in self._callees(func, function)
                    for step in callee.facts.body.steps
                    if isinstance(step, facts.Return)
                )
            case _:
                return False

    @staticmethod
    def _is_self(expr: Expr, function: FunctionNode) -> bool:
        return bool(function.facts.params) and expr == facts.Name(function.facts.params[0].name)

    def _callees(self, func: Expr, function: FunctionNode) -> Iterable[FunctionNode]:
        """What a plain call calls: a function by name, or a method of the own class."""
        if isinstance(func, facts.Attribute) and function.owner is not None and self._is_self(func.base, function):
            member = self.hierarchy.lookup(function.owner, func.name)
            if member is not None and member.function is not None:
                yield member.function
        elif isinstance(func, facts.Name):
            yield from (s for s in self.project.symbol(function.module, func) if isinstance(s, FunctionNode))

    # -- functions -------------------------------------------------------------------------------------------------

    def reachable(self, function: FunctionNode, side: Side) -> bool:
        """Whether a function can run on a side. Workers run where the algorithm creates them; code that nobody under
        scan calls is taken to run always."""
        if self._depth > _DEPTH:
            self._questions.lean(_DEPTH)
            return True
        key = ("reachable", id(function), side)
        self._depth += 1
        try:  # a function that only calls itself never runs
            return self._questions.ask(key, lambda: self._is_reachable(function, side), False)
        finally:
            self._depth -= 1

    def _is_reachable(self, function: FunctionNode, side: Side) -> bool:
        if function.outer is not None:
            return self.reachable(function.outer, side)
        if self._is_worker_code(function):
            if id(function) in self.live(side.algorithm):
                return True
            if function.owner is not None:
                return False
        if function.owner is not None and function.name.startswith("__"):
            return True
        callers = self.receivers.callers(function) if self._few_calls(function) else []
        return not callers or any(self.occurs(caller, side.nearby) for caller in callers)

    def _few_calls(self, function: FunctionNode) -> bool:
        return len(self.code.calls.get(function.name, ())) <= _MANY_CALLERS

    def _is_worker_code(self, function: FunctionNode) -> bool:
        return self._is_worker_module(function.module.name)

    def _is_worker_module(self, name: str) -> bool:
        return name == self._package or name.startswith(f"{self._package}.") or name in self._outside

    def workers(self, algorithm: str) -> tuple[ClassNode, ...]:
        """The worker classes that serve an algorithm: those that a call which hands over the target's worker, or the
        enum's own methods, can name under it."""
        found: dict[ClassNode, None] = {}
        side = Side(algorithm, "draft", True)
        of_enum = () if algorithm in self.registrations else self.project.methods_of(self.roots.enum)
        for method in of_enum:
            for step in method.facts.body.steps:
                if isinstance(step, facts.Return) and self.possible(method, step.guard, side):
                    for value in self.evaluator.evaluate(step.value, self.receivers.frame(method), step):
                        if isinstance(value, ClassValue) and self._takes_target(value.node):
                            found[value.node] = None
        for node in (*self._registered_workers(algorithm), *self._constructed_workers(side)):
            found[node] = None
        return tuple(found)

    def _registered_workers(self, algorithm: str) -> Iterable[ClassNode]:
        """What an algorithm was registered with: a worker class, or a function that makes one."""
        registration = self.registrations.get(algorithm)
        for maker in registration.makers if registration is not None else ():
            made: Iterable[Value] = (
                self.evaluator.returned(maker, None, None) if isinstance(maker, FunctionNode) else (ClassValue(maker),)
            )
            for one in sorted(made, key=str):
                if isinstance(one, (ClassValue, Instance)) and self._takes_target(one.node):
                    yield one.node

    def _takes_target(self, node: ClassNode) -> bool:
        member = self.hierarchy.lookup(node, "__init__")
        parameter = self.roots.declared.worker.target_parameter
        return (
            member is not None
            and member.function is not None
            and any(p.name == parameter for p in member.function.facts.params)
        )

    def _constructed_workers(self, side: Side) -> Iterable[ClassNode]:
        """Worker classes that a scheduler outside of the workers' package constructs itself (SGLang up to 0.5.5)."""
        for call in self._calls_with_target:
            assert isinstance(call.expr, facts.Call)
            if self.possible(call.function, call.step.guard, side):
                for value in self._chosen(call.expr.func, call.function, call.step, side):
                    if isinstance(value, ClassValue) and self._takes_target(value.node):
                        yield value.node

    @cached_property
    def _calls_with_target(self) -> list[Occurrence]:
        """The calls outside of the workers' package that hand over the target's worker."""
        parameter = self.roots.declared.worker.target_parameter
        return [
            call
            for calls in self.code.calls.values()
            for call in calls
            if isinstance(call.expr, facts.Call)
            and any(k.name == parameter for k in call.expr.keywords)
            and not self._is_worker_code(call.function)
        ]

    def _chosen(self, expr: Expr, function: FunctionNode, at: facts.Step, side: Side) -> Iterable[Value]:
        """What an expression can be on a side: only the assignments and results that the algorithm lets happen."""
        frame = self.receivers.frame(function)
        if isinstance(expr, facts.Name) and expr.id in function.binds:
            for step in function.binds[expr.id]:
                if step.line < at.line and self.possible(function, step.guard, side):
                    if isinstance(step, facts.Bind) and step.how == "=" and step.target == expr and step.value:
                        yield from self._chosen(step.value, function, step, side)
                    else:
                        yield from self.evaluator.bound(step, expr.id, frame)
        elif isinstance(expr, facts.Call):
            for callee in self.evaluator.evaluate(expr.func, frame, at):
                if not isinstance(callee, FunctionValue):
                    continue
                returns = (s for s in callee.node.facts.body.steps if isinstance(s, facts.Return))
                for step in returns:
                    if self.possible(callee.node, step.guard, side):
                        yield from self.evaluator.evaluate(step.value, self.receivers.frame(callee.node), step)
        else:
            yield from self.evaluator.evaluate(expr, frame, at)

    def live(self, algorithm: str) -> set[int]:
        """The functions of the workers' package that an algorithm's workers bring to life.

        A method of a living class lives once something living, or something outside of the package, mentions its name.
        """
        if algorithm not in self._live:
            found: set[int] = set()
            self._live[algorithm] = found
            side = Side(algorithm, "draft", True)
            classes = self._living.setdefault(algorithm, set())
            spoken = set(self._names_outside)
            waiting: dict[str, list[FunctionNode]] = {}
            pending: list[ClassNode | FunctionNode] = list(self.workers(algorithm))
            while pending:
                one = pending.pop()
                if isinstance(one, ClassNode):
                    if one not in classes:
                        classes.add(one)
                        for method in self._methods(one):
                            if method.name in spoken or method.name.startswith("__"):
                                pending.append(method)
                            else:
                                waiting.setdefault(method.name, []).append(method)
                elif id(one) not in found:
                    found.add(id(one))
                    for reference, step in self.references(one):
                        if isinstance(reference, str):
                            if reference not in spoken and self.possible(one, step.guard, side):
                                spoken.add(reference)
                                pending += waiting.pop(reference, ())
                        elif (
                            reference not in classes
                            and id(reference) not in found
                            and self.possible(one, step.guard, side)
                        ):
                            pending.append(reference)
        return self._live[algorithm]

    def serves(self, function: FunctionNode, algorithm: str) -> bool:
        """Whether a method belongs to a class that an algorithm brings to life, called or not; a function serves where
        a method that calls it does."""
        self.live(algorithm)
        owner = function.owner
        if owner is not None:
            return any(self.hierarchy.is_subclass(one, owner) for one in self._living[algorithm])
        callers = {id(one.function): one.function for one in self.receivers.callers(function)}.values()
        return any(one.owner is not None and self.serves(one, algorithm) for one in callers)

    @cached_property
    def _names_outside(self) -> set[str]:
        """Attribute names that code outside of the workers' package mentions."""
        return {
            reference
            for functions in self.code.functions.values()
            for function in functions
            if not self._is_worker_code(function)
            for reference in self.code.attributes.get(id(function), ())
        }

    def _methods(self, node: ClassNode) -> list[FunctionNode]:
        """What an object of a class can run: the resolved methods, and what those reach through super()."""
        names = {name for one in self.hierarchy.order(node).nodes for name in self.hierarchy.own(one)}
        found: list[FunctionNode] = []
        pending = [m for name in sorted(names) if (m := self.hierarchy.lookup(node, name)) is not None]
        while pending:
            member = pending.pop()
            if member.function is None or member.function in found:
                continue
            found.append(member.function)
            for called in self.code.super_calls.get(id(member.function), ()):
                above = self.hierarchy.next_definition(node, member.owner, called)
                if above is not None:
                    pending.append(above)
        return [function for function in found if self._is_worker_code(function)]

    def references(self, function: FunctionNode) -> list[tuple[ClassNode | FunctionNode | str, facts.Step]]:
        """What a function (or one within it) mentions: classes and functions of the workers' package, attributes."""
        if id(function) not in self._references:
            found: list[tuple[ClassNode | FunctionNode | str, facts.Step]] = []
            mentions = {(name, step.guard): step for name, step in self.code.mentions.get(id(function), ())}
            symbols = {name: self._worker_symbols(facts.Name(name), function) for name, _ in mentions}
            for (name, _), step in mentions.items():
                found += [(symbol, step) for symbol in symbols[name]]
            for name, step in self.code.attributes.get(id(function), {}).items():
                found.append((name, step))
            for inner in function.nested:
                found += [(symbol, facts.Return(None, -1, 0)) for symbol, _ in self.references(inner)]
                found.append((inner, facts.Return(None, -1, 0)))
            self._references[id(function)] = found
        return self._references[id(function)]

    def _worker_symbols(self, expr: Expr, function: FunctionNode) -> list[ClassNode | FunctionNode]:
        scopes = []
        outer: FunctionNode | None = function
        while outer is not None:
            scopes.append(outer.facts.body)
            outer = outer.outer
        if self._from_elsewhere(expr, function.module, scopes):
            return []
        symbols = self.project.symbol(function.module, expr, tuple(scopes))
        return [
            s
            for s in symbols
            if (isinstance(s, ClassNode) and self._is_worker_module(s.module.name))
            or (isinstance(s, FunctionNode) and s.owner is None and self._is_worker_code(s))
        ]

    def _from_elsewhere(self, expr: Expr, module: facts.Module, scopes: list[facts.Scope]) -> bool:
        """Whether a name is imported, and from outside of the code under scan: nothing of a worker's comes from there,
        and what does come from there need not be read to know that."""
        if not isinstance(expr, facts.Name):
            return False
        tables = (*map(self.project.binds_of, scopes), self.project.table(module))
        steps = next((steps for table in tables if (steps := table.get(expr.id))), ())
        return bool(steps) and all(
            isinstance(step, facts.Import)
            and step.module not in self.code
            and f"{step.module}.{step.attribute}" not in self.code
            for step in steps
        )


def _is_constant(expr: Expr | None, truth: bool) -> bool:
    return isinstance(expr, facts.Constant) and bool(expr.value) is truth


def _nowhere(owner: ClassNode) -> FunctionNode:
    """A function without parameters in a class's module: where a class-level default is evaluated."""
    body = facts.Scope((), (), (), ())
    return FunctionNode(owner.module, facts.Function("", owner.name, 0, 0, 0, (), None, (), body, False))
