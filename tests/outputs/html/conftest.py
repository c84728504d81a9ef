"""Reports of the small tree, and the Chromium that is installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import specint
from specint.analysis.result import Result
from specint.outputs.html import report_html

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def small_result(fixture_tree: Callable[[str], Path]) -> Result:
    return specint.analyze(fixture_tree("sglang_small") / "sglang", cache=False)


@pytest.fixture(scope="session")
def small_page(small_result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the small tree, compared with itself before a hook was written."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(report_html(small_result, small_result.every_finding, (), _before(small_result)))
    return path


def _before(result: Result) -> Result:
    """The same tree when Quartz didn't hand its embedding on, Oak couldn't run EAGLE3, and Birch didn't exist."""
    import msgspec

    from specint.compliance.model import Verdict

    changed = []
    for model in result.models:
        if model.name == "BirchForCausalLM":
            continue
        if model.name == "OakForCausalLM":
            verdicts = {
                **model.algorithms,
                "EAGLE3": Verdict(verdict="missing", missing=("set_eagle3_layers_to_capture",)),
            }
            model = msgspec.structs.replace(model, algorithms=verdicts)  # noqa: PLW2901
        changed.append(model)
    analysis = msgspec.structs.replace(
        result.analysis,
        models=tuple(changed),
        sglang=msgspec.structs.replace(result.analysis.sglang, version="0.0.1"),
    )
    return Result(result.tree, analysis, result._store)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium, headless. Where there is none, the test is skipped; in CI it fails."""
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        message = "no Chromium is installed (on Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'specint[dev]' brings playwright")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=found, args=list(QUIET))
        yield started
        started.close()


HEIR = """
from sglang.srt.models.oak import OakForCausalLM


class Parent(OakForCausalLM):
    def get_input_embeddings(self):
        return self.model.words


class Heir(Parent):
    pass


EntryClass = [Parent, Heir]
"""


@pytest.fixture(scope="session")
def heirs(fixture_tree: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tree in which an heir repeats what is told of its base."""
    root = tmp_path_factory.mktemp("heirs") / "sglang"
    shutil.copytree(fixture_tree("sglang_small") / "sglang", root)
    (root / "srt" / "models" / "trial.py").write_text(HEIR, encoding="utf-8")
    result = specint.analyze(root, cache=False)
    path = root / "report.html"
    path.write_bytes(report_html(result, result.every_finding))
    return path
