"""One analysed SGLang with its sources: what outputs, commands and scripts look things up in."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from specint.analysis.counts import counted
from specint.source.lines import Lines
from specint.source.tree import Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.checks.finding import Finding
    from specint.compliance.model import ModelCompliance
    from specint.config import Config
    from specint.contract.model import Contract
    from specint.facts.store import Store
    from specint.graph.export import ClassGraph


class Result:
    """One analysed SGLang.

    Attributes:
        analysis: everything that was found, as plain data.
        tree: the sources it was found in.
    """

    def __init__(self, tree: Tree, analysis: Analysis, store: Store, config: Config | None = None) -> None:
        self.tree = tree
        self.analysis = analysis
        self._config = config
        self._store = store
        self._lines = Lines(tree)

    @property
    def version(self) -> str:
        """The release, as its own metadata states it."""
        return self.analysis.sglang.version

    @property
    def contract(self) -> Contract:
        """What workers and runners ask of a model."""
        return self.analysis.contract

    @property
    def models(self) -> tuple[ModelCompliance, ...]:
        """Every registered model class."""
        return self.analysis.models

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What `specint check` tells: the findings of the rules that are on by default, or that the configuration
        selects; one that an heir repeats is told with its base's."""
        from specint.checks.once import told_once

        return told_once(self._selected, self.models)

    @cached_property
    def _selected(self) -> tuple[Finding, ...]:
        from specint.analysis.demands import without_excluded
        from specint.checks.selection import select_findings, selected_symbols
        from specint.config import Config

        config = self._config or Config()
        symbols = selected_symbols(config.select, config.ignore)
        return select_findings(without_excluded(self.every_finding, config, self.tree), symbols)

    @property
    def every_finding(self) -> tuple[Finding, ...]:
        """The findings of every rule, also of those that are off, and in files that the configuration excludes."""
        return self.analysis.findings

    def __repr__(self) -> str:
        parts = [counted(len(self.models), "model"), counted(len(self.contract.algorithms), "algorithm")]
        return (
            f"<specint.Result of SGLang {self.version}: {', '.join(parts)}, {counted(len(self.findings), 'finding')}>"
        )

    def model(self, name: str) -> ModelCompliance:
        """The model of that name or dotted name; SpecintError if there is none, or if several files have one."""
        from specint.analysis.scope import find_models
        from specint.errors import SpecintError

        found = find_models(self.models, name, name)
        if len(found) > 1:
            raise SpecintError("several files have a class of that name", name, " or ".join(m.class_ for m in found))
        return found[0]

    def about(self, model: ModelCompliance) -> tuple[Finding, ...]:
        """The findings about one model, with those that it repeats of a base: each has the lines for this class."""
        return tuple(finding for finding in self._selected if finding.class_ == model.class_)

    @cached_property
    def graph(self) -> ClassGraph:
        """Who inherits from whom and who holds whom, as a networkx.MultiDiGraph (see `specint.graph.export`)."""
        from specint.answers import fingerprint
        from specint.facts.load import Loader
        from specint.graph.composition import Composition
        from specint.graph.export import class_graph
        from specint.graph.hierarchy import Hierarchy
        from specint.graph.project import Project

        loader = Loader(self.tree, self._store, version=fingerprint())
        parents = {model.class_.rsplit(".", 2)[0] for model in self.models}
        packages = sorted(name for name in parents if name.startswith(f"{self.tree.package}."))
        loader.load(list(dict.fromkeys(file for package in packages for file in self.tree.files(package))))
        project = Project(loader.module, self.tree.package)
        models = {model.class_ for model in self.models}
        held = {name for model in self.models for wrap in model.wraps for name in wrap.classes}
        nodes = [node for name in sorted(models | held) if (node := project.class_by_key(name))]
        return class_graph(project, Composition(project, Hierarchy(project)), nodes, (models | held).__contains__)

    @property
    def hierarchy(self) -> ClassGraph:
        """The edges from classes to their bases alone."""
        from specint.graph.export import only

        return only(self.graph, "inherits")

    @property
    def composition(self) -> ClassGraph:
        """The edges from wrappers to the models that they hold alone."""
        from specint.graph.export import only

        return only(self.graph, "holds")

    def lines(self, file: str) -> tuple[str, ...]:
        """The lines of a file of the tree, as findings name it; none where it can't be read."""
        return self._lines.of(file)
