"""What an expression in registration code comes to, when the code is read as it would run.

A plugin registers its models with a few plain statements: names, tables, loops over them, texts that name a module and
a class. All of it can be worked out as long as every part is written down; what isn't raises `Unread`, so that a
registration is either read whole or said to be unread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce

from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef, Project, Symbol

Plain = str | int | float | bool | None


@dataclass(frozen=True)
class Several:
    """A tuple, list or set."""

    items: tuple[Written, ...]


@dataclass(frozen=True)
class Table:
    """A dict."""

    pairs: tuple[tuple[Written, Written], ...]


Written = Plain | ClassNode | FunctionNode | ModuleRef | Several | Table
Environment = Mapping[str, Written]

_MOST = 400
"""So many rounds of loops are gone through; a registry that needs more is no list that a person wrote."""
_DEEP = 12


class Unread(Exception):
    """An expression whose value isn't written down; the message says which part."""


@dataclass(frozen=True)
class Place:
    """A scope in which expressions stand, with the scopes around it, innermost first."""

    module: facts.Module
    scope: facts.Scope
    function: FunctionNode | None = None

    @property
    def scopes(self) -> tuple[facts.Scope, ...]:
        """The scopes whose names hide those of the module."""
        found = []
        function = self.function
        while function is not None:
            found.append(function.facts.body)
            function = function.outer
        return tuple(found)


def places(project: Project, module: facts.Module) -> Iterator[Place]:
    """The scopes of a module in which statements run: its own, and those of its functions."""
    yield Place(module, module.body)
    for function in project.functions_of(module):
        yield Place(module, function.facts.body, function)


