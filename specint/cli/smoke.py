"""`specint smoke`: a tiny model of the real class is built and asked what the contract asks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from specint.cli import options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specint.analysis.model import Analysis
    from specint.cli.session import Session
    from specint.compliance.model import ModelCompliance
    from specint.config import Config
    from specint.smoke.model import Job, Report

DISAGREEMENT = 3
_NONE = ""
"""In place of an algorithm's name: a launch that speculates not at all."""
_FOLDER = "download the checkpoint's config.json into a folder, and name that"


def _device(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if re.fullmatch(r"auto|cpu|meta|cuda(:\d+)?", value) is None:
        raise click.BadParameter(f"{value!r} is none of auto, cpu, cuda, cuda:N and meta")
    return value


@click.command("smoke", short_help="Build a tiny model of the real class, and ask it.", epilog=examples("smoke"))
@click.argument("names", metavar="[CLASS]...", nargs=-1)
@click.option(
    "--launch",
    is_flag=True,
    help="Put a launch (after --) to SGLang's own arguments, configurations and classes.",
)
@click.option("--gpu", metavar="NAME", help="With --launch: the machine that PyTorch claims to be, as for preflight.")
@click.option("--all", "every", is_flag=True, help="Every registered class.")
@click.option(
    "--model-path",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="A checkpoint's folder: its config.json is taken, shrunk. No weights are read.",
)
@click.option(
    "--algorithm",
    "--algorithms",
    "algorithms",
    multiple=True,
    metavar="NAME",
    help="This speculative algorithm alone (EAGLE3, NEXTN, ...); several times, with commas, or all, which is usual.",
)
@click.option("--draft", metavar="CLASS", help="Build this draft class beside the target.")
@click.option(
    "--device", default="auto", show_default=True, metavar="NAME", callback=_device, help="cpu, cuda, cuda:N or meta."
)
@click.option("--forward/--no-forward", default=None, help="Run a prefill and a decode step; on unless --all or meta.")
@click.option("--serve", is_flag=True, help="Instead, run SGLang's scheduler and speculative worker on tiny models.")
@click.option("--overlap", is_flag=True, help="With --serve: prepare batches while others run, as servers do.")
@click.option(
    "--topk",
    type=click.IntRange(1, 8),
    default=1,
    show_default=True,
    help="With --serve: how many drafted tokens are followed at each step.",
)
@click.option(
    "--kernels",
    type=click.Choice(["real", "none"]),
    help="With --serve on a GPU: SGLang's kernel package; used where it is installed.",
)
@click.option("--reference", is_flag=True, help="Compare numbers with Transformers' model of the same weights.")
@click.option("--tied", is_flag=True, help="Also with tied embeddings (with a class named, not with --all).")
@click.option(
    "--set", "given", multiple=True, metavar="KEY=VALUE", help="A key of the tiny configuration; draft.KEY: of drafts."
)
@click.option(
    "--dtype",
    type=click.Choice(["float32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="Of the tiny model's weights.",
)
@click.option("--python", metavar="PATH", help="The interpreter, or the environment, that has SGLang's packages.")
@click.option("--timeout", type=click.IntRange(min=1), default=120, show_default=True, help="Seconds for one model.")
@click.option("--memory", type=click.IntRange(min=256), default=4096, show_default=True, help="MB for one model.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@options.common
def command(
    names: tuple[str, ...],
    launch: bool,
    gpu: str | None,
    every: bool,
    model_path: Path | None,
    algorithms: tuple[str, ...],
    draft: str | None,
    device: str,
    forward: bool | None,
    serve: bool,
    overlap: bool,
    topk: int,
    kernels: str | None,
    reference: bool,
    tied: bool,
    given: tuple[str, ...],
    dtype: str,
    python: str | None,
    timeout: int,
    memory: int,
    format_: str,
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Build tiny models of the real classes, and ask them what the contract asks.

    Each model is built by SGLang itself, with random weights, in a process of its own; what reading says is compared
    with what the object says. Needs an environment in which SGLang can be imported; a GPU is not needed.

    With --launch no model is built: CLASS... is a launch, after --, as `specint preflight` takes it. SGLang's own
    arguments, configurations and classes answer on a machine that PyTorch claims to be, beside what preflight reads.
    With --serve too, a launch that is taken is then served, its models shrunk.

    Exit codes: 0 nothing wrong, 1 a model lacks something or is wrong, 2 it could not be done, 3 reading and running
    disagree, which is specint's fault.
    """
    common = options.Common.taken_from(rest)
    from specint.cli.progress import progress
    from specint.cli.session import configured
    from specint.errors import SpecintError
    from specint.smoke import place, plan, process
    from specint.smoke import serve as serving
    from specint.smoke.knowledge import stand_ins
    from specint.smoke.model import Report
    from specint.smoke.run import judged, run

    config = configured(common)
    interpreter = place.interpreter(python)
    if launch:
        from specint.cli.smoke_launch import put_to_both

        if serve and (format_ != "text" or common.output is not None):
            raise click.UsageError("--launch with --serve prints two texts, and has no other form")
        status, accepted = put_to_both(
            names, interpreter, gpu, format_, _of_installed(common, config, interpreter), config
        )
        if not serve or status:
            return status
        if accepted is None:
            raise SpecintError("has no folder with a configuration that could be shrunk", "--model-path", _FOLDER)
        names, model_path, draft = (), accepted.target, accepted.draft
        algorithms, overlap, topk = (accepted.algorithm or _NONE,), accepted.overlap, accepted.topk
    if not serve and (overlap or topk > 1 or kernels):
        raise click.UsageError("--overlap, --topk and --kernels are about schedulers at work: give --serve too")
    if sum((bool(names), every, model_path is not None)) != 1:
        raise click.UsageError("name classes, or give --all, or --model-path")
    session = _session(common, config, interpreter, names)
    analysis = session.analysis
    wanted = () if algorithms == (_NONE,) else _algorithms(analysis, options.listed(algorithms), config)
    wish = plan.Wish(
        algorithms=wanted,
        forward=(forward if forward is not None else not every and device != "meta") or reference,
        reference=reference,
        draft=_draft(analysis, draft),
        memory_mb=memory,
        given=_given(given),
        both_ties=tied and not every,
        dtype=dtype,
        overlap=overlap,
        topk=topk,
    )
    jobs = _serve_jobs(analysis, names, model_path, wish) if serve else _jobs(analysis, names, model_path, wish)
    with (
        process.ended_by_signals(),
        place.runnable(session.opened.sglang) as folder,
        progress(quiet=common.quiet) as report,
    ):
        setup = process.Setup(
            python=interpreter,
            package=session.tree.package,
            paths=(str(folder),),
            stand_ins=stand_ins(),
            device=device,
            fork=device in ("cpu", "meta") or (device == "auto" and not _has_gpu()),
            serve=serve,
            kernels=kernels or ("auto" if serve else "none"),
            job_timeout=timeout,
        )
        many = len(jobs) > (1 if serve else 4)  # importing SGLang again costs less than waiting for a scheduler
        workers = common.jobs or (max(1, min(2 if serve else 4, os.cpu_count() or 1)) if many and setup.fork else 1)
        ready, ran = run(jobs, setup, workers, report)
    results = () if serve else tuple(judged(analysis, *pair, wanted) for pair in zip(jobs, ran, strict=True))
    made = Report(
        schema="specint.smoke/2",
        source=session.tree.origin.source,
        ready=ready,
        algorithms=wanted,
        notes=place.mismatches(session.opened.sglang, ready),
        results=results,
        served=serving.judged(analysis, jobs, ran) if serve else (),
    )
    _put(made, format_, common, detailed=len(results) <= 6)
    return _exit_code(made)


def _has_gpu() -> bool:
    return Path("/dev/nvidia0").exists() or Path("/dev/kfd").exists()


def _session(common: options.Common, config: Config, python: str, names: Sequence[str]) -> Session:
    """What is analysed."""
    from specint.cli.session import session_of

    return session_of(_of_installed(common, config, python), config, classes=names)


def _of_installed(common: options.Common, config: Config, python: str) -> options.Common:
    """The options; without an SGLang that is named, with the one that the interpreter has."""
    from specint.errors import SpecintError
    from specint.smoke.place import installed

    if common.sglang is None and config.sglang is None:
        found = installed(python)
        if found is None:
            raise SpecintError(
                "has no sglang", python, "name its interpreter with --python, or an SGLang with --sglang"
            )
        common = msgspec.structs.replace(common, sglang=str(found))
    return common


def _jobs(analysis: Analysis, names: Sequence[str], model_path: Path | None, wish: Any) -> list[Job]:  # noqa: ANN401
    from specint.analysis.names import architecture_in
    from specint.analysis.scope import find_models
    from specint.smoke import plan

    if model_path is not None:
        return [plan.checkpoint_job(analysis, architecture_in(model_path), str(model_path.absolute()), wish)]
    if not names:
        return plan.jobs(analysis, analysis.models, wish)
    models = [model for name in names for model in find_models(analysis.models, name, "smoke")]
    return plan.jobs(analysis, models, wish)


def _algorithms(analysis: Analysis, named: Sequence[str], config: Config) -> tuple[str, ...]:
    """Those that are named here or in the configuration, else all; so says also the name `all`."""
    everything = analysis.contract.algorithms
    if "all" in (name.lower() for name in named):
        return everything
    return options.algorithms_of(analysis.contract, named, config) or everything


def _draft(analysis: Analysis, name: str | None) -> ModelCompliance | None:
    if name is None:
        return None
    from specint.analysis.scope import find_models

    return find_models(analysis.models, name, "--draft")[0]


def _serve_jobs(
    analysis: Analysis,
    names: Sequence[str],
    model_path: Path | None,
    wish: Any,  # noqa: ANN401
) -> list[Job]:
    from specint.analysis.names import architecture_in
    from specint.analysis.scope import find_models
    from specint.errors import SpecintError
    from specint.smoke import serve

    named = [architecture_in(model_path)] if model_path is not None else names
    models = [model for name in named for model in find_models(analysis.models, name, "smoke")]
    checkpoint = str(model_path.absolute()) if model_path is not None else None
    jobs = serve.jobs(analysis, models or analysis.models, wish, checkpoint)
    if not jobs:
        raise SpecintError("is no target", ", ".join(named), "name a target: its draft is chosen, or given by --draft")
    return jobs


def _given(pairs: Sequence[str]) -> dict[str, Any]:
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--set takes KEY=VALUE, not `{pair}`")
        try:
            found[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            found[key] = value
    return found


def _put(report: Report, format_: str, common: options.Common, *, detailed: bool) -> None:
    if format_ == "json":
        document = msgspec.json.format(msgspec.json.encode(report, order="deterministic"), indent=2) + b"\n"
        printing.put_bytes(document, common.output, "json")
        return
    from specint.smoke.text import print_report

    printing.put_text(lambda console: print_report(console, report, detailed=detailed), common.output, common.colour)


def _exit_code(report: Report) -> int:
    if any(result.disagreements for result in report.results) or any(one.accord == "disagree" for one in report.served):
        return DISAGREEMENT
    if not any(result.built for result in report.results) and all(one.outcome == "not tried" for one in report.served):
        return 2
    problems = [problem for one in report.results for problem in one.problems]
    problems += [problem for one in report.served for problem in one.problems]
    return int(any(problem.severity == "error" for problem in problems))
