"""Code that nobody vetted, through the real command: one clear line or the usual answer, and the rest is checked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from specint.facts.store import Store

HEAD = "import torch.nn as nn\n"
FOUND = "kumo_k2.py:16:0: E7701"
"""What is found in the small SGLang whatever else lies in it."""


def model(*, before: str = "", base: str = "nn.Module", init: str = "pass", body: str = "") -> str:
    """A module with one registered class, around what is hostile."""
    return (
        f"{HEAD}{before}\nclass Nasty({base}):\n    def __init__(self, config):\n        super().__init__()\n"
        f"        {init}\n{body}\n\nEntryClass = Nasty\n"
    )


def only_complaint(done) -> str:
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("specint: error: "))
    assert line.isprintable()
    return line


def usual(done) -> None:
    assert (done.returncode, done.stderr) == (1, "")
    assert FOUND in done.stdout


CHAINS = {
    "calls in expressions": model(
        before="".join(f"def f{i}(x):\n    return {'[' * 35}f{i + 1}(x){']' * 35}\n" for i in range(60)),
        init="self.model = f0(self)",
    ),
    "conditional expressions": model(
        before="".join(f"def f{i}(x):\n    return {'(a if b else ' * 35}f{i + 1}(x){')' * 35}\n" for i in range(60)),
        init="self.model = f0(self)",
    ),
    "methods": model(
        init="self.m0()", body="".join(f"    def m{i}(self):\n        self.m{i + 1}()\n" for i in range(1000))
    ),
    "forwards": model(
        body="    def forward(self, x):\n        return self.m0(x)\n"
        + "".join(f"    def m{i}(self, x):\n        return self.m{i + 1}(x)\n" for i in range(1000))
    ),
    "bases": model(
        before="class B0(nn.Module): ...\n" + "".join(f"class B{i + 1}(B{i}): ...\n" for i in range(3000)), base="B3000"
    ),
    "many bases": model(
        before="".join(f"class B{i}(nn.Module): ...\n" for i in range(3000)),
        base=", ".join(f"B{i}" for i in range(3000)),
    ),
    "diamonds": model(
        before="class B0(nn.Module): ...\nclass C0(nn.Module): ...\n"
        + "".join(f"class B{i + 1}(B{i}, C{i}): ...\nclass C{i + 1}(B{i}, C{i}): ...\n" for i in range(60)),
        base="B60",
    ),
    "inner models": model(
        before="".join(
            f"class H{i}(nn.Module):\n    def __init__(self, c):\n        self.model = H{i + 1}(c)\n"
            "    def get_embed_and_head(self):\n        return self.model.get_embed_and_head()\n"
            for i in range(300)
        ),
        init="self.language_model = H0(config)",
    ),
    "names": model(init="x0 = self\n" + "".join(f"        x{i + 1} = x{i}\n" for i in range(3000))),
    "itself": model(before="def f(x): return f((x,))\n", init="self.model = f(self)"),
    "stars": model(
        before="from sglang.srt.models.oak import *\n" * 20_000,
        init="".join(f"self.a{i} = U{i}(config)\n        " for i in range(3000)) + "pass",
    ),
    "a metaclass": model(
        before="class M(type):\n    def __getattr__(cls, name): return 1\n", base="nn.Module, metaclass=M"
    ),
}


@pytest.mark.parametrize("text", CHAINS.values(), ids=CHAINS)
def test_what_leads_on_and_on_is_followed_or_unknown(specint, copied: Path, text: str) -> None:
    (copied / "srt/models/nasty.py").write_text(text)
    usual(specint("check", "--sglang", copied))


@pytest.mark.parametrize("how", ["from sglang.srt.models.c{} import Base\n", "from sglang.srt.models.c{} import *\n"])
def test_imports_through_hundreds_of_modules(specint, copied: Path, how: str) -> None:
    models = copied / "srt/models"
    for number in range(400):
        (models / f"c{number}.py").write_text(how.format(number + 1))
    (models / "c400.py").write_text(f"{HEAD}class Base(nn.Module): ...\n")
    (models / "nasty.py").write_text(model(before=how.format(0), base="Base"))
    done = specint("report", "--sglang", copied, "--model", "Nasty", "--format", "json")
    (one,) = json.loads(done.stdout)["models"]
    assert one["mro"][-2:] == ["sglang.srt.models.c400.Base", "torch.nn.Module"]


def test_a_class_that_leads_on_for_too_long_is_named_and_the_others_are_judged(specint, copied: Path) -> None:
    text = model(
        init="self.m0()", body="".join(f"    def m{i}(self):\n        self.m{i + 1}()\n" for i in range(20_000))
    )
    (copied / "srt/models/nasty.py").write_text(text)
    done = specint("check", "--sglang", copied)
    assert "srt/models/nasty.py:3: Nasty was not judged: its chain of calls" in only_complaint(done)
    assert FOUND in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "not " * 50_000 + "a", "nested too deeply"),
        ("x = a" + ".b" * 200, "nasty.py:1: has an expression of more than 100 levels"),
        ("a\n" * 600_000, "more than 500,000 words"),
        ("# " + "x" * (50 << 20), "larger than 4 MiB"),
        ("x = '\0'", "null bytes"),
        ("# coding: no-such\n", "no-such"),
        ("# coding: rot13\n", "rot13"),
        ("def f(:", "nasty.py:1:6: does not parse"),
    ],
    ids=["deep", "deeper than we go", "words", "50 MB", "NUL", "no encoding", "no encoding of texts", "syntax"],
)
def test_a_file_that_cannot_be_read_is_one_line(specint, copied: Path, text: str, said: str) -> None:
    (copied / "srt/models/nasty.py").write_text(text)
    done = specint("check", "--sglang", copied)
    assert said in only_complaint(done)
    assert FOUND in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="no pipes, devices and links in folders")
def test_what_is_no_file_does_not_stop_or_hang_anything(specint, copied: Path) -> None:
    models = copied / "srt/models"
    os.mkfifo(models / "pipe.py")
    (models / "folder.py").mkdir()
    (models / "nowhere.py").symlink_to("/no/such/file")
    (models / "itself.py").symlink_to("itself.py")
    (models / "endless.py").symlink_to("/dev/zero")
    (models / "round").symlink_to(models, target_is_directory=True)
    (models / "up").symlink_to(copied.parent, target_is_directory=True)
    usual(specint("check", "--sglang", copied))


@pytest.mark.skipif(os.name == "nt", reason="no such names")
@pytest.mark.parametrize("form", ["text", "github", "markdown", "junit", "gitlab", "sarif", "json"])
def test_a_file_name_cannot_speak_to_ci_or_a_terminal(specint, copied: Path, form: str) -> None:
    kumo = (copied / "srt/models/kumo_k2.py").read_text()
    (copied / "srt/models/evil\n::error ::pwned\x1b[2J.py").write_text(kumo)
    (copied / "srt/models/odd`|<img src=x>%0A.py").write_text("def (:\n")
    done = specint("check", "--sglang", copied, "--format", form)
    assert done.returncode == 2
    assert not [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("::error ::pwned")]
    assert "\x1b" not in done.stdout + done.stderr
    assert "evil\\n::error ::pwned\\x1b[2J.py" in done.stderr


PRAGMA = "# pylint: disable=spec-missing-delegation"


@pytest.mark.parametrize(
    "text",
    [
        "x = a" + ".b" * 5000,
        "x = a" + "()" * 5000,
        "x = a" + "[0]" * 5000,
        "x = a" + " + a" * 60_000,
        "async def f():\n    " + "await " * 3000 + "a",
        f"match a:\n    case {'[' * 3000}a{']' * 3000}: pass",
        "x = " + "f'{" * 90 + "a" + "}'" * 90,
        "x = '\\d'\ny: '1 is 1' = 1",
        "class A[T: int]: pass\ntype X[T] = list[T]",
        "if a:\n        b\n    c\n",
        "a\n" * 600_000,
        f"{PRAGMA}\n" * 60_000,
        "def f():\n" + f"    a  {PRAGMA}\n" * 900,
    ],
    ids=[
        *("attributes", "calls", "subscripts", "sums", "await", "patterns", "f-strings", "warnings", "type parameters"),
        *("a dedent to nowhere", "words", "60,000 pragmas", "900 pragmas"),
    ],
)
@pytest.mark.parametrize("flags", [(), ("-W", "error")], ids=["as usual", "warnings are errors"])
def test_a_pragma_in_a_file_that_is_hard_to_read_costs_that_file_alone(
    copied: Path, clean_environment, text: str, flags: tuple[str, ...]
) -> None:
    (copied / "srt/models/nasty.py").write_text(f"{model(before=PRAGMA)}\n{PRAGMA}\n{text}\n{PRAGMA}\n")
    done = subprocess.run(
        [sys.executable, *flags, "-m", "specint", "check", "--sglang", str(copied), str(copied / "srt/models")],
        env=clean_environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert FOUND in done.stdout
    assert "Warning" not in done.stderr
    if done.returncode == 1:
        assert done.stderr == ""
    else:
        assert "srt/models/nasty.py" in only_complaint(done)


ESSENTIAL = ("speculative/spec_info.py", "model_executor/model_runner.py", "managers/tp_worker.py")


@pytest.mark.parametrize("file", ESSENTIAL)
@pytest.mark.parametrize(
    ("text", "place"), [("x = 1\ndef f(:\n", ":2:6: "), ("\0", ":"), ("x = " + "-" * 50_000 + "a", ": ")]
)
def test_an_essential_file_that_cannot_be_read_is_named(
    specint, copied: Path, file: str, text: str, place: str
) -> None:
    (copied / "srt" / file).write_text(text)
    for command in ("check", "report", "contract"):
        assert f"sglang/srt/{file}{place}" in only_complaint(specint(command, "--sglang", copied))


FOREIGN = ["a\x1b[2Jb", "a\n::error ::pwned", "::error ::pwned", "##[error]pwned", "a\x9bb", "a\u202eb", "a\ud800b"]
"""Names that are more than names to a terminal, or to a CI server that reads its log."""
FORMS = ("text", "json", "github", "markdown", "sarif", "junit", "gitlab")


def steers_nothing(done, form: str = "text") -> None:
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    for text in (done.stdout, done.stderr):
        assert {sign for sign in text if not sign.isprintable()} <= {"\n", "\t"}
        assert "##[" not in text
        assert form == "github" or not [line for line in text.splitlines() if line.strip().startswith("::")]
    if form == "junit":
        ElementTree.fromstring(done.stdout)
    if form in ("json", "sarif", "gitlab"):
        json.loads(done.stdout)


@pytest.mark.skipif(os.name == "nt", reason="no such names")
@pytest.mark.parametrize("name", ["esc\x1b[2J", "new\n::error ::pwned", "no\udcff utf-8", "right\u202eleft"], ids=ascii)
def test_a_folder_name_cannot_speak_either(specint, copied: Path, name: str) -> None:
    odd = copied / "srt/models" / name
    odd.mkdir()
    (odd / "nasty.py").write_text(model())
    (copied.parent / "own").mkdir()
    shutil.move(shutil.copytree(odd, copied.parent / "x"), copied.parent / "own" / name)
    shutil.copytree(copied, copied.parent / name / "sglang")
    for form in FORMS:
        done = specint("check", "--sglang", copied, "--format", form)
        steers_nothing(done, form)
        assert "a folder here has a name that can't be printed" in done.stderr
    for arguments in (("--sglang", copied, f"own/{name}"), ("--sglang", f"{name}/sglang"), ("--sglang", copied, ".")):
        steers_nothing(specint("check", *arguments))
    steers_nothing(specint("check", "--sglang", "sglang", cwd=copied.parent / name))


@pytest.mark.parametrize("name", ["::error ::pwned", "##[error]pwned"])
def test_a_printable_name_of_an_own_folder_starts_no_line_with_a_command(specint, copied: Path, name: str) -> None:
    kumo = (copied / "srt/models/kumo_k2.py").read_text()
    (copied.parent / name).mkdir()
    (copied.parent / name / "nasty.py").write_text(kumo)
    for form in ("text", "markdown", "junit"):
        done = specint("check", "--sglang", "sglang", "--format", form, name)
        assert done.returncode == 1
        steers_nothing(done, form)


def foreign_texts(tree: Path, text: str) -> None:
    """Puts a text where code has names that come out again: an algorithm, a member, a condition, a registered model."""
    with (tree / "srt/speculative/spec_info.py").open("a") as file:
        file.write(
            "\nfrom sglang.srt.speculative.eagle_worker import EAGLEWorker\n"
            f"@SpeculativeAlgorithm.register({text!r})\ndef _made(server_args):\n    return EAGLEWorker\n"
        )
    with (tree / "srt/models/registry.py").open("a") as file:
        file.write(
            f"\nfrom sglang.srt.models.oak import OakForCausalLM\nModelRegistry.models[{text!r}] = OakForCausalLM\n"
        )
    (tree / "srt/speculative/nasty_worker.py").write_text(
        "class NastyWorker:\n    def __init__(self, target_worker):\n        self.target_worker = target_worker\n"
        "    def run(self):\n        model = self.target_worker.model_runner.model\n"
        f"        if self.mode == {text!r}:\n            model.get_nasty({text!r}, getattr(model, {text!r}))\n"
    )
    (tree / "srt/models/nasty.py").write_text(model(init=f"setattr(self, {text!r}, nn.Linear(1, 1))"))


@pytest.mark.parametrize("text", FOREIGN, ids=ascii)
def test_a_text_of_the_code_cannot_speak_to_ci_or_a_terminal(specint, copied: Path, text: str) -> None:
    foreign_texts(copied, text)
    for form in ("text", "json", "junit"):
        steers_nothing(specint("check", "--sglang", copied, "--format", form), form)
    steers_nothing(specint("contract", "--sglang", copied))
    steers_nothing(specint("contract", "--sglang", copied, "--format", "markdown"), "markdown")
    steers_nothing(specint("report", "--sglang", copied, "--format", "json"), "json")
    steers_nothing(specint("report", "--sglang", copied, "--format", "html"), "html")
    for form in ("mermaid", "dot", "svg"):
        steers_nothing(specint("graph", "--sglang", copied, "Nasty", "--format", form))
    steers_nothing(specint("explain", "--sglang", copied, "Nasty"))


def test_a_diff_that_holds_more_than_text_is_not_printed_and_can_be_written(
    specint, copied: Path, tmp_path: Path
) -> None:
    kumo = copied / "srt/models/kumo_k2.py"
    kumo.write_text(_with_escape(kumo))
    done = specint("fix", "--sglang", copied, "--diff", "--model", "KumoK2ForConditionalGeneration")
    assert "-o FILE writes the diff to a file" in only_complaint(done)
    assert "\x1b" not in done.stdout + done.stderr
    done = specint(
        "fix", "--sglang", copied, "--diff", "--model", "KumoK2ForConditionalGeneration", "-o", tmp_path / "d"
    )
    assert b"\x1b[2J" in (tmp_path / "d").read_bytes()


def _with_escape(path: Path) -> str:
    """The file with an escape in the last line of its class, which a diff shows around what it adds."""
    lines = path.read_text().split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("EntryClass"))
    while not lines[at - 1].strip():
        at -= 1
    lines[at - 1] += "  # \x1b[2J"
    return "\n".join(lines)


# -- streams -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no bash, or no device that is always full")
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        (">&-", 2, "Bad file descriptor"),
        ("2>&-", 1, ""),
        (">&- 2>&-", 2, ""),
        ("<&- >&- 2>&-", 2, ""),
        ("<&-", 1, ""),
        ("1</dev/null", 2, "Bad file descriptor"),
        ("2</dev/null", 1, ""),
        ("2>/dev/full", 1, ""),
        (">/dev/full 2>&1", 2, ""),
        ("-o out >&-", 1, ""),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_stream_that_is_closed_or_full_is_one_line_and_the_code_of_the_docs(
    small: Path, clean_environment, tmp_path: Path, streams: str, code: int, said: str, form: str
) -> None:
    command = f"{sys.executable} -m specint check --sglang {small} --format {form} {streams}"
    done = subprocess.run(["bash", "-c", command], env=clean_environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    if said:
        assert said in only_complaint(done)
    else:
        assert done.stderr == ""
    if streams.startswith("-o"):
        assert (tmp_path / "out").stat().st_size > 1000


@pytest.mark.skipif(os.name == "nt", reason="no bash")
def test_an_error_that_nobody_can_read_is_an_error_all_the_same(clean_environment, tmp_path: Path) -> None:
    for streams in ("2>&-", "2>/dev/full", ">&- 2>&-"):
        command = f"{sys.executable} -m specint check --sglang no/such {streams}"
        done = subprocess.run(["bash", "-c", command], env=clean_environment, cwd=tmp_path, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


# -- configuration and baselines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        r'baseline = "\u0000"',
        r'cache-dir = "\u0000"',
        r'models = ["\u0000"]',
        'cache-dir = "~no-such-user/x"',
        'models = ["~no-such-user/x"]',
        f'models = ["{"a" * 5000}"]',
        f'baseline = "{"a" * 5000}"',
        'baseline = "/dev/zero"',
        'baseline = "pipe"',
        'baseline = "."',
        'callers = ["pipe"]',
        '"\\u001b[2J" = 1',
    ],
)
def test_a_hostile_configuration_is_one_line(specint, small: Path, tmp_path: Path, line: str) -> None:
    if os.name != "nt":
        os.mkfifo(tmp_path / "pipe")
    (tmp_path / "pyproject.toml").write_text(f"[tool.specint]\n{line}\n")
    assert len(only_complaint(specint("check", "--sglang", small))) < 2100


@pytest.mark.parametrize("spec", ["~no-such-user/x", "a" * 5000, "\x1b[2J"], ids=["no user", "long", "an escape"])
def test_a_hostile_argument_is_one_line(specint, spec: str) -> None:
    assert len(only_complaint(specint("check", "--sglang", spec))) < 2100


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\0", b"[" * 200_000, b'{"schema": "specint.baseline/1"}\n' + b"[" * 200_000, b"\0" * 5_000_000],
    ids=["no text", "deep header", "deep line", "large"],
)
def test_a_hostile_baseline_is_one_line(specint, small: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "known").write_bytes(data)
    assert "known" in only_complaint(specint("check", "--sglang", small, "--baseline", "known"))


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders")
def test_a_baseline_that_a_person_pipes_in_is_read(small: Path, clean_environment, tmp_path: Path) -> None:
    known = f"{sys.executable} -m specint check --sglang {small} --baseline b --update-baseline >/dev/null"
    again = f"{sys.executable} -m specint check --sglang {small} --baseline <(cat b)"
    done = subprocess.run(["bash", "-c", f"{known}; {again}"], env=clean_environment, cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


# -- the cache ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="no limits on files")
def test_a_full_disk_is_a_warning_and_the_answer_is_the_same(small: Path, clean_environment, tmp_path: Path) -> None:
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "specint", "check", "--sglang", str(small)],
        env={**clean_environment, "SPECINT_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert done.returncode == 1
    assert FOUND in done.stdout
    assert done.stderr.count("\n") == 1
    assert "the cache can't be written" in done.stderr
    assert not list((tmp_path / "cache").rglob("*.tmp"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_output_that_is_full_is_one_line(small: Path, clean_environment, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "specint", "check", "--sglang", str(small)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, env=clean_environment, stdout=full, stderr=subprocess.PIPE, text=True)
    assert "No space left" in only_complaint(done)


def test_entries_that_hold_something_else_are_read_anew(specint, small: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = specint("check", "--sglang", small, SPECINT_CACHE_DIR=str(cache))
    store = Store(cache)
    paths = [path for path in cache.rglob("*") if path.is_file() and path.parent.parent.name in ("facts", "analysis")]
    assert len(paths) > 10
    for path in paths:  # whole by their checksums, and nonsense
        store.put(path.parent.parent.name, path.name, b"\xdd" * 1000 + b"[" * 100_000)  # type: ignore[arg-type]
    again = specint("check", "--sglang", small, SPECINT_CACHE_DIR=str(cache))
    assert (again.returncode, again.stdout, again.stderr) == (first.returncode, first.stdout, first.stderr)


def start(small: Path, cache: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "specint", "check", "--sglang", str(small), "--format", "json"],
        env={**environment, "SPECINT_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_runs_that_share_a_cold_cache_answer_alike(small: Path, clean_environment, tmp_path: Path) -> None:
    runs = [start(small, tmp_path / "cache", clean_environment) for _ in range(3)]
    answers = [(*one.communicate(timeout=100), one.returncode) for one in runs]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][1:] == (b"", 1)


def test_files_that_come_and_go_meanwhile_are_said_or_read(specint, copied: Path, clean_environment) -> None:
    models = copied / "srt/models"
    text = (models / "kumo_k2.py").read_bytes()
    for number in range(300):
        (models / f"m{number}.py").write_bytes(text)
    run = start(copied, copied.parent / "cache", clean_environment)
    for number in range(300):
        (models / f"m{number}.py").unlink()
        time.sleep(0.001)
    out, err = run.communicate(timeout=100)
    assert run.returncode in (1, 2)
    assert b"Traceback" not in err, err
    assert b"internal" not in err, err
    assert out, err
    assert json.loads(out)["findings"]


# -- time without end --------------------------------------------------------------------------------------------------

RUN = ", ".join(f"p{i}" for i in range(8))
ROTATED = "".join(f"class L{i}: pass\n" for i in range(6)) + (
    f"def f({RUN}):\n    if a: return p0()\n    if b: return f(p1, p2, p3, p4, p5, p6, p7, p0)\n"
    "    return f(p1, p0, p2, p3, p4, p5, p6, p7)\n"
)


def test_parameters_that_are_rotated_without_end_are_given_up_and_named(specint, copied: Path) -> None:
    (copied / "srt/models/nasty.py").write_text(
        model(before=ROTATED, init="self.model = f(L0, L1, L2, L3, L4, L5, L0, L1)")
    )
    done = specint("check", "--sglang", copied)
    assert "srt/models/nasty.py:8: following this takes more than 400,000 steps" in only_complaint(done)
    assert FOUND in done.stdout


def test_a_run_takes_no_longer_than_it_may(specint, copied: Path) -> None:
    done = specint("check", "--sglang", copied, "--timeout", "0.2", "--no-cache")
    assert only_complaint(done) == "specint: error: not done after 0.2 s (--timeout)"
    assert specint("check", "--sglang", copied, "--timeout", "100").returncode == 1


@pytest.mark.parametrize("coding", ["punycode", "idna"])
def test_an_encoding_of_domain_names_is_none_of_sources(specint, copied: Path, coding: str) -> None:
    (copied / "srt/models/nasty.py").write_bytes(f"# coding: {coding}\n".encode() + b"-" + b"9" * 3_900_000)
    assert f"can't be read as {coding}" in only_complaint(specint("check", "--sglang", copied))


def test_a_wheel_of_deep_paths_is_read_without_them(specint, copied: Path) -> None:
    with zipfile.ZipFile(copied.parent / "x.whl", "w") as archive:
        for path in copied.rglob("*.py"):
            archive.write(path, path.relative_to(copied.parent).as_posix())
        for number in range(500):
            archive.writestr(f"sglang/srt/models/{'a/' * 30_000}m{number}.py", "")
    done = specint("check", "--sglang", "x.whl")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert all("a name of more than 100 levels" in line for line in lines)
    assert 0 < len(lines) < 30
    assert FOUND in done.stdout


# -- poor machines -----------------------------------------------------------------------------------------------------

WITHOUT_FORK = (
    "import errno, os\ndef fork():\n    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))\nos.fork = fork\n"
)
DIES = (  # as if the kernel had chosen the process that reads this file
    "import os, signal\nfrom specint.facts import load\nmade, here = load._made, os.getpid()\n"
    "def dying(file, read):\n    if file.path.endswith('m7.py') and os.getpid() != here:\n"
    "        os.kill(os.getpid(), signal.SIGKILL)\n    return made(file, read)\nload._made = dying\n"
)


def many_models(tree: Path) -> None:
    """So many that several processes would read them."""
    text = (tree / "srt/models/kumo_k2.py").read_text()
    for number in range(40):
        (tree / f"srt/models/m{number}.py").write_text(text)


def patched(code: str, tree: Path, environment: dict[str, str], before: str = "", **more: str):
    script = (
        f"{code}from specint.cli import main\nmain(['check', '--sglang', {str(tree)!r}, '--no-cache', '--jobs', '4'])\n"
    )
    command = ["bash", "-c", f'{before}exec "$@"', "bash", sys.executable, "-c", script]
    return subprocess.run(command, env={**environment, **more}, capture_output=True, text=True, timeout=100)


@pytest.mark.skipif(sys.platform != "linux", reason="no other processes")
@pytest.mark.parametrize(
    ("code", "before"),
    [(WITHOUT_FORK, ""), ("", "ulimit -n 14; "), ("", "ulimit -n 30; ")],
    ids=["no process", "14 descriptors", "30 descriptors"],
)
def test_where_no_other_process_can_be_had_one_does_the_work(
    copied: Path, clean_environment, code: str, before: str
) -> None:
    many_models(copied)
    usual(patched(code, copied, clean_environment, before))
    said = patched(code, copied, clean_environment, before, SPECINT_DEBUG="1").stderr.splitlines()
    if before != "ulimit -n 30; ":
        assert [line for line in said if line.startswith("specint: debug: no other process can be started (")]


@pytest.mark.skipif(sys.platform != "linux", reason="no other processes")
def test_a_file_whose_process_is_killed_costs_itself_alone(copied: Path, clean_environment) -> None:
    many_models(copied)
    done = patched(DIES, copied, clean_environment)
    assert "srt/models/m7.py: the process that read it was killed (SIGKILL)" in only_complaint(done)
    assert FOUND in done.stdout
    assert "m8.py:16:0: E7701" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", ["TERM", "HUP", "KILL"])
@pytest.mark.parametrize("after", [0.3, 0.9])
def test_no_process_is_left_after_a_signal(copied: Path, clean_environment, how: str, after: float) -> None:
    import signal

    many_models(copied)
    heavy = model(init="".join(f"self.a{i} = A{i}(config)\n        " for i in range(20_000)) + "pass")
    for number in range(8):
        (copied / f"srt/models/heavy{number}.py").write_text(heavy)
    run = subprocess.Popen(
        [sys.executable, "-m", "specint", "check", "--sglang", str(copied), "--no-cache", "--jobs", "4"],
        env=clean_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(after)
    os.kill(run.pid, signal.Signals[f"SIG{how}"])
    err = run.communicate(timeout=30)[1]
    assert run.returncode in (-signal.Signals[f"SIG{how}"], 1), err
    assert err == b""
    for _ in range(100):
        if not [pid for pid in Path("/proc").glob("[0-9]*") if _group(pid) == run.pid]:
            return
        time.sleep(0.05)
    pytest.fail("a process is left")


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("after", [0.3, 0.7, 1.1, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_ctrl_c_leaves_nothing_behind(
    release: Callable[[str], Path],
    clean_environment,
    hears_ctrl_c: None,
    tmp_path: Path,
    after: float,
    whole_group: bool,
) -> None:
    import signal

    cache = tmp_path / "cache"
    run = subprocess.Popen(
        [sys.executable, "-m", "specint", "report", "--sglang", str(release("0.5.9")), "--format", "json"],
        env={**clean_environment, "SPECINT_CACHE_DIR": str(cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(after)
    (os.killpg if whole_group else os.kill)(run.pid, signal.SIGINT)
    err = run.communicate(timeout=30)[1]  # the pipe is closed: no child holds it any more
    # by the signal itself once Python is on its way out: a shell shows 130 as well
    assert run.returncode in (130, 0, -signal.SIGINT), err
    assert err == b""
    assert not [pid for pid in Path("/proc").glob("[0-9]*") if _group(pid) == run.pid]
    assert not list(cache.rglob("*.tmp"))


def _group(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[2])
    except OSError:
        return 0
