"""specint for scripts: `specint.analyze("0.5.23")` gives the models, the contract, the findings and the class graph.

    import specint

    result = specint.analyze("0.5.23")
    model = result.model("KimiVLForConditionalGeneration")
    print(model.algorithms["EAGLE3"].verdict, [finding.message for finding in result.about(model)])
    wrappers = {a for a, b, d in result.composition.edges(data=True) if b.endswith(".DeepseekV2ForCausalLM")}

Nothing that is analysed is imported. The attributes of what comes back are those of the JSON documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specint.analysis.result import Result
from specint.errors import SpecintError

if TYPE_CHECKING:
    from specint.config import Config
    from specint.request import Progress

__all__ = ["Result", "SpecintError", "analyze", "preflight"]


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
        interfaces: which contracts models and workers are held against ("speculative" and "worker" if none is named).
        against: another SGLang, whose contract counts; models of your own are laid beside that one.
        config: what `specint.config.load_config` read, for a script that goes by a `[tool.specint]`: its
            SGLang, models, callers and interfaces, and the rules that speak.
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
    return Result(sources.tree, analysed(sources), sources.store, config)


def preflight(
    command: str | Sequence[str],
    *,
    sglang: str | Path | None = None,
    gpu: str = "h200",
    env: dict[str, str] | None = None,
    cache_dir: str | Path | None = None,
) -> dict[str, Any]:
    """Will this launch start? The document `specint.preflight/1` of docs/preflight.md.

    Args:
        command: the launch as it is typed, its words, its flags alone, or the one file that holds it.
        sglang: as `analyze` takes it.
        gpu: the machine, by its name in `rules/machines.toml`.
        env: variables that are set for the launch.
        cache_dir: where releases and what was read are kept; the user's cache folder if not given.

    Raises SpecintError for a command, an SGLang or a machine that isn't there.
    """
    from specint.config import Config
    from specint.launch.answer import document
    from specint.launch.ask import Asking
    from specint.launch.command import Command, command_of
    from specint.launch.kept import Answers
    from specint.request import analysed_apart, opened, request_of

    directory = None if cache_dir is None else Path(cache_dir)
    request = request_of(Config(), sglang=None if sglang is None else str(sglang), cache_dir=directory)
    sources = opened(request)
    found = command_of([command] if isinstance(command, str) else list(command))
    asked = Command(found.argv, {**(env or {}), **found.environment}, found.folders)
    with analysed_apart(sources) as analyse:
        return document(Asking(sources.tree, analyse, request.cache_dir, kept=Answers(sources)).answer(asked, gpu))
