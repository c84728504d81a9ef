"""Answers for people: plain text, Markdown, and the annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specint.errors import printable
from specint.launch.answer import Answer, plain, told
from specint.launch.course import Change, Side

SIGNS = {"starts": "✓", "refused": "✗", "fails": "✗", "depends": "?", "unknown": "?"}
WIDEST = 100
TELLING = ("ValueError", "RuntimeError", "AssertionError", "OSError", "NotImplementedError", "ImportError")


def headline(answer: Answer) -> str:
    """The answer in one line."""
    return printable(_headline(answer))


def _headline(answer: Answer) -> str:
    found = answer.found
    if answer.answer == "starts":
        return "starts, as far as it can be read"
    if answer.answer == "refused":
        one = found.refusals[0]
        by = {"argparse": "the command line", "sglang": "SGLang", "transformers": "Transformers"}[one.by]
        # A message of Python's own says little without its type.
        kind = "" if one.by == "argparse" or one.error in TELLING else f"{one.error}: "
        return f"refused by {by}: {kind}{_short(one.message) or one.error}"
    if answer.answer == "fails":
        parts = _lacking(answer)
        parts += [
            f"{one.name} does not fit: {_value(one.draft)} for {_value(one.target)}"
            for one in answer.fit
            if not one.fits
        ]
        parts += [f"{one.stage}: {_short(one.why)}" for one in found.open[:1]]
        return f"will fail to start: {'; '.join(parts)}"
    if answer.answer == "depends":
        return f"depends on {answer.decisions[0].what}" if answer.decisions else "depends"
    known = "".join(f"; {one}, whatever the draft is" for one in _lacking(answer))
    return f"can't be answered: {_short(found.open[0].why)}{known}" if found.open else "can't be answered"


def _lacking(answer: Answer) -> list[str]:
    """What each side lacks, and what of it can't work."""
    fatal = [lack for lack in answer.contract if lack.fatal]
    parts = []
    for side in dict.fromkeys(lack.side for lack in fatal):
        for status, words in (("missing", "lacks {}"), ("broken", "has {}, which can't work")):
            members = [one.member for one in fatal if one.side == side and one.status == status]
            parts += [f"the {side} {words.format(', '.join(members))}"] if members else []
    return parts


def text_of(answer: Answer) -> str:
    """One answer, as in a terminal."""
    found = answer.found
    lines = [f"{SIGNS[answer.answer]} {headline(answer)}    SGLang {answer.version}, {answer.machine.summary}"]

    def row(name: str, text: str) -> None:
        lines.append(f"  {name:<10} {_columns(text)}")

    if found.refusals and answer.answer in ("refused", "depends"):
        one = found.refusals[0]
        place = f" {one.file}:{one.line}" if one.file else ""
        row(one.stage, f"{one.error}{place}")
    elif not any(one.stage in ("command line", "arguments") for one in found.open):
        row("accepted", "command line, arguments")
    for name, side in (("target", found.target), ("draft", found.draft)):
        if side is not None:
            row(name, _side(side))
    if found.algorithm:
        served = f"served by {found.worker[0]}   {found.worker[1]}" if found.worker else "no worker class is chosen"
        row(str(plain(found.algorithm)), served)
    lines += _changed(found.changed or [])
    for lack in answer.contract:
        sign = "✗" if lack.fatal else "?"
        why = f" ({lack.reason})" if lack.reason else ""
        row(
            "contract",
            f"{sign} {lack.side}: {lack.member} is {lack.status}{why}   asked for at {lack.file}:{lack.line}",
        )
    if answer.fit:
        row(
            "fit",
            " · ".join(
                f"{one.name} {_value(one.draft)} {'fits' if one.fits else 'against'} {_value(one.target)}"
                for one in answer.fit
            ),
        )
    for turn in answer.decisions:
        row("depends", f"{turn.what}   {turn.file}:{turn.line}")
        for arm, outcome in turn.arms.items():
            row("", f"if {arm}: {outcome}")
    for stage in found.open:
        row("unknown", f"{stage.stage}: {stage.why}{f'   {stage.file}:{stage.line}' if stage.file else ''}")
    if not answer.decisions and not found.open:
        row("unknown", f"nothing that would change this answer ({len(answer.undecided)} facts are open)")
    if answer.assumed:
        row("assumed", f"{len(answer.assumed)} keys that config.json doesn't have: {_listed(answer.assumed)}")
    for note in answer.notes:
        row("note", note)
    return "\n".join(lines)


