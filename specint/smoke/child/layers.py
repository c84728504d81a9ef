"""Of which layers a captured state is made, seen from outside: change one layer, and look which states change.

Nothing is asked of how a model hands its states on (in a pair with a residual, in the batch, in one tensor), so it
holds for every model whose decoder layers can be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .asking import unchanged
from .building import Built
from .channel import Channel, said

NAMES = ("layers", "h", "blocks")


def dependence(built: Built, member: str, capture: Any, own_choice: bool, channel: Channel) -> None:  # noqa: ANN401
    """Tell for some requests which layer's output each state is (-1 for the embedding), and which states are nothing
    but a layer's own contribution.

    Args:
        capture: a function of no arguments that runs a prefill and gives the captured states.
        own_choice: ask the model for the layers that it takes by itself, too.
    """
    layers = decoder_layers(built.model, built.layers)
    if not layers:
        return
    requests: list[list[int] | None] = [[0, 1, 2], [1], [1, 3, 5]]
    requests = [one for one in requests if one and max(one) < len(layers) - 1]
    if own_choice:
        requests.append(None)
    told = []
    for asked in requests:
        with unchanged(built.model):
            try:
                getattr(built.model, member)(*([] if asked is None else [asked]))
                told.append({"asked": asked, **_of_one(layers, capture)})
            except Exception as error:
                told.append({"asked": asked, "error": said(error)})
    channel.tell(dependence=told)


def decoder_layers(model: Any, count: int) -> list[Any]:  # noqa: ANN401 - any model
    """The layers of the language model: the list of as many modules as its configuration says; none if not found."""
    import torch

    found = [
        part
        for name, part in model.named_modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == count and name.rpartition(".")[2] in NAMES
    ]
    return list(found[0]) if found else []


def _of_one(layers: list[Any], capture: Any) -> dict[str, Any]:  # noqa: ANN401
    before = capture()
    deepest = [-1] * len(before)
    for number, layer in enumerate(layers):
        with _changed(layer, lambda values: values + 0.1 * values.flatten().roll(1).view_as(values) + 0.01):
            after = capture()
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            if not bool((one == other).all()):
                deepest[place] = number
    with _silent(layers):
        empty = [not bool(one.any()) for one in capture()]
    return {"layers": deepest, "without_residual": empty}


@contextmanager
def _silent(layers: list[Any]) -> Iterator[None]:
    """Layers that contribute nothing: what is left in a state is what came in, through the residual."""
    with _changed(layers[0], lambda values: values * 0):
        if len(layers) == 1:
            yield
        else:
            with _silent(layers[1:]):
                yield


@contextmanager
def _changed(layer: Any, change: Any) -> Iterator[None]:  # noqa: ANN401 - a module, a function of a tensor
    import torch

    tables = [one for one in layer.parameters() if one.is_floating_point() and one.dim() > 1]
    kept = [one.detach().clone() for one in tables]
    with torch.no_grad():
        for one in tables:
            one.copy_(change(one))
    try:
        yield
    finally:
        with torch.no_grad():
            for one, values in zip(tables, kept, strict=True):
                one.copy_(values)
