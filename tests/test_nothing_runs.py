"""What is analysed is text: no module of it is imported, no program that it names is started.

Every file of the tree here leaves a mark when it runs. Beside each lie files with the name of every module that specint
or pylint could want to import, so that an import which looks into the wrong folder leaves one too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

MODELS = "sglang/srt/models"
LEAVES_A_MARK = """
import os as _os
with open(_os.environ["SPECINT_MARKS"], "a") as _marks:
    _marks.write(__file__ + "\\n")
"""
AT_EVERY_TURN = """

def _mark(*arguments, **keywords):
    import os
    with open(os.environ["SPECINT_MARKS"], "a") as marks:
        marks.write("at every turn\\n")
    return lambda thing: thing

class Meta(type):
    def __new__(kind, *arguments, **keywords):
        _mark()
        return super().__new__(kind, *arguments)
    def __init__(cls, *arguments, **keywords):
        _mark()
    __prepare__ = classmethod(lambda *arguments, **keywords: _mark() and {})
    def __getattr__(cls, name):
        return _mark()

class Marked(metaclass=Meta):
    def __init_subclass__(cls, **keywords):
        _mark()
    __class_getitem__ = classmethod(_mark)

@_mark()
class Decorated(Marked[int], key=_mark()):
    attribute: _mark() = _mark()
    @_mark()
    def method(self, default=_mark()) -> _mark():
        return self.attribute

def __getattr__(name):
    _mark()
