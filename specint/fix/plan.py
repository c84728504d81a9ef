"""Which edits are made: those after which a new analysis finds the finding gone and none that wasn't there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.edits.model import Edit
from specint.edits.rewrite import rewritten
from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree

Key = tuple[str, str, str]
_UNTRIED = "it could not be tried"
Analyse = Callable[[Tree], Analysis]


class Change(msgspec.Struct, frozen=True):
    """One file before and after, and the edits that make the difference."""

    file: str
    before: bytes
    after: bytes
    edits: tuple[Edit, ...]


class Left(msgspec.Struct, frozen=True):
    """A finding that stays, and why. `on_demand`: it would be fixed with --unsafe."""

    finding: Finding
    why: str
    on_demand: bool = False


class Plan(msgspec.Struct, frozen=True):
    """What will be written, the findings that this settles, and those that stay."""

    changes: tuple[Change, ...]
    settled: tuple[Finding, ...]
    left: tuple[Left, ...]


def plan(
    tree: Tree,
    analysis: Analysis,
    findings: Sequence[Finding],
    analyse: Analyse,
    *,
    unsafe: bool = False,
    untouchable: Callable[[str], str] = lambda _: "",
) -> Plan:
    """Try the edits of the findings on the tree, and keep those that prove right.

    An heir waits for the edit of its base: mostly that settles both.

    Args:
        analyse: how `analysis` was made, to do it again with the edits in place.
        unsafe: make also the edits that are in doubt.
        untouchable: why a file must not be changed, "" where it may be.
    """
    draft = _Draft(tree, analysis, analyse)
    for finding in findings:
        edit = finding.edit
        if not isinstance(edit, Edit) or edit.kind == "decide":
            why = (
                edit.decide
                if isinstance(edit, Edit)
                else "no edit can do it: what the code is to do has to be decided (`specint explain` says why)"
            )
            draft.left[_key(finding)] = Left(finding, why)
        elif edit.doubt and not unsafe:
            draft.left[_key(finding)] = Left(finding, edit.doubt, on_demand=True)
        elif why := untouchable(edit.file):
            draft.left[_key(finding)] = Left(finding, why)
        else:
            draft.waiting[_key(finding)] = finding
    draft.run()
    settled = [one for one in findings if _key(one) not in draft.present]
    left = [draft.left.get(_key(one), Left(one, _UNTRIED)) for one in findings if _key(one) in draft.present]
    return Plan(draft.changes(draft.made), tuple(settled), tuple(left))


@dataclass
class _Draft:
    """A plan in the making: edits that are proved are `made`, the rest waits or is left."""

    tree: Tree
    analysis: Analysis
    analyse: Analyse
    waiting: dict[Key, Finding] = field(default_factory=dict)
    left: dict[Key, Left] = field(default_factory=dict)
    made: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        self.models: Mapping[str, ModelCompliance] = {model.class_: model for model in self.analysis.models}
        self.known = {_key(finding) for finding in self.analysis.findings}
        self.trouble = {str(one) for one in self.analysis.diagnostics}
        self.present = set(self.known)
        self.suspects: set[Key] = set()
        self.written: dict[tuple[str, tuple[Edit, ...]], bytes] = {}

    def run(self) -> None:
        """Try what waits, all that can be tried at once first, until nothing waits."""
        while self.waiting:
            batch = self._next()
            if not batch:
                return
            while batch and not self._try(batch):
                batch = [one for one in batch if _key(one) in self.waiting and _key(one) not in self.suspects]

    def _next(self) -> list[Finding]:
        """What depends on nothing that waits too; of what brought something new together, one a class."""
        waiting = list(self.waiting.values())
        free = [one for one in waiting if not self._waits_for_another(one, waiting)]
        plain = [one for one in free if _key(one) not in self.suspects]
        return plain or list({one.class_: one for one in reversed(free)}.values())

    def _waits_for_another(self, finding: Finding, waiting: Iterable[Finding]) -> bool:
        """Whether another edit may settle a finding too: that of a base, or one that moves the member in."""
        model = self.models.get(finding.class_)
        above = model.mro[1:] if model else ()
        for other in waiting:
            if other.member == finding.member and other is not finding:
                if other.class_ in above:
                    return True
                if other.class_ == finding.class_ and _is_move(other) and not _is_move(finding):
                    return True
        return False

    def _try(self, batch: Sequence[Finding]) -> bool:
        """Analyse the tree with the batch in it. Right: it is made. Wrong: who is to blame is a suspect, or left."""
        trial = (*self.made, *batch)
        try:
            changes = self.changes(trial)
        except SpecintError as error:
            for one in batch:
                if len(batch) == 1 or one.file == error.where:
                    self._leave(one, str(error))
            if not any(_key(one) not in self.waiting for one in batch):
                raise
            return False
        overlay = {SourceFile.at(change.file).module: change.after for change in changes}
        result = self.analyse(self.tree.overlay(overlay))
        there = {_key(finding): finding for finding in result.findings}
        new = [finding for key, finding in there.items() if key not in self.known]
        trouble = [str(one) for one in result.diagnostics if str(one) not in self.trouble]
        useless = [one for one in batch if _key(one) in there]
        for one in useless:
            self._leave(one, "the edit doesn't settle it")
        if trouble or new:
            self._blame(batch, new, trouble)
        if trouble or new or useless:
            return False
        self.made = trial
        self.present = set(there)
        for key in [key for key in self.waiting if key not in there or self.waiting[key] in batch]:
            del self.waiting[key]
        return True

    def _blame(self, batch: Sequence[Finding], new: Sequence[Finding], trouble: Sequence[str]) -> None:
        guilty = [one for one in batch if any(self._related(one.class_, other.class_) for other in new)]
        for one in guilty or batch:
            key = _key(one)
            if key in self.suspects or len(guilty or batch) == 1:
                own = [f for f in new if self._related(one.class_, f.class_)] or new
                brought = next((f"{f.id} {f.message}" for f in own), trouble[0] if trouble else "")
                self._leave(one, f"it would bring something new: {brought}")
            self.suspects.add(key)

    def _related(self, class_: str, other: str) -> bool:
        """Whether an edit of one class can show in the other: an heir of it, or a wrapper around it or its heirs."""
        seen: set[str] = set()
        open_ = [other]
        while open_:
            name = open_.pop()
            if name not in seen:
                seen.add(name)
                model = self.models.get(name)
                open_ += [*model.mro, *(inner for wrap in model.wraps for inner in wrap.classes)] if model else []
        return class_ in seen

    def _leave(self, finding: Finding, why: str) -> None:
        self.left[_key(finding)] = Left(finding, why)
        self.waiting.pop(_key(finding), None)

    def changes(self, findings: Iterable[Finding]) -> tuple[Change, ...]:
        """What edits of these findings make of their files; several in one class come in the order of findings."""
        by_file: dict[str, list[Edit]] = {}
        order = {_key(finding): number for number, finding in enumerate(self.analysis.findings)}
        for finding in sorted(findings, key=lambda one: order.get(_key(one), 0)):
            if isinstance(finding.edit, Edit) and finding.edit not in by_file.get(finding.edit.file, ()):
                by_file.setdefault(finding.edit.file, []).append(finding.edit)
        made = []
        for file, edits in by_file.items():
            before = self.tree.read(SourceFile.at(file))
            key = (file, tuple(edits))
            if key not in self.written:
                self.written[key] = rewritten(before, file, edits)
            made.append(Change(file, before, self.written[key], tuple(edits)))
        return tuple(made)


def _key(finding: Finding) -> Key:
    return finding.rule, finding.class_, finding.member


def _is_move(finding: Finding) -> bool:
    return isinstance(finding.edit, Edit) and finding.edit.kind == "move"
