"""A tiny configuration for any model class: its own configuration class, with the sizes shrunk, as a `config.json`."""

from __future__ import annotations

import fnmatch
import inspect
import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .channel import Skipped

GENERIC = "specint_tiny"
DICTIONARIES: set[str] = set()
"""Keys of a generic configuration that the class reads as dictionaries, whatever they are called."""


class Tiny:
    """A configuration on its way to being small enough, and complete enough, to build a model from.

    Attributes:
        values: what is written to config.json.
        assumed: keys that the class asks for and its configuration lacks, with the values they were given.
        emptied: towers that were left out.
    """

    AS_PART, AS_DICTIONARY = "as a part", "as a dictionary"
    """Instead of a value: what is a dictionary is to be a configuration of its own, or the other way round."""

    def __init__(
        self, source: type | None, architecture: str, settings: dict[str, Any], found_by: str, **given: object
    ) -> None:
        self.settings = settings
        self.name = source.__name__ if source else None
        self.found_by = found_by
        self.assumed: dict[str, object] = {}
        self.emptied: list[str] = []
        self._tried: set[tuple[str, str]] = set()
        self.as_parts: set[str] = set()
        values = _defaults_of(source) if source else _everything(settings)
        self.values = self.shrunk(values)
        self.values["architectures"] = [architecture]
        self.values.setdefault("model_type", GENERIC)
        self.values["torch_dtype"] = self.values["dtype"] = "float32"
        self.values.pop("transformers_version", None)
        for rule in settings["given"]:
            self._give(rule, architecture, self.values)
        # Some wrappers answer for their language model: what is None there hides what is said here.
        for name in ("text_config", "llm_config", "language_config"):
            text = self.values.get(name)
            if isinstance(text, dict) and ("architectures" in text or name == "language_config"):
                text["architectures"] = text.get("architectures") or [architecture]
        for key, value in given.items():
            _set_everywhere(self.values, key, value)
        _make_known(source, self.values["model_type"])

    @classmethod
    def of_checkpoint(cls, folder: Path, settings: dict[str, Any], **given: object) -> Tiny:
        """The configuration of a real checkpoint, shrunk. Only its config.json is read."""
        try:
            read = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Skipped(f"{folder}/config.json can't be read: {error}") from error
        made = cls.__new__(cls)
        made.settings, made.assumed, made.emptied = settings, {}, []
        made._tried, made.as_parts = set(), set()
        made.name, made.found_by = "config.json", str(folder)
        read.pop("quantization_config", None)
        made.values = made.shrunk(read)
        made.values["torch_dtype"] = made.values["dtype"] = "float32"
        for key, value in given.items():
            _set_everywhere(made.values, key, value)
        return made

    def write(self, folder: Path) -> None:
        """Write config.json."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(self.values, default=str), encoding="utf-8")

    def complete(self, config_class: str, key: str, config: Any) -> bool:  # noqa: ANN401 - Transformers' object
        """Give a key that was asked for a value, in the part that lacks it; whether one is known."""
        known, value = self.value_for(key)
        if not known:
            return False
        lacking = [part for part in _parts(config, self.values, config_class) if key not in part]
        for part in lacking:
            part[key] = self.assumed[key] = value
        return bool(lacking)

    def _give(self, rule: dict[str, Any], architecture: str, part: dict[str, Any]) -> None:
        if not any(fnmatch.fnmatchcase(architecture, pattern) for pattern in rule.get("architectures", ["*"])):
            return
        if "part" in rule and part is self.values:
            inner = part.get(rule["part"])
            part[rule["part"]] = part = (
                inner if isinstance(inner, dict) and inner else self.shrunk(_everything(self.settings), (rule["part"],))
            )
        having = rule.get("having", () if "part" in rule else ("architectures",))
        if all(part.get(key) is not None for key in having):
            only_null = rule.get("where") == "null"
            given = {
                **_nulls(rule.get("values", {})),
                **{key: [one] * self.layers for key, one in rule.get("layers", {}).items()},
            }
            part.update({key: value for key, value in given.items() if not only_null or not part.get(key)})
        for key, value in part.items():
            if isinstance(value, dict) and "having" in rule and key not in _KEPT:
                self._give(rule, architecture, value)

    def reshape(self, config_class: str, key: str, value: object, config: Any) -> bool:  # noqa: ANN401
        """Give a key that is there a value of another shape, unless that was tried."""
        if not self.first_time(key, value):
            return False
        if value == self.AS_PART:
            self.as_parts.add(key)
        elif value == self.AS_DICTIONARY:
            DICTIONARIES.add(key)
        else:
            for part in list(_parts(config, self.values, config_class)) or [self.values]:
                part[key] = value
        self.assumed[key] = value
        return True

    def first_time(self, key: str, value: object) -> bool:
        """Whether this value was not yet tried for this key."""
        tried = (key, repr(value))
        new = tried not in self._tried
        self._tried.add(tried)
        return new

    def parted(self, config: Any) -> None:  # noqa: ANN401 - Transformers' object
        """What the class reads as parts, and the configuration has as dictionaries, becomes parts."""
        from transformers import PretrainedConfig

        for key, value in list(vars(config).items()):
            if key in self.as_parts:
                setattr(config, key, _as_part(value))
            if isinstance(vars(config)[key], PretrainedConfig):
                self.parted(vars(config)[key])

    def parts(self) -> Iterator[dict[str, Any]]:
        """All parts of what is written, the outermost first."""
        return _all_parts(self.values)

    @property
    def layers(self) -> int:
        """How many layers a tiny model has."""
        return int(self.settings["sizes"]["num_hidden_layers"])

    def value_for(self, key: str) -> tuple[bool, object]:
        """Whether a value is known for a key, and which."""
        for table in (self.settings["sizes"], _nulls(self.settings["defaults"])):
            if key in table:
                return True, table[key]
        if key.endswith("_config"):  # a part of its own, with every key that a size or a default is known for
            architectures = self.values.get("architectures")
            return True, self.shrunk({**_everything(self.settings), "architectures": architectures}, (key,))
        for guess in self.settings["guess"]:
            if any(fnmatch.fnmatchcase(key, pattern) for pattern in guess["patterns"]):
                return True, guess["value"]
        return False, None

    def shrunk(self, values: dict[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
        """The same keys with small values, and what depends on them adapted."""
        tower = self.settings["tower"]
        sizes = dict(self.settings["sizes"])
        if any(word in name for name in path for word in tower["words"]):
            sizes.update({key: value for key, value in tower.items() if isinstance(value, int)})
        layers = next((values[key] for key in _LAYER_KEYS if isinstance(values.get(key), int)), None)
        fewer = next((sizes[key] for key in _LAYER_KEYS if isinstance(values.get(key), int)), None)
        small: dict[str, Any] = {}
        for key, value in values.items():
            if isinstance(value, dict) and value and all(str(name).isdigit() for name in value):
                kept = {name: one for name, one in value.items() if fewer is None or int(name) < fewer}
                small[key] = {name: _sized(one, sizes) for name, one in kept.items()}
            elif key == "rope_scaling" and not value:
                small[key] = None  # an empty one is none
            elif isinstance(value, dict):
                small[key] = self.shrunk(value, (*path, key)) if key not in _KEPT else value
            elif isinstance(value, list) and layers and fewer and len(value) in (layers, layers + 1):
                small[key] = value[: fewer + len(value) - layers]
            elif key in sizes and isinstance(value, int) and not isinstance(value, bool) and value > 0:
                small[key] = min(sizes[key], value)
            elif isinstance(value, int) and not isinstance(value, bool) and key.endswith(_TOKEN_ENDINGS):
                small[key] = value if value < _FIRST_SPECIAL else _FIRST_SPECIAL + value % _SPECIALS
            else:
                small[key] = value
        _adapt(small)
        return small


_LAYER_KEYS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth", "layers", "encoder_layers")
_TOKEN_ENDINGS = ("_token_id", "_token_index", "_token")
_KEPT = ("id2label", "label2id", "quantization_config", "auto_map")
_FIRST_SPECIAL, _SPECIALS = 96, 31


def _adapt(values: dict[str, Any]) -> None:
    """What must fit the new sizes: rotary sections, indices of layers, ids of tokens in lists."""
    layers = next((values[key] for key in _LAYER_KEYS if isinstance(values.get(key), int)), None)
    for key, value in list(values.items()):
        if key in ("rope_scaling", "rope_parameters") and isinstance(value, dict):
            _adapt_rotary(value, values)
        elif isinstance(value, list) and value and all(type(item) is int for item in value):
            if (
                key.endswith(("_layers", "_indexes", "_indices", "_idx", "_layer_ids", "_layers_ids", "_list"))
                and layers
            ):
                values[key] = sorted({item % layers for item in value})
            elif key.endswith("_ids") or "token" in key:
                values[key] = [item if item < _FIRST_SPECIAL else _FIRST_SPECIAL + item % _SPECIALS for item in value]


def _adapt_rotary(rotary: dict[str, Any], values: dict[str, Any]) -> None:
    for part in (rotary, *(value for value in rotary.values() if isinstance(value, dict))):
        sections = part.get("mrope_section")
        if isinstance(sections, list) and len(sections) == 3:
            half = int(values.get("head_dim") or 16) // 2
            part["mrope_section"] = [half - 2 * (half * 3 // 8), half * 3 // 8, half * 3 // 8]
        for name in ("short_factor", "long_factor"):
            if isinstance(part.get(name), list):
                part[name] = part[name][: int(values.get("head_dim") or 16) // 2]


def _defaults_of(source: type) -> dict[str, Any]:
    try:
        made: Any = source()
    except TypeError:  # a field without a default
        made = source(**dict.fromkeys(_required(source)))
    values = json.loads(made.to_json_string(use_diff=False))
    values.setdefault("model_type", getattr(source, "model_type", "") or GENERIC)
    # What a class attribute or a property maps to another key is not in the dictionary, and needn't be.
    return typing.cast("dict[str, Any]", values)


def _required(source: type) -> list[str]:
    parameters = inspect.signature(source).parameters.values()
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in parameters if one.default is inspect.Parameter.empty and one.kind in plain]


def _everything(settings: dict[str, Any]) -> dict[str, Any]:
    """Every key that a size or a default is known for.

    Lists with an entry for each layer wait until they are asked for: how many layers there are is not yet decided.
    """
    defaults = _nulls(settings["defaults"])
    return {**settings["sizes"], **{key: value for key, value in defaults.items() if not isinstance(value, list)}}


def _sized(value: Any, sizes: dict[str, Any]) -> Any:  # noqa: ANN401 - of any configuration
    """What one layer has otherwise, in the sizes that the others have."""
    return {key: sizes.get(key, one) for key, one in value.items()} if isinstance(value, dict) else value


def _nulls(table: dict[str, Any]) -> dict[str, Any]:
    """TOML has no null: the word stands for it."""
    return {key: None if value == "null" else value for key, value in table.items()}


def _set_everywhere(values: dict[str, Any], key: str, value: object) -> None:
    """Set a key where it is, in every part of the configuration; at the top where it is nowhere."""

    for part in [part for part in _all_parts(values) if key in part] or [values]:
        part[key] = value


def _all_parts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield part
    for inner in part.values():
        if isinstance(inner, dict):
            yield from _all_parts(inner)


def make_known(class_: type | None, model_type: str) -> None:
    """Let AutoConfig read, in this process, a configuration that was written for a model class in another one."""
    from .sources import sources_of

    kinds = [None] if model_type == GENERIC or class_ is None else [source for source, _ in sources_of(class_)]
    for source in kinds:
        if source is None or getattr(source, "model_type", None) == model_type:
            _make_known(source, model_type)
            return


def _make_known(source: type | None, model_type: str) -> None:
    """Let AutoConfig find the class: some are only known to a checkpoint's own code, which a smoke load never runs."""
    from transformers import AutoConfig, PretrainedConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if source is None:
        made = type("TinyConfig", (PretrainedConfig,), {"model_type": GENERIC, "__init__": _with_parts})
        AutoConfig.register(GENERIC, made, exist_ok=True)
    elif model_type not in CONFIG_MAPPING and getattr(source, "model_type", None) == model_type:
        AutoConfig.register(model_type, source)


