"""The hierarchy and the composition as one networkx graph."""

from __future__ import annotations

import networkx as nx
import pytest

from specint.graph.export import class_graph, only

TEXT = """
from elsewhere import Base
from torch import nn

class Above(nn.Module): ...

class Part(nn.Module): ...

class Other(Above): ...

class Norm(nn.Module): ...

class Model(Above, Base):
    def __init__(self, config):
        super().__init__()
        self.part = Part()
        self.norm = Norm()
        self.again = Part()
        if config.two:
            self.part = Other()
        self.own = Model(config)

    def late(self):
        self.later = Other()
"""


@pytest.fixture
def graph(linked) -> nx.MultiDiGraph:
    tree = linked(m=TEXT)
    return class_graph(tree.project, tree.composition, [tree.node("m.Model")], lambda name: not name.endswith("Norm"))


def edges(graph: nx.MultiDiGraph, kind: str) -> set[tuple[str, str, str]]:
    short = {name: data["name"] for name, data in graph.nodes(data=True)}
    label = "position" if kind == "inherits" else "attribute"
    return {(short[a], str(data[label]), short[b]) for a, b, data in graph.edges(data=True) if data["kind"] == kind}


def test_bases_in_their_order_all_the_way_up(graph) -> None:
    assert edges(graph, "inherits") == {
        ("Model", "0", "Above"),
        ("Model", "1", "Base"),
        ("Above", "0", "Module"),
        ("Part", "0", "Module"),
        ("Other", "0", "Above"),
    }


def test_what_the_constructor_leaves_in_attributes_as_far_as_it_counts(graph) -> None:
    assert edges(graph, "holds") == {("Model", "part", "Part"), ("Model", "part", "Other"), ("Model", "again", "Part")}


def test_edge_says_under_which_condition_and_where(graph) -> None:
    found = {(data["attribute"], b): data for _, b, data in graph.edges(data=True) if data["kind"] == "holds"}
    assert found["part", "pack.m.Other"]["condition"] == "config.two"
    assert found["again", "pack.m.Part"]["condition"] == ""
    assert found["part", "pack.m.Part"]["line"] == TEXT[: TEXT.index("self.part = Part()")].count("\n") + 1


def test_classes_of_the_tree_have_a_place_and_others_have_none(graph) -> None:
    model, base = graph.nodes["pack.m.Model"], graph.nodes["elsewhere.Base"]
    assert (model["inside"], model["file"], model["module"]) == (True, "pack/m.py", "pack.m")
    assert model["line"] == TEXT[: TEXT.index("class Model")].count("\n") + 1
    assert (base["inside"], base["name"], base["module"], base["file"]) == (False, "Base", "elsewhere", "")
    assert graph.graph["package"] == "pack"


def test_edges_of_one_kind_alone_leave_all_classes(graph) -> None:
    held = only(graph, "holds")
    assert set(held.nodes) == set(graph.nodes)
    assert {data["kind"] for _, _, data in held.edges(data=True)} == {"holds"}
    assert held.graph == graph.graph
