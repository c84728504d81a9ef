"""The steps of one job, in their order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from . import boot, capture, exchange, reference
from .asking import ask
from .building import Built, build
from .channel import Channel, Skipped
from .forward import Engine


def run(package: str, job: dict[str, Any], channel: Channel) -> None:
    """Build the model, ask it what the contract asks, and do with it what the job says.

    A step that fails doesn't end the others, as long as there is a model.
    """
    with channel.step("start"):
        boot.start(package, job["device"])
    built = build(package, job, channel)
    ask(built, job, channel, role=job["role"])
    states = _forward(package, built, job, channel) if job["forward"] else None
    for beside in job["drafts"]:
        _tried(lambda beside=beside: _with_draft(package, built, states, job, beside, channel))
    _tried(lambda: exchange.read_back(built, job, channel))


def _forward(package: str, built: Built, job: dict[str, Any], channel: Channel) -> Any:  # noqa: ANN401 - a tensor
    """The joined states of some layers, for the draft; None where there are none."""
    import torch

    known: list[reference.Reference] = []
    if job["reference"]:
        _tried(lambda: known.append(reference.load(package, built, job, channel)))
    if not known and job["device"] != "meta":
        capture.fill(package, built)
    runs: list[capture.Run] = []
    _tried(lambda: runs.append(capture.run(package, built, job, channel)))
    if not runs:
        return None
    if known:
        tokens = Engine(package, built, job["device"]).tokens
        _tried(lambda: reference.compare(known[0], runs[0], tokens, job["dtype"], channel))
    first = next((one.states for one in runs[0].captured if one.states), None)
    return torch.cat(first, dim=-1) if first else None


def _with_draft(
    package: str,
    target: Built,
    states: Any,  # noqa: ANN401 - a tensor
    job: dict[str, Any],
    beside: dict[str, Any],
    channel: Channel,
) -> None:
    draft_job = {**job, "module": None, "checkpoint": None}
    draft_job |= {key: beside[key] for key in ("architecture", "asks", "given")}
    about = channel.about(beside["name"])
    draft = build(package, draft_job, about, draft=True)
    if job["forward"] and job["device"] != "meta":
        capture.fill(package, draft)
    ask(draft, draft_job, about, role="draft")
    exchange.hand_over(target, draft, draft_job, about)
    with about.step("forward"):
        if not job["forward"]:
            raise Skipped("no forward was asked for")
        if states is None:
            raise Skipped("the target gave no states")
        engine = Engine(package, draft, job["device"])
        output = engine.prefill(spec_info=SimpleNamespace(hidden_states=states))
        logits, hidden = output.next_token_logits, output.hidden_states
        about.tell(logits=list(logits.shape), hidden=list(hidden.shape), finite=bool(logits.isfinite().all()))


def _tried(step: Any) -> None:  # noqa: ANN401 - a function of no arguments
    """Do a step; what went wrong in it has been told."""
    try:
        step()
    except Exception:
        pass
