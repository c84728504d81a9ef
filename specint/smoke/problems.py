"""What a run shows to be wrong with a model: wrong calls, lost states, numbers that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from specint.smoke.knowledge import states_by_default
from specint.smoke.model import Comparison, DraftResult, Job, Judgement, Problem, Ran, Severity, Step
from specint.smoke.traced import of_layers, of_tables, of_use
from specint.smoke.verdicts import missing


def problems(
    ran: Ran, job: Job, verdicts: Sequence[Judgement] = (), drafts: Sequence[DraftResult] = ()
) -> Iterator[Problem]:
    """Everything but missing members: of the model, in the order of the steps, then of each draft beside it."""
    for one in _of_model(ran, verdicts):
        yield msgspec.structs.replace(one, about=job.class_)
    for draft in drafts:
        for one in (*missing(draft.verdicts, draft.agreements, draft.class_), *_of_draft(ran, draft)):
            yield msgspec.structs.replace(one, about=draft.class_)


def _of_model(ran: Ran, verdicts: Sequence[Judgement]) -> Iterator[Problem]:
    yield from _of_calls(ran.facts("contract"), verdicts)
    yield from _of_capture(ran)
    yield from of_layers(ran.facts("forward"), ran.facts("build").get("layers", 0))
    yield from of_tables(ran.facts("tables").get("tables", ()))
    yield from _of_numbers(ran)
    yield from _of_sharing(ran.facts("exchange").get("exchanges", ()), "warning")
    yield from _of_forward(ran, "forward")


def _of_draft(ran: Ran, draft: DraftResult) -> Iterator[Problem]:
    yield from _of_calls(ran.facts(f"{draft.name} contract"), draft.verdicts)
    # Workers call a setter on drafts; a target that can't is only odd.
    yield from _of_sharing(ran.facts(f"{draft.name} hand over").get("handed_over", ()), "error")
    build = ran.step(f"{draft.name} build")
    if build and build.outcome == "failed":
        yield Problem(
            kind="draft not built", what=f"{build.name}: {build.reason}", severity="warning", where=build.where
        )
    forward = ran.step(f"{draft.name} forward")
    yield from _of_forward(ran, f"{draft.name} forward", "warning" if _failed_before(forward) else "error")
    yield from of_use(forward.facts.get("used", ()) if forward else ())
    hot = ran.facts(f"{draft.name} hot tokens")
    if hot.get("same") is False:
        what = (
            f"load_weights was given {hot['weight']}, and {hot['member']} is no table of the target's tokens after it"
        )
        yield Problem(kind="hot tokens lost", what=f"{what} but a {hot['found']}", severity="error")


def _failed_before(forward: Step | None) -> bool:
    """Whether a draft's forward can't be run here at all: then it says nothing about what the draft was given."""
    return forward is None or forward.facts.get("before") is not None


def _of_forward(ran: Ran, name: str, severity: Severity = "warning") -> Iterator[Problem]:
    found = ran.step(name)
    if found and found.outcome == "failed":
        what = f"{name}: {found.reason}"
        if severity == "error":
            what += ", and before it was given the target's tables it ran"
        yield Problem(kind="forward failed", what=what, severity=severity, where=found.where)
    if found and found.facts.get("finite") is False:
        yield Problem(kind="not finite", what=f"the logits of the {name} are not finite", severity="error")


def comparison(ran: Ran) -> Comparison | None:
    """The figures beside Transformers' model, and the convention for layer ids; None where they were not compared."""
    facts = ran.facts("reference")
    if "logits_difference" not in facts:
        return None
    compared = facts.get("compared", [])
    differences = [match["difference"] for one in compared for match in one["matches"]]
    return Comparison(
        reference=ran.facts("weights").get("reference", ""),
        logits=facts["logits_difference"],
        decode=facts["decode_difference"],
        states=max(differences) if differences else None,
        convention=_convention(compared) if compared else None,
    )


