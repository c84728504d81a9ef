# ruff: noqa: ANN401 - tensors, and whatever PyTorch hands over
"""Which tables a forward really uses: the one that it looks token ids up in, and the one that gives the logits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .building import Built
from .channel import Channel


def tell(built: Built, used: Used, job: dict[str, Any], channel: Channel) -> None:
    """What each table that a getter gives is to the model's own forward."""
    with channel.step("tables"):
        told = []
        for meaning in job["settings"]["member"]:
            getter = getattr(built.model, meaning["name"], None)
            if meaning.get("result") in ("embedding and head", "embedding") and getter is not None:
                try:
                    result = getter()
                except Exception:
                    continue  # told as a call that raises
                result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
                told.append({"get": meaning["name"], "is": [used.role(one) for one in result]})
        channel.tell(tables=told)


class Used:
    """The addresses of the embedding and of the head of one forward; None where it was not seen."""

    def __init__(self) -> None:
        self.embedding: int | None = None
        self.head: int | None = None

    def role(self, table: Any) -> str:
        """What a table is to the forward: "embedding", "head", "both" or "neither"; "unknown" where little was seen."""
        at = table.data_ptr()
        if self.embedding is None or self.head is None:
            return "unknown"
        if self.embedding == self.head == at:
            return "both"
        return "embedding" if at == self.embedding else "head" if at == self.head else "neither"


@contextmanager
def watched(tokens: Any, vocabulary: int, hidden: int) -> Iterator[Used]:
    """Watch the forward that runs inside. The last product with a table of the vocabulary's size gives the logits."""
    import torch
    from torch.overrides import TorchFunctionMode

    used = Used()
    count = int(tokens.numel())

    class Watch(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self,
            function: Any,
            _types: Any,
            arguments: Any = (),
            keywords: Any = None,
        ) -> Any:
            given = [*arguments, *(keywords or {}).values()]
            tensors = [one for one in given if isinstance(one, torch.Tensor)]
            name = getattr(function, "__name__", "")
            if name == "embedding" and used.embedding is None:
                used.embedding = _looked_up(tensors, count)
            elif name in ("linear", "matmul", "mm", "__matmul__", "addmm"):
                found = _multiplied(tensors, vocabulary, hidden)
                used.head = used.head if found is None else found
            return function(*arguments, **(keywords or {}))

    with Watch():
        yield used


def _looked_up(tensors: list[Any], count: int) -> int | None:
    ids = [one for one in tensors if not one.is_floating_point() and one.numel() == count]
    table = next((one for one in tensors if one.is_floating_point() and one.dim() == 2), None)
    return int(table.data_ptr()) if ids and table is not None else None


def _multiplied(tensors: list[Any], vocabulary: int, hidden: int) -> int | None:
    """The table among two factors: [vocabulary, hidden], or turned round; a vocabulary may be padded."""
    for one in tensors[1:]:
        if one.dim() == 2 and hidden in one.shape and max(one.shape) >= vocabulary and one.is_floating_point():
            rows = one.shape[0] if one.shape[1] == hidden else one.shape[1]
            if rows >= vocabulary:
                return int(one.data_ptr())
    return None
