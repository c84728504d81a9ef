"""Kernels that a worker calls and that are compiled for GPUs alone, in plain PyTorch: same arguments, same result.

Written from what the callers do with the results; SGLang has Triton versions of them from some release on, which are
taken where they are there.
"""

from __future__ import annotations

from typing import Any


def build_tree_kernel_efficient(
    parent_list: Any,  # noqa: ANN401 - tensors
    selected_index: Any,  # noqa: ANN401
    lengths: Any,  # noqa: ANN401
    mask: Any,  # noqa: ANN401
    positions: Any,  # noqa: ANN401
    retrieve_index: Any,  # noqa: ANN401
    retrieve_next_token: Any,  # noqa: ANN401
    retrieve_next_sibling: Any,  # noqa: ANN401
    topk: int,
    depth: int,  # noqa: ARG001 - the kernel's own signature
    count: int,
    mask_mode: int,
) -> None:
    """Fill in the draft tree of each request: who follows whom, at which position, and what each token may look at.

    Args:
        parent_list: for each group of `topk` tokens the number of the token that they follow.
        selected_index: which of all drafted tokens were kept, without the root.
        count: tokens in the tree, the root included.
        mask_mode: 0 for a mask over the whole sequence, else over the tree alone.
    """
    offset = 0
    for request, length in enumerate(int(one) for one in lengths):
        parents = _parents(parent_list[request].tolist(), selected_index[request].tolist(), topk, count)
        for token in range(count - 1, 0, -1):
            retrieve_index[request, token] = request * count + token
            parent = parents[token]
            if parent is not None:
                following = int(retrieve_next_token[request, parent])
                retrieve_next_token[request, parent] = token
                if following != -1:
                    retrieve_next_sibling[request, token] = following
        retrieve_index[request, 0] = request * count
        for token in range(count):
            seen = _line(token, parents)
            positions[request * count + token] = length + len(seen) - 1
            if int(mask_mode) == 0:
                start = offset + (length + count) * token + length
            else:
                start = count * count * request + count * token
            mask[start : start + count] = mask.new_tensor([other in seen for other in range(count)])
        offset += (length + count) * count


def _parents(parent_list: list[int], selected: list[int], topk: int, count: int) -> list[int | None]:
    """The place in the tree of the token that each one follows; None where that one was not kept."""
    parents: list[int | None] = [None]
    for token in range(1, count):
        group = selected[token - 1] // topk
        if group == 0:
            parents.append(0)
        else:
            followed = parent_list[group]
            parents.append(selected.index(followed) + 1 if followed in selected else None)
    return parents


def _line(token: int, parents: list[int | None]) -> set[int]:
    """A token, those that it follows, and the root."""
    seen = {0}
    current: int | None = token
    while current:
        seen.add(current)
        current = parents[current]
    return seen


def verify_tree_greedy(
    predicts: Any,  # noqa: ANN401 - tensors
    accept_index: Any,  # noqa: ANN401
    accept_token_num: Any,  # noqa: ANN401
    candidates: Any,  # noqa: ANN401
    retrieve_index: Any = None,  # noqa: ANN401
    retrieve_next_token: Any = None,  # noqa: ANN401
    retrieve_next_sibling: Any = None,  # noqa: ANN401
    target_predict: Any = None,  # noqa: ANN401
    **spelt_otherwise: Any,  # noqa: ANN401 - `retrive_index` in some releases
) -> None:
    """Follow the tree as long as a drafted token is the one that the target would have taken."""
    retrieve_index = spelt_otherwise.get("retrive_index", retrieve_index)
    retrieve_next_token = spelt_otherwise.get("retrive_next_token", retrieve_next_token)
    retrieve_next_sibling = spelt_otherwise.get("retrive_next_sibling", retrieve_next_sibling)
    predicted = target_predict.reshape(-1)
    for request in range(candidates.shape[0]):
        last = int(retrieve_index[request, 0])
        accept_index[request, 0] = last
        accepted, token = 0, 0
        for _ in range(1, accept_index.shape[1]):
            token = int(retrieve_next_token[request, token])
            while token != -1 and int(candidates[request, token]) != int(predicted[last]):
                token = int(retrieve_next_sibling[request, token])
            if token == -1:
                break
            predicts[last] = predicted[last]
            last = int(retrieve_index[request, token])
            accepted += 1
            accept_index[request, accepted] = last
        accept_token_num[request] = accepted
        predicts[last] = predicted[last]
