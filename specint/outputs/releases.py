"""Two releases side by side: what became ok, what was lost, what is new, each by the contract of its own release."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from specint.compliance.model import ModelCompliance, VerdictWord
from specint.outputs.matrix import counted
from specint.pipeline import Analysis
from specint.source.tree import Origin

if TYPE_CHECKING:
    from rich.console import Console

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


def print_releases(console: Console, releases: Releases) -> None:
    """The differences on a terminal: a line for each model that changed, and the names of those that came or went."""
    from rich.text import Text

    console.print()
    console.print(Text(f"Since SGLang {releases.before.version}: {releases_phrase(releases)}", style="bold"))
    for title, lines in _sections(releases):
        console.print()
        console.print(Text(f"{title}:"))
        if ": " in lines[0]:
            for line in lines:
                console.print(Text(f"  {line}"), soft_wrap=True)
        else:  # names alone, many of them
            for line in textwrap.wrap(", ".join(lines), console.width - 2, break_long_words=False):
                console.print(Text(f"  {line}"))


def releases_markdown(releases: Releases) -> str:
    """The differences as lists."""
    from specint.outputs.markdown import escaped

    lines = ["", f"## Since SGLang {escaped(releases.before.version)}", "", f"{releases_phrase(releases)}.", ""]
    for title, entries in _sections(releases):
        lines += [f"### {title[0].upper()}{title[1:]}", "", *(f"- {escaped(entry)}" for entry in entries), ""]
    return "\n".join(lines)


def releases_phrase(releases: Releases) -> str:
    """`12 verdicts became ok, 3 were lost; 112 models are new, 4 are gone`."""
    gained = counted(len(releases.of_kind("became ok")), "verdict")
    lost = len(releases.of_kind("lost"))
    return (
        f"{gained} became ok, {lost} {'was' if lost == 1 else 'were'} lost; "
        f"{counted(len(releases.added), 'model')} new, {len(releases.gone)} gone"
    )


_TITLES: tuple[tuple[ChangeKind, str], ...] = (
    ("became ok", "became ok"),
    ("lost", "was ok, now missing or broken"),
    ("other", "other changes"),
)


def _sections(releases: Releases) -> Iterator[tuple[str, list[str]]]:
    """Each kind of difference that there is, and a line for each model."""
    for kind, title in _TITLES:
        rows: dict[tuple[str, str], list[Change]] = {}
        for change in releases.of_kind(kind):
            rows.setdefault((change.class_, f"{change.before} -> {change.after}"), []).append(change)
        if rows:
            yield title, [_line(turn if kind == "other" else "", changes) for (_, turn), changes in rows.items()]
    names = {"new models": releases.added, "models that are gone": releases.gone}
    for title, classes in names.items():
        if classes:
            yield title, [class_.rpartition(".")[2] for class_ in classes]
    algorithms = {"new algorithms": releases.algorithms_added, "algorithms that are gone": releases.algorithms_gone}
    for title, found in algorithms.items():
        if found:
            yield title, [", ".join(found)]


def _line(turn: str, changes: Sequence[Change]) -> str:
    """`Name: EAGLE, EAGLE3 (unknown -> missing; lacks a, b)`."""
    missing = list(dict.fromkeys(member for change in changes for member in change.missing))
    told = "; ".join(filter(None, (turn, f"lacks {', '.join(missing)}" if missing else "")))
    line = f"{changes[0].name}: {', '.join(change.algorithm for change in changes)}"
    return f"{line} ({told})" if told else line


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
