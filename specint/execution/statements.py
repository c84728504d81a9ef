"""Statements of the source as closures: each returns None, BREAK, CONTINUE or RETURN."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from specint.execution import bounds
from specint.execution.code import BREAK, CONTINUE, MISSING, RETURN, Expression, Frame, Statement
from specint.execution.expressions import Context, compile_expression, later
from specint.execution.operators import BINARY, IN_PLACE, binary, shown
from specint.execution.targets import Target, compile_target, name_target
from specint.execution.values import Raised, UndeterminedError, Unknown


def compile_block(nodes: list[ast.stmt], context: Context) -> Statement:
    """A block of statements."""
    parts = [compile_statement(node, context) for node in nodes if not _is_docstring(node)]
    if len(parts) == 1:
        return parts[0]

    def block(f: Frame) -> Any:
        for part in parts:
            signal = part(f)
            if signal is not None:
                return signal
        return None

    return block


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def compile_statement(node: ast.stmt, context: Context) -> Statement:
    """One statement."""
    make = MAKERS.get(type(node))
    if make is None:
        reason = f"{type(node).__name__} is not evaluated"

        def unsupported(f: Frame) -> Any:
            raise Raised(Unknown(reason), f.file, node.lineno)

        return unsupported
    run = make(node, context)
    line = node.lineno

    def stepped(f: Frame) -> Any:
        f.line = line
        budget = f.it.budget
        budget.steps -= 1
        if budget.steps < budget.next_look:
            budget.look()
        try:
            return run(f)
        except UndeterminedError as undetermined:
            # What a statement does with something unknown is not known: never a skipped statement.
            raise Raised(undetermined.unknown, f.file, f.line) from None

    return stepped


# -- simple statements -------------------------------------------------------------------------------------------------
def _expression(node: ast.Expr, context: Context) -> Statement:
    value = compile_expression(node.value, context)

    def run(f: Frame) -> None:
        value(f)

    return run


def _assign(node: ast.Assign, context: Context) -> Statement:
    value = compile_expression(node.value, context)
    targets = [compile_target(target, context) for target in node.targets]
    if len(targets) == 1:
        only = targets[0]

        def one(f: Frame) -> None:
            only(f, value(f))

        return one

    def several(f: Frame) -> None:
        found = value(f)
        for target in targets:
            target(f, found)

    return several


def _annotated(node: ast.AnnAssign, context: Context) -> Statement:
    value = compile_expression(node.value, context) if node.value else None
    target = compile_target(node.target, context) if value else None
    kept = context.scope.kind != "function" and isinstance(node.target, ast.Name)
    name = node.target.id if isinstance(node.target, ast.Name) else ""
    annotation = later(node.annotation, context)
    late = context.module.future_annotations

    def run(f: Frame) -> None:
        if kept:
            if late:
                f.it.late_annotation(f, name, node.annotation, annotation)
            else:
                f.vars.setdefault("__annotations__", {})[name] = annotation(f)
        if value is not None and target is not None:
            target(f, value(f))

    return run


def _augmented(node: ast.AugAssign, context: Context) -> Statement:
    symbol, plain = BINARY[type(node.op)]
    operate = IN_PLACE.get(type(node.op), plain)
    value = compile_expression(node.value, context)
    target = node.target
    if isinstance(target, ast.Name):
        read = compile_expression(ast.Name(target.id, ast.Load(), lineno=target.lineno), context)
        write = compile_target(target, context)

        def name(f: Frame) -> None:
            before = read(f)
            f.it.touch(before)
            write(f, binary(f.it, symbol, operate, before, value(f)))

        return name
    holder = compile_expression(target.value, context)
    if isinstance(target, ast.Attribute):
        attribute = target.attr

        def member(f: Frame) -> None:
            owner = holder(f)
            before = f.it.get_attribute(owner, attribute)
            f.it.touch(before)
            f.it.set_attribute(owner, attribute, binary(f.it, symbol, operate, before, value(f)))

        return member
    index = compile_expression(target.slice, context)

    def item(f: Frame) -> None:
        owner, key = holder(f), index(f)
        before = f.it.get_item(owner, key)
        f.it.touch(before)
        f.it.set_item(owner, key, binary(f.it, symbol, operate, before, value(f)))

    return item


def _return(node: ast.Return, context: Context) -> Statement:
    if node.value is None:
        return lambda f: RETURN
    value = compile_expression(node.value, context)

    def run(f: Frame) -> Any:
        f.result = value(f)
        return RETURN

    return run


def _delete(node: ast.Delete, context: Context) -> Statement:
    def deletion(target: ast.expr) -> Expression:
        if isinstance(target, ast.Name):
            name = target.id
            kind, _depth = context.scope.place(name)

            def forget(f: Frame) -> None:
                names = f.vars if kind in ("local", "class") or context.scope.kind == "class" else f.globals
                f.it.touch(names)
                if names.pop(name, MISSING) is MISSING:
                    raise f.it.error(NameError, f"name '{name}' is not defined", f)

            return forget
        if isinstance(target, ast.Attribute):
            holder, attribute = compile_expression(target.value, context), target.attr
            return lambda f: f.it.delete_attribute(holder(f), attribute)
        if isinstance(target, ast.Subscript):
            holder, index = compile_expression(target.value, context), compile_expression(target.slice, context)
            return lambda f: f.it.delete_item(holder(f), index(f))
        inner = [deletion(element) for element in target.elts]  # type: ignore[attr-defined]
        return lambda f: [one(f) for one in inner]

    parts = [deletion(target) for target in node.targets]

    def run(f: Frame) -> None:
        for part in parts:
            part(f)

    return run


def _assert(node: ast.Assert, context: Context) -> Statement:
    test = compile_expression(node.test, context)
    message = compile_expression(node.msg, context) if node.msg else None
    line = node.lineno

    def run(f: Frame) -> None:
        if not f.it.decide(test(f), f, line, usual=True):
            arguments = [message(f)] if message else []
            arguments = [shown(argument) if isinstance(argument, Unknown) else argument for argument in arguments]
            raise Raised(AssertionError(*arguments), f.file, line)

    return run


def _raise(node: ast.Raise, context: Context) -> Statement:
    value = compile_expression(node.exc, context) if node.exc else None
    cause = compile_expression(node.cause, context) if node.cause else None
    line = node.lineno

    def run(f: Frame) -> None:
        if value is None:
            frame: Frame | None = f
            while frame is not None and frame.handled is None:
                frame = frame.parent
            if frame is None:
                raise f.it.error(RuntimeError, "No active exception to reraise", f)
            raise frame.handled
        found = value(f)
        if cause is not None:
            cause(f)
        raise f.it.to_raise(found, f, line)

    return run


def _pass(node: ast.stmt, context: Context) -> Statement:
    return lambda f: None


# -- branches and loops ------------------------------------------------------------------------------------------------
def raises_at_once(nodes: list[ast.stmt]) -> bool:
    """Whether a block does nothing but raise, apart from preparing what it says."""
    return bool(nodes) and isinstance(nodes[-1], ast.Raise) and len(nodes) <= 3


def _if(node: ast.If, context: Context) -> Statement:
    test = compile_expression(node.test, context)
    then = compile_block(node.body, context)
    otherwise = compile_block(node.orelse, context) if node.orelse else None
    line = node.test.lineno
    usual = raises_at_once(node.orelse)

    def run(f: Frame) -> Any:
        value = test(f)
        if value is True or (value is not False and f.it.decide(value, f, line, usual=usual)):
            return then(f)
        return otherwise(f) if otherwise is not None else None

    return run


def _while(node: ast.While, context: Context) -> Statement:
    test = compile_expression(node.test, context)
    body = compile_block(node.body, context)
    otherwise = compile_block(node.orelse, context) if node.orelse else None
    line = node.lineno

    def run(f: Frame) -> Any:
        while True:
            value = test(f)
            if isinstance(value, Unknown) and not f.it.enter_loop(value, f, line):
                break
            if not isinstance(value, Unknown) and not f.it.decide(value, f, line):
                break
            f.it.step()
            signal = body(f)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return RETURN
            if isinstance(value, Unknown):
                break  # how often is unknown: once stands for it
        return otherwise(f) if otherwise is not None else None

    return run


def _for(node: ast.For, context: Context) -> Statement:
    source = compile_expression(node.iter, context)
    bind = compile_target(node.target, context)
    body = compile_block(node.body, context)
    otherwise = compile_block(node.orelse, context) if node.orelse else None
    line = node.lineno

    def run(f: Frame) -> Any:
        for item in turns(f, source(f), line):
            bind(f, item)
            signal = body(f)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return RETURN
        return otherwise(f) if otherwise is not None else None

    return run


def turns(f: Frame, over: Any, line: int) -> Iterator[Any]:
    """What a loop over a value goes through: of something unknown one element, or none."""
    items: Any
    if type(over) is list or type(over) is tuple:
        items = over
    elif isinstance(over, Unknown):
        items = [Unknown(f"an element of {over.reason}")] if f.it.enter_loop(over, f, line) else []
    else:
        items = f.it.iterate(over)
    for item in items:
        f.it.step()
        yield item


# -- exceptions and with -----------------------------------------------------------------------------------------------
def compile_handlers(node: Any, context: Context) -> list[tuple[Expression | None, Target | None, str, Statement]]:
    """The `except` clauses of a `try`."""
    return [
        (
            compile_expression(handler.type, context) if handler.type else None,
            name_target(handler.name, context) if handler.name else None,
            handler.name or "",
            compile_block(handler.body, context),
        )
        for handler in node.handlers
    ]


def _try(node: ast.Try, context: Context) -> Statement:
    eager = catches_imports(node)
    body = compile_block(node.body, eager_imports(context) if eager else context)
    handlers = compile_handlers(node, context)
    otherwise = compile_block(node.orelse, context) if node.orelse else None
    final = compile_block(node.finalbody, context) if node.finalbody else None

    def guarded(f: Frame) -> Any:
        if not handlers:
            return body(f)
        try:
            signal = body(f)
        except Raised as raised:
            return handle(f, raised, handlers)
        except RecursionError:
            raise bounds.ExhaustedError("recursion too deep") from None
        if signal is None and otherwise is not None:
            return otherwise(f)
        return signal

    def run(f: Frame) -> Any:
        if final is None:
            return guarded(f)
        try:
            signal = guarded(f)
        except Raised:
            signal = final(f)
            if signal is None:
                raise
            return signal
        result = f.result
        last = final(f)
        if last is None:
            f.result = result
        return signal if last is None else last

    return run


def handle(f: Frame, raised: Raised, handlers: list[tuple[Expression | None, Target | None, str, Statement]]) -> Any:
    """The clause that takes an exception runs; without one it goes on."""
    for kind, bind, _name, body in handlers:
        if not taken(f, raised, kind, bind):
            continue
        before = f.handled
        f.handled = raised
        try:
            return body(f)
        finally:
            f.handled = before
    raise raised


def taken(f: Frame, raised: Raised, kind: Expression | None, bind: Target | None) -> bool:
    """Whether an `except` clause takes an exception; it is bound to the clause's name then."""
    takes = True if kind is None else f.it.catches(raised, kind(f))
    if not (f.it.decide(takes, f, f.line) if isinstance(takes, Unknown) else takes):
        return False
    if bind is not None:
        bind(f, raised.value)
        f.it.keep_place(raised)
    return True


