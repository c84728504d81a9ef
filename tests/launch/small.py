"""A small SGLang of ours that takes a launch through every stage: arguments, worker, target, draft."""

from __future__ import annotations

import json
from pathlib import Path

from specint.analysis.model import Analysis
from specint.contract.model import Contract, Requirement, Site
from specint.launch.answer import Workbench
from specint.launch.command import Command, located
from specint.launch.judging import Judge
from specint.launch.machine import machine_named
from specint.launch.setting import Setting
from specint.source.tree import Origin, TextTree

ARGUMENTS = """
import argparse
import dataclasses
import json
from transformers.utils import cached_file

@dataclasses.dataclass
class ServerArgs:
    model_path: str = ""
    speculative_algorithm: str | None = None
    speculative_draft_model_path: str | None = None

    def check_server_args(self):
        EARLY

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path")
        parser.add_argument("--speculative-algorithm")
        parser.add_argument("--speculative-draft-model-path", "--speculative-draft-model")

def prepare_server_args(argv):
    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return ServerArgs(**vars(parser.parse_args(argv)))
"""
EARLY = "if self.speculative_draft_model_path: cached_file(self.speculative_draft_model_path, 'config.json')"
REST = {
    "srt/configs/model_config": """
import json
from types import SimpleNamespace
from transformers.utils import cached_file

class ModelConfig:
    def __init__(self, path):
        with open(cached_file(path, "config.json")) as file:
            self.hf_config = SimpleNamespace(**json.load(file))

    @classmethod
    def from_server_args(cls, args, model_path=None, model_revision=None, is_draft_model=False):
        return cls(model_path or args.model_path)
""",
    "srt/speculative/spec_info": """
class SpeculativeAlgorithm:
    def __init__(self, name):
        self.name = name

    @classmethod
    def from_string(cls, text):
        return cls(text)

    def is_none(self):
        return self.name is None

    def create_worker(self, args):
        from sglang.srt.speculative.worker import Worker
        return Worker
""",
    "srt/speculative/worker": "class Worker:\n    pass\n",
    "srt/models/registry": "def import_model_classes():\n    return {}\n",
    "srt/model_loader/utils": """
from sglang.srt.models.registry import import_model_classes

def get_model_architecture(config):
    name = config.hf_config.architectures[0]
    return import_model_classes()[name], name
""",
}
CLASSES = {"Target": ("sglang.srt.models.target", "Target"), "Draft": ("sglang.srt.models.draft", "Draft")}
SITE = Site("sglang/srt/speculative/worker.py", 10, "Worker.__init__", ("EAGLE3",))
CONTRACT = Contract(
    requirements=tuple(
        Requirement(role=role, member=member, use="call", algorithms=("EAGLE3",), strength="required", sites=(SITE,))
        for role, member in (("target", "get_embed"), ("draft", "set_embed"))
    ),
    algorithms=("EAGLE3",),
)  # fmt: skip


def contents(*, early: bool = False) -> dict[str, bytes]:
    """Its files by path; `early`: it looks at the draft among its arguments."""
    texts = {"srt/server_args": ARGUMENTS.replace("EARLY", EARLY if early else "pass"), **REST}
    return {"sglang/__init__.py": b"", **{f"sglang/{name}.py": text.encode() for name, text in texts.items()}}


def bench(judged=(), findings=(), *, early: bool = False, classes=None, models=None) -> Workbench:
    """The small SGLang, whose analysis says this of its models."""
    own = {f"sglang/srt/models/{name}.py": text.encode() for name, text in (models or {}).items()}
    tree = TextTree({**contents(early=early), **own}, Origin(version="0", source="a test"), "sglang")
    analysis = Analysis(
        sglang=tree.origin, contract=CONTRACT, models=tuple(judged), findings=tuple(findings), diagnostics=()
    )
    setting = Setting(tree, lambda: classes or CLASSES, None)
    return Workbench(setting, machine_named("h200"), Judge(lambda _only: analysis))


def launch(folder: Path, *, draft: str | None = "draft", target: dict | None = None, draft_config: dict | None = None):
    """A launch of two checkpoints that are written into a folder; a draft of another name is not."""
    for name, config in (("target", target), ("draft", draft_config)):
        (folder / name).mkdir(exist_ok=True)
        written = {"architectures": [name.title()], **(config or {})}
        (folder / name / "config.json").write_text(json.dumps(written))
    words = ["--model-path", str(folder / "target"), "--speculative-algorithm", "EAGLE3"]
    if draft is not None:
        words += ["--speculative-draft-model-path", str(folder / draft)]
    return located(Command(tuple(words)), folder)
