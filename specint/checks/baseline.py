"""Findings that are known: a file of lines that version control can merge, and what is new against it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from specint.checks.finding import Finding
from specint.errors import SpecintError
from specint.reading import read_regular

SCHEMA = "specint.baseline/1"
_FAMILY = SCHEMA.partition("/")[0]
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class Known(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One known finding: no line and no message, so that it survives every edit that doesn't mend it."""

    rule: str
    class_: str = msgspec.field(name="class")
    member: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Findings against a baseline: how many are new, how many are known, and what was known and is gone."""

    new: int
    known: int
    fixed: tuple[Known, ...] = ()

    def __str__(self) -> str:
        """`3 new, 41 in the baseline, 2 fixed since`."""
        return f"{self.new} new, {self.known} in the baseline, {len(self.fixed)} fixed since"


class _Header(msgspec.Struct, frozen=True):
    schema: str


def known(finding: Finding) -> Known:
    """A finding as a baseline knows it."""
    return Known(class_=finding.class_, rule=finding.rule, member=finding.member)


def read_baseline(path: Path, *, or_pipe: bool = False) -> frozenset[Known]:
    """The findings of a baseline file. Lines may stand in any order and twice, as a merge leaves them.

    With `or_pipe` the path may be a pipe, as a shell makes one of a command's output.

    Raises SpecintError for a file that can't be read, is of another version, or has a line that is none of its own.
    """
    try:
        lines = read_regular(path, or_pipe=or_pipe).decode("utf-8").replace("\r\n", "\n").split("\n")
    except FileNotFoundError:
        raise SpecintError("no such baseline", str(path), "`specint check --update-baseline` writes it") from None
    except UnicodeDecodeError:
        raise SpecintError("is no baseline of specint", str(path), "`--update-baseline` writes one") from None
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror or error}", str(path)) from None
    _check_header(lines[0], path)
    found = set()
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line == lines[0]:
            continue
        try:
            found.add(msgspec.json.decode(line, type=Known))
        except msgspec.MsgspecError as error:
            hint = "a merge left both sides; keep all lines of findings" if line[:7] in _CONFLICT else ""
            raise SpecintError(f"is no finding: {error}", f"{path}:{number}", hint or "write it anew") from None
    return frozenset(found)


def write_baseline(findings: Iterable[Known]) -> bytes:
    """The file's bytes: what it is in the first line, then one line a finding, sorted."""
    lines = [_line(_Header(SCHEMA)), *(_line(one) for one in sorted(set(findings)))]
    return b"\n".join(lines) + b"\n"


def without_known(
    findings: Iterable[Finding], baseline: frozenset[Known], stale: Iterable[Known]
) -> tuple[tuple[Finding, ...], Comparison]:
    """The findings that the baseline doesn't have; `stale` are its entries that nothing answers to any more."""
    all_of_them = tuple(findings)
    new = tuple(finding for finding in all_of_them if known(finding) not in baseline)
    return new, Comparison(new=len(new), known=len(all_of_them) - len(new), fixed=tuple(sorted(stale)))


def _check_header(line: str, path: Path) -> None:
    try:
        schema = msgspec.json.decode(line, type=_Header).schema
    except msgspec.MsgspecError:
        schema = ""
    if schema == SCHEMA:
        return
    if schema.startswith(f"{_FAMILY}/"):
        version = schema.partition("/")[2]
        hint = "use the specint that wrote it, or delete it and write it anew with --update-baseline"
        raise SpecintError(f"is a baseline of version {version}, and this specint reads 1", str(path), hint)
    raise SpecintError("is no baseline of specint", str(path), "`--update-baseline` writes one to a new file")


def _line(value: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=0)  # one line, with spaces: people review it
