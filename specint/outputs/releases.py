"""How a release differs from an earlier one, for a terminal and in Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from specint.analysis.comparison import Change, ChangeKind, Releases
from specint.analysis.counts import counted

if TYPE_CHECKING:
    from rich.console import Console


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
