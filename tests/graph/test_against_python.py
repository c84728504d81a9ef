"""The resolver against Python itself: hierarchies at random, written out as modules, imported and asked."""

from __future__ import annotations

import importlib
import itertools
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.hierarchy import Hierarchy, _merge
from specint.graph.project import ClassNode, Project
from specint.source.folder import FolderTree
from specint.source.tree import Origin, TextTree

MEMBERS = ("alpha", "beta", "gamma", "delta")
WAYS = ("def", "property", "static", "value", "later", "alias")
_names = itertools.count()


@dataclass(frozen=True)
class Drawn:
    """One class: which earlier ones it inherits from, which members it has and how, and in which module it stands."""

    bases: tuple[int, ...]
    members: dict[str, str]
    module: int
    style: str


@st.composite
def hierarchies(draw: st.DrawFn, *, modules: int = 1) -> list[Drawn]:
    found: list[Drawn] = []
    module = 0
    for index in range(draw(st.integers(1, 9))):
        module = draw(st.integers(module, modules - 1))
        bases = draw(st.lists(st.integers(0, index - 1), unique=True, max_size=3)) if index else []
        members = draw(st.dictionaries(st.sampled_from(MEMBERS), st.sampled_from(WAYS)))
        style = draw(st.sampled_from(["from", "import", "as", "star"]))
        found.append(Drawn(tuple(bases), members, module, style))
    return found


def bodies(one: Drawn, index: int) -> tuple[str, str]:
    inside, after = "", ""
    for name, how in one.members.items():
        match how:
            case "def":
                inside += f"    def {name}(self): return {index}\n"
            case "property":
                inside += f"    @property\n    def {name}(self): return {index}\n"
            case "static":
                inside += f"    @staticmethod\n    def {name}(): return {index}\n"
            case "value":
                inside += f"    {name} = {index}\n"
            case "alias":
                inside += f"    def own{index}(self): return {index}\n    {name} = own{index}\n"
            case _:
                after += f"def later{index}_{name}(self): return {index}\nC{index}.{name} = later{index}_{name}\n"
    return inside or "    pass\n", after


def sources(package: str, drawn: list[Drawn]) -> dict[str, str]:
    """The modules as text. A class that Python refuses is left as an empty one under its name plus `_refused`."""
    texts: dict[int, str] = {one.module: "" for one in drawn}
    for index, one in enumerate(drawn):
        spelled = []
        for base in one.bases:
            home = drawn[base].module
            if home == one.module:
                spelled.append(f"C{base}")
                continue
            match one.style:
                case "from":
                    texts[one.module] += f"from {package}.m{home} import C{base}\n"
                    spelled.append(f"C{base}")
                case "as":
                    texts[one.module] += f"from .m{home} import C{base} as B{base}\n"
                    spelled.append(f"B{base}")
                case "star":
                    texts[one.module] += f"from .m{home} import *\n"
                    spelled.append(f"C{base}")
                case _:
                    texts[one.module] += f"import {package}.m{home}\n"
                    spelled.append(f"{package}.m{home}.C{base}")
        inside, after = bodies(one, index)
        texts[one.module] += f"class C{index}({', '.join(spelled)}):\n{inside}{after}"
    return {f"m{number}": text for number, text in texts.items()}


def consistent(drawn: list[Drawn]) -> list[Drawn]:
    """The classes that Python accepts, so that the modules can be imported; bases that are refused are dropped."""
    kinds: list[type] = []
    kept: list[Drawn] = []
    for one in drawn:
        bases = one.bases
        while True:
            try:
                kinds.append(type("C", tuple(kinds[i] for i in bases), {}))
                break
            except TypeError:
                bases = bases[:-1]
        kept.append(Drawn(bases, one.members, one.module, one.style))
    return kept


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 8), unique=True, max_size=4), min_size=1, max_size=10))
def test_order_is_that_of_type_and_refused_where_type_refuses(rows: list[list[int]]) -> None:
    text, kinds = "", {}
    refused: set[int] = set()
    for index, row in enumerate(rows):
        bases = [i for i in row if i < index and i not in refused]
        try:
            kinds[index] = type(f"C{index}", tuple(kinds[i] for i in bases), {})
        except TypeError:
            refused.add(index)
        text += f"class C{index}({', '.join(f'C{i}' for i in bases)}): ...\n"
    tree = TextTree({"pack/m.py": text.encode()}, Origin(version="", source="memory"), "pack")
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")
    hierarchy = Hierarchy(project)
    for index in range(len(rows)):
        node = project.class_by_key(f"pack.m.C{index}")
        assert node is not None
        order = hierarchy.order(node)
        assert bool(order.problem) is (index in refused), text
        if index not in refused:
            assert [n.name for n in order.nodes] == [k.__name__ for k in kinds[index].__mro__[:-1]], text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hierarchies(modules=4))
def test_order_and_providers_are_those_of_the_imported_modules(drawn: list[Drawn]) -> None:
    drawn = consistent(drawn)
    package = f"specint_generated_{next(_names)}"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        texts = sources(package, drawn)
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text)
        kinds = imported(package, scratch, drawn)
        tree = FolderTree(folder, package, Origin(version="", source="disk"))
        project = Project(Loader(tree, Store(None), version="", jobs=1).module, package)
        hierarchy = Hierarchy(project)
        for index, kind in enumerate(kinds):
            node = project.class_by_key(f"{package}.m{drawn[index].module}.C{index}")
            assert node is not None
            ours = [one.key for one in hierarchy.order(node).classes if isinstance(one, ClassNode)]
            assert ours == [f"{k.__module__}.{k.__name__}" for k in kind.__mro__[:-1]], texts
            for member in MEMBERS:
                found = hierarchy.lookup(node, member)
                assert (found is not None) is hasattr(kind, member), (texts, index, member)
                if found is not None:
                    provider = next(k for k in kind.__mro__ if member in vars(k))
                    assert found.owner.key == f"{provider.__module__}.{provider.__name__}", (texts, index, member)


def imported(package: str, path: str, drawn: list[Drawn]) -> list[type]:
    sys.path.insert(0, path)
    importlib.invalidate_caches()
    try:
        return [
            getattr(importlib.import_module(f"{package}.m{one.module}"), f"C{index}") for index, one in enumerate(drawn)
        ]
    finally:
        sys.path.remove(path)
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


@pytest.mark.parametrize("seed", range(5))
def test_merge_of_long_rows_ends(seed: int) -> None:
    rows = [random.Random(seed * 100 + i).sample(range(200), 150) for i in range(30)]
    assert _merge(rows) is None
