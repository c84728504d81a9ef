"""What SGLang itself makes of launches: its real arguments, configurations and classes, on a dressed-up machine.

One process imports SGLang; each launch is a fork of it, since releases cache what they read and write into it.
Settings, then launches, come as lines of JSON on stdin, answers go out as lines of JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import boot, standins
from .channel import Channel, place, said

Settings = dict[str, Any]


def main() -> None:
    """Read settings, import SGLang, answer launches until stdin ends."""
    channel = Channel()
    settings = json.loads(sys.stdin.readline())
    boot.before_torch()
    sys.path[:0] = settings["paths"]
    sys.argv = sys.argv[:1]
    with tempfile.TemporaryDirectory(prefix="specint-launch-") as scratch:
        os.environ["TMPDIR"] = tempfile.tempdir = scratch  # 0.5.9 writes a configuration of its own there
        try:
            standins.install(settings["stand_ins"])
            dress_up(settings["facts"], settings["tools"], Path(scratch))
            found = imported(settings["package"], settings["entry"])
        except BaseException as error:
            channel.send("unready", reason=f"SGLang can't be imported: {said(error)} ({place(error)})")
            return
        channel.send("ready", sglang=found, stand_ins=standins.used())
        for line in sys.stdin:
            launch = json.loads(line)
            pid = os.fork()
            if pid == 0:
                signal.alarm(settings["seconds"])
                _told(channel, settings, launch)
                os._exit(0)
            _, status = os.waitpid(pid, 0)
            channel.send("ended", id=launch["id"], status=os.waitstatus_to_exitcode(status))


def _told(channel: Channel, settings: Settings, launch: dict[str, Any]) -> None:
    try:
        channel.send("answer", id=launch["id"], **answer(settings, launch["argv"]))
    except BaseException as error:  # a fault of this script: said, never hidden
        channel.send("answer", id=launch["id"], fault=f"{said(error)} ({place(error)})")
    sys.stderr.flush()


def imported(package: str, entry: dict[str, Any]) -> str:
    """Import what the entry points need; SGLang's version."""
    above = importlib.import_module(package)
    for dotted in (*entry["arguments"]["functions"], entry["model"]["config"], entry["algorithm"]["enum"],
                   *entry["architecture"]["functions"]):  # fmt: skip
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"{package}.{dotted}".rpartition(".")[0])
    importlib.import_module(f"{package}.srt.models.registry")
    return str(getattr(above, "__version__", "unknown"))


# -- the machine -------------------------------------------------------------------------------------------------------
def dress_up(facts: dict[str, Any], tools: dict[str, str], scratch: Path) -> None:
    """PyTorch and the tools say what the table of a machine says."""
    folder = scratch / "bin"
    folder.mkdir()
    for name, script in tools.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"

    import torch

    results: dict[str, SimpleNamespace] = {}
    for path, value in facts.items():
        if not path.startswith("torch."):
            continue
        said_there = tuple(value) if isinstance(value, list) else value
        made, parenthesis, member = path.partition("().")
        if parenthesis:
            vars(results.setdefault(made, SimpleNamespace()))[member] = said_there
        else:
            _put(torch, path, said_there)
    for path, result in results.items():
        _put(torch, f"{path}()", result)
    for name in ("_lazy_init", "set_device", "synchronize", "empty_cache"):
        setattr(torch.cuda, name, _giving(None))
    real = torch.library.register_fake

    def register_fake(op: Any, func: Any = None, /, **keywords: Any) -> Any:  # noqa: ANN401 - PyTorch's
        """A kernel that a stand-in stands for has no operator to register a fake of."""
        if isinstance(op, str):
            return func if func is not None else (lambda function: function)
        return real(op, func, **keywords)

    torch.library.register_fake = register_fake


def _put(torch: Any, path: str, value: Any) -> None:  # noqa: ANN401 - a module
    owner = torch
    *above, name = path.removesuffix("()").split(".")[1:]
    for part in above:
        owner = getattr(owner, part, None)
    if owner is not None:
        setattr(owner, name, _giving(value) if path.endswith("()") else value)


def _giving(value: Any) -> Callable[..., Any]:  # noqa: ANN401
    """A function of its own each time: PyTorch's tables refuse one under two names."""
    return lambda *_arguments, **_keywords: value


