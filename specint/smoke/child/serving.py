"""SGLang's own scheduler and speculative worker at work on a tiny target and a tiny draft, in this one process.

They are made as a server's scheduler process makes them; two requests go in, and the release's own event loop runs
until both are answered. Only where requests come from, and where answers go, is ours.
"""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import time
import traceback
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import boot, capture, golden, reference, server
from .building import Built, build
from .channel import Channel, Skipped
from .configuration import make_known

PROMPTS = ((3, 5, 7, 9, 11, 2, 4), (8, 6, 1))
MOST_BATCHES = 300
SPREAD = 0.15
"""Of random weights: wide enough that no two logits are nearly the same."""


class Answered(Exception):
    """Every request has its answer: the event loop has no other way out."""


def run(package: str, job: dict[str, Any], channel: Channel) -> None:
    """Start a scheduler with the job's target, draft and algorithm, and let it answer."""
    wanted = job["serve"]
    algorithm = wanted["algorithm"]
    changed = server.prepare(package, job["device"], algorithm)
    target = _configured(package, job, channel.about("target"), draft=False)
    draft = None
    if wanted["draft"]:
        beside = {**job, **wanted["draft"], "module": None, "checkpoint": None}
        # what SGLang makes of the target's own checkpoint is given as the target's own checkpoint
        draft = target if wanted["own_checkpoint"] else _configured(package, beside, channel.about("draft"), draft=True)
    with channel.step("serve start"):
        try:
            scheduler = _started(package, job, target, draft, changed, channel)
        except BaseException as error:
            channel.tell(trace=_trace(error), changed=changed)
            raise
    known = _weights(package, job, scheduler, target, channel)
    with channel.step("serve"):
        try:
            _answer(scheduler, wanted["tokens"], channel)
        except BaseException as error:
            channel.tell(trace=_trace(error))
            raise
    if known is not None and not algorithm:
        with channel.step("greedy"):
            channel.tell(tokens=[golden.greedy(known, list(one), wanted["tokens"]) for one in PROMPTS])


def _configured(package: str, job: dict[str, Any], channel: Channel, *, draft: bool) -> Path:
    """A folder with a tiny config.json that has every key the class asks for: found out by building it in a fork."""
    folder = Path(tempfile.mkdtemp(prefix="specint-serve-"))
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            import torch

            boot.without_a_gpu(torch)  # a fork can't use one
            boot.start(package, "cpu")
            build(package, {**job, "device": "cpu"}, channel, draft=draft).tiny.write(folder)
            status = 0
        except BaseException:
            pass  # told by the step it happened in
        finally:
            os._exit(status)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        raise Skipped(f"no {'draft' if draft else 'target'} could be configured")
    values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    make_known(boot.registry(package).models.get(job["architecture"]), values["model_type"])
    return folder


def _started(
    package: str, job: dict[str, Any], target: Path, draft: Path | None, changed: list[str], channel: Channel
) -> Any:  # noqa: ANN401 - SGLang's objects
    wanted = job["serve"]
    more = {"dtype": job["dtype"], **wanted["arguments"]}
    made = server.arguments(
        package, job["device"], str(target), str(draft) if draft else None, wanted["algorithm"], job["kernels"], **more
    )
    scheduler, kernels = server.started(package, made, job["device"], wanted["algorithm"])
    changed += kernels
    worker = getattr(scheduler, "draft_worker", None)
    model = server.draft_model(scheduler)
    channel.tell(
        worker=type(worker).__name__ if worker is not None else None,
        target=_named(scheduler.tp_worker.model_runner.model),
        draft=None if model is None else _named(model),
        changed=changed,
    )
    return scheduler


def _weights(
    package: str,
    job: dict[str, Any],
    scheduler: Any,  # noqa: ANN401
    target: Path,
    channel: Channel,
) -> reference.Reference | None:
    """The same weights in every run: Transformers' random ones where it has the model; and the draft's."""
    runner = scheduler.tp_worker.model_runner
    values = json.loads((target / "config.json").read_text(encoding="utf-8"))
    built = Built(runner.model, runner.model_config, SimpleNamespace(values=values))  # type: ignore[arg-type]
    model = server.draft_model(scheduler)
    if model is not None:
        capture.fill(package, Built(model, runner.model_config, built.tiny), SPREAD)
    known = None
    try:
        known = reference.load(package, built, {**job, "checkpoint": None}, channel)
    except Exception:
        capture.fill(package, built, SPREAD)  # that there is no reference has been told
    if known is not None and model is not None and job["serve"]["golden"]:
        try:
            with channel.step("golden"):
                golden.give(known, model, PROMPTS, job["serve"]["tokens"], job["serve"]["golden"], channel)
        except Exception:
            pass  # the draft guesses at random then, and its reason has been told
    return known


