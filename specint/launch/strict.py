"""`huggingface_hub.dataclasses` in specint's own words: records that check what is assigned to their fields.

Transformers 5 makes its configurations of these, so a key of the wrong type in a config.json ends a launch. Its text is
not read: SGLang pins Transformers, which leaves the version of huggingface_hub open.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Callable
from functools import partial
from typing import Any

from specint.execution import attributes, records
from specint.execution.code import MISSING
from specint.execution.interpreter import Interpreter
from specint.execution.records import Field, Record, record_of
from specint.execution.values import Builtin, Class, Instance, Raised, Unknown

VALIDATOR = "validator"
"""The key of a field's metadata that holds its own checks."""


class StrictDataclassFieldValidationError(Exception):
    """A value that a field doesn't take; named as what huggingface_hub raises."""


class StrictDataclassClassValidationError(Exception):
    """A record that one of its class's `validate_*` refuses; named as what huggingface_hub raises."""


def strict(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`@strict` and `@strict(accept_kwargs=True)`."""
    cls = arguments[0] if arguments else None
    if cls is None or isinstance(cls, Unknown):
        return Builtin("strict", lambda i, a, k: _made_strict(i, a[0], bool(keywords.get("accept_kwargs"))))
    return _made_strict(it, cls, False)


def as_validated_field(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`@as_validated_field`: a check becomes a maker of fields that are checked by it."""
    check = arguments[0]

    def make(it: Interpreter, given: list[Any], keywords: dict[str, Any]) -> Field:
        return validated_field(it, [check, *given], keywords)

    return Builtin("validated_field", make)


def validated_field(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Field:
    """`validated_field(check or checks, default=...)`."""
    check, *rest = arguments
    options = dict(zip(("default", "default_factory"), rest, strict=False)) | keywords
    found = records.make_field(it, [], options)
    found.metadata = {**found.metadata, VALIDATOR: list(check) if isinstance(check, list) else [check]}
    return found


# -- classes -----------------------------------------------------------------------------------------------------------
def _made_strict(it: Interpreter, cls: Any, accepts_any: bool) -> Any:
    if not isinstance(cls, Class):
        return cls
    names = {name for one in cls.order if isinstance(one, Class) for name in one.names if name.startswith("validate_")}
    it.set_attribute(cls, "__class_validators__", [it.get_attribute(cls, name) for name in sorted(names)])
    record = record_of(cls)
    _, assign = attributes.look_up(cls, "__setattr__")
    if isinstance(assign, Builtin) and isinstance(assign.run, partial) and assign.run.func is _assign:
        assign = assign.run.args[1]  # a base class's fields are this one's too
    if accepts_any and record is not None:
        it.set_attribute(cls, "__init__", Builtin("__init__", _initialiser(cls, record), binds=True))
    initialise = it.get_attribute(cls, "__init__")

    def validate(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
        for check in list(it.iterate(it.get_attribute(cls, "__class_validators__"))):
            _checked(it, partial(it.call, check, [arguments[0]], {}), StrictDataclassClassValidationError,
                     f"Class validation error for validator '{getattr(check, 'name', '?')}'")  # fmt: skip

    def initialise_and_validate(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        it.call(initialise, arguments, keywords)
        validate(it, arguments, {})

    it.set_attribute(cls, "__setattr__", Builtin("__setattr__", partial(_assign, record, assign), binds=True))
    it.set_attribute(cls, "validate", Builtin("validate", validate, binds=True))
    it.set_attribute(cls, "__init__", Builtin("__init__", initialise_and_validate, binds=True))
    return cls


def _assign(
    record: Record | None, plain: Any, it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]
) -> None:
    """`obj.name = value`, checked; `plain` is the `__setattr__` of a class without checks."""
    _, name, value = arguments
    if record is not None and name in record.fields:
        _check_field(it, record.fields[name], value)
    it.call(plain, arguments, {})


def _initialiser(cls: Class, record: Record) -> Callable[..., None]:
    """An `__init__` that gives keywords which are no fields to `__post_init__`."""

    def initialise(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        obj, given = arguments[0], arguments[1:]
        if given:
            text = f"When `accept_kwargs=True`, {cls.name} accepts only keyword arguments, but found `{len(given)}`"
            raise Raised(ValueError(f"{text} positional args."))
        for name, field in record.fields.items():
            if name in keywords:
                value = keywords[name]
            elif field.default is not MISSING:
                value = field.default
            elif field.factory is not MISSING:
                value = it.call(field.factory, [], {})
            else:
                raise Raised(TypeError(f"Missing required field - '{name}'"))
            it.set_attribute(obj, name, value)
        others = {name: value for name, value in keywords.items() if name not in record.fields}
        kind, after = attributes.look_up(obj.cls, "__post_init__")
        if kind == attributes.METHOD:
            it.call(after, [obj], others)
            return
        for name, value in others.items():
            it.set_attribute(obj, name, value)

    return initialise


# -- checks ------------------------------------------------------------------------------------------------------------
def _check_field(it: Interpreter, field: Field, value: Any) -> None:
    if isinstance(value, Unknown):
        return

    def check() -> None:
        refused = refusal(it, field.name, value, _type_of(field))
        if refused is not None:
            raise Raised(TypeError(refused))
        for one in field.metadata.get(VALIDATOR, ()) if isinstance(field.metadata, dict) else ():
            it.call(one, [value], {})

    _checked(it, check, StrictDataclassFieldValidationError, f"Validation error for field '{field.name}'")


def _checked(it: Interpreter, check: Callable[[], Any], error: type[Exception], what: str) -> None:
    """Run a check; a ValueError or TypeError comes out as huggingface_hub's own error."""
    try:
        check()
    except Raised as raised:
        value = raised.value
        if isinstance(value, Unknown) or it.is_instance(value, (ValueError, TypeError)) is not True:
            raise
        name = value.cls.name if isinstance(value, Instance) else type(value).__name__
        made = Raised(error(f"{what}:\n    {name}: {it.str_of(value)}"), raised.file, raised.line)
        made.through = list(raised.through)
        raise made from None


def _type_of(field: Field) -> Any:
    """A field's type; MISSING where the annotation is a text, which is not checked."""
    cls = field.owner
    written = (cls.names.get("__annotations__") or {}).get(field.name, MISSING) if cls is not None else MISSING
    return MISSING if isinstance(written, str) else written


def refusal(it: Interpreter, name: str, value: Any, kind: Any) -> str | None:
    """Why a value is none of a type, in huggingface_hub's words; None where it is, or where that can't be told."""
    if kind is MISSING or kind is Any or isinstance(kind, str | typing.ForwardRef | Unknown):
        return None
    if isinstance(value, Unknown):
        return None
    if kind is None:
        return None if value is None else f"Field '{name}' expected None, got {_kind(value)}"
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    container = _CONTAINERS.get(origin)
    if origin is typing.Union or isinstance(kind, types.UnionType):
        return _of_union(it, name, value, parts)
    if origin is typing.Literal:
        return _of_literal(name, value, parts)
    if container is not None:
        return container(it, name, value, parts)
    if isinstance(kind, type | Class):
        is_one = it.is_instance(value, kind)
        if is_one is False or (kind is int and isinstance(value, bool)):
            expected = kind.name if isinstance(kind, Class) else kind.__name__
            return f"Field '{name}' expected {expected}, got {_kind(value)} (value: {value!r})"
    return None


def _kind(value: Any) -> str:
    return value.cls.name if isinstance(value, Instance) else type(value).__name__


def _of_union(it: Interpreter, name: str, value: Any, parts: tuple[Any, ...]) -> str | None:
    refused = [refusal(it, name, value, one) for one in parts]
    if None in refused:
        return None
    errors = "; ".join(str(one) for one in refused)
    return f"Field '{name}' with value {value!r} doesn't match any type in {parts}. Errors: {errors}"


def _of_literal(name: str, value: Any, parts: tuple[Any, ...]) -> str | None:
    if isinstance(value, bool):
        parts = tuple(one for one in parts if isinstance(one, bool))
    elif isinstance(value, int):
        parts = tuple(one for one in parts if isinstance(one, int) and not isinstance(one, bool))
    return None if value in parts else f"Field '{name}' expected one of {parts}, got {value}"


def _of_sequence(kind: Any, article: str) -> Callable[..., str | None]:
    def check(it: Interpreter, name: str, value: Any, parts: tuple[Any, ...]) -> str | None:
        if not isinstance(value, kind):
            return f"Field '{name}' expected a {article}, got {_kind(value)}"
        for n, item in enumerate(value if parts else ()):
            if refusal(it, f"{name}[{n}]", item, parts[0]) is not None:
                return f"Invalid item at index {n} in {article.lower()} '{name}'"
        return None

    return check


def _of_tuple(it: Interpreter, name: str, value: Any, parts: tuple[Any, ...]) -> str | None:
    if not isinstance(value, tuple):
        return f"Field '{name}' expected a tuple, got {_kind(value)}"
    if len(parts) == 2 and parts[1] is Ellipsis:
        parts = (parts[0],) * len(value)
    if len(parts) != len(value):
        return f"Field '{name}' expected a tuple of length {len(parts)}, got {len(value)}"
    for n, (item, expected) in enumerate(zip(value, parts, strict=True)):
        if refusal(it, f"{name}[{n}]", item, expected) is not None:
            return f"Invalid item at index {n} in tuple '{name}'"
    return None


def _of_dict(it: Interpreter, name: str, value: Any, parts: tuple[Any, ...]) -> str | None:
    if not isinstance(value, dict):
        return f"Field '{name}' expected a dict, got {_kind(value)}"
    for key, item in value.items() if len(parts) == 2 else ():
        wrong = refusal(it, f"{name}.key", key, parts[0]), refusal(it, f"{name}[{key!r}]", item, parts[1])
        if wrong != (None, None):
            return f"Invalid key or value in dict '{name}'"
    return None


_CONTAINERS: dict[Any, Callable[..., str | None]] = {
    list: _of_sequence(list, "list"),
    set: _of_sequence(set, "set"),
    collections.abc.Sequence: _of_sequence(collections.abc.Sequence, "Sequence"),
    tuple: _of_tuple,
    dict: _of_dict,
}
