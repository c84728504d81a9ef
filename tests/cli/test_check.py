from __future__ import annotations

import json
from pathlib import Path

import pytest

OWN_MODEL = """
from torch import nn

from sglang.srt.models.oak import OakForCausalLM


class MyWrapper(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = OakForCausalLM(config)


EntryClass = MyWrapper
"""


def documents(done) -> dict:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_findings_exit_with_one_and_end_in_a_summary(specint, small) -> None:
    done = specint("check", "--sglang", small)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert any(
        line.startswith("sglang/srt/models/kumo_k2.py:16:0: E7701 ") and "get_embed_and_head" in line for line in lines
    )
    assert "models checked against SGLang" in lines[-1]


def test_paths_choose_the_tree_and_limit_the_findings(specint, small) -> None:
    done = specint("check", small / "srt/models/kumo_k2.py", "--format", "json")
    found = documents(done)["findings"]
    assert done.returncode == 1
    assert {one["class"] for one in found} == {"sglang.srt.models.kumo_k2.KumoK2ForConditionalGeneration"}
    assert {"get_embed_and_head", "set_eagle3_layers_to_capture"} <= {one["member"] for one in found}


@pytest.mark.parametrize("path", ["sglang", ".", "sglang/srt"])
def test_folder_of_all_models_is_all_models(specint, copied: Path, path: str) -> None:
    everything = specint("check", "--sglang", copied, "--format", "json")
    done = specint("check", path, "--format", "json")
    assert done.returncode == 1, done.stderr
    assert documents(done)["findings"] == documents(everything)["findings"]


def test_clean_file_exits_with_zero(specint, small) -> None:
    done = specint("check", small / "srt/models/oak.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no findings; 2 models checked")


def test_where_nothing_was_judged_the_run_is_not_clean(specint, small, tmp_path: Path) -> None:
    done = specint("check", small / "srt/models/registry.py")
    assert done.returncode == 2
    assert "registry.py: no model was judged: no class there is in an EntryClass" in done.stderr
    done = specint("check", small / "srt/models/registry.py", "--allow-no-models")
    assert (done.returncode, "no model was judged" in done.stderr) == (0, True)
    (tmp_path / "own.py").write_text(OWN_MODEL.replace("EntryClass", "Entries"))
    assert specint("check", "own.py", "--sglang", small).returncode == 2
    done = specint("check", "own.py", "--sglang", small, "--model", "MyWrapper", "--format", "json")
    assert {one["class"].rpartition(".")[2] for one in documents(done)["findings"]} == {"MyWrapper"}


def test_configured_models_are_what_is_checked(specint, small, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_MODEL)
    (tmp_path / "pyproject.toml").write_text(f'[tool.specint]\nsglang = "{small}"\nmodels = ["own.py"]\n')
    files = {one["file"].rpartition("/")[2] for one in documents(specint("check", "--format", "json"))["findings"]}
    assert files == {"own.py"}
    named = documents(specint("check", small, "--format", "json"))["findings"]
    assert {one["file"].partition("/")[0] for one in named} >= {"sglang"}, "a path goes before the configuration"
    by_name = documents(specint("check", "--model", "KumoK2ForConditionalGeneration", "--format", "json"))["findings"]
    assert {one["class"].rpartition(".")[2] for one in by_name} == {"KumoK2ForConditionalGeneration"}


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "MyWrapper", "own.py"),
        ("report", "own.py"),
        ("graph", "MyWrapper", "own.py"),
        ("graph", "--inner-of", "OakForCausalLM", "own.py"),
    ],
)
def test_every_command_takes_paths_of_own_models(specint, small, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "own.py").write_text(OWN_MODEL)
    done = specint(*command, "--sglang", small)
    assert (done.returncode, done.stderr) == (0, "")
    assert "MyWrapper" in done.stdout


def test_models_outside_sglang_are_checked_against_it(specint, small, tmp_path: Path) -> None:
    (tmp_path / "my_models").mkdir()
    (tmp_path / "my_models" / "wrapper.py").write_text(OWN_MODEL)
    done = specint("check", "my_models", "--sglang", small, "--format", "json")
    found = documents(done)["findings"]
    assert done.returncode == 1, done.stderr
    assert {(one["file"], one["line"]) for one in found} == {("my_models/wrapper.py", 7)}


def test_model_of_another_sglang_is_checked_against_the_named_one(specint, small, copied: Path) -> None:
    file = copied / "srt/models/oak.py"
    file.write_text(file.read_text().replace("def get_embed_and_head", "def get_them"))
    against = specint("check", file, "--sglang", small, "--model", "OakForCausalLM", "--algorithm", "EAGLE")
    assert against.returncode == 1, against.stderr
    assert "E7703" in against.stdout
    assert specint("check", "--sglang", small, "--model", "OakForCausalLM", "--algorithm", "EAGLE").returncode == 0