@dataclass
class Reader:
    """Works out expressions of a project."""

    project: Project
    _depth: int = field(default=0)

    def rounds(self, place: Place, guard: int) -> Iterator[dict[str, Written]]:
        """What the names of the loops around a step are, once for each round of theirs."""
        loops = [one for one in place.scope.guards_of(guard) if one.kind == "loop"][::-1]
        return itertools.islice(self._rounds(place, loops, {}), _MOST)

    def _rounds(
        self, place: Place, loops: list[facts.Guard], around: dict[str, Written]
    ) -> Iterator[dict[str, Written]]:
        if not loops:
            yield around
            return
        first, rest = loops[0], loops[1:]
        step = next(
            (
                one
                for one in place.scope.steps
                if isinstance(one, facts.Bind) and one.how == "for" and one.line == first.line
                if one.value == first.test
            ),
            None,
        )
        if step is None or step.value is None:
            raise Unread("the number of rounds of this loop isn't written down")
        for iterable in self.values(step.value, place, around):
            for item in elements(iterable):
                yield from self._rounds(place, rest, {**around, **unpacked(step.target, item)})

    def values(
        self, expr: facts.Expr, place: Place, names: Environment, before: facts.Step | None = None
    ) -> list[Written]:
        """Everything that an expression can be: one value, or several where branches differ.

        Args:
            names: what names of loops and parameters are in this round.
            before: the step in which it stands; assignments after it don't count.
        """
        if self._depth > _DEEP:
            raise Unread("it is made of more names than specint follows")
        self._depth += 1
        try:
            return list(dict.fromkeys(self._values(expr, place, names, before)))
        finally:
            self._depth -= 1

    def _values(
        self, expr: facts.Expr, place: Place, names: Environment, before: facts.Step | None
    ) -> Iterator[Written]:
        def part(one: facts.Expr) -> list[Written]:
            return self.values(one, place, names, before)

        match expr:
            case facts.Constant(value=value):
                yield value
            case facts.Name(id=name):
                yield from self._name(name, place, names, before)
            case facts.Attribute(base=base, name=name):
                for holder in part(base):
                    yield from self._attribute(holder, name)
            case facts.Display(items=items):
                found = [v for item in items for v in (_spread(part, item))]
                yield Several(tuple(found))
            case facts.DictDisplay(keys=keys, values=values):
                yield Table(tuple(_pairs(part, keys, values)))
            case facts.Item(base=base, index=index):
                yield from self._subscript(base, part(index), part, place)
            case facts.Choice(then=then, otherwise=otherwise):
                yield from (*part(then), *part(otherwise))
            case facts.Boolean(values=values):
                for one in values:
                    yield from part(one)
            case facts.Walrus(value=value) | facts.Starred(value=value):
                yield from part(value)
            case facts.Comprehension(element=element, loops=loops):
                rounds = self._comprehended(loops, place, names, before)
                yield Several(tuple(v for round_ in rounds for v in self.values(element, place, round_, before)))
            case facts.Text(parts=parts):
                yield from ("".join(map(_text, ways)) for ways in itertools.product(*map(part, parts)))
            case facts.Other(parts=parts) if len(parts) > 1:
                yield from (reduce(_joined, ways) for ways in itertools.product(*map(part, parts)))
            case facts.Call():
                yield from self._call(expr, place, names, before)
            case _:
                raise Unread(f"`{facts.spell(expr)}` can't be read")

    def _subscript(
        self, base: facts.Expr, keys: list[Written], part: Callable[[facts.Expr], list[Written]], place: Place
    ) -> Iterator[Written]:
        match base:
            case facts.Call(func=facts.Name(id="globals" | "vars" | "locals"), args=()):
                for name in keys:
                    yield from self._module_name(str(name), place.module)
            case facts.Attribute(base=facts.Name(id="sys"), name="modules"):
                yield from (self._imported(str(name), place) for name in keys)
            case _:
                yield from (_item(holder, key) for holder, key in itertools.product(part(base), keys))

    def _comprehended(
        self, loops: tuple[facts.Loop, ...], place: Place, names: Environment, before: facts.Step | None
    ) -> Iterator[Environment]:
        if not loops:
            yield names
            return
        for iterable in self.values(loops[0].iterable, place, names, before):
            for item in elements(iterable):
                inside = {**names, **unpacked(loops[0].target, item)}
                yield from self._comprehended(loops[1:], place, inside, before)

    # -- names -----------------------------------------------------------------------------------------------------

    def _name(self, name: str, place: Place, names: Environment, before: facts.Step | None) -> Iterator[Written]:
        if name in names:
            yield names[name]
            return
        if name in ("__name__", "__package__"):
            module = place.module
            yield module.name if name == "__name__" or module.is_package else module.name.rpartition(".")[0]
            return
        function = place.function
        if function is not None:
            if steps := self.project.binds_of(place.scope).get(name):
                yield from self._assigned(name, steps, place, names, before)
                return
            if any(param.name == name for param in function.facts.params):
                yield from self._handed_over(function, name)
                return
            outer = function.outer
            if outer is not None:
                yield from self._name(name, Place(place.module, outer.facts.body, outer), {}, None)
                return
        elif before is not None and (steps := self.project.table(place.module).get(name)):
            yield from self._assigned(name, steps, place, names, before)
            return
        yield from self._module_name(name, place.module)

    def _module_name(self, name: str, module: facts.Module) -> Iterator[Written]:
        top = Place(module, module.body)
        if any(isinstance(one, facts.Bind) for one in self.project.table(module).get(name, ())):
            yield from self._assigned(name, self.project.table(module)[name], top, {}, None)
            return
        symbols = self.project.resolve(module, name)
        if not symbols:
            raise Unread(f"`{name}` isn't known here")
        for symbol in symbols:
            yield from self._symbol(symbol, name)

    def _symbol(self, symbol: Symbol, name: str) -> Iterator[Written]:
        match symbol:
            case ClassNode() | FunctionNode() | ModuleRef():
                yield symbol
            case Assigned(module=module, value=value):
                yield from self.values(value, Place(module, module.body), {})
            case External(name=where):
                raise Unread(f"`{name}` is {where}, outside of what is read")

    def module_named(self, name: str, beside: facts.Module) -> facts.Module | None:
        """A module by the name under which it is imported; where that starts beside the module that says so, too."""
        folder = beside.name.rpartition(".")[0]
        return self.project.module(name) or (self.project.module(f"{folder}.{name}") if folder else None)

    def class_named(self, text: str, beside: facts.Module) -> ClassNode:
        """The class that a text means: "package.module:Class", or with a dot in place of the colon."""
        name, colon, attribute = text.partition(":")
        if not colon:
            name, _, attribute = text.rpartition(".")
        module = self.module_named(name, beside) if name else None
        found = self.project.resolve(module, attribute) if module is not None else ()
        classes = [symbol for symbol in found if isinstance(symbol, ClassNode)]
        if not classes:
            raise Unread(f"{text!r} names no class of what is read")
        return classes[0]

    def _assigned(
        self, name: str, steps: list[facts.Step], place: Place, names: Environment, before: facts.Step | None
    ) -> Iterator[Written]:
        """What a name is at a step: the last assignment that surely ran, and those after it that may have run."""
        every = place.scope.steps
        at = next((n for n, one in enumerate(every) if one is before), len(every))
        ways = {id(one) for one in place.scope.guards_of(before.guard)} if before is not None else set()
        order = {id(one): number for number, one in enumerate(every)}
        earlier = [one for one in steps if order[id(one)] < at]
        found: list[Written] = []
        for step in reversed(earlier):
            if isinstance(step, facts.Bind):
                if step.how not in ("=", "for") or step.value is None:
                    continue
                if step.how == "for":
                    raise Unread(f"`{name}` is read behind its loop")
                inner = names if before is not None else self._first_round(place, step.guard)
                found += [unpacked(step.target, one)[name] for one in self.values(step.value, place, inner, step)]
            else:
                symbols = self.project.symbols(place.module, place.scope, step)
                if not symbols and isinstance(step, facts.Import):
                    raise Unread(f"there is no `{step.attribute}` in {step.module}")
                for symbol in symbols:
                    found += self._symbol(symbol, name)
            if all(id(one) in ways for one in place.scope.guards_of(step.guard)):
                break
        if not found:
            raise Unread(f"`{name}` has no value that is written down")
        yield from (self._filled(value, name, place) for value in found)

    def _first_round(self, place: Place, guard: int) -> Environment:
        return next(iter(self.rounds(place, guard)), {})

    def _filled(self, value: Written, name: str, place: Place) -> Written:
        """A list or table with what later statements of its scope put into it."""
        if not isinstance(value, (Several, Table)):
            return value
        for addition in additions(place.scope, lambda one: one == facts.Name(name)):
            if addition.whole:
                continue
            for round_ in self.rounds(place, addition.step.guard):
                for given in self.values(addition.value, place, round_, addition.step):
                    value = _joined(value, given if addition.spread else _one(value, given))
        return value

    def _handed_over(self, function: FunctionNode, name: str) -> Iterator[Written]:
        """What the calls in its own module hand to a parameter, and what it decorates."""
        seen = False
        for place in places(self.project, function.module):
            for step, call in _calls(place.scope):
                if function not in self._named_functions(call.func, place):
                    continue
                given = _argument(function, call, name)
                if given is not None:
                    seen = True
                    for round_ in self.rounds(place, step.guard):
                        yield from self.values(given, place, round_, step)
        if function.facts.params and function.facts.params[0].name == name:
            decorator = function.outer or function
            for node in self.project.classes_of(function.module):
                for one in node.facts.decorators:
                    called = isinstance(one, facts.Call)
                    func = one.func if isinstance(one, facts.Call) else one
                    named = self._named_functions(func, Place(function.module, function.module.body))
                    if decorator in named and called == (function.outer is not None):
                        seen = True
                        yield node
        if not seen:
            raise Unread(f"nothing here calls {function.name} with a value for `{name}`")

    def _named_functions(self, expr: facts.Expr, place: Place) -> tuple[Symbol, ...]:
        return self.project.symbol(place.module, expr, place.scopes)

    # -- attributes and calls --------------------------------------------------------------------------------------

    def _attribute(self, value: Written, name: str) -> Iterator[Written]:
        match value:
            case ClassNode() if name in ("__name__", "__qualname__"):
                yield value.name
            case ClassNode() if name == "__module__":
                yield value.module.name
            case ModuleRef() | ClassNode():
                found = self.project.member(value, name)
                if not found:
                    what = value.key if isinstance(value, ClassNode) else value.name
                    raise Unread(f"{what} has no `{name}` that is written down")
                for symbol in found:
                    yield from self._symbol(symbol, name)
            case _:
                raise Unread(f"`.{name}` can't be read")

    def _call(self, call: facts.Call, place: Place, names: Environment, before: facts.Step | None) -> Iterator[Written]:
        def part(one: facts.Expr) -> list[Written]:
            return self.values(one, place, names, before)

        outside = [one.name for one in self._named_functions(call.func, place) if isinstance(one, External)]
        name = (outside[0] if outside else facts.dotted(call.func) or "").rpartition(".")[2]
        for args in itertools.product(*(part(one) for one in call.args)):
            match name, args:
                case "import_module" | "__import__", (str(dotted), *_):
                    yield self._imported(dotted.lstrip("."), place)
                case "getattr", (holder, str(attribute), *_):
                    yield from self._attribute(holder, attribute)
                case "type", (str(), Several(items=(ClassNode() as base,)), Table(pairs=())):
                    yield base  # nothing of its own: it is judged as what it inherits from
                case "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter", ():
                    yield Several(())
                case "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter", (one, *_):
                    yield Several(tuple(elements(one)))
                case "dict", _:
                    given = [pair for one in args for pair in table(one).pairs]
                    named = [(k.name, value) for k in call.keywords if k.name for value in part(k.value)]
                    yield Table((*given, *named))
                case "zip", _:
                    yield Several(tuple(Several(items) for items in zip(*map(elements, args), strict=False)))
                case "enumerate", (one, *_):
                    yield Several(tuple(Several(pair) for pair in enumerate(elements(one))))
                case _:
                    yield from self._other_call(call, args, part, place)

    def _imported(self, dotted: str, place: Place) -> ModuleRef:
        module = self.module_named(dotted, place.module)
        if module is None:
            raise Unread(f"the module {dotted!r} isn't among what is read")
        return ModuleRef(module.name)

    def _other_call(
        self,
        call: facts.Call,
        args: tuple[Written, ...],
        part: Callable[[facts.Expr], list[Written]],
        place: Place,
    ) -> Iterator[Written]:
        functions = [one for one in self._named_functions(call.func, place) if isinstance(one, FunctionNode)]
        for function in functions:
            given = dict(zip((param.name for param in function.facts.params), args, strict=False))
            given |= {k.name: part(k.value)[0] for k in call.keywords if k.name}
            inside = Place(function.module, function.facts.body, function)
            for step in function.facts.returned():
                if step.value is not None:
                    yield from self.values(step.value, inside, given, step)
        if functions:
            return
        if not isinstance(call.func, facts.Attribute):
            raise Unread(f"what `{facts.spell(call)}` gives can't be read")
        for holder in part(call.func.base):
            yield _of_method(holder, call.func.name, args)


