"""`specint report`: the matrix of models and algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from specint.cli import options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from rich.console import Console

    from specint.analysis.comparison import Releases
    from specint.analysis.result import Result
    from specint.checks.finding import Finding

ReportFormat = Literal["text", "json", "markdown", "html"]
_SUFFIXES: dict[str, ReportFormat] = {".json": "json", ".md": "markdown", ".html": "html"}


@click.command("report", short_help="Which models support which speculative algorithm.", epilog=examples("report"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@click.option(
    "--format",
    "format_",
    type=click.Choice(get_args(ReportFormat)),
    help="How to print it; html is one file that needs no network. Without it what -o ends in decides, else text.",
)
@click.option(
    "--compare",
    metavar="WHERE",
    help="Beside another release (or path): what became ok since, what was lost, what is new.",
)
@options.models_option
@options.algorithms_option
@options.selection
@options.common
@options.limit
def command(
    paths: tuple[Path, ...],
    format_: ReportFormat | None,
    compare: str | None,
    models: tuple[str, ...],
    algorithms: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Which registered model supports which speculative algorithm.

    PATHS are files or folders with models, also of your own: these alone.

    The text is a matrix: wrappers with findings first. The JSON also holds the whole contract, with the line of each
    caller, and for every model each member with the class that provides it. The HTML has a page for every model, with
    the source around each call and the lines to add.
    """
    common = options.Common.taken_from(rest)
    format_ = format_ or _SUFFIXES.get(common.output.suffix if common.output else "", "text")
    if format_ == "html" and common.output is None and printing.on_terminal():
        raise click.UsageError("--format html is a file: say which with -o report.html")
    from specint.analysis.demands import without_excluded
    from specint.analysis.scope import narrow, of_files
    from specint.checks.selection import select_findings, selected_symbols
    from specint.cli.results import other_release, result_of
    from specint.cli.session import configured, session_of

    config = configured(common)
    symbols = selected_symbols(options.listed(select) or config.select, (*config.ignore, *options.listed(ignore)))
    session = session_of(common, config, paths, options.listed(models))
    wanted = options.algorithms_of(session.analysis.contract, options.listed(algorithms), config)
    analysis = narrow(of_files(session.analysis, session.named), options.listed(models), wanted)
    findings = select_findings(without_excluded(analysis.findings, config, session.tree), symbols)

    result = result_of(session, analysis)
    other = other_release(common, config, compare, paths) if compare else None
    if format_ == "html":
        from specint.outputs.html import report_html

        printing.put_bytes(report_html(result, findings, wanted, other), common.output, "html")
    else:
        from specint.analysis.comparison import compared

        releases = compared(other.analysis, analysis, wanted) if other else None
        _print(common, format_, result, findings, wanted, releases)
    diagnostics = (*analysis.diagnostics, *(other.analysis.diagnostics if other else ()))
    return 2 if printing.put_diagnostics(diagnostics, quiet=common.quiet) else 0


def _print(
    common: options.Common,
    format_: ReportFormat,
    result: Result,
    findings: Sequence[Finding],
    wanted: Sequence[str],
    releases: Releases | None,
) -> None:
    analysis = result.analysis
    if format_ == "json":
        from specint.outputs.json_documents import report_json

        printing.put_bytes(report_json(analysis, findings, releases), common.output, "json")
    elif format_ == "markdown":
        from specint.outputs.markdown import report_markdown
        from specint.outputs.releases import releases_markdown

        text = report_markdown(analysis, findings, wanted)
        printing.put_bytes(
            (text + (releases_markdown(releases) if releases else "")).encode(), common.output, "markdown"
        )
    else:
        from specint.outputs.releases import print_releases
        from specint.outputs.report_text import print_report

        def write(console: Console) -> None:
            print_report(console, analysis, findings, wanted)
            if releases:
                print_releases(console, releases)

        printing.put_text(write, common.output, common.colour)
