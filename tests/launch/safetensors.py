"""Files of safetensors as the tests write them: a header, and as many bytes after it as it says (none on the disk)."""

import json
import struct
from itertools import accumulate
from math import prod
from pathlib import Path


def write(path: Path, shapes: dict[str, tuple[int, ...]], dtype: str = "BF16") -> None:
    """A file with tensors of these shapes."""
    sizes = [2 * prod(shape) for shape in shapes.values()]
    ends = list(accumulate(sizes))
    header = {
        name: {"dtype": dtype, "shape": list(shape), "data_offsets": [end - size, end]}
        for (name, shape), size, end in zip(shapes.items(), sizes, ends, strict=True)
    }
    write_header(path, json.dumps(header).encode(), ends[-1] if ends else 0)


def write_header(path: Path, header: bytes, size: int = 0, length: int | None = None) -> None:
    """A file with this header; `length` is what it says of the header's, if not the truth."""
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header) if length is None else length) + header)
        file.truncate(8 + len(header) + size)


def index(folder: Path, files: dict[str, str]) -> None:
    """An index of which file each tensor is in."""
    text = json.dumps({"metadata": {"total_size": 1}, "weight_map": files})
    (folder / "model.safetensors.index.json").write_text(text)
