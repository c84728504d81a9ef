"""The gate as CI runs it: baseline, what has changed, what fails, pragmas, several formats at once."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

KUMO = "sglang.srt.models.kumo_k2.KumoK2ForConditionalGeneration"
QUARTZ = "sglang.srt.models.quartz_vl.QuartzVLForConditionalGeneration"
ONE_RULE = ("check", "--sglang", "sglang", "--select", "E7701")
QUARTZ_MOE = "sglang.srt.models.quartz_vl_moe.QuartzVLMoeForConditionalGeneration"


def findings(done: subprocess.CompletedProcess[str]) -> list[dict]:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["findings"]


def classes(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {one["class"] for one in findings(done)}


def delegate(folder: Path, member: str = "get_embed_and_head") -> None:
    """Mend one finding of Kumo."""
    file = folder / "srt/models/kumo_k2.py"
    text = file.read_text()
    method = f"    def {member}(self):\n        return self.language_model.{member}()\n\n"
    changed = text.replace("    def get_image_feature", f"{method}    def get_image_feature", 1)
    assert changed != text
    file.write_text(changed)


# -- baseline ----------------------------------------------------------------------------------------------------------


def test_baseline_hides_what_is_known_and_nothing_else(specint, copied: Path, tmp_path: Path) -> None:
    everything = findings(specint("check", "sglang", "--format", "json"))
    made = specint("check", "sglang", "--baseline", "known", "--update-baseline")
    assert (made.returncode, made.stdout) == (
        0,
        f"known: {len(everything)} in the baseline ({len(everything)} added, 0 taken out)\n",
    )
    lines = (tmp_path / "known").read_text().splitlines()
    assert lines[0] == '{"schema": "specint.baseline/1"}'
    assert lines[1:] == sorted(lines[1:])
    clean = specint("check", "sglang", "--baseline", "known")
    assert clean.returncode == 0, clean.stderr
    assert clean.stdout.splitlines()[-1] == f"0 new, {len(everything)} in the baseline, 0 fixed since"

    # Edits that mend nothing change nothing.
    file = copied / "srt/models/kumo_k2.py"
    file.write_text("# moved\n" * 5 + file.read_text())
    assert specint("check", "sglang", "--baseline", "known").returncode == 0

    (tmp_path / "known").write_text("\n".join(line for line in lines if "kumo" not in line) + "\n")
    new = specint("check", "sglang", "--baseline", "known", "--format", "json")
    assert new.returncode == 1
    assert classes(new) == {KUMO}
    assert json.loads(new.stdout)["baseline"]["new"] == len(findings(new))


def test_stale_entry_is_an_error_that_says_how_to_prune(specint, copied: Path, tmp_path: Path) -> None:
    specint(*ONE_RULE, "--baseline", "known", "--update-baseline")
    delegate(copied)
    done = specint(*ONE_RULE, "--baseline", "known")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("in the baseline, 1 fixed since")
    assert done.stderr == (
        "specint: error: known: 1 finding is no longer there: spec-missing-delegation KumoK2ForConditionalGeneration "
        "get_embed_and_head (the same command with --update-baseline takes them out)\n"
    )
    assert specint(*ONE_RULE, "--baseline", "known", "--exit-zero").returncode == 0
    pruned = specint(*ONE_RULE, "--baseline", "known", "--update-baseline")
    assert pruned.stdout.endswith("(0 added, 1 taken out)\n")
    assert specint(*ONE_RULE, "--baseline", "known").returncode == 0


def test_limited_run_judges_and_prunes_only_what_it_looks_at(specint, copied: Path, tmp_path: Path) -> None:
    specint("check", "sglang", "--baseline", "known", "--update-baseline")
    before = (tmp_path / "known").read_text()
    delegate(copied)
    other = "sglang/srt/models/quartz_vl.py"
    assert specint("check", other, "--baseline", "known").returncode == 0
    assert specint("check", "sglang", "--select", "E7702", "--baseline", "known").returncode == 0
    assert specint("check", "--sglang", "sglang", "--model", KUMO, "--baseline", "known").returncode == 1
    specint("check", other, "--baseline", "known", "--update-baseline")
    assert (tmp_path / "known").read_text() == before
    specint("check", "sglang/srt/models/kumo_k2.py", "--baseline", "known", "--update-baseline")
    assert (tmp_path / "known").read_text().count("\n") == before.count("\n") - 1


def test_class_that_is_gone_from_a_folder_of_ones_own_is_stale(specint, small: Path, tmp_path: Path) -> None:
    text = (
        "from torch import nn\nfrom sglang.srt.models.oak import OakForCausalLM\n\n"
        "class {0}(nn.Module):\n    def __init__(self, config):\n        super().__init__()\n"
        "        self.language_model = OakForCausalLM(config)\n\nEntryClass = {0}\n"
    )
    (tmp_path / "mine").mkdir()
    for name in ("One", "Two"):
        (tmp_path / "mine" / f"{name.lower()}.py").write_text(text.format(name))
    run = ("check", "mine", "--sglang", small, "--baseline", "known")
    specint(*run, "--update-baseline")
    assert specint(*run).returncode == 0
    assert specint("check", "mine/one.py", *run[2:]).returncode == 0
    (tmp_path / "mine" / "two.py").unlink()
    assert specint("check", "mine/one.py", *run[2:]).returncode == 0, "a single file says nothing about the others"
    done = specint(*run)
    assert done.returncode == 1
    assert "Two" in done.stderr


def test_baseline_is_named_by_the_configuration_too(specint, copied: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.specint]\nsglang = "sglang"\nbaseline = "known"\n')
    (tmp_path / "below").mkdir()
    assert specint("check", "--update-baseline", cwd=tmp_path / "below").returncode == 0
    assert specint("check", cwd=tmp_path / "below").returncode == 0


def test_baseline_that_cannot_be_used_is_an_error(specint, copied: Path, tmp_path: Path) -> None:
    (tmp_path / "newer").write_text('{"schema": "specint.baseline/9"}\n')
    for arguments, complaint in (
        (["--baseline", "newer"], "newer: is a baseline of version 9"),
        (["--baseline", "newer", "--update-baseline"], "newer: is a baseline of version 9"),
        (["--baseline", "absent"], "absent: no such baseline"),
        (["--update-baseline"], "name it with --baseline FILE"),
    ):
        done = specint("check", "sglang", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert complaint in done.stderr


def test_baseline_is_not_written_from_what_was_read_in_part(specint, copied: Path, tmp_path: Path) -> None:
    (copied / "srt/models/quartz_vl.py").write_text("class Quartz(:\n")
    done = specint("check", "sglang", "--baseline", "known", "--update-baseline")
    assert done.returncode == 2
    assert not (tmp_path / "known").exists()


# -- what has changed --------------------------------------------------------------------------------------------------


HEIR = """
from torch import nn

