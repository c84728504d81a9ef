"""What a run shows to be wrong with a model: wrong calls, lost states, numbers that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specint.smoke.knowledge import states_by_default
from specint.smoke.model import Comparison, Problem, Ran


def problems(ran: Ran) -> Iterator[Problem]:
    """Everything but missing members, in the order of the steps."""
    for step in ("contract", "draft contract"):
        yield from _of_calls(ran.facts(step))
    yield from _of_capture(ran)
    yield from _of_numbers(ran)
    yield from _of_sharing(ran)
    for step_name in ("forward", "draft build", "draft forward"):
        found = ran.step(step_name)
        if found and found.outcome == "failed":
            yield Problem(
                kind="forward failed" if "forward" in step_name else "draft not built",
                what=f"{step_name}: {found.reason}",
                severity="warning",
                where=found.where,
            )
    for name in ("forward", "draft forward"):
        if ran.facts(name).get("finite") is False:
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


def _of_calls(facts: dict[str, Any]) -> Iterator[Problem]:
    for answer in facts.get("answers", ()):
        for call in answer["calls"]:
            if call["outcome"] in ("raises", "wrong"):
                kind = "call raises" if call["outcome"] == "raises" else "wrong result"
                what = f"{answer['member']}{call['arguments']} gives {call['what']}"
                yield Problem(kind=kind, what=what, severity="error", where=call.get("where"))


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


def _lost(one: dict[str, Any], severity: Any, kind: str) -> Problem:  # noqa: ANN401 - a literal
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


def _of_sharing(ran: Ran) -> Iterator[Problem]:
    for step in ("exchange", "hand over"):
        facts = ran.facts(step)
        for one in (*facts.get("exchanges", ()), *facts.get("handed_over", ())):
            if one["outcome"] in ("raises", "wrong"):
                tied = " with tied embeddings" if one.get("tied") else ""
                what = f"{one['set']}{tied}: {one['what']}"
                # Workers call a setter on drafts; a target that can't is only odd.
                severity: Any = "error" if step == "hand over" else "warning"
                yield Problem(kind="sharing fails", what=what, severity=severity, where=one.get("where"))
