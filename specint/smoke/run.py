"""Jobs to results: children at work, and what they found judged."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from specint.errors import SpecintError
from specint.smoke.agreement import agreements
from specint.smoke.model import Draft, DraftResult, Job, Ran, Ready, Result
from specint.smoke.problems import comparison, problems
from specint.smoke.process import Child, NotReady, Setup, raise_signalled, stop_all
from specint.smoke.verdicts import judgements, missing

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.compliance.model import ModelCompliance

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
    except (KeyboardInterrupt, SystemExit):
        stop_all()
        raise
    except NotReady as error:
        hint = "run it with the interpreter of the environment that has SGLang: --python, or see docs/smoke.md"
        raise SpecintError(str(error), setup.python, hint) from None
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
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
                raise_signalled()
                if progress:
                    progress("models", len(done), len(jobs))
    except BaseException:  # Ctrl-C, or a signal that ends this process
        while not waiting.empty():
            waiting.get_nowait()
        stop_all()
        raise
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
    told = ran.facts("contract")
    found = agreements(model, told, asks, analysis.findings) if model else ()
    verdicts = judgements(model, analysis.contract, told, found, algorithms) if model else ()
    drafts = tuple(_draft(analysis, models[draft.class_], draft, ran) for draft in job.drafts)
    said = [*missing(verdicts, found, job.class_), *problems(ran, job, verdicts, drafts)] if built else []
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
        verdicts=verdicts,
        drafts=drafts,
        problems=tuple(dict.fromkeys(said)),
        comparison=comparison(ran),
        states=tuple(one["states"] for one in captured if one["states"] is not None),
        seconds=ran.seconds,
        peak_mb=ran.peak_mb,
        raw=ran.steps,
    )


def _draft(analysis: Analysis, model: ModelCompliance, draft: Draft, ran: Ran) -> DraftResult:
    """What was found about a draft beside a target."""
    told = ran.facts(f"{draft.name} contract")
    found = agreements(model, told, draft.asks, analysis.findings)
    build = ran.step(f"{draft.name} build")
    return DraftResult(
        name=draft.name,
        class_=draft.class_,
        built=build is not None and build.outcome == "ok",
        reason=build.reason if build else None,
        agreements=found,
        verdicts=judgements(model, analysis.contract, told, found, [draft.algorithm]),
    )


def _why(ran: Ran) -> str:
    for step in ran.steps:
        if step.outcome in ("failed", "skipped") and step.name in ("start", "configure", "build"):
            where = f" ({step.where})" if step.where else ""
            return f"{step.reason}{where}"
    return "it was not built, and nothing says why"
