"""Work in other processes, on platforms that can split one in two; everywhere else, and where none can be had, here.

This is the one place that starts processes of specint's own. A poor machine (no process or no descriptor left, no
shared memory) gets the same answer from one process. None outlives the one that started it, however that one ends.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar

import msgspec

from specint.errors import SpecintError

Piece = TypeVar("Piece")

_FOUND = b"+"
_FAILED = b"-"
_TOLD = b"!"
_SPARE_DESCRIPTORS = 24
"""So many are left for the files that are read, and for Python's own modules."""
_TOO_FEW = "too few file descriptors"
_READ = 1 << 20
_LENGTH = 4
_HINT = "--jobs 1 needs less of it; the largest files need most"


class Lost(msgspec.Struct, frozen=True):
    """A piece whose process was killed, twice and at last alone: by the kernel for want of memory, most likely."""

    why: str


@contextmanager
def aside(compute: Callable[[], bytes], *, parallel: bool) -> Iterator[Callable[[], bytes]]:
    """Start to compute, and give a function that waits for the answer, or raises the SpecintError that came instead.

    The other process sees everything as it is now and changes nothing here: only the bytes come back. Where there is
    no such process (`parallel` is false, the platform has no fork, or the machine has no room) everything is computed
    at the start.
    """
    with aside_telling(lambda _: compute(), parallel=parallel) as answer:
        yield answer


Tell = Callable[[bytes], None]


@contextmanager
def aside_telling(compute: Callable[[Tell], bytes], *, parallel: bool) -> Iterator[Answer]:
    """`aside` for work that may tell something, once, long before it has its answer."""
    child = _forked(lambda sink: _answer(lambda: compute(partial(_tell, sink)), sink)) if parallel else None
    if child is None:
        yield Answer(None, compute)
        return
    answer = Answer(child, compute)
    try:
        yield answer
    finally:
        child.end()


class Answer:
    """What work aside gives: call it for the answer."""

    def __init__(self, child: _Child | None, compute: Callable[[Tell], bytes]) -> None:
        self._child = child
        self._compute = partial(compute, _unheard)
        self._begun = b""
        self._known = self._compute() if child is None else b""

    def __call__(self) -> bytes:
        """The answer; waits for it."""
        if self._child is None:
            return self._known
        begun, self._begun = self._begun, b""
        return _answered(self._child, self._compute, begun)

    def told(self) -> bytes | None:
        """What the work tells before it is done; waits for it. None where it tells nothing."""
        if self._child is None or self._begun:
            return None
        self._begun = os.read(self._child.source, 1)
        if self._begun != _TOLD:
            return None
        self._begun = b""
        length = int.from_bytes(_exactly(self._child.source, _LENGTH), "big")
        return _exactly(self._child.source, length)

    def is_there(self) -> bool:
        """Whether the answer has come, or begun to come: then what is done meanwhile is no longer for free."""
        if self._child is None or self._begun:
            return True
        poll = select.poll()
        poll.register(self._child.source, select.POLLIN)
        return bool(poll.poll(0))


