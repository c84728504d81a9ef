"""Operators on values: items, iteration, membership, equality, `with`."""

from __future__ import annotations

import collections
import types
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from specint.execution import attributes, bounds
from specint.execution.classes import forget_caches
from specint.execution.code import MISSING
from specint.execution.natives import OBJECT_METHODS, plainly
from specint.execution.values import (
    PLAIN,
    BoundMethod,
    Cached,
    Class,
    Foreign,
    Function,
    Instance,
    Module,
    Property,
    Raised,
    UndeterminedError,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter


def set_plain(it: Interpreter, value: Any, name: str, found: Any) -> None:
    """`object.__setattr__`: a data descriptor, else the object's own dictionary."""
    kind = type(value)
    if kind is Instance:
        how, own = attributes.look_up(value.cls, name)
        if how == attributes.DATA:
            if type(own) is Property:
                if own.setter is None:
                    raise Raised(AttributeError(f"property '{name}' of '{value.cls.name}' object has no setter"))
                it.call(own.setter, [value, found], {})
            else:
                it.call(attributes.look_up(own.cls, "__set__")[1], [own, value, found], {})
            return
        if isinstance(value.payload, BaseException) and name in ("args", "__cause__", "__context__"):
            return
        if it.journal is not None:
            it.touch(value.attributes)
        value.attributes[name] = found
        if it.on_write is not None:
            it.on_write(value, name)
    elif kind is Class or kind is Module:
        it.touch(value.names)
        value.names[name] = found
        if kind is Class:
            if type(found) is Function and found.owner is None:
                found.owner = value
            forget_caches(value)
    elif kind in (Function, Cached):
        it.touch(value.attributes)
        value.attributes[name] = found
    elif isinstance(value, Unknown):
        return
    elif kind.__name__ == "Namespace":
        it.touch(vars(value))
        vars(value)[name] = found
    elif isinstance(value, PLAIN) or kind in (list, dict, set, tuple):
        raise Raised(AttributeError(f"'{kind.__name__}' object has no attribute '{name}'"))
    else:
        it.touch(it.extras)
        before = it.extras.get(id(value))
        it.extras[id(value)] = (value, {**(before[1] if before and before[0] is value else {}), name: found})


def special(it: Interpreter, value: Instance, name: str, arguments: list[Any]) -> Any:
    """A method with two underscores; on the plain value of a subclass of `str` and its like, Python's own."""
    kind, own = attributes.look_up(value.cls, name)
    if kind == attributes.METHOD:
        return it.call(own, [value, *arguments], {})
    if kind == attributes.STATIC:
        return it.call(own.function, arguments, {})
    if kind == attributes.FOREIGN:
        raise UndeterminedError(Unknown(f"{own.reason}.{name}"))
    if "__unknown__" in value.attributes:
        raise UndeterminedError(value.attributes["__unknown__"])
    if value.payload is not None and hasattr(value.payload, name):
        if name in ("__setitem__", "__delitem__"):
            it.touch(value.payload)
        if name == "__getitem__" and isinstance(value.payload, dict) and arguments[0] not in value.payload:
            missing_kind, missing = attributes.look_up(value.cls, "__missing__")
            if missing_kind == attributes.METHOD:
                return it.call(missing, [value, *arguments], {})
        try:
            result = getattr(value.payload, name)(*[plainly(argument) for argument in arguments])
        except (TypeError, KeyError, IndexError, ValueError, ZeroDivisionError) as error:
            raise Raised(error) from None
        return result
    if name in ("__eq__", "__ne__", "__hash__"):
        return NotImplemented
    if name.startswith("__r") or name in ("__lt__", "__gt__", "__le__", "__ge__"):
        return NotImplemented
    reflected = f"__r{name[2:]}"
    if arguments and isinstance(arguments[0], Instance) and attributes.look_up(arguments[0].cls, reflected)[0]:
        return NotImplemented
    raise Raised(TypeError(f"'{value.cls.name}' object does not support {name}"))


def equal(it: Interpreter, left: Instance, right: Any) -> Any:
    """`left == right`."""
    if left is right:
        return True
    kind, own = attributes.look_up(left.cls, "__eq__")
    if kind == attributes.METHOD and own is not OBJECT_METHODS["__eq__"]:
        found = it.call(own, [left, right], {})
        if found is not NotImplemented:
            if isinstance(found, Unknown):
                raise UndeterminedError(found)
            return found
    elif kind == attributes.FOREIGN:
        raise UndeterminedError(Unknown(f"{own.reason} == ..."))
    elif left.cls.record is not None and isinstance(left.cls.record, tuple):
        if not isinstance(right, Instance) or right.cls is not left.cls:
            return False
        it.step()
        pairs = [(left.attributes.get(name), right.attributes.get(name)) for name in left.cls.record[1]]
        for pair in pairs:
            bounds.check_alike(it.budget, *pair)
        return all(one == other for one, other in pairs)
    if "__unknown__" in left.attributes:
        raise UndeterminedError(left.attributes["__unknown__"])
    if left.payload is not None:
        return left.payload == (right.payload if isinstance(right, Instance) else right)
    if isinstance(right, Unknown) and type(right) is Unknown:
        raise UndeterminedError(right)
    return False


def hash_of(it: Interpreter, value: Instance) -> int:
    """`hash(value)`."""
    kind, own = attributes.look_up(value.cls, "__hash__")
    if kind == attributes.METHOD and type(own) is Function:
        return int(it.call(own, [value], {}))
    if value.payload is not None:
        try:
            return hash(value.payload)
        except TypeError:
            pass
    if isinstance(value.cls.record, tuple):
        it.step()
        held = tuple(value.attributes.get(name) for name in value.cls.record[1])
        bounds.check_key(it.budget, held)
        try:
            return hash(held)
        except TypeError:
            pass
    return id(value) >> 4


def truth(it: Interpreter, value: Instance) -> bool:
    """`bool(value)`."""
    for name in ("__bool__", "__len__"):
        kind, own = attributes.look_up(value.cls, name)
        if kind == attributes.METHOD:
            return it.truth_value(it.call(own, [value], {}))
    if "__unknown__" in value.attributes:
        raise UndeterminedError(value.attributes["__unknown__"])
    if value.payload is not None and not isinstance(value.payload, BaseException):
        return bool(value.payload)
    return True


# -- items -------------------------------------------------------------------------------------------------------------
def get_item(it: Interpreter, value: Any, index: Any) -> Any:
    """`value[index]`."""
    kind = type(value)
    if kind in (dict, list, tuple, str) or isinstance(value, dict):
        return _element(it, value, index)
    if kind is Instance:
        own_kind, own = attributes.look_up(value.cls, "__getitem__")
        if own_kind == attributes.METHOD:
            return it.call(own, [value, index], {})
        if own_kind == attributes.FOREIGN:
            return Unknown(f"{own.reason}[]")
        return special(it, value, "__getitem__", [index])
    if kind is Class:
        return _item_of_class(it, value, index)
    if isinstance(value, Unknown):
        return value if isinstance(value, Foreign) else Unknown(f"{value.reason}[]")
    if isinstance(value, type) or type(value).__module__ == "typing" or isinstance(value, types.GenericAlias):
        return _typed(value, index)
    try:
        return value[index]
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise Raised(error) from None


def _element(it: Interpreter, value: Any, index: Any) -> Any:
    if isinstance(index, Unknown) and (type(index) is Unknown or not isinstance(value, dict)):
        return Unknown(f"[{index.reason}]")
    if type(value).__name__ == "Environment":
        found = value.read(index)
        if found is None:
            raise Raised(KeyError(index))
        return found
    if type(value) is collections.defaultdict:
        it.touch(value)
    bounds.check_key(it.budget, index)
    try:
        return value[index if isinstance(value, dict) else plainly(index)]
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except Raised:
        raise
    except Exception as error:
        raise Raised(error) from None


def _item_of_class(it: Interpreter, cls: Class, index: Any) -> Any:
    if any(isinstance(base, Class) and base.record == "enum" for base in cls.order):
        from specint.execution.enums import members_of

        found = members_of(cls).get(index)
        if found is None:
            raise Raised(KeyError(index))
        return found
    if cls.meta is not None and (own := attributes.look_up(cls.meta, "__getitem__"))[0] == attributes.METHOD:
        return it.call(own[1], [cls, index], {})
    own_kind, own = attributes.look_up(cls, "__class_getitem__")
    return it.call(own.function, [cls, index], {}) if own_kind == attributes.FOR_CLASS else cls


def _typed(value: Any, index: Any) -> Any:
    if value is typing.Literal:
        return typing.Literal[index]
    try:
        return value[index]
    except (TypeError, UndeterminedError):
        return Unknown("a type")


def set_item(it: Interpreter, value: Any, index: Any, found: Any) -> None:
    """`value[index] = found`."""
    if isinstance(value, dict | list | bytearray):
        it.touch(value)
        if type(index) is Unknown:
            it.lost(index)
            return
        bounds.check_key(it.budget, index)
        try:
            value[index] = found if not isinstance(index, slice) else list(it.iterate(found))
        except UndeterminedError as undetermined:
            it.lost(undetermined.unknown)
        except (TypeError, IndexError, ValueError) as error:
            raise Raised(error) from None
        if len(value) > 1000:
            it.step()
            if len(value) > bounds.LONGEST:
                raise bounds.ExhaustedError("a container of too many elements")
    elif isinstance(value, Instance):
        special(it, value, "__setitem__", [index, found])
    elif not isinstance(value, Unknown):
        raise Raised(TypeError(f"'{type(value).__name__}' object does not support item assignment"))


def delete_item(it: Interpreter, value: Any, index: Any) -> None:
    """`del value[index]`."""
    if isinstance(value, dict | list):
        it.touch(value)
        bounds.check_key(it.budget, index)
        try:
            del value[index]
        except (KeyError, IndexError, TypeError) as error:
            raise Raised(error) from None
    elif isinstance(value, Instance):
        special(it, value, "__delitem__", [index])


def iterate(it: Interpreter, value: Any) -> Iterator[Any]:
    """The elements of a value."""
    kind = type(value)
    if kind in (list, tuple, str, range, set, frozenset) or isinstance(value, dict):
        return iter(value)
    if kind is Instance:
        own_kind, own = attributes.look_up(value.cls, "__iter__")
        if own_kind == attributes.METHOD:
            made = it.call(own, [value], {})
            return iterate(it, made) if made is not value else _by_next(it, value)
        if own_kind == attributes.FOREIGN:
            raise UndeterminedError(Unknown(f"iter({own.reason})"))
        if value.payload is not None and hasattr(value.payload, "__iter__"):
            return iter(value.payload)
        if attributes.look_up(value.cls, "__getitem__")[0] == attributes.METHOD:
            return _by_index(it, value)
        if "__unknown__" in value.attributes:
            raise UndeterminedError(value.attributes["__unknown__"])
        raise Raised(TypeError(f"'{value.cls.name}' object is not iterable"))
    if kind is Class:
        from specint.execution.enums import members_of

        if value.record == "enum" or any(isinstance(base, Class) and base.record == "enum" for base in value.order):
            return iter([m for name, m in members_of(value).items() if m.attributes.get("_name_") == name])
        if value.meta is not None and (own := attributes.look_up(value.meta, "__iter__"))[0] == attributes.METHOD:
            return iterate(it, it.call(own[1], [value], {}))
        raise Raised(TypeError(f"'{value.meta.name if value.meta else 'type'}' object is not iterable"))
    if isinstance(value, Unknown):
        raise UndeterminedError(value)
    try:
        return _counted(it, iter(value))
    except TypeError as error:
        raise Raised(error) from None


def _counted(it: Interpreter, source: Iterator[Any]) -> Iterator[Any]:
    for item in source:
        it.step()
        yield item


def _by_next(it: Interpreter, value: Instance) -> Iterator[Any]:
    while True:
        try:
            yield special(it, value, "__next__", [])
        except Raised as raised:
            if isinstance(raised.value, StopIteration):
                return
            raise


def _by_index(it: Interpreter, value: Instance) -> Iterator[Any]:
    for n in range(bounds.LONGEST):
        it.step()
        try:
            yield get_item(it, value, n)
        except Raised as raised:
            if isinstance(raised.value, IndexError):
                return
            raise


def length(it: Interpreter, value: Any) -> Any:
    """`len(value)`."""
    if isinstance(value, Instance):
        kind, own = attributes.look_up(value.cls, "__len__")
        if kind == attributes.METHOD:
            return it.call(own, [value], {})
        if kind == attributes.FOREIGN:
            return Unknown(f"len({own.reason})")
        if value.payload is not None and hasattr(value.payload, "__len__"):
            return len(value.payload)
        raise Raised(TypeError(f"object of type '{value.cls.name}' has no len()"))
    if isinstance(value, Class):
        return len(list(iterate(it, value)))
    if isinstance(value, Unknown):
        return Unknown(f"len({value.reason})")
    try:
        return len(value)
    except TypeError as error:
        raise Raised(error) from None


def contains(it: Interpreter, container: Any, item: Any) -> Any:
    """`item in container`."""
    if isinstance(container, Instance):
        kind, own = attributes.look_up(container.cls, "__contains__")
        if kind == attributes.METHOD:
            found = it.call(own, [container, item], {})
            return found if isinstance(found, Unknown) else it.truth_value(found)
        if kind == attributes.FOREIGN:
            return Unknown(f"in {own.reason}")
        if container.payload is not None:
            container = container.payload
        else:
            return any(item is other or item == other for other in iterate(it, container))
    if isinstance(container, str):
        item = plainly(item)
    if type(item) is Unknown and isinstance(container, dict | set | frozenset):
        return Unknown(f"is {item.reason} in it") if container else False
    if type(container).__name__ == "Environment":
        return container.read(item) is not None
    if isinstance(container, range) and not isinstance(item, int):
        bounds.check_range(container)
    if isinstance(container, list | tuple):
        unknown: Unknown | None = None
        for other in container:
            try:
                if other is item or other == item:
                    return True
            except UndeterminedError as undetermined:
                unknown = undetermined.unknown
        return unknown if unknown is not None else False
    try:
        found = item in container
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except Raised:
        raise
    except TypeError as error:
        raise Raised(error) from None
    if not found and isinstance(container, set | frozenset | dict):
        unknown = next((one for one in container if type(one) is Unknown), None)
        if unknown is not None:
            return unknown
    return found


def mapping(it: Interpreter, value: Any) -> dict[Any, Any]:
    """A value as keys and values."""
    if isinstance(value, dict):
        return value
    if isinstance(value, Unknown):
        raise UndeterminedError(value)
    if isinstance(value, Instance):
        if isinstance(value.payload, dict):
            return value.payload
        if attributes.look_up(value.cls, "keys")[0] == attributes.METHOD:
            keys = it.call(it.get_attribute(value, "keys"), [], {})
            return {key: get_item(it, value, key) for key in iterate(it, keys)}
    found: dict[Any, Any] = {}
    for pair in iterate(it, value):
        it.step()
        key, one = iterate(it, pair)
        bounds.check_key(it.budget, key)
        found[key] = one
    return found


def same(it: Interpreter, left: Any, right: Any) -> Any:
    """`left is right`."""
    if left is right:
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Foreign):
            if isinstance(other, Foreign):
                return one.path == other.path
            if it.outside.is_object(one.reason) or not (other is None or isinstance(other, bool)):
                return False
            return Unknown(f"{one.reason} is {other}")
        if isinstance(one, Unknown):
            return Unknown(f"{one.reason} is {getattr(other, 'reason', other)!s}"[:200])
    if isinstance(left, BoundMethod | tuple | str | int | type | types.GenericAlias):
        return type(left) is type(right) and left == right
    return False


