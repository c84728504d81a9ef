"""`specint fix` as a user runs it, on a copy of the small SGLang."""

from __future__ import annotations

import ast
import json
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

KUMO = "srt/models/kumo_k2.py"
BASE_AND_HEIR = """
from torch import nn

from sglang.srt.models.oak import OakForCausalLM


class Base(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = OakForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        return self.language_model(input_ids, positions, forward_batch)

    def load_weights(self, weights):
        self.language_model.load_weights(weights)


class Heir(Base):
    pass


EntryClass = [Base, Heir]
"""


def findings(specint, *arguments: object, cwd: Path | None = None) -> list[dict]:
    done = specint("check", *arguments, "--format", "json", **({"cwd": cwd} if cwd else {}))
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["findings"]


def methods(text: str, class_name: str) -> list[str]:
    (found,) = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == class_name)
    return [n.name for n in found.body if isinstance(n, ast.FunctionDef)]


def is_subsequence(lines: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(any(line == other for other in rest) for line in lines)


def test_what_is_missing_is_added_in_the_class_and_check_is_clean(specint, copied: Path) -> None:
    file = copied / KUMO
    before = file.read_text()
    missing = {one["member"] for one in findings(specint, file)}
    assert "get_embed_and_head" in missing
    done = specint("fix", file)
    assert (done.returncode, done.stderr) == (0, "")
    after = file.read_text()
    assert missing <= set(methods(after, "KumoK2ForConditionalGeneration"))
    assert is_subsequence(before.splitlines(), after.splitlines())
    assert findings(specint, file) == []
    assert done.stdout.splitlines()[-1] == f"{len(missing)} findings fixed in 1 file"


def test_whole_sglang_that_was_named_as_a_path_is_written(specint, copied: Path) -> None:
    before = (copied / KUMO).read_bytes()
    done = specint("fix", copied, "--select", "E7701")
    assert "is the installed SGLang" not in done.stderr
    assert (copied / KUMO).read_bytes() != before


def test_second_run_changes_nothing(specint, copied: Path) -> None:
    file = copied / KUMO
    specint("fix", file)
    first = file.read_bytes()
    done = specint("fix", file)
    assert (done.returncode, done.stdout) == (0, "nothing to fix\n")
    assert file.read_bytes() == first


def test_findings_patch_has_the_lines_that_fix_writes(specint, copied: Path) -> None:
    file = copied / KUMO
    found = findings(specint, file)
    specint("fix", file)
    after = file.read_text()
    for one in found:
        lines = [line[1:] for line in one["patch"].splitlines() if line.startswith("+") and not line.startswith("+++")]
        assert "\n".join(lines).strip("\n") in after


def test_diff_is_what_git_takes_and_fix_does(specint, copied: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=copied.parent, check=True)
    original = (copied / KUMO).read_bytes()
    done = specint("fix", "--sglang", copied, "--diff", "--select", "E7701")
    assert (copied / KUMO).read_bytes() == original
    assert "would be fixed" in done.stderr
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=copied.parent, input=done.stdout, text=True, capture_output=True, check=False
    )
    assert applied.returncode == 0, applied.stderr
    by_patch = {path: path.read_bytes() for path in copied.rglob("*.py")}
    assert by_patch[copied / KUMO] != original
    (copied / KUMO).write_bytes(original)
    specint("fix", copied / KUMO, "--select", "E7701")
    assert (copied / KUMO).read_bytes() == by_patch[copied / KUMO]


