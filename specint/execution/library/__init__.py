"""The standard library as evaluated code sees it: what is pure is Python's own, the rest is specint's, or unknown."""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from specint.execution import records
from specint.execution.code import MISSING
from specint.execution.library import language, parser, system, text
from specint.execution.natives import _guarded, callable_of, plainly
from specint.execution.operators import hashable
from specint.execution.values import PLAIN, Builtin, Class, Foreign, Instance, Raised, Unknown

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

Getter = Callable[["Interpreter", Any, str], Any]


class Library:
    """Modules by name, and the types of Python's own that evaluated code may make objects of."""

    def __init__(self, it: Interpreter) -> None:
        self.modules: dict[str, dict[str, Any]] = {}
        self.kinds: dict[type, Getter] = {records.Field: records.field_attribute}
        self.functions: set[int] = set()
        self.kept: list[Any] = []
        struct = Class(it, "Struct", [], {})
        struct.module, struct.record, struct.order = "msgspec", "struct", [struct, object]
        self.struct = struct
        for part in (language, text, system, parser):
            part.provide(self, it)
        self.allow(vars_of_builtins(it))
        for names in self.modules.values():
            self.allow(names)

    def add(self, module: str, names: dict[str, Any]) -> None:
        """Offer a module."""
        self.modules.setdefault(module, {}).update(names)

    def allow(self, names: dict[str, Any]) -> None:
        """Python's own functions among the names may be called."""
        for value in names.values():
            if callable(value) and not isinstance(value, Class | Builtin | Unknown):
                self.functions.add(id(value))
                self.kept.append(value)

    def module(self, name: str) -> Any:
        """A module of the standard library that is offered, as a value; None for all others."""
        if name in self.modules:
            return LibraryModule(name)
        if name.partition(".")[0] in sys.stdlib_module_names:
            return Foreign(name)
        return None

    def names(self, module: str) -> list[str]:
        """The public names of an offered module."""
        return [name for name in self.modules.get(module, {}) if not name.startswith("_")]

    def member(self, it: Interpreter, module: Any, source: str, name: str) -> Any:
        """`from source import name`."""
        if not isinstance(module, LibraryModule):
            return it.foreign(f"{source}.{name}")
        return module_member(it, module, name)

    # -- objects of Python's own types -------------------------------------------------------------------------------
    def construct(self, it: Interpreter, kind: type, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """`kind(*arguments, **keywords)`."""
        if kind is type:
            from specint.execution.builtins_table import _type

            return _type(it, arguments, keywords)
        if kind is bool:
            value = arguments[0] if arguments else False
            return it.truth_value(value)
        if kind is str and len(arguments) == 1 and not keywords:
            return it.str_of(arguments[0])
        if kind is object:
            return Instance(self.plain_object(it))
        special = self.makers.get(kind)
        if special is not None:
            return special(it, arguments, keywords)
        if issubclass(kind, BaseException):
            from specint.execution.operators import shown

            return kind(*[shown(argument) if isinstance(argument, Unknown) else argument for argument in arguments])
        if kind not in self.makes and not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
            return Unknown(f"{kind.__name__}()")
        arguments = [callable_of(it, argument) for argument in arguments]
        if kind in (int, float, complex, bytes, bytearray):
            arguments = [plainly(argument) for argument in arguments]
            if kind in (bytes, bytearray) and arguments and isinstance(arguments[0], int):
                it.budget.built(arguments[0])
        if kind in (list, tuple, set, frozenset, dict, collections.deque, collections.OrderedDict, collections.Counter):
            for argument in (*arguments[:1], *keywords.values()):
                if type(argument) is Unknown:
                    return Unknown(f"{kind.__name__}({argument.reason})")
            if arguments and kind in (dict, collections.OrderedDict):
                arguments = [it.mapping(arguments[0])]
            elif arguments:
                elements = it.iterate(arguments[0])
                keyed = kind in (set, frozenset, collections.Counter) and type(arguments[0]) is not str
                arguments = [hashable(it, elements) if keyed else elements, *arguments[1:]]
                if hasattr(arguments[0], "__length_hint__"):
                    it.budget.built(min(arguments[0].__length_hint__(), 10**8))
        else:
            unknown = next((a for a in arguments if isinstance(a, Unknown) and not isinstance(a, Foreign)), None)
            if unknown is not None:
                return Unknown(f"{kind.__name__}({unknown.reason})")
            arguments = [it.iterate(a) if isinstance(a, Instance | Class) and kind in LAZY else a for a in arguments]
            if kind in (map, filter) and arguments and arguments[0] is not None:
                function = arguments[0]
                arguments = [lambda *given: it.call(function, list(given), {}), *arguments[1:]]
        return _guarded(it, kind, arguments, keywords)

    makes = frozenset(
        (
            int,
            float,
            complex,
            bytes,
            bytearray,
            list,
            tuple,
            set,
            frozenset,
            dict,
            range,
            slice,
            enumerate,
            zip,
            map,
            filter,
            reversed,
            collections.deque,
            collections.OrderedDict,
            collections.Counter,
            collections.defaultdict,
            collections.ChainMap,
        )
    )

    @property
    def makers(self) -> dict[type, Callable[..., Any]]:
        """Types of Python's own that specint makes in its own way."""
        return parser.MAKERS

    def plain_object(self, it: Interpreter) -> Class:
        """The class of `object()`."""
        cls = Class(it, "object", [], {})
        cls.order = [cls, object]
        return cls

    def payload(self, it: Interpreter, cls: Class, native: type, obj: Instance) -> Any:
        """The plain value inside an object of a subclass of one of Python's own classes."""
        return parser.action_for(it, cls, obj) if issubclass(native, argparse.Action) else None


LAZY = (enumerate, zip, map, filter, reversed)


class LibraryModule:
    """A module of the standard library as a value."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LibraryModule) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


def module_member(it: Interpreter, module: LibraryModule, name: str) -> Any:
    """`module.name`."""
    found = it.library.modules[module.name].get(name, MISSING)
    if found is not MISSING:
        return found
    if f"{module.name}.{name}" in it.library.modules:
        return LibraryModule(f"{module.name}.{name}")
    if name == "__name__":
        return module.name
    real = REAL.get(module.name)
    if real is not None and not hasattr(real, name):
        raise Raised(AttributeError(f"module '{module.name}' has no attribute '{name}'"))
    return it.foreign(f"{module.name}.{name}")


REAL: dict[str, Any] = {}


def vars_of_builtins(it: Interpreter) -> dict[str, Any]:
    """The builtins, as names."""
    return it.builtins


def standard_library(it: Interpreter) -> Library:
    """The standard library of one interpreter."""
    library = Library(it)
    library.kinds[LibraryModule] = module_member
    return library


def is_plain(value: Any) -> bool:
    """Whether a value holds no other."""
    return isinstance(value, PLAIN)
