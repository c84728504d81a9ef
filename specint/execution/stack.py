"""A stack that is deep enough for `bounds.DEEPEST` calls: one evaluated call takes a dozen of Python's own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from specint.execution.bounds import ExhaustedError

Result = TypeVar("Result")

SIZE = 256 * 1024 * 1024
FRAMES = 40_000


def with_deep_stack(run: Callable[[], Result]) -> Result:
    """`run()` in a thread with a large stack; what it raises is raised here."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(run())
        except RecursionError:
            errors.append(ExhaustedError("recursion too deep"))
        except BaseException as error:  # handed on to the caller
            errors.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(SIZE)
    try:
        sys.setrecursionlimit(max(limit, FRAMES))
        thread = threading.Thread(target=target, name="evaluation")
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
