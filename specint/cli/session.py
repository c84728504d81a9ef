"""From options to an analysis: configuration, tree, the models beside it, cache, pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from specint.cli import options, printing
from specint.cli.options import Common
from specint.cli.progress import progress
from specint.request import Placed, called, placed, sglang_around
from specint.source.tree import SourceFile

if TYPE_CHECKING:
    from specint.config import Config
    from specint.outputs.places import Place
    from specint.pipeline import Analysis


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What a command works on. `named` are the files that PATHS mean; None without PATHS, which means everything."""

    config: Config
    placed: Placed
    analysis: Analysis
    named: frozenset[str] | None = None

    def shown(self, file: str) -> str:
        """A file of the tree as the reader can open it: relative to the working directory if it lies there."""
        place = self.placed.tree.location(SourceFile.at(file))
        if place is None:
            return file
        try:
            return place.resolve().relative_to(Path.cwd()).as_posix()
        except (OSError, ValueError):
            return file

    def place(self, file: str) -> Place:
        """A file of the tree as a report names it: relative to the repository around the working directory."""
        from specint.outputs.places import place_in_tree, reporting_folder

        return place_in_tree(self.placed.tree, file, reporting_folder())


def configured(common: Common) -> Config:
    """The configuration: the file that was named, else the nearest `pyproject.toml` with a `[tool.specint]`."""
    from specint.config import load_config

    return load_config(Path.cwd(), file=common.config)


def analysed(common: Common, config: Config, paths: Sequence[Path] = ()) -> Session:
    """Open the tree that the options, the paths or the configuration name, and analyse it with the models beside it."""
    from specint.facts.store import Store, cache_directory
    from specint.pipeline import analyze
    from specint.source.locate import open_tree

    directory = common.cache_dir or config.cache_dir or cache_directory()
    around = None if common.sglang else sglang_around(paths)
    named = paths
    if around and any(around.is_relative_to(path.absolute()) for path in paths):
        paths = ()  # all of it was named, and that needs no limit
    spec, relative_to = config.sglang, config.folder
    if common.sglang:
        spec, relative_to = common.sglang, Path()
    elif around:
        spec, relative_to = called(around, named), Path()
    beside = [config.folder / path if (config.folder / path).exists() else Path(path) for path in config.models]
    with progress(quiet=common.quiet) as report:
        say = None if report is None else (lambda what: report(what, 0, 0))
        # A release is fetched once even with --no-cache: it never changes, and the index is not ours to wear out.
        tree = open_tree(spec, cache_dir=directory, relative_to=relative_to, progress=say)
        other = open_tree(common.against, cache_dir=directory, progress=say) if common.against else None
        models = placed(tree, paths, beside)
        calling = placed(models.tree, (), [*config.callers, *common.callers])
        store = Store(None if common.no_cache else directory)
        analysis = analyze(
            calling.tree,
            store=store,
            models=models.outside,
            callers=calling.outside,
            interfaces=interfaces_of(common, config),
            against=other,
            jobs=common.jobs,
            progress=report,
        )
        models = msgspec.structs.replace(models, tree=calling.tree)
    printing.put_diagnostics(store.problems, quiet=common.quiet)
    return Session(config=config, placed=models, analysis=analysis, named=models.named if paths else None)


def interfaces_of(common: Common, config: Config) -> tuple[str, ...]:
    """The interfaces that the options, else the configuration, name; the speculative one where neither does."""
    from specint.config import check_names
    from specint.contract.interfaces import SPECULATIVE, names

    wanted = options.listed(common.interfaces) or config.interface or (SPECULATIVE,)
    check_names(wanted, (*names(), "all"), "interface", "--interface")
    return names() if "all" in wanted else tuple(name for name in names() if name in wanted)


def earlier(common: Common, config: Config, session: Session, since: str) -> Analysis:
    """An earlier release's models, held against the contract of this session's tree."""
    from specint.facts.store import Store, cache_directory
    from specint.pipeline import analyze
    from specint.source.locate import open_tree

    directory = common.cache_dir or config.cache_dir or cache_directory()
    with progress(quiet=common.quiet) as report:
        tree = open_tree(since, cache_dir=directory, progress=None if report is None else lambda w: report(w, 0, 0))
        store = Store(None if common.no_cache else directory)
        return analyze(tree, store=store, against=session.placed.tree, jobs=common.jobs, progress=report)
