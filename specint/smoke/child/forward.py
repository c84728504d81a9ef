"""A prefill and a decode step through SGLang's own forward, without a model runner, in plain PyTorch attention."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

from . import boot, standins
from .building import Built
from .channel import Skipped

LENGTHS = (5, 3)
"""Two sequences of different lengths: a mix-up of tokens shows."""


class Engine:
    """One model with its caches, ready to run."""

    def __init__(self, package: str, built: Built, device: str) -> None:
        self.package, self.built, self.device = package, built, device
        self.batch_info = boot.module(package, "srt.model_executor.forward_batch_info")
        pools = boot.module(package, "srt.mem_cache.memory_pool")
        attention = boot.module(package, "srt.layers.attention.torch_native_backend").TorchNativeAttnBackend
        config = built.model_config
        common = {"size": 64, "page_size": 1, "dtype": _dtype(built), "device": device, "enable_memory_saver": False}
        self.requests = pools.ReqToTokenPool(size=4, max_context_len=64, device=device, enable_memory_saver=False)
        layers = built.layers + 4  # a draft counts its layers on from the target's
        if getattr(config.attention_arch, "name", "") == "MLA":
            text = built.text_config
            ranks = {"kv_lora_rank": text.kv_lora_rank, "qk_rope_head_dim": text.qk_rope_head_dim}
            self.cache = pools.MLATokenToKVPool(layer_num=layers, **common, **ranks)
            _latent_attention(package)
        else:
            heads, wide, value = _cache_shape(built)
            more = boot.fitting(pools.MHATokenToKVPool.__init__, v_head_dim=value)
            self.cache = pools.MHATokenToKVPool(layer_num=layers, head_num=heads, head_dim=wide, **common, **more)
        around = SimpleNamespace(
            device=device, req_to_token_pool=self.requests, token_to_kv_pool=self.cache, model_config=config
        )
        self.attention = attention(around)
        total = sum(LENGTHS)
        self.tokens = [(7 * i + 3) % min(90, int(built.text_config.vocab_size)) for i in range(total)]
        first = 1  # slot and row 0 are padding
        for row, length in enumerate(LENGTHS, 1):
            slots = list(range(first, first + length))
            self.requests.req_to_token[row, :length] = self.tensor(slots, "int32")
            first += length

    def tensor(self, values: Any, dtype: str = "int64") -> Any:  # noqa: ANN401 - numbers to a tensor
        """A tensor on the device."""
        import torch

        return torch.tensor(values, dtype=getattr(torch, dtype), device=self.device)

    def prefill(
        self,
        mode: str = "FULL",
        spec_info: object = None,
        input_embeds: Any = None,  # noqa: ANN401 - a tensor
    ) -> Any:  # noqa: ANN401 - SGLang's output
        """Both sequences, all their tokens; with embeddings of them instead of ids, where these are given."""
        total = sum(LENGTHS)
        starts = [sum(LENGTHS[:i]) for i in range(len(LENGTHS))]
        return self._run(
            mode,
            spec_info,
            input_embeds,
            forward_mode=self.batch_info.ForwardMode.EXTEND,
            input_ids=self.tensor(self.tokens),
            seq_lens=self.tensor(LENGTHS),
            out_cache_loc=self.tensor(range(1, total + 1)),
            seq_lens_sum=total,
            positions=self.tensor([position for length in LENGTHS for position in range(length)]),
            extend_seq_lens=self.tensor(LENGTHS, "int32"),
            extend_prefix_lens=self.tensor([0] * len(LENGTHS), "int32"),
            extend_num_tokens=total,
            extend_start_loc=self.tensor(starts, "int32"),
            extend_prefix_lens_cpu=[0] * len(LENGTHS),
            extend_seq_lens_cpu=list(LENGTHS),
            extend_logprob_start_lens_cpu=[0] * len(LENGTHS),
        )

    def decode(self, tokens: tuple[int, int] = (11, 12)) -> Any:  # noqa: ANN401
        """One more token for both, after a prefill."""
        total = sum(LENGTHS)
        for row, length in enumerate(LENGTHS, 1):
            self.requests.req_to_token[row, length] = total + row
        longer = [length + 1 for length in LENGTHS]
        return self._run(
            "FULL",
            None,
            None,
            forward_mode=self.batch_info.ForwardMode.DECODE,
            input_ids=self.tensor(tokens),
            seq_lens=self.tensor(longer),
            out_cache_loc=self.tensor([total + 1, total + 2]),
            seq_lens_sum=sum(longer),
            positions=self.tensor(LENGTHS),
        )

    def _run(self, mode: str, spec_info: object, input_embeds: object, **fields: Any) -> Any:  # noqa: ANN401
        import torch

        batch_class = self.batch_info.ForwardBatch
        offered = {
            **fields,
            "batch_size": len(LENGTHS),
            "req_pool_indices": self.tensor([1, 2]),
            "seq_lens_cpu": torch.tensor(fields["seq_lens"].tolist()),
            "capture_hidden_mode": getattr(self.batch_info.CaptureHiddenMode, mode),
            "req_to_token_pool": self.requests,
            "token_to_kv_pool": self.cache,
            "attn_backend": self.attention,
            "spec_info": spec_info,
            "mrope_positions": fields["positions"].unsqueeze(0).expand(3, -1),
        }
        known = batch_class.__dataclass_fields__
        batch = batch_class(**{name: value for name, value in offered.items() if name in known})
        self.attention.init_forward_metadata(batch)
        standins.seal(True)
        try:
            with torch.no_grad(), _context(self.package, self.attention, batch):
                more = {} if input_embeds is None else {"input_embeds": input_embeds}
                return self.built.model.forward(batch.input_ids, batch.positions, batch, **more)
        finally:
            standins.seal(False)


def _cache_shape(built: Built) -> tuple[int, int, int]:
    """Key heads, width of a key, width of a value: as the layers have them, whatever the configuration is called."""
    config = built.model_config
    shapes = {
        (int(part.tp_k_head_num), int(part.qk_head_dim), int(part.v_head_dim))
        for part in built.model.modules()
        if hasattr(part, "tp_k_head_num") and hasattr(part, "qk_head_dim") and hasattr(part, "v_head_dim")
    }
    if len(shapes) > 1:
        raise Skipped(f"its layers need caches of different shapes: {sorted(shapes)}")
    fallback = (config.get_num_kv_heads(1), config.head_dim, getattr(config, "v_head_dim", None) or config.head_dim)
    return next(iter(shapes), fallback)


def _dtype(built: Built) -> Any:  # noqa: ANN401
    return next(built.model.parameters()).dtype


def _context(package: str, attention: object, batch: object) -> AbstractContextManager[Any]:
    """Where a release keeps what the layers read, if not in the batch."""
    found = boot.optional(package, "srt.model_executor.forward_context")
    if found is None or not hasattr(found, "forward_context"):
        return nullcontext()
    made: AbstractContextManager[Any] = found.forward_context(
        found.ForwardContext(attn_backend=attention), forward_batch=batch
    )
    return made


def _latent_attention(package: str) -> None:
    """Without this, multi-head latent attention takes the way for another backend: silently wrong numbers."""
    done = False
    for name, found in list(sys.modules.items()):
        if not name.startswith(f"{package}.srt.models."):
            continue
        registry, methods = getattr(found, "AttentionBackendRegistry", None), getattr(found, "AttnForwardMethod", None)
        if registry is not None and hasattr(methods, "MLA"):
            registry.register(boot.ATTENTION, lambda _attention, _batch, methods=methods: methods.MLA)
            done = True
    if not done:
        raise Skipped("this SGLang has no registry of attention methods for latent attention")
