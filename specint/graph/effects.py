"""What calling a member of a model really runs, and what that reads and writes: one engine for all rules that ask.

From the definition that an object of a class has, calls are followed to its other methods, to `super()`, to the objects
it holds (through composition) and to functions that it hands them to. Branches that `hasattr` rules out are left out.
Nothing is guessed: what can't be followed contributes nothing, and who asks can see that something was lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping

from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.graph.binding import bind_arguments
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.parts import Parts
from specint.graph.project import Assigned, ClassNode, FunctionNode, Project
from specint.graph.runs import Held, Path, Place, Read, Run, Write
from specint.graph.steps import (
    asks_for_member,
    bound_names,
    expressions,
    gives,
    is_harmless,
    read_names,
    written,
)

_LIMIT = 400
"""The most functions that are followed from one member; a model's forward runs some dozens."""
_DEPTH = 8


class Effects:
    """Answers per class and member, memoised.

    Args:
        has: whether an object of a class has a member, None where that can't be known.
    """

    def __init__(self, composition: Composition, has: Callable[[ClassNode, str], bool | None]) -> None:
        self.composition = composition
        self.hierarchy: Hierarchy = composition.hierarchy
        self.project: Project = composition.project
        self._has = has
        self._runs: dict[tuple[str, str, bool, Path | None], tuple[list[Run], Iterator[Run]]] = {}
        self._carried: dict[tuple[object, ...], frozenset[str]] = {}
        self._built = Parts(self.project, self.hierarchy)
        self._asking: dict[int, tuple[tuple[int, facts.Guard], ...]] = {}
        self._held: dict[tuple[Held, str], tuple[Held, ...]] = {}
        self._parts: dict[int, dict[int, tuple[facts.Expr, ...]]] = {}
        self._names: dict[int, dict[str, int]] = {}

    # -- what runs -------------------------------------------------------------------------------------------------

    def runs(
        self, node: ClassNode, member: str, *, carrying: bool = False, within: Path | None = None
    ) -> Iterator[Run]:
        """Every function that calling a member of an object of this class runs, the nearest first.

        They are followed while somebody asks on: who finds early what it looks for pays for no more.

        Args:
            carrying: follow also where the arguments of the member go.
            within: stay on the way to the object at this path: leave out what other inner objects run.
        """
        key = (node.key, member, carrying, within)
        if key not in self._runs:
            self._runs[key] = ([], self._follow(node, member, carrying, within))
        known, more = self._runs[key]
        index = 0
        while True:
            if index == len(known):
                found = next(more, None)
                if found is None:
                    return
                known.append(found)
            yield known[index]
            index += 1

    def _follow(self, node: ClassNode, member: str, carrying: bool, within: Path | None) -> Iterator[Run]:
        found = self.hierarchy.lookup(node, member)
        if found is None or found.function is None:
            return
        handed = frozenset(param.name for param in found.function.parameters if carrying)
        start = Run(found.function, Held(node), carrying=handed)
        pending, seen = deque([start]), {start.key()}
        while pending:
            run = pending.popleft()
            yield run
            for callee in self._callees(run):
                if within is not None and callee.receiver is not None and not callee.receiver.leads_to(within):
                    continue
                if len(seen) < _LIMIT and (key := callee.key()) not in seen:
                    seen.add(key)
                    pending.append(callee)

    def _callees(self, run: Run) -> Iterator[Run]:
        for step in self.steps(run):
            for part in self._telling(run.function, step):
                if isinstance(part, facts.Call):
                    yield from self.called(part, run)
                elif isinstance(part, facts.Attribute):
                    yield from self._touched(part, run)
        for inner in run.function.nested:
            if run.own is not None and inner.receiver is not None:  # it sees our `self`
                hidden = {param.name for param in inner.facts.params}
                objects = {name: held for name, held in run.objects.items() if name not in hidden}
                yield Run(inner, run.receiver, objects, run.carrying - hidden)

    def _telling(self, function: FunctionNode, step: facts.Step) -> tuple[facts.Expr, ...]:
        """The calls and attributes of a step, walked once for all objects that run the function."""
        steps = self._parts.setdefault(id(function), {})
        if id(step) not in steps:
            parts = (part for expr in expressions(step) for part in facts.walk(expr))
            steps[id(step)] = tuple(part for part in parts if isinstance(part, (facts.Call, facts.Attribute)))
        return steps[id(step)]

    def _touched(self, expr: facts.Attribute, run: Run) -> Iterator[Run]:
        """Methods and properties that an attribute names: a property runs, a method may be called later."""
        for held in self.objects(expr.base, run):
            member = self.hierarchy.lookup(held.node, expr.name)
            if member is not None and member.function is not None and member.kind == "property":
                yield Run(member.function, held)

    def called(self, call: facts.Call, run: Run) -> Iterator[Run]:
        """What a call runs, with what it hands over."""
        for function, held, skips in self.callees(call, run):
            bound = bind_arguments(function, call, skip_first=skips)
            objects = {n: tuple(o) for n, e in bound.items() if (o := list(self.objects(e, run)))}
            carried = self.carried(run) if run.carrying else run.carrying
            carrying = frozenset(n for n, e in bound.items() if self.mentions(e, carried))
            yield Run(function, held, objects, carrying)

    def callees(self, call: facts.Call, run: Run) -> Iterator[tuple[FunctionNode, Held | None, bool]]:
        """The functions that a call runs, each with the object it runs on and whether `self` is passed by itself."""
        match call.func:
            case facts.Attribute(base=facts.Call(func=facts.Name(id="super")) as above, name=name):
                if run.receiver is not None:
                    found = self.hierarchy.above(run.function, above, run.receiver.node, name)
                    if found is not None and found.function is not None:
                        yield found.function, run.receiver, True
                return
            case facts.Attribute(base=base, name=name):
                for held in self.objects(base, run):
                    found = self.hierarchy.lookup(held.node, name)
                    if found is not None and found.function is not None and found.kind != "property":
                        yield found.function, held, found.kind != "staticmethod"
                if run.own is not None and call.args and call.args[0] == facts.Name(run.own):  # Base.forward(self, …)
                    for symbol in self.project.symbol(run.function.module, base):
                        if isinstance(symbol, ClassNode):
                            found = self.hierarchy.lookup(symbol, name)
                            if found is not None and found.function is not None:
                                yield found.function, run.receiver, False
            case facts.Name(id=name) if self._concerns(call, run):
                for function in self._functions(name, run):
                    yield function, None, False
            case _:
                pass
        for held in self.objects(call.func, run):  # calling a module runs its forward
            found = self.hierarchy.lookup(held.node, "forward")
            if found is not None and found.function is not None:
                yield found.function, held, True

    def _concerns(self, call: facts.Call, run: Run) -> bool:
        """Whether a call hands over an object of ours, or what the caller gave; else it can do nothing to either."""
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        carried = self.carried(run)
        return any(self.mentions(one, carried) or next(self.objects(one, run), None) is not None for one in given)

    def _functions(self, name: str, run: Run) -> Iterator[FunctionNode]:
        if name in run.function.binds:
            for step in run.function.binds[name]:
                if isinstance(step, facts.Import):
                    yield from (s for s in self.project.imported(step) if isinstance(s, FunctionNode))
            return
        for symbol in self.project.symbol(run.function.module, facts.Name(name)):
            if isinstance(symbol, FunctionNode):
                yield symbol
            elif isinstance(symbol, Assigned):
                return

    def steps(self, run: Run) -> Iterator[facts.Step]:
        """The steps of a function that can run for the objects at hand."""
        dead = self._dead(run)
        if not dead:
            yield from run.function.facts.body.steps
            return
        for step in run.function.facts.body.steps:
            if dead.isdisjoint(guards_around(run.function.facts.body, step.guard)):
                yield step

    def _dead(self, run: Run) -> frozenset[int]:
        """The guards that can't be true: a `hasattr` that every candidate answers the other way."""
        asking = self._asking.get(id(run.function))
        if asking is None:
            guards = enumerate(run.function.facts.body.guards)
            asking = tuple(
                (i, g) for i, g in guards if g.test is not None and g.kind != "loop" and asks_for_member(g.test)
            )
            self._asking[id(run.function)] = asking
        return frozenset(i for i, g in asking if g.test is not None and self.truth(g.test, run) is (not g.positive))

    def truth(self, test: facts.Expr, run: Run) -> bool | None:
        """What a `hasattr` is known to answer, None for anything else."""
        match test:
            case facts.Not(operand=operand):
                inner = self.truth(operand, run)
                return None if inner is None else not inner
            case facts.Boolean(op=op, values=values):
                answers = [self.truth(value, run) for value in values]
                decisive = op == "or"
                if decisive in answers:
                    return decisive
                return (not decisive) if all(a is (not decisive) for a in answers) else None
            case facts.Call(func=facts.Name(id="hasattr"), args=(base, facts.Constant(value=str(name)))):
                held = list(self.objects(base, run))
                answers = [self._has(one.node, name) for one in held]
                return answers[0] if answers and answers.count(answers[0]) == len(answers) else None
            case _:
                return None

    # -- objects ---------------------------------------------------------------------------------------------------

    def objects(self, expr: facts.Expr, run: Run, depth: int = 0) -> Iterator[Held]:
        """The objects of the tree that an expression can be, reached through what a model holds."""
        if depth > _DEPTH:
            return
        match expr:
            case facts.Name(id=name) if name == run.own and run.receiver is not None:
                yield run.receiver
            case facts.Name(id=name):
                if name not in run.locals:
                    run.locals[name] = run.objects.get(name, ())  # a name that is made of itself adds nothing
                    run.locals[name] = tuple(dict.fromkeys(self._local(name, run, depth)))
                yield from run.locals[name]
            case facts.Attribute(base=base, name=name):
                for held in self.objects(base, run, depth + 1):
                    yield from self.held(held, name, depth)
            case facts.Call(func=facts.Name(id="getattr"), args=(base, facts.Constant(value=str(name)), *_)):
                for held in self.objects(base, run, depth + 1):
                    yield from self.held(held, name, depth)
            case facts.Call(func=facts.Attribute(base=base, name=name)):  # an accessor: self.get_language_model()
                for held in self.objects(base, run, depth + 1):
                    member = self.hierarchy.lookup(held.node, name)
                    if member is not None and member.function is not None and member.kind == "method":
                        yield from self._returned(member, held, depth)
            case facts.Choice(then=then, otherwise=otherwise):
                yield from self.objects(then, run, depth + 1)
                yield from self.objects(otherwise, run, depth + 1)
            case facts.Boolean(values=values):
                for value in values:
                    yield from self.objects(value, run, depth + 1)
            case _:
                pass

    def _local(self, name: str, run: Run, depth: int) -> Iterator[Held]:
        yield from run.objects.get(name, ())
        for step in run.function.binds.get(name, ()):
            match step:
                case facts.Bind(target=facts.Name(), value=value, how="=") if value is not None:
                    yield from self.objects(value, run, depth + 1)
                case _:
                    pass

    def paths(self, expr: facts.Expr, run: Run, depth: int = 0) -> Iterator[Path]:
        """The ways from the object that was asked to what an expression names, whatever stands there."""
        match expr:
            case facts.Name(id=name) if name == run.own and run.receiver is not None:
                yield run.receiver.path
            case facts.Name(id=name) if depth < _DEPTH:
                for step in run.function.binds.get(name, ()):
                    if isinstance(step, facts.Bind) and step.how == "=" and isinstance(step.target, facts.Name):
                        yield from self.paths(step.value, run, depth + 1) if step.value is not None else ()
            case facts.Attribute(base=base, name=name):
                for path in self.paths(base, run, depth + 1):
                    yield (*path, name)
            case facts.Choice(then=then, otherwise=otherwise):
                yield from self.paths(then, run, depth + 1)
                yield from self.paths(otherwise, run, depth + 1)
            case _:
                pass

    def held(self, held: Held, name: str, depth: int = 0) -> tuple[Held, ...]:
        """The objects that an attribute of an object holds."""
        key = (held, name)
        if key not in self._held:
            self._held[key] = ()  # an object that holds itself
            self._held[key] = tuple(dict.fromkeys(self._find_held(held, name, depth)))
        return self._held[key]

    def _find_held(self, held: Held, name: str, depth: int) -> Iterator[Held]:
        member = self.hierarchy.lookup(held.node, name)
        if member is not None and member.kind == "property":
            yield from self._returned(member, held, depth)
            return
        assignments = self.composition.assigned(held.node, name)
        nodes = {node: None for one in assignments if not one.late for node in one.classes}
        for node in nodes or {node: None for one in assignments for node in one.classes}:
            yield Held(node, (*held.path, name))

    def _returned(self, member: Member, held: Held, depth: int) -> Iterator[Held]:
        assert member.function is not None
        run = Run(member.function, held)
        for step in member.function.facts.body.steps:
            if isinstance(step, facts.Return) and isinstance(step.value, (facts.Attribute, facts.Name, facts.Choice)):
                yield from self.objects(step.value, run, depth + 2)

    # -- reads -----------------------------------------------------------------------------------------------------

    def names(self, run: Run) -> Mapping[str, int]:
        """Every attribute name that a function reads of anything, each with its first line."""
        key = id(run.function)
        if key not in self._names:
            found: dict[str, int] = {}
            for step in run.function.facts.body.steps:
                for expr in expressions(step):
                    for name, line in read_names(expr):
                        found.setdefault(name, line)
            self._names[key] = found
        return self._names[key]

    def own_reads(self, run: Run) -> Iterator[Read]:
        """What a method reads of its own object."""
        own = run.own
        if own is None:
            return
        for step in self.steps(run):
            for expr in expressions(step):
                for part in facts.walk(expr):
                    match part:
                        case facts.Attribute(base=facts.Name(id=found), name=name, line=line) if found == own:
                            yield Read(name, Place(run.function, line), run, step.guard, soft=False)
                        case facts.Call(
                            func=facts.Name(id="getattr" | "hasattr"),
                            args=(facts.Name(id=found), facts.Constant(value=str(name)), *_),
                            line=line,
                        ) if found == own:
                            yield Read(name, Place(run.function, line), run, step.guard, soft=True)
                        case _:
                            pass

    def parts(self, node: ClassNode) -> tuple[ClassNode, ...]:
        """The classes of which an object is built, by name: also through lists and tables."""
        return self._built.of(node)

    def read_by_parts(self, node: ClassNode, attribute: str) -> Place | None:
        """Where the classes of which an object is built (its layers, in lists that aren't followed) read a name."""
        for part in self._built.of(node):
            for method in self.project.methods_of(part):
                line = self.names(Run(method, None)).get(attribute)
                if line is not None and not any(gives(step, attribute) for step in method.facts.body.steps):
                    return Place(method, line)
        return None

    # -- writes ----------------------------------------------------------------------------------------------------

    def writes(self, node: ClassNode, member: str) -> tuple[Write, ...]:
        """Every attribute that calling a member gives a value, on the object itself and on what it holds."""
        return tuple(write for run in self.runs(node, member, carrying=True) for write in self._writes(run))

    def _writes(self, run: Run) -> Iterator[Write]:
        carried = self.carried(run)
        for step in self.steps(run):
            for target, value in written(step):
                if isinstance(target, facts.Attribute) and not isinstance(target.base, facts.Call):
                    holders = tuple(dict.fromkeys(self.objects(target.base, run)))
                    carries = self.mentions(value, carried) or self.mentions(target.base, carried)
                    place = Place(run.function, step.line)
                    yield Write(target.name, facts.spell(target), holders, place, carries, value)

    def lost(self, node: ClassNode, member: str) -> bool:
        """Whether what the caller hands over is handed on to something that can't be followed."""
        return any(self._loses(run) for run in self.runs(node, member, carrying=True))

    def _loses(self, run: Run) -> bool:
        carried = self.carried(run)
        if not carried:
            return False
        for step in self.steps(run):
            for expr in expressions(step):
                for call in facts.within(expr, facts.Call):
                    given = (*call.args, *(k.value for k in call.keywords))
                    if not any(self.mentions(one, carried) for one in given):
                        continue
                    if not is_harmless(call) and not any(True for _ in self.callees(call, run)):
                        return True
        return False

    def carried(self, run: Run) -> frozenset[str]:
        """Local names, and attributes as `.name`, that hold what was handed over or something made of it."""
        if not run.carrying:
            return run.carrying
        key = run.key()
        if key not in self._carried:
            self._carried[key] = self._carry(run)
        return self._carried[key]

    def _carry(self, run: Run) -> frozenset[str]:
        found = set(run.carrying)
        for _ in range(3):  # what is made of what is made of it; more rounds find nothing in real code
            before = len(found)
            for step in run.function.facts.body.steps:
                match step:
                    case facts.Bind(target=target, value=value) if value is not None and self.mentions(value, found):
                        found |= set(bound_names(target))
                    case _:
                        pass
            if len(found) == before:
                break
        return frozenset(found)

    @staticmethod
    def mentions(expr: facts.Expr | None, names: frozenset[str] | set[str]) -> bool:
        """Whether any of the names, or of the attributes written `.name`, occurs in an expression."""
        if expr is None or not names:
            return False
        return any(
            (isinstance(part, facts.Name) and part.id in names)
            or (isinstance(part, facts.Attribute) and f".{part.name}" in names)
            for part in facts.walk(expr)
        )


__all__ = ["Effects", "Held", "Path", "Place", "Read", "Run", "Write"]
