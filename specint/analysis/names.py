"""Models by the names that people use: a class in any case, a checkpoint's name, a checkpoint's `config.json`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from specint.compliance.model import ModelCompliance
from specint.errors import SpecintError
from specint.reading import read_regular
from specint.suggestion import did_you_mean

_WORD = re.compile(r"[a-z]+|[0-9]+")
_OF_THE_CHECKPOINT = re.compile(
    r"(?:\d+x)?\d+[bmt]|a\d+b|e\d+b|v\d+|\d{4,8}|base|chat|instruct|it|hf|preview|thinking|fp8|fp4|nvfp4|bf16|int[48]|"
    r"awq|gptq|gguf|air|mini|small|medium|large|flash|pro|max|plus|turbo"
)
"""What the name of a checkpoint adds to that of its architecture, as its makers put it: sizes, stages of training,
formats. It may be a part of the architecture's name as well, so a longer name goes before a shorter one."""
_TASK = re.compile(r"For(?=[A-Z])|ChatModel$|LMHeadModel$")
"""Behind this a class says what it is for; before it which model it is."""
_WRITES = re.compile(r"For(?:CausalLM|ConditionalGeneration)")
"""The tasks that Transformers calls a model which writes by."""
_VERSION = re.compile(r"(\d+)\.\d+")
_EXPERTS = re.compile(r"a\d+b")
"""How many parameters are active: so the checkpoint has experts, and its class may say so where its name doesn't."""
_MOST_GUESSES = 4


def called(models: Sequence[ModelCompliance], name: str) -> tuple[ModelCompliance, ...]:
    """The models that a name means in the way people write it; none where it doesn't say which.

    What counts of a name are its letters and digits: "moonshotai/Kimi-K2.5" is `KimiK25…`. It is compared with the
    whole name of a class, then with what stands before its task, its module, and the checkpoints that the docstring of
    its module names; what a checkpoint's name adds at its end may be left out. Where that finds nothing, the version
    in the name counts for less and less (`guesses`).
    """
    return named(models, name) or guesses(models, name)


def named(models: Sequence[ModelCompliance], name: str) -> tuple[ModelCompliance, ...]:
    """The models that a name means without a doubt."""
    words = re.findall(r"[a-z0-9]+", _tail(name))
    for end in range(len(words), 0, -1):
        if end < len(words) and not _OF_THE_CHECKPOINT.fullmatch(words[end]):
            break
        key = "".join(words[:end])
        experts = [f"{key}moe"] if any(_EXPERTS.fullmatch(word) for word in words[end:]) else []
        for part in _PARTS:
            for wanted in (*experts, key):
                found = tuple(model for model in models if wanted in part(model))
                if found:
                    return _most_telling(found)
    return ()


def guesses(models: Sequence[ModelCompliance], name: str) -> tuple[ModelCompliance, ...]:
    """The models of the family that a name tells, the nearest version first: "Llama-3.1" is no class of its own, and
    "GLM-4.5V" one of two. Few enough to be looked at, or none."""
    tail = _tail(name)
    versions = (tail, _VERSION.sub(r"\1", tail), re.sub(r"\d+(?:\.\d+)?(?![bm])", "", tail))
    for kinds in (("", "moe"), ("vl",)):
        for version in versions:
            words = [word for word in re.findall(r"[a-z0-9]+", version) if not _OF_THE_CHECKPOINT.fullmatch(word)]
            keys = {"".join(words) + kind for kind in kinds} if words else set()
            found = _most_telling(tuple(model for model in models if _plain(_stem(model)) in keys))
            if 0 < len(found) <= _MOST_GUESSES:
                return found
    return ()


def guessed(models: Sequence[ModelCompliance], name: str) -> tuple[ModelCompliance, ...]:
    """What a name is taken for where it isn't certain; empty where it is, or means nothing at all."""
    exact = name.endswith(".json") or any(name in (model.name, model.class_) for model in models)
    return () if exact or named(models, name) else guesses(models, name)


def suggestion(models: Sequence[ModelCompliance], name: str) -> str:
    """The nearest names, for somebody whose name means none: those of the same family go first."""
    key = _plain(name.rpartition("/")[2])
    stems = {_plain(_stem(model)): model.name for model in models if _generates(model)}
    families = sorted((stem for stem in stems if len(stem) > 2 and key.startswith(stem)), key=len)
    if families and not did_you_mean(name, [model.name for model in models], most=1):
        return f"did you mean {stems[families[-1]]}?"
    return did_you_mean(name.rpartition(".")[2], [model.name for model in models])


def architecture_in(path: Path) -> str:
    """The architecture that a checkpoint's `config.json`, or the folder that holds it, names."""
    file = path / "config.json" if path.is_dir() else path
    try:
        read = msgspec.json.decode(read_regular(file))
        return str(read["architectures"][0])
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", str(file)) from None
    except (msgspec.DecodeError, KeyError, IndexError, TypeError):
        raise SpecintError("names no architecture", str(file), 'it needs "architectures": ["…"]') from None


def _plain(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def _stem(model: ModelCompliance) -> str:
    return _TASK.split(model.name)[0]


def _tail(name: str) -> str:
    """A checkpoint without its owner."""
    return name.rstrip("/").rpartition("/")[2].casefold()


def titled(model: ModelCompliance) -> tuple[str, ...]:
    """The checkpoints that the docstring of a model's module names, letters and digits alone: words with a version."""
    return tuple(_plain(word) for word in re.findall(r"[A-Za-z][\w.-]*\d[\w.-]*", model.title))


_PARTS: tuple[Callable[[ModelCompliance], tuple[str, ...]], ...] = (
    lambda model: (_plain(model.name),),
    lambda model: (_plain(_stem(model)),),
    lambda model: (_plain(model.class_.split(".")[-2]),),
    titled,
)


def _generates(model: ModelCompliance) -> bool:
    return any(verdict.verdict != "not applicable" for verdict in model.algorithms.values())


def _most_telling(found: tuple[ModelCompliance, ...]) -> tuple[ModelCompliance, ...]:
    """Of several classes of one model: those that serve as targets, that generate, and that say what they are for."""
    for wanted in (
        lambda one: "target" in one.roles,
        _generates,
        lambda one: _TASK.search(one.name) is not None,
        lambda one: _WRITES.search(one.name) is not None,
    ):
        found = tuple(model for model in found if wanted(model)) or found
    return found