def _convention(compared: list[dict[str, Any]]) -> str | None:
    """Which state a request gives, said in words. Layer -1 is the embedding."""
    shifts: dict[tuple[int, ...], list[str]] = {}
    for one in compared:
        if not one["asked"]:
            continue
        pairs = zip(one["asked"], one["matches"], strict=False)
        shift = tuple(sorted({match["layer"] - asked for asked, match in pairs}))
        shifts.setdefault(shift, []).append(str(one["asked"]))
    if set(shifts) == {(0,)}:
        return "a layer's id gives its output"
    if set(shifts) == {(-1,)}:
        return "a layer's id gives its input"
    parts = []
    for shift, requests in sorted(shifts.items()):
        named: dict[tuple[int, ...], str] = {(0,): "outputs", (-1,): "inputs"}
        name = named.get(shift, f"states shifted by {', '.join(map(str, shift))}")
        parts.append(f"{', '.join(requests)} gives {name}")
    return "; ".join(parts) or None


def _of_calls(facts: dict[str, Any], verdicts: Sequence[Judgement]) -> Iterator[Problem]:
    """Calls that fail: an error for a member that an algorithm insists on, for others a warning."""
    insisted = {member for one in verdicts for member in one.broken}
    for answer in facts.get("answers", ()):
        for call in answer["calls"]:
            if call["outcome"] in ("raises", "wrong"):
                kind = "call raises" if call["outcome"] == "raises" else "wrong result"
                what = f"{answer['member']}{call['arguments']} gives {call['what']}"
                severity: Severity = "error" if answer["member"] in insisted else "warning"
                yield Problem(kind=kind, what=what, severity=severity, where=call.get("where"))


def _of_capture(ran: Ran) -> Iterator[Problem]:
    facts = ran.facts("forward")
    captured = facts.get("captured") or []
    member = facts.get("capture")
    if not captured:
        return
    layers = ran.facts("build").get("layers", 0)
    if all(one["states"] == 0 for one in captured):
        yield Problem(
            kind="states dropped",
            what=f"{member} is accepted, and no state reaches the logits processor's output",
            severity="error",
        )
        return
    first, *rest = captured
    if first["states"] != len(first["asked"]):
        yield _lost(first, "error", "states lost")
    for one in rest:
        asked = one["asked"]
        if asked is None:
            expected = states_by_default(member)
            if one["states"] != expected:
                what = _got(one, f"asked for its own choice of layers, a model of {layers}")
                yield Problem(kind="short model", what=what, severity="warning", where=one.get("where"))
        elif one["states"] != len(asked):
            last = bool(layers) and layers - 1 in asked
            yield _lost(one, "warning" if last else "error", "last layer lost" if last else "states lost")
    twice = facts.get("asked_twice")
    if twice and twice["states"] not in (None, 1):
        yield Problem(
            kind="requests add up",
            what=f"asked for [0] and then for [1], it gives {twice['states']} states: a request adds to the last one",
            severity="warning",
        )
    wrong_rows = [one for one in captured if one.get("rows_expected")]
    for one in wrong_rows[:1]:
        yield Problem(
            kind="wrong rows",
            what=f"states have {one['rows']} rows for prefill, last tokens and decode, not {one['rows_expected']}",
            severity="error",
        )


def _lost(one: dict[str, Any], severity: Severity, kind: str) -> Problem:
    return Problem(kind=kind, what=_got(one, f"asked for {one['asked']}"), severity=severity, where=one.get("where"))


def _got(one: dict[str, Any], asked: str) -> str:
    if one["states"] is None:
        return f"{asked}, it raises {one['error']}"
    return f"{asked}, it gives {one['states']} state{'' if one['states'] == 1 else 's'} and no error"


def _of_numbers(ran: Ran) -> Iterator[Problem]:
    found = comparison(ran)
    if found is None:
        return
    close = ran.facts("reference")["close"]
    for name, value in (
        ("logits", found.logits),
        ("logits after a decode step", found.decode),
        ("states", found.states),
    ):
        if value is not None and not value <= close:
            what = f"the {name} differ from Transformers' by {value:.2g}"
            yield Problem(kind="numbers differ", what=what, severity="error")


def _of_sharing(done: Iterable[dict[str, Any]], severity: Severity) -> Iterator[Problem]:
    for one in done:
        if one["outcome"] == "nothing":
            yield Problem(kind="sharing fails", what=f"{one['set']}: {one['what']}", severity="warning")
        if one["outcome"] in ("raises", "wrong"):
            tied = " with tied embeddings" if one.get("tied") else ""
            what = f"{one['set']}{tied}: {one['what']}"
            yield Problem(kind="sharing fails", what=what, severity=severity, where=one.get("where"))
