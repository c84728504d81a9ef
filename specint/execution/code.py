"""The parts that compiled code shares: frames, function bodies, and the signals that statements return."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from specint.execution.scopes import Scope

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter
    from specint.execution.values import Function

Expression = Callable[["Frame"], Any]
Statement = Callable[["Frame"], Any]

BREAK = "break"
CONTINUE = "continue"
RETURN = "return"
MISSING = object()


class Frame:
    """The names of one running function, class body or module."""

    __slots__ = ("file", "function", "globals", "handled", "it", "line", "parent", "result", "vars")

    def __init__(
        self, it: Interpreter, file: str, names: dict[str, Any], module_names: dict[str, Any], parent: Frame | None
    ) -> None:
        self.it = it
        self.file = file
        self.vars = names
        self.globals = module_names
        self.parent = parent
        self.line = 0
        self.result: Any = None
        self.handled: Any = None
        self.function: Function | None = None


class ModuleCode:
    """One file, parsed. Functions in it are compiled when they are first called."""

    __slots__ = ("bodies", "body", "file", "future_annotations", "name", "scope", "text")

    def __init__(self, name: str, file: str, future_annotations: bool) -> None:
        self.name = name
        self.file = file
        self.future_annotations = future_annotations
        self.scope = Scope("module", None)
        self.body: Statement | None = None
        self.text = ""
        self.bodies: dict[int, tuple[int, int]] = {}


class FunctionCode:
    """A function's parameters and body. `run` is made of the body at the first call."""

    __slots__ = (
        "all_names", "cls_name", "enclosing", "generator", "is_async", "is_function", "keyword_only", "line", "module",
        "name", "node", "positional", "positional_only", "run", "scope", "star", "stars",
    )  # fmt: skip

    def __init__(self, node: Any, module: ModuleCode, enclosing: Scope) -> None:
        arguments = node.args
        self.node = node
        self.module = module
        self.enclosing = enclosing
        self.name: str = getattr(node, "name", "<lambda>")
        self.line: int = node.lineno
        self.positional_only = len(arguments.posonlyargs)
        self.positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        self.keyword_only = [argument.arg for argument in arguments.kwonlyargs]
        self.star = arguments.vararg.arg if arguments.vararg else None
        self.stars = arguments.kwarg.arg if arguments.kwarg else None
        self.is_async = isinstance(node, ast.AsyncFunctionDef)
        self.is_function = not isinstance(node, ast.Lambda)
        self.cls_name = ""
        self.run: Callable[[Frame], Any] | None = None
        self.scope: Scope | None = None
        self.generator = False
        self.all_names = frozenset(self.positional[self.positional_only :]) | frozenset(self.keyword_only)
