"""Models that a user's own modules register, in every form that a person writes; what can't be read has its line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import specint
from specint.analysis.model import Analysis
from specint.errors import SpecintError

HEAD = """\
import importlib
from torch import nn
from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.models.registry import ModelRegistry

class A(OakForCausalLM):
    pass

class B(OakForCausalLM):
    pass

"""
READ: dict[str, tuple[str, set[str]]] = {
    "entry": ('ModelRegistry.models["A"] = A', {"A"}),
    "in a function": ('def register():\n    ModelRegistry.models["A"] = A', {"A"}),
    "imported under another name": (
        'from sglang.srt.models.registry import ModelRegistry as R\nR.models["A"] = A',
        {"A"},
    ),
    "imported in the function": (
        'def register():\n    from sglang.srt.models.registry import ModelRegistry as here\n    here.models["A"] = A',
        {"A"},
    ),
    "by the module": ('import sglang.srt.models.registry as reg\nreg.ModelRegistry.models["A"] = A', {"A"}),
    "another name for it": ('known = ModelRegistry\nknown.models["A"] = A', {"A"}),
    "another name for the table": ('table = ModelRegistry.models\ntable["A"] = A', {"A"}),
    "update": ('ModelRegistry.models.update({"A": A, "B": B})', {"A", "B"}),
    "update with pairs": ('ModelRegistry.models.update([("A", A), ("B", B)])', {"A", "B"}),
    "update with a tuple of lists": ('ModelRegistry.models.update((["A", A], ["B", B]))', {"A", "B"}),
    "update with pairs by name": ('one = ("A", A)\nModelRegistry.models.update([one, ("B", B)])', {"A", "B"}),
    "update with pairs in a name": ('OWN = [("A", A), ("B", B)]\nModelRegistry.models.update(OWN)', {"A", "B"}),
    "update with pairs of a dict": ('ModelRegistry.models.update(dict([("A", A), ("B", B)]))', {"A", "B"}),
    "pairs by |=": ('ModelRegistry.models |= [("A", A), ("B", B)]', {"A", "B"}),
    "a loop over pairs that are put one by one": (
        'for pair in (("A", A), ("B", B)):\n    ModelRegistry.models.update([pair])',
        {"A", "B"},
    ),
    "update with names": ("ModelRegistry.models.update(A=A, B=B)", {"A", "B"}),
    "update with a table": ('OWN = {"A": A}\nOWN["B"] = B\nModelRegistry.models.update(OWN)', {"A", "B"}),
    "update with what a function gives": (
        'def own():\n    return {"A": A}\nModelRegistry.models.update(own())',
        {"A"},
    ),
    "update with a comprehension": ("ModelRegistry.models.update({c.__name__: c for c in (A, B)})", {"A", "B"}),
    "setdefault": ('ModelRegistry.models.setdefault("A", A)', {"A"}),
    "joined": ('ModelRegistry.models |= {"A": A}', {"A"}),
    "replaced": ('ModelRegistry.models = {**{}, "A": A}', {"A"}),
    "loop over classes": ("for cls in (A, B):\n    ModelRegistry.models[cls.__name__] = cls", {"A", "B"}),
    "loop over a named list": (
        "OWN = [A, B]\nfor cls in OWN:\n    ModelRegistry.models[cls.__name__] = cls",
        {"A", "B"},
    ),
    "loop over pairs": ('for name, cls in {"A": A}.items():\n    ModelRegistry.models[name] = cls', {"A"}),
    "texts in the table": ('ModelRegistry.models["A"] = "mine.m:A"', {"A"}),
    "table of texts": (
        'TABLE = {"A": "mine.m:A", "B": "mine.m:B"}\n'
        "for name, path in TABLE.items():\n"
        '    module, _, attribute = path.partition(":")\n'
        "    ModelRegistry.models[name] = getattr(importlib.import_module(module), attribute)",
        {"A", "B"},
    ),
    "table of texts, split": (
        'TABLE = ["mine.m.A", "mine.m.B"]\n'
        "def register():\n"
        "    for path in TABLE:\n"
        '        module, name = path.rsplit(".", 1)\n'
        "        cls = getattr(importlib.import_module(module), name)\n"
        "        ModelRegistry.models[cls.__name__] = cls",
        {"A", "B"},
    ),
    "by a function of one's own": (
        "def add(cls):\n    ModelRegistry.models[cls.__name__] = cls\nadd(A)\nadd(cls=B)",
        {"A", "B"},
    ),
    "by a decorator": (
        "def add(cls):\n    ModelRegistry.models[cls.__name__] = cls\n    return cls\n"
        "@add\nclass C(OakForCausalLM):\n    pass",
        {"C"},
    ),
    "by a decorator with a name": (
        "def add(name):\n    def put(cls):\n        ModelRegistry.models[name] = cls\n        return cls\n"
        "    return put\n"
        '@add("C")\nclass C(OakForCausalLM):\n    pass',
        {"C"},
    ),
    "a package": ('ModelRegistry.register("mine.more")', {"D"}),
    "a package, under another name": ('R = ModelRegistry\nNAME = "mine.more"\nR.register(NAME)', {"D"}),
    "EntryClass in a loop": ("EntryClass = []\nfor cls in (A, B):\n    EntryClass.append(cls)", {"A", "B"}),
    "EntryClass by insert": ("EntryClass = []\nEntryClass.insert(0, A)", {"A"}),
    "EntryClass of a table": ('OWN = {"a": A, "b": B}\nEntryClass = list(OWN.values())', {"A", "B"}),
    "EntryClass of a comprehension": ("EntryClass = [cls for cls in (A, B)]", {"A", "B"}),
    "EntryClass of globals": ('globals()["EntryClass"] = [A]', {"A"}),
    "EntryClass as a sum": ("EntryClass = [A] + [B]", {"A", "B"}),
    "names of the module": (
        "for name in ('A', 'B'):\n    ModelRegistry.models[name] = globals()[name]",
        {"A", "B"},
    ),
    "attributes of the module": (
        "import sys\nfor name in ('A',):\n    ModelRegistry.models[name] = getattr(sys.modules[__name__], name)",
        {"A"},
    ),
    "its own package": ("ModelRegistry.register(__package__ + '.more')", {"D"}),
    "its own package, in a text": ("ModelRegistry.register(f'{__package__}.more')", {"D"}),
    "paths put together": (
        "for name in ('A', 'B'):\n    ModelRegistry.models[name] = f'{__name__}:{name}'",
        {"A", "B"},
    ),
    "pairs": ("ModelRegistry.models.update(zip(['A', 'B'], [A, B]))", {"A", "B"}),
    "__setitem__": ("ModelRegistry.models.__setitem__('A', A)", {"A"}),
    "classes made by type": (
        'EntryClass = []\nfor name in ("X", "Y"):\n    EntryClass.append(type(name, (A,), {}))',
        {"A"},
    ),
}
UNREAD: dict[str, str] = {
    "what a library gives": 'import elsewhere\nModelRegistry.models["A"] = elsewhere.make()',
    "what the environment says": 'import os\nModelRegistry.models["A"] = os.environ["MODEL"]',
    "a loop over files": (
        'from pathlib import Path\nfor file in Path("models").glob("*.py"):\n'
        "    ModelRegistry.models[file.stem] = getattr(importlib.import_module(file.stem), file.stem)"
    ),
    "a module that isn't there": 'ModelRegistry.models["A"] = "mine.gone:A"',
    "a class made with members": 'EntryClass = type("X", (A,), {"lm_head": None})',
    "a function": "def build():\n    return 1\nEntryClass = build",
    "a number": "EntryClass = [A, 3]",
    "a package of unknown name": 'import os\nModelRegistry.register(os.environ["PACKAGE"])',
    "a loop without end": "while True:\n    ModelRegistry.models[str(id(A))] = A",
}


@pytest.fixture
def project(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "sglang")
    more = tmp_path / "mine/more"
    more.mkdir(parents=True)
    (tmp_path / "mine/__init__.py").touch()
    (more / "__init__.py").touch()
    (more / "d.py").write_text(HEAD + "class D(OakForCausalLM):\n    pass\nEntryClass = D\n")
    return tmp_path


def analysis_of(project: Path, text: str, **options: object) -> Analysis:
    (project / "mine/m.py").write_text(HEAD + text + "\n")
    return specint.analyze(project / "sglang", models=[project / "mine/m.py"], cache=False, jobs=1, **options).analysis  # type: ignore[arg-type]


def own(analysis: Analysis) -> set[str]:
    return {model.name for model in analysis.models if model.class_.startswith("mine.")}


@pytest.mark.parametrize("form", READ)
def test_registration_is_read(project: Path, form: str) -> None:
    text, expected = READ[form]
    analysis = analysis_of(project, text)
    assert own(analysis) == expected
    assert [str(one) for one in analysis.diagnostics] == []


@pytest.mark.parametrize("form", UNREAD)
def test_what_cant_be_read_is_an_error_with_its_line(project: Path, form: str) -> None:
    text = UNREAD[form]
    (trouble, *_) = analysis_of(project, text).diagnostics
    assert (trouble.file, trouble.severity) == ("mine/m.py", "error")
    line = (HEAD + text).splitlines()[trouble.line - 1]
    assert "ModelRegistry" in line or "EntryClass" in line


@pytest.mark.parametrize(
    "text",
    [
        "class C:\n    pass\nEntryClass = C",
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n    name: str = ''\nEntryClass = C",
        "import enum\nclass C(enum.Enum):\n    X = 1\nEntryClass = C",
        "from pydantic import BaseModel\nclass C(BaseModel):\n    name: str = 'x'\nEntryClass = [C]",
        "from transformers import PretrainedConfig\nclass C(PretrainedConfig):\n    model_type = 'x'\nEntryClass = C",
    ],
)
def test_registered_class_that_nothing_can_run_is_no_model(project: Path, text: str) -> None:
    analysis = analysis_of(project, text)
    assert own(analysis) == set()
    assert ["C is registered and is no model" in one.what for one in analysis.diagnostics] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "class C(nn.Module):\n    pass\nEntryClass = C",
        "class C:\n    def forward(self, input_ids):\n        pass\nEntryClass = C",
        "class C:\n    def __new__(cls, config):\n        return A(config)\nEntryClass = C",
        "from transformers import PreTrainedModel\nclass C(PreTrainedModel):\n    pass\nEntryClass = C",
        "import other\nclass C(other.Base):\n    def forward(self):\n        pass\nEntryClass = C",
    ],
)
def test_registered_class_that_may_be_run_is_a_model(project: Path, text: str) -> None:
    assert own(analysis_of(project, text)) == {"C"}


@pytest.mark.parametrize("name", ["A", "mine.m.A"])
def test_class_that_somebody_asks_about_is_judged_unregistered(project: Path, name: str) -> None:
    from specint.config import Config, Demand

    config = Config(folder=project, require=(Demand(name, "EAGLE"),))
    assert own(analysis_of(project, "", config=config)) == {"A"}
    assert own(analysis_of(project, "", config=Config(folder=project))) == set()


@pytest.mark.parametrize("metadata", ["pyproject.toml", "setup.cfg"])
@pytest.mark.parametrize("module", ["mine/plugin.py", "src/mine_plugin/plugin.py"])
def test_entry_points_of_the_project_register(project: Path, metadata: str, module: str) -> None:
    name = module.removeprefix("src/").removesuffix(".py").replace("/", ".")
    text = {
        "pyproject.toml": f'[project.entry-points."sglang.srt.plugins"]\nmine = "{name}:register"\n',
        "setup.cfg": f"[options.entry_points]\nsglang.srt.plugins =\n    mine = {name}:register\n",
    }[metadata]
    (project / metadata).write_text(text)
    (project / module).parent.mkdir(parents=True, exist_ok=True)
    (project / module).parent.joinpath("__init__.py").touch()
    (project / module).write_text(
        "def register():\n    from sglang.srt.models.registry import ModelRegistry\n    from mine.m import A\n"
        "    ModelRegistry.models['A'] = A\n"
    )
    assert own(analysis_of(project, "")) == {"A"}


GIVEN = {
    "in the module": "OakForCausalLM.own_hook = give",
    "to a base of it": "from sglang.srt.models.oak import OakForCausalLM as Oak\nOak.own_hook = give",
    "by setattr": 'setattr(A, "own_hook", give)',
    "in a function": "def install():\n    A.own_hook = give",
    "in a loop": "for cls in (A, B):\n    cls.own_hook = give",
    "by setattr with names of a loop": "for name in ('own_hook', 'other'):\n    setattr(A, name, give)",
    "a lambda": "A.own_hook = lambda self: 1",
    "from a list": "OWN = [A]\nfor one in OWN:\n    one.own_hook = give",
}


@pytest.mark.parametrize("form", GIVEN)
def test_hook_that_a_plugin_puts_onto_a_class_counts(project: Path, form: str) -> None:
    worker = project / "worker.py"
    worker.write_text(
        "from sglang.srt.managers.tp_worker import TpModelWorker\n"
        "from sglang.srt.speculative.spec_info import SpeculativeAlgorithm\n"
        '@SpeculativeAlgorithm.register("OWNALGO")\n'
        "class OwnWorker:\n    def __init__(self, server_args, gpu_id, target_worker: TpModelWorker):\n"
        "        target_worker.model_runner.model.own_hook()\n"
    )
    give = "def give(self):\n    return 1\n"
    for text, verdict in ((give + GIVEN[form], "ok"), (give, "missing")):
        analysis = analysis_of(project, f"{text}\nEntryClass = A", callers=[worker])
        (model,) = (one for one in analysis.models if one.name == "A")
        assert model.algorithms["OWNALGO"].verdict == verdict


def test_no_model_at_all_is_an_error(project: Path) -> None:
    for file in (project / "sglang/srt/models").glob("*.py"):
        file.write_text("")
    with pytest.raises(SpecintError, match="no model names itself in EntryClass"):
        analysis_of(project, "")
