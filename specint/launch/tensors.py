"""Which tensors a checkpoint's folder has, and their shapes, by the headers of its safetensors files; no more is read.

The format (https://huggingface.co/docs/safetensors): eight bytes with the length of a JSON object that has for each
tensor its type, its shape and where it lies. Everything here is bounded, and what can't be read is one line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from specint.execution.files import Files

LARGEST_HEADER = 100_000_000
"""Bytes; the library that loads them takes no larger one."""
MOST_BYTES = 200_000_000
"""Bytes of all headers of one checkpoint."""
MOST_FILES = 2_000
MOST_TENSORS = 2_000_000
LONGEST_NAME = 1_000
DEEPEST_HEADER = 64
INDEX = "model.safetensors.index.json"
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Tensor:
    """One tensor: its shape where a header says it, and its type."""

    shape: tuple[int, ...] | None = None
    dtype: str = ""


@dataclass(frozen=True)
class Tensors:
    """What a folder has.

    Attributes:
        tensors: by name; those that only an index names have no shape.
        whole: whether all files are here, so that a tensor which isn't among them is in none.
        missing: files that the index names and that are not here, where others are.
        faults: what can't be loaded, a line each.
        unread: why something could not be looked at, a line each.
    """

    tensors: dict[str, Tensor] = field(default_factory=dict)
    whole: bool = False
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class _Fault(Exception):
    """A file that no one can load."""


class _Unread(Exception):
    """A file that specint doesn't read."""


def tensors_of(files: Files, folder: str) -> Tensors | None:
    """The tensors of a checkpoint's folder; None where it has neither an index nor a file of safetensors."""
    if not files.is_folder(folder):
        return None
    here = files.names(folder, SUFFIX)
    faults: list[str] = []
    unread: list[str] = []
    indexed = _index(files, folder, faults, unread) if files.is_there(f"{folder}/{INDEX}") else None
    if not here and indexed is None:
        return Tensors(faults=tuple(faults), unread=tuple(unread)) if faults or unread else None
    wanted = sorted(set(indexed.values())) if indexed is not None else here
    missing = [name for name in wanted if name not in here]
    found: dict[str, Tensor] = {name: Tensor() for name in indexed or {}}
    read = 0
    for name in [one for one in wanted if one in here][:MOST_FILES]:
        try:
            more, size = _header(files, f"{folder}/{name}", MOST_BYTES - read)
        except _Fault as error:
            faults.append(f"{name}: {error}")
            continue
        except (_Unread, OSError) as error:
            unread.append(f"{name}: {error if isinstance(error, _Unread) else error.strerror or 'not readable'}")
            continue
        read += size
        for key, tensor in more.items():
            if key in found and found[key].shape is not None:
                unread.append(f"{name}: {key[:80]!r} is in another file too")
            found[key] = tensor
        if len(found) > MOST_TENSORS:
            unread.append(f"more than {MOST_TENSORS} tensors")
            break
    return Tensors(
        tensors=found,
        # An index alone (its files are fetched later) names all there will be.
        whole=not faults and not unread and (not missing or len(missing) == len(wanted)),
        missing=tuple(missing) if len(missing) < len(wanted) else (),
        faults=tuple(dict.fromkeys(faults))[:8],
        unread=tuple(dict.fromkeys(unread))[:8],
    )


def _index(files: Files, folder: str, faults: list[str], unread: list[str]) -> dict[str, str] | None:
    """The file of each tensor, by an index."""
    path = f"{folder}/{INDEX}"
    if not files.is_file(path):
        unread.append(f"{INDEX} is no file of that folder: a link that leads out of it, a folder or a pipe")
        return None
    try:
        data = files.read(path)
        if len(data) > LARGEST_HEADER:
            unread.append(f"{INDEX} is larger than {LARGEST_HEADER >> 20} MiB")
            return None
        listed = _parsed(data).get("weight_map")
        if not isinstance(listed, dict) or not all(isinstance(one, str) for one in listed.values()):
            raise _Fault("has no weight_map of names and files")
    except _Fault as error:
        faults.append(f"{INDEX} {error}")
        return None
    except (_Unread, OSError) as error:
        unread.append(f"{INDEX}: {error if isinstance(error, _Unread) else error.strerror or 'not readable'}")
        return None
    leaving = next((one for one in listed.values() if "/" in one or "\\" in one or one in ("", ".", "..")), None)
    if leaving is not None:
        faults.append(f"{INDEX} names a file outside of its folder: {leaving[:80]!r}")
        return None
    return dict(listed)


def _header(files: Files, path: str, most: int) -> tuple[dict[str, Tensor], int]:
    if not files.is_file(path):
        raise _Unread("no file of that folder: a link that leads out of it, a folder or a pipe")
    start, size = files.start(path, 8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > size - 8:
        raise _Fault("it ends before its header does")
    if length > LARGEST_HEADER:
        raise _Fault(f"its header has more than {LARGEST_HEADER} bytes")
    if length > most:
        raise _Unread(f"all headers together have more than {MOST_BYTES} bytes")
    listed = _parsed(files.start(path, 8 + length)[0][8:])
    found = {name: _tensor(name, one, size - 8 - length) for name, one in listed.items() if name != "__metadata__"}
    return found, length


def _tensor(name: str, entry: Any, size: int) -> Tensor:
    shape = entry.get("shape") if isinstance(entry, dict) else None
    place = entry.get("data_offsets") if isinstance(entry, dict) else None
    plain = isinstance(shape, list) and all(type(one) is int and one >= 0 for one in shape)
    placed = isinstance(place, list) and len(place) == 2 and all(type(one) is int for one in place)
    if not plain or not placed or len(name) > LONGEST_NAME:
        raise _Fault(f"{name[:80]!r} has no shape or place in its header")
    assert isinstance(place, list)
    assert isinstance(shape, list)
    if not 0 <= place[0] <= place[1] <= size:
        raise _Fault(f"{name[:80]} lies outside of the file, which ends too early")
    return Tensor(tuple(shape), str(entry.get("dtype", ""))[:20])


def _parsed(data: bytes) -> dict[str, Any]:
    """A JSON object, in which no name is there twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise _Unread("has a name twice")
        return made

    if _depth(data) > DEEPEST_HEADER:
        raise _Fault("is nested too deeply for a list of tensors")
    try:
        found = json.loads(data.decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise _Fault("is no JSON") from None
    if not isinstance(found, dict):
        raise _Fault("is no JSON object")
    return found


def _depth(data: bytes) -> int:
    """How deep brackets stand in each other, those in texts too: more than there are, never fewer."""
    most = depth = 0
    for sign in data.translate(None, _NO_BRACKETS):
        depth += 1 if sign in b"[{" else -1
        most = max(most, depth)
    return most


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
