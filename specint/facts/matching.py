"""What a case of a `match` asks and what it names, as tests and assignments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from specint.facts.model import Attribute, Boolean, Call, Compare, Constant, Display, Expr, Item, Name, Other

Read = Callable[[ast.expr], Expr]
Captured = tuple[tuple[Expr, ...], list[tuple[Expr, Expr]], bool]


def captured(pattern: ast.pattern, subject: Expr, read: Read) -> Captured:
    """The tests of a pattern, the names that it gives with their values, and whether the tests are all that it asks."""
    match pattern:
        case ast.MatchValue(value=value):
            return (Compare((subject, read(value)), ("==",)),), [], True
        case ast.MatchSingleton(value=value):
            return (Compare((subject, Constant(value)), ("is",)),), [], True
        case ast.MatchAs(pattern=inner, name=name):
            tests, names, whole = captured(inner, subject, read) if inner is not None else ((), [], True)
            return tests, [*names, *([(Name(name), subject)] if name is not None else [])], whole
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=attributes, kwd_patterns=named):
            line = pattern.lineno
            test = Call(Name("isinstance"), (subject, read(cls)), (), line)
            parts: list[tuple[ast.pattern, Expr]] = [(one, Other((subject,))) for one in patterns]
            parts += [(one, Attribute(subject, name, line)) for name, one in zip(attributes, named, strict=True)]
            return _together((test,), parts, read, whole=not patterns)
        case ast.MatchSequence(patterns=patterns):
            return _together((), list(_of_sequence(patterns, subject)), read, whole=False)
        case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
            parts = [(one, Item(subject, read(key))) for key, one in zip(keys, patterns, strict=True)]
            tests, names, _ = _together((), parts, read, whole=False)
            return tests, [*names, *([(Name(rest), subject)] if rest is not None else [])], False
        case ast.MatchOr(patterns=patterns):
            arms = [captured(one, subject, read) for one in patterns]
            names = [name for _, given, _ in arms for name in given]
            if any(not complete or len(tests) != 1 for tests, _, complete in arms):
                return (), names, False
            return (Boolean("or", tuple(test for tests, _, _ in arms for test in tests)),), names, True
        case _:
            return (), [], False


def _of_sequence(patterns: Sequence[ast.pattern], subject: Expr) -> list[tuple[ast.pattern, Expr]]:
    """Each pattern with its element; a name that takes the rest is the whole, and what follows counts from the end."""
    found: list[tuple[ast.pattern, Expr]] = []
    elements = subject.items if isinstance(subject, Display) and len(subject.items) == len(patterns) else None
    starred = next((n for n, one in enumerate(patterns) if isinstance(one, ast.MatchStar)), len(patterns))
    for number, one in enumerate(patterns):
        if isinstance(one, ast.MatchStar):
            found.append((ast.MatchAs(None, one.name), subject))
            continue
        index = number if number < starred else number - len(patterns)
        found.append((one, elements[number] if elements is not None else Item(subject, Constant(index))))
    return found


def _together(
    tests: tuple[Expr, ...], parts: Sequence[tuple[ast.pattern, Expr]], read: Read, *, whole: bool
) -> Captured:
    names: list[tuple[Expr, Expr]] = []
    for pattern, subject in parts:
        more, given, complete = captured(pattern, subject, read)
        tests, names, whole = (*tests, *more), names + given, whole and complete
    return tests, names, whole