def test_demand_is_met_or_an_error_that_names_the_member(specint, small) -> None:
    pine = ("check", "--sglang", small, "--model", "PineForCausalLM")
    assert specint(*pine).returncode == 0
    done = specint(*pine, "--algorithm", "EAGLE3", "--format", "json")
    found = documents(done)["findings"]
    assert done.returncode == 1
    assert {one["rule"] for one in found} == {"spec-unsupported-algorithm"}
    assert {"get_embed_and_head", "set_eagle3_layers_to_capture"} <= {one["member"] for one in found}


def test_alias_stands_for_its_algorithm(specint, small) -> None:
    by_alias = specint("check", "--sglang", small, "--model", "PineForCausalLM", "--algorithm", "nextn")
    by_name = specint("check", "--sglang", small, "--model", "PineForCausalLM", "--algorithm", "EAGLE")
    assert by_alias.stdout == by_name.stdout
    assert by_alias.returncode == 1


def test_algorithm_alone_limits_the_findings_and_demands_nothing(specint, small) -> None:
    everything = documents(specint("check", "--sglang", small, "--format", "json"))["findings"]
    found = documents(specint("check", "--sglang", small, "--algorithm", "EAGLE3", "--format", "json"))["findings"]
    assert found == [one for one in everything if "EAGLE3" in one["algorithms"]]
    assert found
    assert "PineForCausalLM" not in str(found)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--model", "PineForCausalML"], "no registered model class is called `PineForCausalML` (did you mean Pine"),
        (["--algorithm", "EAGEL3"], "no algorithm `EAGEL3` (did you mean EAGLE3"),
        (["--select", "E78"], "no rule is called `E78`"),
        (["--ignore", "spec-unresolve"], "did you mean spec-unresolved"),
        (["--jobs", "0"], "--jobs"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["nowhere/model.py"], "nowhere/model.py: no such file"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_two(specint, small, arguments, complaint: str) -> None:
    done = specint("check", "--sglang", small, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("specint: error: ")
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr


def test_select_ignore_and_exit_zero(specint, small) -> None:
    base = ("check", "--sglang", small, "--format", "json")
    ids = [one["id"] for one in documents(specint(*base, "--select", "I77"))["findings"]]
    assert ids
    assert set(ids) == {"I7799"}
    assert "E7701" not in {one["id"] for one in documents(specint(*base, "--ignore", "E7701"))["findings"]}
    assert specint(*base, "--exit-zero").returncode == 0


def test_file_that_does_not_parse_is_an_error_after_the_findings(specint, copied: Path) -> None:
    (copied / "srt/models/pine.py").write_text("class Pine(:\n")
    done = specint("check", "--sglang", copied, "--exit-zero")
    assert done.returncode == 2
    assert "kumo_k2.py:16:0: E7701" in done.stdout
    assert "specint: error: sglang/srt/models/pine.py:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_configuration_selects_requires_and_excludes(specint, copied: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.specint]\nsglang = "sglang"\nrequire = ["PineForCausalLM:EAGLE"]\nignore = ["E7702"]\n'
        'exclude = ["sglang/srt/models/kumo*"]\n'
    )
    (tmp_path / "below").mkdir()
    found = documents(specint("check", "--format", "json", cwd=tmp_path / "below"))["findings"]
    assert "E7703" in {one["id"] for one in found if one["class"].endswith("PineForCausalLM")}
    assert "E7702" not in {one["id"] for one in found}
    assert "sglang/srt/models/kumo_k2.py" not in {one["file"] for one in found}
    assert any(one["id"] == "E7701" for one in found)


def test_requirement_for_an_unknown_class_names_the_configuration(specint, copied: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.specint]\nrequire = ["PineForCausalLN:EAGLE"]\n')
    done = specint("check", "--sglang", copied)
    assert done.returncode == 2
    assert "[tool.specint] require" in done.stderr
    assert "did you mean PineForCausalLM" in done.stderr


def test_the_same_run_gives_the_same_bytes(specint, small) -> None:
    arguments = ("check", "--sglang", small, "--format", "json", "--select", "ALL")
    first = specint(*arguments, "--no-cache", "--jobs", "1", PYTHONHASHSEED="1")
    second = specint(*arguments, "--jobs", "2", PYTHONHASHSEED="2")
    assert first.stdout == second.stdout
    assert first.stdout