def facts_of(answer: Answer) -> str:
    """The machine's facts that were used."""
    used = [
        f"  {name} = {plain(value)}" for name, value in sorted(answer.facts.items()) if not name.startswith("version ")
    ]
    return "\n".join([f"facts of {answer.machine.name} ({answer.machine.summary}) that were used:", *used])


def _side(side: Side) -> str:
    if side.cls is None:
        return f"no class for {', '.join(side.architectures) or 'its architecture'}"
    return f"{side.cls}   {side.file}"


def _changed(changed: Sequence[Change]) -> list[str]:
    said = [one for one in changed if one.why]
    silent = [one for one in changed if not one.why]
    lines = []
    for n, one in enumerate(said):
        name = "changed" if n == 0 else ""
        lines.append(f'  {name:<10} {_change(one)}  {_place(one)} "{_short(one.why or "")}"')
    if silent:
        name = "changed" if not said else ""
        lines.append(f"  {name:<10} " + " · ".join(f"{_change(one)} {_place(one)}".rstrip() for one in silent[:6]))
        if len(silent) > 6:
            lines.append(f"  {'':<10} and {len(silent) - 6} more (--format json has all)")
    return [f"  {line[2:12]} {_columns(line[13:])}" for line in lines]


def _change(one: Change) -> str:
    before = "unset" if one.before is None else _value(one.before)
    return f"{one.name} {before} -> {_value(one.after)}"


def _place(one: Change) -> str:
    return f"{(one.file or '').rpartition('/')[2]}:{one.line}" if one.file else ""


def _value(value: Any) -> str:
    return _short(str(plain(value)), 40)


def _short(text: str, width: int = WIDEST) -> str:
    line = printable(str(text))
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _columns(text: str) -> str:
    """A line that can only be read, with the gaps between its columns."""
    return "   ".join(printable(part) for part in text.split("   "))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


# -- several -----------------------------------------------------------------------------------------------------------
def columns(answers: Sequence[Answer]) -> str:
    """One launch on several machines, or under two releases: a line each, then what differs."""
    names = [f"{answer.machine.name} {answer.version}" for answer in answers]
    width = max(len(name) for name in names)
    lines = [f"{SIGNS[one.answer]} {name:<{width}}  {headline(one)}" for name, one in zip(names, answers, strict=True)]
    first = answers[0]
    for name, other in zip(names[1:], answers[1:], strict=True):
        lines += [f"  {name}: {line}" for line in differences(first, other)]
    return "\n".join(lines)


def differences(one: Answer, other: Answer) -> list[str]:
    """What differs between two answers to the same launch."""
    lines = []
    if told(one.found) != told(other.found):
        lines.append(f"{told(other.found)}  (before: {told(one.found)})")
    mine = {change.name: plain(change.after) for change in one.found.changed or ()}
    theirs = {change.name: plain(change.after) for change in other.found.changed or ()}
    differing = [name for name in sorted(mine.keys() | theirs.keys()) if mine.get(name) != theirs.get(name)]
    lines += [f"{name}: {_apart(mine.get(name, 'as given'), theirs.get(name, 'as given'))}" for name in differing[:12]]
    if len(differing) > 12:
        lines.append(f"and {len(differing) - 12} more values")
    return lines


def _apart(one: Any, other: Any) -> str:
    """Two values that differ; of long lists the ends, where their beginnings are alike."""
    texts = _value(one), _value(other)
    if texts[0] == texts[1] and isinstance(one, list) and isinstance(other, list):
        texts = _ends(one), _ends(other)
    return f"{texts[0]} -> {texts[1]}"


def _ends(values: list[Any]) -> str:
    return f"{len(values)} from {_value(values[0])} to {_value(values[-1])}" if values else "none"


def markdown_of(answers: Sequence[Answer]) -> str:
    """A table, a row for each answer."""
    rows = ["| launch | SGLang | machine | answer | |", "|---|---|---|---|---|"]
    for one in answers:
        cells = (
            _short(one.id or "").replace("|", "\\|"),
            one.version,
            one.machine.name,
            f"**{one.answer}**",
            headline(one).replace("|", "\\|"),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def github_of(answers: Sequence[Answer]) -> str:
    """Workflow commands: an error for what doesn't start, a warning for what can't be said."""
    lines = []
    for one in answers:
        level = {"starts": "notice", "refused": "error", "fails": "error"}.get(one.answer, "warning")
        title = _short(f"preflight {one.id or ''}".strip().replace("%", "%25").replace(",", "%2C").replace(":", "%3A"))
        message = f"{headline(one)} (SGLang {one.version}, {one.machine.name})".replace("%", "%25").replace("\n", "%0A")
        lines.append(f"::{level} title={title}::{message}")
    return "\n".join(lines) + "\n"
