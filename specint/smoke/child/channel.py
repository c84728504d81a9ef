"""What the child says, line by line, so that a crash or a hang loses nothing that was said before it."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Skipped(Exception):
    """A step that can't be done for this model; its message is the reason."""


class Channel:
    """Events on what was stdout; everything that prints goes to stderr from now on."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._handle = os.dup(1)
        os.dup2(2, 1)
        self.step_name = ""
        self._about = ""

    def about(self, what: str) -> Channel:
        """The same channel, its steps named for another model than the job's."""
        other = Channel.__new__(Channel)
        other._handle, other.step_name, other._about = self._handle, "", f"{what} "
        return other

    def send(self, event: str, **data: object) -> None:
        """One line of JSON."""
        line = json.dumps({"event": event, **data}, default=str) + "\n"
        view = memoryview(line.encode())
        while view:
            view = view[os.write(self._handle, view) :]

    def tell(self, **data: object) -> None:
        """Facts about the step that is running."""
        self.send("fact", step=self.step_name, data=data)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A step that either ends, is skipped, or fails with a reason. What fails in it ends there: see `failed`."""
        name = self._about + name
        self.step_name = name
        started = time.monotonic()
        self.send("begin", step=name)
        outcome, reason, where = "ok", None, None
        try:
            yield
        except Skipped as skipped:
            outcome, reason = "skipped", str(skipped)
            raise
        except BaseException as error:
            outcome, reason, where = "failed", said(error), place(error)
            raise
        finally:
            seconds = round(time.monotonic() - started, 3)
            self.send("end", step=name, outcome=outcome, reason=reason, where=where, seconds=seconds)


def said(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    if "active drivers" in text:
        text += " (a Triton kernel, which needs a GPU)"
    return f"{type(error).__name__}: {text[:400]}" if text else type(error).__name__


def place(error: BaseException) -> str | None:
    """The innermost line of SGLang that an exception passed through, else of anything: `file:line`."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = str(Path(__file__).parent)
    outside = [frame for frame in frames if not frame.filename.startswith(ours)]
    of_sglang = [frame for frame in outside if "/srt/" in frame.filename]
    chosen = next(iter((of_sglang or outside or list(frames))[-1:]), None)
    if chosen is None:
        return None
    name = chosen.filename
    at = name.rfind("/sglang/")
    return f"{name[at + 1 :] if at >= 0 else Path(name).name}:{chosen.lineno}"
