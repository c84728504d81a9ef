"""Imports, class statements and `match` as closures."""

from __future__ import annotations

import ast
from typing import Any

from specint.execution import bounds
from specint.execution.code import Expression, Frame, Statement
from specint.execution.expressions import Context, compile_expression
from specint.execution.operators import compare
from specint.execution.scopes import class_scope
from specint.execution.statements import MAKERS, EagerContext, compile_block
from specint.execution.targets import name_target
from specint.execution.values import Instance, Raised, Unknown


# -- imports -----------------------------------------------------------------------------------------------------------
def _import(node: ast.Import, context: Context) -> Statement:
    parts = [
        (alias.name, alias.asname, name_target(alias.asname or alias.name.partition(".")[0], context))
        for alias in node.names
    ]
    line = node.lineno
    eager = isinstance(context, EagerContext)

    def run(f: Frame) -> None:
        for name, renamed, bind in parts:
            f.line = line
            bind(f, f.it.import_module(name, f, not renamed, eager))

    return run


def absolute(module: str | None, level: int, package: str) -> str:
    """The module that `from ..module import` names in a package."""
    if not level:
        return module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}" if module and base else module or base


def _import_from(node: ast.ImportFrom, context: Context) -> Statement:
    line = node.lineno
    eager = isinstance(context, EagerContext)
    if node.names[0].name == "*":

        def star(f: Frame) -> None:
            source = absolute(node.module, node.level, f.globals["__package__"])
            f.it.touch(f.vars)
            f.vars.update(f.it.star_names(source, f, line))

        return star
    parts = [(alias.name, name_target(alias.asname or alias.name, context)) for alias in node.names]

    def run(f: Frame) -> None:
        source = absolute(node.module, node.level, f.globals["__package__"])
        for name, bind in parts:
            bind(f, f.it.import_name(source, name, f, line, eager))

    return run


# -- classes -----------------------------------------------------------------------------------------------------------
def _class(node: ast.ClassDef, context: Context) -> Statement:
    bases = [compile_expression(base, context) for base in node.bases if not isinstance(base, ast.Starred)]
    keywords = [
        (keyword.arg, compile_expression(keyword.value, context))
        for keyword in node.keywords
        if keyword.arg is not None
    ]
    decorators = [(compile_expression(one, context), one.lineno) for one in node.decorator_list]
    scope = class_scope(node, context.scope)
    inner = Context(context.module, scope)
    inner.cls_name = node.name
    body = compile_block(node.body, inner)
    bind = name_target(node.name, context)
    document = ast.get_docstring(node, clean=False)
    line = node.lineno
    nested = context.scope.kind == "class"

    def define(f: Frame) -> None:
        found = [base(f) for base in bases]
        named = {name: value(f) for name, value in keywords}
        names: dict[str, Any] = {"__module__": f.globals["__name__"], "__doc__": document}
        names["__qualname__"] = f"{f.vars.get('__qualname__', '')}.{node.name}" if nested else node.name
        frame = Frame(f.it, f.file, names, f.globals, f if context.scope.kind == "function" else f.parent)
        frame.function = f.function
        budget = f.it.budget
        budget.depth += 1
        if budget.depth > bounds.DEEPEST:
            budget.depth -= 1
            raise bounds.ExhaustedError("classes too deep")
        f.it.stack.append(frame)
        try:
            body(frame)
        except Raised as raised:
            if not raised.line:
                raised.file, raised.line = frame.file, frame.line
            raise
        finally:
            f.it.stack.pop()
            budget.depth -= 1
        f.line = line
        made: Any = f.it.make_class(node.name, found, names, named, f, line)
        for decorator, at in reversed([(decorator(f), at) for decorator, at in decorators]):
            f.line = at
            made = f.it.decorate(decorator, made)
        bind(f, made)

    return define


# -- match -------------------------------------------------------------------------------------------------------------
def _match(node: ast.Match, context: Context) -> Statement:
    subject = compile_expression(node.subject, context)
    cases = [
        (
            _pattern(case.pattern, context),
            compile_expression(case.guard, context) if case.guard else None,
            compile_block(case.body, context),
            case.pattern.lineno,
        )
        for case in node.cases
    ]

    def run(f: Frame) -> Any:
        value = subject(f)
        for pattern, guard, body, line in cases:
            if f.it.decide(pattern(f, value), f, line) and (guard is None or f.it.decide(guard(f), f, line)):
                return body(f)
        return None

    return run


def _pattern(node: ast.pattern, context: Context) -> Any:
    if isinstance(node, ast.MatchValue):
        value = compile_expression(node.value, context)
        return lambda f, subject: compare(f.it, ast.Eq, subject, value(f))
    if isinstance(node, ast.MatchSingleton):
        constant = node.value
        return lambda f, subject: f.it.same(subject, constant)
    if isinstance(node, ast.MatchAs):
        inner = _pattern(node.pattern, context) if node.pattern else None
        bind = name_target(node.name, context) if node.name else None

        def capture(f: Frame, subject: Any) -> Any:
            matched = True if inner is None else inner(f, subject)
            if bind is not None and (
                matched is True or (matched is not False and f.it.decide(matched, f, node.lineno))
            ):
                bind(f, subject)
            return matched

        return capture
    if isinstance(node, ast.MatchOr):
        options = [_pattern(option, context) for option in node.patterns]

        def any_of(f: Frame, subject: Any) -> Any:
            unknown = None
            for option in options:
                matched = option(f, subject)
                if matched is True:
                    return True
                if isinstance(matched, Unknown):
                    unknown = matched
            return unknown if unknown is not None else False

        return any_of
    if isinstance(node, ast.MatchSequence) and not any(isinstance(one, ast.MatchStar) for one in node.patterns):
        parts = [_pattern(one, context) for one in node.patterns]

        def sequence(f: Frame, subject: Any) -> Any:
            if isinstance(subject, Unknown):
                return Unknown(f"the shape of {subject.reason}")
            if not isinstance(subject, list | tuple) or len(subject) != len(parts):
                return False
            return all(f.it.decide(part(f, one), f, node.lineno) for part, one in zip(parts, subject, strict=True))

        return sequence
    if isinstance(node, ast.MatchClass) and not node.patterns:
        cls: Expression = compile_expression(node.cls, context)
        named = [(name, _pattern(one, context)) for name, one in zip(node.kwd_attrs, node.kwd_patterns, strict=True)]

        def of_class(f: Frame, subject: Any) -> Any:
            fits = f.it.is_instance(subject, cls(f))
            if fits is not True:
                return fits
            return all(f.it.decide(part(f, f.it.get_attribute(subject, name)), f, node.lineno) for name, part in named)

        return of_class
    return lambda f, subject: Unknown(f"{type(node).__name__} is not evaluated")


MAKERS[ast.Import] = _import
MAKERS[ast.ImportFrom] = _import_from
MAKERS[ast.ClassDef] = _class
MAKERS[ast.Match] = _match


def is_instance_value(value: Any) -> bool:
    """Whether a value is an object of a class of the tree."""
    return isinstance(value, Instance)
