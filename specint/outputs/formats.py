"""The formats of `specint check`: this table is all that the command line, the tests and the docs know of them.

A format's module is imported when something is written in it: `--help` wants no more than the names.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.outputs.foreign import Form
    from specint.outputs.outcome import Outcome


@dataclass(frozen=True)
class Format:
    """A way to write what was found.

    Attributes:
        suffix: what a file of it ends in.
        module, function: who makes bytes of an outcome, below `specint.outputs`.
        form: how foreign text is spelled out in it.
    """

    suffix: str
    module: str
    function: str
    form: Form

    def write(self, outcome: Outcome) -> bytes:
        """What was found, in this format."""
        from specint.outputs.foreign import plain

        written = getattr(import_module(f"specint.outputs.{self.module}"), self.function)(outcome)
        assert isinstance(written, bytes)
        return plain(written, self.form)


FORMATS = {
    "text": Format("txt", "findings_text", "findings_plain", "text"),
    "concise": Format("txt", "findings_text", "concise_plain", "text"),
    "json": Format("json", "json_documents", "findings_json", "json"),
    "markdown": Format("md", "markdown", "findings_markdown", "markdown"),
    "github": Format("txt", "github", "github", "github"),
    "sarif": Format("sarif", "sarif", "sarif", "json"),
    "junit": Format("xml", "junit", "junit", "xml"),
    "gitlab": Format("json", "gitlab", "gitlab", "json"),
}
