"""Which specint this is: the version has one home, the distribution's metadata."""

from __future__ import annotations

from functools import lru_cache


def own_version() -> str:
    """The version that is installed; reading it takes longer than importing the package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("specint")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0+unknown"


@lru_cache(maxsize=1)
def documentation() -> str:
    """Where the pages of all versions are published, as the distribution's metadata says; "" where they aren't."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        links = metadata("specint").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    named = (link.partition(",") for link in links)
    found = next((address.strip() for name, _, address in named if name.strip().lower() == "documentation"), "")
    return found.rstrip("/")


def rule_address(symbol: str) -> str:
    """Where a rule's page of this version is published; "" where none is."""
    return f"{documentation()}/{own_version()}/rules/{symbol}.html" if documentation() else ""
