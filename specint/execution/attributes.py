"""Attributes: Python's order of look-up over classes of the tree, Python's own types and what is foreign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from specint.execution.code import MISSING
from specint.execution.natives import NATIVE_DUNDERS, OBJECT_METHODS, native_attribute
from specint.execution.values import (
    BoundMethod,
    Builtin,
    Cached,
    Class,
    ForClass,
    Foreign,
    Function,
    ImportedName,
    Instance,
    Module,
    Partial,
    Property,
    Raised,
    Static,
    Super,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

NOTHING, DATA, METHOD, VALUE, STATIC, FOR_CLASS, FOREIGN, NATIVE, GETTER = range(9)


def in_order(order: list[Any], name: str, start: int = 0) -> tuple[int, Any]:
    """What a class's order says of a name: its kind, and the value."""
    for base in order[start:]:
        if type(base) is Class:
            value = base.names.get(name, MISSING)
            if value is not MISSING:
                return kind_of(value), value
        elif isinstance(base, Unknown):
            return FOREIGN, base
        elif base is type:
            if name in TYPE_METHODS:
                return METHOD, TYPE_METHODS[name]
        elif base is object:
            if name in OBJECT_METHODS:
                return METHOD, OBJECT_METHODS[name]
        elif hasattr(base, name) and (not name.startswith("_") or name in NATIVE_DUNDERS):
            return NATIVE, base
        elif name == "__init__" and issubclass(base, BaseException):
            return METHOD, OBJECT_METHODS["__init_exception__"]
    return NOTHING, None


