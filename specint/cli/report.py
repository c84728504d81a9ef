"""`specint report`: the matrix of models and algorithms."""

from __future__ import annotations

from typing import Any

import click

from specint.cli import options, printing


@click.command("report", short_help="Which models support which speculative algorithm.")
@options.format_option
@options.models_option
@options.algorithms_option
@options.selection
@options.common
def command(
    format_: options.Format,
    models: tuple[str, ...],
    algorithms: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Which registered model supports which speculative algorithm.

    The text is a matrix: wrappers with findings first. The JSON also holds the whole contract, with the line of each
    caller, and for every model each member with the class that provides it.
    """
    common = options.Common.taken_from(rest)
    from specint.checks.selection import select_findings, selected_symbols
    from specint.cli.session import analysed, configured
    from specint.outputs.scope import narrow
    from specint.request import without_excluded

    config = configured(common)
    symbols = selected_symbols(options.listed(select) or config.select, (*config.ignore, *options.listed(ignore)))
    session = analysed(common, config)
    wanted = options.algorithms_of(session.analysis.contract, options.listed(algorithms), config)
    analysis = narrow(session.analysis, options.listed(models), wanted)
    findings = select_findings(without_excluded(analysis.findings, config, session.placed.tree), symbols)

    if format_ == "json":
        from specint.outputs.json_documents import report_json

        printing.put_bytes(report_json(analysis), common.output)
    elif format_ == "markdown":
        from specint.outputs.markdown import report_markdown

        printing.put_bytes(report_markdown(analysis, findings, wanted).encode(), common.output)
    else:
        from specint.outputs.report_text import print_report

        printing.put_text(
            lambda console: print_report(console, analysis, findings, wanted), common.output, common.colour
        )
    return 2 if printing.put_diagnostics(analysis.diagnostics, quiet=common.quiet) else 0
