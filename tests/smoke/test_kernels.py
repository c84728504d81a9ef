"""The kernels in plain PyTorch beside a walk over the same trees; in an environment that has PyTorch."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import specint.smoke.child

pytestmark = pytest.mark.smoke

SCRIPT = """
import importlib.util, random, sys
import torch
spec = importlib.util.spec_from_file_location("kernels", sys.argv[1])
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)
random.seed(3)
for trial in range(200):
    topk, depth, count = random.choice([(1, 3, 4), (2, 2, 5), (4, 3, 8)])
    lengths, trees, parent_lists, chosen = [random.randint(1, 5), random.randint(1, 5)], [], [], []
    for length in lengths:
        # each group of `topk` numbers follows one number of the step before; what follows an unknown one is left out
        parents, following, frontier, number = [-1], {}, [], 0
        for step in range(depth):
            groups = [None] if step == 0 else random.sample(frontier, min(topk, len(frontier)))
            if step:
                parents += groups
            frontier = []
            for parent in groups:
                for _ in range(topk):
                    following[number] = parent
                    frontier.append(number)
                    number += 1
        kept = []
        while len(kept) < count - 1:
            open_ = [n for n in following if n not in kept and (following[n] is None or following[n] in kept)]
            kept.append(random.choice(open_))
        kept.sort()
        trees.append([None] + [0 if following[n] is None else kept.index(following[n]) + 1 for n in kept])
        parent_lists.append(parents + [-1] * 40)
        chosen.append(kept)
    size = 2
    full = sum((length + count) * count for length in lengths)
    for mode, room in ((0, full), (1, size * count * count)):
        mask = torch.ones(room, dtype=torch.bool)
        positions = torch.zeros(size * count, dtype=torch.long)
        index, following_, sibling = (torch.full((size, count), -1) for _ in range(3))
        kernels.build_tree_kernel_efficient(
            torch.tensor([one[: max(map(len, parent_lists))] for one in parent_lists]), torch.tensor(chosen),
            torch.tensor(lengths), mask, positions, index, following_, sibling, topk, depth, count, mode)
        offset = 0
        for request, (tree, length) in enumerate(zip(trees, lengths)):
            for token in range(count):
                line, at = {0}, token
                while at:
                    line.add(at)
                    at = tree[at]
                assert positions[request * count + token] == length + len(line) - 1
                start = offset + (length + count) * token + length if mode == 0 else count * (count * request + token)
                assert mask[start : start + count].tolist() == [other in line for other in range(count)]
                if mode == 0:
                    assert mask[start - length : start].all()  # what was there before is looked at
                children, child = [], int(following_[request, token])
                while child != -1:
                    children.append(child)
                    child = int(sibling[request, child])
                assert children == [other for other in range(1, count) if tree[other] == token]
            offset += (length + count) * count
    assert index.tolist() == [[request * count + token for token in range(count)] for request in range(size)]
    candidates, target = torch.randint(3, (size, count)), torch.randint(3, (size, count))
    predicts = torch.full((size * count,), -1, dtype=torch.int32)
    accepted, number = torch.full((size, depth + 1), -1, dtype=torch.int32), torch.zeros(size, dtype=torch.int32)
    kernels.verify_tree_greedy(
        predicts, accepted, number, candidates, retrive_index=index, retrive_next_token=following_,
        retrive_next_sibling=sibling, target_predict=target)
    for request, tree in enumerate(trees):
        way, at = [0], 0
        while len(way) < depth + 1:
            right = int(target[request, at])
            fits = [one for one in range(1, count) if tree[one] == at and int(candidates[request, one]) == right]
            if not fits:
                break
            at = fits[0]
            way.append(at)
        assert accepted[request].tolist()[: len(way)] == [request * count + one for one in way]
        assert int(number[request]) == len(way) - 1
        assert all(predicts[request * count + one] == target[request, one] for one in way)
print("ok")
"""


def test_trees_and_what_is_accepted_of_them_are_those_of_a_walk(environment: Callable[[str], Path]) -> None:
    kernels = Path(specint.smoke.child.__file__).with_name("kernels.py")
    done = subprocess.run([str(environment("0.5.9")), "-c", SCRIPT, str(kernels)], capture_output=True, text=True)
    assert done.stdout.strip() == "ok", done.stderr
