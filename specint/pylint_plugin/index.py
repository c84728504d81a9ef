"""Findings by file, from one analysis a tree: the warm cache on disk makes it cheap, and here it is kept in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from specint.analysis.demands import required, unmet, without_excluded
from specint.config import Config, Demand, demand, load_config
from specint.pylint_plugin.modelfile import LintedFile, defines, may_register
from specint.reading import named_path, read_regular
from specint.request import Opened, analysed, opened, request_of
from specint.source.models import may_hold_sources
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.analysis.places import Place
    from specint.checks.finding import Finding
    from specint.errors import Diagnostic
    from specint.request import Request


_MOST_FILES = 5000
"""So many files of a project are searched for a class that somebody demands something of."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The checker's options, as pylint hands them over: empty where nothing was said."""

    sglang: str = ""
    algorithms: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    cache_dir: str = ""
    jobs: int | None = None


class _Place(msgspec.Struct, frozen=True):
    """An analysis: what it is of, and the findings by the path of their file in that tree.

    `names` are those of the models, plain and dotted, each with the plain one. `known` are the places of the files that
    findings have named so far.
    """

    sources: Opened
    by_file: dict[str, tuple[Finding, ...]]
    diagnostics: tuple[Diagnostic, ...]
    names: dict[str, str]
    known: dict[str, Place] = {}


