"""The formats of `specint check`: this table is all that the command line, the tests and the docs know of them.

A format's module is imported when something is written in it: `--help` wants no more than the names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.outputs.outcome import Outcome

_WIDTH = 120


@dataclass(frozen=True)
class Format:
    """A way to write what was found; `suffix` is what a file of it ends in."""

    suffix: str
    write: Callable[[Outcome], bytes]


def _text(outcome: Outcome) -> bytes:
    """What a terminal shows, without its colours."""
    from specint.outputs.findings_text import print_findings
    from specint.outputs.terminal import rendered

    return rendered("never", _WIDTH, lambda console: print_findings(console, outcome)).encode()


def _json(outcome: Outcome) -> bytes:
    from specint.outputs.json_documents import findings_json

    return findings_json(outcome)


def _markdown(outcome: Outcome) -> bytes:
    from specint.outputs.markdown import findings_markdown

    return findings_markdown(outcome).encode()


def _github(outcome: Outcome) -> bytes:
    from specint.outputs.github import github

    return github(outcome)


def _sarif(outcome: Outcome) -> bytes:
    from specint.outputs.sarif import sarif

    return sarif(outcome)


def _junit(outcome: Outcome) -> bytes:
    from specint.outputs.junit import junit

    return junit(outcome)


def _gitlab(outcome: Outcome) -> bytes:
    from specint.outputs.gitlab import gitlab

    return gitlab(outcome)


FORMATS: dict[str, Format] = {
    "text": Format("txt", _text),
    "json": Format("json", _json),
    "markdown": Format("md", _markdown),
    "github": Format("txt", _github),
    "sarif": Format("sarif", _sarif),
    "junit": Format("xml", _junit),
    "gitlab": Format("json", _gitlab),
}