"""
DEPENDENCIES = (
    *("specint_", "sglang_", "msgspec", "click", "rich", "networkx", "libcst", "yaml", "platformdirs", "markdown_it"),
    *("mdurl", "pygments", "pylint", "astroid", "dill", "isort", "mccabe", "tomlkit", "pip", "setuptools", "torch"),
    *("transformers", "triton", "numpy", "sitecustomize", "usercustomize", "conftest", "pylint_plugins"),
)


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """The file with the marks."""
    return tmp_path / "marks"


@pytest.fixture
def hostile(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    """A folder with `sglang` in it."""
    work = tmp_path / "work"
    shutil.copytree(fixture_tree("sglang_small") / "sglang", work / "sglang", ignore=shutil.ignore_patterns("*.pyc"))
    for file in (work / "sglang").rglob("*.py"):
        file.write_text(file.read_text() + LEAVES_A_MARK + AT_EVERY_TURN)
    for folder in (work, work / "sglang", work / "sglang/srt", work / MODELS):
        for name in {*sys.stdlib_module_names, *DEPENDENCIES} - {"__future__"}:
            if not (folder / f"{name}.py").exists() and not (folder / name).exists():
                (folder / f"{name}.py").write_text(LEAVES_A_MARK)
    (work / MODELS / "fast.pyi").write_text(LEAVES_A_MARK)
    (work / MODELS / "fast.so").write_bytes(b"\x7fELF no library")
    (work / "specint.pth").write_text(f"import os; open({str(tmp_path / 'marks')!r}, 'a').write('pth')\n")
    (work / "setup.py").write_text(LEAVES_A_MARK)
    return work


@pytest.fixture
def environment(tmp_path: Path, marks: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "SPECINT_DEBUG")}
    cache = {"SPECINT_CACHE_DIR": str(tmp_path / "cache"), "PYLINTHOME": str(tmp_path / "pylint")}
    return {**kept, **cache, "SPECINT_MARKS": str(marks), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def run(hostile: Path, environment: dict[str, str], marks: Path) -> Iterator[Callable[..., str]]:
    """`run(command, *arguments)`: in the folder, with its exit code checked; its output. No mark may be left."""

    def start(*command: object, code: tuple[int, ...] = (0, 1), **more: str) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=hostile,
            env={**environment, **more},
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        assert not marks.exists(), marks.read_text()
        assert done.returncode in code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    return start


SPECINT = (sys.executable, "-P", "-m", "specint")
"""As the script that pip installs: without the working directory on the import path."""
KUMO = "KumoK2ForConditionalGeneration"
COMMANDS = {
    "report": ("report", "--sglang", "sglang"),
    "report of the folder": ("report", "--sglang", ".", "--format", "json"),
    "report as html": ("report", "--sglang", "sglang", "--format", "html", "-o", "report.html"),
    "check": ("check", "--sglang", "sglang"),
    "check as sarif": ("check", "sglang", "--select", "ALL", "--format", "sarif", "--also", "junit:found.xml"),
    "check of files": ("check", f"{MODELS}/kumo_k2.py", f"{MODELS}/torch.py", "--algorithm", "EAGLE3"),
    "check with callers": ("check", "--sglang", "sglang", "--callers", "conftest.py", "--jobs", "2"),
    "explain": ("explain", KUMO, "--algorithm", "EAGLE3", "--sglang", "sglang"),
    "explain a rule": ("explain", "spec-missing-delegation"),
    "contract": ("contract", "--sglang", "sglang", "--interface", "all"),
    "contract --diff": ("contract", "--diff", "sglang", "./sglang"),
    "graph": ("graph", KUMO, "--sglang", "sglang", "--format", "svg"),
    "fix --diff": ("fix", "sglang", "--diff", "--unsafe"),
    "fix": ("fix", "sglang"),
    "rules": ("rules",),
}


def test_marks_are_left_by_what_runs(hostile: Path, environment: dict[str, str], marks: Path) -> None:
    """Else the tests below would say nothing."""
    for command in (["-c", "import msgspec"], ["-m", "sglang.srt.models.kumo_k2"], ["-P", "sglang/version.py"]):
        subprocess.run([sys.executable, *command], cwd=hostile, env=environment, capture_output=True)
        assert marks.exists(), command
        marks.unlink()
    done = subprocess.run([sys.executable, "-P", "-c", AT_EVERY_TURN], env=environment, capture_output=True, text=True)
    assert len(marks.read_text().splitlines()) > 8, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_runs_what_it_reads(name: str, run: Callable[..., str]) -> None:
    run(*SPECINT, *COMMANDS[name])


def test_the_script_is_what_the_commands_above_are(run: Callable[..., str]) -> None:
    script = shutil.which("specint", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("specint isn't installed here")
    assert run(script, "check", "sglang") == run(*SPECINT, "check", "sglang")


def test_a_package_is_found_by_its_dotted_name_and_not_imported(
    run: Callable[..., str], hostile: Path, tmp_path: Path
) -> None:
    shutil.copytree(hostile / MODELS, tmp_path / "site/own/models")
    for file in (tmp_path / "site/own/models").glob("*.py"):
        file.unlink() if file.stem in sys.stdlib_module_names else None
    (tmp_path / "site/own/__init__.py").write_text(LEAVES_A_MARK)
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path / "site")]).lstrip(os.pathsep)
    out = run(*SPECINT, "check", "own.models", "--sglang", "sglang", PYTHONPATH=path)
    assert "own/models" in out


def test_the_installed_sglang_is_found_and_not_imported(
    run: Callable[..., str], hostile: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """In the environment that is active: what its `.pth` files add counts, what they would import doesn't run."""
    site = tmp_path / "venv/lib/python3.12/site-packages"
    site.mkdir(parents=True)
    (site / "editable.pth").write_text(f"import os; open({environment['SPECINT_MARKS']!r}, 'a')\n{hostile}\n")
    assert "SGLang" in run(*SPECINT, "report", VIRTUAL_ENV=str(tmp_path / "venv")).splitlines()[0]


def test_module_as_a_program_leaves_the_working_directory(run: Callable[..., str], hostile: Path) -> None:
    """`python -m` puts the working directory first: what Python itself loads before specint is beyond our reach."""
    ours = {"typing", "ast", "json", "tomllib", "zipfile", "pathlib", "subprocess", "difflib", "hashlib", "inspect"}
    for name in sys.stdlib_module_names - ours - {"__future__"}:
        (hostile / f"{name}.py").unlink()
    assert run(sys.executable, "-m", "specint", "check", "sglang") == run(*SPECINT, "check", "sglang")


