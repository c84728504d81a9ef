"""Expressions of the source as closures: `compile_expression(node, context)(frame)` is the value."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from specint.execution.attributes import of_object
from specint.execution.code import MISSING, Expression, Frame, FunctionCode, ModuleCode
from specint.execution.operators import BINARY, binary, compare
from specint.execution.scopes import Scope
from specint.execution.values import PLAIN, ImportedName, Instance, Raised, UndeterminedError, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable


class Context:
    """Where an expression or statement stands."""

    __slots__ = ("cls_name", "module", "scope")

    def __init__(self, module: ModuleCode, scope: Scope) -> None:
        self.module = module
        self.scope = scope
        self.cls_name = ""  # the class whose body this is in, for names with two underscores


def compile_expression(node: ast.expr, context: Context) -> Expression:
    """The closure that gives the expression's value in a frame."""
    make = MAKERS.get(type(node))
    if make is None:
        reason = f"{type(node).__name__} is not evaluated"
        return lambda f: Unknown(reason)
    return make(node, context)


def _constant(node: ast.Constant, context: Context) -> Expression:
    value = node.value
    return lambda f: value


def _name(node: ast.Name, context: Context) -> Expression:
    return name_lookup(node.id, context.scope)


def name_lookup(name: str, scope: Scope) -> Expression:
    """The closure that looks a name up from a scope."""
    kind, depth = scope.place(name)
    if kind == "local":

        def local(f: Frame) -> Any:
            try:
                value = f.vars[name]
            except KeyError:
                raise f.it.error(UnboundLocalError, f"cannot access local variable '{name}'", f) from None
            return value if type(value) is not ImportedName else f.it.used(f.vars, name, value)

        return local
    if kind == "outer":

        def outer(f: Frame) -> Any:
            frame: Any = f
            for _ in range(depth):
                frame = frame.parent
            try:
                value = frame.vars[name]
            except KeyError:
                raise f.it.error(NameError, f"free variable '{name}' is not set", f) from None
            return value if type(value) is not ImportedName else f.it.used(frame.vars, name, value)

        return outer

    def from_module(f: Frame) -> Any:
        value = f.globals.get(name, MISSING)
        if value is MISSING:
            value = f.it.builtins.get(name, MISSING)
            if value is MISSING:
                raise f.it.error(NameError, f"name '{name}' is not defined", f)
            return value
        return value if type(value) is not ImportedName else f.it.used(f.globals, name, value)

    if kind == "class":
        beyond = name_lookup_outer(name, depth) if depth else from_module

        def in_class(f: Frame) -> Any:
            value = f.vars.get(name, MISSING)
            if value is MISSING:
                return beyond(f)
            return value if type(value) is not ImportedName else f.it.used(f.vars, name, value)

        return in_class
    if scope.kind == "class":

        def unbound(f: Frame) -> Any:
            value = f.vars.get(name, MISSING)
            return from_module(f) if value is MISSING else value

        return unbound
    return from_module


def name_lookup_outer(name: str, depth: int) -> Expression:
    """As an enclosing function's variable, so many function frames up."""

    def outer(f: Frame) -> Any:
        frame: Any = f
        for _ in range(depth):
            frame = frame.parent
        return frame.vars[name]

    return outer


def _attribute(node: ast.Attribute, context: Context) -> Expression:
    value = compile_expression(node.value, context)
    name = node.attr
    if name.startswith("__") and not name.endswith("__") and (owner := _class_around(context)):
        name = f"_{owner.lstrip('_')}{name}"
    line = node.lineno

    def get(f: Frame) -> Any:
        found = value(f)
        try:
            if type(found) is Instance:
                return of_object(f.it, found, name)
            return f.it.get_attribute(found, name)
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = f.file, line
            raise

    return get


def _class_around(context: Context) -> str:
    return context.cls_name


def _binary(node: ast.BinOp, context: Context) -> Expression:
    left, right = compile_expression(node.left, context), compile_expression(node.right, context)
    symbol, operate = BINARY[type(node.op)]
    line = node.lineno

    def compute(f: Frame) -> Any:
        try:
            return binary(f.it, symbol, operate, left(f), right(f))
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = f.file, line
            raise

    return compute


