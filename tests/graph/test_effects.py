"""What calling a member runs, reads and writes, on trees small enough to see through."""

from __future__ import annotations

import textwrap

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


# -- as tables: one body a case, of a model that holds an inner one ---------------------------------------------------

TABLE_HEAD = """
import functools
from torch import nn
from pack.routine import run_it, keep_it, lose_it

class Base(nn.Module):
    def forward(self, x):
        self.in_base = x
        return x

    def above(self, x):
        self.in_above = x

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []

    def forward(self, x):
        return x

    def take(self, x):
        self.taken = x

    @property
    def deep(self):
        return self

class Model(Base):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.kept = []
        self.table = {}

    @property
    def core(self):
        return self.inner

    def get_inner(self):
        return self.inner

    def own(self, x):
        self.in_own = x

    @staticmethod
    def static(x):
        return x

    @classmethod
    def of_class(cls, x):
        return x

    def go(self, x, y=None):
"""
TABLE_ROUTINE = """
def run_it(model, x):
    return model(x)

def keep_it(model, x):
    model.routed = x

def lose_it(x):
    return x
"""


@pytest.fixture
def model(linked):
    """`model(body)`: the effects of `Model.go` with this body, and the class."""

    def of(body: str):
        tree = linked(m=TABLE_HEAD + textwrap.indent(textwrap.dedent(body), "        ") + "\n", routine=TABLE_ROUTINE)

        def has(node, name: str) -> bool:
            return tree.hierarchy.lookup(node, name) is not None or name in tree.composition.assignments(node)

        return Effects(tree.composition, has), tree.node("m.Model")

    return of


