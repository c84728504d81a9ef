"""Functions: how one is made, how its parameters are bound, how its body runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from specint.execution import bounds
from specint.execution.code import MISSING, RETURN, Expression, Frame, FunctionCode, Statement
from specint.execution.expressions import Context, compile_expression, later
from specint.execution.outline import body_of
from specint.execution.scopes import function_scope
from specint.execution.statements import MAKERS, compile_block
from specint.execution.targets import context_class, name_target
from specint.execution.values import BoundMethod, Class, Function, ImportedName, Instance, Module, Raised, Unknown
from specint.parsing import Unparsable


def make_function(
    f: Frame, code: FunctionCode, defaults: list[Expression], keyword_defaults: dict[str, Expression], kind: str
) -> Function:
    """The function that a `def` or `lambda` makes in a frame."""
    function = Function(code, f.it, f if kind == "function" else f.parent, f.globals)
    if defaults:
        function.defaults = [default(f) for default in defaults]
    if keyword_defaults:
        function.keyword_defaults = {name: default(f) for name, default in keyword_defaults.items()}
    if kind == "class":
        function.qualname = f"{f.vars.get('__qualname__', '')}.{code.name}"
    elif f.function is not None and kind == "function":
        function.qualname = f"{f.function.qualname}.<locals>.{code.name}"
    return function


def invoke(function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The function's result. Raises `Raised` for what its body raises, and for arguments that don't fit."""
    code = function.code
    run = code.run
    if run is None:
        run = prepare(code, function.owner)
    it = function.it
    names = bind(function, arguments, keywords)
    frame = Frame(it, code.module.file, names, function.globals, function.closure)
    frame.function = function
    frame.line = code.line
    if code.is_async:
        return Unknown(f"async {function.qualname}")
    budget = it.budget
    budget.steps -= 1
    if budget.steps < budget.next_look:
        budget.look()
    budget.depth += 1
    if budget.depth > bounds.DEEPEST:
        budget.depth -= 1
        raise bounds.ExhaustedError("calls too deep")
    stack = it.stack
    stack.append(frame)
    try:
        return run(frame)
    except Raised as raised:
        if not raised.line:
            raised.file, raised.line = frame.file, frame.line
        else:
            raised.through.append((frame.file, frame.line))
        raise
    finally:
        stack.pop()
        budget.depth -= 1


def prepare(code: FunctionCode, owner: Class | None) -> Callable[[Frame], Any]:
    """Compile the body, at the first call."""
    lines = code.module.bodies.get(code.line) if code.is_function else None
    if lines is not None:
        try:
            code.node = body_of(code.module.text, *lines)
        except Unparsable as error:
            why = Unknown(f"a function that can't be read: {error.what}")
            raise Raised(why, code.module.file, lines[0]) from None
    node = code.node
    scope = code.scope = function_scope(node, code.enclosing)
    context = Context(code.module, scope)
    if owner is not None:
        context.cls_name = owner.name
    else:
        context.cls_name = code.cls_name
    if not isinstance(node.body, list):
        value = compile_expression(node.body, context)
        code.run = value
        return value
    if scope.yields:
        from specint.execution.generators import compile_generator

        body = compile_generator(node.body, context)
        code.generator = True

        def start(f: Frame) -> Any:
            return body(f)

        code.run = start
        return start
    block = compile_block(node.body, context)

    def run(f: Frame) -> Any:
        return f.result if block(f) is RETURN else None

    code.run = run
    return run


