"""Machines as `rules/machines.toml` declares them: what PyTorch and the tools would say there."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import msgspec

from specint.data import rules_text
from specint.errors import SpecintError
from specint.execution.interpreter import Interpreter
from specint.execution.outside import Provided
from specint.execution.values import Instance, Raised, Unknown
from specint.suggestion import did_you_mean


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of machine. `memory` is MiB of one GPU; None for a machine without."""

    name: str
    summary: str
    facts: dict[str, Any]
    memory: int | None
    gpus: int
    kind: str


@cache
def _declared() -> dict[str, Any]:
    return tomllib.loads(rules_text("machines.toml"))


def machine_names() -> list[str]:
    """The machines that are declared."""
    return list(_declared()["machines"])


def usual_machines() -> list[str]:
    """Those that are asked where none is named."""
    return list(_declared()["defaults"]["asked"])


def machine_named(name: str) -> Machine:
    """A machine by its name. Raises SpecintError for one that is not declared."""
    declared = _declared()
    row = declared["machines"].get(name.lower())
    if row is None:
        hint = did_you_mean(name, machine_names())
        raise SpecintError(
            f"no such machine: {name[:40]!r}", "--gpu", f"{hint} one of {', '.join(machine_names())}".strip()
        )
    facts: dict[str, Any] = {}
    for part in row["like"]:
        facts |= declared[part]
    memory = row.get("memory")
    gpus = declared["defaults"]["gpus"] if memory else 0
    rocm = row.get("rocm")
    if memory is None:
        facts |= {
            "torch.cuda.is_available()": False,
            "torch.cuda.device_count()": 0,
            "torch.cuda.is_initialized()": False,
            "torch.version.cuda": None,
            "torch.version.hip": None,
        }
        return Machine(name=name.lower(), summary=row["summary"], facts=facts, memory=None, gpus=0, kind="cpu")
    size = memory << 20
    properties = "torch.cuda.get_device_properties()"
    facts |= {
        "torch.cuda.is_available()": True,
        "torch.cuda.is_initialized()": True,
        "torch.cuda.device_count()": gpus,
        "torch.version.hip": rocm,
        "torch.cuda.get_device_capability()": list(row["capability"]),
        "torch.cuda.get_device_name()": row["name"],
        "torch.cuda.mem_get_info()": [size, size],
        f"{properties}.total_memory": size,
        f"{properties}.multi_processor_count": row["processors"],
        f"{properties}.major": row["capability"][0],
        f"{properties}.minor": row["capability"][1],
        f"{properties}.name": row["name"],
        f"{properties}.warp_size": 64 if rocm else 32,
    }
    if rocm:
        facts |= {"torch.version.cuda": None, f"{properties}.gcnArchName": row["architecture"]}
    kind = "rocm" if rocm else "cuda"
    return Machine(name=name.lower(), summary=row["summary"], facts=facts, memory=memory, gpus=gpus, kind=kind)


def tools(machine: Machine) -> dict[str, Provided]:
    """What a process would print that asks the machine's own tools; no process is started."""

    def run(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        command = arguments[0] if arguments else keywords.get("args")
        words = command.split() if isinstance(command, str) else command
        if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) for word in words):
            return Unknown("the output of a process")
        text = " ".join(words)
        it.outside.used.setdefault(f"$ {text[:80]}", machine.name)
        printed = _printed(machine, text)
        if printed is None:
            tool = text.partition(" ")[0]
            if tool in ("nvidia-smi", "rocminfo", "rocm-smi") and isinstance(command, list | tuple):
                missing = (tool == "nvidia-smi") != (machine.kind == "cuda") or machine.kind == "cpu"
                if missing:
                    raise Raised(FileNotFoundError(2, "No such file or directory", tool))
            return Unknown(f"the output of {text[:60]}")
        made = Instance(it.library.modules["types"]["SimpleNamespace"])
        made.attributes.update(returncode=0, stdout=printed, stderr="", args=command)
        return made

    def output(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        made = run(it, arguments, keywords)
        return made.attributes["stdout"] if isinstance(made, Instance) else made

    return {"subprocess.run": run, "subprocess.check_output": output}


def scripts(machine: Machine) -> dict[str, str]:
    """The machine's own tools as shell scripts, for an SGLang that is really run: they print what `tools` says."""
    if machine.kind != "cuda":
        return {}
    asked = ("memory.total", "compute_cap", "--list-gpus")
    arms = "".join(f"*{word}*) printf '%s' '{_printed(machine, f'nvidia-smi {word}')}';; " for word in asked)
    return {"nvidia-smi": f'#!/bin/sh\ncase "$*" in {arms}*) echo;; esac\n'}


def _printed(machine: Machine, text: str) -> str | None:
    each = [""] * machine.gpus
    if machine.kind == "cuda" and text.startswith("nvidia-smi"):
        if "memory.total" in text:
            return "".join(f"{machine.memory}\n" for _ in each)
        if "compute_cap" in text:
            major, minor = machine.facts["torch.cuda.get_device_capability()"]
            return "".join(f"{major}.{minor}\n" for _ in each)
        if "--list-gpus" in text or text.endswith("-L"):
            return "".join(f"GPU {n}: {machine.facts['torch.cuda.get_device_name()']}\n" for n, _ in enumerate(each))
    if machine.kind == "rocm" and text.startswith("rocminfo"):
        return "".join(f"{(machine.memory or 0) * 1024}(0x0)\n" for _ in each)
    return None
