"""Which key of a configuration a failing line read, and in which other shapes it is tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specint.smoke.child.configuration import Tiny
from specint.smoke.child.shapes import reshaped
from specint.smoke.knowledge import knowledge

LAYERS = knowledge()["sizes"]["num_hidden_layers"]


class PretrainedConfig:
    """A configuration as Transformers has them, as far as it is looked at."""

    def __init__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)


class Layer:
    def __init__(self, config: PretrainedConfig, build: Any) -> None:
        self.config = config
        build(self, config)


def _by_number(_self: Any, config: Any) -> None:
    return config.rope_theta[3]


def _by_alias(_self: Any, config: Any) -> None:
    starts = config.moe_layer_start_index
    return min(starts)


def _by_own_attribute(self: Any, config: Any) -> None:
    self.crossing = config.cross_attention_layers
    return 2 in self.crossing


def _by_getattr(_self: Any, config: Any) -> None:
    return getattr(config, "moe_layers_enum", None).strip()


def _by_attribute(_self: Any, config: Any) -> None:
    return config.aligner_config.hidden_size


def _by_name(_self: Any, config: Any) -> None:
    return config.rope_parameters["rope_theta"]


def _of_nothing(_self: Any, config: Any) -> None:
    return config.first_k_dense_replace + 1


def _past_the_end(_self: Any, config: Any) -> None:
    return config.layer_types[45]


def _handed_on(_self: Any, config: Any) -> None:
    _inner(config.scaling)


def _inner(scaling: dict[str, Any]) -> Any:
    return scaling["rms_norm_eps"]


@pytest.mark.parametrize(
    ("build", "values", "key", "expected"),
    [
        (_by_number, {"rope_theta": 5.0}, "rope_theta", [5.0] * LAYERS),
        (_by_alias, {"moe_layer_start_index": 1}, "moe_layer_start_index", [1] * LAYERS),
        (_by_own_attribute, {"cross_attention_layers": 2}, "cross_attention_layers", [2] * LAYERS),
        (_by_getattr, {"moe_layers_enum": [1, 2]}, "moe_layers_enum", "1,2"),
        (_by_name, {"rope_parameters": None}, "rope_parameters", knowledge()["rope"]),
        (_of_nothing, {"first_k_dense_replace": None}, "first_k_dense_replace", 1),
        (_past_the_end, {"layer_types": ["full", "sliding"]}, "layer_types", ["full", "sliding"] * 32),
        (_handed_on, {"scaling": {"factor": 1.0}}, "scaling", {"factor": 1.0, "rms_norm_eps": 1e-6}),
    ],
)
def test_the_key_behind_a_failing_line_gets_the_shape_that_the_line_wants(tmp_path, build, values, key, expected):
    tiny, error, config = _failed(tmp_path, build, values)
    assert reshaped(error, tiny, config)
    assert tiny.values[key] == expected
    assert tiny.assumed[key] == expected


def test_a_dictionary_that_is_read_as_a_part_becomes_one(tmp_path):
    tiny, error, config = _failed(tmp_path, _by_attribute, {"aligner_config": {"hidden_size": 8}})
    assert reshaped(error, tiny, config)
    assert tiny.as_parts == {"aligner_config"}


def test_no_shape_is_tried_twice(tmp_path):
    tiny, error, config = _failed(tmp_path, _by_number, {"rope_theta": 5.0})
    assert reshaped(error, tiny, config)
    assert not reshaped(error, tiny, config)


def test_a_failure_that_reads_no_configuration_is_left_alone(tmp_path):
    tiny, error, config = _failed(tmp_path, lambda _self, _config: int("x"), {"rope_theta": 5.0})
    assert not reshaped(error, tiny, config)
    assert tiny.assumed == {}


def test_a_configuration_class_that_names_the_type_it_wants_gets_it(tmp_path):
    tiny = _tiny(tmp_path, {"moe_weight": 1, "index_topk": None})
    wants = "Field 'moe_weight' with value 1 doesn't match any type in (<class 'float'>, <class 'NoneType'>)."
    assert reshaped(TypeError(wants), tiny, None)
    assert repr(tiny.values["moe_weight"]) == "1.0"
    assert reshaped(TypeError("Field 'index_topk' expected int, got NoneType (value: None)"), tiny, None)
    assert tiny.values["index_topk"] == 16


def test_a_configuration_class_that_wants_a_list_as_long_as_a_number_gets_it(tmp_path):
    tiny = _tiny(tmp_path, {"num_hidden_layers": 3, "layer_types": ["full", "sliding"]})
    wants = "`num_hidden_layers` (3) must be equal to the number of `layer_types` (2)"
    assert reshaped(ValueError(wants), tiny, None)
    assert tiny.values["layer_types"] == ["full", "sliding", "full"]


def _tiny(folder: Path, values: dict[str, Any]) -> Tiny:
    (folder / "config.json").write_text(json.dumps(values))
    tiny = Tiny.of_checkpoint(folder, knowledge())
    tiny.values.update(values)
    return tiny


def _failed(folder: Path, build: Any, values: dict[str, Any]) -> tuple[Tiny, Exception, PretrainedConfig]:
    tiny = _tiny(folder, values)
    config = PretrainedConfig(dict(values))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whichever the line raises
        Layer(config, build)
    return tiny, caught.value, config
