"""spec-signature-mismatch: a member can't be called, or read, in the way in which the workers do it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from specint.checks.asked import Asked, asked_members, sites
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.reshaping import defaulted
from specint.checks.site_calls import is_called_later, site_shapes
from specint.checks.wording import at_site, listed, unfit
from specint.compliance.judge import HARD
from specint.contract.model import CallShape, Requirement, telling_site
from specint.contract.shapes import misfit
from specint.facts import model as facts
from specint.graph.dataflow import Place
from specint.graph.hierarchy import Member

SYMBOL = "spec-signature-mismatch"

_ORDER = ("required", "raises", "any-of", "conditional", "optional")
_KEEPS = frozenset({"staticmethod", "classmethod", "override", "abstractmethod", "cache", "lru_cache"})


def check(context: Context) -> Iterator[Finding]:
    """Every member whose signature doesn't take the calls of the workers."""
    shared: dict[str, list[Requirement]] = {}
    for requirement in context.contract.requirements:
        hard = requirement.strength in HARD and not requirement.settings and requirement.condition is None
        if requirement.role == "both" and requirement.use == "call" and hard:
            shared.setdefault(requirement.member, []).append(requirement)
    for one in context.once(asked_members):
        yield from _judged(context, _with_all_callers(one, shared.get(one.member, [])))
    yield from _inner_models(context)


def _judged(context: Context, one: Asked) -> Iterator[Finding]:
    definition = one.definition
    if definition is None or definition.function is None or not keeps_signature(definition):
        return
    wrong = [(r, p) for r in one.requirements if (p := _problem(context, one, definition, r)) is not None]
    if wrong:
        yield _finding(context, one, definition, sorted(wrong, key=lambda pair: _ORDER.index(pair[0].strength)))


def _with_all_callers(one: Asked, shared: list[Requirement]) -> Asked:
    """The calls of the member's own side, and those that either side's model gets."""
    also = [r for r in shared if not r.algorithms or set(r.algorithms) & set(one.algorithms)]
    return replace(one, requirements=tuple(dict.fromkeys((*one.requirements, *also)))) if also else one


def _inner_models(context: Context) -> Iterator[Finding]:
    """What is asked of the model inside a wrapper, where the contract that is looked at says so."""
    asked: dict[str, list[Requirement]] = {}
    for requirement in context.contract.requirements:
        if requirement.role == "inner" and requirement.use == "call" and requirement.strength in HARD:
            asked.setdefault(requirement.member, []).append(requirement)
    if not asked:
        return
    wraps = (wrapped for model in context.models for wrapped in context.judge.wraps(context.node(model)))
    held = {node for wrapped in wraps for node, _ in wrapped.candidates}
    for model in context.models:
        node = context.node(model)
        for member, requirements in asked.items() if node in held else ():
            definition = context.judge.hierarchy.lookup(node, member)
            if definition is not None:
                yield from _judged(context, Asked(model, node, member, tuple(requirements), (), definition))


def keeps_signature(definition: Member) -> bool:
    """Whether what is called is the function as written: no decorator of the tree's own stands before it."""
    assert definition.function is not None
    for decorator in definition.function.facts.decorators:
        name = facts.dotted(decorator.func if isinstance(decorator, facts.Call) else decorator) or ""
        if not name.startswith("torch.") and name.rpartition(".")[2] not in _KEEPS and definition.kind != "property":
            return False
    return True


def _problem(context: Context, one: Asked, definition: Member, requirement: Requirement) -> str | None:
    if definition.kind == "property":
        return _called_property(context, one, definition) if requirement.use == "call" else None
    if requirement.use == "read":
        called = any(r.member == one.member and r.use == "call" for r in context.contract.requirements)
        called = called or any(is_called_later(context, one.member, site) for site in requirement.sites)
        looked_for = requirement.strength == "any-of"  # whether it is there: what is kept so is called elsewhere
        return None if called or looked_for else "it is a method, and what is read is the method itself, not a value"
    if _of_a_part(context, one, requirement):
        return None
    # where no server makes all of the calls, one that a class is reached by and fits is enough
    problems = [unbound(definition, shape) for shape in requirement.shapes]
    if not problems or None in problems:
        return None
    if _fitting(context, requirement):
        return problems[0]
    # nobody fits all of them, and each hands over what another doesn't: they are meant for different classes
    apart = [unbound(definition, shape) for shape in site_shapes(context, requirement)]
    return None if None in apart else problems[0]


def _fitting(context: Context, requirement: Requirement) -> bool:
    """Whether some class that is asked takes every call of a requirement."""
    return any(
        requirement.call is not None and unbound(other.definition, requirement.call) is None
        for other in context.once(asked_members)
        if other.member == requirement.member and requirement in other.requirements
        if other.definition is not None and other.definition.function is not None
    )


def _of_a_part(context: Context, one: Asked, requirement: Requirement) -> bool:
    """Whether a part of the class is called in its place: `getattr(model, "inner", model).forward(...)`."""
    parts = (member.rpartition(".") for member in (requirement.group or "").split("|"))
    return any(
        part and name == one.member and context.judge.members.status(one.node, part).status == "present"
        for part, _, name in parts
    )


def _called_property(context: Context, one: Asked, definition: Member) -> str | None:
    function = definition.function
    assert function is not None
    for step in function.facts.body.steps:
        if not isinstance(step, facts.Return):
            continue
        arms = context.flow.arms(step.value, Place(one.node, function, step))
        is_value = isinstance(step.value, facts.Display) or all(arm.kind == "object" for arm in arms)
        if not is_value:
            return None
    return "it is a property: reading it gives the value already, and the call is made on that value"


def unbound(definition: Member, call: CallShape) -> str | None:
    """Why a call doesn't fit a signature, None where it does. Where callers differ, each of them has to fit."""
    lack = misfit(definition, call)
    return unfit(lack, call) if lack is not None else None


def _finding(context: Context, one: Asked, definition: Member, wrong: list[tuple[Requirement, str]]) -> Finding:
    function = definition.function
    assert function is not None
    requirement, problem = wrong[0]
    algorithms = tuple(a for a in one.algorithms if any(not r.algorithms or a in r.algorithms for r, _ in wrong))
    shape = ", ".join(_spelled(param) for param in function.facts.params)
    site = telling_site([requirement], algorithms)
    done = "called" if requirement.use == "call" else "read"
    message = (
        f"{one.model.name}.{one.member}({shape}) doesn't fit how {listed(algorithms) or 'a model inside another'} "
        f"{'uses' if len(algorithms) == 1 else 'use' if algorithms else 'is used'}{' it' if algorithms else ''}: "
        f"{problem}; {done}{at_site(site, algorithms)}"
    )
    here = Evidence(file=definition.owner.file, line=definition.line, what=f"{function.facts.qualname} is defined here")
    calls = [r.call for r in one.requirements if r.call is not None]
    return about(
        SYMBOL,
        one.model,
        one.member,
        algorithms,
        at=one.place,
        message=message,
        evidence=(here, *sites(one)),
        edit=defaulted(context, definition, calls),
    )


def _spelled(param: facts.Param) -> str:
    stars = {"*": "*", "**": "**"}.get(param.kind, "")
    return f"{stars}{param.name}" + ("=…" if param.default is not None else "")
