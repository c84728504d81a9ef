"""`specint contract`: what the workers of an SGLang ask of a model, and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from specint.cli import options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from specint.config import Config
    from specint.contract.model import Contract
    from specint.errors import Diagnostic
    from specint.request import Opened
    from specint.source.tree import Tree


@click.command(
    "contract",
    short_help="What workers ask of a model; what changed between two releases.",
    epilog=examples("contract"),
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[MODELS]...")
@click.option("--diff", nargs=2, metavar="OLD NEW", help="What changed between two releases (or paths).")
@options.format_option
@options.algorithms_option
@options.common
@options.limit
def command(
    paths: tuple[Path, ...],
    diff: tuple[str, str] | None,
    format_: options.Format,
    algorithms: tuple[str, ...],
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """What the workers and runners of an SGLang ask of a model.

    Each requirement comes with its callers and with the line that sets how strictly it is meant.

    With --diff, what a model must newly offer, may drop, must take other arguments for; MODELS are then files or
    folders of your own, and the command says which of them the step from OLD to NEW breaks.
    """
    common = options.Common.taken_from(rest)
    from specint.cli.session import configured

    config = configured(common)
    if diff is not None:
        return _diff(diff, paths, options.listed(algorithms), format_, common, config)
    if paths:
        raise click.UsageError("MODELS go with --diff; `specint check MODELS` holds them against a contract")
    sources, contract, said = _read(common.sglang, common, config)
    origin = _asked_of(sources).origin
    wanted = options.algorithms_of(contract, options.listed(algorithms), config) if algorithms else ()
    from specint.outputs import contract_text

    if format_ == "json":
        from specint.outputs.json_documents import contract_json

        printing.put_bytes(contract_json(contract, origin), common.output, "json")
    elif format_ == "markdown":
        text = contract_text.contract_markdown(contract, wanted, origin.version)
        printing.put_bytes(text.encode(), common.output, "markdown")
    else:
        printing.put_text(
            lambda console: contract_text.print_contract(console, contract, wanted, origin.version),
            common.output,
            common.colour,
        )
    return 2 if printing.put_diagnostics(said, quiet=common.quiet) else 0


def _read(
    where: str | None, common: options.Common, config: Config, *, whole: bool = False
) -> tuple[Opened, Contract, tuple[Diagnostic, ...]]:
    """An SGLang, and what its code asks; `whole`: under any interface, not under those alone that are asked for."""
    from specint.cli.progress import progress
    from specint.cli.session import requested
    from specint.request import contract_asked, opened, whole_contract_asked

    there = msgspec.structs.replace(common, sglang=where)
    with progress(quiet=common.quiet) as report:
        sources = opened(requested(there, config, progress=report))
        return (sources, *(whole_contract_asked(sources) if whole else contract_asked(sources)))


def _asked_of(sources: Opened) -> Tree:
    return sources.against or sources.tree


def _diff(
    diff: tuple[str, str],
    paths: tuple[Path, ...],
    algorithms: tuple[str, ...],
    format_: options.Format,
    common: options.Common,
    config: Config,
) -> int:
    from specint.contract.difference import differences
    from specint.contract.spoken import Spoken
    from specint.outputs import contract_text
    from specint.request import as_asked

    (before, old, then), (after, new, now) = (_read(where, common, config, whole=True) for where in diff)
    old_origin, new_origin = _asked_of(before).origin, _asked_of(after).origin
    changes = differences(
        old, new, lambda contract: as_asked(after, contract), Spoken(_asked_of(after), as_asked(before, old)).place
    )
    if algorithms:
        # an algorithm that only one of the two knows is a fair question too
        both = msgspec.structs.replace(new, algorithms=tuple(dict.fromkeys((*old.algorithms, *new.algorithms))))
        wanted = set(options.algorithms_of(both, algorithms, config))
        changes = tuple(c for c in changes if wanted & {*c.algorithms, *c.old_algorithms})
    broken = _broken(diff, paths, common, config) if paths else ()
    if format_ == "json":
        from specint.outputs.json_documents import changes_json

        printing.put_bytes(changes_json(changes, old_origin, new_origin, broken), common.output, "json")
    elif format_ == "markdown":
        text = contract_text.changes_markdown(changes, old_origin.version, new_origin.version)
        printing.put_bytes((text + "".join(f"- {line}\n" for line in broken)).encode(), common.output, "markdown")
    else:

        def show(console: Any) -> None:  # noqa: ANN401 - rich is imported late
            contract_text.print_changes(console, changes, old_origin.version, new_origin.version)
            for line in broken:
                console.print(line, markup=False, soft_wrap=True)
            if paths and not broken:
                console.print("none of the models given is broken by it", markup=False)

        printing.put_text(show, common.output, common.colour)
    if printing.put_diagnostics((*then, *now), quiet=common.quiet):
        return 2
    return 1 if broken else 0


def _broken(diff: tuple[str, str], paths: tuple[Path, ...], common: options.Common, config: Config) -> tuple[str, ...]:
    """The verdicts of one's own models that the newer contract turns from ok into something else."""
    from specint.cli.session import session_of

    before, after = (session_of(msgspec.structs.replace(common, sglang=where), config, paths) for where in diff)
    own = before.named or frozenset()
    then = {model.class_: model for model in before.analysis.models if model.file in own}
    lines = []
    for model in after.analysis.models:
        if model.class_ not in then:
            continue
        for algorithm, verdict in model.algorithms.items():
            was = then[model.class_].algorithms.get(algorithm)
            if verdict.verdict in ("missing", "broken", "unknown") and (was is None or was.verdict == "ok"):
                what = ", ".join(verdict.missing or verdict.broken or verdict.unknown)
                since = "ok before" if was is not None else f"{algorithm} is new"
                lines.append(f"{model.name}: {algorithm} {verdict.verdict}: {what} ({since})")
    return tuple(lines)
