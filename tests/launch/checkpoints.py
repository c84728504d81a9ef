"""Configurations of targets and drafts in the shapes that public models have, small where that changes nothing."""

from __future__ import annotations

import copy
from typing import Any

Config = dict[str, Any]
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
FP8 = {"quant_method": "fp8", "activation_scheme": "dynamic", "fmt": "e4m3", "weight_block_size": [128, 128]}


def _dense(architecture: str, model_type: str, **keys: Any) -> Config:
    return {
        "architectures": [architecture], "model_type": model_type, "hidden_size": 4096, "intermediate_size": 12288,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936,
        "max_position_embeddings": 40960, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "hidden_act": "silu",
        "tie_word_embeddings": False, "torch_dtype": "bfloat16", **keys,
    }  # fmt: skip


def _latent(architecture: str, model_type: str, **keys: Any) -> Config:
    """Attention over a latent vector, many experts and a layer to predict with."""
    return _dense(
        architecture, model_type, num_key_value_heads=32, kv_lora_rank=512, q_lora_rank=1536, qk_nope_head_dim=128,
        qk_rope_head_dim=64, v_head_dim=128, n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8,
        moe_intermediate_size=2048, n_group=8, topk_group=4, topk_method="noaux_tc", scoring_func="sigmoid",
        norm_topk_prob=True, routed_scaling_factor=2.5, first_k_dense_replace=3, moe_layer_freq=1,
        num_nextn_predict_layers=1, **keys,
    )  # fmt: skip


TARGETS: dict[str, Config] = {
    "llama": _dense("LlamaForCausalLM", "llama"),
    "llama-tied": _dense("LlamaForCausalLM", "llama", tie_word_embeddings=True, hidden_size=2048),
    "llama-long": _dense("LlamaForCausalLM", "llama", rope_scaling=YARN, quantization_config=FP8),
    "qwen2": _dense("Qwen2ForCausalLM", "qwen2", use_sliding_window=False, sliding_window=131072),
    "qwen3": _dense("Qwen3ForCausalLM", "qwen3", head_dim=128),
    "qwen3-moe": _dense(
        "Qwen3MoeForCausalLM", "qwen3_moe", head_dim=128, num_experts=128, num_experts_per_tok=8,
        moe_intermediate_size=768, decoder_sparse_step=1, norm_topk_prob=True, hidden_size=2048, mlp_only_layers=[],
    ),
    "mistral": _dense("MistralForCausalLM", "mistral", sliding_window=None, head_dim=128, vocab_size=32000),
    "mixtral": _dense("MixtralForCausalLM", "mixtral", num_local_experts=8, num_experts_per_tok=2, vocab_size=32000),
    "gemma2": _dense(
        "Gemma2ForCausalLM", "gemma2", head_dim=256, hidden_activation="gelu_pytorch_tanh", sliding_window=4096,
        attn_logit_softcapping=50.0, final_logit_softcapping=30.0, query_pre_attn_scalar=256, num_attention_heads=16,
    ),
    "gpt-oss": _dense(
        "GptOssForCausalLM", "gpt_oss", hidden_size=2880, head_dim=64, num_attention_heads=64, vocab_size=201088,
        num_local_experts=32, num_experts_per_tok=4, sliding_window=128, num_hidden_layers=24, intermediate_size=2880,
        layer_types=["sliding_attention", "full_attention"] * 12, swiglu_limit=7.0,
        quantization_config={"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]},
    ),
    "glm4-moe": _dense(
        "Glm4MoeForCausalLM", "glm4_moe", hidden_size=5120, head_dim=128, num_attention_heads=96, n_routed_experts=160,
        n_shared_experts=1, num_experts_per_tok=8, moe_intermediate_size=1536, first_k_dense_replace=3, n_group=1,
        topk_group=1, norm_topk_prob=True, partial_rotary_factor=0.5, num_nextn_predict_layers=1, use_qk_norm=True,
    ),
    "deepseek-v3": _latent("DeepseekV3ForCausalLM", "deepseek_v3", quantization_config=FP8),
    "deepseek-v2": _latent("DeepseekV2ForCausalLM", "deepseek_v2") | {
        "topk_method": "group_limited_greedy", "num_nextn_predict_layers": 0, "scoring_func": "softmax",
    },
    "qwen3-next": _dense(
        "Qwen3NextForCausalLM", "qwen3_next", hidden_size=2048, head_dim=256, num_attention_heads=16,
        num_key_value_heads=2, num_experts=512, num_experts_per_tok=10, moe_intermediate_size=512,
        shared_expert_intermediate_size=512, linear_num_key_heads=16, linear_num_value_heads=32,
        linear_key_head_dim=128, linear_value_head_dim=128, linear_conv_kernel_dim=4, full_attention_interval=4,
        partial_rotary_factor=0.25, decoder_sparse_step=1, norm_topk_prob=True, num_hidden_layers=48,
    ),
    "bert": {"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 768, "num_attention_heads": 12,
             "num_hidden_layers": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512},
    "unknown-class": _dense("NobodysForCausalLM", "llama"),
    "unknown-type": _dense("LlamaForCausalLM", "nobodys"),
}  # fmt: skip


def _draft(architecture: str, **keys: Any) -> Config:
    return _dense(architecture, "llama", num_hidden_layers=1, draft_vocab_size=32000, **keys)


DRAFTS: dict[str, Config] = {
    "eagle": _dense("LlamaForCausalLMEagle", "llama", num_hidden_layers=1),
    "eagle3": _draft("LlamaForCausalLMEagle3"),
    "eagle3-2048": _draft("LlamaForCausalLMEagle3", hidden_size=2048),
    "eagle3-layers": _draft("LlamaForCausalLMEagle3", eagle_config={"eagle_aux_hidden_state_layer_ids": [1, 15, 28]}),
    "misnamed": _draft("LlamaForCausalLM"),
    "dflash": _dense(
        "DFlashDraftModel", "qwen3", head_dim=128, num_hidden_layers=5, block_size=16,
        dflash_config={"target_layer_ids": [1, 9, 17, 25], "mask_token_id": 151669},
    ),
    "small": _dense("Qwen3ForCausalLM", "qwen3", hidden_size=1024, num_hidden_layers=28, head_dim=128),
}  # fmt: skip

# What goes wrong in a config.json: a key gone, or another value.
VALUES = [None, 0, 1, -1, 7, 16, 0.5, True, "4096", [], [1, 2], {}, {"rope_type": "linear", "factor": 2.0}, "float16"]
KEYS = [
    "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size", "vocab_size", "rope_scaling",
    "max_position_embeddings", "rms_norm_eps", "torch_dtype", "quantization_config", "architectures", "model_type",
    "tie_word_embeddings", "sliding_window", "kv_lora_rank", "num_nextn_predict_layers", "head_dim", "hidden_act",
]  # fmt: skip


def damaged(config: Config, random: Any) -> Config:
    """The same with one key gone or of another value."""
    made = copy.deepcopy(config)
    key = random.choice([name for name in KEYS if name in made] or KEYS)
    if random.random() < 0.3:
        made.pop(key, None)
    else:
        made[key] = random.choice(VALUES)
    return made
