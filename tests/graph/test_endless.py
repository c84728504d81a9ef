"""Evaluations that would go on and on: given up after a bound, unknown with the reason, and said with their place."""

from __future__ import annotations

import pytest

from specint.depth import room_to_recurse
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph import evaluation
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project
from specint.source.tree import Origin, TextTree

NAMES = ", ".join(f"p{i}" for i in range(8))
ROTATED = "".join(f"class L{i}: pass\n" for i in range(8)) + (
    f"def f({NAMES}):\n    if a: return p0()\n    if b: return f(p1, p2, p3, p4, p5, p6, p7, p0)\n"
    "    return f(p1, p0, p2, p3, p4, p5, p6, p7)\n"
)


def composed(text: str) -> tuple[Project, Composition]:
    tree = TextTree({"acme/m.py": text.encode()}, Origin(version="1", source="test"))
    project = Project(Loader(tree, Store(None), version="test", jobs=1).module, "acme")
    return project, Composition(project, Hierarchy(project))


def test_what_never_ends_is_unknown_with_the_reason_and_the_rest_is_known() -> None:
    init = (
        "    def __init__(self):\n        self.model = f(L0, L1, L2, L3, L4, L5, L6, L7)\n        self.other = L0()\n"
    )
    project, composition = composed(f"{ROTATED}class A:\n{init}")
    composition.evaluator._bound = 2_000
    node = project.class_by_key("acme.m.A")
    assert node is not None
    with room_to_recurse():
        held = composition.assignments(node)
    assert [value.node.name for one in held["other"] for value in one.values] == ["L0"]
    assert "more than 2,000 steps" in str([value for one in held["model"] for value in one.values])
    assert list(project.exhausted) == [("acme/m.py", 9)]


def test_many_that_never_end_cost_less_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "FEWEST_EVALUATIONS", 500)
    asked = "".join(
        f"class A{i}:\n    def __init__(self):\n        self.model = f{i}(L0, L1, L2, L3, L4, L5, L6, L7)\n"
        for i in range(6)
    )
    functions = "".join(ROTATED[ROTATED.index("def f") :].replace("f(", f"f{i}(") for i in range(6))
    project, composition = composed(ROTATED[: ROTATED.index("def f")] + functions + asked)
    composition.evaluator._bound = 4_000
    for number in range(6):
        node = project.class_by_key(f"acme.m.A{number}")
        assert node is not None
        with room_to_recurse():
            assert all(one.values for one in composition.assigned(node, "model"))
    assert list(project.exhausted.values()) == [4_000, 2_000, 1_000, 500, 500, 500]
