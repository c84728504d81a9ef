"""One request, whoever makes it: every entry with every option comes to the same answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import specint
from specint import request
from specint.analysis.model import Analysis
from specint.cli import main
from specint.config import load_config
from specint.contract.model import Contract

MODEL = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM

class OwnVL(nn.Module):
    def __init__(self, config, quant_config=None):
        super().__init__()
        self.language_model = OakForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        return self.language_model(input_ids, positions, forward_batch)

EntryClass = OwnVL
"""
WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

@SpeculativeAlgorithm.register("OWNALGO")
class OwnWorker:
    def __init__(self, server_args, gpu_id, target_worker: TpModelWorker):
        target_worker.model_runner.model.own_hook()
"""
CONFIGURED: dict[str, str] = {
    "nothing": "",
    "models": 'models = ["pk/models"]',
    "callers": 'callers = ["pk/worker.py"]',
    "callers beside models": 'models = ["pk/models"]\ncallers = ["pk/worker.py"]',
    "callers in the folder of models": 'models = ["pk"]\ncallers = ["pk"]',
    "interface": 'interface = ["all"]',
    "everything": 'models = ["pk/models"]\ncallers = ["pk/worker.py"]\ninterface = ["speculative", "eplb"]',
}
OPTIONS: dict[str, tuple[list[str], dict[str, object]]] = {
    "callers": (["--callers", "pk/worker.py"], {"callers": ["pk/worker.py"]}),
    "interface": (["--interface", "runtime"], {"interfaces": ["runtime"]}),
    "against": (["--against", "new/sglang"], {"against": "new/sglang"}),
    "callers against": (
        ["--callers", "pk/worker.py", "--against", "new/sglang"],
        {"callers": ["pk/worker.py"], "against": "new/sglang"},
    ),
    "one process": (["--jobs", "1"], {"jobs": 1}),
    "no cache": (["--no-cache"], {"cache": False}),
    "cache elsewhere": (["--cache-dir", "kept"], {"cache_dir": "kept"}),
}
COMMANDS: dict[str, list[str]] = {
    "check": ["check"],
    "report": ["report"],
    "explain": ["explain", "OakForCausalLM"],
    "graph": ["graph", "OakForCausalLM"],
    "contract": ["contract"],
    "fix": ["fix", "--diff"],
    "smoke": ["smoke", "OakForCausalLM", "--python", sys.executable, "--timeout", "5"],
}


@pytest.fixture
def project(tmp_path: Path, fixture_tree: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin with models and a worker in one package, the SGLang that it is for, and the next one."""
    small = fixture_tree("sglang_small") / "sglang"
    shutil.copytree(small, tmp_path / "old/sglang")
    new = Path(shutil.copytree(small, tmp_path / "new/sglang"))
    oak = new / "srt/models/oak.py"
    oak.write_text(oak.read_text().replace("def get_embed_and_head", "def get_embed_and_head_of_old"))
    for name, text in {"__init__.py": "", "models/__init__.py": "", "models/m.py": MODEL, "worker.py": WORKER}.items():
        path = tmp_path / "pk" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPECINT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Analysis | Contract]:
    """What the entries get for an answer, as it comes."""
    answers: list[Analysis | Contract] = []

    def kept(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: object, **named: object) -> Any:
            found = real(*arguments, **named)
            answers.append(found[0] if isinstance(found, tuple) else found)
            return found

        return call

    for name in ("analysed", "contract_asked"):
        real = getattr(request, name)
        for module in [m for n, m in sys.modules.items() if n.startswith("specint") and hasattr(m, name)]:
            monkeypatch.setattr(module, name, kept(real))
    return answers


def answer_of(command: list[str], seen: list[Analysis | Contract]) -> Analysis | Contract:
    seen.clear()
    with pytest.raises(SystemExit):
        main([*command, "--quiet", "--color", "never"])
    return seen[0]


def encoded(answer: Analysis | Contract) -> bytes:
    return msgspec.json.encode(answer)


