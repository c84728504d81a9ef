"""What people expect of any linter: pages of rules, what is in force, comments that silence, schemas, completion."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from specint.cli.schema import NAMES
from specint.config import KEYS, load_config


def test_rule_prints_its_page_and_all_prints_every_page(specint) -> None:
    one = specint("rule", "E7701", "--format", "markdown")
    assert one.returncode == 0
    assert one.stdout.startswith("# spec-missing-delegation (E7701)")
    every = specint("rule", "--all", "--format", "markdown")
    assert one.stdout in every.stdout
    assert every.stdout.count("\n## What it does") == len(
        json.loads(specint("rules", "--format", "json").stdout)["rules"]
    )


@pytest.mark.parametrize("arguments", [(), ("E7701", "--all")])
def test_rule_wants_a_rule_or_all(specint, arguments: tuple[str, ...]) -> None:
    done = specint("rule", *arguments)
    assert done.returncode == 2
    assert "name a rule, or say --all" in done.stderr


def test_config_says_what_is_in_force_and_from_where(specint, tmp_path: Path) -> None:
    section = tmp_path / "pyproject.toml"
    section.write_text('[tool.specint]\nsglang = "0.5.9"\nignore = ["E7701"]\n')
    lines = specint("config", SPECINT_CACHE_DIR=str(tmp_path / "kept")).stdout.splitlines()
    assert f'sglang = "0.5.9"  # {section}' in lines
    assert "models = []  # default" in lines
    assert f'cache-dir = "{tmp_path / "kept"}"  # SPECINT_CACHE_DIR' in lines
    rules = next(line for line in lines if line.startswith("rules = "))
    assert "spec-partial-interface" in rules
    assert "spec-missing-delegation" not in rules
    values = json.loads(specint("config", "--format", "json").stdout)["values"]
    assert set(values) == {*KEYS, "rules"}
    assert values["sglang"] == {"value": "0.5.9", "from": str(section)}


@pytest.mark.parametrize("there", [None, "", "[project]\nname = 'x'\n", "[project]\nname = 'x'"])
def test_init_writes_every_key_commented_out_and_keeps_what_is_there(
    specint, tmp_path: Path, there: str | None
) -> None:
    file = tmp_path / "pyproject.toml"
    if there is not None:
        file.write_text(there)
    assert specint("init").returncode == 0
    text = file.read_text()
    assert text.startswith(there or "[tool.specint]")
    assert load_config(file=file) == load_config(file=file)
    opened = "".join(line.removeprefix("# ") + "\n" for line in text.splitlines() if " = " in line and line[0] == "#")
    section = tomllib.loads(opened)
    assert set(section) == set(KEYS)
    jsonschema.validate(section, json.loads(specint("schema", "config").stdout))
    again = specint("init")
    assert again.returncode == 2
    assert "has a [tool.specint] already" in again.stderr
    assert file.read_text() == text


def test_init_leaves_a_file_that_is_no_toml_alone(specint, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool\n")
    done = specint("init")
    assert done.returncode == 2
    assert "is not valid TOML" in done.stderr
    assert (tmp_path / "pyproject.toml").read_text() == "[tool\n"


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_one_and_the_docs_have_it(specint, name: str, golden) -> None:
    done = specint("schema", name)
    jsonschema.Draft202012Validator.check_schema(json.loads(done.stdout))
    golden(str(Path(__file__).parents[2] / "docs" / "schemas" / f"{name}.json"), done.stdout.encode())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", ("report",)),
        ("findings", ("check",)),
        ("contract", ("contract",)),
        ("rules", ("rules",)),
        ("explanation", ("explain", "KumoK2ForConditionalGeneration")),
    ],
)
def test_document_is_what_its_schema_says(specint, small, name: str, arguments: tuple[str, ...]) -> None:
    where = () if name == "rules" else ("--sglang", small)
    document = json.loads(specint(*arguments, *where, "--format", "json").stdout)
    schema = json.loads(specint("schema", name).stdout)
    jsonschema.validate(document, schema)
    assert document["schema"] == schema["title"]


def test_cache_is_told_and_cleaned_and_nothing_else_goes(specint, small, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    specint("report", "--sglang", small, "--cache-dir", folder)
    other = folder / "v1" / "mine.txt"
    other.write_text("not specint's")
    (folder / "releases").mkdir()
    (folder / "releases" / "sglang-0.0.1-py3-none-any.whl").write_bytes(b"PK")
    assert specint("cache", "dir", "--cache-dir", folder).stdout == f"{folder}\n"
    assert " of what was read, 0.0 MB of releases" in specint("cache", "size", "--cache-dir", folder).stdout
    assert "removed" in specint("cache", "clean", "--cache-dir", folder).stdout
    assert [path for path in folder.rglob("*") if path.is_file() and path.parent.parent.name == "facts"] == []
    assert other.read_text() == "not specint's"
    assert list((folder / "releases").iterdir())
    specint("cache", "clean", "--releases", "--cache-dir", folder)
    assert not list((folder / "releases").iterdir())


def completed(specint, *words: str) -> list[str]:
    typed = " ".join(["specint", *words])
    done = specint(_SPECINT_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words)))
    return [line.partition(",")[2] for line in done.stdout.split()]


def test_completion_knows_rules_and_what_was_read_last(specint, small) -> None:
    specint("report", "--sglang", small)
    assert completed(specint, "rule", "spec-missing") == ["spec-missing-delegation"]
    assert completed(specint, "explain", "kumo") == ["KumoK2ForConditionalGeneration"]
    assert "EAGLE3" in completed(specint, "check", "--algorithm", "EAG")
    assert completed(specint, "check", "--algorithm", "EAGLE,EAGLE3") == ["EAGLE,EAGLE3"]
    assert completed(specint, "check", "--model", "Oak")[0].startswith("Oak")


def test_diff_of_check_is_that_of_fix_and_fix_leaves_what_is_yours(specint, copied: Path) -> None:
    assert specint("check", copied, "--diff").stdout == specint("fix", copied, "--diff").stdout != ""
    done = specint("check", copied, "--fix", "--format", "json")
    left = json.loads(done.stdout)["findings"]
    assert "findings fixed in" in done.stderr
    assert done.returncode == 1
    assert left == json.loads(specint("check", copied, "--format", "json").stdout)["findings"]
    assert "def get_embed_and_head" in (copied / "srt/models/kumo_k2.py").read_text()


def test_ignores_silence_what_is_found_and_only_that(specint, copied: Path) -> None:
    found = json.loads(specint("check", copied, "--format", "json").stdout)["findings"]
    done = specint("check", copied, "--add-ignores")
    assert (done.returncode, done.stdout) == (0, f"{len(found)} findings silenced in 4 files\n")
    again = specint("check", copied)
    assert (again.returncode, again.stdout.partition(";")[0]) == (0, "no findings")
    assert specint("check", copied, "--add-ignores").stdout == "0 findings silenced in 0 files\n"


def test_fix_diff_and_ignores_are_three_things(specint, small) -> None:
    done = specint("check", small, "--fix", "--add-ignores")
    assert done.returncode == 2
    assert "say one" in done.stderr


def test_text_from_stdin_is_checked_in_the_place_of_the_file(specint, copied: Path, clean_environment) -> None:
    file = copied / "srt/models/kumo_k2.py"
    whole = file.read_text()
    named = specint("check", file, "--format", "json").stdout
    less = whole.replace(
        "def load_weights(", "def get_embed_and_head(self):\n        return 1, 2\n\n    def load_weights("
    )

    def typed(text: str, *more: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "specint", "check", "--stdin-filename", str(file), "--format", "json", *more]
        return subprocess.run(command, input=text, capture_output=True, text=True, env=clean_environment, check=False)

    assert typed(whole).stdout == named
    members = {one["member"] for one in json.loads(typed(less).stdout)["findings"]}
    assert "get_embed_and_head" not in members
    assert "set_eagle3_layers_to_capture" in members
    assert file.read_text() == whole
    assert typed("def broken(:\n").returncode == 2
    assert "left as it is" in typed(whole, "--fix").stderr
    assert "no such file" in typed(whole, "--stdin-filename", str(file.parent / "gone.py")).stderr


@pytest.mark.slow
def test_watch_checks_again_after_a_change(copied: Path, clean_environment, hears_ctrl_c: None) -> None:
    file = copied / "srt/models/oak.py"
    command = [sys.executable, "-m", "specint", "check", str(file), "--watch", "--format", "concise"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=clean_environment
    ) as running:
        assert running.stdout is not None
        assert "no findings" in running.stdout.readline()
        file.write_text(file.read_text().replace("def get_embed_and_head", "def get_embed_and_tail"))
        assert "get_embed_and_head" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        while running.stdout.readline():
            pass
    assert running.returncode in (1, 130), "130 where the signal came before it waited again"
