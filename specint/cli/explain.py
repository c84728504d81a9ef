"""`specint explain`: a model's verdict with everything behind it, or the page of a rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specint.cli import completion, options, printing
from specint.cli.examples import examples
from specint.cli.rule import put_pages

if TYPE_CHECKING:
    from rich.console import Console

    from specint.analysis.model import Analysis
    from specint.cli.session import Session
    from specint.compliance.model import ModelCompliance
    from specint.launch.answer import Answer
    from specint.launch.ask import Asking
    from specint.launch.command import Command


@click.command(
    "explain", short_help="Why a model fails an algorithm, or what a rule means.", epilog=examples("explain")
)
@click.argument("what", metavar="CLASS_OR_RULE", shell_complete=completion.what)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@options.format_option
@options.algorithms_option
@options.draft_option
@options.common
@options.limit
def command(
    what: str,
    paths: tuple[Path, ...],
    format_: options.Format,
    algorithms: tuple[str, ...],
    draft: str,
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Why a model fails an algorithm, or what a rule means.

    CLASS_OR_RULE is a model class (LlamaForCausalLM), or a rule by symbol or id (spec-missing-delegation, E7701). For a
    class: the verdict, each requirement with its status, who asks for it, the way to the class that has it, and the
    lines to add. With --draft it is the target of a pair: one answer for both, and what they hand each other. PATHS are
    files or folders with models of your own.
    """
    common = options.Common.taken_from(rest)
    from specint.checks.catalog import find_rule, rule

    if find_rule(what) or _looks_like_a_rule(what):
        put_pages([rule(what)], format_, common.output, common.colour)
        return 0
    return _explain_model(what, paths, options.listed(algorithms), draft, format_, common)


def _looks_like_a_rule(what: str) -> bool:
    return what.startswith("spec-") or (len(what) == 5 and what[1:].isdigit())


def _explain_model(
    name: str,
    paths: Sequence[Path],
    names: Sequence[str],
    draft: str,
    format_: options.Format,
    common: options.Common,
) -> int:
    if format_ == "markdown":
        raise click.UsageError("a model is explained as text or json; markdown is for rules")
    from specint.analysis.scope import find_models, resolve_algorithms
    from specint.cli.session import configured, session_of

    session = session_of(common, configured(common), paths, [name, *([draft] if draft else [])])
    analysis = session.analysis
    wanted = resolve_algorithms(analysis.contract, names)
    here = session.subject
    for beside in find_models(analysis.models, draft, "--draft", here) if draft else ():
        for model in find_models(analysis.models, name, "explain", here):
            _put_pair(session, model, beside, wanted or _of_pair(model, beside, analysis), format_, common)
    for model in find_models(analysis.models, name, "explain", here) if not draft else ():
        notes = _of_aliases(session, model, names, name) if format_ != "json" else ()
        _put(session, model, wanted or _telling(model, analysis), format_, common, notes)
    return 2 if printing.put_diagnostics(analysis.diagnostics, quiet=common.quiet) else 0


def _of_aliases(session: Session, model: ModelCompliance, names: Sequence[str], what: str) -> tuple[str, ...]:
    """What really runs under the names that stand for another."""
    from specint.launch.alias import told_of_aliases

    path = Path(what)
    folder = path.parent if path.suffix == ".json" and path.is_file() else None
    kept: list[Asking] = []

    def ask(command: Command) -> Answer:
        from specint.launch.ask import Asking
        from specint.launch.machine import usual_machines

        if not kept:
            kept.append(Asking(session.tree, None, session.opened.request.cache_dir))
        return kept[0].answer(command, usual_machines()[0])

    return tuple(told_of_aliases(session.analysis.contract, model, names, folder, ask))


def _put(
    session: Session,
    model: ModelCompliance,
    algorithms: Sequence[str],
    format_: options.Format,
    common: options.Common,
    notes: Sequence[str] = (),
) -> None:
    from specint.analysis.scope import about_algorithms, requirements_of
    from specint.checks.selection import finding_order
    from specint.outputs.explanation_text import print_explanation

    analysis = session.analysis
    about = [finding for finding in analysis.findings if finding.class_ == model.class_]
    findings = sorted(about_algorithms(about, algorithms), key=finding_order)
    if format_ == "json":
        from specint.outputs.json_documents import explanation_json

        requirements = requirements_of(analysis.contract, model, algorithms)
        printing.put_bytes(explanation_json(analysis, model, requirements, findings), common.output, "json")
        return

    def put(console: Console) -> None:
        for note in notes:
            console.print(note, markup=False, highlight=False)
        print_explanation(console, analysis, model, algorithms, findings, session.shown)

    printing.put_text(put, common.output, common.colour)


def _put_pair(
    session: Session,
    target: ModelCompliance,
    draft: ModelCompliance,
    algorithms: Sequence[str],
    format_: options.Format,
    common: options.Common,
) -> None:
    from specint.analysis.scope import about_algorithms
    from specint.checks.selection import finding_order
    from specint.compliance.pairs import pair_of
    from specint.outputs.pair_text import print_pairs

    analysis = session.analysis
    pairs = [pair_of(analysis.contract, target, draft, algorithm) for algorithm in algorithms]
    about = [one for one in analysis.findings if one.class_ in (target.class_, draft.class_)]
    findings = sorted(about_algorithms(about, algorithms), key=finding_order)
    if format_ == "json":
        from specint.outputs.json_documents import pairs_json

        printing.put_bytes(pairs_json(analysis, pairs, findings), common.output, "json")
        return
    printing.put_text(
        lambda console: print_pairs(console, analysis, target, draft, pairs, findings, session.shown),
        common.output,
        common.colour,
    )


def _of_pair(target: ModelCompliance, draft: ModelCompliance, analysis: Analysis) -> tuple[str, ...]:
    """The algorithms that the draft is made for, else those that the target is judged by."""
    return tuple(draft.drafts_for) or _telling(target, analysis)


def _telling(model: ModelCompliance, analysis: Analysis) -> tuple[str, ...]:
    """Every algorithm that the model is judged by."""
    judged = [name for name in analysis.contract.algorithms if name in model.algorithms]
    return tuple(name for name in judged if model.algorithms[name].verdict != "not applicable") or tuple(judged)