# -- caches and with ---------------------------------------------------------------------------------------------------
def call_cached(it: Interpreter, cached: Cached, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A call of a function under `functools.cache`."""
    try:
        key = (tuple(arguments), tuple(keywords.items()))
        bounds.check_key(it.budget, key)
        known = cached.memo.get(key, MISSING)
    except (TypeError, UndeterminedError):
        return it.call(cached.function, arguments, keywords)
    if known is MISSING:
        known = it.call(cached.function, arguments, keywords)
        it.touch(cached.memo)
        cached.memo[key] = known
    return known


def call_object(it: Interpreter, called: Instance, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """A call of an object of the tree."""
    kind, own = attributes.look_up(called.cls, "__call__")
    if kind == attributes.METHOD:
        return it.call(own, [called, *arguments], keywords)
    if kind == attributes.FOREIGN:
        return Unknown(f"{called.cls.name}()()")
    raise Raised(TypeError(f"'{called.cls.name}' object is not callable"))


def enter(it: Interpreter, manager: Any) -> Any:
    """`manager.__enter__()`; what is not in the tree gives something unknown."""
    if isinstance(manager, Instance):
        kind, own = attributes.look_up(manager.cls, "__enter__")
        if kind == attributes.METHOD:
            return it.call(own, [manager], {})
        return Unknown(f"{manager.cls.name}.__enter__()")
    if isinstance(manager, Unknown):
        return Unknown(f"with {manager.reason}")
    enter_known = getattr(manager, "entered", None)
    return enter_known(it) if enter_known is not None else manager


def leave(it: Interpreter, manager: Any, raised: Raised | None) -> bool:
    """`manager.__exit__(...)`."""
    if isinstance(manager, Instance):
        kind, own = attributes.look_up(manager.cls, "__exit__")
        if kind != attributes.METHOD:
            return False
        told = [None, None, None] if raised is None else [it.builtins["type"], raised.value, None]
        found = it.call(own, [manager, *told], {})
        return raised is not None and not isinstance(found, Unknown) and it.truth_value(found)
    left = getattr(manager, "left", None)
    return bool(left(it, raised)) if left is not None else False
