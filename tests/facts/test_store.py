"""The cache gives back what was put, or nothing: never something else, never an error."""

from __future__ import annotations

import errno
import os
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from specint.facts import store as module
from specint.facts.store import MAGIC, Store, cache_directory


def entries(directory: Path) -> list[Path]:
    return sorted(path for path in directory.glob("v*/**/*") if path.is_file())


def test_what_was_put_is_got_by_another_store(tmp_path: Path) -> None:
    Store(tmp_path / "cache").put("facts", "key", b"\0data")
    other = Store(tmp_path / "cache")
    assert other.get("facts", "key") == b"\0data"
    assert other.get("analysis", "key") is None
    assert other.get("facts", "other") is None
    assert other.problems == []


def test_many_at_once(tmp_path: Path) -> None:
    many = {f"{number:032x}": bytes([number % 256]) * number for number in range(600)}
    Store(tmp_path).put_many("facts", many)
    assert Store(tmp_path).get_many("facts", [*many, "missing"]) == many


def test_a_later_entry_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "key", b"one")
    store.put("facts", "key", b"")
    assert store.get("facts", "key") == b""
    assert len(entries(tmp_path)) == 1


@pytest.mark.parametrize("key", ["../../outside", "/etc/passwd", "a/b", "", ".", "nul\0", "ü" * 500, "CON:"])
def test_any_text_is_a_key_and_stays_inside(key: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    store.put("facts", key, b"x")
    assert store.get("facts", key) == b"x"
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    assert len(entries(tmp_path / "cache")) == 1


@pytest.mark.parametrize("damage", [b"", b"x", b"specint", b"another program's file", b"specint\1\0\0\0\0data"])
def test_a_damaged_entry_is_a_miss_and_can_be_put_again(damage: bytes, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "key", b"data")
    (path,) = entries(tmp_path)
    path.write_bytes(damage)
    assert store.get("facts", "key") is None
    store.put("facts", "key", b"data")
    assert store.get("facts", "key") == b"data"


def test_every_single_damaged_byte_is_seen(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "key", b"data")
    (path,) = entries(tmp_path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert store.get("facts", "key") is None
        path.write_bytes(whole[:at])
        assert store.get("facts", "key") is None


def test_an_entry_under_anothers_name_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "a", b"data of a")
    store.put("facts", "b", b"data of b")
    one, two = entries(tmp_path)
    one.replace(two)
    assert store.get_many("facts", ["a", "b"]) == {}


def test_a_folder_in_the_place_of_an_entry_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "key", b"data")
    (path,) = entries(tmp_path)
    path.unlink()
    path.mkdir()
    assert store.get("facts", "key") is None
    store.put("facts", "key", b"data")
    assert len(store.problems) == 1
    assert list(path.parent.iterdir()) == [path]


def test_another_format_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).put("facts", "key", b"old")
    monkeypatch.setattr(module, "FORMAT", module.FORMAT + 1)
    assert Store(tmp_path).get("facts", "key") is None


def test_no_directory_is_no_cache() -> None:
    store = Store(None)
    store.put("facts", "key", b"data")
    assert store.get("facts", "key") is None
    assert store.prune() == 0
    assert store.problems == []


def test_a_directory_that_can_not_be_made_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file/cache")
    for _ in range(3):
        store.put("facts", "key", b"data")
        assert store.get("facts", "key") is None
    (problem,) = store.problems
    assert problem.severity == "warning"
    assert "the cache can't be written" in problem.what
    assert "\n" not in str(problem)


def test_a_read_only_directory_is_still_read(tmp_path: Path) -> None:
    Store(tmp_path).put("facts", "key", b"data")
    folders = [tmp_path, *(path for path in tmp_path.glob("**/*") if path.is_dir())]
    try:
        for folder in folders:
            folder.chmod(0o500)
        if os.access(tmp_path, os.W_OK):
            pytest.skip("root may write everywhere")
        store = Store(tmp_path)
        store.put_many("facts", {f"new{number}": b"" for number in range(40)})
        assert store.get("facts", "key") == b"data"
        assert len(store.problems) == 1
    finally:
        for folder in folders:
            folder.chmod(0o700)


