"""What a server's settings answer where nobody sets them: one worker, and a condition a line in its constructor."""

from __future__ import annotations

import textwrap

import pytest

from specint.contract.code import Code
from specint.contract.kept import Kept
from specint.contract.receivers import Receivers
from specint.contract.roots import find_roots
from specint.contract.settings import Settings
from specint.facts import model as facts
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project
from specint.source.tree import Tree

ARGUMENTS = """
from dataclasses import dataclass, field
from typing import Optional

@dataclass
class ServerArgs:
    speculative_algorithm: Optional[str] = None
    on: bool = True
    off: bool = False
    size: int = 4
    word: str = "cuda"
    none: Optional[str] = None
    made: bool = field(default=True)
    listed: list = field(default_factory=list)
    asked: int
    filled: Optional[str] = None
    filled_flag: bool = False
    handed: int = 7
    plain = True

    def __post_init__(self):
        self.filled = "x"
        self.filled_flag = True
        check(handed=1)

@dataclass
class Beside:
    near: bool = True
    twice: bool = True

@dataclass
class Again:
    twice: bool = False
"""
ELSEWHERE = """
from dataclasses import dataclass

@dataclass
class Config:
    on: bool = True
"""
ENVIRON = """
import os

class EnvBool:
    def __init__(self, default=None, words=()):
        self.default = default
    def get(self):
        return os.environ.get("x", self.default)
    def name(self):
        return "x"

class Envs:
    YES = EnvBool(True)
    NO = EnvBool(False)
    WORD = EnvBool("false")
    NAMED = EnvBool(default=True)
    BARE = EnvBool()
    PLAIN = 1

envs = Envs()
"""
WORKER = """
import os
from sglang.srt.managers.tp_worker import TpModelWorker
from typing import Optional
from sglang.srt import server_args as arguments
from sglang.srt.server_args import ServerArgs
from sglang.srt.elsewhere import Config
from sglang.srt.environ import Envs, envs

LIMIT = 3
NOTHING = None
DEVICE = os.environ.get("DEVICE", "")

def unset():
    return NOTHING

def default_size():
    return 4

def either():
    if somebody():
        return 1
    return 2

class NGRAMWorker:
    def __init__(
        self,
        server_args: ServerArgs,
        gpu_id: int,
        target_worker: TpModelWorker,
        other,
        config: Config,
        perhaps: Optional[ServerArgs],
        quoted: "ServerArgs",
        dotted: arguments.ServerArgs,
        number: Optional[int],
        word: "Other",
    ):
        self.target_worker = target_worker
        self.server_args = server_args
        self.args = server_args
        self.kept = server_args.off
        self.choice = 1 if server_args.on else 2
        self.late = False
        if server_args.off:
            self.late = True
        self.maybe = False
        if other.go():
            self.maybe = True
        mine = server_args
        theirs = other
        flag = server_args.on
        twice = False
        if other.go():
            twice = server_args.on
        for loop in other.all:
            pass
{lines}
"""
T, F, U = True, False, None
CONDITIONS = {
    # fields and their defaults
    "server_args.on": T,
    "server_args.off": F,
    "server_args.none": F,
    "server_args.size": T,
    "server_args.made": T,
    "server_args.listed": U,
    "server_args.asked": U,
    "server_args.plain": U,
    "server_args.nobody": U,
    "server_args.filled": U,
    "server_args.filled_flag": F,
    "server_args.handed": U,
    "server_args.near": T,
    "server_args.twice": U,
    "getattr(server_args, 'on')": T,
    "getattr(server_args, 'off', True)": F,
    "getattr(server_args, other)": U,
    "getattr(other, 'on', True)": U,
    # whose field
    "other.on": U,
    "config.on": U,
    "other.server_args.on": T,
    "self.server_args.on": T,
    "self.args.on": T,
    "mine.on": T,
    "theirs.on": U,
    "perhaps.on": T,
    "quoted.on": T,
    "dotted.on": T,
    "number.on": U,
    "word.on": U,
    "loop.on": U,
    "get_args().on": T,
    "get_args(1).on": U,
    "get_args(a=1).on": U,
    "other[0].on": U,
    # what is made of them
    "not server_args.on": F,
    "not other.x": U,
    "not not server_args.on": T,
    "bool(server_args.on)": T,
    "int(server_args.size) == 4": T,
    "str(server_args.word) == 'cuda'": T,
    "float(server_args.size) > 4.5": F,
    "repr(server_args.on)": U,
    "server_args.on and server_args.size": T,
    "server_args.on and server_args.off": F,
    "server_args.on and other.x": U,
    "server_args.off and other.x": F,
    "other.x and server_args.off": F,
    "server_args.on or other.x": T,
    "other.x or server_args.on": T,
    "server_args.off or other.x": U,
    "server_args.off or server_args.none": F,
    # comparisons
    "server_args.size == 4": T,
    "server_args.size == 5": F,
    "server_args.size != 4": F,
    "server_args.size != 5": T,
    "server_args.size > 3": T,
    "server_args.size > 4": F,
    "server_args.size >= 4": T,
    "server_args.size >= 5": F,
    "server_args.size < 5": T,
    "server_args.size < 4": F,
    "server_args.size <= 4": T,
    "server_args.size <= 3": F,
    "3 < server_args.size": T,
    "server_args.word == 'cuda'": T,
    "server_args.word > 3": U,
    "3 > server_args.word": U,
    "server_args.size == other.x": U,
    "other.x == server_args.size": U,
    "server_args.none is None": T,
    "server_args.none is not None": F,
    "server_args.size is None": F,
    "server_args.size is not None": T,
    "server_args.on is True": T,
    "server_args.on is 1": F,
    "server_args.size in (1, 4)": T,
    "server_args.size in (1, 2)": F,
    "server_args.size not in (1, 4)": F,
    "server_args.size not in (1, 2)": T,
    "server_args.size in (4, other.x)": U,
    "server_args.size in other.all": U,
    "other.x in (1, 4)": U,
    "1 < server_args.size < 9": U,
    # names and what was kept
    "flag": T,
    "twice": U,
    "other": U,
    "self.kept": F,
    "self.choice == 1": T,
    "self.choice == 2": F,
    "self.late": F,
    "self.maybe": U,
    "LIMIT == 3": T,
    "NOTHING is None": T,
    "DEVICE": F,
    "unset()": F,
    "unset() is None": T,
    "default_size() == 4": T,
    "either()": T,
    "either() == 1": U,
    "unset(1)": U,
    "ServerArgs": U,
    # the environment
    "os.environ.get('X')": F,
    "os.environ.get('X', '1')": T,
    "os.environ.get('X', '0')": F,
    "os.environ.get('X', 'False')": F,
    "os.environ.get('X', 'no')": F,
    "os.environ.get('X', 'off')": F,
    "os.environ.get('X', '')": F,
    "os.environ.get('X', other.x)": U,
    "os.getenv('X')": F,
    "os.getenv('X', 'yes')": T,
    "get_bool_env_var('X')": F,
    "get_bool_env_var('X', 'true')": T,
    "get_bool_env_var('X', default='true')": T,
    "get_int_env_var('X', 5) == 5": T,
    "get_int_env_var(other)": U,
    "get_bool_var('X')": U,
    "envs.YES.get()": T,
    "Envs.YES.get()": T,
    "envs.NO.get()": F,
    "envs.WORD.get()": F,
    "envs.NAMED.get()": T,
    "envs.BARE.get()": F,
    "envs.PLAIN.get()": U,
    "envs.NONE.get()": U,
    "envs.YES.name()": T,
    "envs.YES.nobody()": U,
    "other.YES.get()": U,
}


