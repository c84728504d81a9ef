"""Classes of the tree: the order of bases, how one is made and its objects, what is an instance of what."""

from __future__ import annotations

import abc
import collections
import types
import typing
from typing import TYPE_CHECKING, Any

from specint.execution import attributes
from specint.execution.code import MISSING
from specint.execution.values import (
    MAKE,
    PLAIN,
    Builtin,
    Class,
    ForClass,
    Foreign,
    Function,
    Instance,
    Raised,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter


def make_class(
    it: Interpreter, name: str, bases: list[Any], names: dict[str, Any], keywords: dict[str, Any], file: str, line: int
) -> Any:
    """What a class statement makes of its bases and the names of its body."""
    from specint.execution import enums, records

    meta = keywords.get("metaclass")
    if isinstance(meta, Class) and not any(value is meta for value in it.making):
        own = attributes.look_up(meta, "__new__")[1]
        if type(own) is Function:
            it.making.append(meta)
            try:
                return it.call(
                    own, [meta, name, tuple(bases), names], {k: v for k, v in keywords.items() if k != "metaclass"}
                )
            finally:
                it.making.pop()
    keywords.pop("metaclass", None)
    cleaned = [base for base in (_base(it, base) for base in bases) if base is not None]
    cls = Class(it, name, cleaned, names)
    cls.module = names.get("__module__", "")
    cls.qualname = names.pop("__qualname__", name)
    cls.file, cls.line = file, line
    cls.thunks = names.pop("__late__", {})
    cls.order = linearized(cls, cleaned)
    cls.native = next(
        (base for base in cls.order[1:] if isinstance(base, type) and base not in (object, abc.ABC, type)), None
    )
    cls.foreign = next((base for base in cls.order[1:] if isinstance(base, Unknown)), None)
    inherited = next((base.meta for base in cls.order[1:] if isinstance(base, Class) and base.meta is not None), None)
    cls.meta = meta if isinstance(meta, Class) else inherited
    for base in cls.order[1:]:
        if isinstance(base, Class):
            base.subclasses.append(cls)
    for value in names.values():
        _owned(value, cls)
    for key in ("__init_subclass__", "__class_getitem__", "__new__"):
        if type(names.get(key)) is Function:
            names[key] = ForClass(names[key]) if key != "__new__" else names[key]
    if any(isinstance(base, Class) and base.record == "enum" for base in cls.order):
        enums.build(it, cls)
    elif any(isinstance(base, Class) and base.record == "struct" for base in cls.order[1:]):
        records.build_struct(it, cls, keywords)
    elif any(one is typing.NamedTuple for one in cls.order):
        records.build_named_tuple(it, cls)
    for key, value in list(names.items()):
        if (
            isinstance(value, Instance)
            and (own := attributes.look_up(value.cls, "__set_name__"))[0] == attributes.METHOD
        ):
            it.call(own[1], [value, cls, key], {})
    hook_kind, hook = attributes.in_order(cls.order, "__init_subclass__", 1)
    if hook_kind == attributes.FOR_CLASS:
        it.call(hook.function, [cls], keywords)
    made = attributes.look_up(cls.meta, "__init__")[1] if cls.meta is not None else None
    if type(made) is Function:
        it.call(made, [cls, name, tuple(cleaned), names], keywords)
    if cls.record is None:
        # A subclass of a record that is none itself is compared and copied as that.
        records_above = (one.record for one in cls.order[1:] if isinstance(one, Class))
        cls.record = next((record for record in records_above if isinstance(record, records.Record)), None)
    return cls


def _owned(value: Any, cls: Class) -> None:
    # `super()` and names with two underscores ask for the class that a method was written in.
    for inner in (
        value,
        getattr(value, "function", None),
        getattr(value, "getter", None),
        getattr(value, "setter", None),
    ):
        if type(inner) is Function and inner.owner is None:
            inner.owner = cls


def _base(it: Interpreter, base: Any) -> Any:
    if isinstance(base, Foreign) and (stand_in := it.outside.stand_in(it, base.reason)) is not None:
        return stand_in
    if isinstance(base, Class | Unknown):
        return base
    if any(base is one for one in (abc.ABC, typing.Generic, typing.Protocol, object)):
        return None
    if base is typing.NamedTuple:
        return typing.NamedTuple
    if base is typing.TypedDict:
        return dict
    if isinstance(base, types.GenericAlias):
        return base.__origin__
    origin = typing.get_origin(base)
    if origin is not None:
        return None if origin in (typing.Generic, typing.Protocol) else _base(it, origin)
    if isinstance(base, type):
        return base
    if getattr(base, "__module__", "") in ("typing", "collections.abc"):
        return None
    return Unknown(f"a class with the base {base!r}")


def linearized(cls: Class, bases: list[Any]) -> list[Any]:
    """Python's order of bases (C3)."""
    rows = [_order_of(base) for base in bases] + [list(bases)]
    found: list[Any] = [cls]
    while any(rows):
        rows = [row for row in rows if row]
        for row in rows:
            head = row[0]
            if not any(_among(head, other[1:]) for other in rows):
                break
        else:
            raise Raised(TypeError("Cannot create a consistent method resolution order (MRO)"))
        found.append(head)
        rows = [
            [one for one in row if one is not head and not (isinstance(one, Foreign) and one == head)] for row in rows
        ]
    if found[-1] is not object:
        found = [one for one in found if one is not object]
        found.append(object)
    return found


def _among(one: Any, others: list[Any]) -> bool:
    return any(one is other for other in others)


def _order_of(base: Any) -> list[Any]:
    if isinstance(base, Class):
        return list(base.order)
    if isinstance(base, type):
        return list(base.__mro__)
    return [base]


def forget_caches(cls: Class) -> None:
    """A class attribute has changed: look-ups are done again, below it too."""
    waiting, seen = [cls], set()
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            one.cache.clear()
            waiting += one.subclasses


# -- objects -----------------------------------------------------------------------------------------------------------
def instantiate(it: Interpreter, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`cls(*arguments, **keywords)`."""
    hooks = it.hooks
    if hooks and (hook := hooks.get(f"{cls.module}.{cls.qualname}")) is not None:
        return hook(it, arguments, keywords)
    if cls.meta is not None:
        kind, own = attributes.look_up(cls.meta, "__call__")
        if kind == attributes.METHOD and type(own) is Function:
            return it.call(own, [cls, *arguments], keywords)
    return create(it, cls, arguments, keywords)


def create(it: Interpreter, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`type.__call__(cls, ...)`: `__new__`, then `__init__`."""
    if any(isinstance(base, Class) and base.record == "enum" for base in cls.order):
        from specint.execution import enums

        return enums.by_value(it, cls, arguments)
    kind, own = attributes.look_up(cls, "__new__")
    making = attributes.look_up(cls, MAKE)[1] if cls.native is tuple else None
    if kind == attributes.METHOD and type(own) is Function:
        obj = it.call(own, [cls, *arguments], keywords)
        if not isinstance(obj, Instance) or cls not in obj.cls.order:
            return obj
    elif cls.native is type:
        return Unknown(f"a class made by {cls.name}")
    elif making is not None:
        obj = it.call(making, [cls, *arguments], keywords)
    else:
        obj = empty_object(it, cls, arguments, keywords)
    kind, own = attributes.look_up(cls, "__init__")
    if kind == attributes.METHOD:
        it.call(own, [obj, *arguments], keywords)
    elif kind == attributes.FOREIGN:
        for key, value in keywords.items():
            if it.outside.keeps_keywords(own.reason):
                obj.attributes[key] = value
    return obj


def empty_object(it: Interpreter, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
    """A new object, nothing initialised; one of a subclass of Python's own types holds such a value."""
    obj = Instance(cls)
    native = cls.native
    if native is None:
        return obj
    if issubclass(native, BaseException):
        obj.payload = native(*arguments)
    elif native in (dict, list, set, collections.OrderedDict, collections.defaultdict, collections.UserDict):
        kind, own = attributes.look_up(cls, "__init__")
        plain = native if native is not collections.UserDict else dict
        obj.payload = plain() if kind == attributes.METHOD and type(own) is Function else plain(*arguments, **keywords)
    elif native in (str, int, float, bytes, tuple, frozenset):
        value = it.library.construct(it, native, arguments, {})
        if isinstance(value, Unknown):
            obj.attributes["__unknown__"] = value
        else:
            obj.payload = value
    else:
        obj.payload = it.library.payload(it, cls, native, obj)
    return obj


# -- isinstance --------------------------------------------------------------------------------------------------------
def class_of(value: Any) -> Any:
    """`type(value)`."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Class):
        return value.meta or type
    if isinstance(value, Unknown):
        return value.kind or Unknown(f"type({value.reason})")
    if isinstance(value, Function | Builtin):
        return types.FunctionType
    return type(value)


def is_instance(it: Interpreter, value: Any, kind: Any) -> Any:
    """`isinstance(value, kind)`: True, False or unknown."""
    if type(kind) is type and isinstance(value, PLAIN):  # nearly all questions are of these two sorts
        return isinstance(value, kind)
    if type(value) is Instance and type(kind) is Class:
        return is_subclass(it, class_of(value), kind, value)
    if isinstance(kind, tuple):
        unknown = None
        for one in kind:
            found = is_instance(it, value, one)
            if found is True:
                return True
            if isinstance(found, Unknown):
                unknown = found
        return unknown if unknown is not None else False
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return is_instance(it, value, typing.get_args(kind))
    if isinstance(value, Foreign) and kind is type:
        return True if it.outside.is_object(value.reason) else Unknown(f"is {value.reason} a class")
    if isinstance(value, Foreign) and isinstance(kind, Class | type) and it.outside.is_constant(value.reason):
        return False
    if isinstance(value, Unknown) and value.kind is not None and isinstance(kind, Class | type):
        return isinstance(kind, type) and issubclass(value.kind, kind)
    if isinstance(value, Unknown):
        return Unknown(f"isinstance({value.reason}, {_named(kind)})")
    if isinstance(kind, Unknown) and not isinstance(kind, Foreign):
        return Unknown(f"isinstance(..., {kind.reason})")
    return is_subclass(it, class_of(value), kind, value)


def _named(kind: Any) -> str:
    return kind.reason if isinstance(kind, Unknown) else getattr(kind, "name", getattr(kind, "__name__", str(kind)))


def is_subclass(it: Interpreter, cls: Any, kind: Any, value: Any = MISSING) -> Any:
    """`issubclass(cls, kind)`: True, False or unknown."""
    if isinstance(kind, tuple):
        found = [is_subclass(it, cls, one) for one in kind]
        settled = any(one is True for one in found)
        return True if settled else next((one for one in found if isinstance(one, Unknown)), False)
    if cls is kind or kind is object:
        return True
    if isinstance(cls, Class):
        return _tree_class_below(it, cls, kind, value)
    if isinstance(cls, Foreign) and isinstance(kind, Foreign):
        related = it.outside.is_subclass(cls.reason, kind.reason)
        return Unknown(f"issubclass({cls.reason}, {kind.reason})") if related is None else related
    if isinstance(cls, Unknown):
        return Unknown(f"issubclass({cls.reason}, {_named(kind)})")
    if isinstance(kind, Foreign | Class):
        return False  # a plain value is of no class of a package or of the tree
    return _plain_class_below(cls, kind)


def _tree_class_below(it: Interpreter, cls: Class, kind: Any, value: Any) -> Any:
    if isinstance(kind, Class):
        if any(one is kind for one in cls.order):
            return True
        # A class that is not read may have any base.
        unread = cls.foreign is not None and not isinstance(cls.foreign, Foreign)
        return Unknown(f"issubclass({cls.name}, {kind.name})") if unread else _protocol(it, cls, kind, value)
    if isinstance(kind, Foreign):
        for one in cls.order:
            if isinstance(one, Unknown):
                related = it.outside.is_subclass(one.reason, kind.reason)
                if related is not False:
                    return Unknown(f"issubclass({one.reason}, {kind.reason})") if related is None else True
        return False
    if isinstance(kind, type):
        if kind is type and cls.native is type:
            return True
        if any(isinstance(one, type) and one is not object and issubclass(one, kind) for one in cls.order):
            return True
        return _abstract(cls, kind)
    return Unknown(f"issubclass({cls.name}, {_named(kind)})")


def _plain_class_below(cls: Any, kind: Any) -> Any:
    if isinstance(kind, type):
        try:
            return issubclass(cls, kind)
        except TypeError as error:
            raise Raised(error) from None
    origin = typing.get_origin(kind) or kind
    if isinstance(origin, type) and isinstance(cls, type):
        return issubclass(cls, origin)
    if kind in (typing.Callable, collections.abc.Callable):
        return cls is types.FunctionType
    return Unknown(f"isinstance(..., {_named(kind)})")


def _abstract(cls: Class, kind: type) -> Any:
    needs = {
        collections.abc.Mapping: "__getitem__", collections.abc.Callable: "__call__",
        collections.abc.Iterable: "__iter__",
        collections.abc.Sequence: None, collections.abc.Hashable: "__hash__", collections.abc.Sized: "__len__",
    }.get(kind)  # fmt: skip
    if needs is None or needs == "__getitem__":
        return False
    return attributes.look_up(cls, needs)[0] != attributes.NOTHING


def _protocol(it: Interpreter, cls: Class, kind: Class, value: Any) -> Any:
    own = kind.meta and attributes.look_up(kind.meta, "__instancecheck__")
    if own and own[0] == attributes.METHOD and value is not MISSING:
        return it.call(own[1], [kind, value], {})
    return False
