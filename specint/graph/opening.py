"""What opens an object: how it may have attributes that no line of its classes names, and where it gets them.

A `__getattr__` that only asks another object (`return getattr(self.inner, name)`) is no secret: what it answers is what
that object answers. Its body is read for the one name that somebody asks for: branches that the name rules out are left
out, and what remains either hands the name on, or asks the classes above, or is something that can't be followed.
"""

from __future__ import annotations

from dataclasses import dataclass

from specint.facts import model as facts
from specint.facts.guards import leaves_always
from specint.facts.model import Expr
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.project import Assigned, ClassNode, FunctionNode

ANSWERS = ("__getattribute__", "__getattr__")
"""The methods that answer for a name. Nothing else does: who asks whether a class is open by its methods asks here."""

_OWN_TABLES = frozenset({"__dict__", "_modules", "_parameters", "_buffers"})


@dataclass(frozen=True)
class Opening:
    """A method that answers for a name that a class doesn't define.

    Attributes:
        paths: the objects that it asks instead, each by the attributes that lead there from `self`; all that it does,
            where `is_plain`.
        is_plain: nothing but these objects can answer for the name.
    """

    member: Member
    paths: tuple[tuple[str, ...], ...]
    is_plain: bool

    @property
    def place(self) -> str:
        """Where the method stands."""
        return f"{self.member.owner.file}:{self.member.line}"


def opening(hierarchy: Hierarchy, node: ClassNode, name: str) -> Opening | None:
    """What answers for a name that no line of a class gives to its objects; None where nothing does."""
    found: Opening | None = None
    for answering in ANSWERS:
        for member in hierarchy.definitions(node, answering):
            read = _Body(hierarchy, member, name)
            paths = (*found.paths, *read.paths) if found is not None else read.paths
            is_plain = read.is_plain and (found is None or found.is_plain)
            found = Opening(found.member if found is not None else member, tuple(dict.fromkeys(paths)), is_plain)
            if not read.asks_above:
                break
    return found


def is_open(hierarchy: Hierarchy, node: ClassNode) -> bool:
    """Whether a class has a method by which its objects may have attributes that no line names, whatever their name."""
    answers = any(hierarchy.lookup(node, name) is not None for name in ANSWERS)
    return answers or replaces(hierarchy, node) is not None


def replaces(hierarchy: Hierarchy, node: ClassNode) -> Member | None:
    """A `__new__` that may make an object of another class."""
    member = hierarchy.lookup(node, "__new__")
    if member is None or member.function is None:
        return member
    made = {facts.Name(one) for one, steps in member.function.binds.items() if all(map(_makes, steps))}
    returned = list(member.function.facts.returned())
    plain = bool(returned) and all(_is_made(step.value) or step.value in made for step in returned)
    return None if plain else member


def _makes(step: facts.Step) -> bool:
    return isinstance(step, facts.Bind) and step.how == "=" and _is_made(step.value)


def _is_made(expr: Expr | None) -> bool:
    """`super().__new__(cls)`, `object.__new__(cls)`."""
    match expr:
        case facts.Call(func=facts.Attribute(base=base, name="__new__")):
            return facts.super_call(base) is not None or base == facts.Name("object")
        case _:
            return False


