"""The comments of a module that speak to pylint: `ast` drops comments, so they are read from the tokens."""

from __future__ import annotations

import io
import re
import tokenize

from specint.facts import model as facts

_PRAGMA = re.compile(r"#.*?pylint:\s*(disable-next|disable|skip-file)\b\s*(?:=\s*([\w\-, ]+))?")


def pragmas_of(text: str) -> tuple[facts.Pragma, ...]:
    """Every pragma of a text that parses, in the order of lines."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (match := _PRAGMA.match(token.string)):
            codes = tuple(code.strip() for code in (match[2] or "").split(",") if code.strip())
            own_line = not token.line[: token.start[1]].strip()
            found.append(facts.Pragma(token.start[0], match[1], codes, own_line))
    return tuple(found)