def catches_imports(node: Any) -> bool:
    """Whether a `try` is about what its imports raise: then they are not left for later."""
    return any(
        handler.type is None
        or any(
            isinstance(inner, ast.Name | ast.Attribute)
            and (inner.id if isinstance(inner, ast.Name) else inner.attr)
            in (
                "ImportError",
                "ModuleNotFoundError",
                "Exception",
                "BaseException",
                "AttributeError",
                "OSError",
                "NameError",
            )
            for inner in ast.walk(handler.type)
        )
        for handler in node.handlers
    )


class EagerContext(Context):
    """A place where imports are done at once, because what they raise is caught."""

    __slots__ = ()


def eager_imports(context: Context) -> Context:
    """The same place, with imports done at once."""
    eager = EagerContext(context.module, context.scope)
    eager.cls_name = context.cls_name
    return eager


def compile_managers(node: ast.With, context: Context) -> list[Callable[[Frame], Any]]:
    """What each item of a `with` does: make its manager, enter it, bind what that gives; the manager."""

    def entering(item: ast.withitem) -> Callable[[Frame], Any]:
        make = compile_expression(item.context_expr, context)
        bind = compile_target(item.optional_vars, context) if item.optional_vars else None

        def enter(f: Frame) -> Any:
            manager = make(f)
            entered = f.it.enter(manager)
            if bind is not None:
                bind(f, entered)
            return manager

        return enter

    return [entering(item) for item in node.items]


def _with(node: ast.With, context: Context) -> Statement:
    items = compile_managers(node, context)
    body = compile_block(node.body, context)

    def run(f: Frame) -> Any:
        return enter(f, 0)

    def enter(f: Frame, n: int) -> Any:
        if n == len(items):
            return body(f)
        manager = items[n](f)
        try:
            signal = enter(f, n + 1)
        except Raised as raised:
            if f.it.leave(manager, raised):
                return None
            raise
        result = f.result
        f.it.leave(manager, None)
        f.result = result
        return signal

    return run


def _global(node: ast.stmt, context: Context) -> Statement:
    return _pass(node, context)


MAKERS: dict[type, Callable[[Any, Context], Statement]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented,
    ast.Return: _return, ast.Delete: _delete, ast.Assert: _assert, ast.Raise: _raise, ast.Pass: _pass,
    ast.If: _if, ast.While: _while, ast.For: _for, ast.Try: _try, ast.With: _with,
    ast.Global: _global, ast.Nonlocal: _global,
    ast.Break: lambda node, context: lambda f: BREAK, ast.Continue: lambda node, context: lambda f: CONTINUE,
}  # fmt: skip
