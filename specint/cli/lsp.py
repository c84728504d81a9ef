"""`specint lsp`: the language server, on stdin and stdout."""

from __future__ import annotations

import click

from specint.cli.examples import examples


@click.command(
    "lsp", short_help="Findings while typing: a language server on stdin and stdout.", epilog=examples("lsp")
)
def command() -> int:
    """Findings, fixes and answers while a model is typed, for any editor that speaks the Language Server Protocol.

    It needs `pip install "specint[lsp]"`. The editor starts it; docs/editors.md has the lines for VS Code, Neovim and
    Zed.
    """
    from importlib.util import find_spec

    from specint.errors import SpecintError

    if find_spec("pygls") is None:
        raise SpecintError(
            "the language server needs pygls, which isn't installed", "lsp", 'pip install "specint[lsp]"'
        )
    from specint.lsp.server import made

    made().start_io()
    return 0
