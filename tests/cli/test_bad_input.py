"""What is wrong is one clear line on stderr, exit code 2, and nothing else is lost."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest


def complaint(done) -> str:
    """The one line of complaint of a run that could not do it."""
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("specint: error: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.parametrize("command", ["report", "check"])
def test_missing_path(specint, command: str) -> None:
    assert "no/such/place" in complaint(specint(command, "--sglang", "no/such/place"))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and then nothing", b"no zip at all"], ids=["empty", "cut", "text"])
def test_wheel_that_is_none(specint, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "sglang-9.9-py3-none-any.whl").write_bytes(data)
    done = specint("report", "--sglang", "sglang-9.9-py3-none-any.whl")
    assert "sglang-9.9-py3-none-any.whl" in complaint(done)
    assert done.stdout == ""


def test_unknown_release_and_no_network(specint) -> None:
    done = specint("report", "--sglang", "0.0.0", PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0")
    assert "0.0.0" in complaint(done)
    assert done.stdout == ""


def test_file_with_a_syntax_error_is_named_and_the_rest_is_checked(specint, copied: Path) -> None:
    (copied / "srt/models/oak.py").write_text("class Oak(nn.Module):\n    def (self:\n")
    done = specint("check", "--sglang", copied, "--format", "json")
    assert "srt/models/oak.py:2" in complaint(done)
    document = json.loads(done.stdout)
    assert [one["file"] for one in document["diagnostics"]] == ["sglang/srt/models/oak.py"]
    assert document["findings"], "what doesn't depend on the file is still found"


def test_worker_with_a_syntax_error_is_named(specint, copied: Path) -> None:
    (copied / "srt/speculative/ngram_worker.py").write_text("def f(:\n")
    assert "srt/speculative/ngram_worker.py:1" in complaint(specint("check", "--sglang", copied))


@pytest.mark.parametrize(
    ("head", "encoding"), [("# -*- coding: latin-1 -*-\n", "latin-1"), ("# coding: gbk\n", "gbk"), ("", "utf-8-sig")]
)
def test_model_file_in_another_encoding_is_read(specint, copied: Path, head: str, encoding: str) -> None:
    before = specint("report", "--sglang", copied, "--model", "KumoK2ForConditionalGeneration", "--format", "json")
    path = copied / "srt/models/kumo_k2.py"
    comment = "# 模型\n" if encoding == "gbk" else "# é\n"
    path.write_bytes((head + path.read_text() + comment).encode(encoding))
    after = specint("report", "--sglang", copied, "--model", "KumoK2ForConditionalGeneration", "--format", "json")
    assert (after.returncode, after.stderr) == (0, "")
    verdicts = [json.loads(one.stdout)["models"][0]["algorithms"] for one in (before, after)]
    assert verdicts[0] == verdicts[1]


def test_model_file_in_no_encoding_is_one_line(specint, copied: Path) -> None:
    path = copied / "srt/models/pine.py"
    path.write_bytes(path.read_bytes() + "# é\n".encode("latin-1"))
    done = specint("check", "--sglang", copied)
    assert "srt/models/pine.py" in complaint(done)
    assert "kumo_k2.py:16:0: E7701" in done.stdout


def test_cyclic_hierarchy_is_unknown_not_a_crash(specint, copied: Path) -> None:
    (copied / "srt/models/ring.py").write_text(
        "class A(B):\n    pass\n\n\nclass B(A):\n    pass\n\n\n"
        "class RingForCausalLM(A):\n    pass\n\n\nEntryClass = RingForCausalLM\n"
    )
    done = specint("report", "--sglang", copied, "--model", "RingForCausalLM", "--format", "json")
    assert done.returncode == 0, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    assert model["members"]["get_embed_and_head"]["status"] == "unknown"
    assert "inherits from itself" in model["members"]["get_embed_and_head"]["reason"]


def test_tree_without_workers_is_an_error_not_a_clean_run(specint, copied: Path) -> None:
    shutil.rmtree(copied / "srt/speculative")
    done = specint("check", "--sglang", copied)
    assert "this SGLang has no speculative decoding" in complaint(done)
    assert done.stdout == ""


def test_workers_that_ask_nothing_are_an_error_not_a_clean_run(specint, copied: Path) -> None:
    for path in (copied / "srt/speculative").glob("*_worker*.py"):
        path.write_text(path.read_text().replace("target_worker.model_runner", "target_worker.something"))
    (copied / "srt/model_executor/aux_capture.py").write_text("def switch_on_capture(**how): ...\n")
    (copied / "srt/model_executor/graph_runner.py").write_text("")
    done = specint("check", "--sglang", copied)
    assert "no speculative worker of this tree asks anything" in complaint(done)


def test_tree_without_models_is_an_error_not_a_clean_run(specint, copied: Path) -> None:
    for path in (copied / "srt/models").glob("*.py"):
        path.write_text(path.read_text().replace("EntryClass", "Entry"))
    assert "EntryClass" in complaint(specint("check", "--sglang", copied))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_cache_is_a_warning_and_the_answer_is_the_same(specint, small: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o555)
    done = specint("check", "--sglang", small, SPECINT_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert "kumo_k2.py:16:0: E7701" in done.stdout


def test_cache_that_is_a_file_is_a_warning_and_the_answer_is_the_same(specint, small: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a folder")
    done = specint("check", "--sglang", small, SPECINT_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 1, done.stderr
    assert "kumo_k2.py:16:0: E7701" in done.stdout
    assert done.stderr.startswith(f"specint: warning: {tmp_path / 'cache'}: the cache can't be written: ")
    assert done.stderr.count("\n") == 1
    as_json = ("report", "--sglang", small, "--format", "json")
    document = specint(*as_json, SPECINT_CACHE_DIR=str(tmp_path / "cache")).stdout
    assert document == specint(*as_json).stdout, "the cache is not the document's affair"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.specint\n", "pyproject.toml"),
        ("[tool.specint]\nsglnag = '0.5.9'\n", "did you mean sglang"),
        ("[tool.specint]\nselect = 3\n", "select"),
    ],
    ids=["no toml", "unknown key", "wrong type"],
)
def test_broken_pyproject(specint, small: Path, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert said in complaint(specint("check", "--sglang", small))
