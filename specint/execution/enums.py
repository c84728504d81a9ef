"""Enums: members are made of the body's plain values, looked up by name and by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from specint.execution import attributes
from specint.execution.values import (
    BoundMethod,
    Builtin,
    Cached,
    Class,
    ForClass,
    Function,
    Instance,
    Property,
    Raised,
    Static,
    UndeterminedError,
    Unknown,
)

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter


class Auto:
    """`enum.auto()`."""


NOT_MEMBERS = (Function, Property, Static, ForClass, Builtin, Cached, BoundMethod)


def build(it: Interpreter, cls: Class) -> None:
    """Turn the plain values of an enum's body into its members."""
    members: dict[str, Instance] = {}
    flag = any(base.name in ("Flag", "IntFlag") for base in cls.order if isinstance(base, Class))
    texts = any(base.name == "StrEnum" for base in cls.order if isinstance(base, Class))
    values: list[Any] = []
    ignored = cls.names.get("_ignore_", ())
    for name, value in list(cls.names.items()):
        if name.startswith("_") or isinstance(value, NOT_MEMBERS) or name in ignored:
            continue
        if isinstance(value, Class):
            continue
        if isinstance(value, Auto):
            value = _next_value(it, cls, name, values, flag, texts)  # noqa: PLW2901 - it is the member's value
        alias = None if isinstance(value, Unknown) else _with_value(members, value)
        if alias is not None:
            members[name] = cls.names[name] = alias
            continue
        member = Instance(cls)
        arguments = list(value) if isinstance(value, tuple) else [value]
        kind, own = attributes.look_up(cls, "__new__")
        if kind == attributes.METHOD and type(own) is Function:
            made = it.call(own, [cls, *arguments], {})
            member = made if isinstance(made, Instance) else member
            member.attributes.setdefault("_value_", value)
        else:
            if cls.native in (str, int, float):
                member.payload = it.library.construct(it, cls.native, arguments, {})
                if isinstance(member.payload, Unknown):
                    member.payload = None
            elif cls.native is tuple:
                member.payload = tuple(arguments[0]) if len(arguments) == 1 else tuple(arguments)
            member.attributes["_value_"] = value
        member.attributes["_name_"] = name
        values.append(member.attributes["_value_"])
        members[name] = cls.names[name] = member
        kind, own = attributes.look_up(cls, "__init__")
        if kind == attributes.METHOD and type(own) is Function:
            it.call(own, [member, *arguments], {})
    cls.names["__enum__"] = members
    cls.record = "enum"


def _with_value(members: dict[str, Instance], value: Any) -> Instance | None:
    for member in members.values():
        known = member.attributes["_value_"]
        try:
            if type(known) is type(value) and known == value:
                return member
        except UndeterminedError:
            continue
    return None


def _next_value(it: Interpreter, cls: Class, name: str, values: list[Any], flag: bool, texts: bool) -> Any:
    own = cls.names.get("_generate_next_value_")
    if own is not None:
        function = own.function if isinstance(own, Static) else own
        return it.call(function, [name, 1, len(values), list(values)], {})
    if texts:
        return name.lower()
    numbers = [value for value in values if isinstance(value, int)]
    if flag:
        return 1 << max((number.bit_length() for number in numbers), default=0)
    return max(numbers, default=0) + 1


def members_of(cls: Class) -> dict[str, Any]:
    """The members by name, aliases included."""
    return cls.names.get("__enum__") or {}


def by_value(it: Interpreter, cls: Class, arguments: list[Any]) -> Any:
    """`Enum(value)`."""
    if len(arguments) > 1:
        return functional(it, cls, arguments)
    value = arguments[0] if arguments else None
    if isinstance(value, Instance) and value.cls is cls:
        return value
    if isinstance(value, Unknown):
        return Unknown(f"{cls.name}({value.reason})")
    for member in members_of(cls).values():
        try:
            if member.attributes["_value_"] == value:
                return member
        except UndeterminedError:
            continue
    kind, own = attributes.look_up(cls, "_missing_")
    if kind == attributes.FOR_CLASS:
        found = it.call(own.function, [cls, value], {})
        if found is not None:
            return found
    if isinstance(value, int) and any(
        base.name in ("Flag", "IntFlag") for base in cls.order if isinstance(base, Class)
    ):
        return combined(cls, value)
    raise Raised(ValueError(f"{it.repr_of(value)} is not a valid {cls.qualname}"))