@pytest.fixture(scope="module")
def truths(small_tree: Tree) -> dict[str, tuple[bool | None, bool | None]]:
    """Each condition: whether it is true, and whether its value is there at all."""
    lines = "\n".join(f"if {one}:\n    pass" for one in CONDITIONS)
    texts = {
        "server_args": ARGUMENTS,
        "elsewhere": ELSEWHERE,
        "environ": ENVIRON,
        "speculative.ngram_worker": WORKER.format(lines=textwrap.indent(lines, " " * 8)),
    }
    tree = small_tree.overlay({f"sglang.srt.{name}": text for name, text in texts.items()})
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "sglang")
    hierarchy, roots, code = Hierarchy(project), find_roots(project), Code(project)
    worker = project.module("sglang.srt.speculative.ngram_worker")
    assert worker is not None
    code.add([worker])
    receivers = Receivers(project, hierarchy, roots, code)
    settings = Settings(receivers, Kept(receivers, ()))
    function = next(one for one in project.functions_of(worker) if one.name == "__init__")
    tests = [step.value for step in function.facts.body.steps if isinstance(step, facts.Evaluate)][-len(CONDITIONS) :]
    return {
        text: (settings.truth(test, function), settings.truth(test, function, of_none=True))
        for text, test in zip(CONDITIONS, tests, strict=True)
    }


@pytest.mark.parametrize("text", CONDITIONS)
def test_condition_by_default(truths: dict[str, tuple[bool | None, bool | None]], text: str) -> None:
    assert truths[text][0] is CONDITIONS[text]


@pytest.mark.parametrize(
    ("text", "there"),
    [("server_args.none", F), ("server_args.off", T), ("server_args.size", T), ("other.x", U), ("NOTHING is None", T)],
)
def test_value_that_is_there_by_default(
    truths: dict[str, tuple[bool | None, bool | None]], text: str, there: bool | None
) -> None:
    assert truths.get(text, (None, None))[1] is there
