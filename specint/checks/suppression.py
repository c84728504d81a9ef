"""`# pylint: disable=...` as pylint reads it, so that `specint check` is silent where pylint is.

A pragma counts from its line to the end of the class, function or module that it stands in, and for the head of a
class or function too if it comes before the first statement there. Behind something on the same line it counts for
that line. This follows pylint's own walk over the module; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from specint.answers import fingerprint
from specint.checks.catalog import Rule, all_rules, rule
from specint.checks.finding import Finding
from specint.depth import room_to_recurse
from specint.errors import SpecintError
from specint.facts.load import Loader
from specint.facts.model import Remark
from specint.facts.remarks import MARK
from specint.facts.store import Store
from specint.source.tree import SourceFile, Tree

USELESS = "spec-useless-suppression"

_ACTION = re.compile(r"([\w-]+)\s*(?:=\s*([\w\-]+(?:\s*,\s*[\w\-]+)*))?")
_CATEGORIES = {"fatal": "F", "error": "E", "warning": "W", "info": "I"}


class Pragma(msgspec.Struct, frozen=True):
    """One rule that a comment switches off or on.

    Attributes:
        remark: the comment, and what it is about; `line` is the line that counts, which `disable-next` puts below.
        enable: it switches the rule on again.
        by_name: the rule's own name or number stands there, not one of a group.
    """

    remark: Remark
    line: int
    symbol: str
    enable: bool
    by_name: bool


class Pragmas(msgspec.Struct, frozen=True):
    """All pragmas of a file about rules of ours; `skips`: the line of one that leaves out the whole file, else 0."""

    each: tuple[Pragma, ...] = ()
    skips: int = 0


def without_suppressed(
    findings: Iterable[Finding], tree: Tree, files: Iterable[str] = (), store: Store | None = None
) -> tuple[list[Finding], list[Finding]]:
    """The findings that no pragma silences, and a finding for each pragma that silences nothing.

    `files` are the ones in which pragmas are judged; those with findings always are. A pragma for a rule that speaks
    on demand alone isn't judged: another run may demand it. Pragmas are facts, which `store` may hold already: a file
    that can't be read has none, and is said to be so by the analysis.
    """
    by_file: dict[str, list[Finding]] = {file: [] for file in files}
    for finding in findings:
        by_file.setdefault(finding.file, []).append(finding)
    remarks = _remarks(tree, by_file, store or Store(None))
    kept: list[Finding] = []
    useless: list[Finding] = []
    for file, found in by_file.items():
        pragmas = read_pragmas(remarks.get(file, ()))
        if pragmas.skips or not pragmas.each:
            kept += () if pragmas.skips else found
            continue
        used: set[tuple[str, int]] = set()
        for finding in found:
            enabled, line = state(pragmas.each, finding.rule, finding.line)
            if enabled:
                kept.append(finding)
            else:
                used.add((finding.rule, line))
        idle = _useless(pragmas.each, used, SourceFile.at(file))
        useless += [one for one in idle if state(pragmas.each, USELESS, one.line)[0]]
    return kept, useless


def read_pragmas(remarks: Iterable[Remark]) -> Pragmas:
    """The pragmas among a module's comments for pylint."""
    found: list[Pragma] = []
    for remark in remarks:
        for action, codes in _ACTION.findall(remark.text):
            names = [code.strip() for code in codes.split(",") if code.strip()]
            if action == "skip-file" or (action == "disable" and "all" in names):
                return Pragmas(skips=remark.line)
            if action in ("disable", "enable", "disable-next"):
                about = remark.line + 1 if action == "disable-next" else remark.line
                found += [
                    Pragma(remark, about, one.symbol, action == "enable", by_name)
                    for name in names
                    for one, by_name in _meant(name)
                ]
    return Pragmas(tuple(found))


def state(pragmas: Sequence[Pragma], symbol: str, line: int) -> tuple[bool, int]:
    """Whether a rule speaks on a line, and the line of the pragma that decides (0: none does)."""
    found = (True, 0)
    for pragma in pragmas:
        if pragma.symbol != symbol:
            continue
        about = pragma.remark
        if pragma.line > about.line:  # `disable-next` is about one line, whatever begins there
            if line == pragma.line:
                found = (pragma.enable, pragma.line)
        elif about.start <= line <= about.end:
            if line >= pragma.line:
                found = (pragma.enable, pragma.line)
            elif not found[1] or (line == about.start and not about.whole):
                found = (True if pragma.line > about.first else pragma.enable, pragma.line)
    return found


def _meant(name: str) -> Iterator[tuple[Rule, bool]]:
    """The rules that a pragma's name is about, and whether it is about that one alone."""
    folded = name.lower()
    letter = _CATEGORIES.get(folded, name.upper())
    for one in all_rules():
        if folded in (one.symbol, one.id.lower()):
            yield one, True
        elif folded == "specint" or letter == one.id[0]:
            yield one, False


def _useless(pragmas: Sequence[Pragma], used: set[tuple[str, int]], source: SourceFile) -> Iterator[Finding]:
    about = rule(USELESS)
    for pragma in pragmas:
        named = rule(pragma.symbol)
        judged = pragma.by_name and not (pragma.enable or named.on_demand or pragma.symbol == USELESS)
        if not judged or (pragma.symbol, pragma.line) in used:
            continue
        yield Finding(
            rule=about.symbol,
            id=about.id,
            class_=f"{source.module}.{pragma.remark.owner}" if pragma.remark.owner else source.module,
            member=pragma.symbol,
            algorithms=(),
            file=source.path,
            line=pragma.remark.line,
            column=pragma.remark.column,
            message=f"nothing to suppress here: {named.symbol} ({named.id}) finds nothing",
        )


def _remarks(tree: Tree, files: Iterable[str], store: Store) -> dict[str, tuple[Remark, ...]]:
    """The comments for pylint by file. Few files have any, so that the others are looked through and not read."""
    spoken = [source for file in files if MARK.encode() in _content(tree, source := SourceFile.at(file))]
    if not spoken:
        return {}
    with room_to_recurse():
        loader = Loader(tree, store, version=fingerprint(), jobs=1)
        return {module.path: module.remarks for module in loader.load(spoken)}


def _content(tree: Tree, source: SourceFile) -> bytes:
    try:
        return tree.read(source)
    except SpecintError:  # said elsewhere
        return b""
