"""What the page knows, as data: dotted classes and files are numbers into lists, and what says nothing is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from specint.analysis.comparison import Releases, compared
from specint.analysis.standing import Standing
from specint.checks.catalog import all_rules
from specint.checks.finding import Finding
from specint.checks.once import parted
from specint.contract.declared import declared
from specint.contract.model import Requirement
from specint.outputs.explanation_text import call_phrase
from specint.outputs.html.excerpts import Excerpts
from specint.outputs.html.models import Model, Numbers, model_data
from specint.outputs.html.rules import RulePage, rule_pages
from specint.outputs.matrix import MEANINGS, matrix, summary_line
from specint.outputs.releases import releases_phrase
from specint.source.tree import Origin
from specint.version import own_version

if TYPE_CHECKING:
    from specint.analysis.result import Result


_RELEASE = re.compile(r"[0-9][0-9a-z.]*")


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A requirement. `sites` are file number, line and function; `lacking` counts the models that don't have it."""

    role: str
    member: str
    use: str
    strength: str
    algorithms: tuple[str, ...]
    interface: str
    sites: tuple[tuple[int, int, str], ...]
    group: str | None = None
    condition: str = ""
    decided: tuple[int, int, str] | None = None
    lacking: int = 0


class Found(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finding; `evidence` is file number, line and what is to be seen there. `repeated`: it is told with another one,
    an heir's with its base's, and counts there."""

    rule: str
    class_: int = msgspec.field(name="class")
    member: str
    algorithms: tuple[str, ...]
    at: tuple[int, int]
    message: str
    evidence: tuple[tuple[int, int, str], ...] = ()
    patch: str | None = None
    repeated: bool = False


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The differences from an earlier release, and what every verdict was there, by class and algorithm."""

    phrase: str
    releases: Releases
    kinds: tuple[str, ...]


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the page shows.

    `published` is the address of a line, with `{file}` and `{line}` in it; "" where the tree is no release.
    """

    specint: str
    version: str
    source: str
    summary: str
    algorithms: tuple[str, ...]
    columns: tuple[str, ...]
    meanings: dict[Standing, str]
    alike: tuple[tuple[str, str], ...]
    settled: tuple[str, ...]
    aliases: dict[str, str]
    workers: dict[str, tuple[str, ...]]
    classes: list[str]
    files: list[str]
    requirements: tuple[Asked, ...]
    models: tuple[Model, ...]
    findings: tuple[Found, ...]
    rules: tuple[RulePage, ...]
    diagnostics: tuple[str, ...]
    source_lines: dict[str, dict[str, str]]
    published: str
    compared: Compared | None


def page_data(result: Result, findings: Sequence[Finding], algorithms: Sequence[str], other: Result | None) -> Page:
    """Collect what the page shows; every place that it names brings a few lines of its source along."""
    analysis = result.analysis
    chosen = tuple(algorithms) or analysis.contract.algorithms
    table = matrix(analysis, findings, algorithms)
    classes, paths = Numbers(), Numbers()
    excerpts = Excerpts(result, paths)
    asked = tuple(
        _asked(result, one, excerpts, chosen)
        for one in analysis.contract.requirements
        if not one.algorithms or set(one.algorithms) & set(chosen)
    )
    return Page(
        specint=own_version(),
        version=result.version,
        source=analysis.sglang.source,
        summary=summary_line(analysis, findings, algorithms),
        algorithms=chosen,
        columns=table.columns,
        meanings=MEANINGS,
        alike=table.alike,
        settled=table.settled,
        aliases=analysis.contract.aliases,
        workers=analysis.contract.workers,
        models=tuple(model_data(result, row, chosen, classes, excerpts) for row in (*table.rows, *table.drafts)),
        findings=tuple(_found(one, classes, excerpts, repeated) for one, repeated in parted(findings, analysis.models)),
        requirements=asked,
        rules=rule_pages(all_rules()),
        diagnostics=tuple(str(one) for one in analysis.diagnostics),
        compared=_compared(result, other, algorithms),
        classes=classes.texts,
        files=paths.texts,
        source_lines=excerpts.lines(),
        published=_published(analysis.sglang),
    )


def _published(sglang: Origin) -> str:
    """A tree that is named by its path may have been changed, and a version may be any text."""
    is_release = sglang.source.lower() == f"sglang {sglang.version}" and _RELEASE.fullmatch(sglang.version)
    return declared().published.line.replace("{version}", sglang.version) if is_release else ""


def _asked(result: Result, one: Requirement, excerpts: Excerpts, chosen: Sequence[str]) -> Asked:
    condition = [f"if it {'has' if one.condition.holds else 'lacks'} {one.condition.member}"] if one.condition else []
    condition += [f"where {' and '.join(one.settings)}"] if one.settings else []
    roles = ("target", "draft") if one.role == "both" else (one.role,)
    members = (one.group or one.member).split("|")
    lacking = sum(
        bool(set(model.roles) & set(roles))
        and all((status := model.members.get(name)) is not None and status.status == "missing" for name in members)
        for model in result.models
    )
    decided = one.decided_by
    return Asked(
        role=one.role,
        member=one.member,
        use=call_phrase(one),
        strength=one.strength,
        algorithms=tuple(name for name in one.algorithms if name in chosen),
        interface=one.interface,
        sites=tuple((excerpts.at(site.file, site.line), site.line, site.function) for site in one.sites_under(chosen)),
        group=one.group,
        condition=", ".join(condition),
        decided=(excerpts.at(decided.file, decided.line), decided.line, decided.function) if decided else None,
        lacking=lacking,
    )


def _found(one: Finding, classes: Numbers, excerpts: Excerpts, repeated: bool) -> Found:
    return Found(
        rule=one.rule,
        class_=classes.of(one.class_),
        member=one.member,
        algorithms=one.algorithms,
        at=(excerpts.at(one.file, one.line), one.line),
        message=one.message,
        evidence=tuple((excerpts.at(seen.file, seen.line), seen.line, seen.what) for seen in one.evidence),
        patch=one.patch,
        repeated=repeated,
    )


def _compared(result: Result, other: Result | None, algorithms: Sequence[str]) -> Compared | None:
    if other is None:
        return None
    releases = compared(other.analysis, result.analysis, algorithms)
    return Compared(
        phrase=releases_phrase(releases), releases=releases, kinds=tuple(change.kind for change in releases.changes)
    )