# -- values --------------------------------------------------------------------------------------------------------


def elements(value: Written) -> list[Written]:
    """What a loop over a value goes through."""
    match value:
        case Several(items=items):
            return list(items)
        case Table(pairs=pairs):
            return [key for key, _ in pairs]
        case _:
            raise Unread("what is looped over can't be read")


def unpacked(target: facts.Expr, value: Written) -> dict[str, Written]:
    """Name to value, where a target is given a value."""
    match target:
        case facts.Name(id=name):
            return {name: value}
        case facts.Display(items=items) if isinstance(value, Several) and len(value.items) == len(items):
            return {
                name: found
                for item, one in zip(items, value.items, strict=True)
                for name, found in unpacked(item, one).items()
            }
        case _:
            raise Unread(f"what `{facts.spell(target)}` gets can't be read")


def _spread(part: Callable[[facts.Expr], list[Written]], item: facts.Expr) -> list[Written]:
    if isinstance(item, facts.Starred):
        return [one for value in part(item.value) for one in elements(value)]
    return part(item)


def _pairs(
    part: Callable[[facts.Expr], list[Written]], keys: tuple[facts.Expr | None, ...], values: tuple[facts.Expr, ...]
) -> Iterator[tuple[Written, Written]]:
    for key, value in zip(keys, values, strict=True):
        if key is None:
            for one in part(value):
                yield from table(one).pairs
        else:
            yield from itertools.product(part(key), part(value))


