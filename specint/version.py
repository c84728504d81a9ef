"""Which specint this is: the version has one home, the distribution's metadata."""

from __future__ import annotations


def own_version() -> str:
    """The version that is installed; reading it takes longer than importing the package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("specint")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0+unknown"
