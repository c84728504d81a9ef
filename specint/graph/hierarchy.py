"""The class hierarchy: method resolution order over what is known, and who provides a member.

A base outside the tree is a known unknown: it keeps its place in the order, and what is declared of it (in
`rules/externals.toml`) is the only thing that is believed of it.
"""

from __future__ import annotations

import tomllib
from collections import Counter, deque
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, TypeGuard

import msgspec

from specint.data import rules_text
from specint.facts import model as facts
from specint.facts.records import is_record_base, record_names
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef, Project
from specint.graph.steps import computed

Kind = Literal["method", "property", "classmethod", "staticmethod", "attribute", "class"]


_MOST_CLASSES = 1000
"""With more classes than this above it, the order of a class is a guess: C3 takes time by their square."""


class Finds(msgspec.Struct, frozen=True, kw_only=True):
    """A member that works only where the object has what it looks for.

    `ways`: the attributes that it tries, one or two steps. `named_by`: class attributes whose text names another one.
    """

    member: str
    ways: tuple[str, ...]
    named_by: tuple[str, ...] = ()
    reason: str = ""


class ExternalClass(msgspec.Struct, frozen=True, kw_only=True):
    """What may be believed of a class outside the tree: its canonical name, its members, and whether those are all.

    `complete`: it has nothing else that a contract could ask for. `exhaustive`: nothing else at all.
    """

    name: str
    aliases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    complete: bool = True
    exhaustive: bool = False
    finds: tuple[Finds, ...] = ()
    reason: str = ""


@cache
def external_classes() -> dict[str, ExternalClass]:
    """Every name under which a declared class may be imported -> what is declared of it."""
    declared = msgspec.convert(tomllib.loads(rules_text("externals.toml"))["class"], list[ExternalClass])
    return {name: one for one in declared for name in (one.name, *one.aliases)}


@dataclass(frozen=True, eq=False)
class Member:
    """One definition of a member in the body of one class (or assigned to the class at module level)."""

    owner: ClassNode
    name: str
    kind: Kind
    line: int
    function: FunctionNode | None = None
    value: facts.Expr | None = None
    conditional: bool = False
    given_in: facts.Module | None = None

    @property
    def parameters(self) -> tuple[facts.Param, ...]:
        """What a caller hands over: all but the object or class that Python puts there."""
        params = self.function.facts.params if self.function is not None else ()
        is_own = self.kind != "staticmethod" and params and params[0].kind in ("positional-only", "positional")
        return params[1:] if is_own else params

    @property
    def file(self) -> str:
        """Where its line is: in its class's module, unless another one put it onto the class."""
        return (self.given_in or self.owner.module).path


@dataclass(frozen=True)
class Order:
    """A method resolution order.

    Attributes:
        classes: nodes of the tree and, at their places, classes outside of it.
        problem: why the order can't be trusted, "" where it can.
    """

    classes: tuple[ClassNode | External, ...]
    problem: str = ""

    @cached_property
    def nodes(self) -> tuple[ClassNode, ...]:
        """Those of the tree."""
        return tuple(one for one in self.classes if isinstance(one, ClassNode))

    @cached_property
    def external(self) -> tuple[External, ...]:
        """Those outside of it."""
        return tuple(one for one in self.classes if isinstance(one, External))


_DECORATED: dict[str, Kind] = {
    "property": "property",
    "cached_property": "property",
    "classmethod": "classmethod",
    "staticmethod": "staticmethod",
}


