"""The conditions around the steps of a scope: which stand within which, and what happens on every way."""

from __future__ import annotations

from collections.abc import Iterator

from specint.facts import model as facts


def guards_around(scope: facts.Scope, guard: int) -> Iterator[int]:
    """The indices of the guards on the way to a step, innermost first."""
    while guard >= 0:
        yield guard
        guard = scope.guards[guard].parent


def is_within(scope: facts.Scope, guard: int, outer: int) -> bool:
    """Whether what stands under a guard stands under another one too; everything stands under -1."""
    return outer == -1 or outer in guards_around(scope, guard)


def leaves_always(scope: facts.Scope) -> bool:
    """Whether every way through a body ends in a return or a raise."""
    left = {step.guard for step in scope.steps if isinstance(step, (facts.Return, facts.Raise))}
    complete(scope, left)
    return -1 in left


def complete(scope: facts.Scope, left: set[int]) -> list[facts.Guard]:
    """Extends a set of guards under which something always happens to those around them, where it happens in every
    branch; gives the branchings that were complete, inner ones first."""
    found: dict[int, facts.Guard] = {}
    grown = True
    while grown:
        grown = False
        for index, guard in enumerate(scope.guards):
            if index in left and index not in found and _is_complete(scope, index, guard, left):
                left.add(guard.parent)
                found[index] = guard
                grown = True
    return list(found.values())


def _is_complete(scope: facts.Scope, index: int, guard: facts.Guard, left: set[int]) -> bool:
    siblings = [(i, one) for i, one in enumerate(scope.guards) if one.parent == guard.parent]
    match guard.kind:
        case "if":
            return any(
                i in left
                for i, one in siblings
                if one.line == guard.line and one.positive != guard.positive and one.kind in ("if", "after")
            )
        case "try":
            later = [(i, one) for i, one in siblings if i > index and one.kind in ("try", "except")]
            until = next((n for n, (_, one) in enumerate(later) if one.kind == "try"), len(later))
            return all(i in left for i, _ in later[:until])
        case "else":  # instead of its try, which ran through
            handlers = []
            for i, one in reversed([(i, one) for i, one in siblings if i < index]):
                if one.kind == "try":
                    break
                handlers.append(i)
            return left.issuperset(handlers)
        case "after":  # what happens behind a branch that left happens always where it happens in that branch too
            return any(i in left for i, one in siblings if one.line == guard.line and one.positive != guard.positive)
        case _:
            return False
