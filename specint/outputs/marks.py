"""Where in its line a finding is: what carets stand under, and what an editor underlines."""

from __future__ import annotations

import re

from specint.checks.finding import Finding


def marked(finding: Finding, line: str) -> tuple[int, int]:
    """The columns of the name that a finding is about, else from its own column to the end of what is written there."""
    for name in (finding.class_.rpartition(".")[2], finding.member):
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) if name else None
        if found:
            return found.span()
    end = len(line.rstrip())
    start = len(line) - len(line.lstrip())
    return min(max(start, finding.column), end), end
