"""What is there, by Python's own word: small trees by a grammar, imported and asked, and specint's answers beside it.

    python tests/fuzz/semantic.py CLASSES WORKERS [SEED]

A child process imports each tree with a stand-in for torch, builds every class under every setting of two flags, asks
`hasattr`, really calls what is there, and runs each worker with a model that lacks what it asks for. specint's answers
are equal, or unknown; there are few of the second kind.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))

from specint.compliance.members import Members  # noqa: E402
from specint.depth import room_to_recurse  # noqa: E402
from specint.facts.load import Loader  # noqa: E402
from specint.facts.store import Store  # noqa: E402
from specint.graph.attributes import Attributes  # noqa: E402
from specint.graph.composition import Composition  # noqa: E402
from specint.graph.dataflow import DataFlow  # noqa: E402
from specint.graph.hierarchy import Hierarchy  # noqa: E402
from specint.graph.project import ClassNode, Project  # noqa: E402
from specint.pipeline import contract_of  # noqa: E402
from specint.source.locate import open_tree  # noqa: E402
from specint.source.tree import Origin, TextTree  # noqa: E402

SMALL = HERE.parents[1] / "fixtures/sglang_small/sglang"
HOOKS = ("hook", "embed", "head")
"""Members that somebody may ask for."""
PARTS = ("inner", "model")
"""Attributes that hold another object of the tree."""
FLAGS = ("wide", "deep")
"""What a configuration says; each is true or false."""
WORKERS_A_TREE = 40


class Draws:
    """A random tree of two modules."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.classes: list[str] = []

    def one_of(self, *words: str) -> str:
        return self.random.choice(words)

    def chance(self, of: int) -> bool:
        return self.random.randrange(of) == 0

    def texts(self) -> dict[str, str]:
        """The modules by their dotted names."""
        first = [self.class_(number) for number in range(self.random.randint(2, 4))]
        names = ", ".join(self.classes)
        imports = self.one_of(
            f"from acme.base import {names}\n", "from acme.base import *\n", f"from .base import {names}\n"
        )
        second = [self.class_(number + len(first)) for number in range(self.random.randint(1, 4))]
        head = "import types\nfrom functools import partial\nimport torch\nfrom torch import nn\n"
        return {"acme.base": head + "".join(first), "acme.top": head + imports + "".join(second)}

    def class_(self, number: int) -> str:
        name = f"C{number}"
        bases = self.random.sample(self.classes, min(len(self.classes), self.random.choice((0, 0, 1, 1, 2))))
        inside = "".join(dict.fromkeys(self.member() for _ in range(self.random.randint(0, 3))))
        if not bases or self.chance(2):
            inside += self.constructor(bases)
        after = "".join(self.later(name) for _ in range(self.random.randint(0, 1)))
        if self.chance(9):
            inside += self.opening()
        self.classes.append(name)
        body = inside or "    pass\n"
        return f"\n\nclass {name}({', '.join(bases) or 'nn.Module'}):\n{body}{after}"

    # -- what a class has ------------------------------------------------------------------------------------------

    def member(self) -> str:
        hook, other = self.one_of(*HOOKS), self.one_of(*HOOKS)
        part = self.one_of(*PARTS)
        match self.random.randrange(12):
            case 0 | 1:
                return f"    def {hook}(self, x=None):\n        return 1\n"
            case 2 | 3 | 4:
                return f"    def {hook}(self, x=None):\n        return self.{part}.{hook}(x)\n"
            case 5:
                return f"    def {hook}(self, x=None):\n        return self.{part}.{self.one_of(*PARTS)}.{other}\n"
            case 6:
                return f"    @property\n    def {hook}(self):\n        return self.{part}\n"
            case 7:
                return f"    @staticmethod\n    def {hook}(x=None):\n        return x\n"
            case 8:
                return f"    {hook} = {self.one_of('None', '1', 'lambda self, x=None: x')}\n"
            case 9:
                probe = f"        if hasattr(self.{part}, '{other}'):\n            return self.{part}.{other}(x)\n"
                return f"    def {hook}(self, x=None):\n{probe}        return x\n"
            case 10:
                return f"    def {hook}(self, x=None):\n        return super().{hook}(x)\n"
            case _:
                inside = f"    def _{other}(self, x):\n        return self.{part}.{other}\n"
                return f"    def {hook}(self, x=None):\n        return self._{other}(x)\n{inside}"

    def constructor(self, bases: list[str]) -> str:
        lines = ["super().__init__(config)" if bases else "super().__init__()"]
        if bases and self.chance(8):
            lines = [f"{bases[0]}.__init__(self, config)"]
        lines += [line for _ in range(self.random.randint(0, 3)) for line in self.statement()]
        if self.chance(5):
            lines[1:] = ["self._build(config)"]
            more = [self.one_of("super()._build(config)", f"{bases[-1]}._build(self, config)")] if bases else []
            rest = [*(more if self.chance(3) else ()), *self.statement(), *self.statement()]
            inside = "".join(f"        {line}\n" for line in rest)
            return self._init(lines) + f"    def _build(self, config):\n{inside}"
        return self._init(lines)

    def _init(self, lines: list[str]) -> str:
        return "    def __init__(self, config=None):\n" + "".join(f"        {line}\n" for line in lines)

    def statement(self) -> list[str]:
        part, hook = self.one_of(*PARTS), self.one_of(*HOOKS)
        flag = self.one_of(*FLAGS)
        match self.random.randrange(14):
            case 0 | 1 | 2:
                return [f"self.{part} = {self.made()}"]
            case 3:
                return [f"self.{part} = {self.made()} if config.{flag} else {self.made()}"]
            case 4:
                return [
                    f"if config.{flag}:",
                    f"    self.{part} = {self.made()}",
                    "else:",
                    f"    self.{part} = {self.made()}",
                ]
            case 5:
                return [f"if config.{flag}:", f"    self.{hook} = {self.value()}"]
            case 6:
                return [f"self.{hook} = {self.value()}"]
            case 7:
                return [f"setattr(self, '{hook}', {self.value()})"]
            case 8:
                return [f"for name in ('{self.one_of(*HOOKS)}', '{hook}'):", f"    setattr(self, name, {self.value()})"]
            case 9:
                return [f"kind = {self.made()[: -len('(config)')]}", f"self.{part} = kind(config)"]
            case 10:
                return [f"self.{part} = partial({self.made()[: -len('(config)')]}, config)()"]
            case 11:
                return [f"self.{part} = {self.made()}", f"self.{hook} = self.{part}"]
            case 12:
                return [
                    f"self.{part} = {self.made()}",
                    f"if hasattr(self.{part}, '{hook}'):",
                    f"    self.{hook} = self.{part}.{hook}",
                ]
            case _:
                return [f"self.{part} = {{'a': {self.made()}, 'b': {self.made()}}}['a']"]

    def made(self) -> str:
        return f"{self.one_of(*self.classes, 'nn.Linear')}(config)" if self.classes else "nn.Linear(config)"

    def value(self) -> str:
        return self.one_of("1", "None", "nn.Linear(config)", "lambda x=None: x", self.made())

    def later(self, name: str) -> str:
        hook = self.one_of(*HOOKS)
        match self.random.randrange(4):
            case 0:
                return f"\n\ndef {hook}_of(self, x=None):\n    return x\n\n\n{name}.{hook} = {hook}_of\n"
            case 1:
                return f"\n\nsetattr({name}, '{hook}', 1)\n"
            case _:
                return ""

    def opening(self) -> str:
        part = self.one_of(*PARTS)
        return (
            "    def __getattr__(self, name):\n        try:\n            return super().__getattr__(name)\n"
            f"        except AttributeError:\n            return getattr(super().__getattr__('{part}'), name)\n"
        )


