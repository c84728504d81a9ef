"""The same weights in Transformers' model: logits and captured states compared, number by number."""

from __future__ import annotations

import copy
import tempfile
from typing import Any

from . import boot
from .building import Built
from .capture import Run
from .channel import Channel, Skipped
from .forward import LENGTHS

CLOSE = {"float32": 1e-4, "bfloat16": 0.1, "float16": 0.02}
"""Two implementations of a tiny model differ by rounding, in float32 a few 1e-6; anything real is far above this."""


class Reference:
    """Transformers' model, whose weights the SGLang model has too."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - Transformers' model
        self.model = model

    def run(self, tokens: list[int]) -> tuple[Any, list[Any]]:
        """Logits of one sequence, and its states: the embedding, then the output of each layer."""
        import torch

        states: list[Any] = []

        def before(_layer: object, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
            states.append((arguments[0] if arguments else keywords["hidden_states"]).detach()[0])

        def after(_layer: object, _arguments: object, output: Any) -> None:  # noqa: ANN401
            states.append((output[0] if isinstance(output, tuple) else output).detach()[0])

        layers = _decoder_layers(self.model)
        hooks = [layers[0].register_forward_pre_hook(before, with_kwargs=True)]
        hooks += [layer.register_forward_hook(after) for layer in layers]
        device = next(self.model.parameters()).device
        try:
            with torch.no_grad():
                output = self.model(input_ids=torch.tensor([tokens], device=device), use_cache=False)
        finally:
            for hook in hooks:
                hook.remove()
        return output.logits[0], [state.reshape(len(tokens), -1) for state in states]


def load(package: str, built: Built, job: dict[str, Any], channel: Channel) -> Reference:
    """Make Transformers' model with random weights, and give them to the SGLang model through its own loader."""
    import torch

    with channel.step("weights"):
        values, holder = _language_part(built, job)
        model = _transformers_model(values, job)
        if holder is built.model and type(model).__name__ != job["architecture"]:
            raise Skipped(f"Transformers makes a {type(model).__name__} of its configuration, another architecture")
        _randomise(model)
        with torch.no_grad():
            for parameter in holder.parameters():
                if parameter.is_floating_point():
                    parameter.fill_(float("nan"))
        with tempfile.TemporaryDirectory(prefix="specint-smoke-") as folder:
            model.save_pretrained(folder)  # under the names that checkpoints use
            holder.load_weights(iter(_saved(folder, job["device"])))
        boot.after_loading(package, holder, built.model_config, through_loader=True)
        left = [name for name, parameter in holder.named_parameters() if _has_nan(parameter)]
        channel.tell(reference=type(model).__name__, weights=len(list(model.parameters())), not_loaded=left[:8])
        if left:
            raise Skipped(f"SGLang's load_weights left {len(left)} parameters as they were: {', '.join(left[:3])}")
    return Reference(model)


def compare(reference: Reference, done: Run, tokens: list[int], dtype: str, channel: Channel) -> None:
    """Which of Transformers' states each captured one is, and how far off; the logits likewise."""
    with channel.step("reference"):
        parts, ends, decoded = [], [], []
        first = 0
        for length, extra in zip(LENGTHS, (11, 12), strict=True):
            sequence = tokens[first : first + length]
            logits, states = reference.run(sequence)
            parts.append(states)
            ends.append(logits[-1])
            decoded.append(reference.run([*sequence, extra])[0][-1])
            first += length
        import torch

        states = [torch.cat([part[i] for part in parts]) for i in range(len(parts[0]))]
        vocabulary = ends[0].shape[-1]
        channel.tell(
            logits_difference=_difference(done.logits[:, :vocabulary], torch.stack(ends)),
            decode_difference=_difference(done.decode_logits[:, :vocabulary], torch.stack(decoded)),
            close=CLOSE.get(dtype, 0.0),
        )
        compared = [_compared(one.asked, one.states, states) for one in done.captured if one.states]
        channel.tell(compared=compared)


def _compared(asked: list[int] | None, found: list[Any], states: list[Any]) -> dict[str, Any]:
    matches = []
    for state in found:
        differences = [_difference(state, other) for other in states]
        nearest = min(range(len(states)), key=differences.__getitem__)
        # Counted as layers: -1 is the embedding, i the output of layer i.
        matches.append({"layer": nearest - 1, "difference": differences[nearest]})
    return {"asked": asked, "matches": matches}


def _difference(one: Any, other: Any) -> float:  # noqa: ANN401
    return float((one.float() - other.float()).abs().max())


def _language_part(built: Built, job: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The configuration of the language model as it was written (SGLang changes the one it read), and who holds it."""
    values = copy.deepcopy(built.tiny.values)
    for name in ("text_config", "llm_config", "language_config"):
        if isinstance(values.get(name), dict):
            for attribute in job.get("inner", []):
                inner = getattr(built.model, attribute, None)
                if inner is not None and hasattr(inner, "load_weights"):
                    return values[name], inner
    return values, built.model


def _transformers_model(values: dict[str, Any], job: dict[str, Any]) -> Any:  # noqa: ANN401
    import torch
    import transformers

    kind = values.pop("model_type", "")
    for name in ("architectures", "torch_dtype", "dtype", "auto_map", "quantization_config"):
        values.pop(name, None)
    model: Any = None
    for maker in ("AutoModelForCausalLM", "AutoModelForImageTextToText"):
        try:
            config = transformers.AutoConfig.for_model(kind, **copy.deepcopy(values))
            model = getattr(transformers, maker).from_config(config, attn_implementation="eager")
            break
        except (ValueError, AttributeError):
            continue
    if model is None:
        raise Skipped(f"Transformers has no language model for {kind!r}")
    return model.to(device=job["device"], dtype=getattr(torch, job["dtype"])).eval()


def _randomise(model: Any) -> None:  # noqa: ANN401
    import torch

    generator = torch.Generator(device="cpu").manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = torch.randn(parameter.shape, generator=generator) * 0.1
            if parameter.dim() == 1 and "bias" not in name:
                values += 1.0
            parameter.copy_(values)


def _saved(folder: str, device: str) -> list[tuple[str, Any]]:
    from pathlib import Path

    from safetensors.torch import load_file

    files = sorted(Path(folder).glob("*.safetensors"))
    if not files:
        raise Skipped("Transformers saved no safetensors")
    return [pair for file in files for pair in load_file(file, device=device).items()]


def _has_nan(parameter: Any) -> bool:  # noqa: ANN401
    return bool(parameter.is_floating_point() and parameter.isnan().any())


def _decoder_layers(model: Any) -> list[Any]:  # noqa: ANN401
    import torch

    count = model.config.get_text_config().num_hidden_layers
    found = [
        part
        for name, part in model.named_modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == count and name.rpartition(".")[2] in ("layers", "h")
    ]
    if not found:
        raise Skipped("its layers were not found in Transformers' model")
    return list(found[0])