def bind(function: Function, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    """The parameters' values."""
    code = function.code
    positional = code.positional
    given = len(arguments)
    wanted = len(positional)
    names: dict[str, Any] = dict(zip(positional, arguments, strict=False))
    if given > wanted:
        if code.star is None:
            text = f"{code.name}() takes {wanted} positional arguments but {given} were given"
            raise Raised(TypeError(text))
        names[code.star] = tuple(arguments[wanted:])
    elif code.star is not None:
        names[code.star] = ()
    extra: dict[str, Any] | None = {} if code.stars is not None else None
    if extra is not None:
        names[code.stars] = extra  # type: ignore[index]
    for name, value in keywords.items():
        if name in code.all_names:
            if name in names and name in positional[:given]:
                raise Raised(TypeError(f"{code.name}() got multiple values for argument '{name}'"))
            names[name] = value
        elif extra is not None:
            extra[name] = value
        else:
            raise Raised(TypeError(f"{code.name}() got an unexpected keyword argument '{name}'"))
    defaults = function.defaults
    if len(names) < wanted + len(code.keyword_only) + (code.star is not None) + (code.stars is not None):
        first_default = wanted - len(defaults)
        missing = []
        for n in range(given, wanted):
            name = positional[n]
            if name not in names:
                if n >= first_default:
                    names[name] = defaults[n - first_default]
                else:
                    missing.append(name)
        for name in code.keyword_only:
            if name not in names:
                if name in function.keyword_defaults:
                    names[name] = function.keyword_defaults[name]
                else:
                    missing.append(name)
        if missing:
            many = f"{len(missing)} required positional argument{'s' if len(missing) > 1 else ''}"
            named = ", ".join(f"'{name}'" for name in missing)
            raise Raised(TypeError(f"{code.name}() missing {many}: {named}"))
    return names


# -- the statement -----------------------------------------------------------------------------------------------------
def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> Statement:
    code = FunctionCode(node, context.module, context.scope)
    code.cls_name = context_class(context)
    defaults = [compile_expression(default, context) for default in node.args.defaults]
    keyword_defaults = {
        argument.arg: compile_expression(default, context)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    decorators = [(compile_expression(one, context), one.lineno) for one in node.decorator_list]
    bind_name = name_target(node.name, context)
    kind = context.scope.kind
    annotations = _annotations(node, context)
    late = context.module.future_annotations

    def define(f: Frame) -> None:
        function: Any = make_function(f, code, defaults, keyword_defaults, kind)
        if annotations:
            if late:
                function.thunks = {name: (f, expression, written) for name, expression, written, _line in annotations}
            else:
                # Python evaluates them here: a name that only type checking imports is an error.
                for name, expression, written, line in annotations:
                    if kind != "function" and _is_sound(written, f):
                        function.thunks[name] = (f, expression, None)
                        continue
                    f.line = line
                    value = expression(f)
                    function.thunks[name] = (None, value, None)
        made = [(decorator(f), line) for decorator, line in decorators]
        for decorator, line in reversed(made):
            f.line = line
            function = f.it.decorate(decorator, function)
        bind_name(f, function)

    return define


def _annotations(node: Any, context: Context) -> list[tuple[str, Expression, ast.expr, int]]:
    arguments = node.args
    found = []
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in every:
        if argument is not None and argument.annotation is not None:
            annotation = argument.annotation
            found.append((argument.arg, later(annotation, context), annotation, annotation.lineno))
    if node.returns is not None:
        found.append(("return", later(node.returns, context), node.returns, node.returns.lineno))
    return found


def _is_sound(node: ast.expr, f: Frame) -> bool:
    """Whether an annotation can be left for later: its names are there, and nothing in it can fail.

    A class that is imported for annotations alone is known by its text: the largest modules are imported so.
    """
    match node:
        case ast.Constant():
            return True
        case ast.Name():
            value = _named(node, f)
            if type(value) is ImportedName:
                return f.it.modules.names_class(value)
            return value is not MISSING
        case ast.Attribute(value=ast.Name() as above):
            return isinstance(_named(above, f), Unknown)
        case ast.Subscript(value=ast.Name() | ast.Attribute() as generic, slice=inner):
            root = generic.value if isinstance(generic, ast.Attribute) else generic
            value = _named(root, f) if isinstance(root, ast.Name) else MISSING
            of_tree = value is MISSING or type(value) in (ImportedName, Class, Instance, Module, Function)
            return not of_tree and _is_sound(inner, f)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_sound(part, f) for part in parts)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            texts = any(isinstance(one, ast.Constant) and one.value is not None for one in (left, right))
            return not texts and _is_sound(left, f) and _is_sound(right, f)
    return False


def _named(node: ast.Name, f: Frame) -> Any:
    for names in (f.vars, f.globals, f.it.builtins):
        if (value := names.get(node.id, MISSING)) is not MISSING:
            return value
    return MISSING


MAKERS[ast.FunctionDef] = _definition
MAKERS[ast.AsyncFunctionDef] = _definition


def bound(function: Any, receiver: Any) -> BoundMethod:
    """A method of an object."""
    return BoundMethod(function, receiver)
