"""The start of an SGLang process, as far as a model needs it: the one place that knows how releases differ.

What a release wants is found by looking at it (is there this function, has it that parameter), never by its number.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ATTENTION = "torch_native"
"""The attention that is plain PyTorch: it runs on every device and needs no kernel."""


def before_torch(offline: bool = True) -> None:
    """Settings that libraries read when they are imported."""
    if offline:
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # The same numbers without half a minute of compiling for each new shape.
    os.environ["TORCHDYNAMO_DISABLE"] = "1"


def load(package: str, device: str, *, kernels: bool = False) -> dict[str, Any]:
    """Import torch, Transformers and SGLang with every model module; what was found.

    Args:
        kernels: SGLang's kernel package is there, and it is to take the ways that a server takes.
    """
    import torch

    torch.set_num_threads(1)  # the tensors are tiny, and several models may run side by side
    # SGLang then takes its plain PyTorch branches, on a GPU too: tensors still live there, and no kernel is needed.
    if not kernels:
        torch.version.cuda = None
    if not device.startswith("cuda"):
        without_a_gpu(torch)
    import transformers

    said = _Warnings()
    logging.getLogger(f"{package}.srt.models.registry").addHandler(said)
    sglang = importlib.import_module(package)
    importlib.import_module(f"{package}.srt.layers.activation")  # must not be imported under the device "meta"
    if not device.startswith("cuda"):
        _platform(package, device)
        _rotary(package)
    registry = importlib.import_module(f"{package}.srt.models.registry").ModelRegistry
    return {
        "sglang": str(getattr(sglang, "__version__", "unknown")),
        "sglang_at": str(next(iter(sglang.__path__))),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "registered": len(registry.get_supported_archs()),
        "not_imported": said.lines,
    }


def start(package: str, device: str) -> Any:  # noqa: ANN401 - SGLang's objects
    """What a scheduler process does before it builds a model; the server arguments."""
    import torch

    arguments = module(package, "srt.server_args")
    made = server_arguments(package, device)
    # Read for the size of a buffer that one rank alone never uses.
    model_config = SimpleNamespace(hidden_size=64, dtype=torch.float32, hf_config=SimpleNamespace())
    context = optional(package, "srt.runtime_context")
    if context is not None and hasattr(context, "publish"):
        context.publish(made, **fitting(context.publish, role="scheduler", ranks=ranks(context)))
    elif hasattr(arguments, "set_global_server_args_for_scheduler"):
        arguments.set_global_server_args_for_scheduler(made)
    parallel = module(package, "srt.distributed.parallel_state")
    handle, rendezvous = tempfile.mkstemp(prefix="specint-smoke-")
    os.close(handle)
    Path(rendezvous).unlink()
    method = f"file://{rendezvous}"
    parallel.init_distributed_environment(
        world_size=1, rank=0, local_rank=0, backend="gloo", distributed_init_method=method
    )
    parallel.initialize_model_parallel()
    attention = module(package, "srt.layers.dp_attention").initialize_dp_attention
    attention(**fitting(attention, server_args=made, model_config=model_config))
    experts = optional(package, "srt.layers.moe.utils")
    if experts is not None and hasattr(experts, "initialize_moe_config"):
        experts.initialize_moe_config(**fitting(experts.initialize_moe_config, server_args=made))
    return made


def server_arguments(package: str, device: str) -> Any:  # noqa: ANN401
    """ServerArgs for a tiny model on this device, with plain PyTorch attention for prefill and decode."""
    arguments = module(package, "srt.server_args")
    made = arguments.ServerArgs(model_path="dummy", device=device.partition(":")[0])
    # 0.5.9 reads all three; one left out means another backend, and silently wrong numbers.
    made.attention_backend = made.prefill_attention_backend = made.decode_attention_backend = ATTENTION
    return made


def model_configuration(package: str, folder: str, dtype: str, *, draft: bool = False) -> Any:  # noqa: ANN401
    """SGLang's ModelConfig of a folder that holds a config.json."""
    made = module(package, "srt.configs.model_config").ModelConfig
    taken = fitting(made.__init__, trust_remote_code=False, dtype=dtype, is_draft_model=draft)
    return made(model_path=folder, **taken)


def build(package: str, model_config: Any, device: str, dtype: str) -> Any:  # noqa: ANN401
    """The model as SGLang's own loader makes it, its weights not filled in.

    The loader then takes what its `eval()` gives: of a class that forwards every name, that is the model inside.
    """
    import torch

    loader = module(package, "srt.model_loader.loader")
    load_config = module(package, "srt.configs.load_config")
    settings = load_config.LoadConfig(load_format="dummy")
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device(device), _here(device):
            if hasattr(loader, "_initialize_model"):
                return loader._initialize_model(model_config, settings)
            class_, _ = architecture(package, model_config)
            return class_(config=model_config.hf_config, quant_config=None)
    finally:
        torch.set_default_dtype(before)