def test_spawned_processes_leave_the_working_directory(run: Callable[..., str], hostile: Path) -> None:
    """Where the platform has no fork, a process begins with `python -c`, and that with the working directory."""
    for number in range(60):
        (hostile / MODELS / f"more{number}.py").write_text(LEAVES_A_MARK)
    script = hostile.parent / "script" / "specint_spawned.py"
    script.parent.mkdir()
    script.write_text(
        "import specint.facts.load as load; load.START_METHOD = 'spawn'\n"
        "from specint.cli import main\n"
        "if __name__ == '__main__':\n"
        "    main(['report', '--sglang', 'sglang', '--no-cache', '--jobs', '2'])\n"
    )
    assert "models" in run(sys.executable, script)


# -- pylint ------------------------------------------------------------------------------------------------------------

PYLINT = (sys.executable, "-P", "-m", "pylint", "--load-plugins=specint", "--disable=all", "--score=n")
PYLINT += ("--enable=spec-missing-delegation",)


@pytest.mark.parametrize("more", [(), ("-j2",), ("--recursive=y", "-j2"), ("--output-format=specint-sarif",)])
def test_plugin_imports_nothing_from_the_folders_that_pylint_lints(
    more: tuple[str, ...], run: Callable[..., str]
) -> None:
    """pylint puts them first on the import path while it works, and the plugin loads most of specint only then."""
    out = run(*PYLINT, *more, f"{MODELS}/kumo_k2.py", f"{MODELS}/lens_vl.py", f"{MODELS}/networkx.py", code=(2,))
    assert "E7701" in out


def test_configuration_of_the_project_runs_only_where_pylint_takes_it(
    run: Callable[..., str], hostile: Path, environment: dict[str, str], marks: Path
) -> None:
    """`init-hook` is pylint's own: docs/security.md says how to keep a project's configuration out."""
    hook = f"open({environment['SPECINT_MARKS']!r}, 'a').write('init-hook')"
    (hostile / "pylintrc").write_text(f"[MAIN]\ninit-hook={hook}\nload-plugins=pylint_plugins\n")
    run(*SPECINT, "check", "sglang")
    assert "E7701" in run(*PYLINT, f"--rcfile={os.devnull}", f"{MODELS}/kumo_k2.py", code=(2,))
    subprocess.run([*PYLINT, f"{MODELS}/kumo_k2.py"], cwd=hostile, env=environment, capture_output=True)
    assert "init-hook" in marks.read_text(), "else the page need not warn"


# -- git ---------------------------------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(hostile: Path, environment: dict[str, str]) -> Path:
    """The folder as a repository whose configuration starts a program wherever git could start one."""
    program = hostile.parent / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {environment["SPECINT_MARKS"]}\ncat\n')
    program.chmod(0o755)
    (hostile / ".gitattributes").write_text("*.py filter=hit diff=hit\n*.pyi filter=long\n")
    git(hostile, "init", "-q", "-b", "main")
    git(hostile, "add", "-A")
    git(hostile, "commit", "-qm", "all")
    hooks = hostile / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction", "pre-auto-gc"):
        shutil.copy(program, hooks / name)
    settings = ["core.fsmonitor", "core.pager", "pager.diff", "core.editor", "core.sshCommand", "core.askPass"]
    settings += ["diff.external", "diff.hit.command", "diff.hit.textconv", "filter.hit.clean", "filter.hit.smudge"]
    settings += ["filter.long.process", "core.alternateRefsCommand", "gpg.program", "credential.helper", "alias.diff"]
    for name in settings:
        git(hostile, "config", name, str(program))
    for name in ("filter.hit.required", "filter.long.required", "core.untrackedCache"):
        git(hostile, "config", name, "true")
    git(hostile, "config", "diff.submodule", "diff")
    return hostile


