"""What a command has analysed, in the shape that scripts get from `specint.analyze`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from specint.cli.options import Common

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from specint.analysis.model import Analysis
    from specint.analysis.result import Result
    from specint.cli.session import Session
    from specint.config import Config


def result_of(session: Session, analysis: Analysis | None = None) -> Result:
    """The session's analysis (or a part of it) with its tree, for the class graph and the source lines."""
    from specint.analysis.result import Result

    return Result(session.tree, analysis or session.analysis, session.opened.store)


def other_release(common: Common, config: Config, where: str, paths: Sequence[Path] = ()) -> Result:
    """Another SGLang, looked at in the same way: the same callers, interfaces and models of one's own beside it."""
    from specint.analysis.scope import of_files
    from specint.cli.session import session_of

    session = session_of(msgspec.structs.replace(common, sglang=where), config, paths)
    return result_of(session, of_files(session.analysis, session.named))
