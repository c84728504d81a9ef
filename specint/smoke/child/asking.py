"""What the contract asks of a model object, asked of a real one: is the member there, and what does the call give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .building import Built
from .channel import Channel, place, said


def ask(built: Built, job: dict[str, Any], channel: Channel, role: str) -> None:
    """Tell for every member whether the object has it, and do the calls that can be done without changing a weight."""
    model = built.model
    with channel.step("contract"):
        channel.tell(has={member: has(model, member) for member in job["members"]})
        meanings = {one["name"]: one for one in job["settings"]["member"]}
        answers = []
        for asked in job["asks"]:
            if asked["role"] in (role, "both"):
                with unchanged(model):
                    answers.append(_answer(built, asked, meanings.get(asked["member"], {})))
                channel.tell(answers=answers)


def has(model: Any, member: str) -> dict[str, Any]:  # noqa: ANN401 - any model
    """Whether `hasattr` says yes, who provides the member, and what it is where it can be a flag.

    `config.text_config` is asked part by part; `layers[]` is the first of the layers.
    """
    *parts, last = member.split(".")
    holder = model
    for part in parts:
        name, listed, _ = part.partition("[]")
        try:
            holder = getattr(holder, name)
            holder = next(iter(holder)) if listed else holder
        except (AttributeError, TypeError, StopIteration) as error:
            return {"there": False, "why": said(error)}
    try:
        value = getattr(holder, last)
    except AttributeError as error:
        shown = any(last in vars(owner) for owner in type(holder).__mro__)
        return {"there": False, "why": said(error) if shown else None}  # a property that raises looks absent
    except Exception as error:
        return {"there": True, "why": said(error)}
    told = {"there": True, "provider": None if parts else provider(model, member)}
    if value is None or isinstance(value, (bool, int, str)):
        told["truth"] = bool(value)
    return told


def provider(model: Any, member: str) -> str | None:  # noqa: ANN401
    """The class that defines a member, "instance" for what a constructor set, None for what only __getattr__ knows."""
    if member in vars(model) or any(member in getattr(model, part, {}) for part in _REGISTERED):
        return "instance"
    owner = next((owner for owner in type(model).__mro__ if member in vars(owner)), None)
    return f"{owner.__module__}.{owner.__qualname__}" if owner else None


_REGISTERED = ("_parameters", "_modules", "_buffers")


def _answer(built: Built, asked: dict[str, Any], meaning: dict[str, Any]) -> dict[str, Any]:
    member = asked["member"]
    there = has(built.model, member)
    answer: dict[str, Any] = {"member": member, "use": asked["use"], "role": asked["role"], **there, "calls": []}
    answer["algorithms"] = asked["algorithms"]
    if not there["there"] or asked["use"] != "call":
        return answer
    for count in asked["calls"]:
        arguments, why_not = _arguments(built, count, meaning)
        if asked["keywords"]:
            why_not = "what its keywords take is not known"
        if why_not is None and not (meaning or (count == 0 and asked["unpacks"])):
            why_not = "nothing says what it does"
        if why_not is None:
            answer["calls"].append(_call(built, member, arguments, asked, meaning))
        else:
            answer["calls"].append({"arguments": count, "outcome": "not called", "what": why_not})
    return answer


def _arguments(built: Built, count: int, meaning: dict[str, Any]) -> tuple[list[Any], str | None]:
    if count == 0:
        return [], None
    kind = meaning.get("argument")
    if kind == "layer ids" and count == 1:
        return [some_layers(built)], None
    if kind in ("embedding and head", "embedding"):
        return [], "tried last, since it changes weights"
    return [], "what it takes is not known"


@contextmanager
def unchanged(model: Any) -> Iterator[None]:  # noqa: ANN401
    """Undo afterwards what was set on the modules: some setters add to what an earlier call asked for."""
    kept = [
        (part, {name: list(value) if isinstance(value, list) else value for name, value in vars(part).items()})
        for part in model.modules()
    ]
    try:
        yield
    finally:
        for part, values in kept:
            vars(part).clear()
            vars(part).update(values)


def some_layers(built: Built) -> list[int]:
    """Three layers that every convention can give: the first ones, without the last."""
    return list(range(min(3, max(1, built.layers - 1))))


def _call(
    built: Built, member: str, arguments: list[Any], asked: dict[str, Any], meaning: dict[str, Any]
) -> dict[str, Any]:
    shown = f"({', '.join(map(str, arguments))})"
    try:
        result = getattr(built.model, member)(*arguments)
    except Exception as error:
        return {"arguments": shown, "outcome": "raises", "what": said(error), "where": place(error)}
    problem = _problem(result, built, asked, meaning)
    return {"arguments": shown, "outcome": "wrong" if problem else "ok", "what": problem or _shown(result)}


def _problem(result: Any, built: Built, asked: dict[str, Any], meaning: dict[str, Any]) -> str | None:  # noqa: ANN401
    count = asked["unpacks"]
    if count is not None:
        try:
            found = len(tuple(result))
        except TypeError:
            return f"{_shown(result)}, which the caller unpacks into {count}"
        if found != count:
            return f"{found} values, which the caller unpacks into {count}"
    kind = meaning.get("result")
    if kind == "embedding and head":
        parts = tuple(result)
        return next((bad for part in parts if (bad := _no_table(part, built))), None)
    if kind == "embedding":
        return _no_table(result, built)
    if kind == "module" and not callable(result):
        return f"{_shown(result)}, which can't be called"
    return None


def _no_table(value: Any, built: Built) -> str | None:  # noqa: ANN401
    """Why a value is not a [vocabulary, hidden] tensor, None if it is. A vocabulary may be padded."""
    import torch

    text = built.text_config
    vocabulary, hidden = int(text.vocab_size), int(text.hidden_size)
    if not isinstance(value, torch.Tensor):
        return f"{_shown(value)}, not a tensor of [{vocabulary}, {hidden}]"
    if value.dim() != 2 or value.shape[0] < vocabulary or value.shape[1] != hidden:
        return f"{_shown(value)}, not [{vocabulary}, {hidden}]"
    return None


def _shown(value: Any) -> str:  # noqa: ANN401
    import torch

    if isinstance(value, torch.Tensor):
        return f"[{', '.join(map(str, value.shape))}] on {value.device}"
    if isinstance(value, (tuple, list)) and len(value) <= 4:
        return " and ".join(_shown(one) for one in value) or "nothing"
    return type(value).__name__