def _unary(node: ast.UnaryOp, context: Context) -> Expression:
    operand = compile_expression(node.operand, context)
    if isinstance(node.op, ast.Not):

        def negate(f: Frame) -> Any:
            value = operand(f)
            if value is True or value is False:
                return not value
            try:
                return not f.it.truth_value(value)
            except UndeterminedError as undetermined:
                return Unknown(f"not {undetermined.unknown.reason}")

        return negate
    operate: Any = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}[type(node.op)]

    def compute(f: Frame) -> Any:
        try:
            return operate(operand(f))
        except UndeterminedError as undetermined:
            return undetermined.unknown
        except Raised:
            raise
        except Exception as error:
            raise Raised(error, f.file, f.line) from None

    return compute


def _boolean(node: ast.BoolOp, context: Context) -> Expression:
    """`and`, `or`: an unknown side gives way to the other where that one settles the whole."""
    parts = [compile_expression(value, context) for value in node.values]
    settles = isinstance(node.op, ast.Or)

    def compute(f: Frame) -> Any:
        unknown: Unknown | None = None
        value: Any = None
        for part in parts:
            value = part(f) if unknown is None else _quietly(part, f)
            if value is True or value is False:
                truth = value
            else:
                try:
                    truth = f.it.truth_value(value)
                except UndeterminedError as undetermined:
                    if unknown is None:
                        unknown = value if isinstance(value, Unknown) else undetermined.unknown
                    continue
            if truth is settles:
                return value
        return unknown if unknown is not None else value

    return compute


def _quietly(part: Expression, f: Frame) -> Any:
    # After an unknown side the other may not be meant to run at all: what it raises says nothing.
    try:
        return part(f)
    except Raised:
        return Unknown("a test after an unknown one raises")


def _compare(node: ast.Compare, context: Context) -> Expression:
    first = compile_expression(node.left, context)
    steps = [
        (type(op), compile_expression(right, context)) for op, right in zip(node.ops, node.comparators, strict=True)
    ]
    line = node.lineno
    if len(steps) == 1:
        kind, only = steps[0]
        if kind in (ast.In, ast.NotIn) and (listed := constants_of(node.comparators[0])) is not None:
            only = lambda f: listed  # noqa: E731 - nobody else gets hold of it
        if kind is ast.Is or kind is ast.IsNot:
            negated = kind is ast.IsNot

            def identity(f: Frame) -> Any:
                left, right = first(f), only(f)
                if isinstance(left, PLAIN) and isinstance(right, PLAIN):
                    return (left is right or (type(left) is type(right) and left == right)) is not negated
                same = f.it.same(left, right)
                return same if isinstance(same, Unknown) or not negated else not same

            return identity

        is_in, is_equal = kind is ast.In, kind is ast.Eq

        def single(f: Frame) -> Any:
            try:
                left, right = first(f), only(f)
                if type(left) is str:
                    # Nearly all comparisons are of these: no element of either can be unknown.
                    if is_equal and type(right) is str:
                        return left == right
                    if is_in and type(right) is dict:
                        return left in right
                return compare(f.it, kind, left, right)
            except Raised as raised:
                if not raised.line:
                    raised.file, raised.line = f.file, line
                raise

        return single

    def chain(f: Frame) -> Any:
        left = first(f)
        value: Any = True
        for kind, part in steps:
            right = part(f)
            value = compare(f.it, kind, left, right)
            if isinstance(value, Unknown) or not f.it.truth_value(value):
                return value
            left = right
        return value

    return chain


def constants_of(node: ast.expr) -> list[Any] | set[Any] | None:
    """The value of a list or set that holds nothing but constants; None for all else."""
    if not isinstance(node, ast.List | ast.Set) or not all(isinstance(one, ast.Constant) for one in node.elts):
        return None
    values = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    return values if isinstance(node, ast.List) else set(values)


def later(node: ast.expr, context: Context) -> Expression:
    """As `compile_expression`, when the value is asked for: most annotations never are."""
    made: list[Expression] = []

    def run(f: Frame) -> Any:
        if not made:
            made.append(compile_expression(node, context))
        return made[0](f)

    return run


def _conditional(node: ast.IfExp, context: Context) -> Expression:
    test = compile_expression(node.test, context)
    then, otherwise = compile_expression(node.body, context), compile_expression(node.orelse, context)
    line = node.lineno

    def choose(f: Frame) -> Any:
        value = test(f)
        if value is True:
            return then(f)
        if value is False:
            return otherwise(f)
        return then(f) if f.it.decide(value, f, line) else otherwise(f)

    return choose


