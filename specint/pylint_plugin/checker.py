"""The pylint checker: options, messages, and the place where findings become messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from astroid import nodes  # type: ignore[import-untyped]
from pylint.checkers import BaseChecker

from specint.checks.catalog import Rule, all_rules
from specint.pylint_plugin import own_import_path
from specint.pylint_plugin.modelfile import LintedFile, linted_file

if TYPE_CHECKING:
    from pylint.lint import PyLinter
    from pylint.typing import ExtraMessageOptions, MessageDefinitionTuple

    from specint.analysis.places import Place
    from specint.checks.finding import Finding
    from specint.pylint_plugin.index import Index


CANNOT_ANALYSE = "spec-cannot-analyse"


class Emitted(NamedTuple):
    """A finding behind a message: the file on disk, and where every file that the finding names lies."""

    path: str
    finding: Finding
    places: dict[str, Place]


class SpecintChecker(BaseChecker):
    """Says about a model's module what `specint check` says about it."""

    name = "specint"
    options = (
        (
            "specint-sglang",
            {
                "type": "string",
                "default": "",
                "metavar": "<where>",
                "help": "The SGLang that models outside SGLang's own tree are checked against: a release (0.5.9), or "
                "the path of a checkout, an installed package or a wheel. Without it: the one of [tool.specint], else "
                "the installed one.",
            },
        ),
        (
            "specint-algorithms",
            {
                "type": "csv",
                "default": (),
                "metavar": "<names>",
                "help": "Report findings about these speculative algorithms alone.",
            },
        ),
        (
            "specint-require",
            {
                "type": "csv",
                "default": (),
                "metavar": "<class[+draft]:algorithm>",
                "help": "Models that must support an algorithm, whether or not they claim to.",
            },
        ),
        (
            "specint-models",
            {
                "type": "csv",
                "default": (),
                "metavar": "<paths>",
                "help": "Packages, folders or files with models of your own.",
            },
        ),
        (
            "specint-cache-dir",
            {
                "type": "string",
                "default": "",
                "metavar": "<folder>",
                "help": "Where to keep what was read; the user's cache folder if not given.",
            },
        ),
    )

    def __init__(self, linter: PyLinter) -> None:
        self.msgs = {rule.id: _message(rule) for rule in all_rules()}
        super().__init__(linter)
        # One checker is one process and one run: what is kept here can't outlive the files it was read from.
        self._index: Index | None = None
        self.emitted: list[Emitted] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_index": None}  # `-j`: each process builds its own, from the cache on disk

    def get_map_data(self) -> list[Emitted] | None:
        """With `-j`: what a process hands to the one that prints, since a message can't carry a finding."""
        emitted, self.emitted = self.emitted, []
        return emitted or None

    def reduce_map_data(self, linter: PyLinter, data: list[list[Emitted]]) -> None:  # noqa: ARG002
        """With `-j`: takes what the processes handed over, before anything is printed."""
        self.emitted += [one for part in data for one in part]

    def visit_module(self, node: nodes.Module) -> None:
        """Emit what is found in this module, each message on the node whose line it names."""
        with own_import_path():
            self._visit(node)

    def _visit(self, node: nodes.Module) -> None:
        file = linted_file(node.file, node.file_bytes, self._model_paths(), self._demanded)
        if file is None:
            return
        try:
            findings = self._findings(file)
            for trouble in self._index_of_run().troubles(file):
                self.add_message(CANNOT_ANALYSE, node=node, line=trouble.line, args=(" ".join(trouble.what.split()),))
        except Exception as error:  # whatever it is, it must not cost the user the other checkers' messages
            self._cannot(node, file, _why(error))
        else:
            from specint.checks.once import told_once

            spoken = [one for one in findings if self.linter.is_message_enabled(one.rule, one.line)]
            repeated = set(spoken) - set(told_once(spoken))
            for finding in findings:  # those that are disabled too: pylint counts which pragmas are of use
                if finding not in repeated:
                    self._emit(node, finding)
                    self._keep(file, finding)

    def _findings(self, file: LintedFile) -> Sequence[Finding]:
        from specint.pipeline import collector_resting

        with (
            collector_resting()
        ):  # pylint's own trees are a large heap, and going through it costs more than the answer
            return self._index_of_run().findings(file)

    def _index_of_run(self) -> Index:
        from specint.pylint_plugin.index import Index, Settings

        if self._index is None:
            options = self.linter.config
            self._index = Index(
                Settings(
                    sglang=options.specint_sglang,
                    algorithms=tuple(options.specint_algorithms),
                    require=tuple(options.specint_require),
                    models=tuple(options.specint_models),
                    cache_dir=options.specint_cache_dir,
                    jobs=None if options.jobs == 1 else 1,
                )
            )
        return self._index

    def _keep(self, file: LintedFile, finding: Finding) -> None:
        """For the reporters of ours: with `-j` they are in another process, and nothing here tells whether they are."""
        if self._index is not None:
            self.emitted.append(Emitted(str(file.path), finding, self._index.places(file, finding)))

    def _demanded(self) -> Sequence[str]:
        """The names of classes of which something is demanded, without a room of specint's: every file asks."""
        from specint.config import demand, load_config
        from specint.errors import SpecintError

        try:
            named = [demand(line, "specint-require") for line in self.linter.config.specint_require]
            demands = (*named, *load_config(Path.cwd()).require)
            return [name for one in demands for name in (one.model, one.draft) if name]
        except SpecintError:  # said on every file of models
            return ()

    def _model_paths(self) -> tuple[Path, ...]:
        return tuple(Path(path).absolute() for path in self.linter.config.specint_models)

    def _emit(self, module: nodes.Module, finding: Finding) -> None:
        self.add_message(
            finding.rule,
            node=_node_on(module, finding.line),
            line=finding.line,
            col_offset=finding.column,
            args=(finding.message,),
        )

    def _cannot(self, node: nodes.Module, file: LintedFile, why: str) -> None:
        if file.holds_models:
            self.add_message(CANNOT_ANALYSE, node=node, line=1, args=(" ".join(why.split()),))


def _message(rule: Rule) -> MessageDefinitionTuple:
    extra: ExtraMessageOptions = {"default_enabled": rule.default}
    return "%s", rule.symbol, f"{rule.summary}. {rule.what_it_does.strip()}", extra


def _why(error: Exception) -> str:
    from specint.errors import SpecintError

    if isinstance(error, SpecintError):
        return str(error)
    if os.environ.get("SPECINT_DEBUG") == "1":
        raise error
    return f"internal error: {type(error).__name__}: {error} (please report it)"


def _node_on(module: nodes.Module, line: int) -> nodes.NodeNG:
    """The outermost node that starts on the line: a class, a function, a statement; else the module."""
    waiting: list[nodes.NodeNG] = list(module.body)
    while waiting:
        node = waiting.pop(0)
        if (node.position or node).lineno == line:
            return node
        if (node.fromlineno or 0) <= line <= (node.tolineno or 0):
            waiting = list(node.get_children())
    return module
