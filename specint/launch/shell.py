"""A shell script as the simple commands that are in it, with the words that each of them gets.

What only running tells (the output of a command, a variable that nothing sets) stays as it is written, and is told.
Nothing is run, no file is read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from specint.errors import SpecintError
from specint.parsing import Unparsable, parsed_expression

LONGEST_VALUE = 1 << 16
MOST_COMMANDS = 20_000
DEEPEST = 20
"""The most levels of `${a:-${b:-…}}` and of arrays in each other; past them what is inside isn't known."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!-]")
_BRACED = re.compile(r"([A-Za-z_]\w*|\d+|[@*])(\[[@*]\])?(?::?([-=+?])(.*))?", re.DOTALL)
_NONE = re.compile(r'\$(?:[@*]|\{[@*]\}|\{\w+\[[@*]\]\})"')
_SUM = re.compile(r"[\d\s+*/%()-]{1,80}")
KEYWORDS = ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "command")
SETTING = ("export", "declare", "typeset", "local", "readonly")


@dataclass(frozen=True)
class Simple:
    """One command: its words, the variables that are exported to it, and the parts of words that are not known."""

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def simple_commands(text: str, given: Mapping[str, str] | None = None) -> Iterator[Simple]:
    """The commands of a script in their order, as if each line ran; `given` is the environment that it starts with."""
    reader = _Reader(text, dict(given or {}))
    for _ in range(MOST_COMMANDS):
        words = reader.command()
        if words is None:
            return
        yield from reader.meaning(words)


