"""By what a model says that it supports an algorithm: a hook of its own or of its body, or SGLang's table of drafts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from specint.checks.context import Context
from specint.checks.finding import Evidence
from specint.checks.wording import does, listed
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement


@dataclass(frozen=True)
class Claim:
    """One thing by which a class claims an algorithm.

    Attributes:
        hook: the member that it offers; "" where it is no hook.
        words: the claim as a message begins, for an algorithm alone; the hooks of a class are told together.
        undo: what taking it back would be.
    """

    algorithm: str
    hook: str
    words: str
    evidence: Evidence
    undo: str


Claims = Mapping[str, tuple[Claim, ...]]
"""Dotted class -> what it claims, the hooks first."""


def claims(context: Context) -> Claims:
    """Every claim of every target; ask for it by `Context.once`."""
    hooks = claiming_members(context)
    models = {one.class_ for one in context.models}
    found: dict[str, tuple[Claim, ...]] = {}
    for model in context.models:
        if "target" in model.roles and model.applicable:
            own = (*_hooks(context, model, hooks, models), *_tables(context, model), *_bodies(context, model, hooks))
            found[model.class_] = tuple(one for one in own if one.algorithm in model.applicable)
    return found


def claiming_members(context: Context) -> dict[str, tuple[str, ...]]:
    """Algorithm -> the hooks that it alone asks a target for in the first place.

    A hook is called with something: an accessor without arguments may be there for anybody. Another algorithm may be
    content with it where its own is missing.
    """
    first: dict[str, set[str]] = {}
    handed: set[str] = set()
    for requirement in context.contract.requirements:
        for algorithm in requirement.algorithms:
            if insists(requirement, algorithm) and _is_first(requirement):
                first.setdefault(requirement.member, set()).add(algorithm)
                call = requirement.call
                if requirement.use == "call" and call is not None and (call.positional or call.keywords):
                    handed.add(requirement.member)
    found: dict[str, list[str]] = {}
    for member, algorithms in first.items():
        if member in handed and len(algorithms) == 1:
            found.setdefault(next(iter(algorithms)), []).append(member)
    return {algorithm: tuple(members) for algorithm, members in found.items()}


def _is_first(requirement: Requirement) -> bool:
    return requirement.group is None or requirement.group.partition("|")[0] == requirement.member


def claims_itself(model: ModelCompliance, member: str, models: set[str]) -> bool:
    """Whether a class offers a hook on its own account: what it inherits from another model was that model's claim."""
    status = model.members[member]
    return status.status == "present" and (status.provider == model.class_ or status.provider not in models)


def _hooks(
    context: Context, model: ModelCompliance, hooks: Mapping[str, tuple[str, ...]], models: set[str]
) -> Iterator[Claim]:
    for algorithm, members in hooks.items():
        for member in members:
            if claims_itself(model, member, models):
                status = model.members[member]
                yield Claim(
                    algorithm,
                    member,
                    f"{model.name} offers {member}, {_of(context, member, (algorithm,))}",
                    Evidence(file=status.file or model.file, line=status.line, what=f"{member} is offered here"),
                    f"take {member} away",
                )


def _tables(context: Context, model: ModelCompliance) -> Iterator[Claim]:
    """The drafts that the configuration puts in the place of this class, each for what it is made for."""
    judge = context.judge
    for draft, rewrite in judge.statements.rewrites.items():
        if model.name not in rewrite.before:
            continue
        for one in context.models:
            for algorithm in one.drafts_for if one.name == draft else ():
                yield Claim(
                    algorithm,
                    "",
                    f"SGLang makes {draft} out of a checkpoint of {model.name} to draft for it under {algorithm}",
                    Evidence(
                        file=rewrite.place.file, line=rewrite.place.line, what=f"{draft} is named as its draft here"
                    ),
                    f"take {model.name} out of that table",
                )


def _bodies(context: Context, model: ModelCompliance, hooks: Mapping[str, tuple[str, ...]]) -> Iterator[Claim]:
    """The hooks of what a class holds in an attribute, where it has none itself: it was made to capture."""
    node, judge = context.node(model), context.judge
    wrapped = {one.attribute for one in judge.wraps(node)}
    lacked = {m: a for a, members in hooks.items() for m in members if model.members[m].status == "missing"}
    if not lacked:
        return
    for attribute, assignments in judge.composition.assignments(node).items():
        inners = {inner for one in assignments if not one.late for inner in one.classes}
        if not inners or attribute in wrapped:
            continue
        for member, algorithm in lacked.items():
            defined = [judge.hierarchy.lookup(inner, member) for inner in inners]
            if all(one is not None and one.function is not None for one in defined):
                at = defined[0]
                assert at is not None
                yield Claim(
                    algorithm,
                    "",
                    f"self.{attribute} of {model.name} ({at.owner.name}) offers {member}, "
                    f"{_of(context, member, (algorithm,))}",
                    Evidence(file=at.owner.file, line=at.line, what=f"{at.owner.name} offers {member} here"),
                    f"take {member} of {at.owner.name} away",
                )


def told(context: Context, model: ModelCompliance, chosen: tuple[Claim, ...]) -> str:
    """Several claims as a message begins: the hooks together, else the first of the others."""
    hooks = list(dict.fromkeys(one.hook for one in chosen if one.hook))
    if not hooks:
        return chosen[0].words
    algorithms = tuple(dict.fromkeys(one.algorithm for one in chosen if one.hook))
    alone = all(_alone(context, hook, algorithms) for hook in hooks)
    of = _of(context, hooks[0], algorithms) if alone else f"which {does(algorithms, 'ask')} for"
    return f"{model.name} offers {listed(hooks)}, {of}"


def _of(context: Context, member: str, algorithms: tuple[str, ...]) -> str:
    only = "only " if _alone(context, member, algorithms) else ""
    return f"which {only}{does(algorithms, 'ask')} for"


def _alone(context: Context, member: str, algorithms: tuple[str, ...]) -> bool:
    asking = {
        a for r in context.contract.requirements if r.member == member and r.role == "target" for a in r.algorithms
    }
    return asking <= set(algorithms)
