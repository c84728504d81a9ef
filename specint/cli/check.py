"""`specint check`: findings, and an exit code that CI understands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specint.cli import options, printing

if TYPE_CHECKING:
    from specint.checks.finding import Finding
    from specint.cli.session import Session
    from specint.compliance.model import ModelCompliance


@click.command("check", short_help="Find what models lack; for CI, editors and pre-commit.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@options.format_option
@options.models_option
@options.algorithms_option
@options.selection
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found; 2 stays.")
@options.common
def command(
    paths: tuple[Path, ...],
    format_: options.Format,
    models: tuple[str, ...],
    algorithms: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exit_zero: bool,
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Find what models lack.

    PATHS are model files or folders, in an SGLang or anywhere else; without them, every registered model is checked.

    --algorithm together with --model, or with files or folders of your own, is a demand: what the model lacks for that
    algorithm is an error even if it never claimed to support it. By itself it limits the findings to that algorithm.
    """
    common = options.Common.taken_from(rest)
    from specint.checks.selection import select_findings, selected_symbols
    from specint.cli.session import analysed, configured
    from specint.outputs.scope import about_algorithms
    from specint.request import without_excluded

    config = configured(common)
    symbols = selected_symbols(options.listed(select) or config.select, (*config.ignore, *options.listed(ignore)))
    session = analysed(common, config, paths)
    asked = options.listed(algorithms)
    wanted = options.algorithms_of(session.analysis.contract, asked, config)
    checked = _checked(session, options.listed(models))
    if not checked:
        printing.warn("no registered model class in these files", quiet=common.quiet)
    found = _findings(session, checked, limited=bool(models))
    if wanted:
        found = list(about_algorithms(found, wanted))
    found += _demands(session, checked, bool(models), wanted if asked else ())
    findings = select_findings(without_excluded(found, config, session.placed.tree), symbols)
    _put(session, findings, len(checked), format_, common)
    if printing.put_diagnostics(session.analysis.diagnostics, quiet=common.quiet):
        return 2
    return 1 if findings and not exit_zero else 0


def _checked(session: Session, names: Sequence[str]) -> tuple[ModelCompliance, ...]:
    """The models that the command is about."""
    from specint.outputs.scope import find_models

    models = session.analysis.models
    if names:
        wanted = {model.class_ for name in names for model in find_models(models, name)}
        models = tuple(model for model in models if model.class_ in wanted)
    if session.named is not None:
        models = tuple(model for model in models if model.file in session.named)
        if names and not models:
            from specint.errors import SpecintError

            raise SpecintError(f"no model class {', '.join(names)} in these files", "--model")
    return models


def _findings(session: Session, checked: Sequence[ModelCompliance], *, limited: bool) -> list[Finding]:
    """The findings about these classes, and those that stand in the files named (a worker's line)."""
    classes = {model.class_ for model in checked}
    files = frozenset() if limited else session.named
    return [
        finding
        for finding in session.analysis.findings
        if finding.class_ in classes or (not limited and (files is None or finding.file in files))
    ]


def _demands(
    session: Session, checked: Sequence[ModelCompliance], by_name: bool, algorithms: Sequence[str]
) -> list[Finding]:
    """What is missing of what the options and the configuration demand of these models."""
    from specint.config import place
    from specint.request import required, unmet

    pairs = {
        (model.class_, algorithm)
        for algorithm in algorithms
        for model in checked
        if by_name or model.file in session.placed.singled_out
    }
    classes = {model.class_ for model in checked}
    standing = required(session.analysis, session.config.require, place(session.config, "require"))
    return unmet(session.analysis, pairs | {pair for pair in standing if pair[0] in classes})


def _put(
    session: Session, findings: Sequence[Finding], checked: int, format_: options.Format, common: options.Common
) -> None:
    analysis = session.analysis
    if format_ == "json":
        from specint.outputs.json_documents import findings_json

        printing.put_bytes(findings_json(analysis, findings), common.output)
    elif format_ == "markdown":
        from specint.outputs.markdown import findings_markdown

        printing.put_bytes(findings_markdown(analysis, findings, session.shown).encode(), common.output)
    else:
        from specint.outputs.findings_text import print_findings

        printing.put_text(
            lambda console: print_findings(console, analysis, findings, checked, session.shown),
            common.output,
            common.colour,
        )
