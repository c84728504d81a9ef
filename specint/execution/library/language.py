"""typing, abc, types, functools, itertools, operator, contextlib, copy, dataclasses, enum, msgspec, inspect, math."""

from __future__ import annotations

import abc
import collections
import collections.abc
import contextlib
import dataclasses
import functools
import itertools
import math
import operator
import types
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from specint.execution import operators, records
from specint.execution.code import MISSING
from specint.execution.enums import enum_classes
from specint.execution.values import (
    PLAIN,
    BoundMethod,
    Builtin,
    Cached,
    Class,
    ForClass,
    Function,
    Instance,
    Module,
    Partial,
    Property,
    Raised,
    Static,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter
    from specint.execution.library import Library


def own(name: str, run: Any) -> Builtin:
    """A function of specint's."""
    return Builtin(name, run)


def nothing(_it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> None:
    """A call that has no effect here."""


def itself(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """A decorator that changes nothing."""
    return arguments[0] if arguments else own("decorator", itself)


def decorator_with_options(_it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """A decorator's factory that changes nothing."""
    return own("decorator", itself)


def provide(library: Library, it: Interpreter) -> None:
    """Offer the modules of this part."""
    hints: dict[str, Any] = {name: value for name, value in vars(typing).items() if not name.startswith("_")}
    hints.update(
        TYPE_CHECKING=False,
        get_type_hints=own("get_type_hints", _type_hints),
        get_origin=own(
            "get_origin",
            lambda it, a, k: Unknown("get_origin") if isinstance(a[0], Unknown) else typing.get_origin(a[0]),
        ),
        get_args=own(
            "get_args", lambda it, a, k: Unknown("get_args") if isinstance(a[0], Unknown) else typing.get_args(a[0])
        ),
        cast=own("cast", lambda it, a, k: a[1]),
        overload=own("overload", itself),
        final=own("final", itself),
        runtime_checkable=own("runtime_checkable", itself),
        no_type_check=own("no_type_check", itself),
        override=own("override", itself),
        dataclass_transform=own("dataclass_transform", decorator_with_options),
        NewType=own("NewType", lambda it, a, k: own(str(a[0]), itself)),
        TypeVar=own("TypeVar", lambda it, a, k: typing.TypeVar("T")),
        ParamSpec=own("ParamSpec", lambda it, a, k: typing.ParamSpec("P")),
        assert_never=own("assert_never", _never),
    )
    library.add("typing", hints)
    library.add(
        "typing_extensions", {**hints, "Self": typing.Self, "deprecated": own("deprecated", decorator_with_options)}
    )
    library.add(
        "collections",
        {
            "OrderedDict": collections.OrderedDict,
            "Counter": collections.Counter,
            "deque": collections.deque,
            "defaultdict": collections.defaultdict,
            "ChainMap": collections.ChainMap,
            "UserDict": collections.UserDict,
            "namedtuple": own("namedtuple", _namedtuple),
        },
    )
    library.add("collections.abc", {name: getattr(collections.abc, name) for name in collections.abc.__all__})
    library.add(
        "abc",
        {
            "ABC": abc.ABC,
            "ABCMeta": type,
            "abstractmethod": own("abstractmethod", itself),
            "abstractproperty": own("abstractproperty", lambda it, a, k: Property(a[0])),
        },
    )
    library.add(
        "types",
        {
            "UnionType": types.UnionType,
            "FunctionType": types.FunctionType,
            "LambdaType": types.FunctionType,
            "NoneType": type(None),
            "GenericAlias": types.GenericAlias,
            "ModuleType": types.ModuleType,
            "MethodType": own("MethodType", lambda it, a, k: BoundMethod(a[0], a[1])),
            "SimpleNamespace": _simple_namespace(it),
            "MappingProxyType": own("MappingProxyType", lambda it, a, k: a[0]),
        },
    )
    library.add(
        "functools",
        {
            "partial": own("partial", lambda it, a, k: Partial(it, a[0], a[1:], k)),
            "wraps": own("wraps", lambda it, a, k: own("wraps", lambda i, b, m: _wrapped(i, b[0], a[0]))),
            "update_wrapper": own("update_wrapper", lambda it, a, k: _wrapped(it, a[0], a[1])),
            "lru_cache": own("lru_cache", _lru_cache),
            "cache": own("cache", _lru_cache),
            "cached_property": own("cached_property", lambda it, a, k: Property(a[0], keeps=True)),
            "reduce": own("reduce", _reduce),
            "total_ordering": own("total_ordering", itself),
            "singledispatch": own("singledispatch", lambda it, a, k: Unknown("singledispatch")),
            "cmp_to_key": own("cmp_to_key", lambda it, a, k: functools.cmp_to_key(a[0])),
        },
    )
    lazily = (
        "count cycle repeat islice takewhile dropwhile starmap accumulate groupby product permutations combinations "
        "zip_longest filterfalse tee pairwise compress"
    )
    library.add("itertools", {name: getattr(itertools, name) for name in lazily.split()})
    library.modules["itertools"] = {
        name: own(name, _iterator(value)) for name, value in library.modules["itertools"].items()
    }
    library.modules["itertools"]["chain"] = _Chain()
    library.kinds[_Chain] = lambda it, value, name: own("chain.from_iterable", lambda i, a, k: _flat(i, a[0]))
    compare = "eq ne lt le gt ge is_ is_not not_ truth itemgetter index neg abs"
    library.add("operator", {name: getattr(operator, name) for name in compare.split()})
    for name, (symbol, operate) in {
        "add": ("+", operator.add),
        "sub": ("-", operator.sub),
        "mul": ("*", operator.mul),
        "or_": ("|", operator.or_),
        "and_": ("&", operator.and_),
        "truediv": ("/", operator.truediv),
        "floordiv": ("//", operator.floordiv),
        "mod": ("%", operator.mod),
        "xor": ("^", operator.xor),
    }.items():
        run = lambda it, a, k, symbol=symbol, operate=operate: operators.binary(it, symbol, operate, a[0], a[1])  # noqa: E731
        library.add("operator", {name: own(name, run)})
    library.add(
        "operator",
        {"attrgetter": own("attrgetter", lambda it, a, k: own("attrgetter", lambda i, b, m: _path(i, b[0], a[0])))},
    )
    left_out = ("factorial", "perm", "comb", "prod")
    library.add("math", {n: v for n, v in vars(math).items() if not n.startswith("_") and n not in left_out})
    library.add(
        "contextlib",
        {
            "contextmanager": own(
                "contextmanager", lambda it, a, k: own("contextmanager", lambda i, b, m: Managed(i, a[0], b, m))
            ),
            "suppress": own("suppress", lambda it, a, k: Suppress(tuple(a))),
            "nullcontext": own("nullcontext", lambda it, a, k: Null(a[0] if a else None)),
            "ExitStack": own("ExitStack", lambda it, a, k: Null(Unknown("ExitStack"))),
            "AbstractContextManager": contextlib.AbstractContextManager,
        },
    )
    library.add("copy", {"copy": own("copy", _copy), "deepcopy": own("deepcopy", _deepcopy)})
    library.add(
        "dataclasses",
        {
            "dataclass": own("dataclass", records.dataclass),
            "field": own("field", records.make_field),
            "fields": own("fields", records.fields_of),
            "is_dataclass": own("is_dataclass", records.is_dataclass),
            "asdict": own("asdict", records.as_dict),
            "replace": own("replace", records.replace),
            "MISSING": dataclasses.MISSING,
            "Field": records.Field,
            "InitVar": dataclasses.InitVar,
            "KW_ONLY": dataclasses.KW_ONLY,
            "FrozenInstanceError": dataclasses.FrozenInstanceError,
        },
    )
    library.add("enum", enum_classes(it))
    library.add(
        "msgspec",
        {
            "Struct": library.struct,
            "field": own("field", records.make_field),
            "NODEFAULT": records.NODEFAULT,
            "defstruct": own("defstruct", records.define_struct),
            "UNSET": Unknown("msgspec.UNSET"),
        },
    )
    library.add(
        "msgspec.structs",
        {
            "fields": own("fields", records.fields_of),
            "replace": own("replace", records.replace),
            "asdict": own("asdict", records.as_struct_dict),
            "force_setattr": own("force_setattr", lambda it, a, k: it.set_plain(*a)),
        },
    )
    library.add(
        "inspect",
        {
            "isclass": own(
                "isclass",
                lambda it, a, k: Unknown("isclass") if isinstance(a[0], Unknown) else isinstance(a[0], Class | type),
            ),
            "isfunction": own("isfunction", lambda it, a, k: isinstance(a[0], Function)),
            "ismethod": own("ismethod", lambda it, a, k: isinstance(a[0], BoundMethod)),
            "ismodule": own("ismodule", lambda it, a, k: isinstance(a[0], Module)),
            "cleandoc": own("cleandoc", lambda it, a, k: a[0]),
            "signature": own(
                "signature", lambda it, a, k: Signature(a[0]) if _function(a[0]) else Unknown("signature")
            ),
            "isabstract": own("isabstract", lambda it, a, k: False),
        },
    )
    library.kinds[Signature] = _signature_attribute
    library.add("__future__", {"annotations": None})
    library.add(
        "weakref",
        {
            "WeakValueDictionary": dict,
            "WeakKeyDictionary": dict,
            "ref": own("ref", lambda it, a, k: own("ref", lambda i, b, m: a[0])),
            "WeakSet": set,
        },
    )


def _never(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    raise Raised(AssertionError(f"Expected code to be unreachable, but got: {arguments[0]!r}"))


def _type_hints(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(arguments[0], Unknown):
        return Unknown("get_type_hints")
    return records.type_hints(it, arguments[0], extras=bool(keywords.get("include_extras")))


def _namedtuple(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = arguments[1]
    names = given.replace(",", " ").split() if isinstance(given, str) else list(it.iterate(given))
    return collections.namedtuple(str(arguments[0]), names, defaults=keywords.get("defaults"))


def _simple_namespace(it: Interpreter) -> Class:
    cls = Class(it, "SimpleNamespace", [], {})
    cls.module, cls.order = "types", [cls, object]

    def initialise(_it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        arguments[0].attributes.update(keywords)

    cls.names["__init__"] = Builtin("__init__", initialise, binds=True)
    return cls


# -- functools ---------------------------------------------------------------------------------------------------------
def _wrapped(it: Interpreter, wrapper: Any, wrapped: Any) -> Any:
    if isinstance(wrapper, Function) and isinstance(wrapped, Builtin):
        wrapper.name = wrapped.name
    if isinstance(wrapper, Function) and isinstance(wrapped, Function):
        wrapper.name, wrapper.qualname = wrapped.name, wrapped.qualname
        it.touch(wrapper.attributes)
        wrapper.attributes.update(wrapped.attributes, __wrapped__=wrapped)
    return wrapper


def _lru_cache(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    if arguments and isinstance(arguments[0], Function | BoundMethod | Builtin | Class | Partial):
        return Cached(it, arguments[0])
    return own("lru_cache", lambda i, a, k: Cached(i, a[0]))


def _reduce(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    items = it.iterate(arguments[1])
    value = arguments[2] if len(arguments) > 2 else next(items, MISSING)
    if value is MISSING:
        raise Raised(TypeError("reduce() of empty iterable with no initial value"))
    for item in items:
        value = it.call(arguments[0], [value, item], {})
    return value


# -- itertools, operator -----------------------------------------------------------------------------------------------
def _iterator(make: Any) -> Any:
    def run(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        unknown = next((argument for argument in arguments if isinstance(argument, Unknown)), None)
        if unknown is not None:
            return Unknown(f"{make.__name__}({unknown.reason})")
        prepared = [it.iterate(a) if isinstance(a, Instance | Class) and not _is_callable(a) else a for a in arguments]
        return _counted(it, make(*prepared, **keywords))

    return run


def _is_callable(value: Any) -> bool:
    return isinstance(value, Class) or (isinstance(value, Instance) and "__call__" in value.cls.names)


def _counted(it: Interpreter, source: Any) -> Any:
    if isinstance(source, tuple):
        return source
    return it.iterate(source)


class _Chain:
    def __call__(self, *sources: Any) -> Any:
        return itertools.chain(*sources)


def _flat(it: Interpreter, sources: Any) -> Iterator[Any]:
    for source in it.iterate(sources):
        for item in it.iterate(source):
            it.step()
            yield item


def _path(it: Interpreter, value: Any, path: str) -> Any:
    for name in path.split("."):
        value = it.get_attribute(value, name)
    return value


# -- contextlib --------------------------------------------------------------------------------------------------------
class Managed:
    """What a function under `contextmanager` gives."""

    def __init__(self, it: Interpreter, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self.generator = it.call(function, arguments, keywords)

    def entered(self, it: Interpreter) -> Any:
        """Run to the first `yield`."""
        if isinstance(self.generator, Unknown):
            return Unknown(self.generator.reason)
        return next(self.generator, Unknown("a generator that didn't yield"))

    def left(self, it: Interpreter, raised: Raised | None) -> bool:
        """Run what follows the `yield`."""
        if isinstance(self.generator, Unknown):
            return False
        if raised is None:
            next(self.generator, None)
            return False
        try:
            self.generator.throw(raised)
        except StopIteration:
            return True
        except Raised as other:
            if other is not raised:
                raise
            return False
        return bool(it.truth_value(True))


class Suppress:
    """`contextlib.suppress`."""

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self.kinds = kinds

    def left(self, it: Interpreter, raised: Raised | None) -> bool:
        """Whether the exception is one of those."""
        return raised is not None and it.catches(raised, self.kinds) is True


class Null:
    """`contextlib.nullcontext`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def entered(self, it: Interpreter) -> Any:
        """The value."""
        return self.value


# -- copy --------------------------------------------------------------------------------------------------------------
def _copy(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    value = arguments[0]
    if isinstance(value, Instance):
        own_copy = it.has_attribute(value, "__copy__")
        if own_copy is True:
            return it.call(it.get_attribute(value, "__copy__"), [], {})
        made = Instance(value.cls)
        made.attributes.update(value.attributes)
        made.payload = value.payload.copy() if isinstance(value.payload, dict | list | set) else value.payload
        return made
    return value.copy() if isinstance(value, dict | list | set) else value


def _deepcopy(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return _deep(it, arguments[0], {})


def _deep(it: Interpreter, value: Any, seen: dict[int, Any]) -> Any:
    if isinstance(value, PLAIN) or id(value) in seen:
        return seen.get(id(value), value)
    it.step()
    kind = type(value)
    if kind is Instance:
        if value.cls.record == "enum":
            return value
        made = seen[id(value)] = Instance(value.cls)
        own_copy = it.has_attribute(value, "__deepcopy__")
        if own_copy is True:
            made = seen[id(value)] = it.call(it.get_attribute(value, "__deepcopy__"), [{}], {})
            return made
        for name, one in value.attributes.items():
            made.attributes[name] = _deep(it, one, seen)
        made.payload = _deep(it, value.payload, seen)
        return made
    if isinstance(value, dict):
        copied = seen[id(value)] = value.copy()
        copied.clear()
        for key, one in value.items():
            copied[_deep(it, key, seen)] = _deep(it, one, seen)
        return copied
    if kind is list:
        items: list[Any] = []
        seen[id(value)] = items
        items += [_deep(it, one, seen) for one in value]
        return items
    if kind in (tuple, set, frozenset):
        return kind(_deep(it, one, seen) for one in value)
    return value


# -- inspect -----------------------------------------------------------------------------------------------------------
class Signature:
    """`inspect.signature` of a function of the tree: the names of its parameters."""

    def __init__(self, function: Any) -> None:
        self.code = _function(function).code
        self.bound = isinstance(function, BoundMethod | Class)


def _function(value: Any) -> Any:
    if isinstance(value, Function):
        return value
    if isinstance(value, BoundMethod):
        return _function(value.function)
    if isinstance(value, Class):
        from specint.execution.attributes import look_up

        return _function(look_up(value, "__init__")[1])
    if isinstance(value, Static | ForClass | Cached):
        return _function(value.function)
    return None


def _signature_attribute(_it: Interpreter, value: Signature, name: str) -> Any:
    if name == "parameters":
        names = [*value.code.positional[value.bound :], *value.code.keyword_only]
        return {one: Unknown(f"the parameter {one}") for one in names}
    return Unknown(f"signature.{name}")
