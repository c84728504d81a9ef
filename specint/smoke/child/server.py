"""What a scheduler with a speculative worker needs to run on this machine without SGLang's kernel package.

The one place, with `boot`, that knows how releases differ; what a release wants is found by looking at what it has.
Everything that is changed is named, for the output.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

from . import boot, kernels

TOKENS_OF_CACHE = 1024
CONTEXT = 256
PLAIN: dict[str, object] = {
    "attention_backend": "triton",
    "triton_attention_num_kv_splits": 1,
    "sampling_backend": "pytorch",
}
"""What runs without a kernel package."""


def before_triton(device: str) -> None:
    """What Triton decides when it is imported.

    On a CPU SGLang's kernels run in its own interpreter. On a GPU it rounds the factors of a product to TF32's ten
    bits, while PyTorch doesn't: what a draft was fitted to from Transformers' states would not be what it gets.
    """
    if device.startswith("cuda"):
        os.environ.setdefault("TRITON_F32_DEFAULT", "ieee")
    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
        cores = sorted(os.sched_getaffinity(0))
        os.environ.setdefault("SGLANG_CPU_OMP_THREADS_BIND", f"{cores[0]}-{cores[-1]}")


def prepare(package: str, device: str, algorithm: str) -> list[str]:
    """Change what must be changed before the server's arguments are made; what that was."""
    done: list[str] = []
    if device == "cpu":
        _interpreter(done)
        import torch

        torch.Tensor.record_stream = lambda _self, _stream: None
        done.append("Tensor.record_stream does nothing")
        _platform(package, algorithm, done)
    return done


def arguments(
    package: str, device: str, target: str, draft: str | None, algorithm: str, kernels: bool = False, **more: object
) -> Any:  # noqa: ANN401
    """ServerArgs for a tiny target and a tiny draft, as a user would give them.

    Args:
        kernels: with SGLang's kernel package it chooses its backends itself.
    """
    made = boot.module(package, "srt.server_args").ServerArgs
    offered: dict[str, object] = {
        "model_path": target,
        "device": device.partition(":")[0],
        "load_format": "dummy",
        "skip_tokenizer_init": True,
        "grammar_backend": "none",
        "disable_cuda_graph": True,
        "disable_overlap_schedule": True,
        "max_total_tokens": TOKENS_OF_CACHE,
        "max_running_requests": 4,
        "mem_fraction_static": 0.5,
        "context_length": CONTEXT,
        "chunked_prefill_size": -1,
        "random_seed": 1,
        **({} if kernels else PLAIN),
        **more,
    }
    if not offered["disable_overlap_schedule"]:
        # Some releases overlap a speculative worker's batches only where this says so; others don't read it.
        os.environ["SGLANG_ENABLE_SPEC_V2"] = "1"
    if algorithm:
        offered["speculative_algorithm"] = algorithm
    if draft:
        offered["speculative_draft_model_path"] = draft
    return made(**boot.fitting(made, **offered))


def started(package: str, made: Any, device: str, algorithm: str) -> tuple[Any, list[str]]:  # noqa: ANN401
    """The scheduler, made as the process makes it that a server starts for it."""
    done = _kernels(package, device, algorithm)
    server = boot.module(package, "srt.server_args")
    ports = server.PortArgs.init_new(made)
    context = boot.optional(package, "srt.runtime_context")
    if context is not None and hasattr(context, "publish"):
        context.publish(made, **boot.fitting(context.publish, role="scheduler", ranks=boot.ranks(context)))
    elif hasattr(server, "set_global_server_args_for_scheduler"):
        server.set_global_server_args_for_scheduler(made)
    scheduler = boot.module(package, "srt.managers.scheduler").Scheduler
    ranks = dict.fromkeys(("tp_rank", "moe_ep_rank", "pp_rank", "attn_cp_rank", "moe_dp_rank", "gpu_id"), 0)
    offered = {"server_args": made, "port_args": ports, "dp_rank": None, **ranks}
    return scheduler(**boot.fitting(scheduler.__init__, **offered)), done