class Index:
    """The analyses of one run. A folder of files outside SGLang shares one, as does all of an SGLang."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._config: Config | None = None
        self._places: dict[tuple[Path | None, Path | None], _Place | Exception] = {}
        self._defined: dict[str, bool] = {}
        self._told: set[str] = set()

    def findings(self, file: LintedFile) -> Sequence[Finding]:
        """What is found in this file; SpecintError if its SGLang can't be analysed."""
        found = self._place(file)
        tree = found.sources.tree
        own = tree.file_at(file.path)
        if own is None:
            return ()
        if file.text is not None and file.text != _text(tree, own):
            # An unsaved buffer: this module alone is read again, all else comes from the cache.
            found = self._analysed(found.sources, tree.overlay({own.module: file.text}))
        return (*found.by_file.get(own.path, ()), *self._mistaken(found, own))

    def troubles(self, file: LintedFile) -> Sequence[Diagnostic]:
        """What could not be read in this file, though Python reads it."""
        found = self._place(file)
        own = found.sources.tree.file_at(file.path)
        return [one for one in found.diagnostics if own is not None and one.file == own.path and one.line]

    def _demands(self) -> tuple[Demand, ...]:
        lines = self._settings.require
        return (*(demand(line, "specint-require") for line in lines), *self._configuration().require)

    def _mistaken(self, found: _Place, own: SourceFile) -> Iterator[Finding]:
        """Demands on a class that is nowhere, each told once, in the first file of models that is looked at.

        A run over one's own models also meets trees that don't hold them all: a name that some file of the project
        defines is none of these.
        """
        from specint.checks.catalog import rule
        from specint.checks.finding import Finding
        from specint.suggestion import did_you_mean

        named = [(one, name) for one in self._demands() for name in (one.model, one.draft) if name]
        for one, name in named:
            plain = name.rpartition(".")[2]
            if name in self._told or {name, plain} & found.names.keys() or self._defined_here(plain):
                continue
            self._told.add(name)
            hint = did_you_mean(plain, list(found.names.values()))
            where = "specint-require" if one not in self._configuration().require else "require"
            said = f"{where} demands {one.algorithm} of {name}, and no model class is called so"
            broken = rule("spec-unsupported-algorithm")
            yield Finding(
                rule=broken.symbol,
                id=broken.id,
                class_=name,
                member="",
                algorithms=(one.algorithm,),
                file=own.path,
                line=1,
                message=f"{said} ({hint})" if hint else said,
            )

    def _defined_here(self, name: str) -> bool:
        """Whether some file of the project defines a class of this name."""
        if name not in self._defined:
            files = islice(_sources_below(self._configuration().folder), _MOST_FILES)
            self._defined[name] = any(defines(_content(path), [name]) for path in files)
        return self._defined[name]

    def places(self, file: LintedFile, finding: Finding) -> dict[str, Place]:
        """Where the files that a finding of this file names lie, for a report."""
        from specint.analysis.places import place_in_tree, reporting_folder

        found = self._place(file)
        names = {finding.file, *(one.file for one in finding.evidence)}
        if new := names - found.known.keys():
            top = reporting_folder()
            found.known.update((name, place_in_tree(found.sources.tree, name, top)) for name in new)
        return {name: found.known[name] for name in sorted(names)}

    def _place(self, file: LintedFile) -> _Place:
        key = (file.sglang, None if file.sglang else file.path.parent)
        known = self._places.get(key)
        if known is None:
            try:
                known = self._analysed(opened(self._request(file)))
            except Exception as error:  # the same for every file of the tree: found out once
                known = error
            self._places[key] = known
        if isinstance(known, Exception):
            raise known
        return known

    def _request(self, file: LintedFile) -> Request:
        options = self._settings
        request = request_of(
            self._configuration(),
            sglang=str(file.sglang or "") or options.sglang or None,
            models=[Path(path) for path in options.models],
            classes=[name for one in self._demands() for name in (one.model, one.draft) if name],
            cache_dir=named_path(options.cache_dir, "--specint-cache-dir") if options.cache_dir else None,
            jobs=options.jobs,
        )
        if file.sglang or any(file.path.is_relative_to(path.absolute()) for path in request.models):
            return request
        # The folder is analysed once, not once for each file of it.
        beside = _with_siblings(file.path, request.classes)
        return msgspec.structs.replace(request, models=(*request.models, *beside))

    def _analysed(self, sources: Opened, tree: Tree | None = None) -> _Place:
        analysis = analysed(sources, tree)
        by_file: dict[str, list[Finding]] = {}
        for finding in self._selected(analysis, tree or sources.tree):
            by_file.setdefault(finding.file, []).append(finding)
        return _Place(
            sources,
            {path: tuple(found) for path, found in by_file.items()},
            tuple(one for one in analysis.diagnostics if one.severity == "error"),
            {name: model.name for model in analysis.models for name in (model.name, model.class_)},
        )

    def _selected(self, analysis: Analysis, tree: Tree) -> Sequence[Finding]:
        """As `specint check` selects, but for the rules: those are pylint's to enable and disable."""
        from specint.analysis.scope import about_algorithms, resolve_algorithms
        from specint.checks.catalog import all_rules
        from specint.checks.selection import select_findings

        config = self._configuration()
        names = self._settings.algorithms or config.algorithms
        algorithms = resolve_algorithms(analysis.contract, names, "specint-algorithms")
        found = about_algorithms(analysis.findings, algorithms) if algorithms else analysis.findings
        known = {model.name for model in analysis.models} | {model.class_ for model in analysis.models}
        demands = (one for one in self._demands() if {one.model, one.draft} <= {*known, ""})
        pairs = required(analysis, demands, "specint-require")
        every = frozenset(rule.symbol for rule in all_rules())
        return select_findings(without_excluded([*found, *unmet(analysis, pairs)], config, tree), every)

    def _configuration(self) -> Config:
        if self._config is None:
            self._config = load_config(Path.cwd())
        return self._config


def _with_siblings(path: Path, demanded: Sequence[str]) -> list[Path]:
    """A file outside SGLang, and the model files beside it."""
    beside = (one for one in sorted(path.parent.glob("*.py")) if one != path)
    return [path, *(one for one in beside if may_register(_content(one)) or defines(_content(one), demanded))]


def _content(path: Path) -> bytes:
    try:
        return read_regular(path)
    except OSError:  # said when that file is linted
        return b""


def _sources_below(folder: Path) -> Iterator[Path]:
    """The Python files of a project, those of environments and hidden folders left out."""
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in sorted(folders) if may_hold_sources(Path(top) / name)]
        yield from (Path(top) / name for name in sorted(files) if name.endswith(".py"))


def _text(tree: Tree, file: SourceFile) -> str:
    from specint.source.tree import decode

    return decode(tree.read(file), file.path)