def table(value: Written) -> Table:
    """A value as a table, which a list of pairs is too."""
    if isinstance(value, Table):
        return value
    pairs = [one.items for one in elements(value) if isinstance(one, Several) and len(one.items) == 2]
    if len(pairs) != len(elements(value)):
        raise Unread("what should be a table can't be read as one")
    return Table(tuple((key, one) for key, one in pairs))


def _item(value: Written, key: Written) -> Written:
    if isinstance(value, Several) and isinstance(key, int) and -len(value.items) <= key < len(value.items):
        return value.items[key]
    if isinstance(value, Table):
        for name, one in reversed(value.pairs):
            if name == key:
                return one
    raise Unread(f"the entry {key!r} can't be read")


def _joined(first: Written, second: Written) -> Written:
    """`a + b` or `a | b`."""
    if isinstance(first, Several):
        return Several((*first.items, *elements(second)))
    if isinstance(first, Table):
        return Table((*first.pairs, *table(second).pairs))
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    raise Unread("what is put together can't be read")


def _text(value: Written) -> str:
    if not isinstance(value, (str, int)):
        raise Unread("a text is put together of what can't be read")
    return str(value)


def _one(container: Written, value: Written) -> Written:
    return Table(((None, value),)) if isinstance(container, Table) else Several((value,))


