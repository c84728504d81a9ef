"""What many models offer and only an earlier SGLang asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.unasked import unasked
from specint.checks.finding import Finding
from specint.facts.store import Store
from specint.pipeline import analyze, contract_read
from specint.source.locate import open_tree

TRIAL = "sglang.srt.models.trial"
RUNNER = "sglang.srt.model_executor.model_runner"
HEAD = "from sglang.srt.models.oak import OakForCausalLM\n"
CLASS = "\n\nclass Trial{0}(OakForCausalLM):\n    def wave(self):\n        return 1\n"
ASKS = "\n    def ask(self):\n        if hasattr(self.model, 'wave'):\n            return self.model.wave()\n"


@pytest.fixture
def told(fixture_tree: Callable[[str], Path]) -> Callable[..., tuple[Finding, ...]]:
    """`told(classes, now)`: what is said where so many classes have the hook, and the runner of today has more code."""

    def run(classes: int, now: str = "") -> tuple[Finding, ...]:
        plain = open_tree(str(fixture_tree("sglang_small") / "sglang"))
        runner = plain.read(plain.find(RUNNER)).decode()  # type: ignore[arg-type]
        text = HEAD + "".join(CLASS.format(number) for number in range(classes))
        names = ", ".join(["Heir", *(f"Trial{number}" for number in range(classes))])
        text += f"\n\nclass Heir(Trial0):\n    pass\n\n\nEntryClass = [{names}]\n"
        today = plain.overlay({TRIAL: text, RUNNER: runner + now})
        before = plain.overlay({RUNNER: runner + ASKS})
        store = Store(None)
        asked, then = (contract_read(tree, store=store, jobs=1)[0] for tree in (today, before))
        return unasked(analyze(today, store=store), today, store, asked, then, "0.0.0")

    return run


def test_a_hook_that_nobody_reads_any_more_is_told_once(told) -> None:
    (one,) = told(3)
    assert (one.rule, one.member, one.class_) == ("spec-contract-drift", "wave", f"{TRIAL}.Trial0")
    assert all(name in one.message for name in ("Heir", "Trial0", "Trial1", "Trial2"))
    assert "ModelRunner.ask of SGLang 0.0.0" in one.message
    assert len(one.evidence) == 4


@pytest.mark.parametrize(
    ("classes", "now"),
    [(2, ""), (3, ASKS), (3, "\n    def look(self, other):\n        return getattr(other, 'wave', None)\n")],
    ids=["few have it", "it is asked for", "its name is read"],
)
def test_what_says_nothing(told, classes: int, now: str) -> None:
    assert told(classes, now) == ()
