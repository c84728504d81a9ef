"""What a launch leaves behind, in a small SGLang of ours: kept when the evaluation goes back to its start."""

import json

import pytest

from specint.errors import SpecintError
from specint.launch.answer import Workbench, document
from specint.launch.command import Command
from specint.launch.machine import machine_named
from specint.launch.setting import Setting
from specint.source.tree import Origin, TextTree

SMALL = {
    "srt/server_args": """
import argparse
import dataclasses

FIELDS = [f"field_{n}" for n in range(50)]

class Phase:
    most = None

    def __repr__(self):
        return f"Phase({self.most})"

@dataclasses.dataclass
class ServerArgs:
    model_path: str = ""
    speculative_algorithm: str | None = None
    sizes: list | None = None
    table: dict | None = None
    phase: object = None
    """
    + "\n    ".join(f"field_{n}: int = 0" for n in range(50))
    + """

    def __post_init__(self):
        self.sizes = []
        for n in range(3):
            self.sizes.append(n)
        self.table = {"a": 1}
        self.table["b"] = [2]
        self.phase = Phase()
        self.phase.most = 1
        self.phase.most = 256

    def check_server_args(self):
        pass

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path")
        parser.add_argument("--sizes", nargs="+", type=int)
        parser.add_argument("--table")
        parser.add_argument("--phase")

def prepare_server_args(argv):
    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    given = parser.parse_args(argv)
    return ServerArgs(**vars(given))
""",
    "srt/configs/model_config": """
class ModelConfig:
    @classmethod
    def from_server_args(cls, args, model_path=None, model_revision=None, is_draft_model=False):
        raise ValueError("no model")
""",
    "srt/speculative/spec_info": """
class SpeculativeAlgorithm:
    @classmethod
    def from_string(cls, text):
        return cls()

    def is_none(self):
        return True
""",
    "srt/model_loader/utils": "",
}


@pytest.fixture
def bench():
    texts = {f"sglang/{name}.py": text.encode() for name, text in SMALL.items()}
    tree = TextTree({"sglang/__init__.py": b"", **texts}, Origin(version="0", source="a test"), "sglang")
    return Workbench(Setting(tree, dict, None), machine_named("h200"))


VALUES = {"sizes": [0, 1, 2], "table": {"a": 1, "b": [2]}, "phase": "Phase(256)"}


def test_values_that_are_built_step_by_step_are_those_of_the_launch_also_for_later_ones(bench):
    command = Command(("--model-path", "x"))
    answers = [bench.answer(command)]
    bench.prepare()
    answers += [bench.answer(command), bench.answer(command)]
    for answer in answers:
        changed = {one["name"]: one["after"] for one in document(answer)["changed"]}
        assert changed == VALUES, json.dumps(changed)
        assert answer.found.values["sizes"] == [0, 1, 2]
        assert answer.found.refusals[0].message == "no model"


def test_an_sglang_without_an_entry_point_is_an_error_that_names_it():
    texts = {"sglang/__init__.py": b"", "sglang/srt/server_args.py": b"class ServerArgs:\n    pass\n"}
    tree = TextTree(texts, Origin(version="0", source="a test"), "sglang")
    bench = Workbench(Setting(tree, dict, None), machine_named("h200"))
    with pytest.raises(SpecintError, match="prepare_server_args"):
        bench.answer(Command(("--model-path", "x")))
