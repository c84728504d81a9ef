"""Where output goes: stdout or a file, with the diagnostics after it on stderr."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from specint.errors import Diagnostic, SpecintError, printable

if TYPE_CHECKING:
    from rich.console import Console


def put_bytes(data: bytes, output: Path | None) -> None:
    """Write a finished document."""
    if output is not None:
        _replace(output, data)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def put_text(write: Callable[[Console], None], output: Path | None, colour: Literal["auto", "always", "never"]) -> None:
    """Print with rich, on the terminal or into a file."""
    from specint.outputs.terminal import ENDLESS, console, rendered

    if output is not None:
        _replace(output, rendered(colour, ENDLESS, write).encode())
        return
    made = console(sys.stdout, colour)
    write(made)
    sys.stdout.flush()


def put_diagnostics(diagnostics: Iterable[Diagnostic], *, quiet: bool) -> bool:
    """One line each on stderr; whether any was an error, which makes the exit code 2."""
    failed = False
    for diagnostic in diagnostics:
        error = diagnostic.severity == "error"
        failed |= error
        if error or not quiet:
            print(f"specint: {'error' if error else 'warning'}: {printable(str(diagnostic))}", file=sys.stderr)
    return failed


def warn(text: str, *, quiet: bool) -> None:
    """One line on stderr about something that is probably not what the user meant."""
    if not quiet:
        print(f"specint: warning: {printable(text)}", file=sys.stderr)


def complain(what: str, where: str, hint: str) -> None:
    """One line on stderr about an error that comes beside the findings."""
    print(f"specint: error: {printable(str(SpecintError(what, where, hint)))}", file=sys.stderr)


def _replace(output: Path, data: bytes) -> None:
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
