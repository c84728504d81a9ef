"""A checkpoint's tensors beside what its class builds of its configuration: sizes, layers, and what is absent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from specint.launch.construction import Built, Part
from specint.launch.fit import Fit, value_of
from specint.launch.tensors import Tensor, Tensors

FLOATS = ("F64", "F32", "F16", "BF16")
"""Of other types are packed weights, whose shape is another."""
_NUMBER = re.compile(r"(\w+)\.(\d+)\.")
WEIGHT = "weight"
FILES = "The library that loads safetensors refuses such a file."
INDEXED = "A file that the index names isn't in the folder: its tensors are never loaded."
SIZE = "The class makes {} ({}) with so many {}, and loads no weight of another size."
LAYERS = "The class builds as many layers as the configuration names; one without tensors keeps what memory held."
ABSENT = "{} ({}) is in no file, and the configuration ties it to no other part: it is never loaded."
KEPT = "The loader keeps that tensor as {}; which tokens a draft's vocabulary has, nothing else says."


def compared_weights(side: str, config: Any, made: Built, found: Tensors, *, own_folder: bool) -> Iterator[Fit]:
    """What of a side's tensors is against its class. `own_folder`: they are of no other side too, as those of a layer
    to predict with are that lies in the target's folder."""
    for name in found.missing[:4]:
        yield _against(f"{side}'s files", "in the index", f"no {name}", INDEXED)
    for fault in found.faults[:4]:
        yield _against(f"{side}'s files", "safetensors", fault, FILES)
    vocabulary = value_of(config, ["vocab_size"])
    named = {path: list(_of_part(part, made, found.tensors)) for path, part in made.parts.items()}
    for path, tensors in named.items():
        part = made.parts[path]
        if part.same is None and len({tensor.shape for _, tensor in tensors}) == 1:
            yield from _sides(side, part, *tensors[0])
    if not found.whole or not found.tensors or not own_folder:
        return
    tables = [path for path, part in made.parts.items() if part.table and part.rows == vocabulary and named[path]]
    yield from _layers(side, config, found, [name for path in tables for name, _ in named[path]])
    for path, part in made.parts.items():
        if part.same is None and not _is_there(path, made, found.tensors) and _has_to_be(side, part, made, vocabulary):
            yield _against(f"{side}'s tensors", path, "not there", ABSENT.format(path, part.cls))
    if side == "draft" and any(part.table and part.rows != vocabulary for part in made.parts.values()):
        for word, attribute in made.kept.items():
            if not any(word in name for name in found.tensors):
                yield _against(f"{side}'s tensors", word, "not there", KEPT.format(attribute))


def _of_part(part: Part, made: Built, tensors: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """The tensors that are a part's weight, by the last word of its path; none where several parts have that word."""
    last = part.path.rpartition(".")[2]
    if sum(other.path.rpartition(".")[2] == last and other.same is None for other in made.parts.values()) > 1:
        return
    ending = f"{last}.{WEIGHT}"
    for name, tensor in tensors.items():
        if name == ending or name.endswith(f".{ending}"):
            yield name, tensor


def _sides(side: str, part: Part, name: str, tensor: Tensor) -> Iterator[Fit]:
    if tensor.shape is None or tensor.dtype not in FLOATS or len(tensor.shape) != 2:
        return
    for what, wanted, there in (("rows", part.rows, tensor.shape[0]), ("columns", part.columns, tensor.shape[1])):
        if wanted is not None:
            reason = SIZE.format(part.path, part.cls, what)
            yield Fit(
                name=f"{side}'s {what} of {name}", target=wanted, draft=there, fits=wanted == there, reason=reason
            )


def _layers(side: str, config: Any, found: Tensors, tables: list[str]) -> Iterator[Fit]:
    """The numbered layers beside the embedding: as many as the configuration names, and those that it names besides."""
    wanted = value_of(config, ["num_hidden_layers"])
    if type(wanted) is not int:
        return
    bodies = {name.removesuffix(f".{WEIGHT}").rpartition(".")[0] for name in tables}
    numbers: dict[str, set[int]] = {}
    for name in found.tensors:
        match = _NUMBER.search(name)
        if match and name[: match.start()].rstrip(".") in bodies:
            numbers.setdefault(name[: match.end(1)], set()).add(int(match[2]))
    if len(numbers) != 1:
        return  # which of several lists is meant isn't known
    there = next(iter(numbers.values()))
    absent = [n for n in range(min(wanted, 100_000)) if n not in there]
    more = max(there) + 1 - wanted
    besides = more <= 0 or _besides(config, more)
    if absent or not besides:
        yield _against(f"{side}'s layers", wanted, len(there), LAYERS)
    else:
        yield Fit(name=f"{side}'s layers", target=wanted, draft=len(there), fits=True, reason=LAYERS)


def _besides(config: Any, number: int) -> bool:
    """Whether a configuration names so many layers of another kind: those to predict with."""
    keys = config if isinstance(config, dict) else getattr(config, "attributes", {})
    return any(value == number and "layer" in str(key) for key, value in keys.items() if type(value) is int)


def _is_there(path: str, made: Built, tensors: dict[str, Tensor]) -> bool:
    """Whether any tensor can be of a part, or of one that is the same: its name has that word."""
    paths = [path, *(other.path for other in made.parts.values() if other.same == path)]
    words = {one.rpartition(".")[2] for one in paths}
    return any(not words.isdisjoint(name.split(".")) for name in tensors)


def _has_to_be(side: str, part: Part, made: Built, vocabulary: Any) -> bool:
    """Whether a part is a checkpoint's own: of a target the tables of its vocabulary; of a draft what the target can't
    hand it (a table of another vocabulary, a layer of its body). Not where the loader speaks of it by another name."""
    last = part.path.rpartition(".")[2]
    if part.rows is None or part.columns is None or any(last in word.split(".") for word in made.words):
        return False
    if side == "target":
        return part.table and part.rows == vocabulary
    return part.rows != vocabulary if part.table else part.path.count(".") <= 1


def _against(name: str, target: Any, draft: Any, reason: str) -> Fit:
    return Fit(name=name, target=target, draft=draft, fits=False, reason=reason)
