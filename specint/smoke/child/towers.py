"""Towers for pictures and sounds, which no speculative worker touches: one that can't be built is left out.

What is left out is a class, where who asks for it names it, else one statement of a constructor (`self.visual = ...`).
While the model is built, the rest of the constructor may read from the gap; afterwards it is an empty module.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import re
import textwrap
import types
from collections.abc import Iterator
from typing import Any

GAP = "__specint_gap__"


def empty_tower(error: BaseException, tower: dict[str, Any]) -> str | None:
    """Leave out, from now on, the outermost tower for which an exception came; its name.

    None where the exception came from something else: of a part for text nothing is left out.

    Args:
        error: what ended the constructor.
        tower: what towers are called: patterns for their `classes`, and `names` of what they are assigned to, which
            `text` takes back.
    """
    frames = list(_frames(error))
    return _left_out_class(frames, tower["classes"]) or _left_out_statement(frames, tower)


@contextlib.contextmanager
def gaps_are_read() -> Iterator[None]:
    """While this lasts, an attribute of what was left out is a gap, too."""
    _Gap.open = True
    try:
        yield
    finally:
        _Gap.open = False


class _Gap:
    """What a constructor finds where something was left out."""

    open = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - it stands for anything
        if not _Gap.open or name.startswith("__"):
            raise AttributeError(name)
        return _gap(name)

    def __getitem__(self, _key: object) -> Any:  # noqa: ANN401
        if not _Gap.open:
            raise TypeError("it was left out")
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _frames(error: BaseException) -> Iterator[types.FrameType]:
    step = error.__traceback__
    while step is not None:
        _LINES[id(step.tb_frame)] = step.tb_lineno
        yield step.tb_frame
        step = step.tb_next


_LINES: dict[int, int] = {}
"""In which line of a frame an exception came: a frame itself goes on to the end of its `with`."""


def _left_out_class(frames: list[types.FrameType], patterns: list[str]) -> str | None:
    import torch

    for before, frame in itertools.pairwise(frames):
        holder = frame.f_locals.get("self")
        if frame.f_code.co_name == "__init__" and isinstance(holder, torch.nn.Module):
            class_ = type(holder)
            if any(re.search(pattern, class_.__name__) for pattern in patterns) and _replaced(class_, before.f_globals):
                return class_.__name__
    return None


def _replaced(class_: type, names: dict[str, Any]) -> bool:
    found = [name for name, value in names.items() if value is class_]
    for name in found:
        names[name] = _empty(class_)
    return bool(found)


def _empty(class_: type) -> type:
    import torch

    def initial(self: Any, *_arguments: object, **_keywords: object) -> None:  # noqa: ANN401
        torch.nn.Module.__init__(self)

    def missing(self: Any, name: str) -> Any:  # noqa: ANN401
        try:
            return torch.nn.Module.__getattr__(self, name)
        except AttributeError:
            return _Gap.__getattr__(self, name)

    def forward(self: Any, *_arguments: object, **_keywords: object) -> Any:  # noqa: ANN401
        return self[0]

    body: dict[str, Any] = {
        "__init__": initial,
        "__getattr__": missing,
        "__getitem__": _Gap.__getitem__,
        "__iter__": _Gap.__iter__,
    }
    body |= {"__len__": _Gap.__len__, "forward": forward, "__doc__": "Left out."}
    return type(class_.__name__, (torch.nn.Module,), body)


def _gap(name: str) -> Any:  # noqa: ANN401 - a module
    return _empty(type(name, (), {}))()


def _left_out_statement(frames: list[types.FrameType], tower: dict[str, Any]) -> str | None:
    """Rewrite the outermost method so that the tower's statement in which it ended assigns a gap."""
    import torch

    for frame in frames:
        holder = frame.f_locals.get("self")
        function = _method(holder, frame.f_code) if isinstance(holder, torch.nn.Module) else None
        if function is not None and (name := _rewritten(function, _LINES[id(frame)], tower)):
            return name
    return None


def _method(holder: object, code: types.CodeType) -> types.FunctionType | None:
    for owner in type(holder).__mro__:
        found = vars(owner).get(code.co_name)
        if isinstance(found, types.FunctionType) and found.__code__ is code:
            return found
    return None


def _rewritten(function: types.FunctionType, line: int, tower: dict[str, Any]) -> str | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, IndentationError):
        return None
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    inner = tree.body[0]
    if not isinstance(inner, ast.FunctionDef):
        return None
    assigning = [one for one in ast.walk(inner) if isinstance(one, (ast.Assign, ast.AnnAssign, ast.Expr)) and one.value]
    named = {one.lineno: name for one in assigning if (name := _tower_of(one, tower))}
    here = [one.lineno for one in assigning if one.lineno <= line <= (one.end_lineno or line) and one.lineno in named]
    gone = _GONE.setdefault(function.__qualname__, set())
    if not here or gone.issuperset(here):
        return None
    gone.update(here)
    for one in assigning:
        if one.lineno in gone and one.value is not None:
            gap = ast.Call(ast.Name(GAP, ast.Load()), [ast.Constant(named[one.lineno])], [])
            one.value = ast.copy_location(gap, one.value)
    function.__globals__[GAP] = _gap
    function.__code__ = _code(inner, function)
    return named[here[0]]


_GONE: dict[str, set[int]] = {}
"""The lines of each function whose statements were left out."""


def _tower_of(statement: ast.Assign | ast.AnnAssign | ast.Expr, tower: dict[str, Any]) -> str | None:
    """What a statement makes, if that is a tower: it is assigned, or a method makes it."""
    targets: list[Any]
    if isinstance(statement, ast.Expr):
        targets = [statement.value.func] if isinstance(statement.value, ast.Call) else []
    else:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in targets]
    for name in names:
        if not re.search(tower["names"], name) or re.search(tower["text"], name):
            return None
    return names[0] if names else None


def _code(inner: ast.FunctionDef, function: types.FunctionType) -> types.CodeType:
    """The rewritten function's code, which finds its class and other free names where the old one did."""
    inner.decorator_list = []
    free = function.__code__.co_freevars
    arguments = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    answer = ast.Return(ast.Name(inner.name, ast.Load()))
    outer = ast.FunctionDef(name="specint_outer", args=arguments, body=[inner, answer], decorator_list=[])
    if hasattr(outer, "type_params"):
        outer.type_params = []
    module = ast.fix_missing_locations(ast.Module([outer], []))
    names: dict[str, Any] = dict(function.__globals__)
    exec(compile(module, function.__code__.co_filename, "exec", dont_inherit=True, flags=_flags(function)), names)
    made: types.FunctionType = names["specint_outer"](*(None for _ in free))
    return made.__code__


def _flags(function: types.FunctionType) -> int:
    import __future__

    return function.__code__.co_flags & __future__.annotations.compiler_flag
