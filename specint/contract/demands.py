"""The other side: what schedulers ask of whatever worker an algorithm has, and which worker classes don't answer.

A worker is made by the enum's own method, or by the scheduler itself; under the names that it is kept by from then on,
the code around the workers' package calls it without knowing its class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from specint.contract.code import Occurrence, tail, tails
from specint.contract.conditions import Side
from specint.contract.model import CallShape, Site, Unanswered, WorkerDemand
from specint.contract.presence import site_of
from specint.contract.reach import Reach
from specint.contract.shapes import Misfit, misfit, shape_of
from specint.contract.stages import Stages
from specint.facts import model as facts
from specint.graph.opening import opening
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.value import ClassValue

_HOPS = 2
"""A worker goes by the name it is kept under, and those it is handed on to; farther away names meet by accident."""


class Demands:
    """Reads what is asked of workers, for the algorithms of one tree."""

    def __init__(
        self, reach: Reach, algorithms: tuple[str, ...], stages: Stages, one_stage: frozenset[str] = frozenset()
    ) -> None:
        self.reach = reach
        self.stages = stages
        self.one_stage = one_stage
        self.workers = reach.workers
        self.code = reach.receivers.code
        self.hierarchy = reach.receivers.hierarchy
        self.algorithms = algorithms
        self._known: dict[str, frozenset[str]] = {}

    def found(self) -> tuple[WorkerDemand, ...]:
        """Every member that is asked of workers, in the order of names."""
        asked: dict[tuple[str, str], list[tuple[Occurrence, CallShape | None]]] = defaultdict(list)
        calls = {id(c.expr.func): c for cs in self.code.calls.values() for c in cs if isinstance(c.expr, facts.Call)}
        roots = self._names()
        names = roots | self.code.names_after(roots, _HOPS)
        for name in sorted(names):
            for one in self.code.accesses.get(name, ()):
                assert isinstance(one.expr, facts.Attribute)
                if not _is_kept(one.expr.base, name, one.function, roots, names):
                    continue
                if self.workers.is_worker_code(one.function) or self._is_soft(one):
                    continue
                called = calls.get(id(one.expr))
                shape = shape_of(called.expr) if called is not None and isinstance(called.expr, facts.Call) else None
                asked[one.expr.name, "call" if called is not None else "read"].append((one, shape))
        demands = (self._demand(member, use, places) for (member, use), places in sorted(asked.items()))
        return tuple(one for one in demands if one is not None)

    def _names(self) -> set[str]:
        """The names under which a worker is kept outside of the workers' package."""
        makers = set(self._makers())
        names: set[str] = set()
        for functions in self.code.functions.values():
            for function in functions:
                if self.workers.is_worker_code(function):
                    continue
                for step in function.facts.body.steps:
                    match step:
                        case facts.Bind(target=target, value=facts.Call() as call) if self._makes(
                            call, function, makers
                        ):
                            if (name := tail(target)) is not None:
                                names.add(name)
                        case _:
                            pass
        return names

    def _makers(self) -> Iterator[str]:
        """The enum's own methods that give a worker's class."""
        serving = {node for a in self.algorithms for node in self.workers.serving(a)}
        receivers = self.reach.receivers
        for method in receivers.project.methods_of(receivers.roots.enum):
            given = receivers.evaluator.returned(method, None, None)
            if any(isinstance(value, ClassValue) and value.node in serving for value in given):
                yield method.name

    def _makes(self, call: facts.Call, function: FunctionNode, makers: set[str]) -> bool:
        """Whether a call makes a worker: of the class that a maker gave, or with the target's worker by name."""
        parameter = self.reach.roots.declared.worker.target_parameter
        if any(k.name == parameter for k in call.keywords):
            return True
        func: facts.Expr | None = call.func
        if isinstance(func, facts.Name):
            steps = function.binds.get(func.id, ())
            func = next((s.value for s in steps if isinstance(s, facts.Bind) and isinstance(s.value, facts.Call)), None)
        return isinstance(func, facts.Call) and tail(func.func) in makers

    def _texts(self, module: facts.Module) -> frozenset[str]:
        if module.name not in self._known:
            self._known[module.name] = _texts_of(module)
        return self._known[module.name]

    def _is_soft(self, one: Occurrence) -> bool:
        """Whether a member is looked for first, or its absence is caught."""
        assert isinstance(one.expr, facts.Attribute)
        body = one.function.facts.body
        guards = list(body.guards_of(one.step.guard))
        tests = [test for test, _ in one.local] + [g.test for g in guards if g.test is not None and g.kind != "loop"]
        if any(g.kind == "try" and {"", "AttributeError", "Exception"} & set(g.catches) for g in guards):
            return True
        if one.expr.name in self._texts(one.function.module):  # somebody looks for it by name
            return True
        words = ("hasattr", "getattr", "isinstance")
        return any(
            isinstance(part, facts.Call) and isinstance(part.func, facts.Name) and part.func.id in words
            for test in tests
            for part in facts.walk(test)
        )

    def _is_open(self, one: Occurrence, side: Side) -> bool:
        """Whether a site stands under conditions that nobody decides here: where several workers serve an algorithm,
        they may be what chooses the one that answers."""
        return any(
            guard.test is not None
            and guard.kind != "loop"
            and self.reach.conditions.truth(guard.test, one.function, one.step, side) is None
            and not (isinstance(guard.test, facts.Compare) and facts.Constant(None) in guard.test.operands)
            for guard in one.function.facts.body.guards_of(one.step.guard)
        )

    def _on_several_stages(self, one: Occurrence) -> bool:
        """Whether only a server of several pipeline stages comes by."""
        tests = [(g.test, g.positive) for g in one.function.facts.body.guards_of(one.step.guard) if g.kind != "loop"]
        return any(self.stages.needs(test, holds) for test, holds in (*tests, *one.local) if test is not None)

    def _demand(self, member: str, use: str, places: list[tuple[Occurrence, CallShape | None]]) -> WorkerDemand | None:
        under: dict[str, list[tuple[Occurrence, CallShape | None]]] = {}
        for algorithm in self.algorithms:
            side = Side(algorithm, "target")
            stands = [
                (one, shape)
                for one, shape in places
                if self.reach.conditions.stands(one, side)
                and not (algorithm in self.one_stage and self._on_several_stages(one))
            ]
            stands.sort(key=lambda place: self._on_several_stages(place[0]))  # what every server comes by is told first
            if stands:
                under[algorithm] = stands
        if not under:
            return None
        lacking: dict[tuple[ClassNode, str, Site], list[str]] = defaultdict(list)
        for algorithm, stands in under.items():
            serving = self.workers.serving(algorithm)
            for node in serving:
                for one, shape in stands:
                    reason = self._refuses(node, member, shape)
                    chosen = any(self._refuses(other, member, shape) is None for other in serving)
                    if reason is not None and not (chosen and self._is_open(one, Side(algorithm, "target"))):
                        lacking[node, reason, site_of(one.function, one.expr.line)].append(algorithm)  # type: ignore[union-attr]
                        break
        sites = sorted({site_of(one.function, one.expr.line) for stands in under.values() for one, _ in stands})  # type: ignore[union-attr]
        return WorkerDemand(
            member=member,
            use="call" if use == "call" else "read",
            algorithms=tuple(under),
            sites=tuple(sites),
            lacking=tuple(
                Unanswered(node.key, node.file, node.facts.line, node.facts.column, reason, site, tuple(names))
                for (node, reason, site), names in lacking.items()
            ),
        )

    def _refuses(self, node: ClassNode, member: str, shape: CallShape | None) -> str | None:
        """Why a worker class can't answer a site; None where it can, or nothing certain is known."""
        found = self.hierarchy.lookup(node, member)
        if found is None:
            order = self.hierarchy.order(node)
            open_ = order.problem or self.hierarchy.unknown_bases(node) or opening(self.hierarchy, node, member)
            evaluator = self.reach.receivers.evaluator
            given = any(evaluator.self_binds(node, member)) or any(self.reach.receivers.fields_of(node, member))
            return None if open_ or given or hasattr(object, member) else f"has no {member}"
        if shape is None or found.function is None or found.kind not in ("method", "classmethod", "staticmethod"):
            return None
        lack = misfit(found, shape)
        return f"{_said(lack)} in its {member} ({found.owner.file}:{found.line})" if lack is not None else None