def _make_object(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    from specint.execution.classes import create

    return create(it, arguments[0], arguments[1:], keywords)


def _make_class(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    meta, name, bases, names = arguments[:4]
    if not isinstance(names, dict):
        return Unknown(f"the class {name}")
    frame = it.stack[-1]
    return it.make_class(str(name), list(bases), dict(names), {**keywords, "metaclass": meta}, frame, frame.line)


TYPE_METHODS: dict[str, Any] = {
    "__call__": Builtin("__call__", _make_object, binds=True),
    "__new__": Builtin("__new__", _make_class, binds=True),
    "__init__": Builtin("__init__", lambda it, a, k: None, binds=True),
}


def kind_of(value: Any) -> int:
    """How a class attribute acts on its objects."""
    kind = type(value)
    if kind is Function or kind is Cached:
        return METHOD
    if kind is Property:
        return DATA if not value.keeps else GETTER
    if kind is Static:
        return STATIC
    if kind is ForClass:
        return FOR_CLASS
    if kind is Builtin:
        return METHOD if value.binds else VALUE
    if kind is Instance and in_order(value.cls.order, "__get__")[0] == METHOD:
        return DATA if in_order(value.cls.order, "__set__")[0] == METHOD else GETTER
    return VALUE


def look_up(cls: Class, name: str) -> tuple[int, Any]:
    """`in_order`, remembered."""
    found = cls.cache.get(name)
    if found is None:
        found = cls.cache[name] = in_order(cls.order, name)
    return found


def of_object(it: Interpreter, obj: Instance, name: str) -> Any:
    """`obj.name`."""
    cls = obj.cls
    if "__getattribute__" in cls.cache or look_up(cls, "__getattribute__")[0] != NOTHING:
        kind, own = cls.cache["__getattribute__"]
        if kind == METHOD and type(own) is Function:
            return it.call(own, [obj, name], {})
    return plain(it, obj, name)


def plain(it: Interpreter, obj: Instance, name: str) -> Any:
    """`object.__getattribute__(obj, name)`, then the class's `__getattr__`."""
    cls = obj.cls
    kind, value = look_up(cls, name)
    if kind == DATA:
        return get_from(it, value, obj, cls)
    own = obj.attributes.get(name, MISSING)
    if own is not MISSING:
        return own
    if kind == METHOD:
        return BoundMethod(value, obj)
    if kind == VALUE:
        return it.used(None, name, value) if type(value) is ImportedName else value
    if kind == STATIC:
        return value.function
    if kind == FOR_CLASS:
        return BoundMethod(value.function, cls)
    if kind == GETTER:
        return get_from(it, value, obj, cls)
    if kind == NATIVE and obj.payload is not None:
        return native_attribute(it, obj.payload, name)
    special = SPECIAL.get(name)
    if special is not None:
        return special(it, obj)
    fallback_kind, fallback = look_up(cls, "__getattr__")
    if fallback_kind == METHOD:
        return it.call(fallback, [obj, name], {})
    if it.watched and any(type(one) is Class and one.name in it.watched for one in cls.order):
        it.absent.add(name)
    if "__unknown__" in obj.attributes:
        return Unknown(f"{obj.attributes['__unknown__'].reason}.{name}")
    if kind == FOREIGN and not name.startswith("__"):
        return Unknown(f"{value.reason}.{name}")
    raise Raised(AttributeError(f"'{cls.name}' object has no attribute '{name}'"))


def get_from(it: Interpreter, descriptor: Any, obj: Instance | None, cls: Class) -> Any:
    """A property's or descriptor's value."""
    if type(descriptor) is Property:
        value = it.call(descriptor.getter, [obj], {})
        if descriptor.keeps and obj is not None:
            it.touch(obj.attributes)
            obj.attributes[descriptor.name] = value
        return value
    getter = in_order(descriptor.cls.order, "__get__")[1]
    return it.call(getter, [descriptor, obj, cls], {})


def _dictionary(_it: Interpreter, obj: Instance) -> Any:
    return obj.attributes


def _doc(_it: Interpreter, obj: Instance) -> Any:
    return obj.cls.names.get("__doc__")


SPECIAL: dict[str, Any] = {
    "__class__": lambda _it, obj: obj.cls,
    "__dict__": _dictionary,
    "__doc__": _doc,
    "__module__": lambda _it, obj: obj.cls.module,
}


def of_class(it: Interpreter, cls: Class, name: str) -> Any:
    """`cls.name`."""
    if cls.meta is not None:
        kind, value = look_up(cls.meta, name)
        if kind == DATA:
            if type(value) is Property:
                return it.call(value.getter, [cls], {})
            return get_from(it, value, None, cls)
    kind, value = look_up(cls, name)
    if kind == METHOD:
        return value
    if kind == VALUE:
        return it.used(None, name, value) if type(value) is ImportedName else value
    if kind == STATIC:
        return value.function
    if kind == FOR_CLASS:
        return BoundMethod(value.function, cls)
    if kind in (DATA, GETTER):
        return value if type(value) is Property else get_from(it, value, None, cls)
    special = CLASS_SPECIAL.get(name)
    if special is not None:
        return special(it, cls)
    if cls.meta is not None:
        meta_kind, value = look_up(cls.meta, name)
        if meta_kind == METHOD:
            return BoundMethod(value, cls)
        if meta_kind == VALUE:
            return value
        fallback_kind, fallback = look_up(cls.meta, "__getattr__")
        if fallback_kind == METHOD:
            return it.call(fallback, [cls, name], {})
    if kind == NATIVE:
        return native_attribute(it, value, name)
    if kind == FOREIGN and not name.startswith("__"):
        return Unknown(f"{value.reason}.{name}")
    raise Raised(AttributeError(f"type object '{cls.name}' has no attribute '{name}'"))


CLASS_SPECIAL: dict[str, Any] = {
    "__name__": lambda _it, cls: cls.name,
    "__qualname__": lambda _it, cls: cls.qualname,
    "__module__": lambda _it, cls: cls.module,
    "__mro__": lambda _it, cls: tuple(cls.order),
    "__bases__": lambda _it, cls: tuple(cls.bases) or (object,),
    "__base__": lambda _it, cls: cls.bases[0] if cls.bases else object,
    "__dict__": lambda _it, cls: cls.names,
    "__doc__": lambda _it, cls: cls.names.get("__doc__"),
    "__class__": lambda _it, cls: cls.meta or type,
    "__annotations__": lambda it, cls: it.annotations_of(cls),
    "mro": lambda _it, cls: Builtin("mro", lambda it, a, k: list(cls.order)),
    "__subclasses__": lambda _it, cls: Builtin("__subclasses__", lambda it, a, k: list(cls.subclasses)),
    "__members__": lambda it, cls: dict(it.enum_members(cls)),
}


def of_super(it: Interpreter, found: Super, name: str) -> Any:
    """`super().name`."""
    receiver = found.receiver
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    if not isinstance(cls, Class):
        return Unknown(f"super().{name}")
    order = cls.order
    if found.start not in order and cls.meta is not None:
        order = cls.meta.order
    if found.start not in order:
        return Unknown(f"super().{name}")
    kind, value = in_order(order, name, order.index(found.start) + 1)
    if kind == METHOD:
        return value if name == "__new__" else BoundMethod(value, receiver)
    if kind == STATIC:
        return value.function
    if kind == FOR_CLASS:
        return BoundMethod(value.function, cls)
    if kind in (DATA, GETTER):
        return get_from(it, value, receiver if isinstance(receiver, Instance) else None, cls)
    if kind == NATIVE:
        if isinstance(receiver, Instance) and receiver.payload is not None:
            return native_attribute(it, receiver.payload, name)
        return native_attribute(it, value, name)
    if kind == FOREIGN:
        return Foreign(f"{value.reason}.{name}")
    if kind == VALUE:
        return value
    raise Raised(AttributeError(f"'super' object has no attribute '{name}'"))


FUNCTION_NAMES: dict[str, Any] = {
    "__name__": lambda it, fn: fn.name,
    "__qualname__": lambda it, fn: fn.qualname,
    "__module__": lambda it, fn: fn.globals["__name__"],
    "__doc__": lambda it, fn: it.docstring(fn),
    "__globals__": lambda it, fn: fn.globals,
    "__defaults__": lambda it, fn: tuple(fn.defaults) or None,
    "__kwdefaults__": lambda it, fn: dict(fn.keyword_defaults) or None,
    "__dict__": lambda it, fn: fn.attributes,
    "__annotations__": lambda it, fn: it.annotations_of(fn),
    "__get__": lambda it, fn: Builtin(
        "__get__", lambda i, a, k: BoundMethod(fn, a[0]) if a and a[0] is not None else fn
    ),
}


def of_function(it: Interpreter, function: Function, name: str) -> Any:
    """An attribute of a function."""
    own = function.attributes.get(name, MISSING)
    if own is not MISSING:
        return own
    special = FUNCTION_NAMES.get(name)
    if special is not None:
        return special(it, function)
    if name == "__code__":
        return Unknown(f"{function.qualname}.__code__")
    raise Raised(AttributeError(f"'function' object has no attribute '{name}'"))


def of_cached(it: Interpreter, cached: Cached, name: str) -> Any:
    """An attribute of a cached function."""
    if name == "cache_clear":

        def clear(it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> None:
            it.touch(cached.memo)
            cached.memo.clear()

        return Builtin("cache_clear", clear)
    if name == "__wrapped__":
        return cached.function
    if name in cached.attributes:
        return cached.attributes[name]
    return it.get_attribute(cached.function, name)


def of_other(it: Interpreter, obj: Any, name: str) -> Any:
    """An attribute of a bound method, partial, property or module."""
    kind = type(obj)
    if kind is Module:
        return it.module_attribute(obj, name)
    if kind is BoundMethod:
        if name == "__self__":
            return obj.receiver
        return obj.function if name == "__func__" else it.get_attribute(obj.function, name)
    if kind is Partial and name in ("func", "args", "keywords"):
        return {"func": obj.function, "args": tuple(obj.arguments), "keywords": obj.keywords}[name]
    if kind is Property:
        if name in ("setter", "getter", "deleter"):

            def changed(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Property:
                made = Property(obj.getter, obj.setter, obj.keeps)
                made.deleter = obj.deleter
                setattr(made, name, arguments[0])
                return made

            return Builtin(name, changed)
        if name in ("fget", "fset"):
            return obj.getter if name == "fget" else obj.setter
    if kind in (Static, ForClass):
        return obj.function if name == "__func__" else it.get_attribute(obj.function, name)
    if kind is Builtin and name in ("__name__", "__qualname__"):
        return obj.name
    raise Raised(AttributeError(f"'{kind.__name__.lower()}' object has no attribute '{name}'"))
