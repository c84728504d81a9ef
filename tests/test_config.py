"""What `[tool.specint]` may say, and that a slip in it is named with the key that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from specint.config import Config, Demand, check_names, load_config, place
from specint.errors import SpecintError

FULL = """
[tool.specint]
sglang = "0.5.9"
algorithms = ["EAGLE3", "DFLASH"]
require = ["KimiK25ForConditionalGeneration:EAGLE3", "my.models.Model:DFLASH"]
models = ["my_models", "plug.models"]
select = ["spec-missing-delegation", "E7702"]
ignore = ["I7799"]
exclude = ["**/legacy_*.py"]
interface = ["speculative", "eplb"]
callers = ["workers", "/abs/worker.py"]
baseline = "ci/baseline.txt"
cache-dir = "~/cache"
"""


def write(folder: Path, text: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def said(folder: Path, text: str | bytes) -> str:
    path = write(folder, text)
    with pytest.raises(SpecintError) as caught:
        load_config(folder)
    assert "\n" not in str(caught.value)
    assert caught.value.where.startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def test_every_key(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    assert load_config(tmp_path) == Config(
        sglang="0.5.9",
        algorithms=("EAGLE3", "DFLASH"),
        require=(Demand("KimiK25ForConditionalGeneration", "EAGLE3"), Demand("my.models.Model", "DFLASH")),
        models=("my_models", "plug.models"),
        select=("spec-missing-delegation", "E7702"),
        ignore=("I7799",),
        exclude=("**/legacy_*.py",),
        interface=("speculative", "eplb"),
        callers=(tmp_path / "workers", Path("/abs/worker.py")),
        baseline=tmp_path / "ci/baseline.txt",
        cache_dir=Path.home() / "cache",
        file=path,
        folder=tmp_path,
    )


def test_the_nearest_file_with_the_table_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FULL)
    near = write(tmp_path / "a", '[tool.specint]\nsglang = "near"\n')
    write(tmp_path / "a/b", "[tool.other]\nx = 1\n")
    (tmp_path / "a/b/c").mkdir()
    monkeypatch.chdir(tmp_path / "a/b/c")
    assert load_config().file == near
    assert load_config(tmp_path / "a/b/c").sglang == "near"


def test_an_empty_table_stops_the_search(tmp_path: Path) -> None:
    write(tmp_path, FULL)
    near = write(tmp_path / "a", "[tool.specint]\n")
    assert load_config(tmp_path / "a") == Config(file=near, folder=tmp_path / "a")


def test_no_file_is_fine(tmp_path: Path) -> None:
    assert load_config(tmp_path) == Config(folder=tmp_path)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("algoritms = []", ", [tool.specint] algoritms: unknown key (did you mean algorithms?)"),
        ("cache_dir = 'x'", ", [tool.specint] cache_dir: unknown key (did you mean cache-dir?)"),
        ("SGLang = 'x'", ", [tool.specint] SGLang: unknown key (did you mean sglang?)"),
        ("xyz = 1", ", [tool.specint] xyz: unknown key (known are algorithms, baseline, "),
        ("sglang = 0.5", ", [tool.specint] sglang: must be a string, not a number"),
        ("sglang = ['x']", ", [tool.specint] sglang: must be a string, not a list"),
        ("sglang = ' '", ", [tool.specint] sglang: is empty (leave the key out)"),
        ("baseline = true", ", [tool.specint] baseline: must be a string, not a boolean"),
        ("select = 'E7701'", ', [tool.specint] select: must be a list of strings, not a string (write ["E7701"])'),
        ("exclude = {a = 1}", ", [tool.specint] exclude: must be a list of strings, not a table"),
        ("callers = ['a', 1979-05-27]", ", [tool.specint] callers[1]: must be a string, not a date or time"),
        ("require = ['Kimi']", ", [tool.specint] require[0]: 'Kimi' names no class and algorithm (write \"Class:ALG"),
        ("require = ['a:b', ':E']", ", [tool.specint] require[1]: ':E' names no class and algorithm"),
    ],
)
def test_a_wrong_key_or_value_is_named(line: str, error: str, tmp_path: Path) -> None:
    assert said(tmp_path, f"[tool.specint]\n{line}\n").startswith(error)


def test_a_table_that_is_none(tmp_path: Path) -> None:
    assert (
        said(tmp_path, "[tool]\nspecint = 3\n")
        == ", tool.specint: must be a table, not a number (write [tool.specint])"
    )


def test_broken_toml_names_the_line(tmp_path: Path) -> None:
    text = said(tmp_path, "[tool.specint]\nsglang = \n")
    assert text.startswith(": is not valid TOML: ")
    assert "line 2" in text


@pytest.mark.parametrize("text", [b"\xff\xfe[\0", b"[tool.specint]\nsglang = '\xe9'\n"])
def test_a_file_in_another_encoding(text: bytes, tmp_path: Path) -> None:
    assert said(tmp_path, text).startswith(": is not UTF-8")


def test_toml_nested_beyond_measure(tmp_path: Path) -> None:
    assert said(tmp_path, "x = " + "[" * 100_000).startswith(": is not valid TOML")


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nother = 1\n", ""])
def test_a_file_that_has_nothing_for_us(text: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    assert load_config(tmp_path).file is None


def test_a_file_that_was_named_must_be_there_and_have_the_table(tmp_path: Path) -> None:
    with pytest.raises(SpecintError, match=r"gone\.toml: can't be read: No such file"):
        load_config(file=tmp_path / "gone.toml")
    with pytest.raises(SpecintError, match="can't be read: Is a directory"):
        load_config(file=tmp_path)
    path = write(tmp_path, "[tool.other]\n")
    with pytest.raises(SpecintError, match=r"has no \[tool\.specint\]"):
        load_config(file=path)
    other = tmp_path / "ci.toml"
    other.write_text(FULL)
    assert load_config(file=other).baseline == tmp_path / "ci/baseline.txt"


def test_a_name_that_is_not_known_is_refused_with_the_nearest(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, FULL).parent)
    check_names(config.algorithms, ["EAGLE3", "DFLASH", "NGRAM"], "algorithm", place(config, "algorithms"))
    with pytest.raises(SpecintError) as caught:
        check_names(["eagle3"], ["NGRAM", "EAGLE3"], "algorithm", place(config, "algorithms"))
    assert str(caught.value) == (
        f"{config.file}, [tool.specint] algorithms: unknown algorithm 'eagle3' (did you mean EAGLE3?)"
    )