def _said(lack: Misfit) -> str:
    match lack.kind:
        case "itself":
            return "has no parameter for the object itself"
        case "position":
            return f"takes at most {lack.most} arguments"
        case "keyword":
            return f"doesn't take {', '.join(lack.names)}"
        case "empty":
            return f"needs {', '.join(lack.names)}"


def _is_kept(base: facts.Expr, name: str, function: FunctionNode, roots: set[str], names: set[str]) -> bool:
    """Whether an expression is what is kept under a name: not a part of another worker, and of names that a worker was
    handed on to only those that this function, or an attribute, got it under."""
    match base:
        case facts.Attribute(base=inner, name=found):
            return found == name and tail(inner) not in names
        case facts.Name(id=found):
            values = (s.value for s in function.binds.get(found, ()) if isinstance(s, facts.Bind))
            given = any(not names.isdisjoint(tails(value)) for value in values if value is not None)
            return found == name and (given or (found in roots and found not in function.binds))
        case _:
            return False


def _texts_of(module: facts.Module) -> frozenset[str]:
    """The texts that stand in a module's functions as arguments."""
    found: set[str] = set()
    pending: list[facts.Scope] = [module.body]
    while pending:
        scope = pending.pop()
        for step in scope.steps:
            value = getattr(step, "value", None)
            for part in facts.walk(value) if isinstance(value, facts.Node) else ():  # type: ignore[arg-type]
                if isinstance(part, facts.Call):
                    found.update(
                        a.value for a in part.args if isinstance(a, facts.Constant) and isinstance(a.value, str)
                    )
        pending += [one.body for one in scope.functions]
        pending += [one.body for one in scope.classes]
    return frozenset(found)
