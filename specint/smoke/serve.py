"""`--serve`: which schedulers are run, and what comes of them beside what reading says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from specint.smoke import knowledge
from specint.smoke.model import Accord, Job, Problem, Ran, Serve, Served
from specint.smoke.plan import Wish, draft_of, shared_with_draft

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.compliance.model import ModelCompliance, Verdict

LACKS = re.compile(r"AttributeError: .*has no attribute '(\w+)'|\b(\w+) (?:is )?not (?:found|implemented|supported)")
NOT_HERE = re.compile(
    r"StandInCalled|stand-in|_Anything|active drivers|not compiled with CUDA|No accelerator|CompilationError"
    r"|torch\.ops\.|toolchain|No module named|out of memory|no kernel|only supports? (?:cuda|gpu)|bfloat16|BFloat16",
    re.IGNORECASE,
)
"""Why a scheduler can't run on this machine, whatever the model is like."""


def jobs(analysis: Analysis, models: Sequence[ModelCompliance], wish: Wish, checkpoint: str | None = None) -> list[Job]:
    """For each target one scheduler without speculation, and one for each algorithm; both anew for an algorithm whose
    worker runs in another type of numbers.

    Args:
        checkpoint: the folder of a real checkpoint of the only model, whose config.json is shrunk.
    """
    found: list[Job] = []
    for model in models:
        if "target" not in model.roles:
            continue
        dtypes = knowledge.knowledge()["serve"]["dtypes"]
        speculating = [(one, dtypes.get(one.algorithm, wish.dtype)) for one in _speculating(analysis, model, wish)]
        for dtype in dict.fromkeys(dtype for _, dtype in speculating) or [wish.dtype]:
            plain = Serve(tokens=_tokens(), arguments=_arguments({}, wish))
            runs = [plain, *(one for one, its in speculating if its == dtype)]
            found += [_job(len(found) + n, model, wish, serve, dtype, checkpoint) for n, serve in enumerate(runs)]
    return found


def _speculating(analysis: Analysis, model: ModelCompliance, wish: Wish) -> list[Serve]:
    settings = knowledge.knowledge()["serve"]
    runs = []
    for algorithm in model.under(wish.algorithms):
        draft = draft_of(analysis, model, wish, algorithm)
        usual = knowledge.usual_draft(algorithm)
        name = draft.name if draft else usual
        if name is None:
            continue  # it drafts without a model, or nothing says with which
        own = draft is not None and model.name in draft.made_from
        golden: dict[str, Any] = next((one for one in settings["golden"] if one["class"] == name), {})
        given = {**shared_with_draft(wish.given), **knowledge.given_to_drafts(name)}
        runs.append(
            Serve(
                algorithm=algorithm,
                draft={"architecture": name, "given": given},
                own_checkpoint=own,
                tokens=_tokens(),
                golden=golden,
                arguments=_arguments(settings["arguments"].get(algorithm, {}), wish),
            )
        )
    return runs


