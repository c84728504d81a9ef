"""Values as text: `str`, `repr`, `format`."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from specint.execution import attributes, bounds
from specint.execution.natives import OBJECT_METHODS
from specint.execution.objects import get_item
from specint.execution.values import (
    PLAIN,
    Foreign,
    Instance,
    Raised,
    UndeterminedError,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter


def str_of(it: Interpreter, value: Any) -> Any:
    """`str(value)`."""
    if isinstance(value, Instance):
        kind, own = attributes.look_up(value.cls, "__str__")
        if kind == attributes.METHOD and own is not OBJECT_METHODS["__str__"]:
            return it.call(own, [value], {})
        if "__unknown__" in value.attributes:
            return value.attributes["__unknown__"]
        if value.payload is not None and not (isinstance(value.payload, PLAIN) and value.cls.record == "enum"):
            _check(it, value.payload)
            return str(value.payload)
        return repr_of(it, value)
    return _plain_text(it, value, str)


def repr_of(it: Interpreter, value: Any) -> Any:
    """`repr(value)`."""
    if isinstance(value, Instance):
        kind, own = attributes.look_up(value.cls, "__repr__")
        if kind == attributes.METHOD and own is not OBJECT_METHODS["__repr__"]:
            return it.call(own, [value], {})
        if value.payload is not None:
            _check(it, value.payload)
            return (
                f"{value.cls.name}{value.payload.args!r}"
                if isinstance(value.payload, BaseException)
                else repr(value.payload)
            )
        if isinstance(value.cls.record, tuple):
            it.step()
            _check(it, list(value.attributes.values()))
            fields = ", ".join(f"{name}={value.attributes.get(name)!r}" for name in value.cls.record[1])
            return f"{value.cls.qualname}({fields})"
        return it.default_repr(value)
    return _plain_text(it, value, repr)


def _check(it: Interpreter, value: Any) -> None:
    bounds.check_whole(it.budget, value.args if isinstance(value, BaseException) else value)


def _plain_text(it: Interpreter, value: Any, make: Any) -> Any:
    if isinstance(value, Foreign) and it.outside.is_constant(value.reason):
        return value.reason
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.text if value.text is not None else f"<{value.reason}>")
    bounds.check_whole(it.budget, value)
    try:
        text = make(value)
    except UndeterminedError as undetermined:
        return Unknown(undetermined.unknown.reason, f"<{undetermined.unknown.reason}>")
    except (RecursionError, MemoryError):
        raise bounds.ExhaustedError("a text that is too deep") from None
    except ValueError as error:
        raise Raised(error) from None
    if len(text) > 1000:
        it.budget.built(len(text))
    return text


class _Formatter(string.Formatter):
    def __init__(self, it: Interpreter) -> None:
        self.it = it

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        from _string import formatter_field_name_split  # type: ignore[import-not-found]  # what string.Formatter itself uses

        first, rest = formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = self.it.get_attribute(value, name) if is_attribute else get_item(self.it, value, name)
        return value, first

    def format_field(self, value: Any, format_spec: str) -> Any:
        bounds.check_format(format_spec)
        if isinstance(value, Unknown):
            raise UndeterminedError(value)
        return format(value if isinstance(value, PLAIN) else self.it.formatted(value), format_spec)


def format_text(it: Interpreter, text: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`text.format(...)` without a way to what evaluated code must not see."""
    if not isinstance(text, str):
        return Unknown("bytes.format")
    bounds.check_format(text)
    try:
        return _Formatter(it).vformat(text, arguments, keywords)
    except UndeterminedError as undetermined:
        return Unknown(undetermined.unknown.reason, text)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise Raised(error) from None
