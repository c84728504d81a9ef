"""The command line: the one place that prints and chooses an exit code.

0 is clean, 1 is findings, 2 is that something could not be done; 130 and 141 are Ctrl-C and a reader that went away,
as with any other program. What a user did wrong is one line on stderr; a traceback is printed only for a fault of ours,
and only with SPECINT_DEBUG=1.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from specint.errors import SpecintError

__all__ = ["main"]

_INTERRUPTED = 130
_READER_GONE = 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run specint with these arguments (those of the process by default), and exit."""
    _prepare_streams()
    if os.environ.get("SPECINT_DEBUG") == "1":
        import logging

        logging.basicConfig(format="specint: debug: %(message)s")
        logging.getLogger("specint").setLevel(logging.DEBUG)
    try:
        code = _run(arguments)
        if sys.stdout is not None and not sys.stdout.closed:  # a language server closes it
            sys.stdout.flush()
    except BrokenPipeError:
        code = _READER_GONE
    except OSError as error:
        code = _refused(error)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    _leave_streams()
    gc.freeze()  # the process ends: to look for garbage among all that was read takes longer than reading it
    sys.exit(code)


def _prepare_streams() -> None:
    """Take the places of streams that were closed, so that no file that is opened gets the number of one; write what an
    encoding lacks as an escape."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _leave_streams() -> None:
    """The interpreter flushes on its way out; what can't be written was said, and must not be said once more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    import click

    from specint.cli.commands import ReaderGone, group

    try:
        whole = arguments is None  # the process is this command, and ends with it
        result = group.main(args=arguments, prog_name="specint", standalone_mode=False, obj=whole)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return _INTERRUPTED
    except ReaderGone:
        raise BrokenPipeError from None
    except click.UsageError as error:
        return _complain(_usage(error))
    except click.ClickException as error:
        return _complain(error.format_message())
    except SpecintError as error:
        _trace()
        return _complain(str(error))
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except MemoryError:
        return _complain("out of memory")
    except OSError as error:  # a path that the system refuses, a disk that is full
        return _refused(error)
    except Exception as error:  # the last resort: a user gets one line, and we get a report
        return _internal(error)
    return int(result or 0)


def _usage(error: object) -> str:
    import click

    assert isinstance(error, click.UsageError)
    context = error.ctx
    path = context.command_path if context else "specint"
    return f"{error.format_message().rstrip('.')} (`{path} --help` shows how)"


def _complain(text: str) -> int:
    from specint.cli.printing import say

    say(f"specint: error: {text}")
    return 2


def _refused(error: OSError) -> int:
    _trace()
    name = error.filename if isinstance(error.filename, str) else ""
    return _complain(str(SpecintError(error.strerror or str(error) or type(error).__name__, name)))


def _internal(error: Exception) -> int:
    _trace()
    name = type(error).__name__
    hint = "please report it, with what SPECINT_DEBUG=1 prints"
    return _complain(f"internal error: {name}: {str(error)[:300]} ({hint})")


def _trace() -> None:
    if os.environ.get("SPECINT_DEBUG") == "1" and sys.stderr is not None:
        import traceback

        traceback.print_exc()