from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.models.quartz_vl import QuartzVLForConditionalGeneration


class QuartzVLMoeForConditionalGeneration(QuartzVLForConditionalGeneration):
    def __init__(self, config, quant_config=None, prefix=""):
        nn.Module.__init__(self)
        self.text_model = OakForCausalLM(config, quant_config)


EntryClass = QuartzVLMoeForConditionalGeneration
"""


@pytest.fixture
def repository(copied: Path, tmp_path: Path):
    """The small SGLang under git; `git(...)` runs it there."""

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    (copied / "srt/models/quartz_vl_moe.py").write_text(HEIR)  # an heir whose gap is its own
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "all")
    return git


def since(specint, reference: str, *more: object, **options) -> subprocess.CompletedProcess[str]:
    return specint(*ONE_RULE, "--format", "json", "--changed-since", reference, *more, **options)


def append(file: Path, text: str = "\n# changed\n") -> None:
    file.write_text(file.read_text() + text)


def test_nothing_changed_nothing_found(specint, repository) -> None:
    done = since(specint, "HEAD")
    assert (done.returncode, findings(done)) == (0, [])


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        ("models/kumo_k2.py", {KUMO}),
        ("models/quartz_vl.py", {QUARTZ, QUARTZ_MOE}),  # the second is a subclass of the first
        ("models/mirage.py", set()),
        ("configs/model_config.py", set()),
    ],
)
def test_change_touches_the_class_and_its_subclasses(specint, repository, copied, changed, touched) -> None:
    append(copied / "srt" / changed)
    assert classes(since(specint, "HEAD")) == touched
    repository("commit", "-qam", "change")
    assert classes(since(specint, "HEAD~1")) == touched
    assert classes(since(specint, "HEAD")) == set()


def test_change_of_an_inner_model_touches_its_wrappers(specint, repository, copied: Path) -> None:
    append(copied / "srt/models/oak.py")
    assert {KUMO, QUARTZ} <= classes(since(specint, "HEAD"))


def test_change_of_a_worker_touches_what_it_asks_for(specint, repository, copied: Path) -> None:
    append(copied / "srt/speculative/target_access.py")
    members = {one["member"] for one in findings(since(specint, "HEAD"))}
    assert "get_embed_and_head" in members
    assert "set_eagle3_layers_to_capture" not in members, "another file asks for it"


def test_change_of_what_decides_about_workers_touches_all(specint, repository, copied: Path) -> None:
    everything = findings(specint(*ONE_RULE, "--format", "json"))
    append(copied / "srt/speculative/spec_info.py")
    assert findings(since(specint, "HEAD")) == everything


def test_untracked_and_staged_files_count_and_ignored_ones_do_not(specint, repository, copied: Path) -> None:
    text = (copied / "srt/models/quartz_vl.py").read_text()
    new = copied / "srt/models/new wräpper.py".replace(" ", "_")
    new.write_text(text.replace("QuartzVL", "NewVL"))
    found = {name.rpartition(".")[2] for name in classes(since(specint, "HEAD"))}
    assert found == {"NewVLForConditionalGeneration"}
    repository("add", ".")
    assert {name.rpartition(".")[2] for name in classes(since(specint, "HEAD"))} == found
    repository("rm", "-q", "--cached", str(new))
    (copied.parent / ".gitignore").write_text("new*\n")
    assert classes(since(specint, "HEAD")) == set()


def test_parent_that_is_deleted_or_renamed_touches_its_subclasses(specint, repository, copied: Path) -> None:
    parent, child = copied / "srt/models/quartz_vl.py", copied / "srt/models/quartz_vl_moe.py"
    parent.rename(copied / "srt/models/quartz2.py")
    child.write_text(child.read_text().replace("quartz_vl import", "quartz2 import"))
    repository("add", ".")
    repository("commit", "-qm", "rename")
    assert QUARTZ_MOE in classes(since(specint, "HEAD~1"))


def test_what_others_did_meanwhile_is_no_change_of_ours(specint, repository, copied: Path) -> None:
    repository("switch", "-qc", "ours")
    append(copied / "srt/models/quartz_vl_moe.py")
    repository("commit", "-qam", "ours")
    repository("switch", "-q", "main")
    append(copied / "srt/models/kumo_k2.py")
    repository("commit", "-qam", "theirs")
    repository("switch", "-q", "ours")
    assert classes(since(specint, "main")) == {QUARTZ_MOE}


def test_works_from_a_folder_below_and_in_a_hook(specint, repository, copied: Path, tmp_path: Path) -> None:
    append(copied / "srt/models/kumo_k2.py")
    below = specint("check", copied, "--format", "json", "--changed-since", "HEAD", cwd=copied / "srt")
    assert classes(below) == {KUMO}
    # git sets these for hooks; they name another repository's here.
    hook = since(specint, "HEAD", GIT_DIR=str(tmp_path / "nowhere"), GIT_INDEX_FILE=str(tmp_path / "none"))
    assert classes(hook) == {KUMO}


def test_reference_that_git_does_not_know_is_an_error(specint, repository) -> None:
    for reference in ("v99", "--output=x", ""):
        done = since(specint, f"{reference}") if reference else since(specint, "no such")
        assert (done.returncode, done.stdout) == (2, ""), reference
        assert "--changed-since: git knows no commit" in done.stderr


def test_outside_a_repository_there_is_nothing_to_compare_with(specint, copied: Path) -> None:
    done = since(specint, "HEAD")
    assert done.returncode == 2
    assert "outside a git repository" in done.stderr


def test_baseline_and_changes_go_together(specint, repository, copied: Path) -> None:
    specint(*ONE_RULE, "--baseline", "known", "--update-baseline")
    delegate(copied)
    done = since(specint, "HEAD", "--baseline", "known", "--format", "text")
    assert re.fullmatch(r"0 new, [1-9] in the baseline, 1 fixed since", done.stdout.splitlines()[-1])
    assert done.returncode == 1


# -- what fails --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ("E7702", 0),
        ("E7701", 1),
        ("spec-missing-delegation,E7702", 1),
        ("error", 1),
        ("fatal", 0),
        ("info", 1),
        ("never", 0),
    ],
)
def test_fail_on_chooses_what_fails_and_hides_nothing(specint, small: Path, fail_on: str, code: int) -> None:
    file = small / "srt/models/kumo_k2.py"
    done = specint("check", file, "--fail-on", fail_on, "--format", "json")
    assert done.returncode == code
    assert findings(done)


def test_fail_on_with_a_rule_that_is_none_is_an_error(specint, small: Path) -> None:
    done = specint("check", "--sglang", small, "--fail-on", "spec-missing-delegatoin")
    assert done.returncode == 2
    assert "--fail-on: no rule is called" in done.stderr
    assert "did you mean spec-missing-delegation" in done.stderr


# -- pragmas -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pragma", ["spec-missing-delegation", "E7701", "all"])
def test_pragma_on_the_class_or_the_file_silences_the_finding(specint, copied: Path, pragma: str) -> None:
    file = copied / "srt/models/kumo_k2.py"
    text = file.read_text()
    head = next(line for line in text.splitlines() if line.startswith("class KumoK2"))
    for changed in (
        text.replace(head, f"{head}  # pylint: disable={pragma}"),
        f"# pylint: disable={pragma}\n{text}",
        text.replace(head, f"{head}\n    # pylint: disable={pragma}"),
    ):
        file.write_text(changed)
        done = specint("check", file, "--format", "json")
        assert (done.returncode, findings(done)) == (0, [])


def test_pragma_that_silences_nothing_is_reported(specint, copied: Path) -> None:
    file = copied / "srt/models/oak.py"
    file.write_text(f"# pylint: disable=spec-missing-delegation\n{file.read_text()}")
    done = specint("check", file)
    assert done.returncode == 1
    assert "sglang/srt/models/oak.py:1:0: W7719 nothing to suppress here: spec-missing-delegation" in done.stdout
    assert specint("check", file, "--ignore", "W7719").returncode == 0
    assert specint("check", file, "--fail-on", "error").returncode == 0


def test_pragma_for_a_rule_that_is_not_selected_is_not_useless(specint, copied: Path) -> None:
    file = copied / "srt/models/kumo_k2.py"
    file.write_text(f"# pylint: disable=spec-missing-delegation\n{file.read_text()}")
    assert specint("check", file, "--select", "E7702,W7719").stdout.startswith("no findings")
    assert "W7719" not in specint("check", "--sglang", copied, "--algorithm", "NGRAM").stdout


def test_demand_is_silenced_as_well(specint, copied: Path) -> None:
    file = copied / "srt/models/pine.py"
    run = ("check", "--sglang", copied, "--model", "PineForCausalLM", "--algorithm", "EAGLE3")
    assert specint(*run).returncode == 1
    file.write_text(f"# pylint: disable=spec-unsupported-algorithm\n{file.read_text()}")
    assert specint(*run).returncode == 0
    assert specint("check", file).returncode == 0, "nobody demands it here, and that makes no pragma useless"


# -- formats -----------------------------------------------------------------------------------------------------------


def test_one_run_writes_several_formats(specint, copied: Path, tmp_path: Path) -> None:
    done = specint("check", "sglang", "--format", "github", "--also", "sarif:a.sarif", "--also", "junit:b.xml")
    assert done.returncode == 1
    assert "::error file=sglang/srt/models/kumo_k2.py,line=16,col=1,title=E7701" in done.stdout
    results = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    failures = xml.parse(tmp_path / "b.xml").getroot().get("failures")
    annotations = re.findall("^::(error|warning|notice) ", done.stdout, re.MULTILINE)
    assert len(results) == int(failures) == len(annotations)
    wrong = specint("check", "sglang", "--also", "srif:a")
    assert wrong.returncode == 2
    assert "--also: `srif:a` is not FORMAT:FILE" in wrong.stderr


def test_paths_in_reports_are_relative_to_the_repository(specint, repository, copied: Path) -> None:
    done = specint("check", ".", "--format", "github", cwd=copied / "srt")
    assert "::error file=sglang/srt/models/kumo_k2.py," in done.stdout
    text = specint("check", ".", cwd=copied / "srt")
    assert "\nmodels/kumo_k2.py:16:0: " in text.stdout


def test_fixes_and_patches_do_the_same_to_the_file(specint, copied: Path, tmp_path: Path) -> None:
    document = json.loads(specint("check", "sglang", "--format", "sarif").stdout)
    fixes = [one["fixes"][0] for one in document["runs"][0]["results"] if "fixes" in one]
    assert fixes
    for fix in fixes:
        (change,) = fix["artifactChanges"]
        text = (tmp_path / change["artifactLocation"]["uri"]).read_text().splitlines(keepends=True)
        (one,) = change["replacements"]
        line = one["deletedRegion"]["startLine"]
        text.insert(line - 1, one["insertedContent"]["text"])
        compile("".join(text), "patched", "exec")


@pytest.mark.release
def test_release_in_a_wheel_has_places_that_a_report_can_name(specint, release_wheel, tmp_path: Path) -> None:
    done = specint("check", "--sglang", release_wheel("0.5.9"), "--format", "sarif", "--also", "gitlab:quality.json")
    run = json.loads(done.stdout)["runs"][0]
    places = [
        where["physicalLocation"]["artifactLocation"]
        for result in run["results"]
        for where in (*result["locations"], *result["relatedLocations"])
    ]
    assert run["results"]
    assert {place["uriBaseId"] for place in places} == {"SGLANG"}
    assert all(place["uri"].startswith("sglang/srt/") for place in places)
    marks = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(marks)) == len(marks) == len(json.loads((tmp_path / "quality.json").read_text()))
    assert not [result for result in run["results"] if result["ruleId"] == "W7719"]
