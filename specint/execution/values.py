"""What evaluated code works on: Python's own plain values, and stand-ins for everything that has code behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specint.execution.code import FunctionCode
    from specint.execution.interpreter import Interpreter


PLAIN = (type(None), bool, int, float, complex, str, bytes)
"""Types whose values hold no other value."""


MAKE = "__make__"
"""Under this name a class of `NamedTuple` has what makes its objects."""


class UndeterminedError(Exception):
    """Python asked an unknown value for something that only a known one has; becomes an unknown value again."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class Raised(Exception):
    """An exception of the evaluated code on its way.

    `value` is a builtin exception, an `Instance` of the tree's own, or unknown; `file` and `line` are where it came up,
    `through` the places of the calls it has passed on its way out.
    """

    def __init__(self, value: Any, file: str = "", line: int = 0) -> None:
        super().__init__(value)
        self.value = value
        self.file = file
        self.line = line
        self.through: list[tuple[str, int]] = []


class Unknown:
    """A value that can't be known from reading. `reason` says why, for people; `text` is what of a string is known."""

    __slots__ = ("kind", "path", "reason", "text")

    def __init__(self, reason: str, text: str | None = None, kind: type | None = None) -> None:
        self.reason = reason
        self.text = text
        self.kind = kind  # what it is an object of, where that much is known
        self.path: str | None = None

    def __repr__(self) -> str:
        return f"<unknown: {self.reason}>"

    def _refuse(self, *_arguments: Any) -> Any:
        raise UndeterminedError(self)

    __eq__: Any
    __ne__: Any
    __getitem__: Any
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __str__ = __format__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __and__ = __rand__ = __xor__ = __rxor__ = __neg__ = __invert__ = __abs__ = _refuse
    __int__ = __float__ = __index__ = __fspath__ = __round__ = _refuse
    __hash__ = object.__hash__

    def __or__(self, other: object) -> Any:
        # `Unknown | None` in an annotation is no question.
        return self if other is None or isinstance(other, type | Class | Unknown) else self._refuse()

    __ror__ = __or__

    def __call__(self, *_arguments: object, **_keywords: object) -> Unknown:
        """As Python calls it."""
        return Unknown(f"{self.reason}()")


class Foreign(Unknown):
    """Something that a package outside of the tree defines: its dotted path is known, it exists, no more."""

    __slots__ = ()

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __repr__(self) -> str:
        return f"<{self.reason}>"

    def __eq__(self, other: object) -> Any:
        if other is self:
            return True
        if isinstance(other, Foreign):
            return other.path == self.path
        # It may be a plain value (a version, a flag), and is none of the tree's own things.
        return self._refuse() if isinstance(other, PLAIN) else False

    def __ne__(self, other: object) -> Any:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return hash(self.path)

    def __getitem__(self, _item: object) -> Foreign:
        return self

    def __or__(self, _other: object) -> Foreign:
        return self

    __ror__ = __or__


class Module:
    """A module of the tree. `names` is its namespace; it is filled when a name in it is first used."""

    __slots__ = ("file", "is_package", "name", "names", "state")

    def __init__(self, name: str, file: str, is_package: bool) -> None:
        self.name = name
        self.file = file
        self.is_package = is_package
        self.names: dict[str, Any] = {"__name__": name, "__file__": f"/nowhere/tree/{file}", "__doc__": None}
        self.names["__package__"] = name if is_package else name.rpartition(".")[0]
        self.state = "new"  # new, running, done

    def __repr__(self) -> str:
        return f"<module {self.name!r}>"


class ImportedName:
    """A name that an import binds and nothing has used yet."""

    __slots__ = ("file", "line", "module", "name")

    def __init__(self, module: str, name: str, file: str, line: int) -> None:
        self.module = module
        self.name = name
        self.file = file
        self.line = line


class Function:
    """A function, method or lambda of the tree, with the frame it was defined in."""

    __slots__ = ("attributes", "closure", "code", "defaults", "globals", "it", "keyword_defaults", "name", "owner",
                 "qualname", "thunks")  # fmt: skip

    def __init__(self, code: FunctionCode, it: Interpreter, closure: Any, module_names: dict[str, Any]) -> None:
        self.code = code
        self.it = it
        self.closure = closure
        self.globals = module_names
        self.name = self.qualname = code.name
        self.defaults: list[Any] = []
        self.keyword_defaults: dict[str, Any] = {}
        self.owner: Class | None = None
        self.attributes: dict[str, Any] = {}
        self.thunks: dict[str, Any] = {}

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return self.it.call(self, list(arguments), keywords)

    def __repr__(self) -> str:
        return f"<function {self.qualname}>"


