"""Work beside other work: what comes back, what fails there, and what happens to work that nobody waits for."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from specint.aside import aside
from specint.errors import SpecintError


@pytest.mark.parametrize("parallel", [True, False])
def test_the_answer_comes_back(parallel: bool) -> None:
    with aside(lambda: b"x" * 300_000, parallel=parallel) as answer:
        assert answer() == b"x" * 300_000


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_other_work_runs_meanwhile(tmp_path: Path) -> None:
    def when_released() -> bytes:
        while not (tmp_path / "released").exists():
            time.sleep(0.01)
        return b"released"

    with aside(when_released, parallel=True) as answer:
        (tmp_path / "released").touch()
        assert answer() == b"released"


@pytest.mark.parametrize("parallel", [True, False])
def test_what_is_wrong_there_is_raised_here(parallel: bool) -> None:
    def fails() -> bytes:
        raise SpecintError("no class", "a/b.py", "look again")

    with pytest.raises(SpecintError) as raised, aside(fails, parallel=parallel) as answer:
        answer()
    assert (raised.value.what, raised.value.where, raised.value.hint) == ("no class", "a/b.py", "look again")


def test_a_process_that_is_lost_is_made_good() -> None:
    here = os.getpid()

    def dies_elsewhere() -> bytes:
        if os.getpid() != here:
            os._exit(3)
        return b"by itself"

    with aside(dies_elsewhere, parallel=True) as answer:
        assert answer() == b"by itself"


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_nobody_waits_for_work_that_is_not_asked_for(tmp_path: Path) -> None:
    started = tmp_path / "started"

    def never() -> bytes:
        (tmp_path / "pid").write_text(str(os.getpid()))
        (tmp_path / "pid").rename(started)
        time.sleep(10_000)
        return b""

    def leaves() -> None:
        with aside(never, parallel=True):
            while not started.exists():
                time.sleep(0.01)
            raise KeyError

    with pytest.raises(KeyError):
        leaves()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
