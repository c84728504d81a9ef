"""Which files the plugin has anything to say about: decided by where they lie and one word in their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from specint.contract.declared import declared
from specint.reading import read_regular


def may_register(content: bytes) -> bool:
    """Whether a text has one of the words without which it registers no model: the attribute that SGLang reads, and
    the name of its registry."""
    code = declared().code
    return code.registry_attribute.encode() in content or code.registry.encode() in content


def defines(content: bytes, names: Iterable[str]) -> bool:
    """Whether a text may define a class of one of these names, dotted or plain."""
    return any(re.search(rb"\bclass\s+%s\b" % re.escape(name.rpartition(".")[2].encode()), content) for name in names)


class LintedFile(NamedTuple):
    """A file that may hold models or callers of models.

    Attributes:
        path: where it lies, absolute.
        text: what pylint was given in its place (stdin, an editor's buffer); None where it reads the file.
        sglang: the SGLang that it is a part of, None for one of the user's own.
        holds_models: whether it registers a model.
    """

    path: Path
    text: str | None
    sglang: Path | None
    holds_models: bool


def linted_file(
    place: str | None, given: str | bytes | None, own: Sequence[Path], demanded: Callable[[], Iterable[str]]
) -> LintedFile | None:
    """What pylint is looking at, None if it is no concern of ours.

    Args:
        own: the user's folders of models.
        demanded: names of classes that somebody demands something of; asked for only where they could matter.
    """
    if not place:
        return None
    path = Path(place).absolute()
    sglang = _sglang_above(path.parent)
    if sglang is not None and not path.is_relative_to(sglang / "srt"):
        return None
    text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
    content = _content(path) if text is None else text.encode("utf-8", "surrogateescape")
    holds_models = may_register(content) or (sglang is None and b"class " in content and defines(content, demanded()))
    if sglang is None and not holds_models and not any(path.is_relative_to(folder) for folder in own):
        return None
    return LintedFile(path, text, sglang, holds_models)


@lru_cache(maxsize=4096)
def _sglang_above(folder: Path) -> Path | None:
    """The nearest folder above that is SGLang, under whatever name: it has models in `srt/models`."""
    if (folder / "srt" / "models").is_dir():
        return folder
    return None if folder.parent == folder else _sglang_above(folder.parent)


def _content(path: Path) -> bytes:
    try:
        return read_regular(path)
    except OSError:
        return b""  # pylint has its own message for that
