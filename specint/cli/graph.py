"""`specint graph`: who inherits from whom and who holds whom, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from specint.cli import options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from specint.outputs.diagrams.diagram import Diagram

GraphFormat = Literal["mermaid", "dot", "svg"]


@click.command("graph", short_help="What a model inherits and holds, as a picture.", epilog=examples("graph"))
@click.argument("words", nargs=-1, metavar="[CLASS] [PATHS]...")
@click.option(
    "--inner-of",
    metavar="CLASS",
    help="Who holds CLASS as an inner model, or inherits from it, directly or through other classes.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["mermaid", "dot", "svg"]),
    default="mermaid",
    show_default=True,
    help="mermaid is what GitHub renders in a ```mermaid block; dot is for Graphviz.",
)
@options.common
@options.limit
def command(words: tuple[str, ...], inner_of: str | None, format_: GraphFormat, **rest: Any) -> int:  # noqa: ANN401
    """What a model inherits and what it holds, with each hop that doesn't hand on what a worker asks for.

    CLASS is a model class, or a class that a model inherits from or holds. PATHS are files or folders with models of
    your own.
    """
    if not words and inner_of is None:
        raise click.UsageError("give a CLASS, or --inner-of CLASS")
    class_, paths = inner_of or words[0], words if inner_of else words[1:]
    common = options.Common.taken_from(rest)
    from specint.cli.results import result_of
    from specint.cli.session import configured, session_of
    from specint.outputs.diagrams.diagram import about, around, find_class

    session = session_of(common, configured(common), [Path(path) for path in paths], [class_])
    result = result_of(session)
    diagram = around(result, find_class(result, class_)) if inner_of else about(result, find_class(result, class_))
    printing.put_bytes(_written(diagram, format_).encode(), common.output, "xml" if format_ == "svg" else "text")
    return 2 if printing.put_diagnostics(session.analysis.diagnostics, quiet=common.quiet) else 0


def _written(diagram: Diagram, format_: GraphFormat) -> str:
    if format_ == "svg":
        from specint.outputs.diagrams.svg import svg

        return svg(diagram)
    from specint.outputs.diagrams.text import dot, mermaid

    return mermaid(diagram) if format_ == "mermaid" else dot(diagram)
