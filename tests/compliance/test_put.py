"""What one module registers, asked of the registry itself: classes into the table, packages by name, and its own list.

`-` after the classes: something there could not be read.
"""

from __future__ import annotations

import pytest

from specint.compliance.registry import Registry
from specint.contract.declared import declared
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project
from specint.source.tree import Origin, TextTree

FILES = {
    "pack/registry.py": "class _Registry: ...\nModelRegistry = _Registry()\n",
    "pack/models.py": "class A: ...\nclass B: ...\ndef make(): ...\nEntryClass = [A]\n",
    "plug/__init__.py": "",
    "plug/other.py": "class C: ...\nEntryClass = C\nLISTED = [C]\n",
}
HEAD = (
    "from pack import models, registry\nfrom pack.models import A, B, make\n"
    "from pack.registry import ModelRegistry\nfrom plug import other\n\n"
)
PUT = {
    "ModelRegistry.models['a'] = A": "A",
    "ModelRegistry.models.update({'a': A, 'b': B})": "A B",
    "ModelRegistry.models |= {'a': A}": "A",
    "ModelRegistry.models.setdefault('a', A)": "A",
    "registry.ModelRegistry.models['a'] = A": "A",
    "table = ModelRegistry.models\ntable['a'] = A": "A",
    "one = ModelRegistry\none.models['a'] = A": "A",
    "from pack.registry import ModelRegistry as R\nR.models['a'] = A": "A",
    "def load():\n    ModelRegistry.models['a'] = A": "A",
    "def load():\n    from pack.registry import ModelRegistry as R\n    R.models['a'] = A": "A",
    "for c in (A, B):\n    ModelRegistry.models[c.__name__] = c": "A B",
    "ModelRegistry.models['a'] = 'pack.models:A'": "A",
    "ModelRegistry.models['a'] = [A, B]": "A B",
    "ModelRegistry.models['a'] = make": " -",
    "ModelRegistry.models['a'] = models": " -",
    "ModelRegistry.models['a'] = 1": " -",
    "ModelRegistry.models['a'] = unknown": " -",
    "ModelRegistry.models.update({'a': A, **unknown})": " -",
    "ModelRegistry.other['a'] = A": "",
    "Other.models['a'] = A": "",
    "table = Other.models\ntable['a'] = A": "",
    "ModelRegistry.models.pop('a')": "",
}
PACKAGES = {
    "ModelRegistry.register('plug')": "plug",
    "ModelRegistry.register('plug.' + 'models')": "plug.models",
    "ModelRegistry.register(other)": "plug.other",
    "for name in ('plug', 'pack'):\n    ModelRegistry.register(name)": "plug pack",
    "def load():\n    registry.ModelRegistry.register('plug')": "plug",
    "ModelRegistry.register(A)": " -",
    "ModelRegistry.register(unknown)": " -",
    "ModelRegistry.register()": "",
    "ModelRegistry.forget('plug')": "",
    "Other.register('plug')": "",
}
NAMED = {
    "EntryClass = A": "A",
    "EntryClass = [A, B]": "A B",
    "EntryClass = (A, *other.LISTED)": "A C",
    "EntryClass = None": "",
    "EntryClass = [A]\nEntryClass.append(B)": "A B",
    "EntryClass = [A]\nEntryClass.extend([B])": "A B",
    "EntryClass = [A]\nEntryClass += [B]": "A B",
    "EntryClass = A\nEntryClass = B": "B",
    "EntryClass = A\nif FLAG:\n    EntryClass = B": "A B",
    "globals()['EntryClass'] = A": "A",
    "globals()['Other'] = A": "",
    "from plug.other import EntryClass": "C",
    "from plug.other import C as EntryClass": "C",
    "from plug.nowhere import EntryClass": "",
    "EntryClass = [A, make]": "A -",
    "EntryClass = [A, unknown]": "A -",
    "EntryClass = 'pack.models:A'": "A",
    "Other = A": "",
    "other.EntryClass = A": "",
}


def read(text: str) -> tuple[Registry, object]:
    files = {**FILES, "plug/reg.py": HEAD + text}
    tree = TextTree({name: body.encode() for name, body in files.items()}, Origin(version="", source=""), "pack")
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")
    module = project.module("plug.reg")
    assert module is not None
    return Registry(project, Hierarchy(project), declared().code), module


def told(registry: Registry, names: list[str]) -> str:
    assert all(one.severity == "error" and one.line > HEAD.count("\n") for one in registry.unread)
    return " ".join(names) + (" -" if registry.unread else "")


@pytest.mark.parametrize("text", PUT)
def test_classes_that_are_put_into_the_table(text: str) -> None:
    registry, module = read(text)
    classes, packages = registry.put_by(module)
    assert told(registry, [one.name for one in classes]) == PUT[text]
    assert packages == ()


@pytest.mark.parametrize("text", PACKAGES)
def test_packages_that_are_named(text: str) -> None:
    registry, module = read(text)
    classes, packages = registry.put_by(module)
    assert told(registry, list(packages)) == PACKAGES[text]
    assert classes == ()


@pytest.mark.parametrize("text", NAMED)
def test_classes_that_a_module_names_itself(text: str) -> None:
    registry, module = read(text)
    assert told(registry, [one.name for one in registry.named_by(module)]) == NAMED[text]
