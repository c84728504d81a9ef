"""What one module says on its own, as plain data.

Facts are a pure function of a text, so they can be cached and computed anywhere.

Bodies are kept flat: every statement of a scope is a step, and each step names the guard under which it runs. A guard
knows its parent, so the conditions on the way to any step are a short walk, without a tree of blocks. Expressions stay
trees, cut down to what linking needs; anything else keeps only its parts (`Other`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Union

import msgspec

if TYPE_CHECKING:
    Word: TypeAlias = str
    Line: TypeAlias = int
else:

    class _Text(type):
        def __instancecheck__(cls, one: object) -> bool:
            return type(one) is str

    class Word(metaclass=_Text):
        """A str that is kept once, however often it stands in the facts: half of their memory would be "self"."""

    class _Number(type):
        def __instancecheck__(cls, one: object) -> bool:
            return type(one) is int

    class Line(metaclass=_Number):
        """An int that is kept once: an eighth of the memory of facts would be numbers of lines."""


Kind = TypeVar("Kind", bound="Node")


class Node(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of everything here: immutable, written as an array, never part of a cycle."""


class Name(Node, frozen=True, array_like=True, gc=False, tag="n"):
    """A name as it stands."""

    id: Word


class Attribute(Node, frozen=True, array_like=True, gc=False, tag="a"):
    """`base.name`; `line` is where the name stands, not where the expression begins."""

    base: Expr
    name: Word
    line: Line


class Keyword(Node, frozen=True, array_like=True, gc=False):
    """`name` is None for `**mapping`."""

    name: Word | None
    value: Expr


class Call(Node, frozen=True, array_like=True, gc=False, tag="c"):
    """`func(args, keywords)`."""

    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    line: Line


class Constant(Node, frozen=True, array_like=True, gc=False, tag="k"):
    """A literal; bytes, complex numbers and huge integers are `Other`."""

    value: str | int | float | bool | None


class Item(Node, frozen=True, array_like=True, gc=False, tag="s"):
    """A subscript: `base[index]`."""

    base: Expr
    index: Expr


class Display(Node, frozen=True, array_like=True, gc=False, tag="t"):
    """A tuple, list or set display."""

    items: tuple[Expr, ...]


