"""What calling a member runs, reads and writes, on trees small enough to see through."""

from __future__ import annotations

import pytest

from specint.graph.effects import Effects

MODELS = """
from torch import nn
from pack.routine import embed_and_run

class Layer(nn.Module):
    def forward(self, x):
        return x if self.is_quiet else x + 1

class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(4)])
        self.chosen = []

    def forward(self, ids):
        return self.run(ids)

    def run(self, ids):
        return [i for i in ids if i in self.chosen]

    def choose(self, ids):
        self.chosen = ids
        for one in self.chosen:
            setattr(self.layers[one], "is_chosen", True)

class Head(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.body = Body(config)
        self.on = False

    def forward(self, ids):
        out = embed_and_run(ids, model=self.body)
        return out if self.on else None

    def set_layers(self, layer_ids=None):
        self.on = True
        if layer_ids is None:
            self.body.chosen = [1, 2]
        else:
            made = [i + 1 for i in layer_ids]
            self.body.chosen = made

    def delegate(self, layer_ids):
        if hasattr(self.body, "nowhere"):
            self.body.nowhere = layer_ids
        else:
            self.body.choose(layer_ids)

    def lose(self, layer_ids):
        self.registry.hand_over(layer_ids)

class Child(Head):
    def forward(self, ids):
        return super().forward(ids)
"""
ROUTINE = "def embed_and_run(ids, model):\n    return model(ids)\n"


@pytest.fixture
def small(linked):
    tree = linked(models=MODELS, routine=ROUTINE)

    def has(node, name: str) -> bool:
        return tree.hierarchy.lookup(node, name) is not None or name in tree.composition.assignments(node)

    return tree, Effects(tree.composition, has)


def ran(small, name: str, member: str, **options) -> list[str]:
    tree, flow = small
    return [run.function.facts.qualname for run in flow.runs(tree.node(name), member, **options)]


def written(small, name: str, member: str) -> set[tuple[str, bool]]:
    tree, flow = small
    return {(write.target, write.carries) for write in flow.writes(tree.node(name), member)}


def test_forward_is_followed_through_super_a_function_and_the_inner_model(small) -> None:
    names = ran(small, "models.Child", "forward")
    assert names == ["Child.forward", "Head.forward", "embed_and_run", "Body.forward", "Body.run"]


def test_inner_objects_can_be_left_out(small) -> None:
    assert ran(small, "models.Head", "forward", within=()) == ["Head.forward", "embed_and_run"]


def test_a_missing_member_runs_nothing(small) -> None:
    assert ran(small, "models.Head", "nothing") == []


def test_writes_say_whether_they_carry_the_argument(small) -> None:
    assert written(small, "models.Head", "set_layers") == {
        ("self.on", False),
        ("self.body.chosen", False),
        ("self.body.chosen", True),
    }


def test_writes_of_an_inner_method_name_the_object_they_are_on(small) -> None:
    tree, flow = small
    found = {w.attribute: w for w in flow.writes(tree.node("models.Head"), "delegate")}
    assert [held.path for held in found["chosen"].holders] == [("body",)]
    assert found["chosen"].carries
    assert found["is_chosen"].carries, "which layer is written depends on the argument"
    assert found["is_chosen"].holders == (), "a list of modules is not followed"


def test_a_branch_that_hasattr_rules_out_is_left_out(small) -> None:
    assert "self.body.nowhere" not in {target for target, _ in written(small, "models.Head", "delegate")}


def test_what_goes_where_nobody_can_follow_is_lost(small) -> None:
    tree, flow = small
    assert flow.lost(tree.node("models.Head"), "lose")
    assert not flow.lost(tree.node("models.Head"), "set_layers")
    assert not flow.lost(tree.node("models.Head"), "delegate")


def test_names_read_by_the_parts_of_an_object(small) -> None:
    tree, flow = small
    place = flow.read_by_parts(tree.node("models.Body"), "is_quiet")
    assert place is not None
    assert place.function.facts.qualname == "Layer.forward"
    assert flow.read_by_parts(tree.node("models.Body"), "is_chosen") is None
