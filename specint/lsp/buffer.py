"""What specint says about a file as it stands in an editor, saved or not."""

from __future__ import annotations

from pathlib import Path

import msgspec

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.config import Config, load_config
from specint.errors import SpecintError
from specint.request import analysed, file_at, opened, request_of, with_text
from specint.source.lines import Lines
from specint.source.tree import Tree


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename={"cache_dir": "cacheDir"}):
    """What an editor may say (`initializationOptions`); without it the nearest `[tool.specint]` counts."""

    sglang: str | None = None
    cache_dir: str | None = None


class Judged(msgspec.Struct, frozen=True):
    """A buffer's answer.

    Attributes:
        file: the buffer, as findings name it.
        findings: those that `specint check` would print about it, in their order.
        tree: the sources with the buffer's text in the place of the file's.
    """

    file: str
    findings: tuple[Finding, ...]
    analysis: Analysis
    tree: Tree
    lines: Lines

    @property
    def models(self) -> tuple[ModelCompliance, ...]:
        """The registered classes of the buffer."""
        return tuple(model for model in self.analysis.models if model.file == self.file)


def judged(path: Path, text: str, settings: Settings) -> Judged | None:
    """The answer for a file of that text; None for one that has nothing to do with any SGLang here.

    Raises:
        SpecintError: the configuration or the SGLang that it names can't be read.
    """
    config = load_config(path.parent)
    cache_dir = Path(settings.cache_dir) if settings.cache_dir else None
    request = request_of(config, sglang=settings.sglang, paths=[path], cache_dir=cache_dir)
    sources = opened(request)
    file = file_at(sources, path)
    if file is None:
        return None
    sources = with_text(sources, file, text)
    analysis, tree = analysed(sources), sources.tree
    return Judged(file, _findings(analysis, config, tree, file), analysis, tree, Lines(tree))


def _findings(analysis: Analysis, config: Config, tree: Tree, file: str) -> tuple[Finding, ...]:
    from specint.analysis.demands import required, unmet, without_excluded
    from specint.checks.once import told_once
    from specint.checks.selection import select_findings, selected_symbols
    from specint.checks.suppression import without_suppressed
    from specint.config import place

    about = [finding for finding in analysis.findings if finding.file == file]
    classes = {model.class_ for model in analysis.models if model.file == file}
    try:
        standing = required(analysis, config.require, place(config, "require"))
    except SpecintError:  # a class of it may be about to be written
        standing = set()
    wanted = {one for one in standing if classes & {one.model, one.draft}}
    kept, useless = without_suppressed([*about, *unmet(analysis, wanted)], tree, (file,))
    symbols = selected_symbols(config.select, config.ignore)
    return told_once(select_findings(without_excluded([*kept, *useless], config, tree), symbols), analysis.models)
