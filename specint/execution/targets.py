"""What is assigned to: names, attributes, items, and several at once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from specint.execution.code import Frame
from specint.execution.expressions import Context, compile_expression, outer_target
from specint.execution.values import UndeterminedError, Unknown

Target = Callable[[Frame, Any], None]


def compile_target(node: ast.expr, context: Context) -> Target:
    """What binding to a target does."""
    if isinstance(node, ast.Name):
        return name_target(node.id, context)
    if isinstance(node, ast.Attribute):
        value, name = compile_expression(node.value, context), node.attr
        if name.startswith("__") and not name.endswith("__") and context_class(context):
            name = f"_{context_class(context).lstrip('_')}{name}"
        return lambda f, found: f.it.set_attribute(value(f), name, found)
    if isinstance(node, ast.Subscript):
        container, index = compile_expression(node.value, context), compile_expression(node.slice, context)
        return lambda f, found: f.it.set_item(container(f), index(f), found)
    if isinstance(node, ast.Tuple | ast.List):
        return _unpacking(node.elts, context)
    if isinstance(node, ast.Starred):
        return compile_target(node.value, context)
    raise SyntaxError(f"can't assign to {type(node).__name__}")


def context_class(context: Context) -> str:
    """The class whose body the code is in, for names with two underscores."""
    return context.cls_name


def name_target(name: str, context: Context) -> Target:
    """Binding a name."""
    kind, depth = context.scope.place(name)
    if kind == "local":

        def bind_local(f: Frame, value: Any) -> None:
            f.vars[name] = value

        return bind_local
    if context.scope.kind == "class" and name not in context.scope.globals:

        def bind_class(f: Frame, value: Any) -> None:
            f.vars[name] = value

        return bind_class
    if kind == "outer":
        return outer_target(name, depth)

    def bind_global(f: Frame, value: Any) -> None:
        f.it.touch(f.globals)
        f.globals[name] = value

    return bind_global


def _unpacking(nodes: list[ast.expr], context: Context) -> Target:
    targets = [compile_target(node, context) for node in nodes]
    star = next((n for n, node in enumerate(nodes) if isinstance(node, ast.Starred)), None)
    plain = [node.id for node in nodes if isinstance(node, ast.Name) and context.scope.place(node.id)[0] == "local"]
    wanted = len(nodes) if len(plain) == len(nodes) else -1

    def unpack(f: Frame, value: Any) -> None:
        if type(value) is tuple and len(value) == wanted:  # by far the most
            f.vars.update(zip(plain, value, strict=True))
            return
        if isinstance(value, Unknown):
            for n, target in enumerate(targets):
                target(f, Unknown(f"{value.reason}[{n}]"))
            return
        try:
            items = list(f.it.iterate(value))
        except UndeterminedError as undetermined:
            unpack(f, undetermined.unknown)
            return
        if star is None:
            if len(items) != len(targets):
                many = "too many" if len(items) > len(targets) else "not enough"
                text = f"{many} values to unpack (expected {len(targets)}, got {len(items)})"
                raise f.it.error(ValueError, text, f)
        else:
            after = len(targets) - star - 1
            if len(items) < len(targets) - 1:
                raise f.it.error(ValueError, "not enough values to unpack", f)
            items = [*items[:star], items[star : len(items) - after], *items[len(items) - after :]]
        for target, item in zip(targets, items, strict=True):
            target(f, item)

    if wanted != 2:
        return unpack
    first, second = plain

    def pair(f: Frame, value: Any) -> None:
        if type(value) is tuple and len(value) == 2:
            f.vars[first], f.vars[second] = value
        else:
            unpack(f, value)

    return pair