def _answer(scheduler: Any, count: int, channel: Channel) -> None:  # noqa: ANN401
    """Two requests through the scheduler's own event loop; their tokens and how many were accepted at a time."""
    started = time.monotonic()
    scheduler.send_to_detokenizer = _Sink()
    for number, prompt in enumerate(PROMPTS):
        scheduler.handle_generate_request(_request(scheduler, number, prompt, count))
    requests = list(scheduler.waiting_queue)
    if len(requests) != len(PROMPTS):
        raise Skipped(f"the scheduler took {len(requests)} of {len(PROMPTS)} requests")
    batches = 0
    run_batch = scheduler.run_batch

    def counted(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        nonlocal batches
        batches += 1
        return run_batch(*arguments, **keywords)

    def received(*_arguments: object, **_keywords: object) -> list[object]:
        if all(one.finished() for one in requests) or batches > MOST_BATCHES:
            raise Answered
        return []

    scheduler.run_batch = counted
    setattr(scheduler, "ingest_requests" if hasattr(scheduler, "ingest_requests") else "recv_requests", received)
    loop = scheduler.event_loop_overlap if getattr(scheduler, "enable_overlap", False) else scheduler.event_loop_normal
    try:
        getattr(scheduler, "run_event_loop", loop)()  # newer releases get some things ready first, and choose the loop
    except Answered:
        pass
    # the last step may give more than was asked for; a server cuts that off
    tokens = [[int(token) for token in one.output_ids][:count] for one in requests]
    verified = [int(getattr(one, "spec_verify_ct", 0) or 0) for one in requests]
    steps = sum(verified)
    channel.tell(
        tokens=tokens,
        finished=all(one.finished() for one in requests),
        verified=verified,
        accept_length=round(sum(len(one) - 1 for one in tokens) / steps, 2) if steps else None,
        batches=batches,
        loop=loop.__name__,
        seconds=round(time.monotonic() - started, 1),
    )


def _request(scheduler: Any, number: int, prompt: tuple[int, ...], count: int) -> Any:  # noqa: ANN401
    package = type(scheduler).__module__.partition(".")[0]
    made = boot.module(package, "srt.managers.io_struct").TokenizedGenerateReqInput
    sampling = boot.module(package, "srt.sampling.sampling_params").SamplingParams(
        max_new_tokens=count, temperature=0.0, ignore_eos=True
    )
    sampling.normalize(None)
    arrays = "array" in str(made.__annotations__.get("input_ids"))
    offered = {
        "rid": f"specint-{number}",
        "input_text": "",
        "input_ids": array("q", prompt) if arrays else list(prompt),
        "input_embeds": None,
        "token_type_ids": None,
        "mm_inputs": None,
        "sampling_params": sampling,
        "return_logprob": False,
        "logprob_start_len": -1,
        "top_logprobs_num": 0,
        "token_ids_logprob": None,
        "stream": False,
    }
    taken = inspect.signature(made).parameters
    return made(**{name: value for name, value in offered.items() if name in taken})


class _Sink:
    """Where answers would be turned into text."""

    def send_output(self, *_arguments: object, **_keywords: object) -> None:
        """Nobody reads it."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return self.send_output


def _named(model: Any) -> str:  # noqa: ANN401
    return f"{type(model).__module__}.{type(model).__qualname__}"


def _trace(error: BaseException) -> list[str]:
    """SGLang's lines that an exception came through, the innermost last."""
    found = []
    for frame in traceback.extract_tb(error.__traceback__):
        at = frame.filename.rfind("/sglang/")
        if at >= 0:
            found.append(f"{frame.filename[at + 1 :]}:{frame.lineno} {frame.name}: {frame.line}")
    return found[-8:]