def _of_method(value: Written, name: str, args: tuple[Written, ...]) -> Written:
    """What a method of a text, list or table gives."""
    match value, name, args:
        case str(), "partition" | "rpartition", (str(sign),) if sign:
            return Several(getattr(value, name)(sign))
        case str(), "split" | "rsplit", ():
            return Several(tuple(value.split()))
        case str(), "split" | "rsplit", (str(sign), *most) if sign and all(isinstance(one, int) for one in most):
            return Several(tuple(getattr(value, name)(sign, *most)))
        case str(), "strip" | "lower" | "upper" | "title" | "removeprefix" | "removesuffix" | "replace", _ if all(
            isinstance(one, str) for one in args
        ):
            return str(getattr(value, name)(*args))
        case Table(pairs=pairs), "items", ():
            return Several(tuple(Several(pair) for pair in pairs))
        case Table(pairs=pairs), "values", ():
            return Several(tuple(one for _, one in pairs))
        case Table(pairs=pairs), "keys", ():
            return Several(tuple(key for key, _ in pairs))
        case Table(), "get" | "pop", (key, *_):
            return _item(value, key)
        case Several() | Table(), "copy", ():
            return value
        case _:
            raise Unread(f"what `.{name}(…)` gives can't be read")


# -- statements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Addition:
    """A statement that puts something into a list or table.

    Attributes:
        value: what is put there, or what holds what is put there (`spread`).
        whole: the list or table is replaced.
    """

    step: facts.Step
    value: facts.Expr
    spread: bool = False
    whole: bool = False


def additions(scope: facts.Scope, is_it: Callable[[facts.Expr], bool]) -> Iterator[Addition]:
    """What the statements of a scope put into the list or table that an expression names, in their order."""
    for step in scope.steps:
        if isinstance(step, facts.Bind) and step.value is not None:
            for target in facts.targets(step.target):
                if isinstance(target, facts.Item) and is_it(target.base):
                    yield Addition(step, step.value)
                elif is_it(target) and step.how == "augment":
                    parts = step.value.parts if isinstance(step.value, facts.Other) else (step.value,)
                    yield from (Addition(step, one, spread=True) for one in parts if not is_it(one))
                elif is_it(target):
                    yield Addition(step, step.value, spread=True, whole=True)
        value = getattr(step, "value", None)
        if isinstance(value, facts.Call) and isinstance(value.func, facts.Attribute) and is_it(value.func.base):
            yield from _by_method(step, value, value.func.name)


def _by_method(step: facts.Step, call: facts.Call, name: str) -> Iterator[Addition]:
    if name in ("append", "add", "insert", "setdefault", "__setitem__") and call.args:
        yield Addition(step, call.args[-1])
    elif name in ("extend", "update", "__ior__", "__iadd__"):
        yield from (Addition(step, one, spread=True) for one in call.args)
        yield from (Addition(step, one.value, spread=one.name is None) for one in call.keywords)


def _calls(scope: facts.Scope) -> Iterator[tuple[facts.Step, facts.Call]]:
    for step in scope.steps:
        value = getattr(step, "value", None)
        if isinstance(value, facts.Node):
            yield from ((step, one) for one in facts.within(value, facts.Call))


def _argument(function: FunctionNode, call: facts.Call, name: str) -> facts.Expr | None:
    for keyword in call.keywords:
        if keyword.name == name:
            return keyword.value
    names = [param.name for param in function.parameters]
    index = names.index(name) if name in names else len(call.args)
    return call.args[index] if index < len(call.args) else None
