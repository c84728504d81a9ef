"""The contract for a terminal, for Markdown, and what changed between two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from specint.contract.difference import Change
from specint.contract.model import CallShape, Contract, Requirement, WorkerDemand, telling_site

if TYPE_CHECKING:
    from rich.console import Console

_ROLES = {
    "target": "Target model",
    "draft": "Draft model",
    "both": "Either model (code of the runner that both share)",
    "inner": "Inner model (what a wrapper hands over)",
    "class": "Model class (before there is an object)",
}

_OF_WORKERS = "Workers (what the scheduler asks of whichever serves)"


def shape(call: CallShape | None) -> str:
    """A call as a reader would write it: `(a)`, `(a=…)` for a default that some caller needs, `-> 2` for unpacking."""
    if call is None:
        return ""
    names = [f"arg{index + 1}" if call.positional > 1 else "arg" for index in range(call.positional)]
    words = [name if index < call.fewest else f"{name}=…" for index, name in enumerate(names)]
    words += [f"{keyword}=" for keyword in call.keywords]
    words += ["…"] if call.starred else []
    return f"({', '.join(words)})" + (f" -> {call.unpacks}" if call.unpacks else "")


def condition(requirement: Requirement) -> str:
    """What else a requirement hangs on, in words."""
    words = []
    if requirement.group and requirement.strength == "any-of":
        words.append(f"one of {requirement.group.replace('|', ', ')}")
    if requirement.condition is not None:
        words.append(f"where it {'has' if requirement.condition.holds else 'lacks'} {requirement.condition.member}")
    words += [f"where {text}" for text in requirement.settings]
    return "; ".join(words)


def algorithms(requirement: Requirement) -> str:
    """The algorithms, or what stands for all of them."""
    return ", ".join(requirement.algorithms) or "every server"


def by_role(contract: Contract, wanted: Sequence[str]) -> Iterable[tuple[str, list[Requirement]]]:
    """The requirements that the wanted algorithms have (all without any), by role."""
    for role, title in _ROLES.items():
        found = [r for r in contract.requirements if r.role == role and (not wanted or set(wanted) & set(r.algorithms))]
        if found:
            yield title, sorted(found, key=lambda r: (r.strength == "optional", r.member, r.use))


def print_contract(console: Console, contract: Contract, wanted: Sequence[str], version: str) -> None:
    """The contract as tables, one a role, each requirement with the line that sets its strength."""
    from rich.table import Table
    from rich.text import Text

    from specint.outputs.terminal import print_table

    total = 0
    for title, requirements in by_role(contract, wanted):
        table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False, header_style="bold")
        for column in ("member", "strength", "algorithms", "asked at"):
            table.add_column(column, overflow="fold")
        for r in requirements:
            total += 1
            sites = r.sites_under(wanted)
            place = telling_site([r], wanted or r.algorithms)
            strength = r.strength + (f"\n{more}" if (more := condition(r)) else "")
            others = f"\n+ {len(sites) - 1} more" if len(sites) > 1 else ""
            write = "= " if r.use == "write" else ""
            table.add_row(
                Text(f"{write}{r.member}{shapes(r)}"),
                Text(strength),
                Text(algorithms(r)),
                Text(f"{place.file.rpartition('/')[2]}:{place.line}{others}{_decided(r, wanted)}"),
            )
        print_table(console, table)
        console.print()
    demands = _demanded(contract, wanted)
    if demands:
        table = Table(title=Text(_OF_WORKERS), title_justify="left", box=None, pad_edge=False, header_style="bold")
        for column in ("member", "algorithms", "asked at", "not answered by"):
            table.add_column(column, overflow="fold")
        for demand in demands:
            site = demand.sites[0]
            others = f"\n+ {len(demand.sites) - 1} more" if len(demand.sites) > 1 else ""
            table.add_row(
                Text(f"{demand.member}{'()' if demand.use == 'call' else ''}"),
                Text(", ".join(demand.algorithms)),
                Text(f"{site.file.rpartition('/')[2]}:{site.line}{others}"),
                Text("\n".join(_unanswered(demand, wanted))),
            )
        print_table(console, table)
        console.print()
    more = f", {len(demands)} of its workers" if demands else ""
    console.print(Text(f"{total} requirements of SGLang {version}{more}"))


def _demanded(contract: Contract, wanted: Sequence[str]) -> list[WorkerDemand]:
    return [one for one in contract.demands if not wanted or set(wanted) & set(one.algorithms)]


def _unanswered(demand: WorkerDemand, wanted: Sequence[str]) -> list[str]:
    """The worker classes that don't answer, each with the reason."""
    found = [one for one in demand.lacking if not wanted or set(wanted) & set(one.algorithms)]
    return [f"{one.class_.rpartition('.')[2]} {one.reason}" for one in found]


