"""spec-missing-delegation: a wrapper lacks a required target member that its inner model has."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, call_sites, gaps, providers
from specint.checks.delegation import delegation
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import at_site, does, listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import telling_site

SYMBOL = "spec-missing-delegation"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each missing member that an inner model has."""
    for model in context.models:
        done: dict[str, list[str]] = {}
        for label, algorithms in gaps(model).items():
            member = delegable(model, label)
            if member is not None:
                done.setdefault(member, []).extend(a for a in algorithms if a not in done.get(member, ()))
        for member, under in done.items():
            order = [a for a in context.contract.algorithms if a in under]
            yield _finding(context, model, member, tuple(order))


def delegable(model: ModelCompliance, label: str) -> str | None:
    """The first member of a missing group that an inner model has; None where none has."""
    for member in label.split("|"):
        status = model.members[member]
        if status.status == "missing" and status.inner_status == "present":
            return member
    return None


def _finding(context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...]) -> Finding:
    node = context.node(model)
    status = model.members[member]
    requirements = context.insisted(member)
    having = [one for one in status.inners if one.status == "present"]
    lacking = [one for one in status.inners if one.status == "missing"]
    first = having[0]
    holder, provider = first.holder.rpartition(".")[2], (first.provider or "").rpartition(".")[2]
    inherited = f", inherited from {provider}" if provider != holder else ""
    call = next((r for r in requirements if r.use == "call"), None)
    shown = f"{member}()" if call is not None else member
    others = f"; {does([one.holder.rpartition('.')[2] for one in lacking], 'lack')} it" if lacking else ""
    site = telling_site(requirements, algorithms)
    beyond = _beyond(model, algorithms)
    message = (
        f"{model.name} doesn't delegate {shown} to self.{status.inner} ({holder} has it{inherited}{others}); "
        f"{does(algorithms, 'fail')}{at_site(site, algorithms)}"
        f"{beyond}"
    )
    kept = next(w for w in context.judge.wraps(node) if w.attribute == status.inner)
    held = Evidence(file=kept.file, line=kept.line, what=f"self.{status.inner} is set here")
    calls = tuple(call_sites(requirements, algorithms))
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=message,
        # one call and the way to the inner model first: what comes later may be cut
        evidence=(*calls[:1], held, *providers(status, member), *calls[1:]),
        edit=delegation(context, model, member),
    )


def _beyond(model: ModelCompliance, algorithms: tuple[str, ...]) -> str:
    """What no delegation can give: then the algorithm needs more than the lines to add."""
    lacking: dict[str, list[str]] = {}
    for algorithm in algorithms:
        for label in model.algorithms[algorithm].missing:
            if delegable(model, label) is None:
                lacking.setdefault(label, []).append(algorithm)
    words = [f"{label.replace('|', ' or ')} for {listed(under)}" for label, under in lacking.items()]
    return f"; the inner model itself lacks {', '.join(words)}" if words else ""
