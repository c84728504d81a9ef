"""Expressions that build something: displays, comprehensions, f-strings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from specint.execution import bounds
from specint.execution.code import Expression, Frame
from specint.execution.expressions import MAKERS, Context, compile_expression, constants_of, elements
from specint.execution.operators import hashable, shown
from specint.execution.scopes import comprehension_scope
from specint.execution.values import PLAIN, Raised, UndeterminedError, Unknown


def _list(node: ast.List, context: Context) -> Expression:
    if (constants := constants_of(node)) is not None:
        return lambda f: list(constants)
    parts = elements(node.elts, context)
    return lambda f: _or_unknown(parts, f)


def _or_unknown(make: Callable[[Frame], Any], f: Frame) -> Any:
    try:
        return make(f)
    except UndeterminedError as undetermined:
        return undetermined.unknown
    except TypeError as error:
        raise Raised(error, f.file, f.line) from None


def _tuple(node: ast.Tuple, context: Context) -> Expression:
    parts = elements(node.elts, context)
    if all(isinstance(element, ast.Constant) for element in node.elts):
        values = tuple(element.value for element in node.elts)  # type: ignore[attr-defined]
        return lambda f: values
    return lambda f: _or_unknown(lambda g: tuple(parts(g)), f)


def _set(node: ast.Set, context: Context) -> Expression:
    if (constants := constants_of(node)) is not None:
        return lambda f: set(constants)
    parts = elements(node.elts, context)
    return lambda f: _or_unknown(lambda g: set(hashable(f.it, parts(g))), f)


def _dict(node: ast.Dict, context: Context) -> Expression:
    pairs = [
        (None if key is None else compile_expression(key, context), compile_expression(value, context))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def make(f: Frame) -> Any:
        found: dict[Any, Any] = {}
        for key, value in pairs:
            if key is None:
                other = value(f)
                if isinstance(other, Unknown):
                    return other
                found.update(f.it.mapping(other))
            else:
                name = key(f)
                if type(name) is Unknown:
                    return name
                bounds.check_key(f.it.budget, name)
                try:
                    found[name] = value(f)
                except TypeError as error:
                    raise Raised(error, f.file, f.line) from None
        return found

    return make


def _joined(node: ast.JoinedStr, context: Context) -> Expression:
    parts = [compile_expression(value, context) for value in node.values]

    def join(f: Frame) -> Any:
        values = [part(f) for part in parts]
        unknown = next((value for value in values if isinstance(value, Unknown)), None)
        if unknown is not None:
            return Unknown(unknown.reason, "".join(shown(value) for value in values))
        text = "".join(values)
        if len(text) > 1000:
            f.it.budget.built(len(text))
        return text

    return join


def _formatted(node: ast.FormattedValue, context: Context) -> Expression:
    value = compile_expression(node.value, context)
    spec = compile_expression(node.format_spec, context) if node.format_spec else None
    conversion = chr(node.conversion) if node.conversion > 0 else ""

    def form(f: Frame) -> Any:
        found = value(f)
        wanted = spec(f) if spec else ""
        if isinstance(found, Unknown):
            return found
        if isinstance(wanted, Unknown):
            return wanted
        bounds.check_format(wanted)
        try:
            if conversion == "r":
                found = f.it.repr_of(found)
            elif conversion:
                found = f.it.str_of(found) if conversion == "s" else ascii(found)
            elif not isinstance(found, PLAIN):
                found = f.it.formatted(found) if wanted else f.it.str_of(found)
            return found if isinstance(found, Unknown) else format(found, wanted)
        except UndeterminedError as undetermined:
            return undetermined.unknown
        except Raised:
            raise
        except Exception as error:
            raise Raised(error, f.file, f.line) from None

    return form


def _comprehension(node: Any, context: Context) -> Expression:
    scope = comprehension_scope(node, context.scope)
    inner = Context(context.module, scope)
    generators = []
    for n, generator in enumerate(node.generators):
        from specint.execution.targets import compile_target

        source = compile_expression(generator.iter, context if n == 0 else inner)
        tests = [compile_expression(test, inner) for test in generator.ifs]
        generators.append((source, compile_target(generator.target, inner), tests))
    in_class = context.scope.kind == "class"
    is_dict = isinstance(node, ast.DictComp)
    key = compile_expression(node.key if is_dict else node.elt, inner)
    value = compile_expression(node.value, inner) if is_dict else key
    line = node.lineno

    def produce(f: Frame, frame: Frame, n: int) -> Iterator[Any]:
        source, bind, tests = generators[n]
        over = source(f if n == 0 else frame)
        if isinstance(over, Unknown):
            raise UndeterminedError(Unknown(f"each of {over.reason}"))
        it = f.it
        for item in it.iterate(over):
            it.step()
            bind(frame, item)
            if all(it.decide(test(frame), frame, line) for test in tests):
                if n + 1 < len(generators):
                    yield from produce(f, frame, n + 1)
                elif is_dict:
                    name = key(frame)
                    bounds.check_key(it.budget, name)
                    yield name, value(frame)
                else:
                    found = key(frame)
                    if build is set:
                        bounds.check_key(it.budget, found)
                    yield found

    outside = in_class or context.scope.kind == "module"
    build: Any = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}.get(type(node))

    def run(f: Frame) -> Any:
        frame = Frame(f.it, f.file, {}, f.globals, f.parent if outside else f)
        frame.line = line
        frame.function = f.function
        made = produce(f, frame, 0)
        if build is None:
            return made
        try:
            found = build(made)
        except UndeterminedError as undetermined:
            return undetermined.unknown
        except TypeError as error:
            raise Raised(error, f.file, line) from None
        f.it.budget.built(len(found))
        return found

    return run


MAKERS.update({
    ast.List: _list, ast.Tuple: _tuple, ast.Set: _set, ast.Dict: _dict, ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
    ast.DictComp: _comprehension, ast.GeneratorExp: _comprehension,
})  # fmt: skip
