"""One evaluation: modules that were read, the outside, the bounds, the decisions, and how things are called."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from specint.errors import SpecintError
from specint.execution import attributes, bounds, classes, functions, natives, objects, records, texts
from specint.execution.builtins_table import FRAME_CALLS, builtin_names
from specint.execution.code import MISSING, Frame
from specint.execution.decisions import Decisions
from specint.execution.files import Files
from specint.execution.modules import Modules
from specint.execution.outside import Outside
from specint.execution.values import (
    PLAIN,
    BoundMethod,
    Builtin,
    Cached,
    Class,
    ForClass,
    Foreign,
    Function,
    ImportedName,
    Instance,
    Module,
    Partial,
    Property,
    Raised,
    Static,
    Super,
    UndeterminedError,
    Unknown,
)
from specint.source.tree import Tree


class Interpreter:
    """Evaluates Python of one tree.

    Attributes:
        decisions: the tests on unknown values, and which arm was taken.
        logged: what the evaluated code logged: level, text, file, line.
        lost: reasons for which a container's content is not known any more.
    """

    def __init__(
        self,
        tree: Tree,
        outside: Outside,
        *,
        files: Files | None = None,
        environment: Mapping[str, str] | None = None,
        modules: Modules | None = None,
    ) -> None:
        self.tree = tree
        self.outside = outside
        self.files = files or Files()
        self.environment = Environment(dict(environment or {}))
        self.budget = bounds.Budget()
        self.decisions = Decisions()
        self.logged: list[tuple[str, str, str, int]] = []
        self.losses: list[str] = []
        self.stack: list[Frame] = []
        self.journal: dict[int, tuple[Any, Any]] | None = None
        self.extras: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.path_class: Class | None = None
        self.making: list[Any] = []
        self.parsed: list[Any] = []
        self.watched: frozenset[str] = frozenset()  # classes whose objects' missing attributes are noted in `absent`
        self.absent: set[str] = set()
        self.importing = 0
        self.on_built: Callable[[Instance], None] | None = None
        self.on_write: Callable[[Any, str], None] | None = None
        self.on_instance: Callable[[Interpreter, Any, list[Any], dict[str, Any]], Any] | None = None
        self.on_append: Callable[[Any, Any], None] | None = None
        self.hooks: dict[str, Callable[[Interpreter, list[Any], dict[str, Any]], Any]] = {}
        self.modules = modules or Modules(tree)
        self.loaded: dict[str, Module] = {}
        self.order: list[str] = []
        self.builtins = builtin_names()
        from specint.execution.library import standard_library

        self.library = standard_library(self)

    # -- decisions -----------------------------------------------------------------------------------------------------
    def truth_value(self, value: Any) -> bool:
        """Whether a value counts as true; UndeterminedError where that is unknown."""
        if isinstance(value, PLAIN):
            return bool(value)
        if isinstance(value, Foreign):
            if self.outside.is_object(value.reason):
                return True
            raise UndeterminedError(value)
        if type(value) in (Function, Class, Module, BoundMethod, Builtin):
            return True
        return bool(value)

    def decide(self, value: Any, f: Frame, line: int, usual: bool = False) -> bool:
        """The arm that a test takes; of an unknown one, `usual` unless another was asked for."""
        if value is True or value is False:
            return value
        try:
            return self.truth_value(value)
        except UndeterminedError as undetermined:
            return self.decisions.take(undetermined.unknown.reason, f.file, line, usual, self.importing > 0)

    def enter_loop(self, value: Unknown, f: Frame, line: int) -> bool:
        """Whether a loop over something unknown runs its body (once)."""
        return self.decisions.take(f"is there any of {value.reason}", f.file, line, False, self.importing > 0)

    def step(self) -> None:
        """Count one step."""
        self.budget.steps -= 1
        if self.budget.steps < self.budget.next_look:
            self.budget.look()

    def lost(self, unknown: Unknown) -> None:
        """A container has taken in something unknown."""
        self.losses.append(unknown.reason)

    # -- going back ----------------------------------------------------------------------------------------------------
    def touch(self, container: Any) -> None:
        """Remember a container as it is, before its first change since `remember`."""
        journal = self.journal
        if journal is not None and id(container) not in journal and isinstance(container, dict | list | set):
            journal[id(container)] = (container, container.copy())

    def remember(self) -> None:
        """From here on, changes can be taken back."""
        self.journal = {}
        self.touch(self.loaded)
        self.touch(self.extras)

    def restore(self) -> None:
        """Take back every change since `remember`."""
        journal, self.journal = self.journal or {}, None
        for container, before in journal.values():
            if isinstance(container, list):
                container[:] = before
            else:
                container.clear()
                container.update(before)
        for module in self.loaded.values():
            for cls in module.names.values():
                if type(cls) is Class:
                    classes.forget_caches(cls)
        self.stack.clear()
        self.budget = bounds.Budget()
        self.decisions = Decisions()
        self.logged = []
        self.losses = []

    # -- errors --------------------------------------------------------------------------------------------------------
    def error(self, kind: type[BaseException], text: str, f: Frame) -> Raised:
        """An exception of Python's own, raised in a frame."""
        return Raised(kind(text), f.file, f.line)

    def to_raise(self, value: Any, f: Frame, line: int) -> Raised:
        """What `raise value` raises; an exception that was raised before keeps its place."""
        if (isinstance(value, type) and issubclass(value, BaseException)) or isinstance(value, Class):
            value = self.call(value, [], {})
        known = self.extras.get(id(value))
        if known is not None and known[0] is value and "__place__" in known[1]:
            return known[1]["__raised__"]  # type: ignore[no-any-return]
        if not isinstance(value, BaseException | Instance | Unknown):
            return Raised(TypeError("exceptions must derive from BaseException"), f.file, line)
        self.touch(self.extras)
        raised = Raised(value, f.file, line)
        self.extras[id(value)] = (value, {"__place__": (f.file, line), "__raised__": raised})
        return raised

    def keep_place(self, raised: Raised) -> None:
        """An exception is caught under a name: should it be raised again, its place is still the first."""
        self.touch(self.extras)
        self.extras[id(raised.value)] = (raised.value, {"__place__": (raised.file, raised.line), "__raised__": raised})

    def catches(self, raised: Raised, kinds: Any) -> Any:
        """Whether an `except` clause takes an exception."""
        if isinstance(kinds, tuple):
            unknown = None
            for kind in kinds:
                takes = self.catches(raised, kind)
                if takes is True:
                    return True
                if isinstance(takes, Unknown):
                    unknown = takes
            return unknown if unknown is not None else False
        return self.is_instance(raised.value, kinds)

    # -- attributes and items ------------------------------------------------------------------------------------------
    def get_attribute(self, value: Any, name: str) -> Any:
        """`value.name`."""
        kind = type(value)
        if kind is Instance:
            return attributes.of_object(self, value, name)
        if kind is Module:
            return self.module_attribute(value, name)
        if kind is Class:
            return attributes.of_class(self, value, name)
        if kind is Foreign:
            return self.foreign(f"{value.reason}.{name}")
        if kind is Unknown:
            return Unknown(f"{value.reason}.{name}") if value.path is None else self.outside.member(value, name)
        if kind is Function:
            return attributes.of_function(self, value, name)
        if kind is Super:
            return attributes.of_super(self, value, name)
        if kind is Cached:
            return attributes.of_cached(self, value, name)
        if kind in (BoundMethod, Partial, Property, Static, ForClass, Builtin):
            return attributes.of_other(self, value, name)
        if kind in self.library.kinds:
            return self.library.kinds[kind](self, value, name)
        return natives.native_attribute(self, value, name)

    def set_attribute(self, value: Any, name: str, found: Any) -> None:
        """`value.name = found`."""
        if type(value) is Instance:
            kind, own = attributes.look_up(value.cls, "__setattr__")
            if kind == attributes.METHOD and own is not natives.OBJECT_METHODS["__setattr__"]:
                self.call(own, [value, name, found], {})
                return
        self.set_plain(value, name, found)

    def set_plain(self, value: Any, name: str, found: Any) -> None:
        """`object.__setattr__(value, name, found)`."""
        objects.set_plain(self, value, name, found)

    def delete_attribute(self, value: Any, name: str) -> None:
        """`del value.name`."""
        if type(value) is Instance and (own := attributes.look_up(value.cls, "__delattr__"))[0] == attributes.METHOD:
            self.call(own[1], [value, name], {})
            return
        names = value.names if isinstance(value, Class | Module) else getattr(value, "attributes", None)
        if names is None:
            return
        self.touch(names)
        if names.pop(name, MISSING) is MISSING:
            raise Raised(AttributeError(name))

    def has_attribute(self, value: Any, name: str) -> Any:
        """`hasattr(value, name)`; of something foreign, unknown."""
        if isinstance(value, Foreign):
            known = self.outside.has(value.reason, name)
            return Unknown(f"hasattr({value.reason}, {name!r})") if known is None else known
        if isinstance(value, Unknown):
            return Unknown(f"hasattr({value.reason}, {name!r})")
        try:
            found = self.get_attribute(value, name)
        except Raised as raised:
            if isinstance(raised.value, AttributeError) or self.is_instance(raised.value, AttributeError) is True:
                return False
            raise
        if type(found) is Unknown and found.path == "foreign member":
            return Unknown(f"hasattr(..., {name!r})")
        return True

    def get_item(self, value: Any, index: Any) -> Any:
        """`value[index]`."""
        return objects.get_item(self, value, index)

    def set_item(self, value: Any, index: Any, found: Any) -> None:
        """`value[index] = found`."""
        objects.set_item(self, value, index, found)

    def delete_item(self, value: Any, index: Any) -> None:
        """`del value[index]`."""
        objects.delete_item(self, value, index)

    def iterate(self, value: Any) -> Iterator[Any]:
        """The elements of a value; UndeterminedError where they are unknown."""
        return objects.iterate(self, value)

    def length(self, value: Any) -> int:
        """`len(value)`."""
        return objects.length(self, value)  # type: ignore[no-any-return]

    def contains(self, container: Any, item: Any) -> Any:
        """`item in container`."""
        return objects.contains(self, container, item)

    def mapping(self, value: Any) -> dict[Any, Any]:
        """What `**value` gives."""
        return objects.mapping(self, value)

    def same(self, left: Any, right: Any) -> Any:
        """`left is right`."""
        return objects.same(self, left, right)

    def equal(self, left: Instance, right: Any) -> Any:
        """`left == right` of an object of the tree."""
        return objects.equal(self, left, right)

    def hash_of(self, value: Instance) -> int:
        """`hash(value)` of an object of the tree."""
        return objects.hash_of(self, value)

    def special(self, value: Instance, name: str, arguments: list[Any]) -> Any:
        """A method with two underscores that an operator asks for."""
        return objects.special(self, value, name, arguments)

    def truth_of_object(self, value: Instance) -> bool:
        """`bool(value)` of an object of the tree."""
        return objects.truth(self, value)

    def text_of(self, value: Instance, name: str) -> Any:
        """`__str__` or `__repr__` of an object of the tree, as Python's own `str` asks for it."""
        found = self.str_of(value) if name == "__str__" else self.repr_of(value)
        if isinstance(found, Unknown):
            raise UndeterminedError(found)
        return found

    def str_of(self, value: Any) -> Any:
        """`str(value)`."""
        return texts.str_of(self, value)

    def repr_of(self, value: Any) -> Any:
        """`repr(value)`."""
        return texts.repr_of(self, value)

    def default_repr(self, value: Any) -> str:
        """`object.__repr__(value)`, without an address."""
        return f"<{value.cls.module}.{value.cls.qualname} object>" if isinstance(value, Instance) else repr(value)

    def formatted(self, value: Any) -> Any:
        """What a format spec is applied to."""
        return value.payload if isinstance(value, Instance) and value.payload is not None else self.str_of(value)

    def format_text(self, text: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """`text.format(...)`."""
        return texts.format_text(self, text, arguments, keywords)

    def is_instance(self, value: Any, kind: Any) -> Any:
        """`isinstance(value, kind)`."""
        return classes.is_instance(self, value, kind)

    # -- calls ---------------------------------------------------------------------------------------------------------
    def call(self, called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """`called(*arguments, **keywords)`."""
        kind = type(called)
        if kind is Function:
            if self.hooks:
                hook = self.hooks.get(f"{called.globals['__name__']}.{called.qualname}")
                if hook is not None:
                    return hook(self, arguments, keywords)
            return functions.invoke(called, arguments, keywords)
        if kind is BoundMethod:
            return self.call(called.function, [called.receiver, *arguments], keywords)
        if kind is natives.NativeMethod:
            return natives.call_method(self, called, arguments, keywords)
        if kind is Builtin:
            return self._provided(called, arguments, keywords)
        if kind is Class:
            if self.on_instance is not None:
                made = self.on_instance(self, called, arguments, keywords)
                if made is not None:
                    return made
            return classes.instantiate(self, called, arguments, keywords)
        if isinstance(called, Unknown):
            return self._unknown_call(called, arguments, keywords)
        return self._other_call(called, arguments, keywords)

    def _provided(self, called: Builtin, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        try:
            return called.run(self, arguments, keywords)
        except UndeterminedError as undetermined:
            return undetermined.unknown
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError) as error:
            raise Raised(error) from None

    def _unknown_call(self, called: Unknown, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if isinstance(called, Foreign):
            if self.on_instance is not None:
                made = self.on_instance(self, called, arguments, keywords)
                if made is not None:
                    return made
            return self.outside.call(self, called.reason, arguments, keywords)
        return Unknown(f"{called.reason}()")

    def _other_call(self, called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        kind = type(called)
        if kind is Partial:
            return self.call(called.function, [*called.arguments, *arguments], {**called.keywords, **keywords})
        if kind is Cached:
            return objects.call_cached(self, called, arguments, keywords)
        if kind is Instance:
            return objects.call_object(self, called, arguments, keywords)
        if kind is Static:
            return self.call(called.function, arguments, keywords)
        if isinstance(called, type):
            return self.library.construct(self, called, arguments, keywords)
        if isinstance(called, types.GenericAlias):
            return self.call(called.__origin__, arguments, keywords)
        if id(called) in self.library.functions:
            return natives.call_native(self, called, arguments, keywords)
        raise Raised(TypeError(f"'{kind.__name__}' object is not callable"))

    def call_in_frame(self, name: str, f: Frame, arguments: list[Any]) -> Any:
        """A builtin that looks at the frame it is called in: `super`, `locals`, ..."""
        return FRAME_CALLS[name](self, f, arguments)

    def decorate(self, decorator: Any, function: Any) -> Any:
        """A definition under a decorator; one that is not in the tree leaves it as it is."""
        if isinstance(decorator, Unknown):
            return self.outside.decorate(self, decorator, function)
        return self.call(decorator, [function], {})

    def make_class(
        self, name: str, bases: list[Any], names: dict[str, Any], keywords: dict[str, Any], f: Frame, line: int
    ) -> Any:
        """What a class statement makes."""
        return classes.make_class(self, name, bases, names, keywords, f.file, line)

    def empty_object(self, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """`cls.__new__(cls)` as `object` has it."""
        return classes.empty_object(self, cls, arguments, keywords)

    def enum_members(self, cls: Class) -> dict[str, Any]:
        """The members of an enum by name."""
        from specint.execution.enums import members_of

        return members_of(cls)

    # -- with ----------------------------------------------------------------------------------------------------------
    def enter(self, manager: Any) -> Any:
        """`manager.__enter__()`."""
        return objects.enter(self, manager)

    def leave(self, manager: Any, raised: Raised | None) -> bool:
        """`manager.__exit__(...)`: whether it swallows the exception."""
        return objects.leave(self, manager, raised)

    # -- annotations ---------------------------------------------------------------------------------------------------
    def union(self, left: Any, right: Any) -> Any:
        """`left | right` of classes."""
        return records.union(self, left, right)

    def late_annotation(self, f: Frame, name: str, written: Any, expression: Any) -> None:
        """An annotation under `from __future__ import annotations`."""
        f.vars.setdefault("__late__", {})[name] = (f, expression, written)

    def annotations_of(self, owner: Any) -> dict[str, Any]:
        """`owner.__annotations__`."""
        return records.annotations_of(self, owner)

    def docstring(self, function: Function) -> Any:
        """`function.__doc__`."""
        import ast

        functions.prepare(function.code, function.owner)
        node = function.code.node
        return ast.get_docstring(node) if not isinstance(node, ast.Lambda) else None

    # -- modules -------------------------------------------------------------------------------------------------------
    def used(self, names: dict[str, Any] | None, name: str, imported: ImportedName) -> Any:
        """The value of an import whose name is used for the first time."""
        value = self.modules.value_of(self, imported)
        if names is not None:
            self.touch(names)
            names[name] = value
        return value

    def import_module(self, name: str, f: Frame, top: bool, eager: bool = False) -> Any:
        """`import name`."""
        return self.modules.import_module(self, name, f, top, eager)

    def import_name(self, source: str, name: str, f: Frame, line: int, eager: bool) -> Any:
        """`from source import name`."""
        return self.modules.import_name(self, source, name, f, line, eager)

    def star_names(self, source: str, f: Frame, line: int) -> dict[str, Any]:
        """`from source import *`."""
        return self.modules.star_names(self, source, f, line)

    def module(self, name: str) -> Module:
        """A module of the tree, evaluated. Raises `Raised` where that fails, SpecintError where there is none."""
        found = self.modules.load(self, name)
        if found is None:
            raise SpecintError(f"no module {name} in this SGLang", self.tree.origin.source)
        return found

    def module_attribute(self, module: Module, name: str) -> Any:
        """`module.name`."""
        return self.modules.attribute(self, module, name)

    def foreign(self, path: str) -> Any:
        """Something outside of the tree: a known fact, or that it exists."""
        return self.outside.look_up(self, path)


class Environment(dict[str, str]):
    """The launch's environment variables, and which of them were asked for."""

    def __init__(self, values: dict[str, str]) -> None:
        super().__init__(values)
        self.asked: dict[str, str | None] = {}

    def read(self, name: str) -> str | None:
        """A variable, None if it is not set."""
        value = dict.get(self, name)
        self.asked.setdefault(name, value)
        return value
