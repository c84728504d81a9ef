"""`specint check`: findings, and an exit code that CI understands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from specint.cli import gate, options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from specint.checks.baseline import Comparison
    from specint.checks.finding import Finding
    from specint.cli.session import Session
    from specint.compliance.model import ModelCompliance
    from specint.outputs.outcome import Outcome


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the options of the command say, as `--help` tells them."""

    format_: str
    also: tuple[str, ...]
    fix: bool
    diff: bool
    add_ignores: bool
    statistics: bool
    models: tuple[str, ...]
    algorithms: tuple[str, ...]
    draft: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    baseline: Path | None
    update_baseline: bool
    changed_since: str | None
    fail_on: tuple[str, ...]
    exit_zero: bool
    since: str | None
    allow_no_models: bool


@click.command("check", short_help="Find what models lack; for CI, editors and pre-commit.", epilog=examples("check"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@options.check_formats
@click.option("--fix", "fix", is_flag=True, help="First write what can be written, as `specint fix` does.")
@click.option("--diff", is_flag=True, help="Print what `specint fix` would write, as a patch, and nothing else.")
@click.option(
    "--add-ignores", is_flag=True, help="Silence what is found: a comment behind each line, in files that are yours."
)
@click.option("--statistics", is_flag=True, help="How often each rule speaks, not the findings.")
@options.models_option
@options.algorithms_option
@options.draft_option
@options.selection
@options.gate
@click.option(
    "--since",
    metavar="RELEASE",
    help="Also find members that classes had in an earlier release (or at a path) and lost since.",
)
@click.option(
    "--allow-no-models",
    is_flag=True,
    help="No model in PATHS is no error: for a hook that is handed every file that changed.",
)
@click.option(
    "--stdin-filename",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check FILE as it comes in on stdin: an editor's text that isn't saved.",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@options.common
@options.limit
def command(
    paths: tuple[Path, ...],
    stdin_filename: Path | None,
    watch: bool,
    **rest: Any,  # noqa: ANN401 - the other options
) -> int:
    """Find what models lack.

    PATHS are model files or folders, in an SGLang or anywhere else. Without them it is the `models` of the
    configuration, or else every registered model.

    --algorithm together with --model, or with files or folders of your own, is a demand: what the model lacks for that
    algorithm is an error even if it never claimed to support it. By itself it limits the findings to that algorithm.
    With --draft the demand is on both together: the model as the target, and that draft for it.

    A `# pylint: disable=RULE` comment counts here as it does for pylint.
    """
    common, asked = options.Common.taken_from(rest), Asked(**rest)
    text = _typed(stdin_filename, paths, writing=asked.fix or asked.diff or asked.add_ignores or watch)
    if stdin_filename is not None:
        paths = (stdin_filename,)
    if not watch:
        return _check(paths, text, common, asked)
    from specint.cli.watch import watching

    local = Path(common.sglang) if common.sglang and Path(common.sglang).exists() else None
    places = (*(paths or (Path.cwd(),)), *common.callers, *((local,) if local else ()))
    return watching(places, lambda: _check(paths, None, common, asked))


def _check(paths: tuple[Path, ...], text: bytes | None, common: options.Common, asked: Asked) -> int:
    """Check once; `text` is what the one path holds, if not what is saved."""
    from specint.analysis.demands import without_excluded
    from specint.checks.once import told_once
    from specint.checks.selection import failing_symbols, select_findings, selected_symbols
    from specint.cli.session import configured, session_of

    config = configured(common)
    extra = options.also_of(asked.also)
    if asked.fix + asked.diff + asked.add_ignores > 1:
        raise click.UsageError("--fix, --diff and --add-ignores are three things: say one")
    if asked.fix or asked.diff:
        from specint.cli.fix import fixed

        code = fixed(paths, common, asked.models, asked.select, asked.ignore, diff=asked.diff, aside=True)
        if asked.diff or code == 2:
            return code
    if asked.statistics and asked.format_ not in ("text", "concise"):
        raise click.UsageError(f"--statistics is text: leave out --format {asked.format_}")
    if asked.draft and not (asked.algorithms and (asked.models or paths)):
        raise click.UsageError(
            "--draft names the draft of a pair: name its target (--model, or a file) and --algorithm"
        )
    known_file = gate.baseline_path(asked.baseline, config.baseline, updating=asked.update_baseline)
    symbols = selected_symbols(
        options.listed(asked.select) or config.select, (*config.ignore, *options.listed(asked.ignore))
    )
    failing = failing_symbols(options.listed(asked.fail_on))
    session = session_of(common, config, paths, options.listed(asked.models), text)
    wanted = options.algorithms_of(session.analysis.contract, options.listed(asked.algorithms), config)
    checked = _checked(session, options.listed(asked.models), asked.draft)
    lost = _lost(session, common, asked.since) if asked.since else _forgotten(session, checked)
    demands = _demands(
        session, checked, bool(asked.models), wanted if options.listed(asked.algorithms) else (), asked.draft
    )
    spoken = _unsuppressed(session, checked, (*demands, *lost))
    everything = select_findings(without_excluded(spoken, config, session.tree), symbols)
    findings = _about(session, checked, everything, wanted, demands, limited=bool(asked.models))
    if asked.changed_since:
        from specint.analysis.touched import touched

        findings = tuple(touched(session.analysis, findings, gate.changed_files(session, asked.changed_since)))

    if asked.add_ignores:
        return _ignore_from_now_on(session, findings, named=bool(paths or session.subject or common.sglang))
    comparison = None
    if known_file:
        scope = _scope(session, checked, symbols, paths, whole=not asked.models and not asked.changed_since)
        if asked.update_baseline:
            return _update(session, findings, everything, known_file, scope, common)
        findings, comparison = gate.compared(
            findings, everything, known_file, scope, or_pipe=asked.baseline is not None
        )
    shown = told_once(findings, session.analysis.models)
    _put(
        _outcome(session, shown, checked, comparison),
        "statistics" if asked.statistics else asked.format_,
        extra,
        common,
    )
    failed = any(finding.rule in failing for finding in findings)
    if known_file and comparison and comparison.fixed:
        gate.complain_of_stale(comparison.fixed, known_file)
        failed = True
    unread = printing.put_diagnostics(session.analysis.diagnostics, quiet=common.quiet)
    if unread or not (checked or _says_why_nothing(session, allowed=asked.allow_no_models, quiet=common.quiet)):
        return 2
    return 1 if failed and not asked.exit_zero else 0


def _typed(file: Path | None, paths: Sequence[Path], *, writing: bool) -> bytes | None:
    """What comes in on stdin for a file, None where nothing does."""
    if file is None:
        return None
    if writing or [str(path) for path in paths] not in ([], ["-"]):
        raise click.UsageError("--stdin-filename is one file, whose text is checked and left as it is")
    from specint.reading import given

    return given(str(file))


def _ignore_from_now_on(session: Session, findings: Sequence[Finding], *, named: bool) -> int:
    """Write a comment behind each line that a finding is about; 1 where one can't be silenced so."""
    from specint.analysis.counts import counted
    from specint.cli.fix import untouchable
    from specint.fix.ignores import with_ignores
    from specint.fix.writing import replace
    from specint.source.tree import SourceFile

    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.file, []).append(finding)
    silenced: list[Finding] = []
    for file, found in by_file.items():
        why = untouchable(session, file, owned=named, written=True)
        if why:
            printing.say(f"{session.shown(file)}: {why}")
            continue
        after, done = with_ignores(session.tree, file, found)
        place = session.tree.location(SourceFile.at(file))
        if done and place is not None:
            replace(place, session.tree.read(SourceFile.at(file)), after)
            silenced += done
    for finding in findings:
        if finding not in silenced:
            printing.say(f"{session.shown(finding.file)}:{finding.line}: {finding.id} can't be silenced by a comment")
    files = len({finding.file for finding in silenced})
    said = f"{counted(len(silenced), 'finding')} silenced in {counted(files, 'file')}\n"
    printing.put_bytes(said.encode(), None, "text")
    return 1 if len(silenced) < len(findings) else 0


def _says_why_nothing(session: Session, *, allowed: bool, quiet: bool) -> bool:
    """No model was judged: say so, as what it is; whether that is all right."""
    from specint.contract.declared import declared

    files = sorted(session.subject or ())
    where = session.shown(files[0]) if len(files) == 1 else f"{len(files)} files"
    attribute = declared().code.registry_attribute
    what = f"no model was judged: no class there is in an {attribute}, or put into the registry"
    hint = "--model CLASS judges one that isn't registered"
    if allowed:
        printing.warn(f"{where}: {what} ({hint})", quiet=quiet)
    else:
        printing.complain(what, where, hint)
    return allowed


def _lost(session: Session, common: options.Common, since: str) -> tuple[Finding, ...]:
    """What the models lost since an earlier release, and what they offer that only that one asked for."""
    from specint.analysis.unasked import unasked
    from specint.checks.rules.lost_member import lost
    from specint.cli.session import earlier, earlier_contract
    from specint.request import whole_contract_asked

    now, then = session.analysis, earlier(common, session, since)
    asked, _ = whole_contract_asked(session.opened)
    asking = session.opened.against or session.opened.tree
    version = then.sglang.version
    return (
        *lost(now.contract, now.models, then.models, version),
        *unasked(now, asking, session.opened.store, asked, earlier_contract(common, session, since), version),
    )


def _forgotten(session: Session, checked: Sequence[ModelCompliance]) -> tuple[Finding, ...]:
    """What the models offer that SGLang asks for now, and nobody asks for in the one that they are held against."""
    from specint.analysis.unasked import unasked
    from specint.request import opened, whole_contract_asked

    now = session.opened
    if now.request.against is None or not checked:
        return ()
    asked, _ = whole_contract_asked(now)
    before = opened(msgspec.structs.replace(now.request, paths=(), models=(), against=None), store=now.store)
    asking, _ = whole_contract_asked(before)
    return unasked(
        session.analysis,
        now.against or now.tree,
        now.store,
        asked,
        asking,
        before.sglang.origin.version,
        among={model.class_ for model in checked},
        models=now.tree,
    )


def _checked(session: Session, names: Sequence[str], draft: str) -> tuple[ModelCompliance, ...]:
    """The models that the command is about."""
    from specint.analysis.scope import find_models

    models = session.analysis.models
    if names:
        wanted = {model.class_ for name in names for model in find_models(models, name)}
        models = tuple(model for model in models if model.class_ in wanted)
    files = session.named if names else session.subject
    if files is not None:
        models = tuple(model for model in models if model.file in files)
        if names and not models:
            from specint.errors import SpecintError

            raise SpecintError(f"no model class {', '.join(names)} in these files", "--model")
    beside = find_models(session.analysis.models, draft, "--draft") if draft else ()
    return (*models, *(one for one in beside if one not in models))


def _unsuppressed(
    session: Session, checked: Sequence[ModelCompliance], demands: Sequence[Finding]
) -> Sequence[Finding]:
    """Everything that was found and no comment silences, and the comments that silence nothing."""
    from specint.checks.suppression import without_suppressed

    files = {model.file for model in checked} | (session.subject or set())
    kept, useless = without_suppressed(
        [*session.analysis.findings, *demands], session.tree, sorted(files), session.opened.store
    )
    return [*kept, *useless]


def _about(
    session: Session,
    checked: Sequence[ModelCompliance],
    everything: Sequence[Finding],
    algorithms: Sequence[str],
    demands: Sequence[Finding],
    *,
    limited: bool,
) -> tuple[Finding, ...]:
    """The findings about these classes, and those that stand in the files named (a worker's line)."""
    from specint.analysis.scope import about_algorithms

    classes = {model.class_ for model in checked}
    files = frozenset() if limited else session.subject
    found = [
        finding
        for finding in everything
        if finding in demands or finding.class_ in classes or (not limited and (files is None or finding.file in files))
    ]
    if algorithms:
        demanded = {*demands, *about_algorithms(found, algorithms)}
        found = [finding for finding in found if finding in demanded]
    return tuple(found)


def _demands(
    session: Session, checked: Sequence[ModelCompliance], by_name: bool, algorithms: Sequence[str], draft: str
) -> list[Finding]:
    """What is missing of what the options and the configuration demand of these models."""
    from specint.analysis.demands import Wanted, required, unmet
    from specint.analysis.scope import find_models
    from specint.config import place

    analysis, classes = session.analysis, {model.class_ for model in checked}
    standing = required(analysis, session.config.require, place(session.config, "require"))
    wanted = {one for one in standing if classes & {one.model, one.draft}}
    if draft:
        drafts = find_models(analysis.models, draft, "--draft")
        targets = [one for one in checked if one not in drafts] or drafts
        wanted |= {Wanted(one.class_, a, beside.class_) for a in algorithms for one in targets for beside in drafts}
    else:
        singled_out = session.opened.singled_out
        wanted |= {Wanted(one.class_, a) for a in algorithms for one in checked if by_name or one.file in singled_out}
    return unmet(analysis, wanted)


def _scope(
    session: Session,
    checked: Sequence[ModelCompliance],
    symbols: frozenset[str],
    paths: Sequence[Path],
    *,
    whole: bool,
) -> gate.Scope:
    """What this run can say about entries of a baseline that it doesn't find."""
    named = session.named
    folders_alone = whole and named is not None and all(path.is_dir() for path in paths)
    return gate.Scope(
        whole=whole and named is None,
        classes=frozenset(model.class_ for model in checked),
        packages=frozenset(file.partition("/")[0] for file in named or ()) if folders_alone else frozenset(),
        registered=frozenset(model.class_ for model in session.analysis.models),
        symbols=symbols,
    )


def _update(
    session: Session,
    findings: Sequence[Finding],
    everything: Sequence[Finding],
    path: Path,
    scope: gate.Scope,
    common: options.Common,
) -> int:
    """Write the baseline, unless something could not be read: its findings would be lost."""
    if printing.put_diagnostics(session.analysis.diagnostics, quiet=common.quiet):
        return 2
    said = gate.update(findings, everything, path, scope)
    printing.put_bytes(f"{said}\n".encode(), common.output, "text")
    return 0


def _outcome(
    session: Session,
    findings: tuple[Finding, ...],
    checked: Sequence[ModelCompliance],
    comparison: Comparison | None,
) -> Outcome:
    from specint.outputs.outcome import OWN_TOOL, Outcome, own_rules
    from specint.source.lines import Lines

    about = {finding.class_ for finding in findings}
    return Outcome(
        tool=OWN_TOOL,
        findings=findings,
        rules=own_rules(),
        place=session.place,
        shown=session.shown,
        source=Lines(session.tree).at,
        diagnostics=session.analysis.diagnostics,
        clean=tuple(model.class_ for model in checked if model.class_ not in about),
        checked=len(checked),
        sglang=session.analysis.sglang,
        baseline=comparison,
    )


def _put(outcome: Outcome, format_: str, also: Sequence[tuple[str, Path]], common: options.Common) -> None:
    """Write what was found in every format that was asked for; `statistics` is one for people alone."""
    from specint.outputs import findings_text

    printed = {
        "text": findings_text.print_findings,
        "concise": findings_text.print_concise,
        "statistics": findings_text.print_statistics,
    }
    if also or format_ not in printed:
        from specint.outputs.formats import FORMATS

        for name, path in also:
            printing.put_bytes(FORMATS[name].write(outcome), path, "as it is")
        if format_ not in printed:
            printing.put_bytes(FORMATS[format_].write(outcome), common.output, "as it is")
            return
    printing.put_text(lambda console: printed[format_](console, outcome), common.output, common.colour)
