"""Auxiliary hidden states: asked for layer by layer, and followed to the logits processor's output."""

from __future__ import annotations

from typing import Any

from . import boot
from .asking import some_layers, unchanged
from .building import Built
from .channel import Channel, Skipped, place, said
from .forward import LENGTHS, Engine
from .layers import dependence
from .tables import Used, watched


class Captured:
    """What one request for layers gave. `states` are tensors of [tokens, hidden], None where the forward failed."""

    def __init__(self, asked: list[int] | None, states: list[Any] | None, **told: object) -> None:
        self.asked = asked
        self.states = states
        self.told = told

    def as_data(self) -> dict[str, Any]:
        """For the channel."""
        count = None if self.states is None else len(self.states)
        return {"asked": self.asked, "states": count, **self.told}


class Run:
    """All that a forward gave.

    Attributes:
        logits, decode_logits: without capture.
        last: the state before the head, for every token.
        used: the tables that the forward used.
        captured: what each request for layers gave.
    """

    def __init__(self) -> None:
        self.logits: Any = None
        self.last: Any = None
        self.used = Used()
        self.decode_logits: Any = None
        self.captured: list[Captured] = []

    @property
    def joined(self) -> Any:  # noqa: ANN401 - a tensor
        """The states of the first request that gave any, side by side as a draft takes them."""
        import torch

        first = next((one.states for one in self.captured if one.states), None)
        return torch.cat(first, dim=-1) if first else None


def run(package: str, built: Built, job: dict[str, Any], channel: Channel) -> Run:
    """Prefill and decode without capture, then with it: some layers, all, each alone, and the model's own choice."""
    done = Run()
    with channel.step("forward"):
        if job["device"] == "meta":
            raise Skipped("the device meta holds no numbers")
        engine = Engine(package, built, job["device"])
        text = built.text_config
        with watched(engine.tensor(engine.tokens), int(text.vocab_size), int(text.hidden_size)) as done.used:
            output = engine.prefill("NULL")
        done.logits = _logits(output)
        done.decode_logits = _logits(engine.decode())
        channel.tell(logits=list(done.logits.shape), finite=_finite(done.logits) and _finite(done.decode_logits))
        done.last = engine.prefill().hidden_states
        member = next((name for name in job["capture"] if hasattr(built.model, name)), None)
        if member is None:
            channel.tell(capture=None)
            return done
        meaning = next(one for one in job["settings"]["member"] if one["name"] == member)
        channel.tell(capture=member)
        layers = built.layers
        requests: list[list[int] | None] = [some_layers(built), list(range(layers)), *([i] for i in range(layers))]
        if meaning.get("states_by_default"):
            requests.append(None)
        if layers > 2:
            channel.tell(asked_twice=_twice(engine, built, member))
        for asked in requests:
            done.captured.append(_request(engine, built, member, asked))
            channel.tell(captured=[one.as_data() for one in done.captured])
        own_choice = bool(meaning.get("states_by_default"))
        dependence(built, member, lambda: _split(engine.prefill().hidden_states, built), own_choice, channel)
    return done


def _request(engine: Engine, built: Built, member: str, asked: list[int] | None) -> Captured:
    with unchanged(built.model):
        try:
            getattr(built.model, member)(*([] if asked is None else [asked]))
            output = engine.prefill()
            states = _split(output.hidden_states, built)
            last = _split(engine.prefill("LAST").hidden_states, built)
            engine.prefill()
            decoded = _split(engine.decode().hidden_states, built)
        except Exception as error:
            return Captured(asked, None, error=said(error), where=place(error))
    told: dict[str, object] = {"decode_states": len(decoded), "rows": [_rows(states), _rows(last), _rows(decoded)]}
    if states and not all(_finite(one) for one in states):
        told["finite"] = False
    expected = [sum(LENGTHS), len(LENGTHS), len(LENGTHS)]
    if states and told["rows"] != expected:
        told["rows_expected"] = expected
    return Captured(asked, states, **told)


def _twice(engine: Engine, built: Built, member: str) -> dict[str, Any]:
    """The runner asks more than once; the last word counts."""
    with unchanged(built.model):
        try:
            getattr(built.model, member)([0])
            getattr(built.model, member)([1])
            return {"asked": [[0], [1]], "states": len(_split(engine.prefill().hidden_states, built))}
        except Exception as error:
            return {"asked": [[0], [1]], "states": None, "error": said(error), "where": place(error)}


def _split(hidden: Any, built: Built) -> list[Any]:  # noqa: ANN401 - a tensor or None
    """The states that were joined, one beside the other."""
    if hidden is None:
        return []
    width = int(built.text_config.hidden_size)
    if hidden.shape[-1] % width:
        raise ValueError(f"hidden states of width {hidden.shape[-1]}, no multiple of the hidden size {width}")
    return list(hidden.split(width, dim=-1))


def _rows(states: list[Any]) -> int:
    return int(states[0].shape[0]) if states else 0


def _logits(output: Any) -> Any:  # noqa: ANN401 - SGLang's output
    found = getattr(output, "next_token_logits", None)
    if found is None:
        raise Skipped(f"its forward gives {type(output).__name__}, not logits: it is no language model")
    return found


def _finite(tensor: Any) -> bool:  # noqa: ANN401
    import torch

    return bool(torch.isfinite(tensor).all())


def fill(package: str, built: Built, spread: float = 0.05) -> None:
    """Random weights, and what a loader does after it has them."""
    import torch

    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in built.model.named_parameters():
            if parameter.is_floating_point():
                norm = parameter.dim() == 1 and "bias" not in name
                parameter.normal_(1.0 if norm else 0.0, 0.05 if norm else spread)
    boot.after_loading(package, built.model, built.model_config, through_loader=False)