class _Reader:
    def __init__(self, text: str, given: dict[str, str], depth: int = 0) -> None:
        self.depth = depth
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.variables = dict(given)
        self.exported = set(given)
        self.arrays: dict[str, list[str]] = {}
        self.unknown: list[str] = []
        self.documents: list[str] = []
        self.fields: list[str] = []
        self.current: str | None = None

    # -- commands --------------------------------------------------------------------------------------------------
    def command(self) -> list[str] | None:
        """The words of the next command; None at the end."""
        self._begin()
        text, end = self.text, len(self.text)
        while self.at < end:
            sign = text[self.at]
            if sign in " \t":
                self._close()
            elif text.startswith("\\\n", self.at):
                self.at += 1
            elif sign == "#" and self.current is None:
                self._skip_line()
                continue
            elif text.startswith("&>", self.at):
                self.at += 1
                continue
            elif sign in "<>":
                self._redirect()
                continue
            elif sign == "(" and self.current is not None and self.current.endswith("="):
                self._array()
                continue
            elif sign in "\n;&|()":
                self.at += 1
                if sign == "\n" and self.documents:
                    self._skip_documents()
                self._close()
                if self.fields:
                    return self.fields
                continue
            else:
                self._part(sign)
                continue
            self.at += 1
        self._close()
        return self.fields or None

    def meaning(self, words: list[str]) -> Iterator[Simple]:
        """What a command does: it sets variables, or it is one to be looked at."""
        unknown = tuple(self.unknown)
        while words and words[0] in KEYWORDS:
            words = words[1:]
        before = 0
        while before < len(words) and _ASSIGNMENT.fullmatch(words[before]):
            before += 1
        own, rest = words[:before], words[before:]
        if not rest:
            for word in own:
                self._set(word)
        elif rest[0] in SETTING:
            for word in rest[1:]:
                name = self._set(word) if _ASSIGNMENT.fullmatch(word) else word
                if rest[0] == "export" or "-x" in rest:
                    self.exported.add(name)
        elif rest[0] == "unset":
            for word in rest[1:]:
                self.variables.pop(word, None)
        else:
            environment = {name: self.variables[name] for name in sorted(self.exported) if name in self.variables}
            for word in own:
                name, _, value = word.partition("=")
                environment[name] = value
            yield Simple(tuple(rest), environment, unknown)

    def _set(self, word: str) -> str:
        found = _ASSIGNMENT.fullmatch(word)
        assert found is not None
        value = (self.variables.get(found[1], "") if found[2] else "") + found[3]
        if len(value) > LONGEST_VALUE:
            raise SpecintError(f"the variable {found[1]} becomes longer than {LONGEST_VALUE >> 10} KiB", "COMMAND")
        self.variables[found[1]] = value
        return found[1]

    def _begin(self) -> None:
        self.fields, self.current, self.unknown = [], None, []

    # -- words -----------------------------------------------------------------------------------------------------
    def _close(self) -> None:
        if self.current is not None:
            self.fields.append(self.current)
            self.current = None

    def _add(self, text: str) -> None:
        self.current = (self.current or "") + text
        if len(self.current) > LONGEST_VALUE:
            raise SpecintError(f"a word is longer than {LONGEST_VALUE >> 10} KiB", "COMMAND")

    def _part(self, sign: str) -> None:
        if sign == "'":
            end = self._to("'", self.at + 1)
            self._add(self.text[self.at + 1 : end])
            self.at = end + 1
        elif sign == '"':
            self._quoted()
        elif sign == "\\":
            self._add(self.text[self.at + 1 : self.at + 2])
            self.at += 2
        elif sign == "$" and self.text.startswith("$'", self.at):
            self.at += 1
        elif sign in "$`":
            self._expanded(quoted=False)
        else:
            self._add(sign)
            self.at += 1

    def _quoted(self) -> None:
        self.at += 1
        if not _NONE.match(self.text, self.at):
            self._add("")  # a word though it is empty, but for the arguments of a script that gets none
        while self.at < len(self.text) and self.text[self.at] != '"':
            sign = self.text[self.at]
            if sign == "\\" and self.text[self.at + 1 : self.at + 2] in ("$", '"', "\\", "`", "\n"):
                after = self.text[self.at + 1]
                self._add("" if after == "\n" else after)
                self.at += 2
            elif sign in "$`":
                self._expanded(quoted=True)
            else:
                self._add(sign)
                self.at += 1
        self.at += 1

    def _expanded(self, *, quoted: bool) -> None:
        start, text = self.at, self.text
        if text[start] == "`":
            self.at = self._to("`", start + 1) + 1
            self._not_known(text[start : self.at])
        elif text.startswith("$((", start):
            self.at = self._balanced(start + 1)
            self._sum(text[start : self.at])
        elif text.startswith("$(", start):
            self.at = self._balanced(start + 1)
            name = text[start + 2 : self.at - 1]
            if name in self.variables:  # as Kubernetes writes a variable
                self._value(self.variables[name], quoted=quoted)
            else:
                self._not_known(text[start : self.at])
        elif text.startswith("${", start):
            self.at = self._balanced(start + 1, "{}")
            if self.at - start > LONGEST_VALUE:
                raise SpecintError(f"a word is longer than {LONGEST_VALUE >> 10} KiB", "COMMAND")
            self._braced(text[start + 2 : self.at - 1], text[start : self.at], quoted=quoted)
        elif found := _NAME.match(text, start + 1):
            self.at = found.end()
            self._braced(found[0], f"${found[0]}", quoted=quoted)
        else:
            self._add("$")
            self.at += 1

    def _braced(self, inside: str, written: str, *, quoted: bool) -> None:
        found = _BRACED.fullmatch(inside)
        if found is None:
            self._not_known(written)
            return
        name, every, how, other = found.groups()
        if every or (name in "@*" and not how):
            # The script's own arguments: it is asked about as it runs without any.
            for n, one in enumerate(self.arrays.get(name, [])):
                if n:
                    self._close()
                self._add(one)
        elif how == "+":
            self._value(self._filled(other or "") if self.variables.get(name) else "", quoted=quoted)
        elif self.variables.get(name) or (name in self.variables and not how):
            self._value(self.variables[name], quoted=quoted)
        elif how in ("-", "="):
            self._value(self._filled(other or ""), quoted=quoted)
        else:
            self._not_known(written)

    def _filled(self, text: str) -> str:
        """What stands in place of a variable that is not set, filled in itself."""
        if "$" not in text and "`" not in text and "'" not in text and '"' not in text:
            return text
        if self.depth == DEEPEST:
            self.unknown.append(text)
            return text
        inner = _Reader(text, self.variables, self.depth + 1)
        inner.arrays = self.arrays
        words = inner.command() or []
        self.unknown += inner.unknown
        return " ".join(words)

    def _value(self, value: str, *, quoted: bool) -> None:
        if quoted:
            self._add(value)
            return
        parts = value.split()
        if value[:1].isspace():
            self._close()
        for n, part in enumerate(parts):
            if n:
                self._close()
            self._add(part)
        if value[-1:].isspace():
            self._close()

    def _not_known(self, written: str) -> None:
        self.unknown.append(written)
        self._add(written)

    def _sum(self, written: str) -> None:
        inside = re.sub(r"\$?([A-Za-z_]\w*)", lambda m: self.variables.get(m[1], m[0]), written[3:-2])
        value = _reckoned(inside)
        if value is None:
            self._not_known(written)
        else:
            self._add(str(value))

    # -- what is passed over -----------------------------------------------------------------------------------------
    def _to(self, sign: str, start: int) -> int:
        found = self.text.find(sign, start)
        return len(self.text) if found < 0 else found

    def _balanced(self, start: int, pair: str = "()") -> int:
        """The place after the bracket that closes the one at a place."""
        depth = 0
        for at in range(start, len(self.text)):
            depth += (self.text[at] == pair[0]) - (self.text[at] == pair[1])
            if depth == 0:
                return at + 1
        return len(self.text)

    def _skip_line(self) -> None:
        self.at = self._to("\n", self.at)

    def _redirect(self) -> None:
        text = self.text
        if self.current is not None and self.current.isdigit():
            self.current = None
        self._close()
        while self.at < len(text) and text[self.at] in "<>&|":
            self.at += 1
        document = text.startswith("<<", self.at - 2) and not text.startswith("<<<", self.at - 3)
        if document and text[self.at : self.at + 1] == "-":
            self.at += 1
        if text[self.at : self.at + 1] == "(":
            self.at = self._balanced(self.at)
            return
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        fields, self.fields = self.fields, []
        while self.at < len(text) and text[self.at] not in " \t\n;&|()<>":
            self._part(text[self.at])
        self._close()
        target, self.fields = self.fields, fields
        if document and target:
            self.documents.append(target[0])

    def _skip_documents(self) -> None:
        for mark in self.documents:
            while self.at < len(self.text):
                end = self._to("\n", self.at)
                line, self.at = self.text[self.at : end], end + 1
                if line.strip("\t") == mark:
                    break
        self.documents = []

    def _array(self) -> None:
        """`NAME=(words)` and `NAME+=(words)`."""
        name = (self.current or "").rstrip("=")
        added = name.endswith("+")
        name = name.rstrip("+")
        end = self._balanced(self.at)
        inner = _Reader(
            self.text[self.at + 1 : end - 1] if self.depth < DEEPEST else "", self.variables, self.depth + 1
        )
        inner.arrays = self.arrays
        words: list[str] = []
        for _ in range(MOST_COMMANDS):
            more = inner.command()
            if more is None:
                break
            words += more
        self.arrays[name] = [*(self.arrays.get(name, []) if added else []), *words][:MOST_COMMANDS]
        self.at, self.current = end, None


def _reckoned(text: str) -> int | None:
    """The sum that a text is, of small whole numbers."""
    if not _SUM.fullmatch(text):
        return None
    try:
        return _of_node(parsed_expression(text.strip()))
    except (Unparsable, ValueError, ZeroDivisionError, RecursionError):
        return None


def _of_node(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp):
        left, right = _of_node(node.left), _of_node(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            return left // right
        if isinstance(node.op, ast.Mod):
            return left % right
    raise ValueError(ast.dump(node))