class Hierarchy:
    """Answers about inheritance, memoised per class."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._orders: dict[str, Order] = {}
        self._seen: dict[tuple[ClassNode, str], Member | None] = {}
        self._own: dict[str, dict[str, Member]] = {}
        self._assigned: dict[str, dict[str, dict[str, Member | None]]] = {}
        self._from_outside: dict[str, dict[str, Member]] = {}
        self._records: dict[str, bool] = {}

    def give(self, node: ClassNode, name: str, step: facts.Bind, module: facts.Module, *, maybe: bool = False) -> None:
        """Believe that a module other than the class's own gives it a member (a plugin that patches SGLang)."""
        if step.value is not None:
            member = self._given(node, name, step.value, module, step)
            given = replace(member, conditional=maybe or member.conditional, given_in=module)
            self._from_outside.setdefault(node.key, {})[name] = given
            self._own.pop(node.key, None)
            self._seen.clear()

    def bases(self, node: ClassNode) -> tuple[ClassNode | External, ...]:
        """The bases as written, resolved; one that can't be resolved is external under the name in the source."""
        found: list[ClassNode | External] = []
        for expr in node.facts.bases:
            symbols = self.project.symbol(node.module, expr)
            nodes = [s for s in symbols if isinstance(s, ClassNode) and s is not node]
            others = [s for s in symbols if isinstance(s, External)]
            if nodes:
                found.append(nodes[-1])
            elif others:
                found.append(others[0])
            else:
                lost = next((s.name for s in symbols if isinstance(s, ModuleRef)), None)
                found.append(External(lost or facts.dotted(expr) or f"<{facts.spell(expr)}>"))
        return tuple(found)

    def order(self, node: ClassNode) -> Order:
        """C3, as Python does it; in a cyclic or inconsistent hierarchy a depth-first order and its problem."""
        if node.key in self._orders:
            return self._orders[node.key]
        passing: dict[str, Order] = {}  # of classes that lead to one on the way: they hold for this question only
        opened = {node.key: self.bases(node)}
        way = [(node, iter(opened[node.key]))]
        while way:  # no recursion: a chain of classes can be longer than Python's stack is deep
            one, rest = way[-1]
            base = next((base for base in rest if self._is_open(base, opened, passing)), None)
            if isinstance(base, ClassNode):
                opened[base.key] = self.bases(base)
                way.append((base, iter(opened[base.key])))
                continue
            way.pop()
            bases = opened[one.key]
            leans = any(isinstance(b, ClassNode) and (b.key in opened or b.key in passing) for b in bases)
            order = self._order(one, bases, opened, passing)
            del opened[one.key]
            (passing if leans and way else self._orders)[one.key] = order
        return self._orders[node.key]

    def _is_open(
        self, base: ClassNode | External, opened: Mapping[str, object], passing: Mapping[str, Order]
    ) -> TypeGuard[ClassNode]:
        return isinstance(base, ClassNode) and not any(base.key in seen for seen in (self._orders, passing, opened))

    def _order(
        self,
        node: ClassNode,
        bases: tuple[ClassNode | External, ...],
        below: Container[str],
        passing: Mapping[str, Order],
    ) -> Order:
        rows: list[list[ClassNode | External]] = []
        problem = ""
        for base in bases:
            if isinstance(base, External):
                rows.append([_canonical(base)])
            elif base.key in below:
                problem = problem or f"{base.key} inherits from itself"
                rows.append([base])
            else:
                above = passing.get(base.key) or self._orders[base.key]
                problem = problem or above.problem
                rows.append(list(above.classes))
        rows.append([_canonical(b) if isinstance(b, External) else b for b in bases])
        every = list(dict.fromkeys(one for row in rows for one in row))
        if len(every) >= _MOST_CLASSES:
            return Order(
                (node, *every[: _MOST_CLASSES - 1]), f"{node.key} inherits from {_MOST_CLASSES} classes or more"
            )
        merged = _merge(rows)
        if merged is None:
            merged = every
            problem = problem or f"the bases of {node.key} have no consistent order"
        return Order((node, *merged), problem)

    def is_subclass(self, node: ClassNode, other: ClassNode) -> bool:
        """Whether a class is another or inherits from it."""
        return other in self.order(node).nodes

    def related(self, one: ClassNode, other: ClassNode) -> bool:
        """Whether one of two classes inherits from the other."""
        return self.is_subclass(one, other) or self.is_subclass(other, one)

    # -- members ---------------------------------------------------------------------------------------------------

    def own(self, node: ClassNode) -> dict[str, Member]:
        """What the class body defines, the last definition of each name, and what the module assigns to the class."""
        if node.key not in self._own:
            assigned = self._assigned_in(node.module).get(node.key, {})
            every = {**_body_members(self.project, node), **assigned, **self._from_outside.get(node.key, {})}
            self._own[node.key] = {name: member for name, member in every.items() if member is not None}
        return self._own[node.key]

    def _assigned_in(self, module: facts.Module) -> dict[str, dict[str, Member | None]]:
        """Class -> what the module gives it after its body; None for what it takes away (`del Class.name`)."""
        if module.name not in self._assigned:
            found: dict[str, dict[str, Member | None]] = {}
            for step in module.body.steps:
                match step:
                    case facts.Delete(target=facts.Attribute(base=base, name=name), guard=-1):
                        for node in self._classes(module, base):
                            found.setdefault(node.key, {})[name] = None
                    case facts.Bind(target=facts.Attribute(base=base, name=name), value=value) if value is not None:
                        for node in self._classes(module, base):
                            found.setdefault(node.key, {})[name] = self._given(node, name, value, module, step)
                    case _ if (parts := computed(step)) is not None:
                        for node in self._classes(module, parts[0]):
                            for name in self._texts(module, parts[1]):
                                value = parts[2] or facts.Constant(None)
                                found.setdefault(node.key, {})[name] = self._given(node, name, value, module, step)
                    case _:
                        pass
            self._assigned[module.name] = found
        return self._assigned[module.name]

    def _classes(self, module: facts.Module, expr: facts.Expr) -> Iterator[ClassNode]:
        return (symbol for symbol in self.project.symbol(module, expr) if isinstance(symbol, ClassNode))

    def _texts(self, module: facts.Module, expr: facts.Expr) -> list[str]:
        """The names that a name of the module stands for, in a loop over names that are written out."""
        held = [one.value for one in self.project.symbol(module, expr) if isinstance(one, Assigned)]
        return [one.value for one in held if isinstance(one, facts.Constant) and isinstance(one.value, str)]

    def _given(self, node: ClassNode, name: str, value: facts.Expr, module: facts.Module, step: facts.Step) -> Member:
        """The member that a class is given after its body, as `Class.name = value`."""
        function = next((s for s in self.project.symbol(module, value) if isinstance(s, FunctionNode)), None)
        kind: Kind = "method" if function else "attribute"
        conditional = any(guard.kind != "loop" for guard in module.body.guards_of(step.guard))
        return Member(node, name, kind, step.line, function, value, conditional)

    def lookup(self, node: ClassNode, name: str) -> Member | None:
        """The member that an instance would see at class level, by the resolution order."""
        key = (node, name)
        if key not in self._seen:
            self._seen[key] = next(self.definitions(node, name), None)
        return self._seen[key]

    def definitions(self, node: ClassNode, name: str) -> Iterator[Member]:
        """Every definition of a member along the resolution order, the one that counts first."""
        for one in self.order(node).nodes:
            if (member := self.own(one).get(name)) is not None:
                yield member

    def next_definition(self, node: ClassNode, after: ClassNode | External, name: str) -> Member | None:
        """What comes behind a class in the resolution order of `node` and has a member of the name."""
        order = self.order(node).classes
        if after not in order:
            order = self.order(after).classes if isinstance(after, ClassNode) else ()
        rest = order[order.index(after) + 1 :] if after in order else ()
        nodes = (one for one in rest if isinstance(one, ClassNode))
        return next((m for one in nodes if (m := self.own(one).get(name)) is not None), None)

    def above(self, function: FunctionNode, call: facts.Call, node: ClassNode, name: str) -> Member | None:
        """What `super().name` or `super(Class, self).name` in a function means for an object of `node`.

        Everybody who follows `super` asks this.
        """
        after: ClassNode | External | None = function.owner
        if call.args and not _is_class_of(call.args[0]):
            named = self.project.symbol(function.module, call.args[0])
            nodes = [one for one in named if isinstance(one, ClassNode)]
            others = [_canonical(one) for one in named if isinstance(one, External)]
            after = nodes[-1] if nodes else others[0] if others else after
        elif call.args:
            after = node
        return self.next_definition(node, after, name) if after is not None else None

    def external_provider(self, node: ClassNode, name: str) -> External | None:
        """A class outside the tree that is declared to have the member."""
        for one in self.order(node).external:
            declared = external_classes().get(one.name)
            if declared is not None and name in declared.members:
                return one
        return None

    def fields(self, node: ClassNode) -> list[str]:
        """The names that the class bodies declare with a type, in constructor order; none with an `__init__`."""
        if self.lookup(node, "__init__") is not None:
            return []
        return [name for one in reversed(self.order(node).nodes) for name in declared_fields(one.facts)]

    def is_record(self, node: ClassNode) -> bool:
        """Whether objects of a class are tuples of their fields."""
        known = self._records.get(node.key)
        if known is None:
            bases = [base for one in self.order(node).nodes for base in one.facts.bases]
            known = self._records[node.key] = any(map(is_record_base, bases))
        return known

    def unknown_bases(self, node: ClassNode) -> tuple[External, ...]:
        """Bases outside the tree that may have members nobody declared."""
        declared = external_classes()
        return tuple(
            one for one in self.order(node).external if (found := declared.get(one.name)) is None or not found.complete
        )