class BoundMethod:
    """A function, or anything callable, with its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Any, receiver: Any) -> None:
        self.function = function
        self.receiver = receiver

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        it = interpreter_of(self)
        return it.call(self, list(arguments), keywords)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundMethod) and other.function is self.function and other.receiver is self.receiver

    def __hash__(self) -> int:
        return hash((id(self.function), id(self.receiver)))

    def __repr__(self) -> str:
        return f"<bound method {getattr(self.function, 'qualname', self.function)!s}>"


class Builtin:
    """A function that specint provides: `run(it, arguments, keywords)`."""

    __slots__ = ("binds", "name", "run")

    def __init__(
        self, name: str, run: Callable[[Interpreter, list[Any], dict[str, Any]], Any], binds: bool = False
    ) -> None:
        self.name = name
        self.run = run
        self.binds = binds

    def __repr__(self) -> str:
        return f"<built-in {self.name}>"


class Partial:
    """`functools.partial`."""

    __slots__ = ("arguments", "function", "it", "keywords")

    def __init__(self, it: Interpreter, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self.it = it
        self.function = function
        self.arguments = arguments
        self.keywords = keywords

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return self.it.call(self, list(arguments), keywords)


class Cached:
    """`functools.cache` and `lru_cache`: what was answered is kept in `memo`."""

    __slots__ = ("attributes", "function", "it", "memo")

    def __init__(self, it: Interpreter, function: Any) -> None:
        self.it = it
        self.function = function
        self.memo: dict[Any, Any] = {}
        self.attributes: dict[str, Any] = {}

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return self.it.call(self, list(arguments), keywords)


class Property:
    """`property`, `cached_property` where `keeps` is set."""

    __slots__ = ("deleter", "getter", "keeps", "name", "setter")

    def __init__(self, getter: Any, setter: Any = None, keeps: bool = False) -> None:
        self.getter = getter
        self.setter = setter
        self.deleter: Any = None
        self.keeps = keeps
        self.name = getattr(getter, "name", "")


class Static:
    """`staticmethod`."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class ForClass:
    """`classmethod`."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class Super:
    """`super()`: look-up after `start` in the order of `receiver`'s class."""

    __slots__ = ("receiver", "start")

    def __init__(self, start: Class, receiver: Any) -> None:
        self.start = start
        self.receiver = receiver


class Class:
    """A class of the tree. `bases` and `order` hold classes, Python's own types and foreign ones."""

    __slots__ = (
        "bases", "cache", "file", "foreign", "it", "line", "meta", "module", "name", "names", "native", "order",
        "qualname", "record", "subclasses", "thunks",
    )  # fmt: skip

    def __init__(self, it: Interpreter, name: str, bases: list[Any], names: dict[str, Any]) -> None:
        self.it = it
        self.name = self.qualname = name
        self.bases = bases
        self.names = names
        self.module = ""
        self.file = ""
        self.line = 0
        self.meta: Class | None = None
        self.order: list[Any] = [self]
        self.native: type | None = None
        self.foreign: Unknown | None = None
        self.record: Any = None
        self.cache: dict[str, Any] = {}
        self.thunks: dict[str, Any] = {}
        self.subclasses: list[Class] = []

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return self.it.call(self, list(arguments), keywords)

    def __or__(self, other: object) -> Any:
        return self.it.union(self, other)

    def __ror__(self, other: object) -> Any:
        return self.it.union(other, self)

    def __iter__(self) -> Iterator[Any]:
        return self.it.iterate(self)

    def __len__(self) -> int:
        return self.it.length(self)

    def __contains__(self, item: object) -> bool:
        return any(item is other or item == other for other in self.it.iterate(self))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<class '{self.module}.{self.qualname}'>"


def interpreter_of(method: BoundMethod) -> Interpreter:
    """The interpreter that a bound method belongs to."""
    for value in (method.function, method.receiver):
        it = getattr(value, "it", None)
        if it is None and isinstance(value, Instance):
            it = value.cls.it
        if it is not None:
            return it  # type: ignore[no-any-return]
    raise UndeterminedError(Unknown(f"{method!r}"))


class Instance:
    """An object of a class of the tree. `payload` is the plain value that one of a subclass of `str`, ... is."""

    __slots__ = ("attributes", "cls", "payload")

    def __init__(self, cls: Class) -> None:
        self.cls = cls
        self.attributes: dict[str, Any] = {}
        self.payload: Any = None

    def __repr__(self) -> str:
        return str(self.cls.it.text_of(self, "__repr__"))

    def __str__(self) -> str:
        return str(self.cls.it.text_of(self, "__str__"))

    def __format__(self, spec: str) -> str:
        return format(self.cls.it.formatted(self), spec)

    def __bool__(self) -> bool:
        return bool(self.cls.it.truth_of_object(self))

    def __hash__(self) -> int:
        return self.cls.it.hash_of(self)

    def __eq__(self, other: object) -> Any:
        return self.cls.it.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return not self.cls.it.equal(self, other)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """As Python calls it."""
        return self.cls.it.call(self, list(arguments), keywords)

    def __iter__(self) -> Iterator[Any]:
        return self.cls.it.iterate(self)

    def __len__(self) -> int:
        return self.cls.it.length(self)

    def __index__(self) -> int:
        return int(self.cls.it.special(self, "__index__", []))

    def __int__(self) -> int:
        return int(self.cls.it.special(self, "__int__", []))

    def __float__(self) -> float:
        return float(self.cls.it.special(self, "__float__", []))

    def __fspath__(self) -> str:
        return str(self.cls.it.special(self, "__fspath__", []))


def _delegated(name: str) -> Callable[..., Any]:
    def operate(self: Instance, *others: Any) -> Any:
        return self.cls.it.special(self, name, list(others))

    return operate


DELEGATED = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "matmul",
    "radd",
    "rsub",
    "rmul",
    "rtruediv",
    "rfloordiv",
    "rmod",
    "rpow",
    "rand",
    "ror",
    "rxor",
    "lt",
    "le",
    "gt",
    "ge",
    "neg",
    "pos",
    "invert",
    "abs",
    "getitem",
    "setitem",
    "delitem",
    "contains",
    "round",
]
for _name in DELEGATED:
    setattr(Instance, f"__{_name}__", _delegated(f"__{_name}__"))
