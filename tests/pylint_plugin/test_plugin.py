"""The plugin under the real pylint, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.checks.catalog import all_rules

pytestmark = pytest.mark.programs

SPEC = "spec-missing-delegation,spec-partial-interface,spec-unsupported-algorithm,spec-cannot-analyse"
KUMO = "KumoK2ForConditionalGeneration"
Lint = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def pylint(tmp_path: Path, cache: Path) -> Lint:
    """`pylint(*arguments)`: with specint's messages alone, in an empty folder."""

    def run(
        *arguments: object, stdin: str = "", cwd: Path = tmp_path, enable: str = SPEC
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pylint", "--load-plugins=specint", "--score=n", "--disable=all"]
        return subprocess.run(
            [*command, f"--enable={enable}", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "SPECINT_CACHE_DIR": str(cache), "PYLINTHOME": str(cache)},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture
def copied(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    return Path(shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "sglang"))


@pytest.fixture
def small(fixture_tree: Callable[[str], Path]) -> Path:
    return fixture_tree("sglang_small") / "sglang"


def messages(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Lines with a message, without the path of the folder."""
    assert "Traceback" not in done.stderr, done.stderr
    return sorted(line for line in done.stdout.splitlines() if re.search(r":\d+:\d+: [A-Z]\d{4}: ", line))


def test_message_stands_on_the_line_of_the_class(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/kumo_k2.py"
    done = pylint(file)
    found = messages(done)
    line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if text.startswith(f"class {KUMO}"))
    assert found
    assert all(one.startswith(f"sglang/srt/models/kumo_k2.py:{line}:0: E7701: {KUMO}") for one in found)
    assert any("get_embed_and_head" in one for one in found)
    assert done.returncode == 2, "pylint's bit for errors"


def test_says_what_check_says(pylint: Lint, copied: Path, cache: Path) -> None:
    check = subprocess.run(
        [sys.executable, "-m", "specint", "check", "--sglang", copied, "--format", "json", "--select", "E77"],
        env={**os.environ, "SPECINT_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
    )
    expected = sorted(
        f"{one['file']}:{one['line']}:{one['column']}: {one['id']}: {one['message']} ({one['rule']})"
        for one in json.loads(check.stdout)["findings"]
    )
    assert expected
    assert messages(pylint("--recursive=y", copied / "srt/models")) == expected


def test_two_processes_and_recursion_say_the_same_as_one(pylint: Lint, copied: Path) -> None:
    one = messages(pylint(*sorted((copied / "srt/models").glob("*.py"))))
    assert one
    assert messages(pylint("-j", "2", "--recursive=y", copied / "srt/models")) == one
    # pylint doesn't descend from a folder with `__init__.py` into one without: from `sglang` it sees no model at all.
    assert messages(pylint("--recursive=y", copied / "srt")) == one
    assert messages(pylint("--recursive=y", "-j2", "sglang/srt")) == one


def test_text_from_stdin_counts_not_the_file(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/kumo_k2.py"
    text = file.read_text()
    on_disk = messages(pylint(file))
    moved = text.replace(f"class {KUMO}", f"\n\n\nclass {KUMO}")
    from_stdin = messages(pylint("--from-stdin", file, stdin=moved))
    assert [re.sub(r":\d+:", ":", one, count=1) for one in from_stdin] == [
        re.sub(r":\d+:", ":", one, count=1) for one in on_disk
    ]
    assert from_stdin != on_disk
    repaired = text.replace(
        "    def get_image_feature",
        "    def get_embed_and_head(self):\n        return self.language_model.get_embed_and_head()\n\n"
        "    def get_image_feature",
    )
    assert repaired != text
    left = messages(pylint("--from-stdin", file, stdin=repaired))
    assert len(left) == len(on_disk) - 1
    assert not any("get_embed_and_head" in one for one in left)


def test_pragmas_silence_on_the_line_in_the_class_and_in_the_file(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/kumo_k2.py"
    text = file.read_text()
    pragma = "# pylint: disable=spec-missing-delegation"
    head = next(line for line in text.splitlines() if line.startswith(f"class {KUMO}"))
    for changed in (
        text.replace(head, f"{head}  {pragma}"),
        text.replace(head, f"{pragma}-next\n{head}")
        .replace("delegation-next", "delegation")
        .replace("disable=", "disable-next="),
        f"{pragma}\n{text}",
        f"# pylint: disable=E7701\n{text}",
    ):
        file.write_text(changed)
        assert messages(pylint(file)) == []
    file.write_text(text)
    assert messages(pylint(file))


def test_pragma_that_silences_nothing_is_reported_by_pylint(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/oak.py"
    file.write_text(f"# pylint: disable=spec-missing-delegation\n{file.read_text()}")
    (found,) = messages(pylint(file, enable=f"{SPEC},useless-suppression"))
    assert "Useless suppression of 'spec-missing-delegation'" in found


def test_models_of_ones_own_are_checked_against_the_named_sglang(pylint: Lint, small: Path, tmp_path: Path) -> None:
    (rule,) = [rule for rule in all_rules() if rule.symbol == "spec-missing-delegation"]
    (tmp_path / "mine.py").write_text(rule.bad["bad.py"])
    (found,) = messages(pylint("mine.py", f"--specint-sglang={small}"))
    assert found.startswith("mine.py:18:0: E7701: PictureModel")
    (tmp_path / "mine.py").write_text(rule.good["good.py"])
    assert messages(pylint("mine.py", f"--specint-sglang={small}")) == []


def test_options_come_from_pyproject(pylint: Lint, small: Path, tmp_path: Path) -> None:
    (rule,) = [rule for rule in all_rules() if rule.symbol == "spec-missing-delegation"]
    (tmp_path / "mine.py").write_text(rule.bad["bad.py"])
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.pylint.specint]\nspecint-sglang = "{small}"\n'
        'specint-require = ["TextModel:EAGLE3", "PictureModel:EAGLE3"]\n'
    )

    def ids(*options: str) -> list[str]:
        return [re.search(r"E77\d\d", one)[0] for one in messages(pylint("mine.py", *options))]

    assert ids() == ["E7701"], "the demand is answered by it"
    assert ids("--disable=E7701") == ["E7703"]
    assert messages(pylint("mine.py", "--specint-algorithms=EAGLE", "--specint-require=")) == []


def test_sglang_that_cannot_be_analysed_is_a_message_not_a_crash(pylint: Lint, copied: Path, tmp_path: Path) -> None:
    shutil.rmtree(copied / "srt/speculative")
    found = messages(pylint(copied / "srt/models/kumo_k2.py"))
    assert len(found) == 1
    assert "F7790" in found[0]
    (rule,) = [rule for rule in all_rules() if rule.symbol == "spec-missing-delegation"]
    (tmp_path / "mine.py").write_text(rule.bad["bad.py"])
    (found_outside,) = messages(pylint("mine.py", "--specint-sglang=not/there"))
    assert "mine.py:1:0: F7790: not/there" in found_outside
    assert pylint("mine.py", "--specint-sglang=not/there").returncode == 1, "pylint's bit for what is fatal"


def test_other_files_build_nothing(pylint: Lint, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import os\n\n\nclass A:\n    x = os.name\n")
    # Were anything looked up, the SGLang that doesn't exist would be complained about.
    done = pylint("plain.py", "--specint-sglang=not/there")
    assert (messages(done), done.returncode) == ([], 0)
    code = (
        "import sys\nfrom pylint.lint import Run\n"
        "Run(['--load-plugins=specint', '--disable=all', '--enable=spec-missing-delegation', 'plain.py'], exit=False)\n"
        "print([m for m in ('specint.pipeline', 'specint.facts', 'networkx', 'rich', 'libcst') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_off_by_default_rules_speak_only_when_enabled(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/mirage.py"
    assert messages(pylint(file)) == []
    found = messages(pylint(file, enable="spec-unresolved"))
    assert found
    assert all("I7799" in one for one in found)


def test_every_rule_is_a_message_with_a_description(pylint: Lint) -> None:
    done = pylint(f"--help-msg={','.join(rule.symbol for rule in all_rules())}")
    for rule in all_rules():
        assert f":{rule.symbol} ({rule.id})" in done.stdout


OWN = "from sglang.srt.models.oak import OakForCausalLM\n\n\nclass OwnOak(OakForCausalLM):\n    pass\n\n\n"


@pytest.mark.parametrize(
    ("option", "configured"),
    [
        ("--specint-require=OwnOakk:EAGLE3", ""),
        ("--specint-require=mine.OwnOakk:EAGLE3", ""),
        ("--specint-require=OwnOak:EAGLE3,OwnOakk:EAGLE3", ""),
        ("", '[tool.specint]\nrequire = ["OwnOakk:EAGLE3"]\n'),
    ],
)
def test_demand_on_a_class_that_is_nowhere_is_an_error(
    pylint: Lint, small: Path, tmp_path: Path, option: str, configured: str
) -> None:
    (tmp_path / "mine.py").write_text(f"{OWN}EntryClass = OwnOak\n")
    (tmp_path / "pyproject.toml").write_text(configured)
    found = messages(pylint("mine.py", f"--specint-sglang={small}", *filter(None, [option]), enable="E7703"))
    assert [("OwnOakk" in one, "did you mean OwnOak" in one) for one in found] == [(True, True)]


def test_demand_on_a_class_elsewhere_in_the_project_is_no_mistake(pylint: Lint, small: Path, tmp_path: Path) -> None:
    for folder, name in (("one", "OwnOak"), ("two", "OtherOak")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.py").write_text(f"{OWN.replace('OwnOak', name)}EntryClass = {name}\n")
    demands = "--specint-require=OwnOak:EAGLE3,OtherOak:EAGLE3"
    assert messages(pylint("one/m.py", f"--specint-sglang={small}", demands, enable="E7703")) == []


def test_class_that_a_demand_names_is_judged_unregistered(pylint: Lint, small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN.replace("(OakForCausalLM)", ""))
    sglang = f"--specint-sglang={small}"
    assert messages(pylint("mine.py", sglang, enable="E7703")) == []
    found = messages(pylint("mine.py", sglang, "--specint-require=OwnOak:EAGLE3", enable="E7703"))
    assert found
    assert all("OwnOak" in one for one in found)


def test_registration_that_cant_be_read_is_said_on_its_line(pylint: Lint, small: Path, tmp_path: Path) -> None:
    text = f"import os\n{OWN}from sglang.srt.models.registry import ModelRegistry\n"
    (tmp_path / "mine.py").write_text(f"{text}ModelRegistry.models['A'] = os.environ['MODEL']\n")
    (found,) = messages(pylint("mine.py", f"--specint-sglang={small}"))
    assert "mine.py:10:0: F7790: models are registered here in a form that can't be read" in found
