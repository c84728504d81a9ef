"""Sharing the embedding and the head, as workers do it when they start: set, read back, and the old memory gone."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from .building import Built
from .channel import Channel, Skipped, place, said

WHAT = ("embedding", "head")


def read_back(built: Built, job: dict[str, Any], channel: Channel) -> None:
    """Give the model fresh tensors through every setter it has; it must use them and drop its own."""
    with channel.step("exchange"):
        found = [
            one
            for one in job["settings"]["member"]
            if one.get("read_back") and hasattr(built.model, one["name"]) and hasattr(built.model, one["read_back"])
        ]
        if not found:
            raise Skipped("it has no setter that a getter reads back")
        results = []
        for meaning in sorted(found, key=lambda one: len(one["argument"])):  # the embedding alone first
            results.append(_exchange(built, meaning, job["device"]))
            channel.tell(exchanges=results)


def _exchange(built: Built, meaning: dict[str, Any], device: str) -> dict[str, Any]:
    setter, getter = meaning["name"], meaning["read_back"]
    result: dict[str, Any] = {"set": setter, "get": getter}
    try:
        old = getattr(built.model, getter)()
        old = tuple(old) if isinstance(old, (tuple, list)) else (old,)
        fresh = tuple(_fresh(one) for one in old)
        result["tied"] = len({one.data_ptr() for one in old}) < len(old)
        watched = [weakref.ref(one) for one in old]
        owned = sum({one.data_ptr(): one.numel() * one.element_size() for one in old}.values())
        del old
        before = _allocated(device)
        getattr(built.model, setter)(*fresh)
        gc.collect()
        after = _allocated(device)
        now = getattr(built.model, getter)()
        now = tuple(now) if isinstance(now, (tuple, list)) else (now,)
    except Exception as error:
        return {**result, "outcome": "raises", "what": said(error), "where": place(error)}
    same = [one.data_ptr() == other.data_ptr() for one, other in zip(now, fresh, strict=True)]
    gone = [ref() is None for ref in watched]
    result.update(same=same, old_gone=gone, bytes_owned=owned, allocated_before=before, allocated_after=after)
    if not all(same):
        return {**result, "outcome": "wrong", "what": f"{getter} gives other tensors than {setter} was given"}
    if not all(gone):
        return {**result, "outcome": "wrong", "what": "the model still holds what it had before"}
    return {
        **result,
        "outcome": "ok",
        "what": f"{getter} gives what {setter} was given; {owned} bytes of its own freed",
    }


def _fresh(tensor: Any) -> Any:  # noqa: ANN401 - a tensor
    import torch

    return torch.nn.Parameter(torch.zeros_like(tensor), requires_grad=False)


def _parameters(draft: Built) -> dict[str, int]:
    return {name: one.data_ptr() for name, one in draft.model.named_parameters()}


def _allocated(device: str) -> int | None:
    if not device.startswith("cuda"):
        return None
    import torch

    torch.cuda.synchronize()
    return int(torch.cuda.memory_allocated())


def hand_over(target: Built, draft: Built, job: dict[str, Any], channel: Channel) -> list[tuple[str, tuple[Any, ...]]]:
    """Give the draft the target's embedding and head, through the calls that the contract asks of this draft.

    What was given is returned, with the setter's name. That there is nothing to give ends nothing else.
    """
    handed: list[tuple[str, tuple[Any, ...]]] = []
    try:
        _hand_over(target, draft, job, channel, handed)
    except Skipped:
        pass
    return handed


def _hand_over(
    target: Built, draft: Built, job: dict[str, Any], channel: Channel, handed: list[tuple[str, tuple[Any, ...]]]
) -> None:
    with channel.step("hand over"):
        chosen = [asked for asked in job["asks"] if _applies(asked, draft, job)]
        if not chosen:
            raise Skipped("the contract asks no setter of this draft")
        done = []
        for asked in chosen:
            meaning = next(one for one in job["settings"]["member"] if one["name"] == asked["member"])
            done.append(_give(target, draft, meaning, job, handed))
            channel.tell(handed_over=done)


def _applies(asked: dict[str, Any], draft: Built, job: dict[str, Any]) -> bool:
    """A setter that the workers call on a draft of this kind: its condition holds, or it has none and no other does."""
    if asked["role"] != "draft" or asked["use"] != "call":
        return False
    if not any(one["name"] == asked["member"] and one.get("read_back") for one in job["settings"]["member"]):
        return False
    condition = asked.get("condition")
    if condition is None:
        conditional = [one for one in job["asks"] if one.get("condition") and one["role"] == "draft"]
        return not any(_holds(one["condition"], draft) for one in conditional)
    return _holds(condition, draft)


def _holds(condition: dict[str, Any], draft: Built) -> bool:
    return bool(getattr(draft.model, condition["member"], False)) is condition["holds"]


def _give(
    target: Built,
    draft: Built,
    meaning: dict[str, Any],
    job: dict[str, Any],
    handed: list[tuple[str, tuple[Any, ...]]],
) -> dict[str, Any]:
    result: dict[str, Any] = {"set": meaning["name"]}
    device = job["device"]
    getters = [one["name"] for one in job["settings"]["member"] if one.get("result") == "embedding and head"]
    pair = next((one for one in getters if hasattr(target.model, one)), None)
    if pair is None:
        return {**result, "outcome": "not called", "what": f"the target has no {' or '.join(getters)}"}
    try:
        given = tuple(getattr(target.model, pair)())
    except Exception as error:
        return {**result, "outcome": "not called", "what": f"the target's {pair} raises {said(error)}"}
    try:
        if meaning["argument"] == "embedding":
            given = given[:1]
        before = _allocated(device)
        own = _parameters(draft)
        getattr(draft.model, meaning["name"])(*given)
        handed.append((meaning["name"], given))
        gc.collect()
        after = _allocated(device)
        reader = getattr(draft.model, meaning["read_back"], None)
        read: Any = reader() if reader is not None else ()
        read = tuple(read) if isinstance(read, (tuple, list)) else (read,)
    except Exception as error:
        return {**result, "outcome": "raises", "what": said(error), "where": place(error)}
    named = {one.data_ptr(): name for name, one in draft.model.named_parameters()}
    shared = [one.data_ptr() in named for one in given]
    held = [f"its {what} is the target's ({named.get(one.data_ptr())})" for what, one in zip(WHAT, given, strict=False)]
    result.update(shared=shared, allocated_before=before, allocated_after=after)
    lost = [what for what, one in zip(WHAT, shared, strict=False) if not one]
    if len(lost) == len(shared) and _parameters(draft) == own:
        what = "it does nothing; that is right only if the draft's checkpoint brings its own"
        return {**result, "outcome": "nothing", "what": what}
    if lost:
        return {**result, "outcome": "wrong", "what": f"the draft doesn't hold the target's {' and '.join(lost)}"}
    return {**result, "outcome": "ok", "what": ", ".join(held)}
