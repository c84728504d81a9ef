"""`specint preflight`: will this launch start?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from specint.cli import options, printing
from specint.cli.examples import examples
from specint.errors import SpecintError, printable

if TYPE_CHECKING:
    from specint.config import Config
    from specint.launch.answer import Answer
    from specint.launch.ask import Asking
    from specint.launch.command import Command

PREFLIGHT_FORMATS = ("text", "json", "markdown", "github")
Launches = list[tuple[str | None, "Command"]]


@click.command(
    "preflight",
    short_help="Will this launch start?",
    epilog=examples("preflight"),
    context_settings={"ignore_unknown_options": False},
)
@click.argument("command_line", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND]")
@click.option(
    "--gpu", metavar="NAMES", help="The machine: h100, h200, b200, a100, l40s, mi300x, cpu; several as a,b. "
    "Without it, those that matter.",
)  # fmt: skip
@click.option(
    "--launches",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Launches as JSON, one object a line: argv (or command), env, id.",
)
@click.option("--strict", is_flag=True, help="What depends on an open fact, or can't be answered, is exit code 1 too.")
@click.option("--show-facts", is_flag=True, help="Print the facts about the machine that were used.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(PREFLIGHT_FORMATS),
    default="text",
    show_default=True,
    help="How to print it.",
)
@options.common
@options.limit
def command(
    command_line: tuple[str, ...],
    gpu: str | None,
    launches: Path | None,
    strict: bool,
    show_facts: bool,
    format_: str,
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Will this launch start, and as what?

    COMMAND is the launch as it is typed: `python -m sglang.launch_server ...`, `sglang serve ...`, the flags alone, or
    a shell script, Compose or Kubernetes file that holds it; variables set before it count. Without one, the launches
    of `[[tool.specint.launch]]` are asked.

    SGLang's own code is read and evaluated with these arguments, the models' config.json and what a machine of that
    kind would say; nothing of it is imported or run, no GPU and no weights are needed. Exit code 0: starts as far as it
    can be read; 1: refused, or will fail; 2: it can't be answered.
    """
    common = options.Common.taken_from(rest)
    from specint.cli.session import configured
    from specint.launch.ask import machines_of

    config = configured(common)
    asked, machines = _launches(command_line, launches, gpu, config)
    machines = machines or [machines_of(gpu)] * len(asked)
    groups: list[list[Answer]] = []
    several = len(asked) > 1
    with ExitStack() as stack:
        asking = stack.enter_context(_asking(common, config, common.sglang, several=several))
        others: Asking | None = None
        if common.against:
            alone = msgspec.structs.replace(common, against=None)
            others = stack.enter_context(_asking(alone, config, common.against, several=several))
        for (name, one), named in zip(asked, machines, strict=True):
            for n, machine in enumerate(named):
                if groups or n:
                    asking.prepare(machine)
                answers = [asking.answer(one, machine, name)]
                if others is not None:
                    answers.append(others.answer(one, machine, name))
                if n == 0 or others is not None:
                    groups.append(answers)
                else:
                    groups[-1] += answers
    _print(groups, format_, common, show_facts)
    return _exit_code([answer for group in groups for answer in group[-1:]] if others else
                      [answer for group in groups for answer in group], strict)  # fmt: skip


def _launches(
    words: Sequence[str], path: Path | None, gpu: str | None, config: Config
) -> tuple[Launches, list[list[str]]]:
    """What is asked, and for which machines where the configuration says so."""
    from specint.launch.ask import launches_of, machines_of
    from specint.launch.command import Command, command_of, located

    if path is not None:
        if words:
            raise click.UsageError("--launches and a COMMAND exclude each other")
        return launches_of(path), []
    if words:
        return [(None, command_of(words))], []
    if not config.launch:
        hint = "write the launch after --, or put [[tool.specint.launch]] into pyproject.toml"
        raise SpecintError("no launch to look at", "COMMAND", hint)
    asked: Launches = []
    machines: list[list[str]] = []
    for n, one in enumerate(config.launch, 1):
        found = command_of([one.command], relative_to=config.folder)
        found = located(Command(found.argv, {**one.env, **found.environment}, found.folders), config.folder)
        asked.append((one.id or f"launch {n}", found))
        machines.append(machines_of(gpu or one.gpu))
    return asked, machines


@contextmanager
def _asking(common: options.Common, config: Config, where: str | None, *, several: bool) -> Iterator[Asking]:
    from specint.cli.progress import progress
    from specint.cli.session import requested
    from specint.launch.ask import Asking
    from specint.launch.kept import Answers
    from specint.request import analysed_apart, opened

    there = msgspec.structs.replace(common, sglang=where or common.sglang, against=None)
    with progress(quiet=common.quiet) as report:
        sources = opened(requested(there, config, progress=report))
    with analysed_apart(sources) as analyse:
        yield Asking(sources.tree, analyse, sources.request.cache_dir, several=several, kept=Answers(sources))


def _print(groups: list[list[Answer]], format_: str, common: options.Common, show_facts: bool) -> None:
    from specint.launch import text
    from specint.launch.answer import document

    answers = [answer for group in groups for answer in group]
    if format_ == "json":
        lines = [json.dumps(document(answer), ensure_ascii=False) for answer in answers]
        if len(lines) == 1:
            lines = [json.dumps(document(answers[0]), ensure_ascii=False, indent=2)]
        # Half of a surrogate pair, as a config.json may hold it, is written as JSON writes it.
        printing.put_bytes(("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"), common.output, "json")
        return
    if format_ == "markdown":
        printing.put_bytes(text.markdown_of(answers).encode(), common.output, "markdown")
        return
    if format_ == "github":
        printing.put_bytes(text.github_of(answers).encode(), common.output, "github")
        return
    parts = []
    for group in groups:
        title = printable(f"{group[0].id}: ") + " " if group[0].id else ""
        parts.append(title + (text.columns(group) if len(group) > 1 else text.text_of(group[0])))
        if show_facts:
            parts += [text.facts_of(answer) for answer in group]
    printing.put_bytes(("\n".join(parts) + "\n").encode(), common.output, "text")


def _exit_code(answers: Sequence[Answer], strict: bool) -> int:
    kinds = {answer.answer for answer in answers}
    if kinds & {"refused", "fails"} or (strict and kinds - {"starts"}):
        return 1
    return 2 if kinds - {"starts"} else 0
