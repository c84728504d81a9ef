"""One spelling for a record: `Sides = namedtuple("Sides", "target draft")` is a class that declares its fields."""

from __future__ import annotations

from specint.facts.model import Attribute, Bind, Call, Class, Constant, Display, Expr, Name, Scope

_TUPLES = frozenset({"namedtuple", "NamedTuple"})
_MAKERS = _TUPLES | {"make_dataclass"}


def record(target: str, value: Expr, prefix: str, line: int, column: int) -> Class | None:
    """The class that an assignment makes by a call of these; None for any other, or where a field is computed."""
    match value:
        case Call(func=Name(id=maker) | Attribute(name=maker) as func, args=(_, fields, *_)) if maker in _MAKERS:
            declared = _fields(fields)
        case _:
            return None
    if declared is None:
        return None
    steps = tuple(Bind(Name(name), None, annotation, "declare", -1, line) for name, annotation in declared)
    body = Scope((), steps, (), ())
    return Class(target, prefix + target, line, column, line, (func,), (), (), body)


def is_record_base(base: Expr) -> bool:
    """Whether objects of a class with this base are tuples of their fields."""
    func = base.func if isinstance(base, Call) else base
    return (func.id if isinstance(func, Name) else getattr(func, "name", "")) in _TUPLES


def record_names(base: Expr) -> tuple[str, ...]:
    """The fields that a base brings: `class Sides(namedtuple("Sides", "target draft"))`."""
    match base:
        case Call(args=(_, fields, *_)) if is_record_base(base):
            return tuple(name for name, _ in _fields(fields) or ())
        case _:
            return ()


def _fields(expr: Expr) -> list[tuple[str, Expr]] | None:
    """The names of the fields, each with its annotation as far as there is one."""
    match expr:
        case Constant(value=str(text)):
            return [(name, Name("object")) for name in text.replace(",", " ").split()]
        case Display(items=items):
            found: list[tuple[str, Expr]] = []
            for item in items:
                match item:
                    case Constant(value=str(name)) | Display(items=(Constant(value=str(name)),)):
                        found.append((name, Name("object")))
                    case Display(items=(Constant(value=str(name)), annotation, *_)):
                        found.append((name, annotation))
                    case _:
                        return None
            return found
        case _:
            return None
