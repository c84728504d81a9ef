"""Findings, edits and verdicts as the protocol has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types

from specint.analysis.standing import standings
from specint.checks.catalog import Severity, find_rule
from specint.checks.finding import Finding
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.edits.model import Edit
from specint.edits.rewrite import rewritten
from specint.errors import SpecintError
from specint.lsp.buffer import Judged
from specint.outputs.marks import marked
from specint.outputs.terminal import Signs
from specint.source.tree import SourceFile
from specint.version import rule_address

SOURCE = "specint"
_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "fatal": types.DiagnosticSeverity.Error,
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_MOST_SITES = 3


def diagnostics(answer: Judged) -> list[types.Diagnostic]:
    """Each finding under the name that it is about, with the places that show it."""
    found = []
    for finding in answer.findings:
        rule = find_rule(finding.rule)
        found.append(
            types.Diagnostic(
                range=_range(answer, finding),
                message=finding.message,
                severity=_SEVERITIES[rule.severity if rule else "error"],
                code=finding.id,
                code_description=_page(finding.rule),
                source=SOURCE,
                related_information=list(_related(answer, finding)),
                data=_key(finding),
            )
        )
    return found


def _page(symbol: str) -> types.CodeDescription | None:
    """Where an editor leads to from the rule's id."""
    address = rule_address(symbol)
    return types.CodeDescription(address) if address else None


def problem(error: SpecintError) -> types.Diagnostic:
    """Why nothing can be said of a file, on its first line."""
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=types.Range(start, start),
        message=str(error),
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
    )


def actions(answer: Judged, uri: str, text: str, shown: Sequence[types.Diagnostic]) -> list[types.CodeAction]:
    """What settles the findings under the cursor, one by one and, for a class, all that is safe at once."""
    keys = {one.data for one in shown if one.source == SOURCE}
    here = [finding for finding in answer.findings if _key(finding) in keys]
    found = []
    for finding in here:
        rule = find_rule(finding.rule)
        told = [one for one in shown if one.data == _key(finding)]
        made = _action(f"{(rule.headline if rule else '') or 'change'}: {finding.member}", uri, text, [finding], told)
        if made is not None:
            found.append(made)
    for class_ in dict.fromkeys(finding.class_ for finding in here):
        all_of_it = [
            one
            for one in answer.findings
            if one.class_ == class_ and isinstance(one.edit, Edit) and one.edit.splices and not one.edit.doubt
        ]
        if len(all_of_it) > 1:
            name = class_.rpartition(".")[2]
            members = listed([one.member for one in all_of_it])
            made = _action(f"all that is safe in {name}: {members}", uri, text, all_of_it, [])
            if made is not None:
                made.is_preferred = True
                found.append(made)
    return found


def lenses(answer: Judged) -> list[types.CodeLens]:
    """Above each registered class how far it is from each algorithm."""
    stands = standings(answer.analysis.contract, answer.models, answer.findings)
    signs = Signs()
    found = []
    for model in answer.models:
        told = [
            f"{algorithm} {signs.labelled(standing)}"
            for algorithm, standing in stands[model.class_].items()
            if standing != "not applicable"
        ]
        position = types.Position(model.line - 1, 0)
        title = " · ".join(told) or "serves no speculative algorithm"
        found.append(types.CodeLens(types.Range(position, position), types.Command(title=title, command="")))
    return found


def hover(answer: Judged, line: str, character: int) -> str | None:
    """About the word at a column: a class's row of the matrix, or who asks for a hook; None for another word."""
    word = next((one[0] for one in re.finditer(r"\w+", line) if one.start() <= character <= one.end()), "")
    model = next((one for one in answer.analysis.models if one.name == word), None)
    return _row(answer, model) if model else _asked(answer, word)


def _row(answer: Judged, model: ModelCompliance) -> str:
    stands = standings(answer.analysis.contract, (model,), answer.analysis.findings)[model.class_]
    signs = Signs()
    lines = [f"**{model.name}** in SGLang {answer.analysis.sglang.version}", ""]
    for algorithm, standing in stands.items():
        verdict = model.algorithms[algorithm]
        lacks = f": lacks {listed([f'`{name}`' for name in verdict.missing])}" if verdict.missing else ""
        reason = f" ({verdict.reason})" if verdict.reason else ""
        lines.append(f"- {algorithm} {signs.of(standing)} {standing}{lacks}{reason}")
    return "\n".join(lines)


def _asked(answer: Judged, word: str) -> str | None:
    found = [one for one in answer.analysis.contract.requirements if one.member == word]
    if not found:
        return None
    lines = [f"**{word}** is asked of models by SGLang {answer.analysis.sglang.version}", ""]
    for one in found:
        algorithms = listed(one.algorithms) if one.algorithms else "every server"
        lines.append(f"- of the {one.role}, {one.strength}, by {algorithms}")
        lines += [f"  - {site.file}:{site.line} `{site.function}`" for site in one.sites[:_MOST_SITES]]
    return "\n".join(lines)


def _key(finding: Finding) -> str:
    return "\0".join((finding.rule, finding.class_, finding.member))


def _range(answer: Judged, finding: Finding) -> types.Range:
    line = answer.lines.at(finding.file, finding.line)
    start, end = marked(finding, line)
    return types.Range(
        types.Position(finding.line - 1, _units(line, start)), types.Position(finding.line - 1, _units(line, end))
    )


def _units(line: str, column: int) -> int:
    """A column in UTF-16 code units, which the protocol counts in."""
    return len(line[:column].encode("utf-16-le")) // 2


def _related(answer: Judged, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
    for seen in finding.evidence:
        place = answer.tree.location(SourceFile.at(seen.file))
        if place is not None:
            position = types.Position(max(seen.line - 1, 0), 0)
            where = types.Location(Path(place).absolute().as_uri(), types.Range(position, position))
            yield types.DiagnosticRelatedInformation(where, seen.what)


def _action(
    title: str, uri: str, text: str, findings: Sequence[Finding], told: Sequence[types.Diagnostic]
) -> types.CodeAction | None:
    """An action for findings whose lines stand in this very text; None where there are none, or they don't fit."""
    edits = [one.edit for one in findings if isinstance(one.edit, Edit) and one.edit.splices]
    if len(edits) < len(findings):
        return None
    try:
        rewritten(text.encode(), findings[0].file, edits)
    except SpecintError:
        return None
    known = text.splitlines()
    ends = not text or text.endswith("\n")
    changes = []
    for splice in sorted({splice for edit in edits for splice in edit.splices}):
        lines = "".join(f"{line}\n" for line in splice.lines)
        if splice.end >= len(known) and not ends:  # the last line has no ending that could be written behind
            lines = "\n" + lines.removesuffix("\n")
            start = types.Position(len(known) - 1, _units(known[-1], len(known[-1])))
            changes.append(types.TextEdit(types.Range(start, start), lines))
            continue
        changes.append(
            types.TextEdit(types.Range(types.Position(splice.after, 0), types.Position(splice.end, 0)), lines)
        )
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(told) or None,
        edit=types.WorkspaceEdit(changes={uri: changes}),
    )
