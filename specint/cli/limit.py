"""The longest that a run may take."""

from __future__ import annotations

import os
import signal

LONGEST = 10_000_000
"""Seconds that a run may be given; four months."""


def end_after(seconds: float | None) -> None:
    """End this process after so many seconds with one line and exit code 2, whatever it is at; others end with it.

    Nothing is left half written: documents and entries of the cache appear whole or not at all.
    """
    if seconds is None:
        return

    def end(*_: object) -> None:
        from specint.cli.printing import say

        say(f"specint: error: not done after {seconds:g} s (--timeout)")
        os._exit(2)

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    else:
        import threading

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