def _arguments(usual: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """The server's arguments for one algorithm; of several tokens a step a tree is made, with twice as many in all."""
    more: dict[str, Any] = {"disable_overlap_schedule": False} if wish.overlap else {}
    if wish.topk > 1 and "speculative_eagle_topk" in usual:
        more |= {"speculative_eagle_topk": wish.topk, "speculative_num_draft_tokens": 2 * wish.topk}
    return {**usual, **more}


def _tokens() -> int:
    return int(knowledge.knowledge()["serve"]["tokens"])


def _job(number: int, model: ModelCompliance, wish: Wish, serve: Serve, dtype: str, checkpoint: str | None) -> Job:
    settings = dict(knowledge.knowledge())
    settings["given"] = [*settings["given"], *settings["serve"]["given"]]
    return Job(
        id=number,
        class_=model.class_,
        architecture=model.name,
        module=None if checkpoint else model.class_.rpartition(".")[0],
        checkpoint=checkpoint,
        role="target",
        members=(),
        asks=(),
        capture=(),
        inner=tuple(wrap.attribute for wrap in model.wraps),
        given={key: value for key, value in wish.given.items() if "." not in key},
        serve=serve,
        dtype=dtype,
        memory_mb=wish.memory_mb,
        settings=settings,
    )


def judged(analysis: Analysis, asked: Sequence[Job], ran: Sequence[Ran]) -> tuple[Served, ...]:
    """What came of each scheduler; one without speculation stands for what is right with it."""
    models = {model.class_: model for model in analysis.models}
    members = {one.member for one in analysis.contract.requirements}
    found = []
    plain: dict[tuple[str, str], Ran] = {}
    for job, one in zip(asked, ran, strict=True):
        assert job.serve is not None
        if not job.serve.algorithm:
            plain[job.class_, job.dtype] = one
        verdict = models[job.class_].algorithms.get(job.serve.algorithm)
        served = _served(job, one, plain[job.class_, job.dtype], verdict, members)
        if served.accord == "disagree" and served.outcome == "served" and _is_silent(analysis, job, verdict):
            served = msgspec.structs.replace(served, accord="agree", why=None)
        found.append(served)
    return tuple(found)


def _is_silent(analysis: Analysis, job: Job, verdict: Verdict | None) -> bool:
    """Whether what was read as broken is nothing that a start shows: states get lost, or are others."""
    assert job.serve is not None
    if verdict is None or verdict.verdict != "broken":
        return False
    shown = knowledge.seen_by_calling()
    return not any(
        one.class_ == job.class_
        and one.member in verdict.broken
        and job.serve.algorithm in one.algorithms
        and one.rule in shown
        for one in analysis.findings
    )


def _served(job: Job, ran: Ran, plain: Ran, verdict: Verdict | None, members: set[str]) -> Served:
    assert job.serve is not None
    start, answer = ran.facts("serve start"), ran.facts("serve")
    outcome, reason, where = _outcome(ran)
    tokens = tuple(tuple(one) for one in answer.get("tokens", ()))
    expected = tuple(tuple(one) for one in plain.facts("serve").get("tokens", ()))
    # Rounded to fewer bits, two implementations may take another token where two are nearly as good.
    exact = job.dtype == "float32"
    greedy = tuple(tuple(one) for one in plain.facts("greedy").get("tokens", ())) if exact else ()
    golden = ran.step("golden")
    one = Served(
        class_=job.class_,
        name=job.architecture,
        algorithm=job.serve.algorithm,
        draft=job.serve.draft["architecture"] if job.serve.draft else None,
        verdict=verdict.verdict if verdict else None,
        outcome=outcome,
        reason=reason,
        where=where,
        trace=(*start.get("trace", ()), *answer.get("trace", ())),
        worker=start.get("worker"),
        tokens=tokens,
        equal=tokens == expected if tokens and expected and job.serve.algorithm else None,
        greedy=tokens == greedy if tokens and greedy else None,
        accept_length=answer.get("accept_length"),
        golden=golden is not None and golden.outcome == "ok",
        changed=tuple(start.get("changed", ())),
        seconds=ran.seconds,
        peak_mb=ran.peak_mb,
        accord="not asked",
        problems=(),
        raw=ran.steps,
    )
    accord, why = _accord(one, members)
    problems = tuple(_problems(one, _outcome(plain)[0]))
    return msgspec.structs.replace(one, accord=accord, why=why, problems=problems)


def _outcome(ran: Ran) -> tuple[Any, str | None, str | None]:
    """Served, or where it ended: before a scheduler was asked for, while it started, or while it answered."""
    answer = ran.step("serve")
    if answer is not None and answer.outcome == "ok" and answer.facts.get("finished"):
        return "served", None, None
    for name, word in (("serve", "stops"), ("serve start", "does not start")):
        step = ran.step(name)
        if step is not None:
            reason = step.reason or ran.reason or "the requests were not answered"
            return ("not tried" if NOT_HERE.search(f"{reason} {step.where or ''}") else word), reason, step.where
    failed = next((step for step in ran.steps if step.outcome in ("failed", "skipped")), None)
    return "not tried", ran.reason or (f"{failed.name}: {failed.reason}" if failed else "it was not configured"), None


def _accord(one: Served, members: set[str]) -> tuple[Accord, str | None]:
    """A start is what verdicts are about: one that fails for a member must have been read, and one that doesn't too."""
    if one.verdict is None or one.outcome == "not tried":
        return "not asked", None
    if one.verdict == "unknown":
        return "static unknown", None
    lacks = LACKS.search(one.reason or "")
    named = next((name for name in (lacks.groups() if lacks else ()) if name in members), None)
    if one.verdict == "ok" and named is not None:
        return "disagree", f"read as ok, and it {one.outcome} for lack of {named}"
    if one.verdict in ("missing", "broken") and one.outcome == "served":
        return "disagree", f"read as {one.verdict}, and it serves"
    return "agree", None


def _problems(one: Served, plain: str) -> list[Problem]:
    made: list[Problem] = []

    def add(kind: str, what: str, severity: Any = "error", where: str | None = None) -> None:  # noqa: ANN401
        made.append(Problem(kind=kind, what=what, severity=severity, where=where, about=one.class_))

    under = one.algorithm or "no speculation"
    if one.outcome == "not tried":
        add("not served here", f"{under}: {one.reason}", "warning", one.where)
    elif one.outcome != "served":
        # what fails without speculation, too, says nothing about it
        control = one.algorithm and plain == "served"
        add("does not serve", f"{under}: it {one.outcome}: {one.reason}", "error" if control else "warning", one.where)
    if one.equal is False:
        add("tokens differ", f"{under}: other tokens than without speculation")
    if one.greedy is False:
        add("tokens differ", f"{under}: other tokens than Transformers takes")
    # the draft was fitted to Transformers' states: where Transformers takes other tokens, they say nothing
    if one.golden and one.greedy is not False and _wasted(one):
        add(
            "few accepted",
            f"{under}: {one.accept_length} tokens at a time, where the first token of a draft that guesses right from "
            "the right states is accepted each time: the states are others",
        )
    return made


def _wasted(one: Served) -> bool:
    """Whether some step accepted none of what was drafted: each gives one token of the target's, and at least one of
    the draft's, until all are there (the first token comes of the prompt)."""
    steps = next((step.facts.get("verified", ()) for step in one.raw if step.name == "serve"), ())
    return any(taken > len(tokens) // 2 for taken, tokens in zip(steps, one.tokens, strict=False))
