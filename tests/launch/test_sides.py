"""Both sides of a launch: what is certain of one is told also where the other can't be read."""

from dataclasses import replace

import pytest

from specint.checks.finding import about
from specint.compliance.model import ModelCompliance, Verdict
from specint.launch.command import Command
from specint.launch.sides import WHATEVER, without_draft
from specint.launch.text import headline
from tests.launch.small import bench, launch


def model(name, role, **verdict):
    return ModelCompliance(
        class_=f"sglang.srt.models.{name.lower()}.{name}", name=name, file="m.py", line=1, roles=(role,), mro=(),
        wraps=(), members={}, algorithms={"EAGLE3": Verdict(**verdict)},
    )  # fmt: skip


WHOLE = model("Draft", "draft", verdict="ok")
LACKING = model("Target", "target", verdict="missing", missing=("get_embed",))
BROKEN = model("Target", "target", verdict="broken", broken=("get_embed",))
RAISES = about("spec-broken-delegation", BROKEN, "get_embed", ("EAGLE3",), message="it raises", at=(7, 0))


def test_a_hook_that_is_missing_and_one_that_cannot_work_make_a_launch_fail(tmp_path):
    for target, status, reason in ((LACKING, "missing", ""), (BROKEN, "broken", "it raises")):
        answer = bench([target, WHOLE], [RAISES] if status == "broken" else []).answer(launch(tmp_path))
        assert answer.answer == "fails"
        assert [(one.side, one.member, one.status) for one in answer.contract] == [("target", "get_embed", status)]
        assert answer.contract[0].reason.startswith(reason)
    assert "has get_embed, which can't work" in headline(answer)


def test_without_a_gap_it_starts(tmp_path):
    whole = model("Target", "target", verdict="ok")
    assert bench([whole, WHOLE]).answer(launch(tmp_path)).answer == "starts"


def test_a_draft_that_is_not_here_hides_no_gap_of_the_target(tmp_path):
    answer = bench([LACKING, WHOLE]).answer(launch(tmp_path, draft="some/where"))
    assert answer.answer == "fails"
    assert [one.member for one in answer.contract] == ["get_embed"]
    assert [one.stage for one in answer.found.open] == ["draft"]
    assert "lacks get_embed" in headline(answer)
    assert "is no folder" in headline(answer)


def test_nor_does_one_that_is_looked_at_among_the_arguments(tmp_path):
    answer = bench([LACKING, WHOLE], early=True).answer(launch(tmp_path, draft="some/where"))
    assert answer.answer == "unknown"
    assert [one.member for one in answer.contract] == ["get_embed"]
    assert WHATEVER in answer.notes
    assert "is no folder" in headline(answer)
    assert "lacks get_embed, whatever the draft is" in headline(answer)


@pytest.mark.parametrize("early", [False, True])
def test_a_target_without_a_gap_leaves_it_open(tmp_path, early):
    whole = model("Target", "target", verdict="ok")
    answer = bench([whole, WHOLE], early=early).answer(launch(tmp_path, draft="some/where"))
    assert (answer.answer, answer.contract, answer.notes[1:]) == ("unknown", (), ())


@pytest.mark.parametrize(
    "words",
    [
        ["--speculative-draft-model-path", "x"],
        ["--speculative-draft-model-path=x"],
        ["--speculative-draft-model", "x"],
        ["--speculative-draft-mo=x"],
    ],
)
def test_the_words_that_name_a_draft(words):
    rest = ("--tp", "8", "--speculative-draft-model-revision", "x", "--speculative-draft-tensor-parallel-size", "2")
    assert without_draft(Command((*rest[:2], *words, *rest[2:]))).argv == rest


def test_a_word_that_only_running_tells_refuses_no_launch(tmp_path):
    known = launch(tmp_path)
    asked = replace(known, argv=(*known.argv, "--unheard-of", "$(x)"), unknown=("$(x)",))
    answer = bench().answer(asked)
    assert answer.answer == "unknown"
    assert answer.found.refusals == []
    assert "$(x) has a value only where the launch runs" in answer.found.open[0].why
    assert any("$(x)" in note for note in answer.notes)
    assert bench().answer(replace(asked, unknown=())).answer == "refused"