def changed(repository: Path) -> None:
    """Files with another text, with another time alone, and a new one."""
    file = repository / MODELS / "kumo_k2.py"
    file.write_text(file.read_text() + "# changed\n")
    for other in ("lens_vl.py", "fast.pyi"):
        os.utime(repository / MODELS / other, (1, 1))
    (repository / MODELS / "new.py").write_text(LEAVES_A_MARK)


def test_git_starts_no_program_that_the_repository_names(run: Callable[..., str], repository: Path) -> None:
    changed(repository)
    out = run(*SPECINT, "check", "sglang", "--changed-since", "HEAD", "--color=never", code=(1,))
    assert "kumo_k2.py" in out
    assert "lens_vl" not in out


def test_git_would_start_them(repository: Path, environment: dict[str, str], marks: Path) -> None:
    """Else the test above would say nothing."""
    changed(repository)
    subprocess.run(["git", "diff", "--name-only", "HEAD"], cwd=repository, env=environment, capture_output=True)
    assert str(repository.parent / "program") in marks.read_text()


def test_git_fetches_nothing_that_a_partial_clone_lacks(run: Callable[..., str], repository: Path) -> None:
    for name, value in {
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{repository.parent / 'program'}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "core.repositoryFormatVersion": "1",
    }.items():
        git(repository, "config", name, value)
    done = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=repository, capture_output=True, text=True)
    tree = done.stdout.strip()
    (repository / ".git/objects" / tree[:2] / tree[2:]).unlink()
    run(*SPECINT, "check", "sglang", "--changed-since", "HEAD", code=(2,))


def test_filter_that_cannot_be_switched_off_is_refused(run: Callable[..., str], repository: Path) -> None:
    git(repository, "config", "filter.a=b.clean", str(repository.parent / "program"))
    run(*SPECINT, "check", "sglang", "--changed-since", "HEAD", code=(2,))


# -- pip ---------------------------------------------------------------------------------------------------------------


def test_pip_takes_nothing_from_the_working_directory(run: Callable[..., str], hostile: Path, tmp_path: Path) -> None:
    """A name with a suffix of an archive is a file to pip, where there is one: it would build it."""
    for suffix in ("zip", "tar.gz"):
        name = f"sglang==1.0+x.{suffix}"
        with zipfile.ZipFile(hostile / name, "w") as archive:
            archive.writestr("sglang-1.0/backend.py", LEAVES_A_MARK)
            build = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
            archive.writestr("sglang-1.0/pyproject.toml", build)
    (hostile / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1:9/\n")
    nothing = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    for suffix in ("zip", "tar.gz"):
        run(*SPECINT, "report", "--sglang", f"1.0+x.{suffix}", code=(2,), **nothing)
        (hostile / "pyproject.toml").write_text(f'[tool.specint]\nsglang = "sglang==1.0+x.{suffix}"\n')
        run(*SPECINT, "check", code=(2,), **nothing)


# -- the configuration of the project ----------------------------------------------------------------------------------


def test_paths_outside_of_the_project_are_read_and_not_run(run: Callable[..., str], hostile: Path) -> None:
    inside = hostile / "inside"
    inside.mkdir()
    (inside / "pyproject.toml").write_text(
        '[tool.specint]\nsglang = "../sglang"\ncallers = ["../conftest.py"]\ncache-dir = "../.kept"\n'
        f'models = ["../{MODELS}/kumo_k2.py"]\nbaseline = "../setup.py"\n'
    )
    config = ("--config", "inside/pyproject.toml")
    before = (hostile / "setup.py").read_text()
    run(*SPECINT, "report", *config)
    run(*SPECINT, "check", *config, "--update-baseline", code=(2,))
    assert (hostile / "setup.py").read_text() == before, "what is no baseline is not replaced by one"
