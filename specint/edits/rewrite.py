"""One file with some edits made, as bytes: its encoding, byte-order mark and line endings stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from specint.edits.model import Edit
from specint.edits.placing import source_lines, spliced
from specint.edits.proof import prove_additions
from specint.errors import SpecintError
from specint.parsing import Unparsable, parsed
from specint.source.tree import content_digest, encoding_of


def rewritten(data: bytes, path: str, edits: Sequence[Edit]) -> bytes:
    """The file after the edits, in their order where several are at one place.

    Raises:
        SpecintError: the file is not the one that was analysed, or what would come out is no Python.
    """
    if any(edit.digest != content_digest(data) for edit in edits):
        raise SpecintError("has changed since it was analysed", path, "run it again")
    lines = spliced(source_lines(data, path), [splice for edit in edits for splice in edit.splices])
    try:
        made = "".join(lines).encode(encoding_of(data))
    except UnicodeError:
        raise SpecintError(f"what is to be written isn't of its encoding, {encoding_of(data)}", path) from None
    _parse(made, path)
    if all(edit.kind == "add" for edit in edits):
        prove_additions(data, made, path, edits)
    return made


def _parse(data: bytes, path: str) -> None:
    try:
        parsed(data)
    except Unparsable as error:
        raise SpecintError(f"would not parse after the fix: {error.what}", path) from None