def fill(directory: Path, room: int) -> list[str]:
    """Puts entries until the process may write no larger file, as on a full disk; what the store said."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    store = Store(directory)
    store.put_many("facts", {"small": b"x", "large": b"x" * room * 2, "after": b"x"})
    return [problem.what for problem in store.problems]


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_write_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    with get_context("fork").Pool(1) as pool:
        said = pool.apply(fill, (tmp_path, 4096))
    assert said == [f"the cache can't be written: {os.strerror(errno.EFBIG)}"]
    assert Store(tmp_path).get_many("facts", ["small", "large", "after"]) == {"small": b"x"}
    assert [path.name for path in entries(tmp_path)] == ["small"]


def put_and_get(directory: Path, seed: int) -> int:
    store = Store(directory)
    wrong = 0
    for turn in range(30):
        many = {f"key{number}": f"{number}".encode() * 5000 for number in range(20)}
        store.put_many("facts", many)
        if (turn + seed) % 7 == 0:
            store.prune()
        wrong += sum(data != many[key] for key, data in store.get_many("facts", many).items())
    return wrong + len(store.problems)


def test_processes_that_share_a_folder_never_see_half_an_entry(tmp_path: Path) -> None:
    with get_context("fork").Pool(3) as pool:
        assert pool.starmap(put_and_get, [(tmp_path, seed) for seed in range(3)]) == [0, 0, 0]
    assert [path.name for path in entries(tmp_path) if path.suffix == ".tmp"] == []


def test_the_entry_read_longest_ago_goes_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=2500)
    for age, key in enumerate(("new", "middle", "old", "oldest")):
        store.put("facts", key, bytes(1000))
        path = next(path for path in entries(tmp_path) if path.name == key)
        long_ago = time.time() - age * 10 * module.DAY
        os.utime(path, (long_ago, long_ago))
    assert store.get("facts", "oldest") is not None
    assert store.prune() > 2000
    assert set(store.get_many("facts", ["new", "middle", "old", "oldest"])) == {"new", "oldest"}


def test_entries_of_another_format_are_pruned_too(tmp_path: Path) -> None:
    stale = tmp_path / "v0/facts/0/key"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"specint\0" + bytes(5000))
    os.utime(stale, (1, 1))
    Store(tmp_path, limit=2500).put("facts", "key", b"data")  # the first of a day prunes
    assert [path.name for path in entries(tmp_path)] == ["key"]
    assert not stale.exists()


def test_prune_touches_nothing_but_entries(tmp_path: Path) -> None:
    wheel = tmp_path / "releases/sglang-1.0.whl"
    wheel.parent.mkdir()
    wheel.write_bytes(bytes(5000))
    store = Store(tmp_path, limit=0)
    store.put("facts", "key", b"data")
    assert entries(tmp_path) == []
    assert wheel.exists()
    assert (tmp_path / "CACHEDIR.TAG").exists()


def test_prune_removes_no_file_of_anybody_else(tmp_path: Path) -> None:
    """A project's configuration may name any folder as the cache: nothing in it is lost."""
    foreign = tmp_path / "v1/facts/0/weights"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(bytes(5000))
    half = tmp_path / "v1/facts/0/key.1-0.tmp"  # what a run that was killed left
    half.write_bytes(b"spec")
    os.utime(half, (1, 1))
    Store(tmp_path, limit=0).prune()
    assert entries(tmp_path) == [foreign]


def test_prune_of_a_folder_that_was_never_a_cache_takes_nobodys_files(tmp_path: Path) -> None:
    theirs = [tmp_path / "v1/thesis.txt", tmp_path / "v2/facts/0/data", tmp_path / "elsewhere"]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(5000))
    (tmp_path / "v1/link").symlink_to(tmp_path / "elsewhere")
    store = Store(tmp_path, limit=0)
    store.put("facts", "key", b"data")
    assert not list(tmp_path.rglob("key"))
    assert all(path.exists() for path in theirs)


def test_every_truncated_entry_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("analysis", "key", b"some data")
    (path,) = entries(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.get("analysis", "key") is None, length


def test_the_directory_is_the_platforms_or_as_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECINT_CACHE_DIR", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.delenv("SPECINT_CACHE_DIR")
    assert cache_directory().is_absolute()
    assert "specint" in cache_directory().parts
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache_directory() == tmp_path / "xdg/specint"


# -- folders of others -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders")
def test_a_pipe_in_the_place_of_an_entry_is_a_miss_and_not_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("facts", "key", b"data")
    (path,) = entries(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert store.get("facts", "key") is None
    store.put("facts", "key", b"again")
    assert store.get("facts", "key") == b"again"


@pytest.mark.parametrize("start", [b"", MAGIC], ids=["of others", "that begins as ours"])
def test_a_file_of_a_hundred_gigabytes_is_a_miss_and_costs_no_entry_its_place(start: bytes, tmp_path: Path) -> None:
    store = Store(tmp_path, limit=1 << 20)
    store.put("facts", "key", b"data")
    store.put("facts", "other", b"data")
    path = next(path for path in entries(tmp_path) if path.name == "key")
    path.write_bytes(start)
    with path.open("r+b") as file:
        file.truncate(100 << 30)
    assert store.get("facts", "key") is None
    store.prune()
    assert store.get("facts", "other") == b"data"
    store.put("facts", "key", b"again")
    assert store.get("facts", "key") == b"again"


@pytest.mark.skipif(os.name == "nt", reason="no fork")
def test_what_a_killed_run_left_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 7)  # as in every container
    monkeypatch.setattr(os, "replace", lambda *_: os._exit(1))
    pid = os.fork()
    if pid == 0:
        Store(tmp_path).put("facts", "key", b"half")
    os.waitpid(pid, 0)
    monkeypatch.undo()
    monkeypatch.setattr(os, "getpid", lambda: 7)
    assert [path for path in entries(tmp_path) if path.suffix == ".tmp"]
    store = Store(tmp_path)
    store.put("facts", "key", b"data")
    assert (store.get("facts", "key"), store.problems) == (b"data", [])
