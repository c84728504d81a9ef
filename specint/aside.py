"""Work done beside other work, in a process of its own where the platform can split one in two."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from specint.errors import SpecintError

_FOUND = b"+"
_FAILED = b"-"


@contextmanager
def aside(compute: Callable[[], bytes], *, parallel: bool) -> Iterator[Callable[[], bytes]]:
    """Start to compute, and give a function that waits for the answer, or raises the SpecintError that came instead.

    The other process sees everything as it is now and changes nothing here: only the bytes come back. Where there is
    no such process (`parallel` is false, or the platform has no fork) everything is computed at the start.
    """
    if not parallel or sys.platform != "linux":
        known = compute()
        yield lambda: known
        return
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(compute, source, sink)
    os.close(sink)
    stream = os.fdopen(source, "rb")
    waiting = True

    def wait() -> bytes:
        nonlocal waiting
        data = stream.read()
        os.waitpid(child, 0)
        waiting = False
        if data[:1] == _FAILED:
            raise SpecintError(*msgspec.msgpack.decode(data[1:], type=tuple[str, str, str]))
        return data[1:] if data[:1] == _FOUND else compute()

    try:
        yield wait
    finally:
        stream.close()
        if waiting:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _answer(compute: Callable[[], bytes], source: int, sink: int) -> None:
    """The whole life of the other process; it leaves without running what others have registered for an exit."""
    try:
        os.close(source)
        try:
            data = _FOUND + compute()
        except SpecintError as error:
            data = _FAILED + msgspec.msgpack.encode((error.what, error.where, error.hint))
        with os.fdopen(sink, "wb") as stream:
            stream.write(data)
    finally:
        os._exit(0)
