"""Whole answers kept on disk, under a key of everything that they depend on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from specint.depth import frames
from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.facts.store import Store

Answer = TypeVar("Answer")


class _Kept(msgspec.Struct, frozen=True):
    """A cached answer, and the other modules it depends on: dotted name to the digest of its text, None for none."""

    also: dict[str, str | None]
    answer: msgspec.Raw


def key_of(tree: Tree, prefixes: list[str], files: tuple[SourceFile, ...], *words: str) -> str:
    """The key of an answer that depends on packages and files of a tree and on some words."""
    digest = blake2b(digest_size=20)
    places = (f"{file.path}={tree.digest(file)}" for file in files)
    for part in (tree.package, tree.origin.version, tree.digest_all(prefixes), *places, *words):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def current_key(tree: Tree, prefixes: list[str], files: tuple[SourceFile, ...], *words: str) -> str | None:
    """The key once more when all was read: somebody may have written meanwhile, and then it is not the answer's."""
    try:
        return key_of(tree, prefixes, files, *words)
    except SpecintError:
        return None


def recall(store: Store, key: str, tree: Tree, kind: type[Answer]) -> Answer | None:
    """The answer that is kept under a key; None without one, or if another module that it depends on has changed."""
    data = store.get("analysis", key)
    if data is None:
        return None
    try:
        kept = msgspec.msgpack.decode(data, type=_Kept)
        if any(_digest(tree, name) != digest for name, digest in kept.also.items()):
            return None
        return msgspec.msgpack.decode(kept.answer, type=kind)
    except (msgspec.MsgspecError, SpecintError):
        return None


def remember(store: Store, key: str, tree: Tree, answer: object, also: tuple[str, ...]) -> None:
    """Keep an answer, with what the modules beside the key's packages were that it depends on."""
    nothing = msgspec.Raw(msgspec.msgpack.encode(None))
    data = bytearray(msgspec.msgpack.encode(_Kept({name: _digest(tree, name) for name in also}, nothing)))
    del data[-len(bytes(nothing)) :]
    msgspec.msgpack.Encoder().encode_into(answer, data, -1)  # megabytes, which are not copied
    store.put("analysis", key, data)


def modules_outside(names: Iterable[str], packages: Iterable[str]) -> tuple[str, ...]:
    """The modules that are not in one of the packages: what is in them is a part of the key already."""
    above = tuple(f"{package}." for package in packages)
    return tuple(dict.fromkeys(name for name in names if not f"{name}.".startswith(above)))


def _digest(tree: Tree, name: str) -> str | None:
    """What a module's text was, or why it could not be read; None where the tree has none."""
    file = tree.find(name)
    try:
        return tree.digest(file) if file is not None else None
    except SpecintError as error:
        return error.what


def _interpreter() -> tuple[object, ...]:
    """What of the running Python can change an answer: its grammar and its tables, what it takes for too long a number,
    and how deep it may go, by which a class that leads on and on is judged or not."""
    return sys.version, sys.implementation.name, sys.get_int_max_str_digits(), frames()


def fingerprint() -> str:
    """What answers depend on besides the tree: the running Python, and specint's own code and rules, so that no edit
    and no other interpreter meets an old cache."""
    from specint.data import rules_folder

    digest = blake2b(repr(_interpreter()).encode(), digest_size=16)
    for folder in (Path(__file__).parent, rules_folder()):
        found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]  # noqa: PTH118
        for path in sorted(name for name in found if name.endswith((".py", ".toml"))):  # Path takes five times as long
            with open(path, "rb") as file:  # noqa: PTH123
                digest.update(path[len(str(folder)) :].encode() + b"\0" + file.read())
    return digest.hexdigest()
