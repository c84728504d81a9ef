"""Records: dataclasses, msgspec structs, named tuples, and what annotations say."""

from __future__ import annotations

import ast
import copy
import dataclasses
import typing
from typing import TYPE_CHECKING, Any, NamedTuple

from specint.execution import attributes, natives
from specint.execution.code import MISSING, ModuleCode
from specint.execution.values import (
    MAKE,
    Builtin,
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
from specint.parsing import Unparsable, parsed_expression

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter


class NoDefault:
    """`msgspec.NODEFAULT`."""

    def __repr__(self) -> str:
        return "NODEFAULT"


NODEFAULT = NoDefault()


class Field:
    """One field of a record."""

    __slots__ = ("compare", "default", "factory", "init", "keyword_only", "metadata", "name", "owner", "repr", "struct")

    def __init__(self, name: str = "", default: Any = MISSING, factory: Any = MISSING) -> None:
        self.name = name
        self.default = default
        self.factory = factory
        self.init = True
        self.repr = self.compare = True
        self.keyword_only = False
        self.metadata: Any = {}
        self.owner: Class | None = None
        self.struct = False


class Record(NamedTuple):
    """What a class is a record of: its kind, the names of its fields in order, the fields."""

    kind: str
    names: list[str]
    fields: dict[str, Field]
    frozen: bool


def field_attribute(it: Interpreter, found: Field, name: str) -> Any:
    """An attribute of a field as `dataclasses.fields` or `msgspec.structs.fields` gives it."""
    absent = NODEFAULT if found.struct else dataclasses.MISSING
    if name == "default":
        return absent if found.default is MISSING else found.default
    if name == "default_factory":
        return absent if found.factory is MISSING else found.factory
    if name == "type":
        return _written(found) if not found.struct else hint_of(it, found)
    if name == "required":
        return found.default is MISSING and found.factory is MISSING
    if name == "encode_name":
        return found.name
    if name == "kw_only":
        return found.keyword_only
    if name in ("name", "init", "metadata", "repr", "compare"):
        return getattr(found, name)
    raise Raised(AttributeError(name))


def _written(found: Field) -> Any:
    """A dataclass field's annotation, as text where it is left unevaluated. One at a time: a record has hundreds."""
    cls = found.owner
    if cls is None:
        return None
    explicit = (cls.names.get("__annotations__") or {}).get(found.name, MISSING)
    if explicit is not MISSING:
        return explicit
    thunk = cls.thunks.get(found.name)
    return ast.unparse(thunk[2]) if thunk is not None else None


def hint_of(it: Interpreter, found: Field) -> Any:
    """A struct field's type."""
    for base in found.owner.order if found.owner is not None else ():
        if isinstance(base, Class):
            if found.name in base.thunks:
                f, expression, _written = base.thunks[found.name]
                return expression(f)
            if found.name in (base.names.get("__annotations__") or {}):
                value = base.names["__annotations__"][found.name]
                return _from_text(it, base.module, value) if isinstance(value, str) else value
    return None


# -- dataclasses -------------------------------------------------------------------------------------------------------
def dataclass(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`@dataclass` and `@dataclass(...)`."""
    if not arguments or arguments[0] is None:
        return Builtin("dataclass", lambda i, a, k: _make(i, a[0], keywords))
    return _make(it, arguments[0], keywords)


def _make(it: Interpreter, cls: Any, options: dict[str, Any]) -> Any:
    if not isinstance(cls, Class):
        return cls
    fields: dict[str, Field] = {}
    for base in reversed(cls.order[1:]):
        if isinstance(base, Class) and isinstance(base.record, Record):
            fields.update(base.record.fields)
    keyword_only = bool(options.get("kw_only"))
    for name, written in own_annotations(cls):
        text = written if isinstance(written, str) else str(getattr(written, "__name__", ""))
        if "ClassVar" in text.partition("[")[0] or typing.get_origin(written) is typing.ClassVar:
            continue
        if text.rpartition(".")[2] == "KW_ONLY":
            keyword_only = True
            continue
        value = cls.names.get(name, MISSING)
        found = copy.copy(value) if isinstance(value, Field) else Field(name, value)
        found.name, found.owner = name, cls
        found.keyword_only = found.keyword_only or keyword_only
        fields[name] = found
        if isinstance(value, Field):
            if found.default is MISSING:
                cls.names.pop(name, None)
            else:
                cls.names[name] = found.default
    cls.record = Record("dataclass", list(fields), fields, bool(options.get("frozen")))
    if options.get("init", True) and not isinstance(cls.names.get("__init__"), Function):
        cls.names["__init__"] = Builtin("__init__", _initialise(cls), binds=True)
    cls.names["__dataclass_fields__"] = dict(fields)
    if options.get("order"):
        _ordered(cls)
    attributes_changed(cls)
    return cls


def attributes_changed(cls: Class) -> None:
    """Look-ups on the class are done again."""
    from specint.execution.classes import forget_caches

    forget_caches(cls)


def _comparing(key: Any, operate: str) -> Any:
    return lambda it, a, k: getattr(key(a[0]), operate)(key(a[1]))


def _ordered(cls: Class) -> None:
    def key(value: Any) -> tuple[Any, ...]:
        return tuple(value.attributes.get(name) for name in cls.record.names)

    for symbol, operate in (("lt", "__lt__"), ("le", "__le__"), ("gt", "__gt__"), ("ge", "__ge__")):
        cls.names[f"__{symbol}__"] = Builtin(symbol, _comparing(key, operate), binds=True)


def _initialise(cls: Class) -> Any:
    record: Record = cls.record
    name = cls.name

    def run(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        obj, given = arguments[0], arguments[1:]
        positional = [field for field in record.fields.values() if field.init and not field.keyword_only]
        if len(given) > len(positional):
            raise Raised(TypeError(f"{name}.__init__() takes {len(positional) + 1} positional arguments"))
        values = {field.name: value for field, value in zip(positional, given, strict=False)}
        for key, value in keywords.items():
            known = record.fields.get(key)
            if known is None or not known.init:
                raise Raised(TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'"))
            if key in values:
                raise Raised(TypeError(f"{name}.__init__() got multiple values for argument '{key}'"))
            values[key] = value
        missing = []
        own = obj.cls.cache.get("__setattr__") or attributes.look_up(obj.cls, "__setattr__")
        plain = own[1] is natives.OBJECT_METHODS["__setattr__"] or record.frozen
        for field in record.fields.values():
            key = field.name
            if key in values:
                value = values[key]
            elif field.factory is not MISSING:
                value = it.call(field.factory, [], {})
            elif field.default is not MISSING:
                value = (
                    copy.copy(field.default)
                    if record.kind == "struct" and type(field.default) in (list, dict, set)
                    else field.default
                )
            elif field.init:
                missing.append(key)
                continue
            else:
                continue
            if plain and attributes.look_up(obj.cls, key)[0] != attributes.DATA:
                obj.attributes[key] = value
            else:
                it.set_attribute(obj, key, value)
        if missing:
            many = f"{len(missing)} required positional argument{'s' if len(missing) > 1 else ''}"
            raise Raised(TypeError(f"{name}.__init__() missing {many}: {', '.join(map(repr, missing))}"))
        if it.on_built is not None:
            it.on_built(obj)
        kind, after = attributes.look_up(obj.cls, "__post_init__")
        if kind == attributes.METHOD:
            it.call(after, [obj], {})

    return run


def make_field(_it: Interpreter, _arguments: list[Any], keywords: dict[str, Any]) -> Field:
    """`dataclasses.field`, `msgspec.field`."""
    found = Field()
    default = keywords.get("default", MISSING)
    found.default = MISSING if default is dataclasses.MISSING or default is NODEFAULT else default
    factory = keywords.get("default_factory", MISSING)
    found.factory = MISSING if factory is dataclasses.MISSING or factory is NODEFAULT else factory
    found.init = keywords.get("init", True)
    found.metadata = keywords.get("metadata") or {}
    found.keyword_only = keywords.get("kw_only") is True
    return found


def record_of(value: Any) -> Record | None:
    """The record that a class or object is of."""
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return None
    return next(
        (base.record for base in cls.order if isinstance(base, Class) and isinstance(base.record, Record)), None
    )


def fields_of(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`dataclasses.fields`, `msgspec.structs.fields`."""
    value = arguments[0]
    if isinstance(value, Unknown):
        return Unknown(f"fields({value.reason})")
    record = record_of(value)
    if record is None:
        raise Raised(TypeError("must be called with a dataclass type or instance"))
    return tuple(record.fields.values())


def is_dataclass(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`dataclasses.is_dataclass`."""
    if isinstance(arguments[0], Unknown):
        return Unknown(f"is_dataclass({arguments[0].reason})") if arguments[0].kind is None else False
    record = record_of(arguments[0])
    return record is not None and record.kind == "dataclass"


def as_dict(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`dataclasses.asdict`."""
    record = record_of(arguments[0])
    if record is None:
        return Unknown("asdict()")
    return {name: _deep(it, arguments[0].attributes.get(name)) for name in record.names}


def as_struct_dict(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`msgspec.structs.asdict`: one level."""
    record = record_of(arguments[0])
    return Unknown("asdict()") if record is None else {name: arguments[0].attributes.get(name) for name in record.names}


def _deep(it: Interpreter, value: Any) -> Any:
    if isinstance(value, Instance) and record_of(value):
        return as_dict(it, [value], {})
    if type(value) in (list, tuple):
        return type(value)(_deep(it, item) for item in value)
    if type(value) is dict:
        return {key: _deep(it, item) for key, item in value.items()}
    return value


def replace(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`dataclasses.replace`, `msgspec.structs.replace`."""
    value = arguments[0]
    record = record_of(value)
    if record is None:
        return Unknown("replace()")
    kept = {
        name: value.attributes[name] for name in record.names if record.fields[name].init and name in value.attributes
    }
    return it.call(value.cls, [], {**kept, **keywords})


# -- msgspec -----------------------------------------------------------------------------------------------------------
def build_struct(it: Interpreter, cls: Class, options: dict[str, Any]) -> None:
    """Make a subclass of `msgspec.Struct` a record."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.order[1:]):
        if isinstance(base, Class) and isinstance(base.record, Record):
            fields.update(base.record.fields)
    for name, written in own_annotations(cls):
        if (isinstance(written, str) and "ClassVar" in written.partition("[")[0]) or typing.get_origin(
            written
        ) is typing.ClassVar:
            continue
        value = cls.names.pop(name, MISSING)
        found = copy.copy(value) if isinstance(value, Field) else Field(name, value)
        found.name, found.owner, found.struct = name, cls, True
        found.keyword_only = bool(options.get("kw_only"))
        fields[name] = found
    cls.record = Record("struct", list(fields), fields, bool(options.get("frozen")))
    if not isinstance(cls.names.get("__init__"), Function):
        cls.names["__init__"] = Builtin("__init__", _initialise(cls), binds=True)
    cls.names["__struct_fields__"] = tuple(fields)


def define_struct(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`msgspec.defstruct(name, fields, ...)`."""
    name, given = arguments[0], arguments[1]
    names: dict[str, Any] = {}
    namespace = keywords.get("namespace") or {}
    names.update(it.mapping(namespace))
    written: dict[str, Any] = {}
    for item in it.iterate(given):
        if isinstance(item, str):
            written[item] = Any
            continue
        parts = list(it.iterate(item))
        written[parts[0]] = parts[1] if len(parts) > 1 else Any
        names.pop(parts[0], None)
        if len(parts) > 2:
            names[parts[0]] = parts[2]
    names["__annotations__"] = written
    names.setdefault(
        "__module__", keywords.get("module") or (it.stack[-1].globals.get("__name__", "") if it.stack else "")
    )
    bases = list(it.iterate(keywords.get("bases") or ())) or [it.library.struct]
    options = {key: value for key, value in keywords.items() if key in ("frozen", "kw_only")}
    frame = it.stack[-1]
    return it.make_class(name, bases, names, options, frame, frame.line)


# -- named tuples ------------------------------------------------------------------------------------------------------
def build_named_tuple(it: Interpreter, cls: Class) -> None:
    """A class of `NamedTuple`: a tuple whose elements have names."""
    fields = [name for name, _ in own_annotations(cls)]
    defaults = {name: cls.names.pop(name) for name in fields if name in cls.names}
    cls.order = [one for one in cls.order if one is not typing.NamedTuple and one is not object] + [tuple, object]
    cls.native = tuple
    cls.record = "namedtuple"

    def new(_it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
        target, given = arguments[0], arguments[1:]
        values = {**defaults, **dict(zip(fields, given, strict=False)), **keywords}
        missing = [name for name in fields if name not in values]
        if missing or len(given) > len(fields) or set(values) - set(fields):
            raise Raised(TypeError(f"{cls.name}.__new__() does not take these arguments"))
        obj = Instance(target)
        obj.payload = tuple(values[name] for name in fields)
        return obj

    cls.names["__init__"] = Builtin("__init__", lambda i, a, k: None, binds=True)
    cls.names[MAKE] = Builtin("new", new)
    cls.names["_fields"] = tuple(fields)
    cls.names["_asdict"] = Builtin("_asdict", lambda i, a, k: dict(zip(fields, a[0].payload, strict=True)), binds=True)
    cls.names["_replace"] = Builtin(
        "_replace",
        lambda i, a, k: new(i, [a[0].cls], {**dict(zip(fields, a[0].payload, strict=True)), **k}),
        binds=True,
    )
    for n, name in enumerate(fields):
        cls.names[name] = Property(Builtin(name, _element(n)))


def _element(n: int) -> Any:
    return lambda it, a, k: a[0].payload[n]


# -- annotations -------------------------------------------------------------------------------------------------------
def own_annotations(cls: Class) -> list[tuple[str, Any]]:
    """The names that a class body annotates, with the annotation as text where it is left unevaluated."""
    found = list((cls.names.get("__annotations__") or {}).items())
    known = {name for name, _ in found}
    found += [(name, ast.unparse(thunk[2])) for name, thunk in cls.thunks.items() if name not in known]
    return found


def annotations_of(it: Interpreter, owner: Any, inherited: bool = False) -> dict[str, Any]:
    """`owner.__annotations__`."""
    if isinstance(owner, Class):
        if inherited:
            merged: dict[str, Any] = {}
            for base in reversed(owner.order):
                if isinstance(base, Class):
                    merged.update(own_annotations(base))
            return merged
        return dict(own_annotations(owner))
    if isinstance(owner, Function):
        found = {}
        for name, (f, value, written) in owner.thunks.items():  # written: under `from __future__ import annotations`
            found[name] = value if f is None else value(f) if written is None else ast.unparse(written)
        return found
    return {}


def type_hints(it: Interpreter, owner: Any, extras: bool) -> dict[str, Any]:
    """`typing.get_type_hints(owner, include_extras=extras)`."""
    found: dict[str, Any] = {}
    if isinstance(owner, Class):
        for base in reversed(owner.order):
            if isinstance(base, Class):
                for name, (f, expression, _written) in base.thunks.items():
                    found[name] = expression(f)
                for name, value in (base.names.get("__annotations__") or {}).items():
                    found[name] = _from_text(it, base.module, value) if isinstance(value, str) else value
    elif isinstance(owner, Function):
        for name, (f, value, _written) in owner.thunks.items():
            found[name] = value(f) if f is not None else value
    return {name: _hint(value, extras) for name, value in found.items()}


def _hint(value: Any, extras: bool) -> Any:
    if value is None:
        return type(None)
    if not extras and typing.get_origin(value) is typing.Annotated:
        return typing.get_args(value)[0]
    return value


def _from_text(it: Interpreter, module: str, text: str) -> Any:
    from specint.execution.code import Frame
    from specint.execution.expressions import Context, compile_expression

    if len(text) > 1000:
        return Unknown("a long annotation")
    try:
        node = parsed_expression(text)
    except Unparsable:
        return Unknown("an annotation that can't be read")
    names = it.loaded[module].names if module in it.loaded else {}
    code = ModuleCode(module, "", False)
    return compile_expression(node, Context(code, code.scope))(Frame(it, "", names, names, None))


def union(it: Interpreter, left: Any, right: Any) -> Any:
    """`left | right` of types."""
    try:
        return typing.Union[left, right]  # noqa: UP007 - the values are not known here
    except (TypeError, UndeterminedError):
        return Unknown("a type")


KINDS = (Static, ForClass)
