"""The configuration class that belongs to a model class, found from what SGLang and Transformers say."""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from typing import Any

DRAFT_ENDINGS = re.compile(r"(NextN|_?MTP|Eagle3?|EAGLE3?|DSpark|DFlash|Draft(Model)?)+$")
ARCHITECTURE_ENDINGS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "Model", "ForSequenceClassification")


def declared(architecture: str, table: list[dict[str, Any]]) -> Iterator[tuple[type, str]]:
    """The configuration class that a family's checkpoints name, where nothing in the source says which it is."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    for one in table:
        if any(fnmatch.fnmatchcase(architecture, pattern) for pattern in one["architectures"]):
            try:
                yield CONFIG_MAPPING[one["model_type"]], f"the model_type {one['model_type']} of its checkpoints"
            except KeyError:
                continue  # a Transformers that doesn't have it


def sources_of(class_: type) -> Iterator[tuple[type | None, str]]:
    """The configuration classes that may belong to a model class, the likeliest first, and how each was found.

    What its constructor is annotated with, in order of the class hierarchy; what Transformers lists for an architecture
    of that name; a configuration of the same name; what another class of its module is annotated with. The last is
    None: a generic configuration.
    """
    from transformers import PretrainedConfig

    known: set[type] = set()
    for found, how in _candidates(class_, PretrainedConfig):
        if found is not None and found not in known:
            known.add(found)
            yield found, how
    yield None, "nothing says which: a generic one"


def _candidates(class_: type, base: type) -> Iterator[tuple[type | None, str]]:
    for owner in class_.__mro__:
        own = "" if owner is class_ else f" of {owner.__name__}"
        yield _annotated(owner, base), f"the annotation of the constructor{own}"
    for owner in class_.__mro__:
        if owner.__module__.startswith(("torch.", "builtins")):
            continue
        for name in _stems(owner.__name__):
            yield _listed(name), f"what Transformers lists for {name}"
            yield _namesake(name), f"the name of {name}"
    for other in vars(importlib.import_module(class_.__module__)).values():
        if isinstance(other, type) and other.__module__ == class_.__module__:
            found = _annotated(other, base)
            if found is not None and "Vision" not in found.__name__ and "Audio" not in found.__name__:
                yield found, f"the annotation of {other.__name__} beside it"


def _stems(name: str) -> tuple[str, ...]:
    """The name of a draft is its target's, with an ending."""
    stem = DRAFT_ENDINGS.sub("", name)
    return (name,) if stem == name else (name, stem)


def _annotated(owner: type, base: type) -> type | None:
    initial = owner.__dict__.get("__init__")
    parameter = inspect.signature(initial).parameters.get("config") if inspect.isfunction(initial) else None
    if parameter is None or parameter.annotation is inspect.Parameter.empty:
        return None
    hint = parameter.annotation
    if isinstance(hint, str):
        try:
            hint = eval(hint, dict(vars(importlib.import_module(owner.__module__))))
        except Exception:
            return None
    for one in typing.get_args(hint) or (hint,):
        if isinstance(one, type) and issubclass(one, base) and one is not base and "model_type" in _everything(one):
            return one
    return None


def _everything(class_: type) -> set[str]:
    return {name for owner in class_.__mro__[:-1] for name in vars(owner)}


def _listed(architecture: str) -> type | None:
    from transformers.models.auto import configuration_auto, modeling_auto

    for name, table in vars(modeling_auto).items():
        if name.startswith("MODEL_") and name.endswith("_NAMES") and isinstance(table, dict):
            for model_type, architectures in table.items():
                if architecture == architectures or (
                    isinstance(architectures, (list, tuple)) and architecture in architectures
                ):
                    try:
                        return typing.cast("type", configuration_auto.CONFIG_MAPPING[model_type])
                    except KeyError:
                        continue
    return None


def _namesake(architecture: str) -> type | None:
    """The configuration class that bears the architecture's name, of SGLang or of Transformers."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    stems = {architecture}
    for ending in ARCHITECTURE_ENDINGS:
        stems.update(stem.removesuffix(ending) for stem in list(stems))
    wanted = {stem.replace("_", "").lower() for stem in stems}
    extra = getattr(CONFIG_MAPPING, "_extra_content", {})
    for found in extra.values():
        if found.__name__.removesuffix("Config").replace("_", "").lower() in wanted:
            return typing.cast("type", found)
    for model_type, name in getattr(CONFIG_MAPPING, "_mapping", {}).items():
        if name.removesuffix("Config").replace("_", "").lower() in wanted:
            return typing.cast("type", CONFIG_MAPPING[model_type])
    return None
