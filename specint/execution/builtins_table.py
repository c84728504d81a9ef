"""Python's builtins as evaluated code sees them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from specint.execution import attributes, bounds, classes
from specint.execution.code import MISSING, Frame
from specint.execution.natives import call_native
from specint.execution.values import (
    BoundMethod,
    Builtin,
    Cached,
    Class,
    ForClass,
    Foreign,
    Function,
    Instance,
    Module,
    Partial,
    Property,
    Raised,
    Static,
    Super,
    UndeterminedError,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

SAME = [
    "abs",
    "bin",
    "bytes",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "float",
    "frozenset",
    "hex",
    "int",
    "list",
    "oct",
    "ord",
    "pow",
    "range",
    "reversed",
    "round",
    "set",
    "slice",
    "str",
    "tuple",
    "zip",
    "map",
    "filter",
    "bool",
    "bytearray",
    "object",
    "min",
    "max",
    "sum",
    "sorted",
    "NotImplemented",
    "Ellipsis",
    "ascii",
    "memoryview",
]


def _isinstance(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return classes.is_instance(it, arguments[0], arguments[1])


def _issubclass(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    if not isinstance(arguments[0], Class | type | Unknown):
        raise Raised(TypeError("issubclass() arg 1 must be a class"))
    return classes.is_subclass(it, arguments[0], arguments[1])


def _getattr(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    name = arguments[1]
    if isinstance(name, Unknown):
        return Unknown(f"getattr(..., {name.reason})")
    name = str(name)
    if len(arguments) == 2:
        return it.get_attribute(arguments[0], name)
    if isinstance(arguments[0], Foreign) and it.outside.has(arguments[0].reason, name) is not True:
        known = it.outside.has(arguments[0].reason, name)
        return arguments[2] if known is False else Unknown(f"getattr({arguments[0].reason}, {name!r})")
    try:
        return it.get_attribute(arguments[0], name)
    except Raised as raised:
        if it.is_instance(raised.value, AttributeError) is True:
            return arguments[2]
        raise


def _setattr(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    if isinstance(arguments[1], Unknown):
        it.lost(arguments[1])
        return
    it.set_attribute(arguments[0], str(arguments[1]), arguments[2])


def _hasattr(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    if isinstance(arguments[1], Unknown):
        return Unknown(f"hasattr(..., {arguments[1].reason})")
    return it.has_attribute(arguments[0], str(arguments[1]))


def _type(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 1:
        return classes.class_of(arguments[0])
    name, bases, names = arguments[:3]
    frame = it.stack[-1]
    named = {"__module__": frame.globals.get("__name__", ""), **it.mapping(names)}
    return it.make_class(str(name), list(it.iterate(bases)), named, keywords, frame, frame.line)


def _callable(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    value = arguments[0]
    if isinstance(value, Instance):
        return attributes.look_up(value.cls, "__call__")[0] == attributes.METHOD
    if isinstance(value, Function | Class | BoundMethod | Builtin | Partial | Cached):
        return True
    if isinstance(value, Unknown):
        return Unknown(f"callable({value.reason})")
    return callable(value)


def _len(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return it.length(arguments[0])


def _any(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return _every(it, arguments[0], True)


def _all(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return _every(it, arguments[0], False)


def _every(it: Interpreter, over: Any, settles: bool) -> Any:
    unknown: Unknown | None = None
    for item in it.iterate(over):
        try:
            if it.truth_value(item) is settles:
                return settles
        except UndeterminedError as undetermined:
            unknown = undetermined.unknown
    return unknown if unknown is not None else not settles


def _next(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    source = arguments[0]
    if isinstance(source, Unknown):
        return Unknown(f"next({source.reason})")
    if isinstance(source, Instance):
        return it.special(source, "__next__", [])
    found = next(source, MISSING)
    if found is MISSING:
        if len(arguments) > 1:
            return arguments[1]
        raise Raised(StopIteration())
    return found


def _iter(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return it.iterate(arguments[0])


def _hash(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    bounds.check_whole(it.budget, *arguments)
    return Unknown("hash()") if isinstance(arguments[0], str | bytes | Unknown) else hash(arguments[0])


def _print(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    from specint.execution.operators import shown

    if it.stack:
        it.logged.append(
            ("print", " ".join(shown(one) for one in arguments)[:2000], it.stack[-1].file, it.stack[-1].line)
        )


def _property(_it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Property:
    return Property(arguments[0] if arguments else keywords.get("fget"), *arguments[1:2])


def _vars(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    value = arguments[0]
    if type(value).__name__ == "Namespace":
        return vars(value)
    return it.get_attribute(value, "__dict__")


def _dir(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    value = arguments[0]
    if isinstance(value, Unknown):
        return Unknown(f"dir({value.reason})")
    names: set[str] = set()
    if isinstance(value, Instance):
        names |= set(value.attributes)
    if isinstance(value, Module):
        return sorted(value.names)
    cls = value.cls if isinstance(value, Instance) else value
    for base in cls.order if isinstance(cls, Class) else []:
        names |= set(base.names) if isinstance(base, Class) else set(dir(base))
    return sorted(name for name in names if name not in ("__enum__", "__late__"))


def _open(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    from specint.execution.library.opened import open_file

    return open_file(it, arguments, keywords)


def _unread(name: str) -> Builtin:
    return Builtin(name, lambda it, a, k: Unknown(f"{name}()"))


def _import(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    frame = it.stack[-1]
    return Unknown("__import__") if isinstance(arguments[0], Unknown) else it.import_module(arguments[0], frame, True)


def _callables(it: Interpreter, arguments: list[Any], keywords: dict[str, Any], native: Any) -> Any:
    return call_native(it, native, arguments, keywords)


OWN: dict[str, Any] = {
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "getattr": _getattr,
    "setattr": _setattr,
    "hasattr": _hasattr,
    "callable": _callable,
    "len": _len,
    "any": _any,
    "all": _all,
    "next": _next,
    "iter": _iter,
    "hash": _hash,
    "print": _print,
    "property": _property,
    "vars": _vars,
    "dir": _dir,
    "open": _open,
    "__import__": _import,
    "delattr": lambda it, a, k: it.delete_attribute(a[0], a[1]),
    "repr": lambda it, a, k: it.repr_of(a[0]),
    "id": lambda it, a, k: id(a[0]) >> 4,
    "staticmethod": lambda it, a, k: Static(a[0]),
    "classmethod": lambda it, a, k: ForClass(a[0]),
    "format": lambda it, a, k: it.format_text("{:" + (str(a[1]) if len(a) > 1 else "") + "}", [a[0]], {}),
}


def builtin_names() -> dict[str, Any]:
    """Every builtin name. Nothing among them reads code, files or input of the machine."""
    names: dict[str, Any] = {name: getattr(builtins, name) for name in SAME}
    every = vars(builtins).items()
    names |= {name: value for name, value in every if isinstance(value, type) and issubclass(value, BaseException)}
    names |= {name: Builtin(name, run) for name, run in OWN.items()}
    names["type"] = TYPE
    for name in ("eval", "exec", "compile", "input", "breakpoint"):
        names[name] = _unread(name)
    for name in ("super", "locals", "globals"):
        names[name] = Builtin(name, lambda it, a, k: Unknown("a frame's builtin"))
    names["__debug__"] = True
    names["exit"] = names["quit"] = _unread("exit")
    return names


TYPE = type


# -- those that look at their frame ------------------------------------------------------------------------------------
def _super(it: Interpreter, f: Frame, arguments: list[Any]) -> Any:
    if len(arguments) == 2:
        return Super(arguments[0], arguments[1]) if isinstance(arguments[0], Class) else Unknown("super()")
    frame: Frame | None = f
    while frame is not None:
        function = frame.function
        if function is not None and function.owner is not None and function.code.positional:
            receiver = frame.vars.get(function.code.positional[0], MISSING)
            if receiver is not MISSING:
                return Super(function.owner, receiver)
        frame = frame.parent
    raise it.error(RuntimeError, "super(): no arguments", f)


def _frame_vars(it: Interpreter, f: Frame, arguments: list[Any]) -> Any:
    return _vars(it, arguments, {}) if arguments else f.vars


FRAME_CALLS: dict[str, Any] = {
    "super": _super,
    "locals": lambda it, f, arguments: dict(f.vars),
    "globals": lambda it, f, arguments: f.globals,
    "vars": _frame_vars,
    "dir": lambda it, f, arguments: _dir(it, arguments, {}) if arguments else sorted(f.vars),
    "eval": lambda it, f, arguments: Unknown("eval()"),
    "exec": lambda it, f, arguments: Unknown("exec()"),
}