def test_diff_in_a_subfolder_of_the_repository_applies_there_too(specint, copied: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=copied.parent, check=True)
    done = specint("fix", KUMO, "--diff", cwd=copied)
    for folder in (copied, copied.parent):
        checked = subprocess.run(
            ["git", "apply", "--check", "-"], cwd=folder, input=done.stdout, text=True, capture_output=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_base_is_fixed_once_for_its_heirs(specint, small: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(BASE_AND_HEIR)
    found = findings(specint, file, "--sglang", small)
    assert {one["class"].rpartition(".")[2] for one in found} == {"Base"}, "the heir is told with its parent"
    assert all("Heir inherits the gap" in one["message"] for one in found)
    done = specint("fix", file, "--sglang", small)
    assert done.returncode == 0, done.stdout + done.stderr
    text = file.read_text()
    assert methods(text, "Heir") == []
    assert {"get_embed_and_head", "set_eagle3_layers_to_capture"} <= set(methods(text, "Base"))
    assert findings(specint, file, "--sglang", small) == []


def test_arm_without_the_member_is_left_unless_asked_for(specint, copied: Path) -> None:
    file = copied / "srt/models/prism.py"
    before = file.read_text()
    done = specint("fix", file, "--select", "E7701")
    assert done.returncode == 1
    assert "get_embed_and_head only with --unsafe: BirchForCausalLM has no get_embed_and_head" in done.stdout
    assert "get_embed_and_head" not in methods(file.read_text(), "PrismChatModel")
    file.write_text(before)
    done = specint("fix", file, "--select", "E7701", "--unsafe")
    assert done.returncode == 0, done.stdout
    added = file.read_text()
    assert 'if not hasattr(self.language_model, "get_embed_and_head"):' in added
    assert "raise AttributeError(" in added


def test_what_has_no_edit_says_what_is_to_be_decided(specint, copied: Path) -> None:
    file = copied / "srt/models/birch.py"
    before = file.read_bytes()
    done = specint("fix", file)
    assert done.returncode == 1
    assert "E7702 BirchForCausalLM get_embed_and_head not fixed: " in done.stdout
    assert done.stdout.splitlines()[-1].endswith("left to you")
    assert file.read_bytes() == before


def test_pragma_keeps_a_finding_from_being_fixed(specint, copied: Path) -> None:
    file = copied / KUMO
    file.write_text(f"# pylint: disable=spec-missing-delegation\n{file.read_text()}")
    before = file.read_bytes()
    done = specint("fix", file)
    assert (done.returncode, done.stdout) == (0, "nothing to fix\n")
    assert file.read_bytes() == before


def test_read_only_file_stays_as_it_is_and_others_are_fixed(specint, copied: Path) -> None:
    kumo, quartz = copied / KUMO, copied / "srt/models/quartz_vl.py"
    before = kumo.read_bytes(), quartz.read_bytes()
    kumo.chmod(0o444)
    done = specint("fix", "--sglang", copied, "--select", "E7701")
    assert done.returncode == 1
    assert "not fixed: it is read-only" in done.stdout
    assert kumo.read_bytes() == before[0]
    assert stat.S_IMODE(kumo.stat().st_mode) == 0o444
    assert quartz.read_bytes() != before[1]


def test_wheel_is_never_written_but_diff_shows(specint, copied: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "sglang-0.0.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in copied.rglob("*.py"):
            archive.write(path, path.relative_to(tmp_path).as_posix())
        archive.writestr("sglang-0.0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: sglang\nVersion: 0.0.1\n")
    shutil.rmtree(copied)
    before = wheel.read_bytes()
    done = specint("fix", "--sglang", wheel)
    assert done.returncode == 2
    assert "inside a wheel" in done.stderr
    assert "--diff" in done.stderr
    assert "+    def get_embed_and_head(self):" in specint("fix", "--sglang", wheel, "--diff").stdout
    assert wheel.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"# coding: latin-1\n# \xe9\n" + data,
        lambda data: data.rstrip(b"\n"),
        lambda data: (
            data[: data.index(b"\n\nEntryClass")]
            .rstrip(b"\n")
            .replace(b"class KumoK2", b"EntryClass = 'KumoK2ForConditionalGeneration'\n\n\nclass KumoK2")
        ),
        lambda data: data.replace(b"    ", b"\t"),
        lambda data: data.replace(b"    ", b"  "),
    ],
    ids=["crlf", "byte-order mark", "coding line", "no newline at the end", "class last", "tabs", "two blanks"],
)
def test_form_of_the_file_survives_and_git_takes_the_patch(specint, copied: Path, change) -> None:
    file = copied / KUMO
    file.write_bytes(change(file.read_bytes()))
    if b"EntryClass = '" in file.read_bytes():
        other = copied / "srt/models/kumo_entry.py"
        name = "KumoK2ForConditionalGeneration"
        other.write_text(f"from sglang.srt.models.kumo_k2 import {name}\n\nEntryClass = {name}\n")
    before = file.read_bytes()
    subprocess.run(["git", "init", "-q"], cwd=copied.parent, check=True)
    patch = copied.parent / "fix.patch"
    specint("fix", file, "--diff", "--output", patch)
    done = specint("fix", file)
    assert done.returncode == 0, done.stdout + done.stderr
    after = file.read_bytes()
    compile(after, "kumo_k2.py", "exec")
    assert after.startswith(before[:200])
    assert after.endswith(b"\n") == before.endswith(b"\n")
    assert after.count(b"\r\n") == (after.count(b"\n") if b"\r" in before else 0)
    assert is_subsequence(
        before.decode("latin-1").splitlines(keepends=True), (after + b"\n").decode("latin-1").splitlines(keepends=True)
    ) or not before.endswith(b"\n")
    file.write_bytes(before)
    applied = subprocess.run(["git", "apply", patch], cwd=copied.parent, capture_output=True, text=True, check=False)
    assert applied.returncode == 0, applied.stderr
    assert file.read_bytes() == after
