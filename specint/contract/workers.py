"""Which worker classes serve an algorithm, and which code of the workers' package they bring to life."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from specint.contract.code import Occurrence
from specint.contract.conditions import Conditions, Side
from specint.contract.model import Unread
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.value import ClassValue, FunctionValue, Instance, Value


class Workers:
    """Answers, memoised, who works for an algorithm.

    Attributes:
        package: the dotted package that the tree's own workers are in.
    """

    def __init__(self, conditions: Conditions, outside: frozenset[str]) -> None:
        self.conditions = conditions
        self.receivers = conditions.receivers
        self.registrations = conditions.registrations
        self.project = conditions.project
        self.hierarchy = conditions.hierarchy
        self.roots = conditions.roots
        self.code = conditions.code
        self.evaluator = conditions.evaluator
        self._outside = outside
        self.package = f"{self.project.package}.{self.roots.declared.code.workers}"
        self._serving: dict[str, dict[ClassNode, tuple[str, ...]]] = {}
        self._live: dict[tuple[str, bool], set[int]] = {}
        self._living: dict[tuple[str, bool], set[ClassNode]] = {}
        self._references: dict[int, list[tuple[ClassNode | FunctionNode | str, facts.Step]]] = {}

    def serving(self, algorithm: str, *, plain: bool = False) -> tuple[ClassNode, ...]:
        """The worker classes that serve an algorithm: those that a call which hands over the target's worker, or the
        enum's own methods, can name under it.

        Args:
            plain: without those that only a server's setting brings, unless the algorithm has no others.
        """
        found = self._settings_of(algorithm)
        plainly = tuple(node for node, settings in found.items() if not settings)
        return plainly if plain and plainly else tuple(found)

    def opted_in(self, algorithm: str) -> tuple[str, ...]:
        """The settings that bring workers which the algorithm does without; none where every worker is plain."""
        found = self._settings_of(algorithm)
        if all(found.values()):
            return ()
        return tuple(dict.fromkeys(words for settings in found.values() for words in settings))

    def _settings_of(self, algorithm: str) -> dict[ClassNode, tuple[str, ...]]:
        if algorithm not in self._serving:
            found: dict[ClassNode, tuple[str, ...]] = {}
            for node, settings in self._named(algorithm):
                found[node] = settings if found.get(node, settings) else ()  # plain somewhere is plain
            self._serving[algorithm] = found
        return self._serving[algorithm]

    def _named(self, algorithm: str) -> Iterable[tuple[ClassNode, tuple[str, ...]]]:
        """The worker classes, and the settings under which each is named."""
        side = Side(algorithm, "draft", True)
        of_enum = () if algorithm in self.registrations else self.project.methods_of(self.roots.enum)
        for method in of_enum:
            for step in method.facts.body.steps:
                if isinstance(step, facts.Return) and self.conditions.possible(method, step.guard, side):
                    for value in self.evaluator.evaluate(step.value, self.receivers.frame(method), step):
                        if isinstance(value, ClassValue) and self.takes_target(value.node):
                            yield value.node, self.conditions.settings(method, step.guard)
        yield from ((node, ()) for node in self._registered_workers(algorithm))
        for node, call in self._constructed_workers(side):
            yield node, self.conditions.settings(call.function, call.step.guard)

    def unread(self, algorithm: str) -> Unread | None:
        """Why nothing is known of what an algorithm asks: no worker of it was found. None where one was."""
        if self.serving(algorithm):
            return None
        parameter = self.roots.declared.worker.target_parameter
        registration = self.registrations.get(algorithm)
        if registration is None:
            return Unread(f"no class that takes a {parameter} is named for {algorithm}")
        names = " and ".join(dict.fromkeys(node.name for maker in registration.makers for node in self._made_by(maker)))
        reason = (
            f"what {algorithm} asks is not known: its worker {names} has no parameter {parameter}"
            if names
            else f"what {algorithm} asks is not known: the worker that it is registered with was not found"
        )
        return Unread(reason, registration.file, registration.line)

    def _registered_workers(self, algorithm: str) -> Iterable[ClassNode]:
        """What an algorithm was registered with: a worker class, or a function that makes one, or a class that behaves
        as an algorithm and has a method that does."""
        registration = self.registrations.get(algorithm)
        if registration is None:
            return
        makers: list[ClassNode | FunctionNode] = [*registration.makers]
        for node in registration.behaves_as:
            makers += self.project.methods_of(node)
        for maker in makers:
            yield from (node for node in self._made_by(maker) if self.takes_target(node))

    def _made_by(self, maker: ClassNode | FunctionNode) -> Iterable[ClassNode]:
        if isinstance(maker, ClassNode):
            return (maker,)
        made = self.evaluator.returned(maker, None, None)
        return [one.node for one in sorted(made, key=str) if isinstance(one, (ClassValue, Instance))]

    def takes_target(self, node: ClassNode) -> bool:
        """Whether a class is made with the target's worker: by name, or because it hands all it gets to one that is."""
        parameter = self.roots.declared.worker.target_parameter
        member = self.hierarchy.lookup(node, "__init__")
        for _ in range(len(self.hierarchy.order(node).classes)):
            if member is None or member.function is None:
                return False
            params = member.function.facts.params
            if any(p.name == parameter for p in params):
                return True
            if not any(p.kind == "**" for p in params):
                return False
            if "__init__" not in self.code.super_calls.get(id(member.function), ()):
                return False
            member = self.hierarchy.next_definition(node, member.owner, "__init__")
        return False

    def _constructed_workers(self, side: Side) -> Iterable[tuple[ClassNode, Occurrence]]:
        """Worker classes that a scheduler outside of the workers' package constructs itself (SGLang up to 0.5.5)."""
        for call in self._calls_with_target:
            assert isinstance(call.expr, facts.Call)
            if self.conditions.possible(call.function, call.step.guard, side):
                for value in self._chosen(call.expr.func, call.function, call.step, side):
                    if isinstance(value, ClassValue) and self.takes_target(value.node):
                        yield value.node, call

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
            and not self.is_worker_code(call.function)
        ]

    def _chosen(self, expr: Expr, function: FunctionNode, at: facts.Step, side: Side) -> Iterable[Value]:
        """What an expression can be on a side: only the assignments and results that the algorithm lets happen."""
        frame = self.receivers.frame(function)
        if isinstance(expr, facts.Name) and expr.id in function.binds:
            for step in function.binds[expr.id]:
                if step.line < at.line and self.conditions.possible(function, step.guard, side):
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
                    if self.conditions.possible(callee.node, step.guard, side):
                        yield from self.evaluator.evaluate(step.value, self.receivers.frame(callee.node), step)
        else:
            yield from self.evaluator.evaluate(expr, frame, at)

    def live(self, algorithm: str, *, plain: bool = False) -> set[int]:
        """The functions of the workers' package that an algorithm's workers (the plain ones alone) bring to life.

        A method of a living class lives once something living, or something outside of the package, mentions its name.
        """
        key = (algorithm, plain)
        if key not in self._live:
            found: set[int] = set()
            self._live[key] = found
            classes = self._living.setdefault(key, set())
            self._bring(self.serving(algorithm, plain=plain), algorithm, found, classes)
        return self._live[key]

    def _bring(
        self, first: Iterable[ClassNode], algorithm: str, found: set[int], classes: set[ClassNode]
    ) -> dict[int, FunctionNode]:
        """Add the functions and the classes that these classes bring to life under an algorithm; the functions.

        What is in `found` already is not followed.
        """
        side = Side(algorithm, "draft", True)
        spoken = set(self._names_outside)
        waiting: dict[str, list[FunctionNode]] = {}
        pending: list[ClassNode | FunctionNode] = list(first)
        functions: dict[int, FunctionNode] = {}
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
                functions[id(one)] = one
                for reference, step in self.references(one):
                    if isinstance(reference, str):
                        if reference not in spoken and self.conditions.possible(one, step.guard, side):
                            spoken.add(reference)
                            pending += waiting.pop(reference, ())
                    elif (
                        reference not in classes
                        and id(reference) not in found
                        and self.conditions.possible(one, step.guard, side)
                    ):
                        pending.append(reference)
        return functions

    def apart(self, algorithms: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each worker class that shares an algorithm with others: the functions (`file:name`) that only those
        others bring to life. What is asked in them, this one doesn't ask."""
        choosing = {id(method) for method in self.project.methods_of(self.roots.enum)}  # they name every worker
        own: dict[str, set[str]] = {}
        every: dict[str, set[str]] = {}
        for algorithm in algorithms:
            serving = self.serving(algorithm)
            if len(serving) < 2:
                continue
            brought = {
                node.key: {_place(f) for f in self._bring((node,), algorithm, set(choosing), set()).values()}
                for node in serving
            }
            for key, functions in brought.items():
                own.setdefault(key, set()).update(functions)
                every.setdefault(key, set()).update(*brought.values())
        return {key: tuple(sorted(functions - own[key])) for key, functions in every.items() if functions - own[key]}

    def serves(self, function: FunctionNode, algorithm: str) -> bool:
        """Whether a method belongs to a class that an algorithm brings to life, called or not; a function serves where
        a method that calls it does."""
        self.live(algorithm)
        owner = function.owner
        if owner is not None:
            return any(self.hierarchy.is_subclass(one, owner) for one in self._living[algorithm, False])
        callers = {id(one.function): one.function for one in self.receivers.callers(function)}.values()
        return any(one.owner is not None and self.serves(one, algorithm) for one in callers)

    @cached_property
    def _names_outside(self) -> set[str]:
        """Attribute names that code outside of the workers' package mentions."""
        return {
            reference
            for functions in self.code.functions.values()
            for function in functions
            if not self.is_worker_code(function)
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
        return [function for function in found if self.is_worker_code(function)]

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
            or (isinstance(s, FunctionNode) and s.owner is None and self.is_worker_code(s))
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

    def is_worker_code(self, function: FunctionNode) -> bool:
        """Whether a function is in the workers' package, or in a module of workers outside of SGLang."""
        return self._is_worker_module(function.module.name)

    def _is_worker_module(self, name: str) -> bool:
        return name == self.package or name.startswith(f"{self.package}.") or name in self._outside


def _place(function: FunctionNode) -> str:
    return f"{function.module.path}:{function.facts.qualname}"
