"""`[tool.specint]` in `pyproject.toml`: what a project asks for, checked before anything else is done."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from specint.errors import SpecintError
from specint.reading import named_path, read_regular
from specint.suggestion import did_you_mean

TABLE = "tool.specint"
DEMAND = re.compile(r"[\w.]+(\s*\+\s*[\w.]+)?:\w+")


class Demand(msgspec.Struct, frozen=True, order=True):
    """A model class (by its name, or dotted) that must meet what an algorithm asks; with `draft`, both together."""

    model: str
    algorithm: str
    draft: str = ""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """A launch that `specint preflight` checks: its command, variables, and the machines, as `--gpu` takes them."""

    command: str
    id: str | None = None
    gpu: str | None = None
    env: dict[str, str] = {}


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What `[tool.specint]` says; the defaults where it says nothing.

    Attributes:
        sglang: as the option `--sglang` takes it: a release or a path; None for the installed one.
        algorithms: the algorithms to look at; empty for all.
        require: classes that must meet an algorithm, "Class:ALGORITHM" or "Target+Draft:ALGORITHM" in the file.
        models: paths or dotted packages of the user's own models.
        select, ignore: rules, by symbol or id.
        exclude: globs of files that get no findings.
        interface: groups of requirements, "speculative" and "worker" if empty.
        callers: paths of the user's own workers, whose calls join the contract.
        baseline: the file of known findings.
        cache_dir: `cache-dir` in the file.
        launch: the launches of `[[tool.specint.launch]]`.
        file: the pyproject.toml it comes from, None if there is none.
        folder: what relative paths start from.
    """

    sglang: str | None = None
    algorithms: tuple[str, ...] = ()
    require: tuple[Demand, ...] = ()
    models: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    interface: tuple[str, ...] = ()
    callers: tuple[Path, ...] = ()
    baseline: Path | None = None
    cache_dir: Path | None = None
    launch: tuple[Launch, ...] = ()
    file: Path | None = None
    folder: Path = Path()


def load_config(start: Path | None = None, *, file: Path | None = None) -> Config:
    """The configuration of the nearest `pyproject.toml` with a `[tool.specint]`, from `start` (or here) upward.

    With `file` that one counts and must have the table. Raises SpecintError for a file that can't be read or is no
    TOML, an unknown key, and a value of the wrong kind.
    """
    if file is not None:
        table = _table(file, or_pipe=True)  # `--config <(…)`: a person named it
        if table is None:
            raise SpecintError(f"has no [{TABLE}]", str(file), f"add a [{TABLE}] table, or leave --config out")
        return _config(table, file)
    here = (start or Path()).absolute()
    for folder in (here, *here.parents):
        candidate = folder / "pyproject.toml"
        if candidate.is_file() and (table := _table(candidate)) is not None:
            return _config(table, candidate)
    return Config(folder=start or Path())


def demand(text: str, where: str) -> Demand:
    """Takes "Class:ALGORITHM" or "Target+Draft:ALGORITHM" apart; SpecintError with `where` if it isn't of that form."""
    if not DEMAND.fullmatch(text.strip()):
        hint = 'write "Class:ALGORITHM" or "Target+Draft:ALGORITHM", as in "KimiK25ForConditionalGeneration:EAGLE3"'
        raise SpecintError(f"{text!r} names no class and algorithm", where, hint)
    models, _, algorithm = text.strip().rpartition(":")
    model, _, draft = (part.strip() for part in models.partition("+"))
    return Demand(model, algorithm, draft)


def check_names(names: Iterable[str], known: Iterable[str], what: str, where: str) -> None:
    """Raises SpecintError for the first of `names` that is not `known` ("rule", "algorithm"), with the nearest one."""
    valid = sorted(known)
    for name in names:
        if name not in valid:
            raise SpecintError(f"unknown {what} {name!r}", where, _suggestion(name, valid))


def place(config: Config, key: str) -> str:
    """How an error names one key of the configuration."""
    return f"{config.file or 'pyproject.toml'}, [{TABLE}] {key}"


