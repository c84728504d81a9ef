"""Jobs to results: children at work, and what they found judged."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from specint.errors import SpecintError
from specint.smoke.agreement import agreements, missing
from specint.smoke.model import Job, Ran, Ready, Result
from specint.smoke.problems import comparison, problems
from specint.smoke.process import Child, NotReady, Setup

if TYPE_CHECKING:
    from specint.analysis.model import Analysis

Progress = Callable[[str, int, int], None]


def run(
    jobs: Sequence[Job], setup: Setup, workers: int = 1, progress: Progress | None = None
) -> tuple[Ready, list[Ran]]:
    """Do every job, several at a time; what the first child found, and what came of each job, in their order.

    Raises:
        SpecintError: SGLang can't be imported at all.
    """
    try:
        first = Child(setup)
    except NotReady as error:
        hint = "run it with the interpreter of the environment that has SGLang: --python, or see docs/smoke.md"
        raise SpecintError(f"SGLang can't be imported: {error}", setup.python, hint) from None
    waiting: queue.SimpleQueue[tuple[int, Job]] = queue.SimpleQueue()
    for pair in enumerate(jobs):
        waiting.put(pair)
    done: dict[int, Ran] = {}
    threads = [
        threading.Thread(target=_work, args=(setup, first if number == 0 else None, waiting, done), daemon=True)
        for number in range(max(1, min(workers, len(jobs))))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)
            if progress:
                progress("models", len(done), len(jobs))
    return first.ready, [done[number] for number in range(len(jobs))]


def _work(setup: Setup, child: Child | None, waiting: queue.SimpleQueue[tuple[int, Job]], done: dict[int, Ran]) -> None:
    while True:
        try:
            number, job = waiting.get_nowait()
        except queue.Empty:
            break
        try:
            if child is None or child.ended or (child.used and not setup.fork):
                if child is not None:
                    child.close()
                child = Child(setup)
            done[number] = child.run(job)
        except NotReady as error:
            child = None
            done[number] = Ran(ended="not started", reason=str(error))
        except Exception as error:  # ours; the other models are still looked at
            done[number] = Ran(ended="not started", reason=f"specint's own {type(error).__name__}: {error}")
            _close(child)
            child = None
    _close(child)


def _close(child: Child | None) -> None:
    if child is not None:
        child.close()


def judged(analysis: Analysis, job: Job, ran: Ran, algorithms: tuple[str, ...]) -> Result:
    """What a job found, beside what reading says."""
    models = {model.class_: model for model in analysis.models}
    model = models.get(job.class_)
    build = ran.step("build")
    built = build is not None and build.outcome == "ok"
    facts = build.facts if build else {}
    asks = [ask for ask in job.asks if ask.role in (job.role, "both")]
    found = agreements(model, ran.facts("contract"), asks, analysis.findings) if model else ()
    draft = next((one for one in analysis.models if one.name == job.draft), None)
    of_drafts = [ask for ask in job.asks if ask.role in ("draft", "both")]
    of_draft = agreements(draft, ran.facts("draft contract"), of_drafts, analysis.findings) if draft else ()
    told = [*missing(found, job.asks, algorithms, job.role), *problems(ran)] if built else []
    if draft and of_draft:
        told += missing(of_draft, job.asks, algorithms, "draft")
    captured = ran.facts("forward").get("captured") or []
    return Result(
        class_=job.class_,
        name=job.architecture,
        variant=job.variant,
        built=built,
        reason=ran.reason or (None if built else _why(ran)),
        ended=ran.ended,
        config_class=facts.get("config_class"),
        assumed=facts.get("assumed", {}),
        agreements=found,
        draft=draft.class_ if draft else None,
        draft_agreements=of_draft,
        problems=tuple(told),
        comparison=comparison(ran),
        states=tuple(one["states"] for one in captured if one["states"] is not None),
        seconds=ran.seconds,
        peak_mb=ran.peak_mb,
        raw=ran.steps,
    )


def _why(ran: Ran) -> str:
    for step in ran.steps:
        if step.outcome in ("failed", "skipped") and step.name in ("start", "configure", "build"):
            where = f" ({step.where})" if step.where else ""
            return f"{step.reason}{where}"
    return "it was not built, and nothing says why"
