"""What operators do with values: within the bounds, and unknown where a side is."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from specint.execution import bounds
from specint.execution.values import Raised, UndeterminedError, Unknown

BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow), ast.LShift: ("<<", operator.lshift), ast.RShift: (">>", operator.rshift),
    ast.BitOr: ("|", operator.or_), ast.BitAnd: ("&", operator.and_), ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}  # fmt: skip
IN_PLACE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd, ast.Mult: operator.imul, ast.BitOr: operator.ior, ast.BitAnd: operator.iand,
    ast.BitXor: operator.ixor, ast.Sub: operator.isub,
}  # fmt: skip


def binary(it: Any, symbol: str, operate: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """`left symbol right` within the bounds; unknown where one side is."""
    if symbol == "*":
        bounds.check_product(it.budget, left, right)
    elif symbol == "+":
        bounds.check_sum(it.budget, left, right)
    elif symbol == "**":
        bounds.check_power(it.budget, left, right)
    elif symbol == "<<":
        bounds.check_shift(left, right)
    elif symbol == "%" and isinstance(left, str | bytes):
        bounds.check_format(str(left))
        bounds.check_whole(it.budget, right)
    if type(left) is int:
        bounds.count_digits(it.budget, left, right)
    try:
        return operate(left, right)
    except UndeterminedError as undetermined:
        text = None
        if symbol in "+%" and (isinstance(left, str) or isinstance(right, str)):
            text = shown(left) + shown(right)
        return Unknown(undetermined.unknown.reason, text)
    except Raised:
        raise
    except Exception as error:
        raise Raised(error) from None


def shown(value: Any) -> str:
    """A value in a message, the unknown part of it as such."""
    if isinstance(value, Unknown):
        return value.text if value.text is not None else f"<{value.reason}>"
    if bounds.too_large(value.args if isinstance(value, BaseException) else value):
        return f"<a {type(value).__name__} of too many elements>"
    try:
        return str(value)
    except (UndeterminedError, Raised):
        return "<?>"


def _contains(it: Any, left: Any, right: Any) -> Any:
    if isinstance(right, Unknown):
        return Unknown(f"in {right.reason}")
    return it.contains(right, left)


def compare(it: Any, kind: type, left: Any, right: Any) -> Any:
    """One comparison; unknown where a side is."""
    if type(left) in bounds.SIZED and kind is not ast.Is and kind is not ast.IsNot:
        bounds.check_whole(it.budget, left)
    try:
        if kind is ast.Eq:
            return left == right
        if kind is ast.NotEq:
            return left != right
        if kind is ast.Is or kind is ast.IsNot:
            same = it.same(left, right)
            return same if kind is ast.Is or isinstance(same, Unknown) else not same
        if kind is ast.In or kind is ast.NotIn:
            found = _contains(it, left, right)
            return found if kind is ast.In or isinstance(found, Unknown) else not found
        return ORDER[kind](left, right)
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except Raised:
        raise
    except Exception as error:
        raise Raised(error) from None


ORDER: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def hashable(it: Any, values: Iterable[Any]) -> Iterator[Any]:
    """The values, each with what its hash takes within the bounds."""
    for value in values:
        bounds.check_key(it.budget, value)
        yield value
