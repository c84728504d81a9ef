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
    joined, following = [], []
    with torch.no_grad():
        for prompt in prompts:
            sequence = [*prompt, *greedy(known, list(prompt), count + BEYOND)]
            states = known.run(sequence)[1]  # the embedding, then each layer's output
            layers = [int((len(states) - 1) * part) + more for part, more in shape["layers"]]
            side_by_side = torch.cat([states[layer + 1] for layer in layers], dim=-1)
            joined.append(side_by_side[:-2])
            following += sequence[2:]
        rows = torch.cat(joined).double()
        wanted = codes[following].double()
        matrix = torch.linalg.lstsq(rows.cpu(), wanted.cpu(), driver="gelsd").solution
        for name, one in parameters.items():
            if name.endswith(shape["joins"]):
                one.copy_(matrix.T)
            elif name.endswith(tuple(shape["silent"])):
                one.zero_()
            elif name.endswith(shape["norm"]):
                one.fill_(1.0)
            elif name.endswith(shape["head"]):
                one.copy_(codes)
    error = float((rows.cpu() @ matrix - wanted.cpu()).abs().max())
    channel.tell(samples=len(following), error=error)


def _codes(count: int, width: int) -> Any:  # noqa: ANN401 - a tensor
    """A direction for each token, no two of them alike."""
    import torch

    generator = torch.Generator().manual_seed(1)
    return torch.nn.functional.normalize(torch.randn(count, width, generator=generator), dim=-1)
