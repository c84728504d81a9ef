"""Small trees written into the tests: modules by name, linked."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.project import ClassNode, Project
from specint.source.tree import Origin, TextTree


@dataclass
class Linked:
    """A tree that stands in a test. A class is named `module.Class`, without the package."""

    project: Project
    hierarchy: Hierarchy
    composition: Composition

    def node(self, name: str) -> ClassNode:
        found = self.project.class_by_key(f"pack.{name}")
        assert found is not None, name
        return found

    def order(self, name: str) -> list[str]:
        """The resolution order, names without the package."""
        classes = self.hierarchy.order(self.node(name)).classes
        return [(getattr(one, "key", None) or one.name).removeprefix("pack.") for one in classes]

    def member(self, name: str, attribute: str) -> Member | None:
        return self.hierarchy.lookup(self.node(name), attribute)

    def provider(self, name: str, attribute: str) -> str | None:
        member = self.member(name, attribute)
        return member.owner.key.removeprefix("pack.") if member is not None else None

    def holds(self, name: str, attribute: str) -> dict[str, str]:
        """What an attribute can be an object of, each class with the condition under which."""
        assignments = self.composition.assignments(self.node(name)).get(attribute, [])
        return {node.key.removeprefix("pack."): one.condition for one in assignments for node in one.classes}


@pytest.fixture(scope="session", name="linked_for_all")
def linked_once() -> Callable[..., Linked]:
    """`linked`, for what a whole table of cases asks."""
    return link


@pytest.fixture
def linked() -> Callable[..., Linked]:
    """`linked(a="class A: ...", b=...)`: the modules `pack.a` and `pack.b`; `**{"sub/c": …}` is `pack.sub.c`."""
    return link


def link(**modules: str) -> Linked:
    contents = {f"pack/{name}.py": textwrap.dedent(text).encode() for name, text in modules.items()}
    tree = TextTree(contents, Origin(version="", source="memory"), "pack")
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")
    hierarchy = Hierarchy(project)
    return Linked(project, hierarchy, Composition(project, hierarchy))