RUNS = {
    "nothing": ("return x", []),
    "a method of its own": ("self.own(x)", ["Model.own"]),
    "the inner model, called": ("return self.inner(x)", ["Inner.forward"]),
    "the inner model's forward": ("return self.inner.forward(x)", ["Inner.forward"]),
    "the inner model by a name": ("m = self.inner\nreturn m(x)", ["Inner.forward"]),
    "the inner model by a property": ("return self.core(x)", ["Inner.forward", "Model.core"]),
    "the inner model by an accessor": ("return self.get_inner()(x)", ["Inner.forward", "Model.get_inner"]),
    "the inner model by two properties": ("return self.core.deep(x)", ["Inner.deep", "Inner.forward", "Model.core"]),
    "the inner model by getattr": ("return getattr(self, 'inner')(x)", ["Inner.forward"]),
    "either of two": ("m = self.inner if y else self\nm.take(x)", ["Inner.take"]),
    "or": ("(y or self.inner).take(x)", ["Inner.take"]),
    "super": ("super().above(x)", ["Base.above"]),
    "super with a class": ("super(Model, self).above(x)", ["Base.above"]),
    "a base's function, with self": ("Base.forward(self, x)", ["Base.forward"]),
    "a base's function, with something else": ("Base.forward(y, x)", []),
    "an inherited method": ("self.above(x)", ["Base.above"]),
    "a static method": ("self.static(x)", ["Model.static"]),
    "a class method": ("self.of_class(x)", ["Model.of_class"]),
    "a function that runs it": ("run_it(self.inner, x)", ["Inner.forward", "run_it"]),
    "a function that runs it, by keyword": ("run_it(x=x, model=self.inner)", ["Inner.forward", "run_it"]),
    "a property that is read": ("return self.core", ["Model.core"]),
    "a method that is only named": ("return self.own", []),
    "in a test": ("if self.inner(x):\n    pass", ["Inner.forward"]),
    "in a loop's head": ("for i in self.inner(x):\n    pass", ["Inner.forward"]),
    "in a comprehension": ("return [self.inner(i) for i in x]", ["Inner.forward"]),
    "in an argument": ("print(self.inner(x))", ["Inner.forward"]),
    "in a with": ("with self.inner(x):\n    pass", ["Inner.forward"]),
    "behind hasattr that holds": ("if hasattr(self.inner, 'take'):\n    self.inner.take(x)", ["Inner.take"]),
    "behind hasattr that fails": ("if hasattr(self.inner, 'nothing'):\n    self.inner.take(x)", []),
    "behind a negated hasattr": ("if not hasattr(self.inner, 'nothing'):\n    self.inner.take(x)", ["Inner.take"]),
    "in the else of hasattr that holds": ("if hasattr(self, 'inner'):\n    pass\nelse:\n    self.own(x)", []),
    "behind two, one of which fails": (
        "if hasattr(self, 'inner') and hasattr(self, 'nothing'):\n    self.own(x)",
        [],
    ),
    "behind either of two": ("if hasattr(self, 'nothing') or hasattr(self, 'inner'):\n    self.own(x)", ["Model.own"]),
    "behind hasattr and something else": ("if y and hasattr(self, 'nothing'):\n    self.own(x)", []),
    "behind hasattr or something else": ("if y or hasattr(self, 'nothing'):\n    self.own(x)", ["Model.own"]),
    "behind a return on hasattr": ("if hasattr(self, 'inner'):\n    return\nself.own(x)", []),
    "itself": ("self.go(x)", []),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs(model, name: str) -> None:
    body, expected = RUNS[name]
    flow, node = model(body)
    ran = [run.function.facts.qualname for run in flow.runs(node, "go")]
    assert ran[0] == "Model.go"
    assert sorted(ran[1:]) == expected


# The attributes that are written, each with whether what the caller handed over decides about it.
WRITES = {
    "an attribute": ("self.a = x", {("self.a", True)}),
    "a constant": ("self.a = True", {("self.a", False)}),
    "something made of it": ("self.a = [i + 1 for i in x]", {("self.a", True)}),
    "something made of a name for it": ("made = x or []\nself.a = made", {("self.a", True)}),
    "through three names": ("b = x\nc = b\nd = c\nself.a = d", {("self.a", True)}),
    "a default that is handed over": ("self.a = y", {("self.a", True)}),
    "of the inner model": ("self.inner.a = x", {("self.inner.a", True)}),
    "of the inner model by a name": ("m = self.inner\nm.a = x", {("m.a", True)}),
    "in a method of its own": ("self.own(x)", {("self.in_own", True)}),
    "in a method of its own, not handed on": ("self.own(1)", {("self.in_own", False)}),
    "in a method of the inner model": ("self.inner.take(x)", {("self.taken", True)}),
    "in a base": ("Base.forward(self, x)", {("self.in_base", True)}),
    "in a function": ("keep_it(self.inner, x)", {("model.routed", True)}),
    "two at once": ("self.a, self.b = x, 1", {("self.a", True), ("self.b", False)}),
    "a pair of it": ("self.a, self.b = x", {("self.a", True), ("self.b", True)}),
    "an item": ("self.table[0] = x", {("self.table", True)}),
    "an item that it chooses": ("self.layers[x].on = True", {("self.layers[x].on", True)}),
    "append": ("self.kept.append(x)", {("self.kept", True)}),
    "extend": ("self.kept.extend(x)", {("self.kept", True)}),
    "insert": ("self.kept.insert(0, x)", {("self.kept", True)}),
    "add": ("self.kept.add(x)", {("self.kept", True)}),
    "update": ("self.table.update(x)", {("self.table", True)}),
    "copy_": ("self.kept.copy_(x)", {("self.kept", True)}),
    "another method of a container": ("self.kept.index(x)", set()),
    "augmented": ("self.a += x", {("self.a", True)}),
    "setattr": ("setattr(self, 'a', x)", {("self.a", True)}),
    "setattr of the inner model": ("setattr(self.inner, 'a', x)", {("self.inner.a", True)}),
    "in a loop over it": ("for i in x:\n    self.a = i", {("self.a", True)}),
    "in a branch": ("if x:\n    self.a = 1", {("self.a", False)}),
    "a local name": ("a = x", set()),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes(model, name: str) -> None:
    body, expected = WRITES[name]
    flow, node = model(body)
    assert {(write.target, write.carries) for write in flow.writes(node, "go")} == expected


HOLDERS = {
    "self.a = x": [()],
    "self.inner.a = x": [("inner",)],
    "self.core.a = x": [("inner",)],
    "self.get_inner().a = x": [],
    "m = self.inner\nm.a = x": [("inner",)],
    "(self.inner if y else self).a = x": [("inner",), ()],
    "self.inner.take(x)": [("inner",)],
    "keep_it(self.inner, x)": [("inner",)],
    "self.layers[0].a = x": [],
    "y.a = x": [],
}


@pytest.mark.parametrize("body", HOLDERS)
def test_objects_that_are_written_on(model, body: str) -> None:
    flow, node = model(body)
    writes = flow.writes(node, "go")
    assert [held.path for write in writes for held in write.holders] == HOLDERS[body]


LOST = {
    "kept": ("self.a = x", False),
    "handed to a method that is followed": ("self.own(x)", False),
    "handed to a method that nobody knows": ("self.registry.tell(x)", True),
    "something made of it": ("made = [x]\nself.registry.tell(made)", True),
    "by keyword": ("self.registry.tell(layers=x)", True),
    "something else": ("self.registry.tell(1)", False),
    "handed to a builtin": ("self.a = sorted(x)", False),
    "written to a log": ("logger.info(x)", False),
    "appended": ("self.kept.append(x)", False),
    "handed to a function that is followed": ("keep_it(self.inner, x)", False),
    "handed to a class": ("self.a = Outside(x)", True),
}


@pytest.mark.parametrize("name", LOST)
def test_lost(model, name: str) -> None:
    body, expected = LOST[name]
    flow, node = model(body)
    assert flow.lost(node, "go") is expected


READS = {
    "an attribute": ("return self.a", {("a", False)}),
    "in a test": ("if self.a:\n    pass", {("a", False)}),
    "by getattr": ("return getattr(self, 'a', None)", {("a", True)}),
    "by hasattr": ("return hasattr(self, 'a')", {("a", True)}),
    "of another object": ("return y.a", set()),
    "what is written is not read": ("self.a = 1", set()),
    "what is augmented": ("self.a += 1", {("a", False)}),
    "what a write goes through": ("self.a.b = 1", {("a", False)}),
    "in an index": ("self.table[self.a] = 1", {("a", False), ("table", False)}),
    "what is deleted": ("del self.a.weight", {("a", False)}),
}


@pytest.mark.parametrize("name", READS)
def test_reads_of_its_own(model, name: str) -> None:
    body, expected = READS[name]
    flow, node = model(body)
    run = next(flow.runs(node, "go"))
    assert {(read.attribute, read.soft) for read in flow.own_reads(run)} == expected
