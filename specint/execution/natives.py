"""Python's own objects: which of their attributes evaluated code sees, and calls of them within the bounds."""

from __future__ import annotations

import argparse
import collections
import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from specint.execution import bounds
from specint.execution.code import MISSING
from specint.execution.values import (
    PLAIN,
    Builtin,
    Class,
    Foreign,
    Instance,
    Raised,
    UndeterminedError,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

NATIVE_DUNDERS = frozenset(
    [
        "__len__",
        "__contains__",
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__iter__",
        "__eq__",
        "__ne__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__add__",
        "__or__",
        "__ror__",
        "__and__",
        "__sub__",
        "__str__",
        "__repr__",
        "__hash__",
        "__bool__",
        "__int__",
        "__float__",
        "__index__",
        "__name__",
        "__doc__",
        "__args__",
        "__origin__",
        "__metadata__",
        "__cause__",
        "__context__",
        "__members__",
        "__missing__",
        "__format__",
        "__reversed__",
        "__mul__",
        "__iadd__",
        "__next__",
        "__mod__",
        "__fields__",
        "__enter__",
        "__exit__",
    ]
)
MUTATORS = frozenset(
    [
        "append",
        "insert",
        "extend",
        "add",
        "update",
        "setdefault",
        "appendleft",
        "remove",
        "discard",
        "pop",
        "popitem",
        "clear",
        "sort",
        "reverse",
        "popleft",
        "extendleft",
        "move_to_end",
        "subtract",
        "__setitem__",
        "__delitem__",
        "__iadd__",
        "difference_update",
        "intersection_update",
        "rotate",
        "symmetric_difference_update",
    ]
)
CONTAINERS = (list, dict, set, collections.deque, bytearray)
KEYED = frozenset(("get", "pop", "setdefault", "__getitem__", "__contains__"))


class NativeMethod:
    """A method of a plain value, found by name."""

    __slots__ = ("it", "method", "name", "receiver")

    def __init__(self, it: Interpreter, receiver: Any, name: str, method: Any) -> None:
        self.it = it
        self.receiver = receiver
        self.name = name
        self.method = method

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return call_method(self.it, self, list(arguments), keywords)


def native_attribute(it: Interpreter, value: Any, name: str) -> Any:
    """An attribute of one of Python's own objects; what leads to code behind it is not there."""
    kind = type(value)
    if name == "__class__":
        return kind
    if isinstance(value, type):
        return _of_type(it, value, name)
    if isinstance(value, argparse.Namespace):
        found = vars(value).get(name, MISSING)
        if name == "__dict__":
            return vars(value)
        if found is MISSING:
            raise Raised(AttributeError(f"'Namespace' object has no attribute '{name}'"))
        return found
    if name.startswith("_") and name not in NATIVE_DUNDERS and not _shown(value, name):
        own = it.extras.get(id(value))
        if own is not None and name in own[1]:
            return own[1][name]
        if isinstance(value, types.ModuleType | types.FunctionType | types.CodeType | types.FrameType):
            return Unknown(f"{name} of Python's own")
        raise Raised(AttributeError(f"'{kind.__name__}' object has no attribute '{name}'"))
    if isinstance(
        value, types.ModuleType | types.FunctionType | types.CodeType | types.FrameType | types.GeneratorType
    ):
        return Unknown(f"{name} of Python's own") if name not in ("send", "close") else _method(it, value, name)
    try:
        found = getattr(value, name)
    except AttributeError as error:
        own = it.extras.get(id(value))
        if own is not None and name in own[1]:
            return own[1][name]
        if isinstance(value, types.BuiltinFunctionType | BaseException):
            raise Raised(AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")) from None
        raise Raised(AttributeError(str(error))) from None
    return (
        NativeMethod(it, value, name, found)
        if callable(found) and not isinstance(found, Class) and inspect.isroutine(found)
        else found
    )


def _method(it: Interpreter, value: Any, name: str) -> NativeMethod:
    return NativeMethod(it, value, name, getattr(value, name))


def _shown(value: Any, name: str) -> bool:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return name in ("_fields", "_asdict", "_replace")
    if isinstance(value, argparse.ArgumentParser | argparse.Action):
        return name in ("_actions", "_option_string_actions", "_mutually_exclusive_groups", "_get_kwargs", "_defaults")
    return False


def _of_type(it: Interpreter, kind: type, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return kind.__name__
    if name == "__mro__":
        return tuple(kind.__mro__)
    if name in ("__module__", "__doc__"):
        return getattr(kind, name, None)
    if name in OBJECT_METHODS and name != "__new__" and (kind is object or name in ("__init__", "__setattr__")):
        return OBJECT_METHODS[name]
    if name == "__new__":
        return Builtin("__new__", _new)
    if name == "_fields" and issubclass(kind, tuple):
        return getattr(kind, "_fields", ())
    if name.startswith("_") and name not in NATIVE_DUNDERS and name != "_make":
        raise Raised(AttributeError(f"type object '{kind.__name__}' has no attribute '{name}'"))
    found = getattr(kind, name, MISSING)
    if found is MISSING:
        raise Raised(AttributeError(f"type object '{kind.__name__}' has no attribute '{name}'"))
    if not callable(found):
        return found
    return Builtin(f"{kind.__name__}.{name}", lambda i, a, k: _unbound(i, kind, name, found, a, k))


def _unbound(it: Interpreter, kind: type, name: str, found: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if arguments and isinstance(arguments[0], Instance) and arguments[0].payload is not None:
        return call_method(it, _method(it, arguments[0].payload, name), arguments[1:], keywords)
    if arguments and isinstance(arguments[0], kind):
        return call_method(it, _method(it, arguments[0], name), arguments[1:], keywords)
    if arguments and isinstance(arguments[0], Unknown):
        return Unknown(f"{arguments[0].reason}.{name}()")
    return call_native(it, found, arguments, keywords)


def call_method(it: Interpreter, method: NativeMethod, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A method of a plain value, within the bounds; unknown where what it needs is."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, CONTAINERS):
        return _call_container(it, method, arguments, keywords)
    arguments = [plainly(argument) for argument in arguments]
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, Unknown):
            return Unknown(f".{name}({argument.reason})")
    if isinstance(receiver, str | bytes):
        if name in ("format", "format_map"):
            return it.format_text(receiver, arguments, keywords)
        prepared = _check_text(it, receiver, name, arguments)
        if isinstance(prepared, Unknown):
            return prepared
        arguments = prepared
    if isinstance(receiver, re.Pattern):
        refused = bounds.too_much_matching(receiver, name, [*arguments, *keywords.values()])
        if refused is not None:
            return Unknown(refused)
    if isinstance(receiver, int) and name == "to_bytes" and arguments and isinstance(arguments[0], int):
        it.budget.built(arguments[0])
    return _guarded(it, method.method, arguments, keywords)


def _call_container(it: Interpreter, method: NativeMethod, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    receiver, name = method.receiver, method.name
    if name in MUTATORS:
        it.touch(receiver)
        if it.on_append is not None and name == "append" and arguments:
            it.on_append(receiver, arguments[0])
        if name in ("extend", "update", "extendleft") and arguments:
            if isinstance(arguments[0], Unknown):
                it.lost(arguments[0])
                return None
            if name == "update" and isinstance(receiver, dict):
                receiver.update({**it.mapping(arguments[0]), **keywords})
                it.budget.built(len(receiver))
                return None
            arguments = [list(it.iterate(arguments[0]))]
            it.budget.built(len(receiver) + len(arguments[0]))
    if name == "sort":
        keywords = {key: callable_of(it, value) for key, value in keywords.items()}
    if name in KEYED and arguments and type(arguments[0]) is Unknown:
        return Unknown(f"[{arguments[0].reason}]")
    _check_elements(it, receiver, name, arguments)
    return _guarded(it, method.method, arguments, keywords)


def _check_elements(it: Interpreter, receiver: Any, name: str, arguments: list[Any]) -> None:
    """What a container's method asks of its arguments (their hashes, or whether they are one of its elements) is
    within the bounds."""
    if isinstance(receiver, dict | set):
        for argument in arguments:
            bounds.check_key(it.budget, argument)
            if isinstance(receiver, set) and isinstance(argument, list | tuple | dict):
                for one in argument:
                    bounds.check_key(it.budget, one)
    elif name in COMPARING and arguments and isinstance(arguments[0], bounds.NESTING):
        bounds.check_whole(it.budget, arguments[0])
    elif name == "sort" and any(isinstance(one, bounds.NESTING) for one in receiver):
        bounds.check_whole(it.budget, receiver)


COMPARING = ("index", "count", "remove")


def _check_text(it: Interpreter, receiver: Any, name: str, arguments: list[Any]) -> Any:
    """The arguments of a string's method, where what it builds is within the bounds."""
    if name in ("ljust", "rjust", "center", "zfill", "expandtabs") and arguments and isinstance(arguments[0], int):
        it.budget.built(arguments[0])
    elif name == "replace" and len(arguments) > 1:
        times = receiver.count(arguments[0])
        it.budget.built(len(receiver) + times * len(arguments[1]))
    elif name == "join" and arguments:
        parts = [plainly(part) for part in it.iterate(arguments[0])]
        unknown = next((part for part in parts if isinstance(part, Unknown)), None)
        if unknown is not None:
            return Unknown(unknown.reason)
        it.budget.built(sum(len(part) for part in parts if isinstance(part, str)) + len(receiver) * len(parts))
        return [parts]
    elif name == "translate" and arguments and isinstance(arguments[0], dict):
        it.budget.built(
            len(receiver) * max((len(one) for one in arguments[0].values() if isinstance(one, str)), default=1)
        )
    return arguments


def callable_of(it: Interpreter, value: Any) -> Any:
    """A function that specint provides, as something that Python's own functions can call."""
    if type(value) is Builtin:
        return lambda *arguments, **keywords: it.call(value, list(arguments), keywords)
    return value


def plainly(value: Any) -> Any:
    """An object of a subclass of `str` and its like as that."""
    return (
        value.payload
        if type(value) is Instance and isinstance(value.payload, PLAIN) and value.payload is not None
        else value
    )


def call_native(it: Interpreter, function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A function of Python's own on known values."""
    arguments = [callable_of(it, plainly(argument)) for argument in arguments]
    keywords = {name: callable_of(it, argument) for name, argument in keywords.items()}
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, Unknown) and not isinstance(argument, Foreign):
            name = getattr(function, "__name__", "call")
            return Unknown(f"{name}({argument.reason})")
        if type(argument) is range and function is not iter:
            bounds.check_range(argument)
        bounds.check_whole(it.budget, argument)
    if function is pow:
        bounds.check_power(it.budget, *arguments, *keywords.values())
    return _guarded(it, function, arguments, keywords)


def _guarded(it: Interpreter, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    try:
        result = function(*arguments, **keywords)
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except (Raised, bounds.ExhaustedError):
        raise
    except MemoryError:
        raise bounds.ExhaustedError("memory") from None
    except RecursionError:
        raise bounds.ExhaustedError("recursion too deep") from None
    except SystemExit as error:
        raise Raised(error) from None
    except Exception as error:
        error.__traceback__ = None
        raise Raised(error) from None
    if type(result) in bounds.SIZED and len(result) > 1000:
        it.budget.built(len(result))
    return result


# -- what every class has from `object` --------------------------------------------------------------------------------
def _set(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    it.set_plain(*arguments)


def _get(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    from specint.execution.attributes import plain

    obj, name = arguments
    if isinstance(obj, Instance):
        return plain(it, obj, name)
    return it.get_attribute(obj, name)


def _delete(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    obj, name = arguments
    it.touch(obj.attributes)
    if obj.attributes.pop(name, MISSING) is MISSING:
        raise Raised(AttributeError(name))


def _new(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    cls = arguments[0]
    if not isinstance(cls, Class):
        if isinstance(cls, type) and cls is not type:
            return it.call(cls, arguments[1:], keywords)
        return Unknown("object.__new__")
    return it.empty_object(cls, arguments[1:], keywords)


def _init(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """`object.__init__`, and that of the builtin bases."""
    obj = arguments[0]
    if isinstance(obj, Instance) and isinstance(obj.payload, argparse.Action):
        named = dict(zip(("option_strings", "dest", "nargs", "const", "default"), arguments[1:], strict=False))
        obj.payload.initialise(obj, {**named, **keywords})  # type: ignore[attr-defined]
    if isinstance(obj, Instance) and isinstance(obj.payload, dict | list | set):
        it.touch(obj.payload)
        if isinstance(obj.payload, dict):
            if len(arguments) > 1:
                obj.payload.update(it.mapping(arguments[1]))
            obj.payload.update(keywords)
        elif len(arguments) > 1:
            obj.payload.clear()
            for item in it.iterate(arguments[1]):
                obj.payload.append(item) if isinstance(obj.payload, list) else obj.payload.add(item)


def _init_exception(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    obj = arguments[0]
    if isinstance(obj, Instance) and isinstance(obj.payload, BaseException):
        obj.payload.args = tuple(arguments[1:])


def _nothing(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
    return None


OBJECT_METHODS: dict[str, Any] = {
    "__setattr__": Builtin("__setattr__", _set, binds=True),
    "__getattribute__": Builtin("__getattribute__", _get, binds=True),
    "__delattr__": Builtin("__delattr__", _delete, binds=True),
    "__new__": Builtin("__new__", _new, binds=True),
    "__init__": Builtin("__init__", _init, binds=True),
    "__init_exception__": Builtin("__init__", _init_exception, binds=True),
    "__init_subclass__": Builtin("__init_subclass__", _nothing),
    "__repr__": Builtin("__repr__", lambda it, a, k: it.default_repr(a[0]), binds=True),
    "__str__": Builtin("__str__", lambda it, a, k: it.repr_of(a[0]), binds=True),
    "__eq__": Builtin("__eq__", lambda it, a, k: a[0] is a[1], binds=True),
    "__hash__": Builtin("__hash__", lambda it, a, k: id(a[0]) >> 4, binds=True),
    "__reduce_ex__": Builtin("__reduce_ex__", lambda it, a, k: Unknown("pickling"), binds=True),
}

TYPING = (typing.TypeVar, types.GenericAlias, types.UnionType)
