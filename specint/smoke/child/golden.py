"""Weights for a draft whose first token is right if and only if it gets the right states of its target.

Greedy verification repairs whatever a draft proposes, so equal tokens say nothing about the states that it was given.
How many tokens are accepted does: the draft's only layer adds nothing, and the matrix that joins the target's states is
fitted, from Transformers' states, to the token after the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .channel import Channel
from .reference import Reference

LOUD = 10.0
"""How much louder what the other states say is, as long as it doesn't cancel."""
BEYOND = 6
"""Tokens after the last one that is asked for, to fit on."""


def greedy(known: Reference, prompt: list[int], count: int) -> list[int]:
    """The tokens that Transformers takes after a prompt."""
    sequence = list(prompt)
    for _ in range(count):
        sequence.append(int(known.run(sequence)[0][-1].argmax()))
    return sequence[len(prompt) :]


def give(
    known: Reference,
    draft: Any,  # noqa: ANN401 - SGLang's draft
    prompts: Sequence[Sequence[int]],
    count: int,
    shape: dict[str, Any],
    channel: Channel,
) -> None:
    """Set the draft's weights.

    Args:
        known: Transformers' model with the target's weights.
        shape: the names of the draft's weights: what joins the states, what is silenced, the norm and the head; and the
            layers whose outputs are captured, as parts of all layers and what is added.
    """
    import torch

    parameters = dict(draft.named_parameters())
    head = next(one for name, one in parameters.items() if name.endswith(shape["head"]))
    codes = _codes(head.shape[0], head.shape[1]).to(head)
    parts: list[list[Any]] = [[] for _ in shape["layers"]]
    following: list[int] = []
    with torch.no_grad():
        for prompt in prompts:
            sequence = [*prompt, *greedy(known, list(prompt), count + BEYOND)]
            states = known.run(sequence)[1]  # the embedding, then each layer's output
            layers = [int((len(states) - 1) * part) + more for part, more in shape["layers"]]
            for rows, layer in zip(parts, layers, strict=True):
                rows.append(states[layer + 1][:-2].double().cpu())
            following += sequence[2:]
        wanted = _shares(codes[following].double().cpu(), len(parts))
        fitted = [
            torch.linalg.lstsq(torch.cat(rows), share, driver="gelsd").solution
            for rows, share in zip(parts, wanted, strict=True)
        ]
        matrix = torch.cat(fitted)
        for name, one in parameters.items():
            if name.endswith(shape["joins"]):
                one.copy_(matrix.T)
            elif name.endswith(tuple(shape["silent"])):
                one.zero_()
            elif name.endswith(shape["norm"]):
                one.fill_(1.0)
            elif name.endswith(shape["head"]):
                one.copy_(codes)
    error = float((torch.cat([torch.cat(rows) for rows in parts], dim=-1) @ matrix - sum(wanted)).abs().max())
    channel.tell(samples=len(following), error=error)


def _shares(codes: Any, count: int) -> list[Any]:  # noqa: ANN401 - tensors
    """What each state is to say: the first the code, the others much louder things that cancel. One wrong state, and
    nothing of the code is heard."""
    import torch

    generator = torch.Generator().manual_seed(2)
    noise = [LOUD * torch.randn(codes.shape, generator=generator, dtype=codes.dtype) for _ in range(max(0, count - 2))]
    last = [-torch.stack(noise).sum(0)] if noise else [torch.zeros_like(codes)] * (count - 1)
    return [codes, *noise, *last]


def _codes(count: int, width: int) -> Any:  # noqa: ANN401 - a tensor
    """A direction for each token, no two of them alike."""
    import torch

    generator = torch.Generator().manual_seed(1)
    return torch.nn.functional.normalize(torch.randn(count, width, generator=generator), dim=-1)