def agree(answer: Analysis | Contract, with_: Analysis) -> None:
    expected: Analysis | Contract = with_ if isinstance(answer, Analysis) else with_.contract
    assert encoded(answer) == encoded(expected)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("configured", CONFIGURED)
def test_every_command_goes_by_the_configuration(
    project: Path, seen: list[Analysis | Contract], command: str, configured: str
) -> None:
    (project / "pyproject.toml").write_text(f'[tool.specint]\nsglang = "old/sglang"\n{CONFIGURED[configured]}\n')
    agree(answer_of(COMMANDS[command], seen), specint.analyze(config=load_config()).analysis)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_every_command_takes_every_option(
    project: Path, seen: list[Analysis | Contract], command: str, option: str
) -> None:
    words, named = OPTIONS[option]
    answer = answer_of([*COMMANDS[command], "--sglang", "old/sglang", *words], seen)
    agree(answer, specint.analyze("old/sglang", **named).analysis)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ['callers = ["pk/worker.py"]', 'interface = ["all"]', 'models = ["pk"]'])
def test_options_change_the_answer(project: Path, key: str) -> None:
    """The comparisons above would hold if nobody listened."""
    (project / "pyproject.toml").write_text(f'[tool.specint]\nsglang = "old/sglang"\n{key}\n')
    with_it = specint.analyze(config=load_config()).analysis
    assert encoded(with_it) != encoded(specint.analyze("old/sglang").analysis)


@pytest.mark.parametrize("folder", ["pk/worker.py", "pk", "apart/worker.py"])
@pytest.mark.parametrize("models", ["pk/models", "pk/models/m.py", "pk"])
def test_callers_count_wherever_they_lie(project: Path, folder: str, models: str) -> None:
    (project / "apart").mkdir()
    (project / "apart/worker.py").write_text(WORKER)
    analysis = specint.analyze("old/sglang", models=[models], callers=[folder]).analysis
    (own,) = (model for model in analysis.models if model.name == "OwnVL")
    assert own.algorithms["OWNALGO"].missing == ("own_hook",)


def test_callers_of_the_sglang_itself_count_outside_of_its_packages_of_workers(project: Path) -> None:
    (project / "old/sglang/extra").mkdir()
    (project / "old/sglang/extra/worker.py").write_text(WORKER)
    contract = specint.analyze("old/sglang", callers=["old/sglang/extra"]).contract
    assert "OWNALGO" in contract.algorithms


def test_own_models_are_read_beside_the_sglang_that_comes(project: Path) -> None:
    (project / "pk/models/heir.py").write_text(
        "from sglang.srt.models.oak import OakForCausalLM\nclass Heir(OakForCausalLM): pass\nEntryClass = Heir\n"
    )
    before = specint.analyze("old/sglang", models=["pk/models"]).model("Heir").algorithms["EAGLE"]
    after = specint.analyze("old/sglang", models=["pk/models"], against="new/sglang").model("Heir").algorithms["EAGLE"]
    assert (before.verdict, after.verdict) == ("ok", "missing")
    assert "get_embed_and_head" in after.missing


def test_fix_analyses_its_attempts_as_it_was_asked(project: Path, seen: list[Analysis | Contract]) -> None:
    words = ["fix", "pk/models", "--diff", "--callers", "pk/worker.py", "--sglang", "old/sglang"]
    answer_of(words, seen)
    assert len(seen) > 1
    assert {encoded(answer.contract) for answer in seen if isinstance(answer, Analysis)} == {encoded(seen[0].contract)}  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ['callers = ["pk/worker.py"]', 'callers = ["pk"]\nmodels = ["pk/models"]'])
def test_pylint_goes_by_the_configuration(project: Path, key: str) -> None:
    (project / "pyproject.toml").write_text(
        f'[tool.specint]\nsglang = "old/sglang"\nrequire = ["OwnVL:OWNALGO"]\n{key}\n'
    )
    words = ["--output-format=json", "pk/models/m.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pylint", "--load-plugins=specint", "--disable=all", "--enable=E7703", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYLINTHOME": str(project)},
    )
    assert ["own_hook" in one["message"] for one in json.loads(done.stdout)] == [True], done.stderr
