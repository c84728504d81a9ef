"""From options to an analysis: configuration, request, sources, analysis."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from specint.cli import completion, options, printing
from specint.cli.options import Common
from specint.cli.progress import progress
from specint.errors import SpecintError
from specint.request import Opened, analysed, file_at, opened, request_of, whole_contract_asked, with_text
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.analysis.places import Place
    from specint.cli.progress import Report
    from specint.config import Config
    from specint.contract.model import Contract
    from specint.request import Request


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What a command works on."""

    config: Config
    opened: Opened
    analysis: Analysis

    @property
    def tree(self) -> Tree:
        """The sources that were analysed."""
        return self.opened.tree

    @property
    def subject(self) -> frozenset[str] | None:
        """The files that the command is about: those of PATHS, else the configured models; None for everything."""
        return self.opened.subject

    @property
    def named(self) -> frozenset[str] | None:
        """The files that PATHS mean; None without PATHS, which means everything."""
        return self.opened.named

    def shown(self, file: str) -> str:
        """A file of the tree as the reader can open it: relative to the working directory if it lies there."""
        place = self.tree.location(SourceFile.at(file))
        if place is None:
            return file
        try:
            return place.resolve().relative_to(Path.cwd()).as_posix()
        except (OSError, ValueError):
            return file

    def place(self, file: str) -> Place:
        """A file of the tree as a report names it: relative to the repository around the working directory."""
        from specint.analysis.places import place_in_tree, reporting_folder

        return place_in_tree(self.tree, file, reporting_folder())


def configured(common: Common) -> Config:
    """The configuration: the file that was named, else the nearest `pyproject.toml` with a `[tool.specint]`."""
    from specint.config import load_config

    return load_config(Path.cwd(), file=common.config)


def requested(
    common: Common,
    config: Config,
    paths: Sequence[Path] = (),
    classes: Sequence[str] = (),
    progress: Report | None = None,
) -> Request:
    """What the options and the configuration ask for together."""
    return request_of(
        config,
        sglang=common.sglang,
        paths=paths,
        callers=common.callers,
        interfaces=options.listed(common.interfaces),
        classes=classes,
        against=common.against,
        cache_dir=common.cache_dir,
        cache=not common.no_cache,
        jobs=common.jobs,
        progress=progress,
    )


def session_of(
    common: Common,
    config: Config,
    paths: Sequence[Path] = (),
    classes: Sequence[str] = (),
    text: bytes | None = None,
) -> Session:
    """Open what the options, the paths or the configuration name, and analyse it.

    Args:
        classes: names that were asked for.
        text: what the one file of `paths` holds in an editor, if not what is saved.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().obj is True:
        gc.disable()  # the process ends with the answer; what it holds would be gone through once more for nothing
    with progress(quiet=common.quiet) as report:
        sources = opened(requested(common, config, paths, classes, report))
        if text is not None:
            file = file_at(sources, paths[0])
            if file is None:
                raise SpecintError(
                    "is no file of an SGLang or of a package", str(paths[0]), "name a file that is there"
                )
            sources = with_text(sources, file, text)
        analysis = analysed(sources)
    printing.put_diagnostics(sources.store.problems, quiet=common.quiet)
    completion.remember(sources.store, analysis)
    for name in classes:
        _say_if_guessed(analysis, name, quiet=common.quiet)
    return Session(config=config, opened=sources, analysis=analysis)


def _say_if_guessed(analysis: Analysis, name: str, *, quiet: bool) -> None:
    """A name that tells a family alone may mean another class of it: only the checkpoint's configuration says."""
    from specint.analysis.names import guessed

    if meant := guessed(analysis.models, name):
        taken = " or ".join(model.name for model in meant)
        printing.warn(f'{name} is taken for {taken}; "architectures" in its config.json says it', quiet=quiet)


def earlier_contract(common: Common, session: Session, since: str) -> Contract:
    """What an earlier release itself asked under any interface."""
    with progress(quiet=common.quiet) as report:
        request = msgspec.structs.replace(
            session.opened.request, sglang=since, relative_to=None, paths=(), models=(), against=None, progress=report
        )
        return whole_contract_asked(opened(request, store=session.opened.store))[0]


def earlier(common: Common, session: Session, since: str) -> Analysis:
    """An earlier release with the same models beside it, held against the contract of this session."""
    now = session.opened
    beside = [place for file in now.models if (place := now.tree.location(file))]
    with progress(quiet=common.quiet) as report:
        request = msgspec.structs.replace(
            now.request, sglang=since, relative_to=None, paths=(), models=tuple(beside), against=None, progress=report
        )
        then = opened(request, store=now.store)
        return analysed(msgspec.structs.replace(then, against=now.against or now.tree))