def _here(device: str) -> Any:  # noqa: ANN401 - a context manager
    """A constructor that names a GPU gets the device that there is."""
    import contextlib

    from torch.overrides import TorchFunctionMode

    if device.startswith("cuda"):
        return contextlib.nullcontext()

    class Here(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401
            given = dict(kwargs or {})
            if str(given.get("device", "")).startswith("cuda"):
                given["device"] = device
            return function(*args, **given)

    return Here()


def architecture(package: str, model_config: Any) -> tuple[type, str]:  # noqa: ANN401
    """The class that SGLang chooses for a configuration, and the architecture's name."""
    places = ("srt.model_loader.utils", "srt.model_loader")
    for place in places:
        found = optional(package, place)
        if found is not None and hasattr(found, "get_model_architecture"):
            chosen: tuple[type, str] = found.get_model_architecture(model_config)
            return chosen
    raise LookupError("this SGLang has no get_model_architecture where it used to be")


def after_loading(package: str, model: Any, model_config: Any, *, through_loader: bool) -> None:  # noqa: ANN401
    """What a loader does once the weights are there: packed or split copies of them are made.

    A model's own `load_weights` does its part of it (`through_loader`); dummy weights need that too.
    """
    if not through_loader and hasattr(model, "post_load_weights"):
        hook = getattr(module(package, "srt.model_loader.loader"), "post_load_weights", None)
        if hook is not None:
            hook(model, **fitting(hook, model_config=model_config))
        else:
            model.post_load_weights()
    for part in model.modules():
        method = getattr(part, "quant_method", None)
        if method is not None and hasattr(method, "process_weights_after_loading"):
            method.process_weights_after_loading(part)


def registry(package: str) -> Any:  # noqa: ANN401
    """SGLang's table of architectures."""
    return module(package, "srt.models.registry").ModelRegistry


def module(package: str, name: str) -> Any:  # noqa: ANN401
    """A module of SGLang."""
    return importlib.import_module(f"{package}.{name}")


def optional(package: str, name: str) -> Any:  # noqa: ANN401
    """A module that a release may not have."""
    try:
        return module(package, name)
    except ImportError:
        return None


def fitting(function: Any, **offered: object) -> dict[str, object]:  # noqa: ANN401
    """Those of the keyword arguments that the function has parameters for."""
    taken = inspect.signature(function).parameters
    return {name: value for name, value in offered.items() if name in taken}


def ranks(context: Any) -> Any:  # noqa: ANN401
    """The place of the only process among those of a server."""
    made = getattr(context, "SpawnRanks", None)
    return made(world_rank=0, gpu_id=0) if made is not None else SimpleNamespace(world_rank=0, gpu_id=0)


def without_a_gpu(torch: Any) -> None:  # noqa: ANN401
    """Models make streams and empty caches without asking whether there is a GPU: let that do nothing.

    Where there is one that isn't to be used (a fork can't use its parent's), nobody is told of it.
    """
    torch.cuda.is_available = _no
    torch.cuda.synchronize = torch.cuda.empty_cache = _nothing
    if not hasattr(torch.cpu, "empty_cache"):  # what `torch.get_device_module()` gives is asked for it
        torch.cpu.empty_cache = _nothing
    torch.cuda.Stream = torch.cuda.Event = _Nothing
    torch.cuda.current_stream = _Nothing


def _no() -> bool:
    return False


class _Nothing:
    """A stream or an event where there is none."""

    def __init__(self, *_arguments: object, **_keywords: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def _rotary(package: str) -> None:
    """The rotary embedding that latent attention has on a CPU knows one kind of scaling, and not none."""
    for name in ("srt.layers.rotary_embedding.factory", "srt.layers.rotary_embedding"):
        found = optional(package, name)
        if found is None or not hasattr(found, "get_rope_cpu") or not hasattr(found, "get_rope"):
            continue
        scaled, plain = found.get_rope_cpu, found.get_rope

        def chosen(*arguments: Any, scaled: Any = scaled, plain: Any = plain, **keywords: Any) -> Any:  # noqa: ANN401
            given = inspect.signature(scaled).bind(*arguments, **keywords).arguments
            if given.get("rope_scaling") is not None:
                return scaled(**given)
            return plain(**fitting(plain, **given))

        found.get_rope_cpu = chosen
        return


def _platform(package: str, device: str) -> None:
    """Some models ask the platform for its device while they are built, and none is known for a CPU."""
    current = getattr(optional(package, "srt.platforms"), "current_platform", None)
    if current is not None:
        type(current).get_device = lambda _self, _number=None: device


def _nothing(*_arguments: object, **_keywords: object) -> None:
    return None


class _Warnings(logging.Handler):
    """Which model modules the registry left out, and why; it only logs that."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(" ".join(record.getMessage().split())[:400])