def combined(cls: Class, value: int) -> Instance:
    """A combination of flags."""
    for member in members_of(cls).values():
        if member.attributes["_value_"] == value:
            return member  # type: ignore[no-any-return]
    made = Instance(cls)
    names = [n for n, m in members_of(cls).items() if m.attributes["_value_"] & value]
    made.attributes.update(_value_=value, _name_="|".join(names) or None)
    made.payload = value if cls.native is int else None
    return made


def functional(it: Interpreter, base: Class, arguments: list[Any]) -> Any:
    """`Enum("Name", "A B")`."""
    name, given = arguments[0], arguments[1]
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    if isinstance(given, dict):
        pairs = list(given.items())
    else:
        items = list(it.iterate(given))
        pairs = [tuple(item) if isinstance(item, list | tuple) else (item, n) for n, item in enumerate(items, 1)]
    return it.make_class(name, [base], {**dict(pairs), "__module__": base.module}, {}, it.stack[-1], it.stack[-1].line)


def enum_classes(it: Interpreter) -> dict[str, Any]:
    """The names of the module `enum`."""

    def base(name: str, bases: list[Any], natives: list[Any]) -> Class:
        cls = Class(it, name, [*natives, *bases], {})
        cls.module = "enum"
        cls.order = [cls, *natives, *[one for parent in bases for one in parent.order]]
        cls.order = [*[one for one in dict.fromkeys(cls.order) if one is not object], object]
        cls.native = natives[0] if natives else None
        cls.record = "enum"
        return cls

    root = base("Enum", [], [])
    root.names.update(
        name=Property(Builtin("name", lambda it, a, k: a[0].attributes.get("_name_"))),
        value=Property(Builtin("value", lambda it, a, k: a[0].attributes.get("_value_"))),
        __str__=Builtin(
            "Enum.__str__", lambda it, a, k: f"{a[0].cls.name}.{a[0].attributes.get('_name_')}", binds=True
        ),
        __repr__=Builtin("Enum.__repr__", _repr, binds=True),
    )
    flag = base("Flag", [root], [])
    for symbol, operate in (("or", int.__or__), ("and", int.__and__), ("xor", int.__xor__)):
        flag.names[f"__{symbol}__"] = Builtin(symbol, _flag_operator(operate), binds=True)
    flag.names["__bool__"] = Builtin("__bool__", lambda it, a, k: bool(a[0].attributes["_value_"]), binds=True)
    flag.names["__contains__"] = Builtin(
        "__contains__",
        lambda it, a, k: a[1].attributes["_value_"] & a[0].attributes["_value_"] == a[1].attributes["_value_"],
        binds=True,
    )
    number = base("IntEnum", [root], [int])
    text = base("StrEnum", [root], [str])
    for cls in (number, text):
        cls.names["__str__"] = Builtin("__str__", lambda it, a, k: str(a[0].payload), binds=True)
    both = base("IntFlag", [flag], [int])
    return {
        "Enum": root, "IntEnum": number, "StrEnum": text, "Flag": flag, "IntFlag": both, "EnumMeta": type,
        "EnumType": type, "auto": Builtin("auto", lambda it, a, k: Auto()), "unique": Builtin("unique", _itself),
    }  # fmt: skip


def _itself(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    return arguments[0]


def _repr(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> str:
    member = arguments[0]
    return f"<{member.cls.name}.{member.attributes.get('_name_')}: {it.repr_of(member.attributes.get('_value_'))}>"


def _flag_operator(operate: Any) -> Any:
    def run(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        left, right = arguments
        other = right.attributes["_value_"] if isinstance(right, Instance) else right
        return combined(left.cls, operate(left.attributes["_value_"], other))

    return run