def declared_fields(of: facts.Class) -> tuple[str, ...]:
    """The names that a class body declares with a type, or that the record names that it is made from."""
    named = [name for base in of.bases for name in record_names(base)]
    return (*named, *_annotated(of))


def _annotated(of: facts.Class) -> Iterator[str]:
    return (
        step.target.id
        for step in of.body.steps
        if isinstance(step, facts.Bind) and step.annotation is not None and isinstance(step.target, facts.Name)
    )


def _is_class_of(expr: facts.Expr) -> bool:
    """Whether an expression is the class of an object: `type(self)`, `self.__class__`."""
    match expr:
        case facts.Call(func=facts.Name(id="type"), args=(_,)) | facts.Attribute(name="__class__"):
            return True
        case _:
            return False


def _canonical(base: External) -> External:
    declared = external_classes().get(base.name)
    return External(declared.name) if declared is not None else base


def _merge(rows: list[list[ClassNode | External]]) -> list[ClassNode | External] | None:
    """C3: again and again the first head that is in no row's rest. Rests are counted, not searched."""
    merged: list[ClassNode | External] = []
    behind = Counter(one for row in rows for one in row[1:])
    waiting = [deque(row) for row in rows if row]
    while waiting:
        head = next((row[0] for row in waiting if not behind[row[0]]), None)
        if head is None:
            return None
        merged.append(head)
        for row in waiting:
            if row[0] == head:
                row.popleft()
                if row:
                    behind[row[0]] -= 1
        waiting = [row for row in waiting if row]
    return merged