def draft_model(scheduler: Any) -> Any:  # noqa: ANN401
    """The draft that a scheduler's worker has, None if it has none."""
    worker = getattr(scheduler, "draft_worker", None)
    for holder in (worker, getattr(worker, "draft_worker", None)):
        for name in ("draft_model_runner", "draft_runner", "model_runner"):
            runner = getattr(holder, name, None)
            if runner is not None and getattr(runner, "is_draft_worker", True):
                return runner.model
    return None


def _interpreter(done: list[str]) -> None:
    """Triton's interpreter makes an index of an array of one number, which numpy refuses from 2.4 on."""
    try:
        from triton.runtime import interpreter  # type: ignore[import-not-found]
    except ImportError:
        return
    patch = getattr(interpreter, "_patch_lang_tensor", None)
    if patch is None or hasattr(patch, "specint"):
        return

    def patched(tensor: Any, *more: Any) -> Any:  # noqa: ANN401
        import numpy  # type: ignore[import-not-found]

        result = patch(tensor, *more)
        tensor.__index__ = lambda self: int(numpy.asarray(self.handle.data).reshape(-1)[0])
        return result

    patched.specint = True  # type: ignore[attr-defined]
    interpreter._patch_lang_tensor = patched
    done.append("an index in Triton's interpreter")


def _platform(package: str, algorithm: str, done: list[str]) -> None:
    """Some releases let a block of tokens be drafted on the platforms alone that say so; on a CPU none does."""
    hook = boot.optional(package, "srt.arg_groups.speculative_hook")
    current = getattr(hook, "current_platform", None)
    if not algorithm or current is None or not hasattr(current, "supports_speculative_algorithm"):
        return

    class Supporting:
        """The platform, which says yes to what it is asked about speculation."""

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            return getattr(current, name)

        def is_out_of_tree(self) -> bool:
            return True

        def supports_speculative_algorithm(self, *_asked: object) -> bool:
            return True

        def supports_speculative_draft_attention_backend(self, *_asked: object, **_more: object) -> bool:
            return True

        def get_default_speculative_draft_attention_backend(self, *_asked: object, **_more: object) -> str:
            return "triton"

    hook.current_platform = Supporting()
    done.append("the platform says that it supports the algorithm")


def _kernels(package: str, device: str, algorithm: str) -> list[str]:
    """Kernels of the package that isn't there: SGLang's own Triton versions, else ours in PyTorch."""
    done: list[str] = []
    fused = boot.optional(package, "kernels.fused_op")
    if device.startswith("cuda") and _stood_in("tvm_ffi") and hasattr(fused, "set_fused_op_backend"):
        # else kernels are compiled on the spot, by a package that isn't there
        fused.set_fused_op_backend(boot.module(package, "kernels.spec").KernelBackend.TORCH)
        done.append("fused operators in PyTorch")
    if not algorithm or not _stood_in("sgl_kernel"):
        return done
    for name in ("spec_tree", "cache_locs", "reconstruct_tree"):
        found = boot.optional(package, f"kernels.ops.speculative.{name}")
        if found is not None and hasattr(found, "_is_xpu"):
            found._is_xpu = True
            done.append(f"{name}: the Triton versions")
    utils = boot.optional(package, "srt.speculative.eagle_utils")
    source = inspect.getsource(utils) if utils is not None else ""
    if "sgl_build_tree_kernel_efficient" in source and "import verify_tree_greedy\n" in source:
        import sgl_kernel  # type: ignore[import-not-found]

        utils.sgl_build_tree_kernel_efficient = kernels.build_tree_kernel_efficient
        sgl_kernel.verify_tree_greedy = kernels.verify_tree_greedy
        utils._is_cuda = True
        done.append("sgl_kernel's tree kernels in PyTorch")
        later = boot.optional(package, "srt.speculative.eagle_info_v2")
        if later is not None:
            later._is_cuda = True
    return done


def _stood_in(name: str) -> bool:
    import sys

    from . import standins

    found = sys.modules.get(name)
    return found is not None and isinstance(found, standins._Module)