class _Body:
    """What an answering method does for one name."""

    def __init__(self, hierarchy: Hierarchy, member: Member, name: str) -> None:
        self.project = hierarchy.project
        self.member = member
        self.name = name
        self.paths: tuple[tuple[str, ...], ...] = ()
        self.is_plain = False
        self.asks_above = False
        function = member.function
        if function is None or function.receiver is None or len(function.parameters) != 1:
            return
        self.function: FunctionNode = function
        self.own = facts.Name(function.receiver)
        self.asked = facts.Name(function.parameters[0].name)
        self._read()

    def _read(self) -> None:
        scope = self.function.facts.body
        found: dict[tuple[str, ...], None] = {}
        self.is_plain = leaves_always(scope)
        for step in self.function.facts.returned():
            if any(self._rules_out(guard) for guard in scope.guards_of(step.guard)):
                continue
            path = self._handed_on(step.value)
            if path is None:
                self.is_plain = False
            elif path:
                found[path] = None
        self.paths = tuple(found)

    def _handed_on(self, value: Expr | None) -> tuple[str, ...] | None:
        """The path to the object that is asked, () for the object itself and the classes above, None for all else."""
        match value:
            case facts.Call(func=facts.Name(id="getattr"), args=(base, asked)) if asked == self.asked:
                path = self._path(base)
                return path if path != () else None
            case facts.Call(func=facts.Attribute(base=base, name=name), args=(*_, asked)) if asked == self.asked:
                if name in ANSWERS and (
                    facts.super_call(base) is not None or isinstance(base, (facts.Name, facts.Attribute))
                ):
                    self.asks_above = True
                    return ()
                return None
            case facts.Item(base=facts.Attribute(base=base, name=table), index=asked) if asked == self.asked:
                return () if base == self.own and table in _OWN_TABLES else None
            case facts.Item(base=facts.Call(func=facts.Name(id="vars"), args=(base,)), index=asked):
                return () if base == self.own and asked == self.asked else None
            case _:
                return None

    def _path(self, expr: Expr | None, hops: int = 3) -> tuple[str, ...] | None:
        """The attributes that lead from the object to another; None where it is not reached so."""
        match expr:
            case facts.Name() if expr == self.own:
                return ()
            case facts.Name(id=name) if hops:
                steps = self.function.binds.get(name, ())
                if len(steps) == 1 and isinstance(steps[0], facts.Bind) and steps[0].how == "=":
                    return self._path(steps[0].value, hops - 1)
                return None
            case facts.Attribute(base=base, name=name):
                path = self._path(base, hops)
                return (*path, name) if path is not None else None
            case facts.Call(func=facts.Attribute(name=called), args=(*_, facts.Constant(value=str(name)))) if (
                called in ANSWERS
            ):
                return (name,)
            case (
                facts.Item(base=table, index=facts.Constant(value=str(name)))
                | facts.Call(func=facts.Attribute(base=table, name="get"), args=(facts.Constant(value=str(name)), *_))
            ):
                path = self._whose_table(table, hops)
                return (*path, name) if path is not None else None
            case _:
                return None

    def _whose_table(self, expr: Expr, hops: int) -> tuple[str, ...] | None:
        """The way to the object of which an expression is a table of attributes; None where it is no such table."""
        match expr:
            case facts.Attribute(base=base, name=table) if table in _OWN_TABLES:
                return self._path(base, hops)
            case facts.Item(base=table, index=facts.Constant(value=str(name))) if name in _OWN_TABLES:
                return self._whose_table(table, hops)
            case facts.Call(func=facts.Name(id="vars"), args=(base,)):
                return self._path(base, hops)
            case _:
                return None

    # -- what the name decides -------------------------------------------------------------------------------------

    def _rules_out(self, guard: facts.Guard) -> bool:
        return guard.test is not None and guard.kind != "loop" and self._truth(guard.test) is (not guard.positive)

    def _truth(self, test: Expr) -> bool | None:
        match test:
            case facts.Not(operand=operand):
                inner = self._truth(operand)
                return None if inner is None else not inner
            case facts.Boolean(op=op, values=values):
                answers = [self._truth(value) for value in values]
                decisive = op == "or"
                if decisive in answers:
                    return decisive
                return None if None in answers else not decisive
            case facts.Compare(operands=(left, right), ops=(op,)) if left == self.asked:
                texts = self._texts(right)
                if texts is None or op not in ("==", "!=", "in", "not in"):
                    return None
                return (self.name in texts) is (op in ("==", "in"))
            case facts.Call(func=facts.Attribute(base=base, name="startswith" | "endswith" as how), args=(one,)):
                texts = self._texts(one)
                if base != self.asked or texts is None:
                    return None
                return getattr(self.name, how)(tuple(texts)) is True
            case _:
                return None

    def _texts(self, expr: Expr) -> frozenset[str] | None:
        """The texts that are written out in an expression, or in the table of the module that it names."""
        match expr:
            case facts.Constant(value=str(text)):
                return frozenset({text})
            case facts.Display(items=items):
                texts = [item.value for item in items if isinstance(item, facts.Constant)]
                return frozenset(map(str, texts)) if len(texts) == len(items) else None
            case facts.Call(func=facts.Name(id="frozenset" | "set" | "tuple"), args=(one,)):
                return self._texts(one)
            case facts.Name():
                symbols = self.project.symbol(self.function.module, expr)
                tables = [self._texts(one.value) for one in symbols if isinstance(one, Assigned)]
                return tables[0] if len(tables) == len(symbols) == 1 else None
            case _:
                return None
