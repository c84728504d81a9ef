"""What is outside of the tree: packages, the machine. Facts about it are data; everything else is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from specint.execution.values import Class, Foreign, Raised, Unknown

if TYPE_CHECKING:
    from specint.execution.code import Frame
    from specint.execution.interpreter import Interpreter

Provided = Callable[["Interpreter", list[Any], dict[str, Any]], Any]


class Outside:
    """Facts by dotted path: `torch.version.cuda` for a value, `torch.cuda.is_available()` for a call's result.

    Attributes:
        used: the facts that were asked for, in order.
    """

    def __init__(
        self,
        facts: Mapping[str, Any] | None = None,
        *,
        absent: Iterable[str] = (),
        present: Iterable[str] = (),
        objects: Iterable[str] = (),
        classes: Mapping[str, Iterable[str]] | None = None,
        calls: Mapping[str, Provided] | None = None,
        subclasses: Mapping[str, str] | None = None,
    ) -> None:
        self.facts = dict(facts or {})
        self.absent = frozenset(absent)
        self.present = frozenset(present)
        self.objects = frozenset(objects)
        self.classes = {name: tuple(members) for name, members in (classes or {}).items()}
        self.made: dict[str, Class] = {}
        self.calls = dict(calls or {})
        self.subclasses = dict(subclasses or {})
        self.used: dict[str, Any] = {}

    def fact(self, path: str) -> Any:
        """The fact of a path; raises KeyError where there is none."""
        value = self.used[path] = self.facts[path]
        if isinstance(value, list):
            return tuple(value)
        return dict(value) if isinstance(value, dict) else value

    def look_up(self, it: Interpreter, path: str) -> Any:
        """What a dotted path outside of the tree is."""
        if path in self.facts:
            return self.fact(path)
        return Foreign(path)

    def member(self, unknown: Unknown, name: str) -> Any:
        """An attribute of something unknown that has a path."""
        path = f"{unknown.path}.{name}"
        if path in self.facts:
            return self.fact(path)
        found = Unknown(path)
        found.path = path
        return found

    def call(self, it: Interpreter, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of calling something outside of the tree."""
        known = self.calls.get(path)
        if known is not None:
            try:
                return known(it, arguments, keywords)
            except Raised as raised:
                if not raised.line:
                    raised.file, raised.line = path.partition(".")[0], -1
                raise
        made = f"{path}()"
        if made in self.facts:
            return self.fact(made)
        if arguments and isinstance(arguments[0], str):
            precise = f"{path}({arguments[0]!r})"
            if precise in self.facts:
                return self.fact(precise)
        found = Unknown(made)
        found.path = made
        return found

    def has(self, path: str, name: str) -> bool | None:
        """Whether something outside has an attribute; None where that is unknown."""
        full = f"{path}.{name}"
        if full in self.facts or full in self.calls or f"{full}()" in self.facts or full in self.objects:
            return True
        said = self.facts.get(f"hasattr {full}", self.facts.get(f"hasattr {path}.*"))
        return bool(said) if said is not None else None

    def is_object(self, path: str) -> bool:
        """Whether what a path names is certainly there and no plain value: a class by its name, or declared so."""
        last = path.rpartition(".")[2]
        if last[:1].isupper() or path in self.objects:
            return True
        above = path.rpartition(".")[0]
        return f"{above}.*" in self.objects or f"{above.rpartition('.')[0]}.*" in self.objects

    def stand_in(self, it: Interpreter, path: str) -> Class | None:
        """For a class outside of which all members are declared: a class with those, unknown each, and no others."""
        members = self.classes.get(path)
        if members is None:
            return None
        known = self.made.get(path)
        if known is None or known.it is not it:
            known = Class(it, path.rpartition(".")[2], [], {name: Unknown(f"{path}.{name}") for name in members})
            known.module, known.order = path.rpartition(".")[0], [known, object]
            self.made[path] = known
        return known

    def is_constant(self, path: str) -> bool:
        """Whether what a path names is an object of its package, and of no class of Python's or the tree's."""
        return path in self.objects

    def is_subclass(self, path: str, of: str) -> bool | None:
        """Whether one class outside is derived from another."""
        if path == of:
            return True
        known = self.subclasses.get(path)
        while known is not None:
            if known == of:
                return True
            known = self.subclasses.get(known)
        apart = path.partition(".")[0] != of.partition(".")[0]
        return False if apart else None

    def keeps_keywords(self, path: str) -> bool:
        """Whether a class outside keeps the keywords of its constructor as attributes."""
        return False

    def decorate(self, it: Interpreter, decorator: Unknown, function: Any) -> Any:
        """A definition under a decorator from outside: kernels are compiled, operators registered; the code stays."""
        known = self.calls.get(decorator.path or "")
        return known(it, [function], {}) if known is not None else function

    def check_import(self, it: Interpreter, name: str, f: Frame, guarded: bool = False) -> None:
        """Raise what an import of an absent package raises."""
        top = name.partition(".")[0]
        parts = name.split(".")
        gone = any(".".join(parts[:n]) in self.absent for n in range(1, len(parts) + 1))
        if not gone and guarded and top not in self.present:
            gone = not it.decisions.take(f"is the package {top} installed", f.file, f.line, False, it.importing > 0)
        if gone:
            text = f"No module named '{top if top in self.absent else name}'"
            raise Raised(ModuleNotFoundError(text, name=top), f.file, f.line)

    def installed(self, it: Interpreter, name: str, f: Frame | None) -> Any:
        """Whether a package is there: True, False or unknown."""
        parts = name.split(".")
        if any(".".join(parts[:n]) in self.absent for n in range(1, len(parts) + 1)):
            return False
        if parts[0] in self.present or it.modules.where(parts[0]) is not None:
            return True
        return Unknown(f"is the package {parts[0]} installed")