def _body_members(project: Project, node: ClassNode) -> dict[str, Member]:
    found: dict[str, Member] = {}
    scope = node.facts.body
    for step in scope.steps:
        match step:
            case facts.Define(index=index, guard=guard):
                function = project.function_node(node.module, scope.functions[index], node)
                kind: Kind = "method"
                accessor = False
                for decorator in function.facts.decorators:
                    called = decorator.func if isinstance(decorator, facts.Call) else decorator
                    last = (facts.dotted(called) or "").rpartition(".")
                    kind = _DECORATED.get(last[2], kind)
                    accessor = accessor or (last[2] in ("setter", "deleter", "getter") and last[0] == function.name)
                if not (accessor and function.name in found):
                    found[function.name] = Member(
                        node, function.name, kind, function.facts.line, function, conditional=guard != -1
                    )
            case facts.Bind(target=facts.Name(id=name), how=how) if how != "declare":
                alias = found.get(step.value.id) if isinstance(step.value, facts.Name) else None
                alike, bound = (alias.kind, alias.function) if alias is not None else ("attribute", None)
                found[name] = Member(node, name, alike, step.line, bound, step.value, step.guard != -1)
            case facts.Delete(target=facts.Name(id=name)) if name in found:
                if step.guard == -1:
                    del found[name]
                else:
                    found[name] = replace(found[name], conditional=True)
            case facts.DefineClass(index=index):
                name = scope.classes[index].name
                found[name] = Member(node, name, "class", step.line, conditional=step.guard != -1)
            case facts.Import(local=local):
                found[local] = Member(node, local, "attribute", step.line, conditional=step.guard != -1)
            case _:
                pass
    return found
