"""Work beside other work: what comes back, what fails there, and what happens to work that nobody waits for."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.aside import Lost, Tell, aside, aside_telling, on_demand, spread
from specint.errors import SpecintError


@pytest.mark.parametrize("parallel", [True, False])
def test_the_answer_comes_back(parallel: bool) -> None:
    with aside(lambda: b"x" * 300_000, parallel=parallel) as answer:
        assert answer() == b"x" * 300_000


def tells_and_waits(released: Path) -> Callable[[Tell], bytes]:
    def compute(tell: Tell) -> bytes:
        tell(b"names" * 30_000)  # more than a pipe holds
        while not released.exists():
            time.sleep(0.01)
        return b"the answer"

    return compute


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_what_is_told_comes_long_before_the_answer(tmp_path: Path) -> None:
    with aside_telling(tells_and_waits(tmp_path / "released"), parallel=True) as answer:
        assert answer.told() == b"names" * 30_000
        assert not answer.is_there()
        (tmp_path / "released").touch()
        assert answer() == b"the answer"


def test_what_is_told_and_nobody_asks_for_is_no_part_of_the_answer(tmp_path: Path) -> None:
    (tmp_path / "released").touch()
    for parallel in (True, False):
        with aside_telling(tells_and_waits(tmp_path / "released"), parallel=parallel) as answer:
            assert answer() == b"the answer"


@pytest.mark.parametrize("parallel", [True, False])
def test_work_that_tells_nothing(parallel: bool) -> None:
    with aside_telling(lambda _: b"!" * 5, parallel=parallel) as answer:
        assert answer.told() is None
        assert answer.is_there()
        assert answer() == b"!!!!!"


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_work_that_is_killed_before_it_tells_anything() -> None:
    def killed(_: Tell) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    with aside_telling(killed, parallel=True) as answer:
        assert answer.told() is None
        with pytest.raises(SpecintError, match="killed"):
            answer()


@pytest.mark.parametrize("parallel", [True, False])
def test_an_answer_on_demand_is_not_begun_before(parallel: bool, tmp_path: Path) -> None:
    def compute(question: bytes) -> bytes:
        (tmp_path / "begun").touch()
        return question * 100_000

    with on_demand(compute, parallel=parallel) as answer:
        time.sleep(0.05)
        assert not (tmp_path / "begun").exists()
        assert answer(b"abc") == b"abc" * 100_000
        assert answer(b"x") == b"x" * 100_000
    with on_demand(compute, parallel=parallel):
        pass  # nobody asks


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_work_on_demand_has_nothing_in_memory_of_what_is_done_meanwhile() -> None:
    held: list[int] = []
    with on_demand(lambda _: bytes(len(held)), parallel=True) as answer:
        held += [1, 2, 3]
        assert answer(b"?") == b""


def test_two_that_wait_for_their_questions_do_not_hold_each_other_up() -> None:
    with on_demand(lambda q: q + b"1", parallel=True) as first, on_demand(lambda q: q + b"2", parallel=True) as second:
        assert first(b"a") == b"a1"
        assert second(b"b") == b"b2"


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


# -- many pieces -------------------------------------------------------------------------------------------------------


def squared(number: int) -> bytes:
    return str(number * number).encode() * (1 + number % 50 * 1000)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_pieces_come_back_in_their_order_whoever_makes_them(jobs: int) -> None:
    assert list(spread(squared, range(300), jobs=jobs)) == [squared(number) for number in range(300)]


def no_fork() -> int:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_without_another_process_one_does_the_work_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "fork", no_fork)
    with caplog.at_level("DEBUG", "specint"):
        assert list(spread(squared, range(30), jobs=4)) == [squared(number) for number in range(30)]
        with aside(lambda: b"here", parallel=True) as answer:
            assert answer() == b"here"
    if sys.platform == "linux":
        assert "no other process can be started" in caplog.text


@pytest.mark.skipif(sys.platform != "linux", reason="no other processes")
def test_with_few_descriptors_one_process_does_the_work() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/proc/self/fd").iterdir()]) + 3, before[1]))
    try:
        assert list(spread(squared, range(30), jobs=4)) == [squared(number) for number in range(30)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.skipif(sys.platform != "linux", reason="no other processes")
@pytest.mark.parametrize("fatal", [{7}, {0, 1, 29}, set(range(30))], ids=["one", "first and last", "all"])
def test_a_piece_that_kills_costs_itself_alone(fatal: set[int]) -> None:
    here = os.getpid()

    def work(number: int) -> bytes:
        if number in fatal and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return squared(number)

    answers = list(spread(work, range(30), jobs=3))
    assert [at for at, answer in enumerate(answers) if isinstance(answer, Lost)] == sorted(fatal)
    assert all(answer.why == "SIGKILL" for answer in answers if isinstance(answer, Lost))
    assert [answer for answer in answers if isinstance(answer, bytes)] == [
        squared(number) for number in range(30) if number not in fatal
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="one process after the other")
def test_work_whose_process_is_killed_is_one_clear_error() -> None:
    def killed() -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    with pytest.raises(SpecintError, match=r"a process was killed \(SIGKILL\)"), aside(killed, parallel=True) as answer:
        answer()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nobody_outlives_the_one_that_started_it(how: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys, time\nfrom pathlib import Path\nfrom specint.aside import aside, spread\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # under nohup it isn't
        "def never(number=0):\n    Path(sys.argv[1], str(os.getpid())).touch()\n    time.sleep(1000)\n    return b''\n"
        "with aside(never, parallel=True):\n    list(spread(never, range(40), jobs=3))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) as run:
        while len(list(tmp_path.iterdir())) < 4:
            time.sleep(0.01)
        children = [int(path.name) for path in tmp_path.iterdir()]
        os.kill(run.pid, how)
    for _ in range(200):  # the kernel takes a moment
        if not [pid for pid in children if Path(f"/proc/{pid}").exists() and not is_dead(pid)]:
            return
        time.sleep(0.05)
    pytest.fail("a process is left")


def is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
