"""How deep Python may recurse while a tree is analysed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = 6_000
_BYTES = 1_300
"""So much of the C stack a frame may take: on Python 3.11 it is up to 700, and the parser of a file that is first read
at the deepest place needs its share. Later Pythons take less, or guard it."""


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """More frames than Python's thousand: evaluation goes 24 questions deep, each through 40 levels of expressions.

    What still needs more raises RecursionError, as always; who answers for one class catches it there.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames()))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def frames() -> int:
    """How many frames there is room for: fewer where the stack is smaller than usual."""
    return min(_FRAMES, _stack() // _BYTES)


def _stack() -> int:
    """The bytes of C stack that there are."""
    try:
        import resource
    except ImportError:  # Windows gives a thread 1 MB
        return 1 << 20
    size = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return size if size != resource.RLIM_INFINITY else _FRAMES * _BYTES
