"""Launches that nobody wrote, put to reading and to a real SGLang: every definite answer is the real one.

    python tests/smoke/test_launches.py [--seed N] [--number N] [--machines h200,b200] [RELEASE ...]

puts many to each release (`make preflight-agreement`); as a test it is a minute of one.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from click.testing import CliRunner

from specint.cli import smoke_launch
from specint.cli.commands import group
from specint.execution.values import Unknown
from specint.launch.answer import Answer, Workbench
from specint.launch.command import Command
from specint.launch.course import Found, Refusal, Side
from specint.launch.machine import machine_named
from specint.launch.registry import registered_classes
from specint.launch.setting import Setting
from specint.smoke import place
from specint.smoke.knowledge import stand_ins
from specint.smoke.launches import Told, agreement, run
from specint.source.locate import open_tree
from tests.launch.checkpoints import TARGETS
from tests.launch.generated import Launch, launches, options

MOST_OPEN = 0.05


def differences(
    release: str, python: Path, seed: int, number: int, machine: str, folder: Path
) -> Iterator[tuple[Launch, str, tuple[str, ...], int]]:
    """Each launch with its accord, what differs, and how many values are equal."""
    there = place.installed(str(python))
    assert there is not None, f"{python} has no SGLang"
    tree = open_tree(str(there))
    setting = Setting(tree, lambda: registered_classes(tree), platformdirs.user_cache_path("specint", appauthor=False))
    drawn = list(launches(seed, number, options(setting), folder))
    commands = [one.command(folder) for one in drawn]
    bench = Workbench(setting, machine_named(machine))
    answers = []
    for n, command in enumerate(commands):
        if n == 1:
            bench.prepare()
        answers.append(bench.answer(command))
    told = run(str(python), tree.package, there.parent, stand_ins(), machine_named(machine), commands)
    for launch, answer, real in zip(drawn, answers, told, strict=True):
        found = agreement(answer, real)
        yield launch, found.accord, found.differs, found.values


# -- reading beside running, by hand -----------------------------------------------------------------------------------
RAISED = Refusal("arguments", "sglang", "ValueError", "no", "sglang/srt/server_args.py", 100)
TARGET = {"class": "m.Llama", "file": "m.py", "architectures": ["Llama"]}


def read(kind: str = "starts", refusal: Refusal | None = None, **more: Any) -> Answer:
    """What reading says of a launch, made by hand."""
    found = Found(
        refusals=[refusal] if refusal else [],
        algorithm=more.get("algorithm", "EAGLE"),
        worker=("EAGLEWorker", "w.py"),
        target=Side("Llama", "m", "m.py", ("Llama",)),
        values=more.get("values", {"tp_size": 8}),
    )
    return Answer(
        id=None, version="0", machine=machine_named("h200"), command=Command(()), answer=kind, found=found
    )  # fmt: skip


def ran(*errors: Refusal, **more: Any) -> Told:
    """What SGLang says of it."""
    outcome = {"algorithm": "EAGLE", "worker": {"class": "EAGLEWorker", "file": "w.py"}, "target": TARGET}
    return Told(errors=errors, **{**outcome, "values": {"tp_size": 8}, **more})


def moved(**changes: Any) -> Refusal:
    return dataclasses.replace(RAISED, **changes)


@pytest.mark.parametrize(
    ("answer", "told", "accord"),
    [
        (read(), ran(), "agree"),
        (read("fails"), ran(), "agree"),
        (read(), ran(RAISED), "disagree"),
        (read("refused", RAISED), ran(), "disagree"),
        (read("refused", RAISED), ran(RAISED), "agree"),
        (read("refused", RAISED), ran(moved(line=104, message="other")), "agree"),
        (read("refused", RAISED), ran(moved(line=120)), "disagree"),
        (read("refused", RAISED), ran(moved(error="TypeError")), "disagree"),
        (read("refused", RAISED), ran(moved(by="transformers")), "disagree"),
        (read(), ran(algorithm="EAGLE3"), "disagree"),
        (read(), ran(worker=None), "disagree"),
        (read(), ran(target={**TARGET, "class": "m.Qwen"}), "disagree"),
        (read(), ran(draft=TARGET), "disagree"),
        (read(), ran(values={"tp_size": 4}), "disagree"),
        (read(values={"tp_size": 8.0, "port": 1}), ran(values={"tp_size": 8, "port": 2, "new": 1}), "agree"),
        (read(values={"tp_size": Unknown("why")}), ran(), "agree"),
        (read("depends", RAISED), ran(), "open"),
        (read("unknown"), ran(RAISED), "open"),
        (read(), Told(fault="it died"), "not run"),
    ],
)
def test_a_definite_answer_is_held_against_the_real_one(answer: Answer, told: Told, accord: str) -> None:
    found = agreement(answer, told)
    assert found.accord == accord, found.differs
    assert bool(found.differs) == (accord in ("disagree", "not run"))


# -- as a command ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("answer", "told", "code", "said"),
    [
        (read(), ran(), 0, "✓ reading and running agree, in the values of 1 arguments too"),
        (
            read("refused", RAISED),
            ran(RAISED),
            1,
            "SGLang itself refuses it at sglang/srt/server_args.py:100: Va",
        ),
        (
            read("refused", RAISED),
            ran(),
            3,
            "disagree, which is specint's fault:\n    read: sglang",
        ),
        (read("unknown"), ran(), 2, "? reading leaves it open"),
        (read(), Told(fault="it died"), 2, "? SGLang could not be asked: it died"),
    ],
)
def test_both_answers_are_told_and_what_comes_of_them(answer: Answer, told: Told, code: int, said: str) -> None:
    found = agreement(answer, told)
    assert smoke_launch._exit_code(told, found) == code
    assert said in smoke_launch._text(answer, told, found)


def test_a_launch_is_needed() -> None:
    done = CliRunner().invoke(group, ["smoke", "--launch", "--sglang", "0.5.9"], standalone_mode=False)
    assert "needs a command" in str(done.exception)


def test_a_launch_that_is_served_too_prints_text_alone() -> None:
    arguments = ["smoke", "--launch", "--serve", "--format", "json", "--sglang", "0.5.9", "--", "--model-path", "x"]
    done = CliRunner().invoke(group, arguments, standalone_mode=False)
    assert "--launch with --serve prints two texts" in str(done.exception)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"speculative_eagle_topk": 4, "disable_overlap_schedule": False}, (4, True)),
        ({"speculative_eagle_topk": 40, "disable_overlap_schedule": True}, (8, False)),
        ({}, (1, False)),
    ],
)
def test_what_a_scheduler_is_started_with_is_what_sglang_made_of_the_launch(
    tmp_path: Path, values: dict[str, Any], expected: tuple[int, bool]
) -> None:
    told = Told(algorithm="EAGLE3", values={"model_path": str(tmp_path), **values})
    accepted = smoke_launch._accepted(read(), told)
    assert accepted is not None
    assert (accepted.target, accepted.algorithm) == (tmp_path, "EAGLE3")
    assert (accepted.topk, accepted.overlap) == expected
    nowhere = Told(values={"model_path": str(tmp_path / "nowhere")})
    assert smoke_launch._accepted(read(), nowhere) is None


@pytest.mark.smoke
def test_a_launch_that_is_taken_is_served(environment: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TARGETS["llama"]))
    line = ["python", "-m", "sglang.launch_server", "--model-path", str(tmp_path)]
    arguments = ["smoke", "--launch", "--serve", "--python", str(environment("0.5.9")), "--timeout", "500", "--", *line]
    done = CliRunner().invoke(group, arguments, standalone_mode=False)
    assert done.exception is None, done.exception
    assert done.return_value == 0, done.stdout
    assert "SGLang itself takes it" in done.stdout
    assert "LlamaForCausalLM  no speculation\n  serves" in done.stdout


@pytest.mark.smoke
def test_a_launch_is_put_to_both(environment: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TARGETS["llama"]))
    line = ["python", "-m", "sglang.launch_server", "--model-path", str(tmp_path), "--tp", "2"]
    arguments = ["smoke", "--launch", "--python", str(environment("0.5.9")), "--format", "json", "--", *line]
    done = CliRunner().invoke(group, arguments, standalone_mode=False)
    assert done.exception is None, done.exception
    assert done.return_value == 0
    found = json.loads(done.stdout)
    assert found["agreement"]["accord"] == "agree"
    assert found["told"]["values"]["tp_size"] == 2
    assert found["read"]["answer"] == "starts"


# -- a real SGLang -----------------------------------------------------------------------------------------------------
@pytest.mark.smoke
def test_reading_and_running_agree_on_launches_that_nobody_wrote(
    environment: Callable[[str], Path], tmp_path: Path
) -> None:
    found = list(differences("0.5.9", environment("0.5.9"), 14, 60, "h200", tmp_path))
    wrong = [
        (" ".join(launch.argv), differs) for launch, accord, differs, _ in found if accord in ("disagree", "not run")
    ]
    assert not wrong
    assert sum(accord == "open" for _, accord, _, _ in found) <= MOST_OPEN * len(found)
    assert sum(equal for *_, equal in found) > 1000


def main(given: list[str] | None = None) -> int:
    """Put many launches to the releases; 1 where an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", default=["0.5.9", "0.5.23"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--machines", default="h200,b200")
    asked = parser.parse_args(given)
    from environments import make

    status = 0
    for release in asked.releases:
        for machine in asked.machines.split(","):
            counts: dict[str, int] = {}
            values = 0
            with tempfile.TemporaryDirectory(prefix="specint-agreement-") as folder:
                python = make(release)
                for launch, accord, differs, equal in differences(
                    release, python, asked.seed, asked.number, machine, Path(folder)
                ):
                    counts[accord] = counts.get(accord, 0) + 1
                    values += equal
                    if accord in ("disagree", "not run"):
                        status = 1
                        print(f"{accord} {launch.name}: {' '.join(launch.argv)}")  # noqa: T201 - a script
                        print("".join(f"    {one}\n" for one in differs), end="")  # noqa: T201
            print(f"{release} on {machine}: {counts}, {values} values equal", flush=True)  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main())
