"""`rules/contract.toml` as it stands: the few places of SGLang that no source states.

The plugin reads it for every run of pylint, so it does without the rooms that find the places in a tree.
"""

from __future__ import annotations

import tomllib
from functools import cache

import msgspec

from specint.data import rules_text


class AlgorithmRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where the algorithms are named, and under which names one is kept."""

    enum: str
    none: str
    attributes: tuple[str, ...]
    option: str
    option_modules: tuple[str, ...]
    since: str
    spoken: dict[str, str]
    reason: str


class RunnerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps a model, and in which attribute."""

    class_: str = msgspec.field(name="class")
    model: str
    reason: str


class WorkerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What owns a runner, and how the two sides are told apart."""

    class_: str = msgspec.field(name="class")
    target_parameter: str
    draft_flag: str
    reason: str


class CodeRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Which packages are scanned, and where models name themselves."""

    packages: tuple[str, ...]
    workers: str
    models: str
    registry_attribute: str
    registry: str
    registry_table: str
    reason: str


class SettingsRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where the settings of a server are declared, besides the modules of the options."""

    modules: tuple[str, ...]
    packages: tuple[str, ...]
    required: bool
    reason: str


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """Where a line of a release can be read: `{version}`, `{file}` and `{line}` stand for what they say."""

    line: str
    reason: str


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """How the classes are called that serve an architecture which the registry doesn't know."""

    prefix: str
    reason: str


class DraftRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a checkpoint is turned into a draft, and what only drafts read."""

    configuration: str
    flag: str
    attribute: str
    handed_over: tuple[str, ...]
    reason: str


class GenerationRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where the configuration says whether a model generates, and what tells that of a class."""

    configuration: str
    attribute: str
    reason: str


class ArchitectureRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What tells the model's class."""

    function: str
    required: bool
    reason: str


class LoaderRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is built."""

    module: str
    required: bool
    reason: str


class InnerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a wrapper hands over the model within it."""

    function: str
    parameter: str
    required: bool
    reason: str


class WithoutWorker(msgspec.Struct, frozen=True, kw_only=True):
    """Options under which a server starts no worker, and the function that decides it."""

    function: str
    options: tuple[str, ...]
    reason: str


class StagesRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What tells a server of several pipeline stages from one that has a single stage."""

    option: str
    several: int
    alone: dict[str, int | bool]
    modules: tuple[str, ...]
    required: bool
    reason: str


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """`rules/contract.toml` as it stands."""

    algorithm: AlgorithmRoot
    published: Published
    fallback: Fallback
    runner: RunnerRoot
    worker: WorkerRoot
    code: CodeRoot
    draft: DraftRoot
    generation: GenerationRoot
    architecture: ArchitectureRoot
    loader: LoaderRoot
    inner: InnerRoot
    settings: SettingsRoot
    stages: StagesRoot
    without_worker: tuple[WithoutWorker, ...] = ()


def declared_modules() -> tuple[str, ...]:
    """The modules besides the code packages that the declared places are in, below the top package."""
    data = declared()
    functions = (data.architecture.function, data.inner.function)
    of_options = (*data.algorithm.option_modules, *data.settings.modules, *data.stages.modules)
    return (*of_options, *(name.rpartition(".")[0] for name in functions))


@cache
def declared() -> Declared:
    """The declarations, read once."""
    return msgspec.convert(tomllib.loads(rules_text("contract.toml")), Declared)
