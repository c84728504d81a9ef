"""How a configuration is shrunk; no Transformers is needed for that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specint.smoke.child.channel import Skipped
from specint.smoke.child.configuration import Tiny
from specint.smoke.knowledge import knowledge


def shrunk(tmp_path: Path, values: dict, **given: object) -> dict:
    (tmp_path / "config.json").write_text(json.dumps(values))
    return Tiny.of_checkpoint(tmp_path, knowledge(), **given).values


def test_sizes_shrink_and_nothing_grows(tmp_path):
    small = shrunk(tmp_path, {"hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 100, "rms_norm_eps": 1e-5})
    assert (small["hidden_size"], small["num_hidden_layers"], small["vocab_size"]) == (64, 8, 100)
    assert small["rms_norm_eps"] == 1e-5


def test_a_list_with_an_entry_for_each_layer_keeps_as_many_as_there_are_layers(tmp_path):
    kinds = ["full"] * 16 + ["sliding"] * 16
    small = shrunk(tmp_path, {"num_hidden_layers": 32, "layer_types": kinds})
    assert small["layer_types"] == ["full"] * 8


def test_layer_indices_stay_below_the_number_of_layers(tmp_path):
    small = shrunk(tmp_path, {"vision_config": {"depth": 32, "fullatt_block_indexes": [7, 15, 23, 31]}})
    assert small["vision_config"]["depth"] == 2
    assert max(small["vision_config"]["fullatt_block_indexes"]) < 2


def test_special_tokens_stay_inside_the_vocabulary(tmp_path):
    small = shrunk(tmp_path, {"vocab_size": 150000, "image_token_id": 151655, "bos_token_id": 1})
    assert 0 < small["image_token_id"] < small["vocab_size"]
    assert small["bos_token_id"] == 1


def test_a_tower_has_sizes_of_its_own(tmp_path):
    values = {"num_hidden_layers": 32, "vision_config": {"num_hidden_layers": 24, "hidden_size": 1152}}
    small = shrunk(tmp_path, values)
    assert (small["num_hidden_layers"], small["vision_config"]["num_hidden_layers"]) == (8, 2)


def test_rotary_sections_fill_half_a_head(tmp_path):
    small = shrunk(tmp_path, {"head_dim": 128, "rope_scaling": {"mrope_section": [16, 24, 24]}})
    assert sum(small["rope_scaling"]["mrope_section"]) == small["head_dim"] // 2


def test_what_is_given_is_set_wherever_the_key_is(tmp_path):
    small = shrunk(tmp_path, {"text_config": {"tie_word_embeddings": False}}, tie_word_embeddings=True)
    assert small["text_config"]["tie_word_embeddings"] is True


def test_a_quantised_checkpoint_is_built_unquantised(tmp_path):
    assert "quantization_config" not in shrunk(tmp_path, {"quantization_config": {"quant_method": "fp8"}})


def test_a_key_that_the_class_asks_for_is_given_a_value_and_told(tmp_path):
    tiny = Tiny.of_checkpoint(_written(tmp_path, {"hidden_size": 8}), knowledge())
    config = type("SomeConfig", (), {})()
    assert tiny.complete("SomeConfig", "use_double_bias", config)
    assert tiny.values["use_double_bias"] is False
    assert tiny.assumed == {"use_double_bias": False}
    assert not tiny.complete("SomeConfig", "something_nobody_knows", config)


def test_a_folder_without_a_configuration_is_a_reason(tmp_path):
    with pytest.raises(Skipped, match=r"config\.json can't be read"):
        Tiny.of_checkpoint(tmp_path, knowledge())


def _written(folder: Path, values: dict) -> Path:
    (folder / "config.json").write_text(json.dumps(values))
    return folder


def test_a_part_that_is_asked_for_is_a_configuration_of_its_own(tmp_path):
    tiny = Tiny.of_checkpoint(_written(tmp_path, {"hidden_size": 8}), knowledge())
    config = type("SomeConfig", (), {})()
    assert tiny.complete("SomeConfig", "vision_config", config)
    assert tiny.values["vision_config"]["num_hidden_layers"] == 2
    assert tiny.complete("SomeConfig", "llm_config", config)
    assert tiny.values["llm_config"]["num_hidden_layers"] == 8


def test_every_list_with_an_entry_for_each_layer_is_as_long_as_the_model_is_deep():
    whole = knowledge()
    layers = whole["sizes"]["num_hidden_layers"]
    for name in ("layer_types", "layers_block_type", "hybrid_layer_pattern", "layer_rope_theta"):
        assert len(whole["defaults"][name]) == layers


def test_what_one_layer_has_otherwise_is_as_small_as_the_rest(tmp_path):
    values = {
        "num_hidden_layers": 32,
        "head_dim": 256,
        "per_layer_config": {"5": {"head_dim": 512}, "11": {"head_dim": 512}},
    }
    small = shrunk(tmp_path, values)
    assert small["per_layer_config"] == {"5": {"head_dim": small["head_dim"]}}
