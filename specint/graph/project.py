"""Facts linked across modules: what a name means where it is written, and which classes and functions there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from specint.facts import model as facts
from specint.facts.model import Attribute, Expr, Loop, Param, Step, Yield

PUTS = frozenset({"append", "appendleft", "add", "insert", "put", "put_nowait"})
"""The methods by which a container takes one thing."""
_ON_CLASS = frozenset({"__init_subclass__", "__class_getitem__"})
"""Class methods without saying so."""


@dataclass(frozen=True, eq=False)
class ClassNode:
    """A class of the tree; its key is its module and its name, as two files may hold classes of one name."""

    module: facts.Module
    facts: facts.Class
    key: str

    @property
    def name(self) -> str:
        """The plain name."""
        return self.facts.name

    @property
    def file(self) -> str:
        """The path of its module."""
        return self.module.path

    def __repr__(self) -> str:
        return f"<class {self.key}>"


@dataclass(frozen=True, eq=False)
class FunctionNode:
    """A function of the tree: of a module, of a class (`owner`), or within another function (`outer`)."""

    module: facts.Module
    facts: facts.Function
    owner: ClassNode | None = None
    outer: FunctionNode | None = None

    @property
    def name(self) -> str:
        """The plain name."""
        return self.facts.name

    @property
    def key(self) -> str:
        """The dotted name, the module's included."""
        return f"{self.module.name}.{self.facts.qualname}"

    @cached_property
    def binds(self) -> dict[str, list[Step]]:
        """Every step that gives a local name a value, in source order."""
        found = _binds(self.facts.body)
        return {name: steps for name, steps in found.items() if name not in self.facts.shared} if found else found

    @cached_property
    def lent(self) -> dict[str, list[tuple[FunctionNode, Step]]]:
        """What functions within give its names, by `nonlocal`, each with its step."""
        found: dict[str, list[tuple[FunctionNode, Step]]] = {}
        for inner in self.nested:
            for name in inner.facts.shared:
                given = [(inner, step) for step in _binds(inner.facts.body).get(name, ())]
                found.setdefault(name, []).extend((*given, *inner.lent.get(name, ())))
        return found

    @cached_property
    def loops(self) -> dict[str, list[Loop]]:
        """The names that comprehensions in the body give their elements."""
        found: dict[str, list[Loop]] = {}
        values = (getattr(step, "value", None) for step in self.facts.body.steps)
        for value in values:
            for loop in (loop for part in facts.within(value, facts.Comprehension) for loop in part.loops):
                for one in facts.targets(loop.target):
                    if isinstance(one, facts.Name):
                        found.setdefault(one.id, []).append(loop)
        return found

    @cached_property
    def fills(self) -> dict[str, list[tuple[Step, Expr | None, Expr]]]:
        """What the body puts into the containers that its local names hold: of each the step, the key if there is one,
        and the value."""
        found: dict[str, list[tuple[Step, Expr | None, Expr]]] = {}
        for step in self.facts.body.steps:
            match step:
                case facts.Bind(target=facts.Item(base=facts.Name(id=name), index=key), value=value, how="="):
                    if value is not None:
                        found.setdefault(name, []).append((step, key, value))
                case facts.Evaluate(
                    value=facts.Call(func=facts.Attribute(base=facts.Name(id=name), name=called), args=(*_, value))
                ) if called in PUTS:
                    found.setdefault(name, []).append((step, None, value))
                case _:
                    pass
        return found

    @cached_property
    def yielded(self) -> tuple[tuple[Step, Yield], ...]:
        """Every `yield` of a generator's body, with its step."""
        if not self.facts.is_generator:
            return ()
        values = ((step, getattr(step, "value", None)) for step in self.facts.body.steps)
        return tuple((step, part) for step, value in values for part in facts.within(value, Yield))

    @cached_property
    def named(self) -> dict[str, Param]:
        """The parameters by their names."""
        return {param.name: param for param in self.facts.params}

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The parameters that what it gives back can be made from, by the names on the way there."""
        pending = [step.value for step in self.facts.returned() if step.value is not None]
        pending += [one.value for _, one in self.yielded]
        met: set[str] = set()
        while pending:
            for part in facts.within(pending.pop(), facts.Name):
                if part.id not in met:
                    met.add(part.id)
                    steps = self.binds.get(part.id, ())
                    pending += [s.value for s in steps if isinstance(s, facts.Bind) and s.value is not None]
                    pending += [loop.iterable for loop in self.loops.get(part.id, ())]
        return frozenset(param.name for param in self.parameters if param.name in met)

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """Every attribute that the body's steps mention, `self.x` included, as often as they do."""
        values = [getattr(step, "value", None) for step in self.facts.body.steps]
        return tuple([part for value in values for part in facts.within(value, Attribute)])

    @cached_property
    def nested(self) -> tuple[FunctionNode, ...]:
        """The functions defined directly within this one."""
        return tuple(FunctionNode(self.module, inner, self.owner, self) for inner in self.facts.body.functions)

    @cached_property
    def receiver(self) -> str | None:
        """What the body calls the object or class that its method was reached through (`self`, `cls`): its own first
        parameter, or that of the method around it, where no name of its own hides it."""
        if self.outer is not None:
            name = self.outer.receiver
            hidden = name in self.binds or any(param.name == name for param in self.facts.params)
            return None if hidden else name
        first = self.facts.params[0] if self.facts.params and self.takes_receiver else None
        return first.name if first is not None and first.kind in ("positional-only", "positional") else None

    @cached_property
    def own(self) -> str | None:
        """What the body calls the object that it works on; None where it has none, as in a class method."""
        method = self
        while method.outer is not None:
            method = method.outer
        on_class = method.name in _ON_CLASS or method.facts.is_decorated("classmethod")
        return None if on_class else self.receiver

    @cached_property
    def takes_receiver(self) -> bool:
        """Whether it is a method whose first parameter is handed over by Python, not by its caller."""
        if self.owner is None or self.outer is not None or self.name == "__new__":
            return False
        return not self.facts.is_decorated("staticmethod")

    @property
    def parameters(self) -> tuple[Param, ...]:
        """Those that a caller fills."""
        return self.facts.params[1:] if self.takes_receiver else self.facts.params

    @cached_property
    def within(self) -> tuple[FunctionNode, ...]:
        """The function itself and all that are defined within it, at any depth."""
        return (self, *(deeper for inner in self.nested for deeper in inner.within))

    def __repr__(self) -> str:
        return f"<function {self.key}>"


