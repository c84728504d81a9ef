"""From an analysis to jobs: which requirements of the contract a model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from specint.smoke import knowledge
from specint.smoke.model import Ask, Draft, Job

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.compliance.model import ModelCompliance
    from specint.contract.model import Contract, Requirement

DUNDER = ("__call__", "__class__")
"""Every object has these."""


OF_DRAFTS = "draft."
"""Before a key that is set in the configuration of drafts alone."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants done with each model. `draft` is built beside each target, the usual one for None.

    Attributes:
        overlap, topk: of schedulers at work: batches are prepared while others run; how many tokens are kept a step.
    """

    algorithms: tuple[str, ...]
    forward: bool = False
    reference: bool = False
    draft: ModelCompliance | None = None
    memory_mb: int = 4096
    given: dict[str, Any] = {}
    both_ties: bool = False
    dtype: str = "float32"
    overlap: bool = False
    topk: int = 1


def jobs(analysis: Analysis, models: Sequence[ModelCompliance], wish: Wish) -> list[Job]:
    """One job for each model; two, with tied and with untied embeddings, where that was asked for."""
    found: list[Job] = []
    for model in models:
        for variant, given in _variants(wish, model):
            found.append(_job(len(found), analysis, model, wish, variant, given))
    return found


def checkpoint_job(analysis: Analysis, architecture: str, folder: str, wish: Wish) -> Job:
    """The job for a real checkpoint's configuration."""
    model = next((one for one in analysis.models if one.name == architecture), None)
    if model is None:
        asks = tuple(_asks(analysis.contract, "target", wish.algorithms))
        members = tuple(sorted({ask.member for ask in asks}))
        return Job(
            id=0, class_=architecture, architecture=architecture, module=None, role="target", members=members,
            asks=asks, capture=_capture(asks), inner=(), checkpoint=folder, settings=knowledge.knowledge(),
            forward=wish.forward, reference=wish.reference, memory_mb=wish.memory_mb,
            dtype=wish.dtype, given=wish.given,
        )  # fmt: skip
    job = _job(0, analysis, model, wish, "", wish.given)
    return msgspec.structs.replace(job, checkpoint=folder, module=None)


def _variants(wish: Wish, model: ModelCompliance) -> Iterator[tuple[str, dict[str, Any]]]:
    given = {key: value for key, value in wish.given.items() if not key.startswith(OF_DRAFTS)}
    if not wish.both_ties or "target" not in model.roles:
        yield "", given
        return
    yield "untied", {**given, "tie_word_embeddings": False}
    yield "tied", {**given, "tie_word_embeddings": True}


def _job(
    number: int, analysis: Analysis, model: ModelCompliance, wish: Wish, variant: str, given: dict[str, Any]
) -> Job:
    role = "target" if "target" in model.roles else "draft"
    algorithms = model.under(wish.algorithms)
    asks = tuple(_asks(analysis.contract, role, algorithms))
    return Job(
        id=number,
        class_=model.class_,
        architecture=model.name,
        module=model.class_.rpartition(".")[0],
        variant=variant,
        role=role,
        members=tuple(sorted(name for name in model.members if name not in DUNDER)),
        asks=tuple(dict.fromkeys(asks)),
        capture=_capture(asks),
        inner=tuple(wrap.attribute for wrap in model.wraps if "." not in wrap.attribute),
        given=given,
        forward=wish.forward and role == "target",
        reference=wish.reference and role == "target",
        drafts=tuple(_drafts(analysis, model, wish, given)) if role == "target" else (),
        dtype=wish.dtype,
        memory_mb=wish.memory_mb,
        settings=knowledge.knowledge(),
    )


def _drafts(analysis: Analysis, model: ModelCompliance, wish: Wish, given: dict[str, Any]) -> Iterator[Draft]:
    """The drafts that stand beside a target: the one that was named, else that of the first algorithm that has one."""
    found = next(
        ((draft, name) for name in model.under(wish.algorithms) if (draft := draft_of(analysis, model, wish, name))),
        None,
    )
    if found is None:
        return
    draft, algorithm = found
    given = shared_with_draft({**wish.given, **given})
    variants = knowledge.draft_variants(draft.name)
    for variant in variants if wish.forward else variants[:1]:
        what = ", ".join(f"{key} = {value}" for key, value in variant.items())
        if not set(variant).intersection(given):
            yield Draft(
                name=f"draft, {what}:" if what else "draft",
                class_=draft.class_,
                architecture=draft.name,
                algorithm=algorithm,
                takes=knowledge.taken_by_drafts(algorithm),
                asks=tuple(_asks(analysis.contract, "draft", (algorithm,))),
                given={**given, **variant},
            )


def shared_with_draft(given: dict[str, Any]) -> dict[str, Any]:
    """What a user sets, as far as it is for drafts: what they share with their target, and what is named for them."""
    shared = {key: value for key, value in given.items() if key in knowledge.fitting_the_target()}
    return shared | {key.removeprefix(OF_DRAFTS): one for key, one in given.items() if key.startswith(OF_DRAFTS)}


def draft_of(analysis: Analysis, model: ModelCompliance, wish: Wish, algorithm: str) -> ModelCompliance | None:
    """A target's draft for an algorithm: the one named if it serves it, the one that SGLang makes of the target's own
    checkpoint, else the one that serves any target."""
    if wish.draft is not None:
        serves = wish.draft.drafts_for
        return wish.draft if algorithm in serves or not set(wish.algorithms).intersection(serves) else None
    drafts = [one for one in analysis.models if algorithm in one.drafts_for]
    usual = knowledge.usual_draft(algorithm)
    return next(
        (one for one in drafts if model.name in one.made_from), next((one for one in drafts if one.name == usual), None)
    )


def _capture(asks: Sequence[Ask]) -> tuple[str, ...]:
    asked = {ask.member for ask in asks}
    return tuple(member for member in knowledge.capturing() if member in asked)


def _asks(contract: Contract, role: str, algorithms: tuple[str, ...]) -> Iterator[Ask]:
    for requirement in contract.requirements:
        if requirement.role in (role, "both") and _concerns(requirement, algorithms) and not _of_parts(requirement):
            yield _ask(requirement)


def _of_parts(requirement: Requirement) -> bool:
    """Whether it asks, or may as well ask, a part of the model: the child asks the model itself for names alone."""
    return "." in (requirement.group or requirement.member)


def _concerns(requirement: Requirement, algorithms: tuple[str, ...]) -> bool:
    """Whether one of these algorithms asks it, and no server without one does."""
    return bool(set(algorithms).intersection(requirement.algorithms))


def _ask(requirement: Requirement) -> Ask:
    site = requirement.decided_by or (requirement.sites[0] if requirement.sites else None)
    call = requirement.call
    return Ask(
        member=requirement.member,
        role=requirement.role,
        use=requirement.use,
        strength=requirement.strength,
        algorithms=requirement.algorithms,
        calls=tuple(sorted({call.fewest, call.positional})) if call else (),
        keywords=bool(call and (call.keywords or call.starred)),
        unpacks=call.unpacks if call else None,
        group=requirement.group,
        condition=requirement.condition,
        site=f"{site.file}:{site.line}" if site else "",
    )
