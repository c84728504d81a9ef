"""specint's formats for everything that pylint says: `--output-format=specint-sarif` and its kin.

Where a message is one of ours, what a message can't carry (the member, the evidence, the patch) comes from the finding
behind it.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

from pylint.reporters import BaseReporter

from specint.outputs.formats import FORMATS
from specint.pylint_plugin.checker import SpecintChecker

if TYPE_CHECKING:
    from pylint.lint import PyLinter
    from pylint.message import Message, MessageDefinition
    from pylint.reporters.ureports.nodes import Section

    from specint.analysis.places import Place
    from specint.checks.catalog import Severity
    from specint.checks.finding import Finding
    from specint.outputs.outcome import Outcome, RuleText
    from specint.pylint_plugin.checker import Emitted

_SEVERITIES: dict[str, Severity] = {"F": "fatal", "E": "error", "W": "warning", "C": "info", "R": "info", "I": "info"}
_CATEGORIES = {
    "F": "fatal",
    "E": "error",
    "W": "warning",
    "C": "convention",
    "R": "refactor",
    "I": "information",
}
_PAGES = "https://pylint.readthedocs.io/en/stable/user_guide/messages"
_Key = tuple[str, str, int, str]


class Reporter(BaseReporter):
    """Keeps the messages and writes one document at the end, in the format that the class is made with."""

    format: ClassVar[str]

    def __init_subclass__(cls, *, format_: str) -> None:
        cls.format, cls.name, cls.extension = format_, f"specint-{format_}", FORMATS[format_].suffix

    def __init__(self, output: object = None) -> None:
        super().__init__(output)  # type: ignore[arg-type]
        self._modules: dict[str, None] = {}

    def on_set_current_module(self, module: str, filepath: str | None) -> None:  # noqa: ARG002
        """Remember what was looked at: JUnit counts what is clean as well."""
        if filepath:
            self._modules[str(Path(filepath).absolute())] = None

    def display_messages(self, layout: Section | None) -> None:  # noqa: ARG002
        """Write the document."""
        document = FORMATS[self.format].write(_outcome(self.linter, self.messages, self._modules))
        try:
            if self.out is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            binary = getattr(self.out, "buffer", None)
            self.out.flush()
            if binary is not None:  # the formats say themselves that they are UTF-8
                binary.write(document)
                binary.flush()
            else:
                self.out.write(document.decode())
                self.out.flush()
        except OSError as error:
            _give_up(error)

    def display_reports(self, layout: Section) -> None:
        """Nothing: a score has no place in these formats."""

    def _display(self, layout: Section) -> None:
        """Nothing, as above."""


class SarifReporter(Reporter, format_="sarif"):
    """SARIF 2.1.0."""


class GithubReporter(Reporter, format_="github"):
    """Annotations of a GitHub workflow."""


class GitlabReporter(Reporter, format_="gitlab"):
    """GitLab's code quality."""


class JunitReporter(Reporter, format_="junit"):
    """JUnit's XML."""


REPORTERS = (SarifReporter, GithubReporter, GitlabReporter, JunitReporter)


def _give_up(error: OSError) -> NoReturn:
    """End as pylint ends after a fatal message, with one line: there is nowhere to put the document."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"specint: error: the report can't be written: {error.strerror or error}\n")
    if sys.stdout is not None:  # what is left in it must not be complained of once more
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)


def _outcome(linter: PyLinter, messages: list[Message], modules: dict[str, None]) -> Outcome:
    import pylint

    from specint.analysis.places import Place, place_on_disk, reporting_folder
    from specint.outputs.outcome import Outcome, Tool, own_rules

    top = reporting_folder()
    places: dict[str, Place] = {}
    behind: dict[_Key, Finding] = {}
    for emitted in _emitted(linter):
        finding = emitted.finding
        behind[emitted.path, finding.rule, finding.line, finding.message] = finding
        places |= emitted.places
    findings = []
    for message in messages:
        path = str(Path(message.abspath).absolute())
        own = behind.get((path, message.symbol, message.line, message.msg))
        findings.append(own or _finding(message, path))
        places.setdefault(findings[-1].file, place_on_disk(Path(path), top))
    spoken = {message.symbol for message in messages}
    with_messages = {str(Path(message.abspath).absolute()) for message in messages}
    rules = {
        symbol: rule for symbol, rule in own_rules().items() if symbol in spoken or linter.is_message_enabled(symbol)
    }
    rules |= {symbol: _rule(linter, symbol) for symbol in sorted(spoken - rules.keys())}
    clean = (place_on_disk(Path(path), top).path for path in modules if path not in with_messages)
    return Outcome(
        tool=Tool("pylint", "https://pylint.readthedocs.io", pylint.__version__),
        findings=tuple(findings),
        rules=rules,
        place=lambda file: places.get(file) or Place(file, "sglang"),
        clean=tuple(clean),
    )


def _emitted(linter: PyLinter) -> list[Emitted]:
    return [one for checker in linter.get_checkers() if isinstance(checker, SpecintChecker) for one in checker.emitted]


def _finding(message: Message, path: str) -> Finding:
    """A message as a finding: it has no member and no evidence."""
    from specint.checks.finding import Finding

    return Finding(
        rule=message.symbol,
        id=message.msg_id,
        class_=f"{message.module}.{message.obj}" if message.obj else message.module,
        member="",
        algorithms=(),
        file=path,
        line=message.line,
        column=message.column,
        message=message.msg,
    )


def _rule(linter: PyLinter, symbol: str) -> RuleText:
    from specint.outputs.outcome import RuleText

    definition: MessageDefinition = linter.msgs_store.get_message_definitions(symbol)[0]
    category = _CATEGORIES[definition.msgid[0]]
    return RuleText(
        id=definition.msgid,
        symbol=symbol,
        severity=_SEVERITIES[definition.msgid[0]],
        summary=symbol.replace("-", " ").capitalize(),
        help=definition.description,
        uri=f"{_PAGES}/{category}/{symbol}.html",
    )