def elements(nodes: list[ast.expr], context: Context) -> Callable[[Frame], list[Any]]:
    """The closure that gives the values of several expressions, starred ones spread out."""
    if not any(isinstance(node, ast.Starred) for node in nodes):
        parts = [compile_expression(node, context) for node in nodes]
        if not parts:
            return lambda f: []
        if len(parts) == 1:
            only = parts[0]
            return lambda f: [only(f)]
        return lambda f: [part(f) for part in parts]
    pieces = [
        (
            isinstance(node, ast.Starred),
            compile_expression(node.value if isinstance(node, ast.Starred) else node, context),
        )
        for node in nodes
    ]

    def gather(f: Frame) -> list[Any]:
        found: list[Any] = []
        for starred, part in pieces:
            value = part(f)
            if not starred:
                found.append(value)
            elif isinstance(value, Unknown):
                raise UndeterminedError(value)
            else:
                for item in f.it.iterate(value):
                    found.append(item)
                    f.it.step()
        return found

    return gather


def _subscript(node: ast.Subscript, context: Context) -> Expression:
    value, index = compile_expression(node.value, context), compile_expression(node.slice, context)
    line = node.lineno

    def get(f: Frame) -> Any:
        try:
            return f.it.get_item(value(f), index(f))
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = f.file, line
            raise

    return get


def _slice(node: ast.Slice, context: Context) -> Expression:
    parts = [
        compile_expression(part, context) if part else (lambda f: None) for part in (node.lower, node.upper, node.step)
    ]

    def make(f: Frame) -> Any:
        values = [part(f) for part in parts]
        unknown = next((value for value in values if isinstance(value, Unknown)), None)
        return unknown if unknown is not None else slice(*values)

    return make


def _call(node: ast.Call, context: Context) -> Expression:
    function = compile_expression(node.func, context)
    arguments = elements(node.args, context)
    keywords = [(keyword.arg, compile_expression(keyword.value, context)) for keyword in node.keywords]
    line = node.lineno
    special = node.func.id if isinstance(node.func, ast.Name) and node.func.id in NEEDS_FRAME else ""

    def call(f: Frame) -> Any:
        called = function(f)
        try:
            given = arguments(f)
            named: dict[str, Any] = {}
            for name, value in keywords:
                if name is not None:
                    named[name] = value(f)
                else:
                    other = value(f)
                    if isinstance(other, Unknown):
                        return Unknown(f"arguments from {other.reason}")
                    named.update(f.it.mapping(other))
        except UndeterminedError as undetermined:
            return undetermined.unknown
        f.line = line
        if special and called is f.it.builtins.get(special):
            return f.it.call_in_frame(special, f, given)
        try:
            return f.it.call(called, given, named)
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = f.file, line
            raise
        finally:
            f.line = line

    return call


NEEDS_FRAME = ("super", "locals", "globals", "vars", "dir", "eval", "exec")


def _lambda(node: ast.Lambda, context: Context) -> Expression:
    from specint.execution.functions import make_function

    code = FunctionCode(node, context.module, context.scope)
    defaults = [compile_expression(default, context) for default in node.args.defaults]
    keyword_defaults = {
        argument.arg: compile_expression(default, context)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    return lambda f: make_function(f, code, defaults, keyword_defaults, context.scope.kind)


def _walrus(node: ast.NamedExpr, context: Context) -> Expression:
    from specint.execution.targets import compile_target

    value = compile_expression(node.value, context)
    kind, depth = context.scope.place(node.target.id)
    bind = compile_target(node.target, context)
    if kind == "outer":
        bind = outer_target(node.target.id, depth)

    def assign(f: Frame) -> Any:
        found = value(f)
        bind(f, found)
        return found

    return assign


def outer_target(name: str, depth: int) -> Callable[[Frame, Any], None]:
    """Binding a variable of an enclosing function: `nonlocal`, and `:=` in a comprehension."""

    def bind(f: Frame, value: Any) -> None:
        frame: Any = f
        for _ in range(depth):
            frame = frame.parent
        f.it.touch(frame.vars)
        frame.vars[name] = value

    return bind


def _starred(node: ast.Starred, context: Context) -> Expression:
    return compile_expression(node.value, context)


def _await(node: ast.Await, context: Context) -> Expression:
    return lambda f: Unknown("await")


MAKERS: dict[type, Callable[[Any, Context], Expression]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.BinOp: _binary, ast.UnaryOp: _unary,
    ast.BoolOp: _boolean, ast.Compare: _compare, ast.IfExp: _conditional, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.Call: _call, ast.Lambda: _lambda, ast.NamedExpr: _walrus, ast.Starred: _starred, ast.Await: _await,
}  # fmt: skip