# -- workers -----------------------------------------------------------------------------------------------------------

WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args

"""


def worker(number: int, seed: int) -> str:
    """A method of a worker that asks for one member, in some form."""
    draw = random.Random(seed)
    hook = f"hook{number}"
    model = draw.choice(("self.target_worker.model_runner.model", "model", "runner.model"))
    lines = {
        "model": ["model = self.target_worker.model_runner.model"],
        "runner.model": ["runner = self.target_worker.model_runner"],
    }
    body = [*lines.get(model, ())]
    use = draw.choice(
        (f"{model}.{hook}()", f"x = {model}.{hook}", f"getattr({model}, '{hook}')()", f"x = {model}.{hook}(1)")
    )
    flag = draw.choice(("self.wide", "self.deep"))
    other = draw.choice(("self.wide", "self.deep"))
    probe = f"hasattr({model}, '{hook}')"
    match draw.randrange(16):
        case 0 | 1:
            body += [use]
        case 2:
            body += [f"if {probe}:", f"    {use}"]
        case 3:
            body += [f"if not {probe}:", "    return", use]
        case 4:
            body += [f"if not {probe}:", "    raise ValueError('no hook')", use]
        case 5:
            body += [f"if {flag}:", f"    {use}"]
        case 6:
            body += [f"if {flag} and {probe}:", f"    {use}"]
        case 7:
            body += [f"if {flag} or {probe}:", f"    {use}"]
        case 8:
            body += [
                "try:",
                f"    {use}",
                f"except {draw.choice(('AttributeError', 'Exception', 'KeyError', '(KeyError, AttributeError)'))}:",
                f"    {draw.choice(('pass', 'x = 0', 'raise'))}",
            ]
        case 9:
            body += [
                f"found = getattr({model}, '{hook}', None)",
                f"if found is not None{draw.choice(('', ' and ' + flag))}:",
                "    found()",
            ]
        case 10:
            body += [
                f"found = getattr({model}, '{hook}', None)",
                "if found is None:",
                f"    {draw.choice(('return', 'raise ValueError(1)'))}",
                "found()",
            ]
        case 11:
            body += [f"assert {probe}", use]
        case 12:
            body += [f"x = {model}.{hook}() if {draw.choice((probe, flag))} else None"]
        case 13:
            body += [f"x = {draw.choice((probe, flag))} and {model}.{hook}()"]
        case 14:
            body += [f"can = {probe}", f"if {draw.choice(('can', 'not can', f'can and {flag}'))}:", f"    {use}"]
        case _:
            body += [
                f"if {flag}:",
                f"    if not {probe}:",
                f"        {draw.choice(('return', 'raise RuntimeError'))}",
                f"elif {other}:",
                "    return",
                use,
            ]
    return f"    def run{number}(self):\n" + "".join(f"        {line}\n" for line in body) + "\n"


# -- Python's word -----------------------------------------------------------------------------------------------------

CHILD = '''
import importlib.abc, importlib.util, itertools, json, sys, types

FLAGS, HOOKS, PARTS = json.loads(sys.argv[1])
sys.setrecursionlimit(400)
TEXTS = {}


class Module:
    """A stand-in for torch.nn.Module: what is no attribute is an AttributeError, and modules need __init__ first."""

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_modules", {})

    def __setattr__(self, name, value):
        modules = self.__dict__.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self.__dict__.pop(name, None)
            modules[name] = value
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError("cannot assign as child module")
            modules[name] = None
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        modules = self.__dict__.get("_modules", {})
        if name in modules:
            return modules[name]
        raise AttributeError(name)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Linear(Module):
    pass


nn = types.ModuleType("torch.nn")
nn.Module, nn.Linear = Module, Linear
torch = types.ModuleType("torch")
torch.nn = nn
sys.modules.update({"torch": torch, "torch.nn": nn})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == "acme" or name in TEXTS:
            return importlib.util.spec_from_loader(name, self, is_package=name == "acme")

    def exec_module(self, module):
        exec(compile(TEXTS.get(module.__name__, ""), module.__name__, "exec"), module.__dict__)


sys.meta_path.insert(0, Finder())


def settings():
    for values in itertools.product((False, True), repeat=len(FLAGS)):
        yield types.SimpleNamespace(**dict(zip(FLAGS, values)))


def has(thing, path):
    for name in path.split("."):
        if not hasattr(thing, name):
            return False
        thing = getattr(thing, name)
    return True


def outcome(call):
    try:
        call()
        return "works"
    except AttributeError:
        return "breaks"
    except BaseException:
        return "other"


def classes(texts):
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme"]:
        del sys.modules[name]
    TEXTS.clear()
    TEXTS.update(texts)
    try:
        modules = [importlib.import_module(name) for name in texts]
    except Exception as error:
        return {"refused": str(error)}
    found = {}
    for module in modules:
        for name, kind in vars(module).items():
            if not isinstance(kind, type) or kind.__module__ != module.__name__:
                continue
            objects = []
            for setting in settings():
                try:
                    objects.append(kind(setting))
                except BaseException:
                    objects = []
                    break
            if not objects:
                continue
            paths = [*HOOKS, *PARTS, *(f"{part}.{hook}" for part in PARTS for hook in HOOKS)]
            there = {path: sorted({has(one, path) for one in objects}) for path in paths}
            later = there
            if hasattr(kind, "_build"):  # which somebody may call who has the object, whatever its constructor did
                again = [kind(setting) for setting in settings()]
                for one, setting in zip(again, settings()):
                    outcome(lambda: one._build(setting))
                later = {path: sorted({has(one, path) for one in again}) for path in paths}
            calls = {}
            for hook in HOOKS:
                able = [one for one in objects if hasattr(one, hook)]
                calls[hook] = sorted({outcome(lambda: getattr(one, hook)(None)) for one in able})
            found[f"{module.__name__}.{name}"] = {"has": there, "later": later, "calls": calls}
    return found


class Model:
    """A model that lacks one member, and notes what it is asked for."""

    def __init__(self, lacks):
        self.__dict__["lacks"] = lacks
        self.__dict__["asked"] = False

    def __getattr__(self, name):
        if name == self.lacks:
            self.__dict__["asked"] = True
            raise AttributeError(name)
        return lambda *args: 1


def workers(text):
    space = {}
    exec(text, space)
    kind = space["NGRAMWorker"]
    found = {}
    for number in range(text.count("    def run")):
        needed = asked = False
        for setting in settings():
            model = Model(f"hook{number}")
            one = kind.__new__(kind)
            one.__dict__.update(vars(setting))
            one.target_worker = types.SimpleNamespace(model_runner=types.SimpleNamespace(model=model))
            needed |= outcome(getattr(one, f"run{number}")) != "works"
            asked |= model.asked
        found[f"hook{number}"] = {"needed": needed, "asked": asked}
    return found


for line in sys.stdin:
    kind, given = json.loads(line)
    print(json.dumps(classes(given) if kind == "classes" else workers(given)), flush=True)
'''


class Python:
    """The child process that imports and runs what the grammar makes."""

    def __init__(self) -> None:
        given = json.dumps([FLAGS, HOOKS, PARTS])
        command = [sys.executable, "-I", "-c", CHILD, given]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Python:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def says(self, kind: str, given: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([kind, given]) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


# -- specint's word ----------------------------------------------------------------------------------------------------


class Difference(AssertionError):
    """Where specint and Python disagree."""


def compare_classes(seed: int, python: Python, counts: Counter[str]) -> Iterator[Difference]:
    """Ask both about a tree of classes."""
    texts = Draws(seed).texts()
    truth = python.says("classes", texts)
    if "refused" in truth:
        counts["trees that Python refuses"] += 1
        return
    tree = TextTree(
        {f"{n.replace('.', '/')}.py": t.encode() for n, t in texts.items()}, Origin(version="1", source="x")
    )
    with room_to_recurse():
        project = Project(Loader(tree, Store(None), version="fuzz", jobs=1).module, "acme")
        hierarchy = Hierarchy(project)
        composition = Composition(project, hierarchy)
        members = Members(project, hierarchy, composition)
        flow = DataFlow(Attributes(project, hierarchy, composition))
        nodes = {key: project.class_by_key(key) for key in truth}
        for key, about in truth.items():
            node = nodes[key]
            assert node is not None, key
            for path, there in about["has"].items():
                status = members.status(node, path)
                counts[status.status] += 1
                if status.status == "present" and there == [False] != about["later"][path]:
                    counts["present once a method has run that the constructor doesn't"] += 1
                    continue
                wrong = {"present": there == [False], "missing": there != [False], "unknown": False}[status.status]
                if status.status == "unknown":
                    counts[
                        f"unknown: {re.sub(r'[A-Z][0-9]|acme[.a-zA-Z0-9/:]+|[0-9]+', '…', status.reason or '')}"
                    ] += 1
                if wrong and not (status.status == "present" and _said_broken(hierarchy, flow, node, path)):
                    yield Difference(f"seed {seed}: {key}.{path} is {status} and hasattr says {there}")
            for hook, outcomes in about["calls"].items():
                member = hierarchy.lookup(node, hook)
                if not outcomes or member is None or member.kind != "method" or member.function is None:
                    continue
                if hook in composition.assignments(node):  # the attribute hides the method
                    continue
                breaks = flow.breaks(node, member.function)
                counts["calls"] += 1
                counts["calls that break"] += "breaks" in outcomes
                counts["calls of which specint says so"] += "breaks" in outcomes and bool(breaks)
                if breaks and outcomes == ["works"]:
                    yield Difference(f"seed {seed}: {key}.{hook} breaks at {breaks[0].chain}, and a call {outcomes}")


def _said_broken(hierarchy: Hierarchy, flow: DataFlow, node: ClassNode, path: str) -> bool:
    """Whether specint says of a property that reading it fails."""
    member = hierarchy.lookup(node, path)
    if member is None or member.kind != "property" or member.function is None:
        return False
    return bool(flow.breaks(node, member.function))


def compare_workers(seed: int, python: Python, counts: Counter[str], store: Store) -> Iterator[Difference]:
    """Ask both about a tree with many workers' methods."""
    text = WORKER + "".join(worker(number, seed * WORKERS_A_TREE + number) for number in range(WORKERS_A_TREE))
    plain = text.replace("from sglang", "# from sglang").replace(": ServerArgs", "").replace(": TpModelWorker", "")
    truth = python.says("workers", plain)
    tree = open_tree(str(SMALL)).overlay({"sglang.srt.speculative.ngram_worker": text})
    contract = contract_of(tree, store=store, jobs=1)
    strengths: dict[str, set[str]] = {}
    for one in contract.requirements:
        strengths.setdefault(one.member, set()).add(one.strength)
    for hook, about in truth.items():
        found = strengths.get(hook, set())
        insisted = bool(found - {"optional"})
        counts["asked for"] += about["asked"]
        counts["needed"] += about["needed"]
        if insisted != about["needed"] or (about["asked"] and not found):
            number = hook.removeprefix("hook")
            body = text[text.index(f"    def run{number}(") :].partition("\n\n")[0]
            yield Difference(f"seed {seed}: {hook} is {sorted(found)}, and Python says {about}:\n{body}")


def run(trees: int, workers: int, first: int = 1) -> tuple[Counter[str], list[Difference]]:
    """So many trees of classes and so many methods of workers, from one seed on."""
    counts: Counter[str] = Counter()
    differences: list[Difference] = []
    with Python() as python, tempfile.TemporaryDirectory() as cache:
        for seed in range(first, first + trees):
            differences += compare_classes(seed, python, counts)
        for seed in range(first, first + -(-workers // WORKERS_A_TREE)):
            differences += compare_workers(seed, python, counts, Store(Path(cache)))
    counts["trees"], counts["workers"] = trees, workers
    return counts, differences


def main() -> int:
    trees, workers, *first = map(int, sys.argv[1:])
    counts, differences = run(trees, workers, *first)
    for one in differences[:400]:
        sys.stdout.write(f"{one}\n")
    answers = counts["present"] + counts["missing"] + counts["unknown"]
    sys.stdout.write(
        f"{dict(counts)}\n{len(differences)} differences, {counts['unknown'] / max(answers, 1):.1%} unknown\n"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