@dataclass(frozen=True)
class ModuleRef:
    """A module of the tree, or a folder of it without an `__init__`."""

    name: str


@dataclass(frozen=True)
class External:
    """Something outside the tree, by the dotted name under which it is imported."""

    name: str


@dataclass(frozen=True, eq=False)
class Assigned:
    """A module-level name that holds the value of an expression."""

    module: facts.Module
    value: Expr


LAMBDA = "<lambda>"
"""What a lambda is called, which has no name."""

Symbol = ClassNode | FunctionNode | ModuleRef | External | Assigned


def _binds(scope: facts.Scope) -> dict[str, list[facts.Step]]:
    found: dict[str, list[facts.Step]] = {}
    for step in scope.steps:
        match step:
            case facts.Bind(target=target):
                for one in facts.targets(target):
                    if isinstance(one, facts.Name):
                        found.setdefault(one.id, []).append(step)
            case facts.Import(local=local):
                found.setdefault(local, []).append(step)
            case facts.Define(index=index):
                found.setdefault(scope.functions[index].name, []).append(step)
            case facts.DefineClass(index=index):
                found.setdefault(scope.classes[index].name, []).append(step)
            case _:
                pass
    return found


class Project:
    """All modules of a tree, linked on demand.

    Args:
        load: gives the facts of a module by its dotted name, None where the tree has no such module (or it doesn't
            parse). It is asked once a module.
        package: the top-level package of the tree; names below other packages are external.

    Attributes:
        exhausted: places where an evaluation was given up, and after how many steps.
    """

    def __init__(self, load: Callable[[str], facts.Module | None], package: str) -> None:
        self._load = load
        self.package = package
        self._modules: dict[str, facts.Module | None] = {}
        self._tables: dict[str, dict[str, list[facts.Step]]] = {}
        self._stars: dict[str, tuple[str, ...]] = {}
        self._classes: dict[str, ClassNode | None] = {}
        self._nodes: dict[int, ClassNode] = {}
        self._functions: dict[int, FunctionNode] = {}
        self._resolved: dict[tuple[str, str], tuple[Symbol, ...]] = {}
        self._scopes: dict[int, dict[str, list[facts.Step]]] = {}
        self._lambdas: dict[int, FunctionNode] = {}
        self.exhausted: dict[tuple[str, int], int] = {}

    def module(self, name: str) -> facts.Module | None:
        """The facts of a module by its dotted name, None where there are none."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    @property
    def loaded(self) -> tuple[facts.Module, ...]:
        """The modules that were asked for so far and exist."""
        return tuple(module for module in self._modules.values() if module is not None)

    # -- nodes -----------------------------------------------------------------------------------------------------

    def class_node(self, module: facts.Module, found: facts.Class) -> ClassNode:
        """The one node of a class."""
        node = self._nodes.get(id(found))
        if node is None:
            node = self._nodes[id(found)] = ClassNode(module, found, f"{module.name}.{found.qualname}")
        return node

    def function_node(
        self,
        module: facts.Module,
        found: facts.Function,
        owner: ClassNode | None = None,
        outer: FunctionNode | None = None,
    ) -> FunctionNode:
        """The one node of a function; those within it are made known too."""
        node = self._functions.get(id(found))
        if node is None:
            node = self._functions[id(found)] = FunctionNode(module, found, owner, outer)
            for inner in node.nested:
                self._adopt(inner)
        return node

    def _adopt(self, node: FunctionNode) -> None:
        self._functions[id(node.facts)] = node
        for inner in node.nested:
            self._adopt(inner)

    def lambda_node(
        self, module: facts.Module, written: facts.Lambda, outer: FunctionNode | None, at: facts.Step | None
    ) -> FunctionNode:
        """The one node of a lambda: a nameless function within the one that it is written in.

        It keeps the guards of the step in which it is written: what it does, it does where it was made.
        """
        node = self._lambdas.get(id(written))
        if node is None:
            guard, line = (at.guard, at.line) if at is not None else (-1, 0)
            around = outer.facts.body.guards if outer is not None else ()
            if guard >= len(around):
                guard = -1
            body = facts.Scope(around, (facts.Return(written.body, guard, line),), (), ())
            name = f"{outer.facts.qualname}.{LAMBDA}" if outer is not None else LAMBDA
            found = facts.Function(LAMBDA, name, line, 0, line, written.params, None, (), body, False)
            owner = outer.owner if outer is not None else None
            node = self._lambdas[id(written)] = FunctionNode(module, found, owner, outer)
        return node

    def class_by_key(self, key: str) -> ClassNode | None:
        """A class by its dotted name (`package.module.Outer.Inner`)."""
        if key not in self._classes:
            self._classes[key] = self._find_class(key)
        return self._classes[key]

    def _find_class(self, key: str) -> ClassNode | None:
        parts = key.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = self.module(".".join(parts[:cut]))
            if module is None:
                continue
            scope, found = module.body, None
            for name in parts[cut:]:
                found = next((c for c in reversed(scope.classes) if c.name == name), None)
                if found is None:
                    return None
                scope = found.body
            return self.class_node(module, found) if found is not None else None
        return None

    def classes_of(self, module: facts.Module) -> Iterator[ClassNode]:
        """Every class of a module, nested ones too."""
        pending = list(module.body.classes)
        while pending:
            found = pending.pop(0)
            yield self.class_node(module, found)
            pending += found.body.classes

    def methods_of(self, node: ClassNode) -> Iterator[FunctionNode]:
        """The functions that a class body defines, in source order."""
        for found in node.facts.body.functions:
            yield self.function_node(node.module, found, node)

    def functions_of(self, module: facts.Module) -> Iterator[FunctionNode]:
        """Every function of a module: its own, those of its classes, and those within functions."""
        pending = [self.function_node(module, found) for found in module.body.functions]
        for node in self.classes_of(module):
            pending += self.methods_of(node)
        while pending:
            function = pending.pop()
            yield function
            pending += function.nested

    # -- names -----------------------------------------------------------------------------------------------------

    def given_by_functions(self, module: facts.Module, name: str) -> list[tuple[FunctionNode, facts.Step]]:
        """What functions of a module give one of its own names, by `global`, each with its step."""
        if name not in module.globals:
            return []
        return [
            (function, step)
            for function in self.functions_of(module)
            if name in function.facts.shared
            for step in self.binds_of(function.facts.body).get(name, ())
        ]

    def table(self, module: facts.Module) -> dict[str, list[facts.Step]]:
        """Name -> every step of the module's body that gives it a meaning."""
        if module.name not in self._tables:
            self._tables[module.name] = _binds(module.body)
        return self._tables[module.name]

    def binds_of(self, scope: facts.Scope) -> dict[str, list[facts.Step]]:
        """Every step of a scope that gives a name a value, by the name."""
        found = self._scopes.get(id(scope))
        if found is None:
            found = self._scopes[id(scope)] = _binds(scope)
        return found

    def resolve(self, module: facts.Module, name: str) -> tuple[Symbol, ...]:
        """What a module-level name can mean: one symbol, or several where branches define it differently.

        Empty where the module doesn't know it (a builtin, or a typo).
        """
        key = (module.name, name)
        if key not in self._resolved:
            self._resolved[key] = ()  # a name defined by itself, round an import circle, is nothing
            try:
                self._resolved[key] = tuple(self._resolve(module, name))
            except RecursionError:
                del self._resolved[key]  # it means something, and was not found out
                raise
        return self._resolved[key]

    def _resolve(self, module: facts.Module, name: str) -> list[Symbol]:
        found: list[Symbol] = []
        for step in self.table(module).get(name, ()):
            if isinstance(step, facts.Bind) and step.how == "augment":
                continue  # `NAME += …` adds to what it was
            if step.guard == -1:
                found = []
            found += self.symbols(module, module.body, step)
        if not found:
            for starred in self._starred(module):
                if (source := self.module(starred)) is not None:
                    found += self.resolve(source, name)
        return list(dict.fromkeys(found))

    def _starred(self, module: facts.Module) -> tuple[str, ...]:
        """The modules of which everything is imported, each once, however often it says so."""
        if module.name not in self._stars:
            steps = self.table(module).get("*", ())
            self._stars[module.name] = tuple(dict.fromkeys(s.module for s in steps if isinstance(s, facts.Import)))
        return self._stars[module.name]

    def symbols(self, module: facts.Module, scope: facts.Scope, step: facts.Step) -> list[Symbol]:
        """What one defining step of a scope names."""
        match step:
            case facts.Import():
                return self.imported(step)
            case facts.Define(index=index):
                return [self.function_node(module, scope.functions[index])]
            case facts.DefineClass(index=index):
                return [self.class_node(module, scope.classes[index])]
            case facts.Bind(target=facts.Name(), value=facts.Display(items=items), how="for"):
                return [Assigned(module, item) for item in items]
            case facts.Bind(target=facts.Name(), value=value, how=how) if value is not None:
                return [Assigned(module, value if how != "for" else facts.Starred(value))]
            case _:
                return []

    def imported(self, step: facts.Import) -> list[Symbol]:
        """What one import names; empty for a star, whose names are asked for one by one."""
        if step.attribute is None:
            return [ModuleRef(step.module) if self.inside(step.module) else External(step.module)]
        if step.attribute == "*":
            return []
        if not self.inside(step.module):
            return [External(f"{step.module}.{step.attribute}")]
        source = self.module(step.module)
        if source is not None and (found := self.resolve(source, step.attribute)):
            return list(found)
        if self.module(f"{step.module}.{step.attribute}") is not None:
            return [ModuleRef(f"{step.module}.{step.attribute}")]
        if source is None:
            return [ModuleRef(f"{step.module}.{step.attribute}")]  # a folder without __init__, or a lost module
        return []

    def inside(self, module: str) -> bool:
        """Whether a dotted module belongs to what is analysed."""
        top = module.partition(".")[0]
        return top == self.package or self.module(top) is not None or self.module(module) is not None

    def symbol(self, module: facts.Module, expr: Expr, scopes: tuple[facts.Scope, ...] = ()) -> tuple[Symbol, ...]:
        """What a plain dotted expression means in a module, aliases followed; empty where it is more than that.

        Args:
            scopes: enclosing scopes (innermost first) whose names hide those of the module.
        """
        match expr:
            case facts.Name(id=name):
                for scope in scopes:
                    steps = self.binds_of(scope).get(name)
                    if steps:
                        symbols = [s for step in steps for s in self.symbols(module, scope, step)]
                        return tuple(dict.fromkeys(self._follow(symbols)))
                return tuple(dict.fromkeys(self._follow(self.resolve(module, name))))
            case facts.Attribute(base=base, name=name):
                found: list[Symbol] = []
                for symbol in self.symbol(module, base, scopes):
                    found += self.member(symbol, name)
                return tuple(dict.fromkeys(self._follow(found)))
            case facts.Item(base=base):  # Generic[T]
                return self.symbol(module, base, scopes)
            case _:
                return ()

    def _follow(self, symbols: list[Symbol] | tuple[Symbol, ...], depth: int = 0) -> Iterator[Symbol]:
        for symbol in symbols:
            if isinstance(symbol, Assigned) and depth < 10 and isinstance(symbol.value, (facts.Name, facts.Attribute)):
                if isinstance(symbol.value, facts.Name):
                    yield from self._follow(self.resolve(symbol.module, symbol.value.id), depth + 1)
                else:
                    yield from self._follow(self.symbol(symbol.module, symbol.value), depth + 1)
            else:
                yield symbol

    def member(self, symbol: Symbol, name: str) -> list[Symbol]:
        """An attribute of a module, class or external name."""
        match symbol:
            case External(name=dotted):
                return [External(f"{dotted}.{name}")]
            case ModuleRef(name=dotted):
                source = self.module(dotted)
                if source is not None and (found := self.resolve(source, name)):
                    return list(found)
                return [ModuleRef(f"{dotted}.{name}")] if self.inside(dotted) else [External(f"{dotted}.{name}")]
            case ClassNode():
                nested = next((c for c in reversed(symbol.facts.body.classes) if c.name == name), None)
                return [self.class_node(symbol.module, nested)] if nested is not None else []
            case _:
                return []
