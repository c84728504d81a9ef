from __future__ import annotations

import msgspec

from specint.outputs.github import github
from specint.outputs.outcome import Outcome


def test_what_annotations_leave_out_is_said(outcome: Outcome) -> None:
    many = tuple(msgspec.structs.replace(outcome.findings[0], line=line) for line in range(1, 13))
    assert github(msgspec.structs.replace(outcome, findings=many)).decode().splitlines()[-1] == (
        "GitHub shows 10 annotations of a kind for a step: 2 errors more stand in this log alone."
    )


def test_nothing_is_said_where_all_are_shown(outcome: Outcome) -> None:
    assert "annotations" not in github(outcome).decode()
