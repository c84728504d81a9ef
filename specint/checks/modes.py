"""Which states of a model no worker meets: the server that brings them about starts none."""

from __future__ import annotations

import ast

from specint.checks.context import Context
from specint.facts import model as facts


def options_without_worker(context: Context) -> frozenset[str]:
    """The declared options (`rules/contract.toml`) that this tree's own launcher looks at."""
    project = context.judge.project
    found: set[str] = set()
    for one in context.judge.declared.without_worker:
        module_name, _, function_name = one.function.rpartition(".")
        module = project.module(f"{project.package}.{module_name}")
        for function in project.functions_of(module) if module is not None else ():
            if function.name == function_name:
                tests = [guard.test for guard in function.facts.body.guards if guard.test is not None]
                asked = {p.name for test in tests for p in facts.walk(test) if isinstance(p, facts.Attribute)}
                found |= asked & set(one.options)
    return frozenset(found)


def needs(condition: str, options: frozenset[str]) -> bool:
    """Whether a condition, as it is spelled in findings, can only hold where one of the options is set."""
    try:
        expr = ast.parse(condition.replace("\u2026", "..."), mode="eval").body
    except SyntaxError:
        return False
    return _needs(expr, options, holds=True)


def _needs(expr: ast.expr, options: frozenset[str], *, holds: bool) -> bool:
    match expr:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _needs(operand, options, holds=not holds)
        case ast.BoolOp(op=op, values=values):
            answers = [_needs(value, options, holds=holds) for value in values]
            return any(answers) if isinstance(op, ast.And) is holds else all(answers)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return holds and name in options
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return holds and name in options
        case ast.Call(func=ast.Name(id="bool"), args=[operand]):
            return _needs(operand, options, holds=holds)
        case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=True)]):
            return holds and _needs(left, options, holds=True)
        case _:
            return False
