"""specint for scripts: `specint.analyze("0.5.23")` gives the models, the contract, the findings and the class graph.

    import specint

    result = specint.analyze("0.5.23")
    model = result.model("KimiVLForConditionalGeneration")
    print(model.algorithms["EAGLE3"].verdict, [finding.message for finding in result.about(model)])
    wrappers = {a for a, b, d in result.composition.edges(data=True) if b.endswith(".DeepseekV2ForCausalLM")}

Nothing that is analysed is imported. The attributes of what comes back are those of the JSON documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from specint.source.tree import SourceFile, Tree, decode

if TYPE_CHECKING:
    from specint.checks.finding import Finding
    from specint.compliance.model import ModelCompliance
    from specint.config import Config
    from specint.contract.model import Contract
    from specint.facts.store import Store
    from specint.graph.export import ClassGraph
    from specint.pipeline import Analysis

Progress = Callable[[str, int, int], None]


class Result:
    """One analysed SGLang.

    Attributes:
        analysis: everything that was found, as plain data.
        tree: the sources it was found in.
    """

    def __init__(self, tree: Tree, analysis: Analysis, store: Store) -> None:
        self.tree = tree
        self.analysis = analysis
        self._store = store
        self._lines: dict[str, tuple[str, ...]] = {}

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

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of every rule, also of those that are off by default."""
        return self.analysis.findings

    def model(self, name: str) -> ModelCompliance:
        """The model of that name or dotted name; SpecintError if there is none, or if several files have one."""
        from specint.errors import SpecintError
        from specint.outputs.scope import find_models

        found = find_models(self.models, name, name)
        if len(found) > 1:
            raise SpecintError("several files have a class of that name", name, " or ".join(m.class_ for m in found))
        return found[0]

    def about(self, model: ModelCompliance) -> tuple[Finding, ...]:
        """The findings about one model."""
        return tuple(finding for finding in self.findings if finding.class_ == model.class_)

    @cached_property
    def graph(self) -> ClassGraph:
        """Who inherits from whom and who holds whom, as a networkx.MultiDiGraph (see `specint.graph.export`)."""
        from specint.facts.load import Loader
        from specint.graph.composition import Composition
        from specint.graph.export import class_graph
        from specint.graph.hierarchy import Hierarchy
        from specint.graph.project import Project
        from specint.pipeline import fingerprint

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
        from specint.errors import SpecintError

        if file not in self._lines:
            try:
                self._lines[file] = tuple(decode(self.tree.read(SourceFile.at(file)), file).split("\n"))
            except SpecintError:
                self._lines[file] = ()
        return self._lines[file]


def analyze(
    sglang: str | Path | None = None,
    *,
    models: Sequence[str | Path] = (),
    callers: Sequence[str | Path] = (),
    interfaces: Sequence[str] = (),
    against: str | Path | None = None,
    config: Config | None = None,
    cache_dir: str | Path | None = None,
    cache: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Analyse an SGLang without importing it, as the commands do with the options of the same names.

    Args:
        sglang: a release ("0.5.23", fetched once), or the path of a checkout, an installed package or a wheel; None
            for the installed one.
        models: files or folders with models of your own, checked beside SGLang's.
        callers: files or folders with workers of your own, whose calls join the contract.
        interfaces: which of the runner's contracts models are held against ("speculative" alone if none is named).
        against: another SGLang, whose contract counts; models of your own are laid beside that one.
        config: what `specint.config.load_config` read, for a script that goes by a `[tool.specint]`.
        cache_dir: where what was read is kept; None for the user's cache folder.
        cache: False reads every source anew and keeps nothing; a release that was fetched stays.
        jobs: how many processes read; None for as many as there are cores.
        progress: called with what is being done, how much of it is, and how much there is (0: not known).

    Raises:
        specint.errors.SpecintError: there is no such SGLang, or no model in it.
    """
    from specint.config import Config
    from specint.request import analysed, opened, request_of

    request = request_of(
        config or Config(),
        sglang=None if sglang is None else str(sglang),
        models=[Path(path) for path in models],
        callers=[Path(path) for path in callers],
        interfaces=interfaces,
        against=None if against is None else str(against),
        cache_dir=None if cache_dir is None else Path(cache_dir),
        cache=cache,
        jobs=jobs,
        progress=progress,
    )
    sources = opened(request)
    return Result(sources.tree, analysed(sources), sources.store)
