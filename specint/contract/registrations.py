"""Algorithms that are registered by a call: SGLang 0.5.5's own, and those of somebody's plugin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from specint.contract.code import Code
from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, FunctionNode, Project, Symbol

Maker = ClassNode | FunctionNode


@dataclass(frozen=True)
class Registration:
    """An algorithm that is registered by a call, not written into the enum.

    Attributes:
        aliases: other names given in the call.
        words: every other word of the call, which the algorithm's predicates may look up; its own name is one.
        makers: the classes and functions that the call hands over: workers, what makes one, and the algorithm's own
            class (`behaves_as`), whose predicates come before those of the enum.
        file, line: where the call is.
    """

    name: str
    aliases: tuple[str, ...]
    words: frozenset[str]
    makers: tuple[Maker, ...]
    behaves_as: tuple[ClassNode, ...]
    file: str
    line: int


Row = dict[str, facts.Expr]
"""What the names of a loop over a table are on one round."""


@dataclass(frozen=True)
class _Place:
    """A scope in which calls stand, with the scopes around it."""

    module: facts.Module
    body: facts.Scope
    scopes: tuple[facts.Scope, ...]
    functions: tuple[FunctionNode, ...]
    classes: tuple[ClassNode, ...]
    function: FunctionNode | None = None


@dataclass(frozen=True)
class _Call:
    """A call that registers, the step it stands in, and what its result is applied to, as written or as a node."""

    call: facts.Call
    step: facts.Step | None = None
    applied: tuple[facts.Expr, ...] = ()
    nodes: tuple[Maker, ...] = ()


def registrations(project: Project, roots: Roots, modules: Iterable[facts.Module]) -> dict[str, Registration]:
    """The algorithms that modules register, when they are imported or in a function that a plugin loader calls."""
    reader = _Reader(project, roots)
    found: dict[str, Registration] = {}
    for module in modules:
        for place in _places(project, module):
            for one in reader.registrations(place):
                found[one.name] = _together(found[one.name], one) if one.name in found else one
    return found


def _together(first: Registration, second: Registration) -> Registration:
    """One algorithm that two calls speak of: what registers is kept, and put on its worker later."""
    return replace(
        first,
        aliases=tuple(dict.fromkeys((*first.aliases, *second.aliases))),
        words=first.words | second.words,
        makers=tuple(dict.fromkeys((*first.makers, *second.makers))),
        behaves_as=tuple(dict.fromkeys((*first.behaves_as, *second.behaves_as))),
    )


def may_register(module: facts.Module, code: Code) -> bool:
    """Whether a module under scan speaks of registering at all, by names alone."""
    for step in module.body.steps:
        value = getattr(step, "value", None)
        parts = facts.walk(value) if isinstance(value, facts.Node) else ()  # type: ignore[arg-type]
        if (isinstance(step, facts.Import) and _speaks(step.attribute or "")) or any(map(_names_it, parts)):
            return True
    for function in code.project.functions_of(module):
        decorated = (part for one in function.facts.decorators for part in facts.walk(one))
        if any(map(_speaks, code.attributes.get(id(function), ()))) or any(map(_names_it, decorated)):
            return True
        if any(_speaks(name) for name, _ in code.mentions.get(id(function), ())):
            return True
    return any(
        _names_it(part)
        for node in code.project.classes_of(module)
        for one in node.facts.decorators
        for part in facts.walk(one)
    )


def _speaks(name: str) -> bool:
    return _REGISTERS in name


def _names_it(expr: facts.Expr) -> bool:
    match expr:
        case facts.Name(id=name) | facts.Attribute(name=name):
            return _speaks(name)
        case _:
            return False


_REGISTERS = "register"
_DEPTH = 4


def _places(project: Project, module: facts.Module) -> Iterator[_Place]:
    own = tuple(project.function_node(module, function) for function in module.body.functions)
    classes = tuple(project.class_node(module, one) for one in module.body.classes)
    yield _Place(module, module.body, (), own, classes)
    for function in project.functions_of(module):
        scopes = []
        outer: FunctionNode | None = function
        while outer is not None:
            scopes.append(outer.facts.body)
            outer = outer.outer
        yield _Place(module, function.facts.body, tuple(scopes), function.nested, (), function)


class _Reader:
    """Reads the registering calls of scopes."""

    def __init__(self, project: Project, roots: Roots) -> None:
        self.project = project
        self.roots = roots
        self.workers = f"{project.package}.{roots.declared.code.workers}."
        self._predicates = {member.name for member in project.methods_of(roots.enum)}

    def registrations(self, place: _Place) -> Iterator[Registration]:
        """Every algorithm that a scope registers."""
        for found in self._calls(place):
            for row in _rows(self.project, place, found.step):
                one = self._registration(place, found, row)
                if one is not None:
                    yield one

    def _calls(self, place: _Place) -> Iterator[_Call]:
        """The registering calls of a scope: alone, applied to something at once or later, and as decorators."""
        kept: dict[str, facts.Call] = {}
        applied: set[int] = set()
        for step in place.body.steps:
            value = getattr(step, "value", None)
            for part in facts.within(value, facts.Call):
                match part:
                    case facts.Call(func=facts.Call() as inner, args=args) if self._registers(place, inner.func):
                        applied.add(id(inner))
                        yield _Call(inner, step, args)
                    case facts.Call(func=facts.Name(id=name), args=args) if name in kept:
                        yield _Call(kept[name], step, args)
                    case facts.Call(func=func) if id(part) not in applied and self._registers(place, func):
                        if isinstance(step, facts.Bind) and step.value is part and isinstance(step.target, facts.Name):
                            kept[step.target.id] = part
                        yield _Call(part, step)
                    case _:
                        pass
        decorated: tuple[Maker, ...] = (*place.functions, *place.classes)
        for maker in decorated:
            for decorator in maker.facts.decorators:
                if isinstance(decorator, facts.Name) and decorator.id in kept:
                    yield _Call(kept[decorator.id], None, (), (maker,))
                elif isinstance(decorator, facts.Call) and self._registers(place, decorator.func):
                    yield _Call(decorator, self._defining(place, maker), (), (maker,))

    @staticmethod
    def _defining(place: _Place, maker: Maker) -> facts.Step | None:
        for step in place.body.steps:
            match step:
                case facts.Define(index=index) if place.body.functions[index] is maker.facts:
                    return step
                case facts.DefineClass(index=index) if place.body.classes[index] is maker.facts:
                    return step
                case _:
                    pass
        return None

    def _registration(self, place: _Place, found: _Call, row: Row) -> Registration | None:
        call = found.call
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.name == "name"), None)
        if given is None:
            return None
        given = _put_in(given, row)
        name = next((t.upper() for t in self._texts(place, given) if t.isidentifier()), None)
        if name is None:
            return None
        handed = [*call.args[1:], *(k.value for k in call.keywords if k.name not in ("aliases", "name"))]
        handed = [_put_in(one, row) for one in (*handed, *found.applied)]
        nodes = (*found.nodes, *(node for one in handed for node in self._makers(place, one)))
        behaves = tuple(n for n in nodes if isinstance(n, ClassNode) and self._behaves(n))
        return Registration(
            name=name,
            aliases=tuple(
                t for k in call.keywords if k.name == "aliases" for t in self._texts(place, _put_in(k.value, row))
            ),
            words=frozenset({name, *(text.upper() for one in handed for text in self._texts(place, one))}),
            makers=tuple(dict.fromkeys(n for n in nodes if n not in behaves)),
            behaves_as=behaves,
            file=place.module.path,
            line=call.line,
        )

    def _behaves(self, node: ClassNode) -> bool:
        """Whether a class answers as an algorithm does."""
        return bool(self._predicates & {m.name for m in self.project.methods_of(node)})

    def _makers(self, place: _Place, expr: facts.Expr) -> Iterator[Maker]:
        """The classes and functions that an expression hands over."""
        match expr:
            case facts.Lambda():
                yield self.project.lambda_node(place.module, expr, place.function, None)
            case facts.Call(func=func, args=(inner, *_)) if (facts.dotted(func) or "").rpartition(".")[2] == "partial":
                yield from self._makers(place, inner)
            case _:
                for symbol in self._symbols(place, expr):
                    if isinstance(symbol, Assigned) and isinstance(symbol.value, (facts.Lambda, facts.Call)):
                        yield from self._makers(_Place(symbol.module, symbol.module.body, (), (), ()), symbol.value)
                    elif isinstance(symbol, (ClassNode, FunctionNode)):
                        yield symbol

    def _registers(self, place: _Place, func: facts.Expr, depth: int = 0) -> bool:
        """Whether calling an expression registers: the enum's own method, a function of the workers' package that says
        so in its name, or what stands for one of these."""
        if depth > _DEPTH:
            return False
        match func:
            case facts.Attribute(base=base, name=name) if _speaks(name):
                if self.roots.enum in self.project.symbol(place.module, base, place.scopes):
                    return True
            case facts.Call(func=partial, args=(inner, *_)):
                named = (facts.dotted(partial) or "").rpartition(".")[2] == "partial"
                return named and self._registers(place, inner, depth + 1)
            case facts.Name() | facts.Attribute():
                pass
            case _:
                return False
        return any(self._symbol_registers(symbol, place, depth) for symbol in self._symbols(place, func))

    def _symbol_registers(self, symbol: Symbol, place: _Place, depth: int) -> bool:
        match symbol:
            case FunctionNode(module=module) if f"{module.name}.".startswith(self.workers) and _speaks(symbol.name):
                return symbol.owner is None
            case FunctionNode():
                return self._hands_on(symbol, depth)
            case Assigned(module=module, value=facts.Attribute() | facts.Call() as value):
                local = module is place.module
                there = place if local else _Place(module, module.body, (), (), ())
                return self._registers(there, value, depth + 1)
            case _:
                return False

    def _hands_on(self, function: FunctionNode, depth: int) -> bool:
        """Whether a function only gives back what registering its own first parameter gives."""
        params = function.parameters
        returns = [step for step in function.facts.body.steps if isinstance(step, facts.Return)]
        if not params or len(returns) != 1:
            return False
        match returns[0].value:
            case facts.Call(func=func, args=(facts.Name(id=name), *_)) if name == params[0].name:
                there = _Place(function.module, function.facts.body, (function.facts.body,), (), (), function)
                return self._registers(there, func, depth + 1)
            case _:
                return False

    def _symbols(self, place: _Place, expr: facts.Expr) -> tuple[Symbol, ...]:
        if not isinstance(expr, (facts.Name, facts.Attribute)):
            return ()
        found = self.project.symbol(place.module, expr, place.scopes)
        if found or not isinstance(expr, facts.Name):
            return found
        # a name for a method is a name for nothing that is linked by names
        tables = (*map(self.project.binds_of, place.scopes), self.project.table(place.module))
        steps = next((steps for table in tables if (steps := table.get(expr.id))), ())
        return tuple(
            Assigned(place.module, step.value)
            for step in steps
            if isinstance(step, facts.Bind) and step.value is not None and isinstance(step.target, facts.Name)
        )

    def _texts(self, place: _Place, expr: facts.Expr) -> Iterator[str]:
        """The strings in an expression, also behind a name for one, and put together."""
        if isinstance(expr, facts.Text):
            texts = [next(self._texts(place, part), None) for part in expr.parts]
            if None not in texts:
                yield "".join(one for one in texts if one is not None)
            return
        if isinstance(expr, facts.Display):
            for item in expr.items:
                yield from self._texts(place, item)
            return
        for part in facts.walk(expr):
            match part:
                case facts.Constant(value=str(text)):
                    yield text
                case facts.Name() | facts.Attribute():
                    values = (s.value for s in self._symbols(place, part) if isinstance(s, Assigned))
                    for value in values:
                        if isinstance(value, facts.Constant) and isinstance(value.value, str):
                            yield value.value
                case _:
                    pass


def _rows(project: Project, place: _Place, step: facts.Step | None) -> Iterator[Row]:
    """What the loops around a step give its names, round for round; one empty row where there is no loop."""
    guard = step.guard if step is not None else -1
    rows: list[Row] = [{}]
    while guard >= 0:
        if place.body.guards[guard].kind == "loop":
            for one in place.body.steps:
                if isinstance(one, facts.Bind) and one.how == "for" and one.guard == guard and one.value is not None:
                    table = list(_rounds(project, place, one.target, one.value))
                    rows = [{**inner, **outer} for outer in table for inner in rows] or rows
        guard = place.body.guards[guard].parent
    yield from rows


def _rounds(project: Project, place: _Place, target: facts.Expr, iterable: facts.Expr) -> Iterator[Row]:
    match iterable:
        case facts.Display(items=items):
            yield from (_unpacked(target, item) for item in items)
        case facts.DictDisplay(keys=keys):
            yield from (_unpacked(target, key) for key in keys if key is not None)
        case facts.Call(func=facts.Attribute(base=base, name="items"), args=()):
            for mapping in (base, *_values(project, place, base)):
                if isinstance(mapping, facts.DictDisplay):
                    pairs = zip(mapping.keys, mapping.values, strict=True)
                    yield from (_unpacked(target, facts.Display((k, v))) for k, v in pairs if k is not None)
        case facts.Name() | facts.Attribute():
            for value in _values(project, place, iterable):
                if not isinstance(value, (facts.Name, facts.Attribute)):
                    yield from _rounds(project, place, target, value)
        case _:
            pass


def _values(project: Project, place: _Place, expr: facts.Expr) -> Iterator[facts.Expr]:
    if isinstance(expr, (facts.Name, facts.Attribute)):
        symbols = project.symbol(place.module, expr, place.scopes)
        yield from (symbol.value for symbol in symbols if isinstance(symbol, Assigned))


def _unpacked(target: facts.Expr, value: facts.Expr) -> Row:
    match target, value:
        case facts.Name(id=name), _:
            return {name: value}
        case facts.Display(items=targets), facts.Display(items=values) if len(targets) == len(values):
            found: Row = {}
            for one, its in zip(targets, values, strict=True):
                found.update(_unpacked(one, its))
            return found
        case _:
            return {}


def _put_in(expr: facts.Expr, row: Row) -> facts.Expr:
    """An expression on one round of the loops around it: with what their names are there."""
    match expr:
        case _ if not row:
            return expr
        case facts.Name(id=name):
            return row.get(name, expr)
        case facts.Display(items=items):
            return facts.Display(tuple([_put_in(one, row) for one in items]))
        case facts.Text(parts=parts):
            return facts.Text(tuple([_put_in(one, row) for one in parts]))
        case facts.Call(args=args, keywords=keywords):
            words = tuple([facts.Keyword(one.name, _put_in(one.value, row)) for one in keywords])
            return facts.Call(expr.func, tuple([_put_in(one, row) for one in args]), words, expr.line)
        case _:
            return expr
