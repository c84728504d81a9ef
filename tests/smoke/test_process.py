"""The child process where there is no SGLang: it says so, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.smoke import plan
from specint.smoke.place import installed, interpreter, runnable
from specint.smoke.process import Setup
from specint.smoke.run import run
from specint.source.locate import open_tree


def setup(python: str = sys.executable, **more) -> Setup:
    values = {"package": "sglang", "paths": (), "stand_ins": (), "device": "cpu", "fork": True, **more}
    return Setup(python=python, **values)


def bare_python(folder: Path) -> str:
    """An interpreter that has nothing but the standard library."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    script.chmod(0o755)
    return str(script)


def test_an_environment_without_torch_is_one_error_with_a_hint(tmp_path: Path):
    with pytest.raises(SpecintError, match=r"SGLang can't be imported: ModuleNotFoundError.*torch.*docs/smoke\.md"):
        run([], setup(bare_python(tmp_path)))


def test_an_interpreter_that_ends_at_once_is_told_with_what_it_said(tmp_path: Path):
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(SpecintError, match="ended with 3: no licence"):
        run([], setup(str(script)))


def test_an_interpreter_that_hangs_is_ended(tmp_path: Path):
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    script.chmod(0o755)
    with pytest.raises(SpecintError, match="not done within 1 s"):
        run([], setup(str(script), start_timeout=1.0))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_no_such_interpreter_is_told():
    with pytest.raises(SpecintError, match="no such interpreter"):
        interpreter("/no/such/python")


def test_an_environment_may_be_named_by_its_folder(tmp_path: Path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    assert interpreter(str(tmp_path)) == str(tmp_path / "bin" / "python")


def test_an_environment_without_sglang_has_none(tmp_path: Path):
    assert installed(bare_python(tmp_path)) is None


def test_a_folder_runs_where_it_is_and_an_archive_from_a_copy(fixture_tree: Callable[[str], Path], tmp_path: Path):
    home = fixture_tree("sglang_small")
    with runnable(open_tree(str(home / "sglang"))) as folder:
        assert folder == home
    wheel = tmp_path / "sglang-0.0.0-py3-none-any.whl"
    subprocess.run([sys.executable, "-m", "zipfile", "-c", str(wheel), str(home / "sglang")], check=True)
    with runnable(open_tree(str(wheel))) as folder:
        assert (folder / "sglang" / "srt" / "models").is_dir()
    assert not folder.exists()


def test_jobs_ask_what_the_contract_asks(fixture_tree: Callable[[str], Path]):
    from specint.facts.store import Store
    from specint.pipeline import analyze

    analysis = analyze(open_tree(str(fixture_tree("sglang_small") / "sglang")), store=Store(None))
    target = next(model for model in analysis.models if model.roles == ("target",))
    wish = plan.Wish(algorithms=("EAGLE3",), both_ties=True)
    untied, tied = plan.jobs(analysis, [target], wish)
    assert (untied.variant, tied.variant) == ("untied", "tied")
    assert tied.given == {"tie_word_embeddings": True}
    asked = {(ask.member, ask.role) for ask in untied.asks}
    required = {
        (one.member, one.role)
        for one in analysis.contract.requirements
        if "EAGLE3" in one.algorithms and one.role in ("target", "both")
    }
    assert required
    assert required <= asked
    assert all("EAGLE3" in ask.algorithms for ask in untied.asks)
    assert set(untied.members) >= {member for member, _ in required}


def test_the_child_needs_nothing_of_specint(tmp_path: Path):
    from specint.smoke.process import CHILD, START

    script = START.replace("from specint_child.main import main\nmain()", "from specint_child import main, course")
    done = subprocess.run(
        [bare_python(tmp_path), "-c", script + "\nprint([name for name in sys.modules if name == 'specint'])", CHILD],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr
