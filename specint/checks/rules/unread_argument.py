"""spec-unread-argument: callers fill an argument of a member, and its body never reads it."""

from __future__ import annotations

from collections.abc import Container, Iterator

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import capture_hooks
from specint.checks.site_calls import calls_at
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement, Site
from specint.contract.shapes import by_position
from specint.facts import model as facts
from specint.graph.hierarchy import Member
from specint.graph.steps import expressions

SYMBOL = "spec-unread-argument"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member that takes what callers hand over and goes on without it."""
    registered, hooks = {model.class_ for model in context.models}, capture_hooks(context)
    for model in context.models:
        if model.algorithms and not model.applicable:
            continue  # an encoder is called like the others, and need not do with it what a generator does
        done: set[tuple[str, str]] = set()
        for requirement in context.contract.requirements:
            call = requirement.call
            if call is None or requirement.role not in ("both", *model.roles) or not _concerns(model, requirement):
                continue
            member = context.judge.hierarchy.lookup(context.node(model), requirement.member)
            if member is None or member.kind != "method" or member.function is None:
                continue
            if member.owner.key != model.class_ and member.owner.key in registered:
                continue  # told where it stands
            unread = [name for name in _unread(member, requirement, hooks) if (requirement.member, name) not in done]
            if unread:
                done |= {(requirement.member, name) for name in unread}
                yield _finding(model, requirement, member, unread, _filling(context, requirement, unread))


def _concerns(model: ModelCompliance, requirement: Requirement) -> bool:
    return not requirement.algorithms or bool(model.under(requirement.algorithms))


def _unread(member: Member, requirement: Requirement, hooks: Container[str]) -> Iterator[str]:
    """The parameters that callers fill and the body doesn't name.

    By position every caller fills what the signature has, needed or not; so there only a capture hook is meant, which
    is called for the sake of what it hands over.
    """
    function, call = member.function, requirement.call
    if function is None or call is None or _does_nothing(function.facts):
        return
    read = _named(function.facts)
    if "locals" in read:
        return
    params = member.parameters
    positional = by_position(params)
    filled = [param.name for param in positional[: call.positional]] if requirement.member in hooks else []
    filled += [param.name for param in params if param.name in call.keywords and param.kind != "**"]
    for name in dict.fromkeys(filled):
        if name not in read and not name.startswith("_"):
            yield name


def _does_nothing(function: facts.Function) -> bool:
    """Whether a body is a refusal or a placeholder: it raises, or gives nothing back."""
    return not any(
        isinstance(step, (facts.Bind, facts.Delete, facts.Define))
        or (isinstance(step, facts.Return) and step.value is not None and not isinstance(step.value, facts.Constant))
        or (isinstance(step, facts.Evaluate) and isinstance(step.value, facts.Call))
        for step in function.body.steps
    )


def _named(function: facts.Function) -> set[str]:
    """Every name in a body, and in the functions within it."""
    found: set[str] = set()
    for step in function.body.steps:
        for expr in expressions(step):
            found.update(part.id for part in facts.within(expr, facts.Name))
        if isinstance(step, facts.Delete):
            found.update(part.id for part in facts.within(step.target, facts.Name))
    found.update(
        part.id
        for guard in function.body.guards
        if guard.test is not None
        for part in facts.within(guard.test, facts.Name)
    )
    for inner in function.body.functions:
        found |= _named(inner)
    return found


def _filling(context: Context, requirement: Requirement, names: list[str]) -> tuple[Site, ...]:
    """The sites that hand the arguments over by name; all of them where none does."""
    found = (site for site in requirement.sites if _hands_over(context, requirement.member, site, names))
    return tuple(found) or requirement.sites


def _hands_over(context: Context, member: str, site: Site, names: list[str]) -> bool:
    return any(keyword.name in names for call in calls_at(context, member, site) for keyword in call.keywords)


def _finding(
    model: ModelCompliance, requirement: Requirement, member: Member, unread: list[str], sites: tuple[Site, ...]
) -> Finding:
    assert member.function is not None
    site = sites[0]
    where = member.function.facts.qualname
    own = member.owner.key == model.class_
    message = (
        f"{where} takes {listed(unread)}, which callers fill ({site.file}:{site.line}), and never reads "
        f"{'it' if len(unread) == 1 else 'them'}: what was handed over has no effect, and nothing says so"
    )
    return about(
        SYMBOL,
        model,
        requirement.member,
        model.under(requirement.algorithms),
        at=(member.line, member.function.facts.column) if own else None,
        message=message,
        evidence=(
            Evidence(file=member.owner.file, line=member.line, what=f"{listed(unread)} is taken here"),
            *(Evidence(file=s.file, line=s.line, what=f"filled here, in {s.function}") for s in sites),
        ),
    )