# -- one launch --------------------------------------------------------------------------------------------------------
def answer(settings: Settings, argv: list[str]) -> dict[str, Any]:
    """The errors in the order in which SGLang comes to them, and whatever was found beside them."""
    entry = settings["entry"]
    found: dict[str, Any] = {
        "errors": [],
        "algorithm": None,
        "worker": None,
        "target": None,
        "draft": None,
        "values": None,
    }
    asked = _Asked(settings["package"], entry, found)
    resolved = asked.stage("arguments", lambda: asked.resolve(argv))
    if resolved is None:
        return found
    values = _values(resolved, entry["values"]["methods"])
    found["values"] = json.loads(json.dumps(values, default=str))
    found["algorithm"] = algorithm = values.get(entry["algorithm"]["value"])
    asked.side("target", resolved, {})
    asked.stage("worker", lambda: asked.worker(resolved))
    if algorithm and algorithm not in entry["draft"]["without"]:
        words = entry["draft"]["keywords"]
        keywords = {words["path"]: values.get(entry["draft"]["path"]),
                    words["revision"]: values.get(entry["draft"]["revision"]), words["flag"]: True}  # fmt: skip
        asked.side("draft", resolved, keywords)
    return found


class _Asked:
    """One launch on its way through the entry points."""

    def __init__(self, package: str, entry: dict[str, Any], found: dict[str, Any]) -> None:
        self.package = package
        self.entry = entry
        self.found = found
        self.root = Path(next(iter(importlib.import_module(package).__path__)))

    def stage(self, name: str, run: Callable[[], Any]) -> Any:  # noqa: ANN401
        """What a stage gives; None where it raised, which is kept."""
        told = io.StringIO()
        try:
            with contextlib.redirect_stderr(told):
                return run()
        except SystemExit:
            message = (told.getvalue().strip().splitlines() or [""])[-1].partition("error: ")[2]
            self.found["errors"].append({"stage": "command line", "by": "argparse", "error": "SystemExit",
                                         "message": message, "file": None, "line": None})  # fmt: skip
        except BaseException as raised:  # whatever SGLang raises is the answer
            self.found["errors"].append(self.where(raised, name))
        return None

    def function(self, names: list[str]) -> Any:  # noqa: ANN401
        for dotted in names:
            module, _, name = f"{self.package}.{dotted}".rpartition(".")
            if module in sys.modules and hasattr(sys.modules[module], name):
                return getattr(sys.modules[module], name)
        raise AttributeError(f"none of {', '.join(names)}")

    def resolve(self, argv: list[str]) -> Any:  # noqa: ANN401
        resolved = self.function(self.entry["arguments"]["functions"])(argv)
        for step in ("resolution", "validation"):
            for method in self.entry[step]["methods"]:
                if hasattr(resolved, method):
                    getattr(resolved, method)()
        return resolved

    def worker(self, resolved: Any) -> None:  # noqa: ANN401
        entry = self.entry["algorithm"]
        kind = getattr(self.function([entry["enum"]]), entry["from_text"])(self.found["algorithm"])
        if getattr(kind, entry["none"])() or not hasattr(kind, entry["worker"]):
            return
        worker = getattr(kind, entry["worker"])(resolved)
        self.found["worker"] = {"class": worker.__name__, "file": self.file_of(worker)}

    def side(self, name: str, resolved: Any, keywords: dict[str, Any]) -> None:  # noqa: ANN401
        entry = self.entry["model"]

        def configured() -> None:
            config = getattr(self.function([entry["config"]]), entry["make"])(resolved, **keywords)
            inner = getattr(config, entry["inner"])
            side: dict[str, Any] = {
                "class": None,
                "file": None,
                "architectures": list(getattr(inner, entry["architectures"]) or []),
            }
            self.found[name] = side
            cls, _ = self.function(self.entry["architecture"]["functions"])(config)
            side |= {"class": f"{cls.__module__}.{cls.__name__}", "file": self.file_of(cls)}

        self.stage(name, configured)

    def file_of(self, cls: type) -> str | None:
        return self.inside(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")

    def inside(self, filename: str) -> str | None:
        """`sglang/srt/...` of a file of SGLang's."""
        path = Path(filename)
        return f"{self.package}/{path.relative_to(self.root).as_posix()}" if path.is_relative_to(self.root) else None

    def where(self, error: BaseException, stage: str) -> dict[str, Any]:
        """An error's type, message and innermost line inside of SGLang; and by whom it was raised."""
        frames = traceback.extract_tb(error.__traceback__)
        mine = [n for n, frame in enumerate(frames) if self.inside(frame.filename)]
        below = frames[mine[-1] + 1 :] if mine else []
        foreign = any(f"/{name}/" in frame.filename for frame in below for name in ("transformers", "huggingface_hub"))
        last = frames[mine[-1]] if mine else None
        return {"stage": stage, "by": "transformers" if foreign else "sglang", "error": type(error).__name__,
                "message": str(error), "file": self.inside(last.filename) if last else None,
                "line": last.lineno if last else None}  # fmt: skip


def _values(resolved: Any, methods: list[str]) -> dict[str, Any]:  # noqa: ANN401
    """What the arguments are in the end: newer releases keep resolved values beside the record."""
    for method in methods:
        if hasattr(resolved, method):
            return dict(getattr(resolved, method)())
    names = getattr(resolved, "__struct_fields__", None) or resolved.__dataclass_fields__
    return {name: getattr(resolved, name) for name in names}
