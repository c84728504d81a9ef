from __future__ import annotations

import stat
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.fix import writing
from specint.fix.writing import replace, write_protected


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_bytes(b"old\n")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_mode_and_links_stay(file: Path, tmp_path: Path) -> None:
    file.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to(file)
    replace(link, b"old\n", b"new\n")
    assert file.read_bytes() == b"new\n"
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert names(tmp_path) == ["link.py", "model.py"]


def test_file_that_changed_meanwhile_is_kept(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"edited\n")
    with pytest.raises(SpecintError, match="changed meanwhile"):
        replace(file, b"old\n", b"new\n")
    assert file.read_bytes() == b"edited\n"
    assert names(tmp_path) == ["model.py"]


def test_file_that_is_gone_is_an_error(file: Path) -> None:
    file.unlink()
    with pytest.raises(SpecintError):
        replace(file, b"old\n", b"new\n")
    assert not file.exists()


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_interruption_at_any_step_loses_nothing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.os if step == "fsync" else writing.Path, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace(file, b"old\n", b"new\n")
    assert file.read_bytes() == b"old\n"
    assert names(tmp_path) == ["model.py"]


def test_read_only_file_is_not_replaced_though_it_could_be(file: Path) -> None:
    file.chmod(0o444)
    assert write_protected(file) == "it is read-only"
    with pytest.raises(SpecintError, match="read-only"):
        replace(file, b"old\n", b"new\n")
    assert file.read_bytes() == b"old\n"
