"""Answers that are kept: taken while nothing that they depend on has changed, and the same as when they were made."""

import json
import shutil

import pytest

from specint.config import Config
from specint.execution import bounds
from specint.launch.answer import Workbench, document
from specint.launch.ask import Asking
from specint.launch.command import Command
from specint.launch.kept import Answers
from specint.launch.setting import Setting
from specint.launch.text import text_of
from specint.request import opened, request_of
from tests.launch.small import contents, launch

MODEL = "class {name}:\n    pass\n\nEntryClass = {name}\n"


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """`asked(command)`: the answer, and whether it was evaluated for it."""
    models = {f"sglang/srt/models/{name}.py": MODEL.format(name=name.title()).encode() for name in ("target", "draft")}
    for path, data in {**contents(), **models}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    evaluated = []
    usual = Workbench.answer
    monkeypatch.setattr(Workbench, "answer", lambda self, *rest: evaluated.append(1) or usual(self, *rest))

    def ask(command, name=None, *, machine="h200", cache=True):
        request = request_of(
            Config(), sglang=str(tmp_path / "sglang"), cache_dir=tmp_path / "cache", cache=cache, jobs=1
        )
        sources = opened(request)
        evaluated.clear()
        answer = Asking(sources.tree, None, request.cache_dir, kept=Answers(sources)).answer(command, machine, name)
        return answer, bool(evaluated)

    return ask


@pytest.fixture(autouse=True)
def without_notes(monkeypatch):
    """This SGLang pins no Transformers, of which every answer has a note, and is kept no answer; here it needs none."""
    monkeypatch.setattr(Setting, "_transformers", lambda *_rest: None)


def test_the_second_time_an_answer_is_taken_and_the_same(asked, tmp_path):
    command = launch(tmp_path)
    first, evaluated = asked(command, "a")
    assert evaluated
    assert first.answer == "starts"
    again, evaluated = asked(command, "b")
    assert not evaluated
    assert {**document(first), "id": "b"} == document(again)
    assert text_of(again) == text_of(first)


def linked(folder):
    (folder / "elsewhere.json").write_text(json.dumps({"architectures": ["Draft"]}))
    (folder / "draft/config.json").unlink()
    (folder / "draft/config.json").symlink_to(folder / "elsewhere.json")


CHANGES = {
    "a key": lambda folder: (folder / "target/config.json").write_text('{"architectures": ["Target"], "x": 1}'),
    "no configuration": lambda folder: (folder / "draft/config.json").unlink(),
    "no folder": lambda folder: shutil.rmtree(folder / "draft"),
    "a link out of it": linked,
    "SGLang": lambda folder: (folder / "sglang/srt/speculative/worker.py").write_text("class Worker:\n    x = 1\n"),
    "a model": lambda folder: (folder / "sglang/srt/models/more.py").write_text(MODEL.format(name="More")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_an_answer_depends_on_is_asked_again(asked, tmp_path, change):
    command = launch(tmp_path)
    asked(command)
    assert not asked(command)[1]
    CHANGES[change](tmp_path)
    assert asked(command)[1]


def test_a_file_that_nothing_looked_at_changes_nothing(asked, tmp_path):
    command = launch(tmp_path)
    asked(command)
    (tmp_path / "target/notes.txt").write_text("x")
    assert not asked(command)[1]


def test_other_words_variables_and_machines_are_other_launches(asked, tmp_path):
    command = launch(tmp_path)
    asked(command)
    assert asked(Command(command.argv, {"NAME": "1"}, command.folders))[1]
    assert asked(Command(command.argv[:2], {}, command.folders))[1]
    assert asked(command, machine="b200")[1]
    assert not asked(command)[1]


def test_without_a_cache_nothing_is_kept(asked, tmp_path):
    command = launch(tmp_path)
    asked(command, cache=False)
    assert asked(command, cache=False)[1]


def test_an_answer_that_reached_a_bound_is_not_kept(asked, tmp_path, monkeypatch):
    command = launch(tmp_path)
    monkeypatch.setattr(bounds, "DEEPEST", 1)
    assert asked(command)[0].answer == "unknown"
    monkeypatch.undo()
    assert asked(command)[0].answer == "starts"
