"""A tiny model of an architecture, built the way SGLang builds it, on the device."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import boot
from .channel import Channel, Skipped, place, said
from .configuration import Tiny
from .shapes import reshaped
from .sources import declared, sources_of
from .towers import empty_tower, gaps_are_read

MOST_ATTEMPTS = 60
LACKS = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
TAKES_NOT = re.compile(r"KeyError: '(\w+)'")


class Built:
    """A model and what it was built from."""

    def __init__(self, model: Any, model_config: Any, tiny: Tiny) -> None:  # noqa: ANN401 - SGLang's objects
        self.model = model
        self.model_config = model_config
        self.tiny = tiny

    @property
    def text_config(self) -> Any:  # noqa: ANN401 - Transformers' object
        """The configuration of the language model."""
        return self.model_config.hf_text_config

    @property
    def layers(self) -> int:
        """How many layers the language model has."""
        return int(getattr(self.text_config, "num_hidden_layers", 0) or 0)


def build(package: str, job: dict[str, Any], channel: Channel, *, draft: bool = False) -> Built:
    """Configure and build; a key that the class reads and its configuration lacks is given a value, and told."""
    with channel.step("configure"):
        tinies = list(_configurations(package, job))
    with channel.step("build"):
        made, model_config, tiny = _first_that_builds(package, tinies, job, draft)
        wanted = _wanted(package, job)
        if wanted is not None and type(made) is not wanted:
            raise Skipped(f"for its configuration SGLang builds {type(made).__module__}.{type(made).__qualname__}")
        model = made.eval()
        text = model_config.hf_text_config
        channel.tell(
            class_=f"{type(model).__module__}.{type(model).__qualname__}",
            config_class=tiny.name,
            found_by=tiny.found_by,
            assumed=tiny.assumed,
            emptied=tiny.emptied,
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            devices=sorted({str(parameter.device) for parameter in model.parameters()}),
            layers=int(getattr(text, "num_hidden_layers", 0) or 0),
            hidden=int(getattr(text, "hidden_size", 0) or 0),
            vocabulary=int(getattr(text, "vocab_size", 0) or 0),
            tied=bool(getattr(text, "tie_word_embeddings", False)),
        )
    return Built(model, model_config, tiny)


def _configurations(package: str, job: dict[str, Any]) -> Iterator[Tiny]:
    if job.get("checkpoint"):
        yield Tiny.of_checkpoint(Path(job["checkpoint"]), job["settings"], **job.get("given", {}))
        return
    architecture = job["architecture"]
    class_ = boot.registry(package).models.get(architecture)
    if class_ is None:
        _import_again(job.get("module"))
        raise Skipped(f"SGLang's registry has no {architecture}")
    if job.get("module") and class_.__module__ != job["module"]:
        raise Skipped(f"SGLang's registry has another {architecture}, that of {class_.__module__}")
    problem: Exception | None = None
    count = 0
    for source, how in (*declared(architecture, job["settings"]["configuration"]), *sources_of(class_)):
        try:
            yield Tiny(source, architecture, job["settings"], how, **job.get("given", {}))
            count += 1
        except Exception as error:
            problem = problem or error
    if not count and problem:
        raise problem


def _wanted(package: str, job: dict[str, Any]) -> type | None:
    """The class that is to be built; None for a checkpoint, whose class SGLang chooses."""
    return None if job.get("checkpoint") else boot.registry(package).models.get(job["architecture"])


def _first_that_builds(package: str, tinies: list[Tiny], job: dict[str, Any], draft: bool) -> tuple[Any, Any, Tiny]:
    """The likeliest configuration that a model can be built from; if none, the first one's error.

    Of some checkpoints SGLang makes the class only when it reads them as a draft's.
    """
    problem: Exception | None = None
    other: tuple[Any, Any, Tiny] | None = None
    for as_draft in (draft, True) if job["role"] == "draft" and not draft else (draft,):
        for tiny in tinies:
            try:
                made = (*_attempts(package, tiny, job, as_draft), tiny)
            except Exception as error:
                problem = problem or error
                continue
            if _wanted(package, job) in (None, type(made[0])):
                return made
            other = other or made
    if other is not None:
        return other
    raise problem or Skipped("there is no configuration to build it from")


def _attempts(package: str, tiny: Tiny, job: dict[str, Any], draft: bool) -> tuple[Any, Any]:
    folder = Path(tempfile.mkdtemp(prefix="specint-smoke-"))
    tower = job["settings"]["tower"]
    for attempt in range(MOST_ATTEMPTS):
        model_config = None
        try:
            here = folder / str(attempt)  # SGLang caches what it read by path
            tiny.write(here)
            model_config = boot.model_configuration(package, str(here), job["dtype"], draft=draft)
            tiny.parted(model_config.hf_config)
            model_config.hf_config.encoder_only = model_config.hf_config.language_only = False
            with gaps_are_read():
                return boot.build(package, model_config, job["device"], job["dtype"]), model_config
        except Exception as error:
            if _completed(error, tiny, model_config):
                continue
            if "bfloat16" in str(error) and job["dtype"] == "float32":
                job["dtype"] = tiny.assumed["dtype"] = "bfloat16"  # the class takes nothing else
                continue
            outermost = model_config.hf_config if model_config is not None else None
            if (name := None if draft else empty_tower(error, tower)) is not None:
                tiny.emptied.append(name)
            elif not reshaped(error, tiny, outermost):
                raise
    raise Skipped(f"after {MOST_ATTEMPTS} attempts the class still asks for keys that its configuration lacks")


def _completed(error: Exception, tiny: Tiny, model_config: Any) -> bool:  # noqa: ANN401 - SGLang's object
    """Whether a key that was asked for and isn't there could be given a value."""
    lacks = LACKS.search(str(error)) if isinstance(error, AttributeError) else None
    config = model_config.hf_config if model_config is not None else _outermost(lacks)
    return lacks is not None and config is not None and tiny.complete(lacks[1], lacks[2], config)


def _outermost(lacks: re.Match[str] | None) -> Any:  # noqa: ANN401
    """Where ModelConfig itself failed there is no configuration object to look into: its outermost part is meant."""
    return type(lacks[1], (), {})() if lacks else None


def _import_again(name: str | None) -> None:
    """The registry leaves out what it can't import: say why."""
    import importlib

    if not name:
        return
    try:
        importlib.import_module(name)
    except Exception as error:
        raise Skipped(f"its module can't be imported: {said(error)} ({place(error)})") from error
