"""Stand-ins for packages that SGLang imports and a smoke load doesn't need: never where the real one is.

A stand-in lets an import pass. During a forward it is sealed: a call of one raises, because a kernel that isn't there
would otherwise give wrong numbers without a word.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

_sealed = False
_used: dict[str, set[str]] = {}


class StandInCalled(RuntimeError):
    """A real package was needed after all."""


def install(names: Sequence[str]) -> tuple[str, ...]:
    """Stand in for those of these top-level packages that can't be found; which they are."""
    absent = tuple(name for name in names if not _is_there(name))
    if absent:
        sys.meta_path.append(_Finder(frozenset(absent)))
    return absent


def used() -> list[str]:
    """The packages whose stand-ins were really imported, sorted."""
    return sorted(_used)


def seal(closed: bool) -> None:
    """From now on a call of a stand-in raises (or no longer does)."""
    global _sealed  # noqa: PLW0603 - one process, one model, one switch
    _sealed = closed


def is_real(name: str) -> bool:
    """Whether a package is there, and no stand-in for it."""
    return not any(isinstance(one, _Finder) and name in one.names for one in sys.meta_path) and _is_there(name)


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Anything:
    """A function, decorator or value of a package that isn't there."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - it stands for anything
        if _sealed:
            raise StandInCalled(f"{self.__name__} was called, and the real package is not installed")
        if len(arguments) == 1 and not keywords and callable(arguments[0]):
            return arguments[0]  # a decorator
        return _Anything(f"{self.__name__}()")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _Anything(f"{self.__name__}.{name}")

    def __getitem__(self, key: object) -> Any:  # noqa: ANN401
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()

    def __or__(self, other: object) -> Any:  # noqa: ANN401
        return Any

    __ror__ = __or__

    def _itself(self, *_operand: object) -> Any:  # noqa: ANN401
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _itself
    __truediv__ = __rtruediv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __and__ = __rand__ = __neg__ = _itself

    def __enter__(self) -> Any:  # noqa: ANN401
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<stand-in for {self.__name__}>"


class _Class(type):
    """The class of classes of a package that isn't there: any attribute, any subscript, unions."""

    def __getattr__(cls, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _Anything(f"{cls.__module__}.{cls.__name__}.{name}")

    def __getitem__(cls, key: object) -> Any:  # noqa: ANN401
        return cls

    def __or__(cls, other: object) -> Any:  # noqa: ANN401
        return Any

    __ror__ = __or__


class _Module(types.ModuleType):
    """A module of a package that isn't there."""

    __version__ = "0.0.0"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        dotted = f"{self.__name__}.{name}"
        if dotted in sys.modules:
            return sys.modules[dotted]
        made: Any
        if name[:1].isupper() and not name.isupper():
            body = {"__module__": self.__name__, "__init__": _accept_anything, "__getattr__": _instance_attribute}
            made = _Class(name, (), body)
        else:
            made = _Anything(dotted)
        setattr(self, name, made)
        return made


def _accept_anything(_self: object, *_arguments: object, **_keywords: object) -> None:
    return None


def _instance_attribute(self: object, name: str) -> Any:  # noqa: ANN401
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    return _Anything(f"{type(self).__name__}().{name}")


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        _used.setdefault(spec.name.partition(".")[0], set()).add(spec.name)
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__path__ = []


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - importlib's signature
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=True)
        return None
