"""`specint explain CLASS` on a terminal: each requirement, whether it is met, and how we know."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from specint.analysis.counts import counted
from specint.analysis.model import Analysis
from specint.analysis.scope import requirements_of
from specint.checks.finding import Finding
from specint.checks.wording import listed
from specint.compliance.model import Inner, MemberStatus, ModelCompliance, Verdict, VerdictWord
from specint.contract.model import Requirement, Site
from specint.outputs.addition import grouped
from specint.outputs.findings_text import finding_line
from specint.outputs.terminal import STATUS_WORDS, VERDICT_STYLES, Shown, Signs, signs_for

_MOST_SITES = 3


def print_explanation(
    console: Console,
    analysis: Analysis,
    model: ModelCompliance,
    algorithms: Sequence[str],
    findings: Sequence[Finding],
    shown: Shown = str,
) -> None:
    """Print the verdicts, the requirements (what decides them first), the findings and the lines to add."""
    signs = signs_for(console.encoding)
    _print_head(console, analysis, model, algorithms, signs, shown)
    asked = [_Asked.of(one, model, algorithms) for one in requirements_of(analysis.contract, model, algorithms)]
    for one in sorted(_together(asked), key=lambda one: one.rank):
        _print_requirement(console, one, model, algorithms, signs, shown)
    if findings:
        console.print()
    for group in grouped(findings):
        for item in group.items:
            console.print(finding_line(item.finding, shown), soft_wrap=True)
        for addition in group.additions:
            console.print()
            console.print(Text(f"To {'change' if addition.change else 'add'} ({addition.headline}):", style="bold"))
            for line in addition.text.splitlines():
                console.print(Text(f"    {line}".rstrip(), style="green"), soft_wrap=True)


def call_phrase(requirement: Requirement) -> str:
    """How callers use the member: `called with 0 or 1 arguments, 2 values unpacked`."""
    call = requirement.call
    if requirement.use != "call" or call is None:
        return "assigned" if requirement.use == "write" else "read"
    number = f"{call.positional}" if call.fewest == call.positional else f"{call.fewest} to {call.positional}"
    phrase = f"called with {number} argument{'' if number == '1' else 's'}"
    if call.positional == 0 and not call.keywords:
        phrase = "called without arguments"
    elif call.keywords:
        phrase += f" and {', '.join(f'{keyword}=' for keyword in call.keywords)}"
    return f"{phrase}, {call.unpacks} values unpacked" if call.unpacks else phrase


def provider_path(status: MemberStatus, model: ModelCompliance, signs: Signs, shown: Shown = str) -> list[str]:
    """The way to whoever has the member, a line for each way there is."""
    if status.status == "present":
        return [_present(status, model, shown)]
    lines = [_inner(inner, signs, shown) for inner in status.inners]
    if not lines and status.inner:
        lines = [f"{status.inner}: {status.inner_status or 'unknown'} there"]
    return lines


def _print_head(
    console: Console, analysis: Analysis, model: ModelCompliance, algorithms: Sequence[str], signs: Signs, shown: Shown
) -> None:
    console.print(Text(model.name, style="bold"), Text(f"in SGLang {analysis.sglang.version}", style="dim"))
    console.print(Text(f"{shown(model.file)}:{model.line}", style="cyan"), soft_wrap=True)
    for wrap in model.wraps:
        classes = ", ".join(_last(name) for name in wrap.classes) or f"not known ({wrap.reason or 'no reason given'})"
        console.print(Text(f"holds {wrap.attribute} {signs.arrow} {classes}"), soft_wrap=True)
    for why, served in _made_for(model).items():
        console.print(Text(f"a draft for {listed(served)}: {why}"), soft_wrap=True)
    console.print()
    for algorithm in algorithms:
        verdict = model.algorithms.get(algorithm)
        if verdict is not None:
            console.print(verdict_line(algorithm, verdict, signs), soft_wrap=True)
    console.print()


def verdict_line(label: str, verdict: Verdict, signs: Signs) -> Text:
    """`EAGLE3: ✗ missing  set_eagle3_layers_to_capture`, with the reason where there is one."""
    told = ", ".join(
        [
            *verdict.missing,
            *(f"{member} can't work" for member in verdict.broken),
            *(f"{one}?" for one in verdict.unknown),
        ]
    )
    text = Text.assemble((f"{label}: ", "bold"), (signs.labelled(verdict.verdict), VERDICT_STYLES[verdict.verdict]))
    if told:
        text.append(f"  {told}")
    if verdict.reason:
        text.append(f"  ({verdict.reason})", style="dim")
    return text


def _made_for(model: ModelCompliance) -> dict[str, list[str]]:
    """How it is known what a draft is made for -> the algorithms of which it says so."""
    found: dict[str, list[str]] = {}
    for algorithm, why in model.drafts_for.items():
        found.setdefault(why, []).append(algorithm)
    return found


class _Asked(msgspec.Struct, frozen=True):
    """A requirement as one model meets it.

    Attributes:
        word: the model's standing in it; "not applicable" for what is not there and not needed.
        head: all that is said beside the name: status, how strictly it is asked for, how it is used.
        rank: what decides the verdict first, what the model can do without last.
    """

    requirement: Requirement
    status: MemberStatus
    word: VerdictWord
    head: str
    rank: int
    sites: tuple[Site, ...]

    @classmethod
    def of(cls, requirement: Requirement, model: ModelCompliance, algorithms: Sequence[str]) -> _Asked:
        """A requirement beside the verdicts: what they don't hold against the model isn't shown as its fault."""
        status = _status(model, requirement)
        verdicts = [one for name, one in model.algorithms.items() if name in algorithms]
        broken = any(requirement.member in one.broken for one in verdicts)
        strictly, counts = _strictness(requirement, model)
        lacked = {member for one in verdicts for label in one.missing for member in label.split("|")}
        word: VerdictWord = "broken" if broken else STATUS_WORDS[status.status]
        if status.status == "missing" and counts and requirement.member not in lacked:
            counts, strictly = False, _why_not_held_against(requirement, strictly)
        if status.status == "missing" and not counts:
            word = "not applicable"
        said = {"present": "there", "missing": "missing" if counts else "not there", "unknown": "not known"}
        but = " but can't work" if broken else ""
        return cls(
            requirement,
            status,
            word,
            f"{said[status.status]}{but}, {strictly}, {call_phrase(requirement)}",
            _RANKS[word] if counts or word == "broken" else len(_RANKS),
            requirement.sites_under(algorithms),
        )


_RANKS: dict[VerdictWord, int] = {"missing": 0, "broken": 1, "unknown": 2, "ok": 3}


def _together(asked: Sequence[_Asked]) -> list[_Asked]:
    """What is said alike of a member is said once, with all its sites."""
    found: dict[tuple[str, str, int], _Asked] = {}
    for one in asked:
        key = (one.requirement.member, one.head, one.rank)
        known = found.get(key)
        sites = (*known.sites, *(site for site in one.sites if site not in known.sites)) if known else one.sites
        found[key] = msgspec.structs.replace(known or one, sites=sites)
    return list(found.values())


def _print_requirement(
    console: Console, asked: _Asked, model: ModelCompliance, algorithms: Sequence[str], signs: Signs, shown: Shown
) -> None:
    requirement, idle = asked.requirement, asked.word == "not applicable"
    style = "dim" if idle else VERDICT_STYLES[asked.word]
    head = Text.assemble((f"{signs.of(asked.word)} {requirement.member}", style), f"  {asked.head}")
    if len(algorithms) > 1 and requirement.algorithms:
        head.append(f"  [{', '.join(requirement.algorithms)}]", style="dim")
    console.print(head, soft_wrap=True)
    if asked.status.reason:
        reason = asked.status.reason.replace(model.file, shown(model.file))  # it may name a line of the class
        console.print(Text(f"    {reason}", style="dim"), soft_wrap=True)
    for line in () if idle else provider_path(asked.status, model, signs, shown):
        console.print(Text(f"    {line}"), soft_wrap=True)
    for site in asked.sites[:_MOST_SITES]:
        console.print(_site("asked in", site, shown), soft_wrap=True)
    if (more := len(asked.sites) - _MOST_SITES) > 0:
        console.print(Text(f"    asked in {counted(more, 'more place')}", style="dim"))
    decides = requirement.decided_by
    if decides and requirement.strength in ("raises", "optional") and decides.line not in {s.line for s in asked.sites}:
        what = "raises in" if requirement.strength == "raises" else "done without in"
        console.print(_site(what, decides, shown), soft_wrap=True)


def _strictness(requirement: Requirement, model: ModelCompliance) -> tuple[str, bool]:
    """How strictly a member is asked for, and whether a model that lacks it fails: not where the others of its group
    are there, nor by what is only asked under a setting or of models that have another member."""
    if requirement.settings:
        return f"only asked where {' and '.join(requirement.settings)}", False
    group = (requirement.group or "").split("|")
    if requirement.strength == "any-of":
        others = [one for one in group if one != requirement.member and _offers(model, one)]
        return f"one of {' or '.join(group)} is enough", not others
    condition = requirement.condition
    if condition is not None:
        holds = _offers(model, condition.member) is condition.holds
        return f"only asked where it {'has' if condition.holds else 'lacks'} {condition.member}", holds
    words = {"raises": "required (the caller looks, and raises)", "required": "required"}
    return words.get(requirement.strength, requirement.strength), requirement.strength in words


def _why_not_held_against(requirement: Requirement, strictly: str) -> str:
    if requirement.use == "write":
        return "and not needed: a module takes any attribute"
    if not requirement.unconditional:
        return f"{strictly} under a condition that only a running server decides"
    return f"{strictly}, but not of this class"


def _offers(model: ModelCompliance, member: str) -> bool:
    status = model.members.get(member)
    return status is not None and status.status == "present"


def _status(model: ModelCompliance, requirement: Requirement) -> MemberStatus:
    return model.members.get(requirement.member) or MemberStatus(status="unknown", reason="not looked at")


def _present(status: MemberStatus, model: ModelCompliance, shown: Shown) -> str:
    provider = _last(status.provider or model.class_)
    way = {
        "own": f"defined in {provider}",
        "inherited": f"inherited from {provider}",
        "attribute": f"attribute set in {provider}",
        "property": f"property of {provider}",
        "assigned": f"assigned in {provider}",
        "forwarded": f"handed on to {provider}",
    }[status.way or "own"]
    return f"{way} ({shown(status.file)}:{status.line})" if status.file else way


def _inner(inner: Inner, signs: Signs, shown: Shown) -> str:
    """`language_model → DeepseekV3ForCausalLM → inherited from DeepseekV2ForCausalLM (file:line)`."""
    hops = [inner.attribute, _last(inner.holder)]
    if inner.status == "present" and inner.provider:
        provider = _last(inner.provider)
        hops.append("defined there" if inner.provider == inner.holder else f"inherited from {provider}")
    else:
        hops.append("missing there too" if inner.status == "missing" else "not known there")
    line = f" {signs.arrow} ".join(hops)
    if inner.file:
        line += f" ({shown(inner.file)}:{inner.line})"
    return f"{line} if {inner.condition}" if inner.condition else line


def _site(what: str, site: Site, shown: Shown) -> Text:
    return Text.assemble(f"    {what} ", (f"{shown(site.file)}:{site.line}", "cyan"), f" {site.function}")


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]