def _decided(requirement: Requirement, wanted: Sequence[str]) -> str:
    """The line that decides how strictly a member is meant, where that is none of the lines that touch it."""
    decided = requirement.decided_by
    if decided is None or any((s.file, s.line) == (decided.file, decided.line) for s in requirement.sites):
        return ""
    if not any(s.file == decided.file and s.function == decided.function for s in requirement.sites_under(wanted)):
        return ""  # for another algorithm
    return f"\ndecided at {decided.file.rpartition('/')[2]}:{decided.line}"


def shapes(requirement: Requirement) -> str:
    """How a member is called: each way of which one must fit."""
    return " or ".join(shape(call) for call in requirement.shapes)


def contract_markdown(contract: Contract, wanted: Sequence[str], version: str) -> str:
    """The same as Markdown tables."""
    lines = [f"# What SGLang {version} asks of a model", ""]
    for title, requirements in by_role(contract, wanted):
        lines += [f"## {title}", "", "| member | strength | algorithms | asked at |", "|---|---|---|---|"]
        for r in requirements:
            sites = "<br>".join(f"`{s.file}:{s.line}`" for s in r.sites_under(wanted))
            sites += _decided(r, wanted).replace("\n", "<br>")
            strength = r.strength + (f": {more}" if (more := condition(r)) else "")
            cells = (f"`{r.member}{shapes(r)}`", _escaped(strength), algorithms(r), sites)
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    if demands := _demanded(contract, wanted):
        head = "| member | algorithms | asked at | not answered by |"
        lines += [f"## {_OF_WORKERS}", "", head, "|---|---|---|---|"]
        for one in demands:
            sites = "<br>".join(f"`{site.file}:{site.line}`" for site in one.sites)
            lacking = "<br>".join(map(_escaped, _unanswered(one, wanted)))
            called = "()" if one.use == "call" else ""
            lines.append(f"| `{one.member}{called}` | {', '.join(one.algorithms)} | {sites} | {lacking} |")
        lines.append("")
    return "\n".join(lines)


def sentence(change: Change) -> str:
    """One change in words."""
    under = ", ".join(change.algorithms) or "every server"
    member = f"{change.member}{shape(change.new_call or change.old_call)}"
    match change.what:
        case "new":
            return f"{member}: {change.after}, for {under}"
        case "dropped":
            return f"{member}: nobody asks for it any more"
        case "unfollowed":
            return f"{member}: no caller was found any more, but the name is still read at {change.named_at}"
        case "stricter" | "looser":
            return f"{member}: {change.after}, was {change.before}, for {under}"
        case "other arguments":
            return f"{change.member}: called as {shape(change.new_call)}, was {shape(change.old_call)}"
        case _:
            more = [a for a in change.algorithms if a not in change.old_algorithms]
            return f"{member}: also for {', '.join(more)}"


def print_changes(console: Console, changes: Sequence[Change], old: str, new: str) -> None:
    """What changed, by kind of change and role."""
    from rich.text import Text

    heads = {
        "new": "A model must newly offer, or may be asked for",
        "stricter": "Asked for more strictly",
        "other arguments": "Called with other arguments",
        "other algorithms": "Asked for by more algorithms",
        "looser": "Asked for less strictly",
        "unfollowed": "No longer followed: of which object the name is read isn't known",
        "dropped": "No longer asked for",
    }
    for what, head in heads.items():
        found = [c for c in changes if c.what == what]
        if not found:
            continue
        console.print(Text(head, style="bold"))
        for change in found:
            place = f"  {change.site.file}:{change.site.line}" if change.site else ""
            console.print(Text(f"  {change.role:7} {sentence(change)}"), Text(place, style="dim"), soft_wrap=True)
        console.print()
    console.print(Text(f"{len(changes)} changes from SGLang {old} to {new}"))


def changes_markdown(changes: Sequence[Change], old: str, new: str) -> str:
    """The same as a Markdown table."""
    lines = [
        f"# What a model must offer: SGLang {old} to {new}",
        "",
        "| change | role | what | asked at |",
        "|---|---|---|---|",
    ]
    for change in changes:
        place = f"`{change.site.file}:{change.site.line}`" if change.site else ""
        lines.append(f"| {change.what} | {change.role} | {_escaped(sentence(change))} | {place} |")
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
