"""Where foreign text becomes output: names, paths and code of strangers, in documents that terminals and CI logs show.

Formats escape what their syntax asks for, where they write it. Here is what no format cares about and every reader's
machine does: characters that steer a terminal, and lines that a CI server takes for commands. What is found is spelled
out in the way of the format, so that a JSON or XML document still says the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from specint.errors import COMMAND

Form = Literal["text", "markdown", "json", "xml", "html", "github"]

_ODD = re.compile("[^\\x20-\\x7e\\t\\n]")
"""What may not be printable; the others are ASCII, and need no look."""

_PLAIN = bytes([*range(0x20, 0x7F), ord("\t"), ord("\n")])

_LINE = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
"""GitHub's commands: at the start of a line, blanks before it do not count."""


def plain(document: bytes, form: Form) -> bytes:
    """A document in which foreign text can only be read.

    A `github` document is made of commands, whose texts its own module escapes.
    """
    colon, hash_ = _SIGNS[form]
    if _is_plain(document) and not (colon and b"::" in document):  # as nearly all are, and a matrix has megabytes
        return document
    text = document.decode("utf-8", "surrogatepass")
    text = _ODD.sub(lambda match: _spelled(match[0], form), text)
    if hash_:
        text = COMMAND.sub(lambda _: hash_, text)
    if colon:
        text = _LINE.sub(lambda match: match[1] + colon, text)
    return text.encode()


def _is_plain(document: bytes) -> bool:
    """Whether all of it is printable, and nothing looks like the older commands."""
    odd = document.translate(None, delete=_PLAIN).decode("utf-8", "surrogatepass")
    return (not odd or odd.isprintable()) and b"##" not in document


def readable(text: str) -> str:
    """A piece of text for a terminal, without what could steer it; the ends of lines stay."""
    if text.isprintable() and "##" not in text:
        return text
    return COMMAND.sub(r"\\x23", _ODD.sub(lambda match: _spelled(match[0], "text"), text))


def lines(text: str) -> str:
    """Whole lines of text for a log: none of them is a command."""
    return _LINE.sub(r"\1\\x3a", text)


def _spelled(sign: str, form: Form) -> str:
    return sign if sign.isprintable() else _SPELLING[form](sign)


def _as_python(sign: str) -> str:
    return ascii(sign)[1:-1]


def _as_json(sign: str) -> str:
    """In a JSON text, and in the JSON and JavaScript of a page, what is not printable stands within strings."""
    code = ord(sign)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def _as_xml(sign: str) -> str:
    code = ord(sign)
    forbidden = (code < 0x20 and code != 0x0D) or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF)
    return "\N{REPLACEMENT CHARACTER}" if forbidden else f"&#{code};"


_SPELLING: dict[Form, Callable[[str], str]] = {
    "text": _as_python,
    "markdown": _as_python,
    "github": _as_python,
    "json": _as_json,
    "html": _as_json,
    "xml": _as_xml,
}
_SIGNS: dict[Form, tuple[str, str]] = {
    "text": ("\\x3a", "\\x23"),
    "markdown": ("&#58;", "&#35;"),
    "github": ("", "\\x23"),
    "json": ("", "\\u0023"),
    "html": ("", "\\u0023"),
    "xml": ("&#58;", "&#35;"),
}
