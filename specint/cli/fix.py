"""`specint fix`: writes what is missing, where that is safe."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specint.cli import options, printing
from specint.cli.examples import examples
from specint.errors import SpecintError

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.checks.finding import Finding
    from specint.cli.session import Session
    from specint.fix.plan import Change, Plan
    from specint.source.tree import Tree


@click.command("fix", short_help="Write what models lack, where that is safe.", epilog=examples("fix"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@click.option("--diff", is_flag=True, help="Print a patch that `git apply` takes, and write nothing.")
@click.option("--unsafe", is_flag=True, help="Also what is right under a condition that the source doesn't settle.")
@options.models_option
@options.selection
@options.common
@options.limit
def command(
    paths: tuple[Path, ...],
    diff: bool,
    unsafe: bool,
    models: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    **rest: Any,  # noqa: ANN401 - the common options
) -> int:
    """Write what models lack, where that is safe.

    PATHS are model files or folders, in an SGLang or anywhere else; without them it is the `models` of the
    configuration, or else all of the SGLang that --sglang names. A fix is made only if a new analysis finds the finding
    gone and nothing new; else the reason is told.

    Exit codes: 0 everything is fixed, 1 findings are left, 2 something could not be done. With --diff they say what
    they would be after the patch.
    """
    common = options.Common.taken_from(rest)
    return fixed(paths, common, models, select, ignore, diff=diff, unsafe=unsafe)


def fixed(
    paths: Sequence[Path],
    common: options.Common,
    models: Sequence[str],
    select: Sequence[str],
    ignore: Sequence[str],
    *,
    diff: bool = False,
    unsafe: bool = False,
    aside: bool = False,
) -> int:
    """Write what can be written, or print it as a patch; the exit code. `aside`: what was done is told on stderr."""
    from specint.checks.selection import selected_symbols
    from specint.cli.session import configured, session_of
    from specint.fix.plan import plan

    config = configured(common)
    symbols = selected_symbols(options.listed(select) or config.select, (*config.ignore, *options.listed(ignore)))
    session = session_of(common, config, paths, options.listed(models))
    findings = _findings(session, symbols, options.listed(models))
    owned = bool(paths or session.subject or common.sglang or config.sglang)
    with ExitStack() as stack:
        made = plan(
            session.tree,
            session.analysis,
            findings,
            _analyser(session, common, stack),
            unsafe=unsafe,
            untouchable=lambda file: untouchable(session, file, owned=owned, written=not diff),
        )
    failed = False
    if diff:
        from specint.edits.patch import git_patch

        patches = (
            git_patch(session.place(one.file).path, one.before, one.after, [s for e in one.edits for s in e.splices])
            for one in made.changes
        )
        printing.put_patch(b"".join(patches), common.output)
    written: tuple[Change, ...] = ()
    if not diff:
        written, failed = _write(session, made.changes)
    lines = list(_told(session, made, written, diff=diff))
    if diff or aside:
        for line in lines:
            printing.say(line)
    else:
        printing.put_bytes("".join(f"{line}\n" for line in lines).encode(), common.output, "text")
    if printing.put_diagnostics(session.analysis.diagnostics, quiet=common.quiet) or failed:
        return 2
    return 1 if made.left else 0


def _findings(session: Session, symbols: frozenset[str], names: Sequence[str]) -> tuple[Finding, ...]:
    """What is to be fixed: what `specint check` finds, but for demands, which no pass-through can meet."""
    from specint.analysis.demands import without_excluded
    from specint.analysis.scope import about_algorithms, find_models
    from specint.checks.selection import select_findings
    from specint.checks.suppression import without_suppressed

    found: Iterable[Finding] = session.analysis.findings
    files = session.named if names else session.subject
    if files is not None:
        found = [one for one in found if one.file in files]
    if names:
        wanted = {model.class_ for name in names for model in find_models(session.analysis.models, name)}
        found = [one for one in found if one.class_ in wanted]
    algorithms = options.algorithms_of(session.analysis.contract, (), session.config)
    if algorithms:
        found = about_algorithms(found, algorithms)
    tree = session.tree
    kept, _ = without_suppressed(found, tree, (), session.opened.store)
    return select_findings(without_excluded(kept, session.config, tree), symbols)


def _analyser(session: Session, common: options.Common, stack: ExitStack) -> Callable[[Tree], Analysis]:
    """The same analysis again; what it reads is kept between the attempts even with --no-cache."""
    import msgspec

    from specint.facts.store import Store
    from specint.request import analysed

    sources = session.opened
    quiet = msgspec.structs.replace(sources.request, progress=None)
    store = sources.store
    if common.no_cache:
        store = Store(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="specint-"))))
    again = msgspec.structs.replace(sources, request=quiet, store=store)
    return lambda tree: analysed(again, tree)


def untouchable(session: Session, file: str, *, owned: bool, written: bool) -> str:
    """Why a file is not ours to write; a wheel as a whole is an error, so that nobody waits for its files."""
    from specint.fix.writing import write_protected
    from specint.source.tree import SourceFile

    if session.subject is not None and file not in session.subject:
        return f"what is to be changed is in {session.shown(file)}, which isn't among PATHS"
    if not written:
        return ""
    place = session.tree.location(SourceFile.at(file))
    if place is None:
        hint = "--diff prints a patch; or name an unpacked SGLang with --sglang"
        raise SpecintError("is inside a wheel, where nothing can be fixed", session.analysis.sglang.source, hint)
    if not owned:
        hint = "name it with --sglang or as PATHS, or let --diff print a patch"
        raise SpecintError("is the installed SGLang, which is written only if you name it", str(place.parent), hint)
    return write_protected(place)


def _write(session: Session, changes: Sequence[Change]) -> tuple[tuple[Change, ...], bool]:
    """Write what can be written; one file's trouble is not another's."""
    from specint.fix.writing import replace
    from specint.source.tree import SourceFile

    written: list[Change] = []
    for change in changes:
        place = session.tree.location(SourceFile.at(change.file))
        try:
            if place is not None:
                replace(place, change.before, change.after)
                written.append(change)
        except SpecintError as error:
            printing.complain(error.what, session.shown(change.file), error.hint)
    return tuple(written), len(written) < len(changes)


def _told(session: Session, made: Plan, written: Sequence[Change], *, diff: bool) -> Iterable[str]:
    """One line for each class that was changed and each finding that stays, and a summary."""
    from specint.analysis.counts import counted

    for change in made.changes if diff else written:
        for class_ in dict.fromkeys(edit.class_ for edit in change.edits):
            members = ", ".join(edit.member for edit in change.edits if edit.class_ == class_)
            yield f"{session.shown(change.file)}: {class_.rpartition('.')[2]}: {members}"
    for left in made.left:
        finding = left.finding
        subject = " ".join(filter(None, (finding.class_.rpartition(".")[2], finding.member)))
        how = "only with --unsafe" if left.on_demand else "not fixed"
        yield f"{session.shown(finding.file)}:{finding.line}: {finding.id} {subject} {how}: {left.why}"
    files = len(made.changes if diff else written)
    done = {change.file for change in (made.changes if diff else written)}
    lost = {change.file for change in made.changes} - done
    settled = sum(one.file not in lost for one in made.settled)
    parts = [f"{counted(settled, 'finding')} {'would be fixed' if diff else 'fixed'} in {counted(files, 'file')}"]
    kinds = Counter(left.on_demand for left in made.left)
    if kinds[True]:
        parts.append(f"{kinds[True]} more with --unsafe")
    if kinds[False]:
        parts.append(f"{kinds[False]} left to you")
    yield "; ".join(parts) if made.settled or made.left else "nothing to fix"