def _exactly(source: int, length: int) -> bytes:
    """So many bytes of a pipe; fewer where it ends."""
    parts: list[bytes] = []
    while length > 0 and (part := os.read(source, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _unheard(_: bytes) -> None:
    """Whoever computes for itself has nobody to tell."""


def _tell(sink: int, told: bytes) -> None:
    _write(sink, _TOLD + len(told).to_bytes(_LENGTH, "big") + told)


@contextmanager
def on_demand(compute: Callable[[bytes], bytes], *, parallel: bool) -> Iterator[Callable[[bytes], bytes]]:
    """The answer to a question (of a few kilobytes), begun only when it is asked, by a process that has nothing in its
    memory of what is done here until then. A second question is answered here."""
    ready = go = -1
    try:
        if parallel:
            ready, go = os.pipe()
    except OSError as error:
        _none(error)
        parallel = False

    def when_asked(sink: int) -> None:
        # Up to its length, not to the end: other processes that are started meanwhile hold the pipe open too.
        if length := int.from_bytes(os.read(ready, _LENGTH), "big"):
            question = os.read(ready, length)
            _answer(lambda: compute(question), sink)

    child = _forked(when_asked, (go,)) if parallel else None
    if parallel:
        os.close(ready)
    if child is None:
        if parallel:
            os.close(go)
        yield compute
        return

    waiting = [go]

    def answer(question: bytes) -> bytes:
        if not waiting:
            return compute(question)
        pipe = waiting.pop()
        os.write(pipe, len(question).to_bytes(_LENGTH, "big") + question)
        os.close(pipe)
        return _answered(child, lambda: compute(question))

    try:
        yield answer
    finally:
        for pipe in waiting:
            os.close(pipe)
        child.end()


def _answered(child: _Child, compute: Callable[[], bytes], begun: bytes = b"") -> bytes:
    parts = list(iter(lambda: os.read(child.source, _READ), b""))
    data = begun + b"".join(parts)
    killed = child.ended()
    if data[:1] == _TOLD:  # nobody asked for what was told
        data = data[1 + _LENGTH + int.from_bytes(data[1 : 1 + _LENGTH], "big") :]
    if data[:1] == _FAILED:
        raise SpecintError(*msgspec.msgpack.decode(data[1:], type=tuple[str, str, str]))
    if data[:1] == _FOUND:
        return data[1:]
    if killed:
        raise SpecintError(f"a process was killed ({killed}), perhaps for want of memory", "", _HINT)
    return compute()


def spread(work: Callable[[Piece], bytes], pieces: Sequence[Piece], *, jobs: int) -> Iterator[bytes | Lost]:
    """What the work makes of each piece, in their order, by several processes.

    A process that is killed costs no more than the piece it was at: the others are done by the rest.
    """
    with _Crew(work, pieces, jobs) as crew:
        if not crew.workers:
            yield from map(work, pieces)
            return
        for number in range(len(pieces)):
            yield crew.answer(number)


def die_with_parent(parent: int) -> None:
    """Called in a new process: it is killed when the one that started it is gone, whatever the reason."""
    with suppress(Exception):  # a C library that can't be loaded: then it ends with its next answer
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it is gone already
        os._exit(1)


class _Child:
    """Another process, and the end of the pipe from which its answer is read."""

    def __init__(self, pid: int, source: int) -> None:
        self.pid = pid
        self.source = source
        self._killed: str | None = None

    def ended(self) -> str:
        """Wait for it; the signal that killed it, "" for none."""
        if self._killed is None:
            try:
                status = os.waitpid(self.pid, 0)[1]
            except ChildProcessError:  # somebody ignores the ends of children
                status = 0
            self._killed = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""
            os.close(self.source)
        return self._killed

    def end(self) -> None:
        """Kill it, unless it has come to its end."""
        if self._killed is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.ended()


def _forked(life: Callable[[int], None], closed: Sequence[int] = ()) -> _Child | None:
    """Another process, which lives this life with the end of a pipe to write to; None where none can be had."""
    if sys.platform != "linux":
        return None
    parent = os.getpid()
    ends: tuple[int, ...] = ()
    try:
        if not _descriptors_left(2):
            raise OSError(_TOO_FEW)
        ends = source, sink = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads; what they hold no life of ours needs
            pid = os.fork()
    except OSError as error:
        for end in ends:
            os.close(end)
        _none(error)
        return None
    if pid == 0:
        try:
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the one that started us ends us
            die_with_parent(parent)
            for end in (source, *closed):
                os.close(end)
            life(sink)
        finally:
            os._exit(0)
    os.close(sink)
    return _Child(pid, source)


def _descriptors_left(wanted: int) -> bool:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY or limit > 1000:
        return True
    return len(os.listdir("/proc/self/fd")) + wanted + _SPARE_DESCRIPTORS <= limit  # noqa: PTH208


def _none(error: OSError) -> None:
    import logging

    why = error.strerror or error
    logging.getLogger("specint").debug("no other process can be started (%s): one does the work", why)


def _answer(compute: Callable[[], bytes], sink: int) -> None:
    try:
        data = _FOUND + compute()
    except SpecintError as error:
        data = _FAILED + msgspec.msgpack.encode((error.what, error.where, error.hint))
    _write(sink, data)


def _write(sink: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(sink, rest) :]


class _Crew:
    """Processes that take numbers of pieces from one pipe, as they have time, and answer each through their own.

    An answer is its number, its length and its bytes; the number alone, with length 0 before it, says that a piece is
    begun. So whoever is killed leaves behind which one it was at.
    """

    def __init__(self, work: Callable[[Piece], bytes], pieces: Sequence[Piece], jobs: int) -> None:
        self.workers: dict[int, _Child] = {}
        self._lives: Callable[[Sequence[int]], Callable[[int], None]] = lambda own: (
            lambda sink: self._live(lambda number: work(pieces[number]), own, sink)
        )
        self._waiting = [number.to_bytes(4, "big") for number in range(len(pieces))]
        self._waiting.reverse()
        self._answers: dict[int, bytes | Lost] = {}
        self._parts: dict[int, bytearray] = {}
        self._begun: dict[int, int] = {}
        self._again: list[int] = []
        self._done: set[int] = set()
        self._count = len(pieces)
        self._tasks = self._feed = -1
        self._jobs = min(jobs, len(pieces))

    def __enter__(self) -> _Crew:
        if self._jobs < 2 or sys.platform != "linux":
            return self
        try:
            if not _descriptors_left(2 + 2 * self._jobs):
                raise OSError(_TOO_FEW)
            self._tasks, self._feed = os.pipe()
        except OSError as error:
            _none(error)
            return self
        os.set_blocking(self._feed, False)
        for _ in range(self._jobs):
            if not self._start(()):
                break
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.workers.values():
            child.end()
        for end in (self._tasks, self._feed):
            if end >= 0:
                os.close(end)

    def answer(self, number: int) -> bytes | Lost:
        """What was made of a piece; waits for it."""
        while number not in self._answers:
            self._step()
        return self._answers.pop(number)

    def _start(self, own: Sequence[int]) -> bool:
        others = [child.source for child in self.workers.values()]
        child = _forked(self._lives(own), (self._feed, *others) if self._feed >= 0 else others)
        if child is not None:
            self.workers[child.source] = child
            self._parts[child.source] = bytearray()
        return child is not None

    def _live(self, work: Callable[[int], bytes], own: Sequence[int], sink: int) -> None:
        """The life of a worker: its own pieces, or else those from the pipe until that is at its end."""
        mine = iter(own) if own else iter(self._next, None)
        for number in mine:
            assert number is not None
            _write(sink, number.to_bytes(4, "big") + bytes(8))
            data = work(number)
            _write(sink, number.to_bytes(4, "big") + (len(data) + 1).to_bytes(8, "big") + data)

    def _next(self) -> int | None:
        data = os.read(self._tasks, 4)
        return int.from_bytes(data, "big") if len(data) == 4 else None

    def _step(self) -> None:
        """Hand out what there is room for, and take what has come."""
        poll = select.poll()
        if self._feed >= 0:
            poll.register(self._feed, select.POLLOUT)
        for source in self.workers:
            poll.register(source, select.POLLIN)
        for end, _ in poll.poll():
            if end == self._feed:
                self._hand_out()
            elif data := os.read(end, _READ):
                self._parts[end] += data
                self._take(end)
            else:
                self._gone(end)

    def _hand_out(self) -> None:
        try:
            while self._waiting:
                os.write(self._feed, self._waiting[-1])
                self._waiting.pop()
        except BlockingIOError:
            return
        os.close(self._feed)
        self._feed = -1

    def _take(self, end: int) -> None:
        parts = self._parts[end]
        at = 0
        while len(parts) - at >= 12:
            number = int.from_bytes(parts[at : at + 4], "big")
            length = int.from_bytes(parts[at + 4 : at + 12], "big")
            if length == 0:
                self._begun[end] = number
                at += 12
                continue
            if len(parts) - at - 12 < length - 1:
                break
            self._put(number, bytes(parts[at + 12 : at + 11 + length]))
            self._begun.pop(end, None)
            at += 11 + length
        del parts[:at]

    def _gone(self, end: int) -> None:
        """A process has come to its end: at the end of the work, or killed at some piece."""
        killed = self.workers.pop(end).ended()
        number = self._begun.pop(end, None)
        if number is not None and number in self._again:
            self._put(number, Lost(killed or "it ended by itself"))
        elif number is not None:
            self._again.append(number)
        if self.workers:
            return
        left = [one for one in range(self._count) if one not in self._done]
        # first what nobody has begun; then one after the other, alone, when nobody else needs memory
        left = [one for one in left if one not in self._again] or left[:1]
        if left and not self._start(left):
            for one in left:
                self._put(one, Lost(killed or "no other process can be started"))

    def _put(self, number: int, answer: bytes | Lost) -> None:
        self._answers[number] = answer
        self._done.add(number)
