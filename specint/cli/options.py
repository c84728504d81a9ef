"""Options that several commands have, and how their values become settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
import msgspec

from specint.cli import completion
from specint.cli.limit import LONGEST, end_after
from specint.outputs import formats

if TYPE_CHECKING:
    from specint.config import Config
    from specint.contract.model import Contract

F = TypeVar("F", bound=Callable[..., Any])
Format = Literal["text", "json", "markdown"]

FORMATS = ("text", "json", "markdown")
"""What every command can print; `specint check` has more."""
CHECK_FORMATS = tuple(formats.FORMATS)


class Common(msgspec.Struct, frozen=True, kw_only=True):
    """What the options of `common` say."""

    sglang: str | None
    against: str | None
    interfaces: tuple[str, ...]
    callers: tuple[Path, ...]
    config: Path | None
    cache_dir: Path | None
    no_cache: bool
    jobs: int | None
    output: Path | None
    colour: Literal["auto", "always", "never"]
    quiet: bool

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Common:
        """Take the common options out of a command's keyword arguments."""
        return cls(**{name: options.pop(name) for name in cls.__struct_fields__})


def common(command: F) -> F:
    """The options of every command that reads an SGLang."""
    decorators = [
        click.option(
            "--sglang",
            metavar="WHERE",
            help="A release (0.5.9), or the path of a checkout, an installed package or a wheel. "
            "Without it: the configuration's, else the installed one.",
        ),
        click.option(
            "--against",
            metavar="WHERE",
            help="Hold these models against the contract of another SGLang: what will break on an upgrade?",
        ),
        click.option(
            "--interface",
            "interfaces",
            multiple=True,
            metavar="NAME",
            help="Which contracts: speculative and worker (the default), eplb, lora, multimodal, graph, pipeline, "
            "runtime, or all.",
        ),
        click.option(
            "--callers",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="A file or package of your own whose workers call model hooks: its calls join the contract.",
        ),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Read [tool.specint] from this file, not from the nearest pyproject.toml.",
        ),
        click.option(
            "--cache-dir",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Keep what was read there, not in the user's cache folder.",
        ),
        click.option("--no-cache", is_flag=True, help="Read every source anew; a release that was fetched stays."),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="How many processes read; as many as there are cores, if not given.",
        ),
        *_printing(),
    ]
    return _apply(command, decorators)


def limit(command: F) -> F:
    """`--timeout`."""
    option = click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        expose_value=False,
        is_eager=True,
        callback=_end_after,
        help="Give up after so long, with exit code 2.",
    )
    return option(command)


def _end_after(_context: click.Context, _parameter: click.Parameter, seconds: float | None) -> None:
    if seconds is not None and not seconds <= LONGEST:  # no number, or none that a clock takes
        raise click.BadParameter(f"{seconds:g} is no number of seconds up to {LONGEST:,}.")
    end_after(seconds)


def printing(command: F) -> F:
    """The options of a command that only prints."""
    return _apply(command, _printing())


def format_option(command: F) -> F:
    """`--format`."""
    option = click.option(
        "--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="How to print it."
    )
    return option(command)


def check_formats(command: F) -> F:
    """`--format` and `--also` of `specint check`."""
    decorators = [
        click.option(
            "--format",
            "format_",
            type=click.Choice(CHECK_FORMATS),
            default="text",
            show_default=True,
            metavar="FORMAT",
            help=f"{', '.join(CHECK_FORMATS)}.",
        ),
        click.option(
            "--also",
            multiple=True,
            metavar="FORMAT:FILE",
            help="Write the same findings to FILE in another format as well. Can be given several times.",
        ),
    ]
    return _apply(command, decorators)


def also_of(values: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """`FORMAT:FILE` taken apart."""
    found = []
    for value in values:
        name, colon, file = value.partition(":")
        if not colon or not file or name not in CHECK_FORMATS:
            raise click.UsageError(f"--also: `{value}` is not FORMAT:FILE, with one of {', '.join(CHECK_FORMATS)}")
        found.append((name, Path(file)))
    return tuple(found)


def gate(command: F) -> F:
    """What makes a check a gate: what is known, what has changed, and what fails."""
    decorators = [
        click.option(
            "--baseline",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Leave out the findings that FILE knows. What it knows and is no longer found is an error.",
        ),
        click.option("--update-baseline", is_flag=True, help="Write the findings of now to the baseline; exit with 0."),
        click.option(
            "--changed-since",
            metavar="REF",
            help="Only findings that a difference from this git commit can have brought: in the changed files, their "
            "subclasses, the wrappers around them, and whatever a changed worker asks for.",
        ),
        click.option(
            "--fail-on",
            multiple=True,
            metavar="RULE|SEVERITY",
            help="Exit with 1 only for these rules, or for findings of this severity (error, warning, info) and worse.",
        ),
        click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found; 2 stays."),
    ]
    return _apply(command, decorators)


def models_option(command: F) -> F:
    """`--model`."""
    return click.option(
        "--model",
        "models",
        multiple=True,
        metavar="CLASS",
        shell_complete=completion.classes,
        help="This model class alone. Can be given several times.",
    )(command)


def algorithms_option(command: F) -> F:
    """`--algorithm`."""
    return click.option(
        "--algorithm",
        "algorithms",
        multiple=True,
        metavar="NAME",
        shell_complete=completion.algorithms,
        help="This speculative algorithm alone (EAGLE3, NEXTN, ...). Can be given several times, or with commas.",
    )(command)


def draft_option(command: F) -> F:
    """`--draft`."""
    return click.option(
        "--draft",
        "draft",
        default="",
        metavar="CLASS",
        shell_complete=completion.classes,
        help="Together with this draft: both sides of a pair.",
    )(command)


def selection(command: F) -> F:
    """`--select` and `--ignore`."""
    decorators = [
        click.option(
            "--select",
            multiple=True,
            metavar="RULE",
            shell_complete=completion.rules,
            help="These rules, not those that are on by default: symbols, ids, beginnings of ids (E77), or ALL.",
        ),
        click.option(
            "--ignore", multiple=True, metavar="RULE", shell_complete=completion.rules, help="Not these rules."
        ),
    ]
    return _apply(command, decorators)


def listed(values: Sequence[str]) -> tuple[str, ...]:
    """The values of an option that can be given several times, and each time several with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def algorithms_of(contract: Contract, named: Sequence[str], config: Config) -> tuple[str, ...]:
    """The algorithms to look at: those of the options, else those of the configuration; none means all."""
    from specint.analysis.scope import resolve_algorithms
    from specint.config import place

    if named:
        return resolve_algorithms(contract, named)
    return resolve_algorithms(contract, config.algorithms, place(config, "algorithms"))


def _printing() -> list[Callable[[Any], Any]]:
    return [
        click.option(
            "--output",
            "-o",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Write to FILE instead of stdout.",
        ),
        click.option(
            "--color",
            "--colour",
            "colour",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="auto is colour on a terminal, unless NO_COLOR is set.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="No progress, no warnings."),
    ]


def _apply(command: F, decorators: Sequence[Callable[[Any], Any]]) -> F:
    decorated: Any = command
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    return decorated  # type: ignore[no-any-return]
