"""Two releases side by side: what became ok, what was lost, what is new, each by the contract of its own release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from specint.analysis.model import Analysis
from specint.compliance.model import ModelCompliance, VerdictWord
from specint.source.tree import Origin

ChangeKind = Literal["became ok", "lost", "other"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One model under one algorithm, whose verdict is another than before. `missing` is what it lacks now."""

    class_: str = msgspec.field(name="class")
    name: str
    algorithm: str
    before: VerdictWord
    after: VerdictWord
    missing: tuple[str, ...] = ()

    @property
    def kind(self) -> ChangeKind:
        """`lost` is from ok to missing or broken."""
        if self.after == "ok" and self.before != "not applicable":
            return "became ok"
        return "lost" if self.before == "ok" and self.after in ("missing", "broken") else "other"


class Releases(msgspec.Struct, frozen=True, kw_only=True):
    """How one release differs from an earlier one.

    Attributes:
        changes: verdicts that differ, of models and algorithms that both have.
        added, gone: dotted classes that only one of them has.
        algorithms_added, algorithms_gone: likewise algorithms.
    """

    before: Origin
    after: Origin
    changes: tuple[Change, ...]
    added: tuple[str, ...]
    gone: tuple[str, ...]
    algorithms_added: tuple[str, ...]
    algorithms_gone: tuple[str, ...]

    def of_kind(self, kind: ChangeKind) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind == kind)


def compared(before: Analysis, after: Analysis, algorithms: Sequence[str] = ()) -> Releases:
    """Compare two analyses. A class that moved to another file is the same one if its name is unique in both."""
    earlier = _matched(before.models, after.models)
    shared = [name for name in after.contract.algorithms if name in before.contract.algorithms]
    chosen = [name for name in shared if not algorithms or name in algorithms]
    changes = []
    for model in after.models:
        old = earlier.get(model.class_)
        for algorithm in chosen if old else ():
            assert old is not None
            was, now = old.algorithms.get(algorithm), model.algorithms.get(algorithm)
            if was and now and was.verdict != now.verdict:
                changes.append(
                    Change(
                        class_=model.class_,
                        name=model.name,
                        algorithm=algorithm,
                        before=was.verdict,
                        after=now.verdict,
                        missing=now.missing,
                    )
                )
    kept = {model.class_ for model in earlier.values()}
    return Releases(
        before=before.sglang,
        after=after.sglang,
        changes=tuple(sorted(changes, key=lambda change: (change.name.lower(), change.class_))),
        added=tuple(model.class_ for model in after.models if model.class_ not in earlier),
        gone=tuple(model.class_ for model in before.models if model.class_ not in kept),
        algorithms_added=tuple(a for a in after.contract.algorithms if a not in before.contract.algorithms),
        algorithms_gone=tuple(a for a in before.contract.algorithms if a not in after.contract.algorithms),
    )


def _matched(before: Sequence[ModelCompliance], after: Sequence[ModelCompliance]) -> dict[str, ModelCompliance]:
    """Dotted class of now -> the model as it was."""
    known = {model.class_: model for model in before}
    found = {model.class_: known[model.class_] for model in after if model.class_ in known}
    names = Counter(model.name for model in before), Counter(model.name for model in after)
    by_name = {model.name: model for model in before if model.class_ not in found}
    for model in after:
        if model.class_ not in found and model.name in by_name and names[0][model.name] == names[1][model.name] == 1:
            found[model.class_] = by_name[model.name]
    return found
