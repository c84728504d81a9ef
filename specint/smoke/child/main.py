"""The child: import SGLang once, then do jobs, each in a fork of its own where that is possible.

Settings and jobs come as lines of JSON on stdin; what is found goes out as lines of JSON (see `channel`). What
uses a GPU can't be forked: there a process does one job itself, and the parent starts another.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from typing import Any

from . import boot, server, standins
from .channel import Channel, Skipped, place, said


def main() -> None:
    """Read settings, get ready, do what is asked until stdin ends."""
    channel = Channel()
    settings = json.loads(sys.stdin.readline())
    channel.step_name = "import"
    boot.before_torch()
    sys.path[:0] = settings["paths"]
    try:
        standins.install(settings["stand_ins"])
        device = _device(settings["device"])
        kernels = _kernels(settings["kernels"], device)
        if settings["serve"]:
            server.before_triton(device)
        found = boot.load(settings["package"], device, kernels=kernels)
    except NoDevice as error:
        channel.send("unready", reason=str(error))
        return
    except BaseException as error:
        channel.send("unready", reason=f"SGLang can't be imported: {said(error)} ({place(error)})")
        return
    gc.collect()
    gc.freeze()  # what was imported stays: a collection in a fork looks at the model alone
    channel.send("ready", **found, device=device, kernels="real" if kernels else "none", stand_ins=standins.used())
    for line in sys.stdin:
        job = {**json.loads(line), "device": device, "kernels": kernels}
        if not settings["fork"]:
            channel.send("started", job=job["id"], pid=os.getpid())
            _do(settings["package"], job, channel)
            channel.send("ended", job=job["id"], status=0)
            return
        pid = os.fork()
        if pid == 0:
            os.setsid()
            _do(settings["package"], job, channel)
            sys.stderr.flush()
            os._exit(0)
        channel.send("started", job=job["id"], pid=pid)
        _, status = os.waitpid(pid, 0)
        channel.send("ended", job=job["id"], status=os.waitstatus_to_exitcode(status))


class NoDevice(Exception):
    """The environment hasn't what was asked for; the message says so."""


def _device(wanted: str) -> str:
    if not wanted.startswith(("auto", "cuda")):
        return wanted
    import torch

    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    number = wanted.partition(":")[2]
    if wanted != "auto" and int(number or 0) >= there:
        raise NoDevice(f"there is no device {wanted}: its PyTorch {torch.__version__} sees {there} GPUs of CUDA")
    return wanted if wanted != "auto" else "cuda" if there else "cpu"


def _kernels(wanted: str, device: str) -> bool:
    """Whether SGLang's kernel package is used."""
    there = standins.is_real("sgl_kernel")
    if wanted != "real":
        return wanted == "auto" and there and device.startswith("cuda")
    if not device.startswith("cuda"):
        raise NoDevice(
            f"SGLang's kernels run on a GPU, not on {device}: leave --kernels real out, or give --device cuda"
        )
    if not there:
        raise NoDevice("the environment has no sgl_kernel, SGLang's kernel package: leave --kernels real out")
    return True


def _do(package: str, job: dict[str, Any], channel: Channel) -> None:
    from . import course, serving

    _limit(job)
    try:
        (serving if job["serve"] else course).run(package, job, channel)
    except Skipped:
        pass  # told by the step it happened in
    except BaseException:
        pass  # likewise, with its reason
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    channel.send("fact", step="", data={"peak_mb": peak, "stand_ins": standins.used()})


def _limit(job: dict[str, Any]) -> None:
    """Let an allocation past the limit fail, so that running out of memory is an error with a place.

    Not for a GPU, whose driver reserves address space by the hundred gigabytes: there the parent watches.
    """
    if job["device"].startswith("cuda") or not sys.platform.startswith("linux"):
        return
    most = job["memory_mb"] << 20
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (OSError, ValueError):
        pass  # a stricter limit is set from outside
