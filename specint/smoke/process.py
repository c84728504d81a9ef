"""The child process: started, watched, ended. Whatever happens in it is a result, never the end of the run."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from specint.smoke.model import Job, Ran, Ready, Step

CHILD = Path(__file__).parent / "child"

# The child's folder is loaded as a package of its own: its environment gets nothing else of ours.
START = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location(
    "specint_child", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
package = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = package
spec.loader.exec_module(package)
from specint_child.main import main
main()
"""
POLL = 0.1
TAIL = 2000


class NotReady(Exception):
    """The child can't do any job; the message says why."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """How to start a child.

    Attributes:
        python: the interpreter of the user's environment.
        paths: folders before everything else on its path.
        start_timeout: seconds until SGLang must be imported.
        job_timeout: seconds that one model may take.
        fork: one process imports SGLang, and each model is a fork of it; not with a GPU.
        serve: schedulers are run in it, so that Triton must be able to run where it is.
        kernels: "real": SGLang's kernel package is used; "none"; or "auto": on a GPU, where it is there.
    """

    python: str
    package: str
    paths: tuple[str, ...]
    stand_ins: tuple[str, ...]
    device: str
    fork: bool
    serve: bool = False
    kernels: str = "none"
    start_timeout: float = 300.0
    job_timeout: float = 120.0


_living: set[Child] = set()
"""The processes that must not outlive this one."""
_starting: list[object] = []
_signalled: list[int] = []


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a signal that ends the process unwind it: the processes that it started and its folders go with it."""

    def end(number: int, _frame: object) -> None:
        _signalled.append(number)
        if not _starting:
            raise_signalled()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _signalled.clear()


def raise_signalled() -> None:
    """End this process if a signal said so while one was being started."""
    if _signalled:
        raise SystemExit(128 + _signalled[0])


@contextlib.contextmanager
def _unbroken() -> Iterator[None]:
    """No signal comes between the start of a process and the note that it is there; after one, none is started."""
    _starting.append(None)
    try:
        if _signalled:
            raise NotReady("the run was ended")
        yield
    finally:
        _starting.pop()
    if threading.current_thread() is threading.main_thread():
        raise_signalled()


def stop_all() -> None:
    """End every process that is still there, with its folder: this one is about to end."""
    for child in list(_living):
        child.stop()