def _table(file: Path, *, or_pipe: bool = False) -> dict[str, Any] | None:
    try:
        document = tomllib.loads(read_regular(file, or_pipe=or_pipe).decode("utf-8"))
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", str(file)) from None
    except UnicodeDecodeError as error:
        raise SpecintError(f"is not UTF-8: byte {error.start}", str(file), "TOML files are UTF-8") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError of its own
        raise SpecintError(f"is not valid TOML: {error}", str(file)) from None
    tool = document.get("tool", {})
    table = tool.get("specint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SpecintError(f"must be a table, not {_kind(table)}", f"{file}, {TABLE}", f"write [{TABLE}]")
    return table


def _config(table: dict[str, Any], file: Path) -> Config:
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{file}, [{TABLE}] {key}"
        if key not in KEYS:
            raise SpecintError("unknown key", where, _suggestion(key, sorted(KEYS)))
        values[key.replace("-", "_")] = KEYS[key].read(value, where, file.parent)
    return Config(file=file, folder=file.parent, **values)


def _string(value: object, where: str, folder: Path) -> str:  # noqa: ARG001
    if not isinstance(value, str):
        raise SpecintError(f"must be a string, not {_kind(value)}", where)
    if "\0" in value:
        raise SpecintError("holds a null character", where)
    if not value.strip():
        raise SpecintError("is empty", where, "leave the key out")
    return value.strip()


def _strings(value: object, where: str, folder: Path) -> tuple[str, ...]:
    if isinstance(value, str):
        raise SpecintError("must be a list of strings, not a string", where, f'write ["{value}"]')
    if not isinstance(value, list):
        raise SpecintError(f"must be a list of strings, not {_kind(value)}", where)
    return tuple(_string(item, f"{where}[{index}]", folder) for index, item in enumerate(value))


def _path(value: object, where: str, folder: Path) -> Path:
    return folder / named_path(_string(value, where, folder), where)


def _paths(value: object, where: str, folder: Path) -> tuple[Path, ...]:
    return tuple(folder / named_path(item, where) for item in _strings(value, where, folder))


def _demands(value: object, where: str, folder: Path) -> tuple[Demand, ...]:
    return tuple(demand(item, f"{where}[{index}]") for index, item in enumerate(_strings(value, where, folder)))


def _launches(value: object, where: str, folder: Path) -> tuple[Launch, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise SpecintError("must be tables", where, f"write [[{TABLE}.launch]] with a command")
    found = []
    for index, item in enumerate(value):
        here = f"{where}[{index}]"
        for key in item:
            if key not in ("command", "id", "gpu", "env"):
                raise SpecintError("unknown key", f"{here} {key}", _suggestion(key, ["command", "env", "gpu", "id"]))
        if "command" not in item:
            raise SpecintError("has no command", here, 'command = "python -m sglang.launch_server ..."')
        env = item.get("env", {})
        if not isinstance(env, dict):
            raise SpecintError(f"must be a table, not {_kind(env)}", f"{here} env", 'env = { NAME = "value" }')
        found.append(
            Launch(
                command=_string(item["command"], f"{here} command", folder),
                id=_string(item["id"], f"{here} id", folder) if "id" in item else None,
                gpu=_string(item["gpu"], f"{here} gpu", folder) if "gpu" in item else None,
                env={str(name): str(one) for name, one in env.items()},
            )
        )
    return tuple(found)


class Key(NamedTuple):
    """A key of the section: how its value is read, what it says in a line, an example, and a value's JSON schema."""

    read: Callable[[object, str, Path], Any]
    says: str
    example: str
    schema: dict[str, Any]


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_DEMANDS: dict[str, Any] = {"type": "array", "items": {"type": "string", "pattern": f"^\\s*{DEMAND.pattern}\\s*$"}}
_LAUNCHES: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["command"],
        "additionalProperties": False,
        "properties": {
            "command": _TEXT,
            "id": _TEXT,
            "gpu": _TEXT,
            "env": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
        },
    },
}

KEYS: dict[str, Key] = {
    "sglang": Key(_string, "the SGLang: a release, or a path; without it the installed one", '"0.5.9"', _TEXT),
    "models": Key(_strings, "your own models: folders, files or dotted packages", '["my_models"]', _TEXTS),
    "require": Key(
        _demands,
        "what must work: a class or a pair, and an algorithm",
        '["KimiK25ForConditionalGeneration:EAGLE3", "LlamaForCausalLM+LlamaForCausalLMEagle3:EAGLE3"]',
        _DEMANDS,
    ),
    "algorithms": Key(_strings, "look at these algorithms alone", '["EAGLE3"]', _TEXTS),
    "select": Key(_strings, "these rules instead of those that are on by default", '["E77"]', _TEXTS),
    "ignore": Key(_strings, "not these rules", '["spec-sibling-gap"]', _TEXTS),
    "exclude": Key(_strings, "no findings in files of these globs", '["*/models/attic/*"]', _TEXTS),
    "interface": Key(_strings, "which of the runner's contracts count", '["speculative", "lora"]', _TEXTS),
    "callers": Key(
        _paths, "your own workers: files or packages whose calls join the contract", '["my_worker.py"]', _TEXTS
    ),
    "baseline": Key(_path, "the file of known findings", '".specint-baseline"', _TEXT),
    "cache-dir": Key(_path, "where what was read is kept", '".cache/specint"', _TEXT),
    "launch": Key(
        _launches,
        "launches that `specint preflight` checks",
        '[{ id = "kimi", command = "python -m sglang.launch_server --model-path ./Kimi-K2.5 --tp 8", gpu = "h200" }]',
        _LAUNCHES,
    ),
}


def config_schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of the section, for editors that check TOML."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"[{TABLE}]",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {**key.schema, "description": key.says} for name, key in KEYS.items()},
    }


def commented_section() -> str:
    """The section with every key, each behind a comment sign and with what it says."""
    lines = [f"[{TABLE}]"]
    for name, key in KEYS.items():
        lines += [f"# {key.says}", f"# {name} = {key.example}"]
    return "\n".join(lines) + "\n"


def _suggestion(name: str, valid: list[str]) -> str:
    return did_you_mean(name.replace("_", "-"), valid, most=1) or f"known are {', '.join(valid)}"


def _kind(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")
