"""What a class lacks, for the worker that was chosen among those of its algorithm."""

import pytest

from specint.analysis.model import Analysis
from specint.contract.model import Contract, Requirement, Site
from specint.launch.judging import Judge, lacking, worker_named
from specint.source.tree import Origin

ONE = Site("small/one.py", 10, "One.__init__", ("EAGLE",))
OTHER = Site("small/other.py", 20, "Other.__init__", ("EAGLE",))
HELPER = Site("small/helper.py", 5, "share", ("EAGLE",))
APART = {"small.one.One": ("small/other.py:Other.__init__",), "small.other.Other": ("small/one.py:One.__init__",)}


def asked(*sites, decided_by=None, role="target"):
    requirement = Requirement(
        role=role, member="get_embed", use="call", algorithms=("EAGLE",), strength="required", sites=sites,
        decided_by=decided_by or sites[0],
    )  # fmt: skip
    return Contract(requirements=(requirement,), algorithms=("EAGLE",), apart=APART)


def found(contract, worker="small.one.One", status="missing", side="target"):
    lack = lacking(contract, side, "get_embed", status, "EAGLE", worker)
    return None if lack is None else (lack.status, lack.file, lack.line)


@pytest.mark.parametrize(
    ("contract", "lack"),
    [
        (asked(ONE), ("missing", "small/one.py", 10)),
        (asked(OTHER), None),
        (asked(HELPER, ONE), ("missing", "small/one.py", 10)),
        (asked(HELPER), ("missing", "small/helper.py", 5)),
        (asked(OTHER, HELPER), ("unknown", "small/helper.py", 5)),
        (asked(OTHER, HELPER, decided_by=HELPER), ("missing", "small/helper.py", 5)),
    ],
)
def test_only_what_this_worker_asks_counts(contract, lack):
    assert found(contract) == lack


def test_what_one_worker_does_not_ask_another_does():
    assert found(asked(OTHER), "small.other.Other") == ("missing", "small/other.py", 20)


def test_a_worker_that_shares_its_algorithm_with_none_is_asked_as_the_algorithm():
    assert found(asked(OTHER), "small.alone.Alone") == ("missing", "small/other.py", 20)


def test_what_is_broken_stays_so():
    assert found(asked(OTHER, HELPER), status="broken") == ("broken", "small/helper.py", 5)


def test_a_worker_is_named_by_its_file():
    assert worker_named("One", "small/one.py") == "small.one.One"


@pytest.fixture
def analysed():
    """`analysed`: the classes that an analysis was made for, one entry for each time."""
    return []


def judge(analysed, *, several=False):
    def analyse(only):
        analysed.append(only)
        return Analysis(
            sglang=Origin(version="0", source="a test"), contract=asked(ONE), models=(), findings=(), diagnostics=()
        )

    return Judge(analyse, several)


def test_the_classes_of_one_launch_are_judged_alone_and_once(analysed):
    one = judge(analysed)
    for _ in range(2):
        one.about(["m.Target", "m.Draft"])
    one.about(["m.Target"])
    assert analysed == [("m.Draft", "m.Target")]


def test_a_launch_with_other_classes_has_all_judged(analysed):
    one = judge(analysed)
    for classes in (["m.Target"], ["m.Other"], ["m.Third"]):
        one.about(classes)
    assert analysed == [("m.Target",), ()]


def test_where_many_are_asked_all_are_judged_at_once(analysed):
    one = judge(analysed, several=True)
    one.about(["m.Target"])
    one.about(["m.Other"])
    assert analysed == [()]
    assert one.judged("target", "m.Target", "EAGLE", "small.one.One") is None