class Child:
    """One process that has imported SGLang, and what it is doing."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._scratch = tempfile.TemporaryDirectory(prefix="specint-smoke-")
        self._log = Path(self._scratch.name, "output").open("w+b")  # noqa: SIM115 - closed by `close`
        self._at_work: int | None = None
        with _unbroken():
            self._process = subprocess.Popen(
                [setup.python, "-c", START, str(CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                cwd=self._scratch.name,  # what a model writes beside itself goes with it
                env={**os.environ, "TMPDIR": self._scratch.name, "PYTHONDONTWRITEBYTECODE": "1"},
                start_new_session=True,
            )
            _living.add(self)
        threading.Thread(target=self._read, daemon=True).start()
        self.used = False
        self.ready = self._get_ready()

    def run(self, job: Job) -> Ran:
        """Do one job; a fork that has to be ended takes nothing else with it."""
        self.used = True
        started = time.monotonic()
        self._log.seek(0, os.SEEK_END)
        begin = self._log.tell()
        steps: dict[str, dict[str, Any]] = {}
        told: dict[str, Any] = {}
        pid: int | None = None
        stopped: tuple[str, str] | None = None
        status = 0
        self._put(msgspec.to_builtins(job))
        while True:
            line = self._line(POLL)
            if line is None and self._process.poll() is not None and self._lines.empty():
                status = self._process.returncode
                break
            event = msgspec.json.decode(line) if line else {}
            kind = event.get("event")
            if kind == "started":
                pid = self._at_work = event["pid"]
            elif kind == "begin":
                steps[event["step"]] = {"outcome": "begun"}
            elif kind == "fact":
                (steps.setdefault(event["step"], {"outcome": "begun"}) if event["step"] else told).setdefault(
                    "facts", {}
                ).update(event["data"])
            elif kind == "end":
                steps[event["step"]].update({key: event[key] for key in ("outcome", "reason", "where", "seconds")})
            elif kind == "ended":
                status = event["status"]
                self._at_work = None
                break
            if pid is not None and stopped is None:
                stopped = self._beyond(pid, job, started)
                if stopped:
                    _kill(pid)
        return _ran(steps, told.get("facts", {}), stopped, status, time.monotonic() - started, self._tail(begin))

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """End the process and what it is doing, at once."""
        if self._at_work is not None:
            _kill(self._at_work)
        _kill(self._process.pid)
        self.close()

    def close(self) -> None:
        """End the process, if it doesn't by itself."""
        _living.discard(self)
        with contextlib.suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            _kill(self._process.pid)
            self._process.wait()
        self._log.close()
        self._scratch.cleanup()

    def _get_ready(self) -> Ready:
        setup = self._setup
        names = ("package", "paths", "stand_ins", "device", "fork", "serve", "kernels")
        self._put({name: getattr(setup, name) for name in names})
        deadline = time.monotonic() + setup.start_timeout
        while time.monotonic() < deadline:
            line = self._line(POLL)
            if line is not None:
                event = msgspec.json.decode(line)
                if event["event"] == "ready":
                    return msgspec.convert(event, Ready)
                self.close()
                raise NotReady(event["reason"])
            if self._process.poll() is not None and self._lines.empty():
                tail = self._tail(0)
                self.close()
                ended = f"the process ended with {self._process.returncode}: {_last_line(tail)}"
                raise NotReady(f"SGLang can't be imported: {ended}")
        _kill(self._process.pid)
        self.close()
        raise NotReady(f"SGLang can't be imported: it was not done within {setup.start_timeout:.0f} s")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _line(self, timeout: float) -> bytes | None:
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            return None

    def _put(self, data: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # that it has ended is found out by reading
            self._process.stdin.write(msgspec.json.encode(data) + b"\n")
            self._process.stdin.flush()

    def _beyond(self, pid: int, job: Job, started: float) -> tuple[str, str] | None:
        if time.monotonic() - started > self._setup.job_timeout:
            return "timed out", f"not done after {self._setup.job_timeout:.0f} s"
        used = _resident_mb(pid)
        if used > job.memory_mb:
            return "out of memory", f"{used} MB in use, {job.memory_mb} allowed"
        return None

    def _tail(self, begin: int) -> str:
        self._log.seek(0, os.SEEK_END)
        end = self._log.tell()
        self._log.seek(max(begin, end - TAIL))
        return self._log.read().decode("utf-8", errors="replace")


def _ran(
    steps: dict[str, dict[str, Any]],
    told: dict[str, Any],
    stopped: tuple[str, str] | None,
    status: int,
    seconds: float,
    tail: str,
) -> Ran:
    made = tuple(Step(name=name, **{k: v for k, v in step.items() if v is not None}) for name, step in steps.items())
    failed = next((step for step in made if step.outcome == "failed"), None)
    ended: Any = "done"
    reason = None
    if stopped:
        ended, reason = stopped
    elif status != 0:
        ended, reason = "crashed", _crash(status, tail)
    elif failed and failed.reason and ("out of memory" in failed.reason or "allocate memory" in failed.reason):
        ended, reason = "out of memory", failed.reason
    open_step = next((step.name for step in made if step.outcome == "begun"), None)
    if reason and open_step:
        reason = f"{reason}, in the step `{open_step}`"
    return Ran(
        ended=ended,
        reason=reason,
        steps=made,
        seconds=round(seconds, 2),
        peak_mb=told.get("peak_mb", 0),
        stand_ins=tuple(told.get("stand_ins", ())),
        output=tail if ended != "done" else "",
    )


def _crash(status: int, tail: str) -> str:
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-status).name}: {_last_line(tail)}"
    return f"the process ended with {status}: {_last_line(tail)}"


def _last_line(text: str) -> str:
    lines: Sequence[str] = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


def _kill(pid: int) -> None:
    """End a process and what it started: it leads a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _resident_mb(pid: int) -> int:
    """Memory in use by a process; 0 where the system doesn't say."""
    try:
        with Path(f"/proc/{pid}/statm").open() as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError):
        return 0
