"""Where output goes: stdout or a file, with the diagnostics after it on stderr."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from specint.errors import Diagnostic, SpecintError, printable

if TYPE_CHECKING:
    from rich.console import Console

    from specint.outputs.foreign import Form


def put_bytes(data: bytes, output: Path | None, form: Form | Literal["as it is"]) -> None:
    """Write a finished document; `form` is how foreign text is spelled out in it."""
    if form != "as it is":
        from specint.outputs.foreign import plain

        data = plain(data, form)
    if output is not None:
        replace(output, data)
        return
    stream = _stdout()
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def put_patch(data: bytes, output: Path | None) -> None:
    """Write a diff. It must be what it is, so that where others would read a line of it as a command it goes to a file.

    Raises:
        SpecintError: it would be printed, and holds more than text.
    """
    from specint.outputs.foreign import plain

    if output is None and plain(data, "text") != data:
        what = "the lines to be changed hold what a terminal or a CI server would take for commands"
        raise SpecintError(what, "--diff", "-o FILE writes the diff to a file")
    put_bytes(data, output, "as it is")


def put_text(write: Callable[[Console], None], output: Path | None, colour: Literal["auto", "always", "never"]) -> None:
    """Print with rich, on the terminal or into a file."""
    from specint.outputs.foreign import lines
    from specint.outputs.terminal import ENDLESS, console, rendered

    if output is not None:
        replace(output, lines(rendered(colour, ENDLESS, write)).encode())
        return
    stream = _stdout()
    if stream.isatty():
        write(console(stream, colour))
    else:  # a log, perhaps
        stream.write(lines(rendered(colour, None, write, encoding=stream.encoding)))
    stream.flush()


def on_terminal() -> bool:
    """Whether a document would be printed on a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def say(line: str) -> None:
    """One line on stderr, readable whatever it holds. Nobody may be there to read it: that changes no answer."""
    try:
        if sys.stderr is not None:
            print(printable(line), file=sys.stderr, flush=True)
    except (OSError, ValueError):  # full, closed, or its reader is gone
        pass


def _stdout() -> TextIOWrapper:
    """Where documents go. A stream that was closed before specint began is an error once something is to be written."""
    if sys.stdout is None:
        raise SpecintError(os.strerror(errno.EBADF), "stdout", "is it closed? -o FILE writes to a file")
    assert isinstance(sys.stdout, TextIOWrapper)
    return sys.stdout


def put_diagnostics(diagnostics: Iterable[Diagnostic], *, quiet: bool) -> bool:
    """One line each on stderr; whether any was an error, which makes the exit code 2."""
    failed = False
    for diagnostic in diagnostics:
        error = diagnostic.severity == "error"
        failed |= error
        if error or not quiet:
            say(f"specint: {'error' if error else 'warning'}: {diagnostic}")
    return failed


def warn(text: str, *, quiet: bool) -> None:
    """One line on stderr about something that is probably not what the user meant."""
    if not quiet:
        say(f"specint: warning: {text}")


def complain(what: str, where: str, hint: str) -> None:
    """One line on stderr about an error that comes beside the findings."""
    say(f"specint: error: {SpecintError(what, where, hint)}")


def replace(output: Path, data: bytes) -> None:
    """Write beside and replace, so that nobody finds half a document. A device or a pipe is written to directly."""
    try:
        if output.exists() and not output.is_file():
            output.write_bytes(data)
            return
        target = output.resolve()  # a link stays one
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError as error:
        raise SpecintError(error.strerror or str(error), str(output), "--output can't be written") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
