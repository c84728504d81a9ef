"""Generator functions: the statements around a `yield` run as Python generators, all others as usual."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any

from specint.execution.code import BREAK, RETURN, Frame
from specint.execution.expressions import Context, compile_expression
from specint.execution.statements import (
    compile_handlers,
    compile_managers,
    compile_statement,
    eager_imports,
    raises_at_once,
    taken,
    turns,
)
from specint.execution.targets import compile_target
from specint.execution.values import Raised, Unknown

Stepping = Callable[[Frame], Generator[Any, Any, Any]]


def compile_generator(nodes: list[ast.stmt], context: Context) -> Callable[[Frame], Generator[Any, Any, Any]]:
    """The body of a generator function; running it gives the generator."""
    body = _block(nodes, context)

    def start(f: Frame) -> Generator[Any, Any, Any]:
        signal = yield from body(f)
        return f.result if signal is RETURN else None

    return start


def _yields(node: ast.AST) -> bool:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Yield | ast.YieldFrom):
            return True
        if one is node or not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(one)
    return False


def _block(nodes: list[ast.stmt], context: Context) -> Stepping:
    parts: list[tuple[bool, Any]] = []
    for node in nodes:
        inner = not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and _yields(node)
        parts.append((inner, _statement(node, context) if inner else compile_statement(node, context)))

    def run(f: Frame) -> Generator[Any, Any, Any]:
        for inner, part in parts:
            signal = (yield from part(f)) if inner else part(f)
            if signal is not None:
                return signal
        return None

    return run


def _statement(node: ast.stmt, context: Context) -> Stepping:
    make = MAKERS.get(type(node))
    if make is None:
        return _unsupported(f"yield in {type(node).__name__}", node)
    return make(node, context)


def _unsupported(reason: str, node: ast.stmt) -> Stepping:
    def refuse(f: Frame) -> Generator[Any, Any, Any]:
        yield from ()
        raise Raised(Unknown(reason), f.file, node.lineno)

    return refuse


def _produce(value: ast.expr | None, context: Context) -> Stepping:
    """The yield itself; its own value is what was sent."""
    if isinstance(value, ast.Yield):
        given = compile_expression(value.value, context) if value.value else (lambda f: None)

        def one(f: Frame) -> Generator[Any, Any, Any]:
            return (yield given(f))

        return one
    if isinstance(value, ast.YieldFrom):
        source = compile_expression(value.value, context)

        def several(f: Frame) -> Generator[Any, Any, Any]:
            over = source(f)
            if isinstance(over, Unknown):
                yield Unknown(f"an element of {over.reason}")
                return None
            return (yield from f.it.iterate(over))

        return several
    return _unsupported("a yield inside of an expression", ast.Pass(lineno=getattr(value, "lineno", 0)))


def _expression(node: ast.Expr, context: Context) -> Stepping:
    return _produce(node.value, context)


def _assign(node: ast.Assign, context: Context) -> Stepping:
    produce = _produce(node.value, context)
    targets = [compile_target(target, context) for target in node.targets]

    def run(f: Frame) -> Generator[Any, Any, Any]:
        value = yield from produce(f)
        for target in targets:
            target(f, value)

    return run


def _if(node: ast.If, context: Context) -> Stepping:
    test = compile_expression(node.test, context)
    then, otherwise = _block(node.body, context), _block(node.orelse, context)
    line, usual = node.lineno, raises_at_once(node.orelse)

    def run(f: Frame) -> Generator[Any, Any, Any]:
        f.line = line
        if f.it.decide(test(f), f, line, usual=usual):
            return (yield from then(f))
        return (yield from otherwise(f))

    return run


def _for(node: ast.For, context: Context) -> Stepping:
    source = compile_expression(node.iter, context)
    bind = compile_target(node.target, context)
    body, otherwise = _block(node.body, context), _block(node.orelse, context)
    line = node.lineno

    def run(f: Frame) -> Generator[Any, Any, Any]:
        f.line = line
        for item in turns(f, source(f), line):
            bind(f, item)
            signal = yield from body(f)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return RETURN
        return (yield from otherwise(f))

    return run


def _while(node: ast.While, context: Context) -> Stepping:
    test = compile_expression(node.test, context)
    body, otherwise = _block(node.body, context), _block(node.orelse, context)
    line = node.lineno

    def run(f: Frame) -> Generator[Any, Any, Any]:
        while f.it.decide(test(f), f, line):
            f.it.step()
            signal = yield from body(f)
            if signal is BREAK:
                return None
            if signal is RETURN:
                return RETURN
        return (yield from otherwise(f))

    return run


def _try(node: ast.Try, context: Context) -> Stepping:
    body = _block(node.body, eager_imports(context))
    handlers = compile_handlers(node, context)
    inner_handlers = [_block(handler.body, context) for handler in node.handlers]
    otherwise, final = _block(node.orelse, context), _block(node.finalbody, context)

    def guarded(f: Frame) -> Generator[Any, Any, Any]:
        try:
            signal = yield from body(f)
        except Raised as raised:
            for (kind, bind, _name, _body), run in zip(handlers, inner_handlers, strict=True):
                if not taken(f, raised, kind, bind):
                    continue
                before, f.handled = f.handled, raised
                try:
                    return (yield from run(f))
                finally:
                    f.handled = before
            raise
        return (yield from otherwise(f)) if signal is None else signal

    def run(f: Frame) -> Generator[Any, Any, Any]:
        if not node.finalbody:
            return (yield from guarded(f))
        try:
            signal = yield from guarded(f)
        except Raised:
            last = yield from final(f)
            if last is None:
                raise
            return last
        result = f.result
        last = yield from final(f)
        if last is None:
            f.result = result
        return signal if last is None else last

    return run


def _with(node: ast.With, context: Context) -> Stepping:
    items = compile_managers(node, context)
    body = _block(node.body, context)

    def enter(f: Frame, n: int) -> Generator[Any, Any, Any]:
        if n == len(items):
            return (yield from body(f))
        manager = items[n](f)
        try:
            signal = yield from enter(f, n + 1)
        except Raised as raised:
            if f.it.leave(manager, raised):
                return None
            raise
        result = f.result
        f.it.leave(manager, None)
        f.result = result
        return signal

    return lambda f: enter(f, 0)


def _return(node: ast.Return, context: Context) -> Stepping:
    produce = _produce(node.value, context)

    def run(f: Frame) -> Generator[Any, Any, Any]:
        f.result = yield from produce(f)
        return RETURN

    return run


MAKERS: dict[type, Callable[[Any, Context], Stepping]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.If: _if, ast.For: _for, ast.While: _while, ast.Try: _try,
    ast.With: _with, ast.Return: _return,
}  # fmt: skip