class DictDisplay(Node, frozen=True, array_like=True, gc=False, tag="d"):
    """A dict display; a key is None for `**mapping`."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


class Boolean(Node, frozen=True, array_like=True, gc=False, tag="b"):
    """`a and b and c`, `a or b`."""

    op: Literal["and", "or"]
    values: tuple[Expr, ...]


class Not(Node, frozen=True, array_like=True, gc=False, tag="!"):
    """`not operand`."""

    operand: Expr


class Compare(Node, frozen=True, array_like=True, gc=False, tag="="):
    """`ops[i]` stands between operand i and i + 1; spelled as in Python (`is not`, `in`)."""

    operands: tuple[Expr, ...]
    ops: tuple[Word, ...]


class Choice(Node, frozen=True, array_like=True, gc=False, tag="?"):
    """`then if test else otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


class Lambda(Node, frozen=True, array_like=True, gc=False, tag="l"):
    """`lambda params: body`."""

    params: tuple[Param, ...]
    body: Expr


class Loop(Node, frozen=True, array_like=True, gc=False):
    """One `for target in iterable if conditions` of a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


class Comprehension(Node, frozen=True, array_like=True, gc=False, tag="g"):
    """A list, set, dict or generator display; of a dict (`is_table`), `element` is a dict of the one pair."""

    element: Expr
    loops: tuple[Loop, ...]
    is_table: bool = False


class Starred(Node, frozen=True, array_like=True, gc=False, tag="*"):
    """`*value`."""

    value: Expr


class Walrus(Node, frozen=True, array_like=True, gc=False, tag="w"):
    """`(name := value)`."""

    name: Word
    value: Expr


class Text(Node, frozen=True, array_like=True, gc=False, tag="f"):
    """A text that is put together: an f-string, or texts that are added."""

    parts: tuple[Expr, ...]


class Slice(Node, frozen=True, array_like=True, gc=False, tag=":"):
    """`lower:upper:step` as an index; what isn't written is left out."""

    parts: tuple[Expr, ...]


class Yield(Node, frozen=True, array_like=True, gc=False, tag="y"):
    """`yield value`, or `yield from value` (`whole`)."""

    value: Expr
    whole: bool


class Other(Node, frozen=True, array_like=True, gc=False, tag="o"):
    """Any other expression (arithmetic, await): only its parts matter here."""

    parts: tuple[Expr, ...]


Expr: TypeAlias = Union[  # noqa: UP007 - msgspec resolves the forward references of a Union, not those of `|` on strings
    Name,
    Attribute,
    Call,
    Constant,
    Item,
    Display,
    DictDisplay,
    Boolean,
    Not,
    Compare,
    Choice,
    Lambda,
    Comprehension,
    Starred,
    Walrus,
    Text,
    Slice,
    Yield,
    Other,
]


class Param(Node, frozen=True, array_like=True, gc=False):
    """`kind` is one of "positional-only", "positional", "keyword", "*" and "**"."""

    name: Word
    kind: Word
    annotation: Expr | None
    default: Expr | None


class Guard(Node, frozen=True, array_like=True, gc=False):
    """One condition on the way to a step.

    Attributes:
        parent: index of the enclosing guard in the scope, -1 at the top.
        kind: "if" inside a branch, "after" behind a branch that left the block, "loop" inside a loop,
            "try" inside the body of a try, "except" inside a handler, "else" inside what runs when no handler did.
        test: the condition (the iterable of a for loop), None for try, except and else.
        positive: whether the test is true here.
        catches: for "try" and "except": the exceptions that are caught, as written; ("",) catches all.
        reraises: for "try": whether the handlers raise again: "always", "maybe" or "never".
        left_by: for "after": how the branch left: "raise", or "" for any other way.
    """

    parent: int
    kind: Literal["if", "after", "loop", "try", "except", "else"]
    test: Expr | None
    positive: bool
    line: Line
    catches: tuple[Word, ...] = ()
    reraises: Word = ""
    left_by: Word = ""


class Bind(Node, frozen=True, array_like=True, gc=False, tag="="):
    """A name, attribute or item gets a value. `how` is "=", "for", "with", "augment" or "declare" (no value)."""

    target: Expr
    value: Expr | None
    annotation: Expr | None
    how: Word
    guard: int
    line: Line


class Evaluate(Node, frozen=True, array_like=True, gc=False, tag="e"):
    """An expression statement, or the test of a branch."""

    value: Expr
    guard: int
    line: Line


class Return(Node, frozen=True, array_like=True, gc=False, tag="r"):
    """`return value`."""

    value: Expr | None
    guard: int
    line: Line


class Raise(Node, frozen=True, array_like=True, gc=False, tag="x"):
    """A raise, or an assert that fails (then the guard holds the negated test)."""

    value: Expr | None
    guard: int
    line: Line


class Delete(Node, frozen=True, array_like=True, gc=False, tag="d"):
    """`del target`."""

    target: Expr
    guard: int
    line: Line


class Import(Node, frozen=True, array_like=True, gc=False, tag="i"):
    """`local` names `attribute` of `module`; attribute None: the module itself, "*": everything.
    A local "" names nothing: `import a.b` names a, and imports a.b besides.

    `module` is absolute: relative imports are resolved with the name of the module they stand in.
    """

    local: Word
    module: Word
    attribute: Word | None
    guard: int
    line: Line


class Define(Node, frozen=True, array_like=True, gc=False, tag="f"):
    """A function of the scope comes into being here; `index` counts within the scope's functions."""

    index: int
    guard: int
    line: Line


class DefineClass(Node, frozen=True, array_like=True, gc=False, tag="c"):
    """A class of the scope comes into being here; `index` counts within its classes."""

    index: int
    guard: int
    line: Line


Step: TypeAlias = Union[Bind, Evaluate, Return, Raise, Delete, Import, Define, DefineClass]  # noqa: UP007


class Scope(Node, frozen=True, array_like=True, gc=False):
    """The body of a module, class or function."""

    guards: tuple[Guard, ...]
    steps: tuple[Step, ...]
    functions: tuple[Function, ...]
    classes: tuple[Class, ...]

    def guards_of(self, guard: int) -> Iterator[Guard]:
        """The guards on the way to a step, innermost first."""
        while guard >= 0:
            found = self.guards[guard]
            yield found
            guard = found.parent


class Function(Node, frozen=True, array_like=True, gc=False):
    """`qualname` is dotted within the module (`EAGLEWorker.__init__`), without `<locals>`.

    `shared` are the names that are another scope's here, by `global` or `nonlocal`. Names that Python spells in another
    way within a class (`__x`) stand everywhere as it spells them, but in `qualname`.
    """

    name: Word
    qualname: Word
    line: Line
    column: int
    end_line: Line
    params: tuple[Param, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    body: Scope
    is_generator: bool
    shared: tuple[Word, ...] = ()

    def is_decorated(self, *names: str) -> bool:
        """Whether a decorator has one of these last names: `functools.cached_property` has `cached_property`."""
        called = (one.func if isinstance(one, Call) else one for one in self.decorators)
        return any((dotted(one) or "").rpartition(".")[2] in names for one in called)

    def returned(self) -> Iterator[Return]:
        """Every `return` of the body."""
        return (step for step in self.body.steps if isinstance(step, Return))


class Class(Node, frozen=True, array_like=True, gc=False):
    """`qualname` is dotted within the module; `line` is that of the `class` statement, decorators left out."""

    name: Word
    qualname: Word
    line: Line
    column: int
    end_line: Line
    bases: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expr, ...]
    body: Scope


class Remark(Node, frozen=True, array_like=True, gc=False):
    """A comment for pylint, and what it is about: a class or a function with its lines, a statement, all of the file.

    `text` is what follows `pylint:`. `first` is the line of the first statement of what it is about, `start` and `end`
    are its lines, and `whole` says that it is the file. `owner` is the class at the top of the file around it, or "".
    """

    line: Line
    column: int
    text: str
    first: int
    start: int
    end: int
    whole: bool
    owner: str


class Module(Node, frozen=True, array_like=True, gc=False):
    """All facts of one module. `title` is how its docstring begins: the first line, if it has one. `globals` are the
    names that its functions give a value by `global`."""

    name: str
    path: str
    is_package: bool
    body: Scope
    remarks: tuple[Remark, ...] = ()
    title: str = ""
    globals: tuple[Word, ...] = ()


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in source order."""
    parts = _CHILDREN.get(type(expr))
    return parts(expr) if parts is not None else ()


def _of_comprehension(expr: Comprehension) -> tuple[Expr, ...]:
    loops = (part for loop in expr.loops for part in (loop.target, loop.iterable, *loop.conditions))
    return (*loops, expr.element)


# By type, not by `match`: this is asked of every expression of every body, several times.
_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Attribute: lambda expr: (expr.base,),
    Call: lambda expr: (expr.func, *expr.args, *[keyword.value for keyword in expr.keywords]),
    Item: lambda expr: (expr.base, expr.index),
    Display: lambda expr: expr.items,
    DictDisplay: lambda expr: (*[key for key in expr.keys if key is not None], *expr.values),
    Boolean: lambda expr: expr.values,
    Not: lambda expr: (expr.operand,),
    Compare: lambda expr: expr.operands,
    Choice: lambda expr: (expr.test, expr.then, expr.otherwise),
    Lambda: lambda expr: (expr.body,),
    Comprehension: _of_comprehension,
    Starred: lambda expr: (expr.value,),
    Walrus: lambda expr: (expr.value,),
    Text: lambda expr: expr.parts,
    Slice: lambda expr: expr.parts,
    Yield: lambda expr: (expr.value,),
    Other: lambda expr: expr.parts,
}


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it, in source order."""
    pending = [expr]
    while pending:
        one = pending.pop()
        yield one
        parts = _CHILDREN.get(type(one))
        if parts is not None:
            pending += parts(one)[::-1]


def within(expr: object, kind: type[Kind]) -> list[Kind]:
    """Everything of one kind in an expression, itself included, in source order. There is nothing in None."""
    found: list[Kind] = []
    pending: list[Any] = [expr]
    while pending:  # as `walk`, which would have to be resumed for each part
        one = pending.pop()
        its = type(one)
        if its is kind:
            found.append(one)
        parts = _CHILDREN.get(its)
        if parts is not None:
            pending += parts(one)[::-1]
    return found


def targets(target: Expr) -> Iterator[Expr]:
    """What an assignment gives a value: the target itself, or each of those that a tuple or list is unpacked into."""
    match target:
        case Display(items=items):
            for item in items:
                yield from targets(item)
        case Starred(value=value):
            yield from targets(value)
        case _:
            yield target


def super_call(expr: Expr) -> Call | None:
    """The call itself, where an expression is `super()` or `super(Class, self)`."""
    return expr if isinstance(expr, Call) and expr.func == _SUPER else None


def spell(expr: Expr | None) -> str:
    """An expression as a reader would write it, shortened where only its parts are kept."""
    match expr:
        case None:
            return ""
        case Name():
            return expr.id
        case Attribute():
            return f"{_bracketed(expr.base, Boolean, Not, Compare, Choice)}.{expr.name}"
        case Call():
            arguments = [spell(arg) for arg in expr.args]
            arguments += [f"{k.name}={spell(k.value)}" if k.name else f"**{spell(k.value)}" for k in expr.keywords]
            return f"{spell(expr.func)}({', '.join(arguments)})"
        case Constant():
            return repr(expr.value)
        case Item():
            return f"{spell(expr.base)}[{spell(expr.index)}]"
        case Display():
            return f"({', '.join(map(spell, expr.items))})"
        case DictDisplay():
            return "{…}"
        case Boolean():
            looser = (Choice,) if expr.op == "or" else (Choice, Boolean)
            return f" {expr.op} ".join(_bracketed(value, *looser) for value in expr.values)
        case Not():
            return f"not {_bracketed(expr.operand, Boolean, Choice)}"
        case Compare():
            words = [_bracketed(expr.operands[0], Boolean, Not, Compare, Choice)]
            for op, operand in zip(expr.ops, expr.operands[1:], strict=False):
                words += [op, _bracketed(operand, Boolean, Not, Compare, Choice)]
            return " ".join(words)
        case Choice():
            return f"{spell(expr.then)} if {spell(expr.test)} else {spell(expr.otherwise)}"
        case Starred():
            return f"*{spell(expr.value)}"
        case Walrus():
            return f"({expr.name} := {spell(expr.value)})"
        case _:
            return "…"


def _bracketed(expr: Expr, *looser: type[Node]) -> str:
    """A part of an expression, in brackets where it binds less than what stands around it."""
    return f"({spell(expr)})" if isinstance(expr, looser) else spell(expr)


def dotted(expr: Expr | None) -> str | None:
    """`a.b.c` as text, None for anything that is more than names and dots."""
    parts: list[str] = []
    while isinstance(expr, Attribute):
        parts.append(expr.name)
        expr = expr.base
    if not isinstance(expr, Name):
        return None
    parts.append(expr.id)
    return ".".join(reversed(parts))


_SUPER = Name("super")
END: Step = Return(None, -1, 10**9)
"""A step behind all others of a scope: what holds there is what a body leaves behind."""
encode = msgspec.msgpack.Encoder().encode

_words: dict[Any, Any] = {}
_MOST_WORDS = 1 << 18
"""A server that reads for days forgets them at times; models, workers and runners of SGLang 0.5.23 have 35,476."""


def _once(_: type, word: Any, known: Callable[[Any, Any], Any] = _words.setdefault) -> Any:  # noqa: ANN401 - msgspec's
    kind = type(word)
    return known(word, word) if kind is str or kind is int else word  # True and 1.0 are 1, for a dictionary


_decoder = msgspec.msgpack.Decoder(Module, dec_hook=_once)


def decode(data: bytes) -> Module:
    """The facts that were encoded; words and numbers of lines that were met before are the same objects."""
    if len(_words) > _MOST_WORDS:
        _words.clear()
    return _decoder.decode(data)
