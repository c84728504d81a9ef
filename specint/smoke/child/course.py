"""The steps of one job, in their order."""

from __future__ import annotations

from typing import Any

from . import boot, capture, drafting, exchange, reference, tables
from .asking import ask
from .building import Built, build
from .channel import Channel
from .forward import Engine


def run(package: str, job: dict[str, Any], channel: Channel) -> None:
    """Build the model, ask it what the contract asks, and do with it what the job says.

    A step that fails doesn't end the others, as long as there is a model.
    """
    with channel.step("start"):
        boot.start(package, job["device"])
    built = build(package, job, channel)
    ask(built, job, channel, role=job["role"])
    run = _forward(package, built, job, channel) if job["forward"] else None
    for beside in job["drafts"]:
        _tried(lambda beside=beside: _with_draft(package, built, run, job, beside, channel))
    _tried(lambda: exchange.read_back(built, job, channel))


def _forward(package: str, built: Built, job: dict[str, Any], channel: Channel) -> capture.Run | None:
    """All that the model's forward gave; None where it did not run."""
    known: list[reference.Reference] = []
    if job["reference"]:
        _tried(lambda: known.append(reference.load(package, built, job, channel)))
    if not known and job["device"] != "meta":
        capture.fill(package, built)
    runs: list[capture.Run] = []
    _tried(lambda: runs.append(capture.run(package, built, job, channel)))
    if not runs:
        return None
    _tried(lambda: tables.tell(built, runs[0].used, job, channel))
    if known:
        tokens = Engine(package, built, job["device"]).tokens
        _tried(lambda: reference.compare(known[0], runs[0], tokens, job["dtype"], channel))
    return runs[0]


def _with_draft(
    package: str, target: Built, run: capture.Run | None, job: dict[str, Any], beside: dict[str, Any], channel: Channel
) -> None:
    draft_job = {**job, "module": None, "checkpoint": None}
    draft_job |= {key: beside[key] for key in ("architecture", "asks", "given")}
    about = channel.about(beside["name"])
    draft = build(package, draft_job, about, draft=True)
    if job["forward"] and job["device"] != "meta":
        capture.fill(package, draft)
    ask(draft, draft_job, about, role="draft")
    first = drafting.Trial(package, target, draft, run, draft_job, beside["takes"])
    given = exchange.hand_over(target, draft, draft_job, about)
    _tried(lambda: _draft_forward(first, given, about))
    _tried(lambda: drafting.hot_tokens(draft, draft_job, about))


def _draft_forward(first: drafting.Trial, given: list[tuple[str, tuple[Any, ...]]], channel: Channel) -> None:
    with channel.step("forward"):
        drafting.tell(first, given, channel)


def _tried(step: Any) -> None:  # noqa: ANN401 - a function of no arguments
    """Do a step; what went wrong in it has been told."""
    try:
        step()
    except Exception:
        pass
