"""The formats of `specint check` by name, and which of them pylint offers too."""

from __future__ import annotations

from collections.abc import Callable

from specint.outputs.github import github
from specint.outputs.gitlab import gitlab
from specint.outputs.json_documents import findings_json
from specint.outputs.junit import junit
from specint.outputs.outcome import Outcome
from specint.outputs.sarif import sarif

_WIDTH = 120


def _text(outcome: Outcome) -> bytes:
    """What a terminal shows, without its colours."""
    from specint.outputs.findings_text import print_findings  # with rich, which the documents do without
    from specint.outputs.terminal import rendered

    return rendered("never", _WIDTH, lambda console: print_findings(console, outcome)).encode()


def _markdown(outcome: Outcome) -> bytes:
    from specint.outputs.markdown import findings_markdown

    return findings_markdown(outcome).encode()


FORMATS: dict[str, Callable[[Outcome], bytes]] = {
    "text": _text,
    "json": findings_json,
    "markdown": _markdown,
    "github": github,
    "sarif": sarif,
    "junit": junit,
    "gitlab": gitlab,
}
FOR_PYLINT = ("sarif", "github", "gitlab", "junit")
