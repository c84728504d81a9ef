"""specint: which SGLang models meet what the speculative-decoding workers ask of them, read from the source alone.

Importing this package costs next to nothing: what is heavy is loaded by the command or the plugin that needs it.
"""

from __future__ import annotations

# Not from `typing`: `python -m specint` gets here with the working directory first on its path, and a `typing.py` there
# is nothing to import. `__main__` takes that folder off the path before anything else is loaded.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from pylint.lint import PyLinter

    from specint.api import Result, SpecintError, analyze, preflight

__all__ = ["Result", "SpecintError", "analyze", "preflight", "register"]


def register(linter: PyLinter) -> None:
    """What `pylint --load-plugins specint` calls: registers the checker of `specint.pylint_plugin`."""
    from specint.pylint_plugin import register as register_checker

    register_checker(linter)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as different as what it offers
    if name in ("Result", "SpecintError", "analyze", "preflight"):
        import specint.api

        return getattr(specint.api, name)
    if name == "__version__":
        from specint.version import own_version

        return own_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
