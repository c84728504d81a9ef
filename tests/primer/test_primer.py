"""Every rule over pinned releases, compared with what is stored: a change of a rule shows as a difference to be read.

`make primer` runs these alone, `make primer UPDATE=1` writes the stored lists anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.contract.model import Requirement
from specint.facts.store import Store
from specint.outputs.contract_text import shape
from specint.pipeline import analyze
from specint.source.locate import open_tree

pytestmark = pytest.mark.release

# Each brought something that the one before didn't have: plain workers (0.4), the first wrappers' hooks, algorithms
# that are registered by call (0.5.5), a worker behind a server's setting (0.5.7), overlap workers, DFLASH, the split of
# the runner (0.5.23).
RELEASES = ("0.4.6", "0.5.2", "0.5.5", "0.5.7", "0.5.9", "0.5.12", "0.5.15", "0.5.23")


@pytest.mark.parametrize("version", RELEASES)
def test_what_is_said_of_a_release(
    version: str, release: Callable[[str], Path], golden: Callable[[str, bytes], None]
) -> None:
    analysis = analyze(open_tree(str(release(version))), store=Store(None))
    assert not analysis.diagnostics
    golden(f"{version}.txt", ("\n".join(described(analysis)) + "\n").encode())


def described(analysis: Analysis) -> Iterator[str]:
    """The contract, the verdicts by algorithm, and every finding, a line each."""
    yield "# what workers ask for"
    yield from map(asked, analysis.contract.requirements)
    yield ""
    yield "# how many models have which verdict"
    verdicts = Counter((name, one.verdict) for model in analysis.models for name, one in model.algorithms.items())
    yield from (f"{algorithm}: {verdict} {count}" for (algorithm, verdict), count in sorted(verdicts.items()))
    yield ""
    yield "# what is found"
    for finding in sorted(analysis.findings, key=lambda one: (one.id, one.file, one.line, one.member, one.message)):
        yield f"{finding.id} {finding.file.removeprefix('sglang/srt/')}:{finding.line} {finding.message}"


def asked(requirement: Requirement) -> str:
    names = {site.function for site in requirement.sites}
    return (
        f"{requirement.role} {requirement.member}{shape(requirement.call)} {requirement.use} {requirement.strength} "
        f"({', '.join(requirement.algorithms)}) in {', '.join(sorted(names))}"
    )
