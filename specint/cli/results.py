"""What a command has analysed, in the shape that scripts get from `specint.analyze`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from specint.cli.options import Common

if TYPE_CHECKING:
    from pathlib import Path

    from specint.api import Result
    from specint.cli.session import Session
    from specint.config import Config
    from specint.pipeline import Analysis


def result_of(common: Common, config: Config, session: Session, analysis: Analysis | None = None) -> Result:
    """The session's analysis (or a part of it) with its tree, for the class graph and the source lines."""
    from specint.api import Result
    from specint.facts.store import Store

    store = Store(None if common.no_cache else _directory(common, config))
    return Result(session.placed.tree, analysis or session.analysis, store)


def other_release(common: Common, config: Config, where: str) -> Result:
    """Another SGLang, looked at in the same way: the same callers, interfaces and models of one's own beside it."""
    from specint.cli.session import analysed

    there = msgspec.structs.replace(common, sglang=where)
    return result_of(there, config, analysed(there, config))


def _directory(common: Common, config: Config) -> Path:
    from specint.facts.store import cache_directory

    return common.cache_dir or config.cache_dir or cache_directory()
