"""The group of commands. A command's module is loaded when the command is named, so that `--version` loads none."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

_COMMANDS = {
    "preflight": ("specint.cli.preflight", "Will this launch start?"),
    "report": ("specint.cli.report", "Which models support which speculative algorithm."),
    "check": ("specint.cli.check", "Find what models lack; for CI, editors and pre-commit."),
    "fix": ("specint.cli.fix", "Write what models lack, where that is safe."),
    "explain": ("specint.cli.explain", "Why a model fails an algorithm, or what a rule means."),
    "graph": ("specint.cli.graph", "What a model inherits and holds, as a picture."),
    "smoke": ("specint.cli.smoke", "Build a tiny model of the real class, and ask it."),
    "lsp": ("specint.cli.lsp", "Findings while typing: a language server on stdin and stdout."),
    "contract": ("specint.cli.contract", "What workers ask of a model; what changed between two releases."),
    "rules": ("specint.cli.rules", "List the rules."),
    "rule": ("specint.cli.rule", "What a rule means, why, and how to settle it."),
    "config": ("specint.cli.config", "What is in force, and from where."),
    "init": ("specint.cli.init", "Write a commented [tool.specint] into pyproject.toml."),
    "schema": ("specint.cli.schema", "The JSON schema of the section, or of a document."),
    "cache": ("specint.cli.cache", "Where what was read is kept; `clean` removes it."),
}

_EPILOG = """\b
Examples:
  specint report --sglang 0.5.9
  specint check my_models/ --sglang 0.5.23
  specint check --sglang 0.5.9 --model KimiK25ForConditionalGeneration --algorithm EAGLE3
  specint explain spec-missing-delegation

Exit codes: 0 clean, 1 findings, 2 something could not be done."""


class ReaderGone(Exception):
    """A broken pipe by another name: click would make it an exit code that means findings."""


class LazyGroup(click.Group):
    """A group that knows the names and one-line helps of its commands, and imports the rest on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The commands in the order of their usefulness."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, its module imported."""
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """As click does it, but Ctrl-C prints nothing, and a reader that is gone is left to `main`."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        except BrokenPipeError:
            raise ReaderGone from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in `--help`, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a suggestion for a name that doesn't exist."""
        from specint.suggestion import did_you_mean

        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            hint = did_you_mean(args[0], _COMMANDS)
            ctx.fail(f"no such command: {args[0]}{f', {hint}' if hint else ''}")
        return super().resolve_command(ctx, args)


def _print_version(context: click.Context, _parameter: click.Parameter, wanted: Any) -> None:  # noqa: ANN401 - click's
    if wanted:
        from specint.version import own_version

        click.echo(f"specint {own_version()}")
        context.exit()


@click.group(
    cls=LazyGroup,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Print the version."
)
def group() -> None:
    """Which SGLang models meet what its speculative-decoding workers ask of them, read from the source alone."""