def _with_parts(self: Any, **values: Any) -> None:  # noqa: ANN401 - Transformers' object
    """A generic configuration: its parts are configurations, too, as in a real one."""
    from transformers import PretrainedConfig

    named = {key for key in values if key.endswith("_config") and key not in DICTIONARIES}
    parts = {key: value for key, value in values.items() if key in named and isinstance(value, dict)}
    PretrainedConfig.__init__(self, **{key: value for key, value in values.items() if key not in parts})
    for key, value in parts.items():
        setattr(self, key, _kept(PretrainedConfig(**value), value))
    _kept(self, values)


def _kept(made: Any, values: dict[str, Any]) -> Any:  # noqa: ANN401 - Transformers' object
    """Some keys become parts of others, and are no longer there under their own name: they are."""
    for key, value in values.items():
        if key != "torch_dtype" and not hasattr(made, key):
            setattr(made, key, value)
    return made


def _as_part(value: Any) -> Any:  # noqa: ANN401 - of any configuration
    """A dictionary, or a list of them, as parts of a configuration, with all that is in them."""
    from transformers import PretrainedConfig

    if isinstance(value, list):
        return [_as_part(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = PretrainedConfig()
    for key, one in value.items():
        setattr(made, key, _as_part(one) if isinstance(one, dict) else one)
    return made


def _parts(config: Any, values: dict[str, Any], class_name: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """The parts of `values` that become a configuration object of that class, the outermost first."""
    if type(config).__name__ == class_name:
        yield values
    for key, value in values.items():
        inner = getattr(config, key, None)
        if isinstance(value, dict) and inner is not None and not isinstance(inner, dict):
            yield from _parts(inner, value, class_name)
