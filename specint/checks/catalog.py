"""The rules as data: `rules/<symbol>/rule.toml` is what pylint, `specint explain`, the docs and the tests read.

pylint loads this for every file that it looks at, so it does without what takes long to import.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from specint.errors import SpecintError

Severity = Literal["fatal", "error", "warning", "info"]

_LETTERS: dict[str, str] = {"fatal": "F", "error": "E", "warning": "W", "info": "I"}
_KINDS: dict[str, type] = {"default": bool, "on_demand": bool, "breaks": bool, "references": list}
_OPTIONAL = {"default", "references", "headline", "on_demand", "breaks"}
_FILES = {"bad", "good"}
_ID = re.compile(r"[FEWI]77\d\d\Z")
_SYMBOL = re.compile(r"spec(-[a-z0-9]+)+\Z")
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?\Z")


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """One rule's `rule.toml`.

    Attributes:
        id, symbol: number and name; neither is ever given to another rule.
        severity: `fatal` is for what could not be checked at all.
        summary: one line, without a full stop: the title of the rule in every output.
        what_it_does, why_bad: paragraphs of Markdown for someone who never heard of speculative decoding.
        references: addresses, or `SGLang #19689`.
        since: the release of specint that brought the rule.
        default: whether the rule speaks without being selected.
        on_demand: the rule answers only what the user demands of a model, so that its silence says nothing.
        breaks: a finding says that a member is there and can't work, so that the model is no `ok` for its algorithms.
        headline: what to do about a finding, in a few words; the line above a patch.
        bad, good: the example files, name to text; filled from the folder.
    """

    id: str
    symbol: str
    severity: Severity
    summary: str
    what_it_does: str
    why_bad: str
    references: tuple[str, ...] = ()
    since: str
    default: bool = True
    on_demand: bool = False
    breaks: bool = False
    headline: str = ""
    bad: dict[str, str]
    good: dict[str, str]


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by number."""
    return _catalog()[0]


def rule(name: str) -> Rule:
    """The rule of that symbol or id, in any letter case."""
    found = find_rule(name)
    if found is None:
        from specint.suggestion import did_you_mean

        names = [word for known in all_rules() for word in (known.symbol, known.id)]
        raise _error("no such rule", name, did_you_mean(name, names) or "`specint rules` lists them")
    return found


def find_rule(name: str) -> Rule | None:
    """The rule of that symbol or id, None where there is none."""
    return _catalog()[1].get(name.lower())


def load_catalog(directory: Path) -> tuple[Rule, ...]:
    """Read every rule folder under `directory`; one that is broken, twice there or misnamed raises SpecintError."""
    try:
        folders = sorted(path for path in directory.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    except OSError as error:
        raise _error("the rules can't be read", str(directory), "is specint installed completely?") from error
    rules = sorted((_load(folder) for folder in folders), key=lambda loaded: (loaded.id[1:], loaded.id))
    _refuse_duplicates(rules)
    return tuple(rules)


@cache
def _catalog() -> tuple[tuple[Rule, ...], dict[str, Rule]]:
    from specint.data import rules_folder

    rules = load_catalog(rules_folder())
    if not rules:
        raise _error("no rules found", str(rules_folder()), "is specint installed completely?")
    return rules, {name.lower(): loaded for loaded in rules for name in (loaded.symbol, loaded.id)}


def _load(folder: Path) -> Rule:
    path = folder / "rule.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _error("a rule folder has no rule.toml", str(folder)) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _error(f"not readable as TOML: {error}", str(path)) from error
    if wrong := _misfit(data):
        raise _error(wrong, str(path))
    data["references"] = tuple(data.get("references", ()))
    loaded = Rule(**data, bad=_example(folder, "bad"), good=_example(folder, "good"))
    if complaint := _complaint(loaded, folder.name):
        raise _error(complaint, str(path))
    return loaded


def _misfit(data: dict[str, Any]) -> str | None:
    """What keeps the keys from being a rule: one that is unknown, missing or of another kind."""
    known = {field.name: _KINDS.get(field.name, str) for field in fields(Rule)}
    for key, value in data.items():
        if key in _FILES:
            return f"`{key}` is a file or folder beside rule.toml, not a key in it"
        if key not in known:
            return f"unknown key `{key}`"
        members: list[object] = value if isinstance(value, list) else []
        if not isinstance(value, known[key]) or not all(isinstance(one, str) for one in members):
            return f"`{key}` is of the wrong kind"
    if absent := known.keys() - _OPTIONAL - _FILES - data.keys():
        return f"`{min(absent)}` is missing"
    return None if data["severity"] in get_args(Severity) else f"severity `{data['severity']}` is none"


def _complaint(loaded: Rule, folder_name: str) -> str | None:
    if loaded.symbol != folder_name:
        return f"symbol `{loaded.symbol}` in the folder `{folder_name}`"
    if not _SYMBOL.match(loaded.symbol):
        return f"symbol `{loaded.symbol}` is not of the form spec-some-words"
    if not _ID.match(loaded.id) or loaded.id[0] != _LETTERS[loaded.severity]:
        return (
            f"id `{loaded.id}` is not {_LETTERS[loaded.severity]}77 and two digits, as severity {loaded.severity} asks"
        )
    if not _VERSION.match(loaded.since):
        return f"since = `{loaded.since}` is not a release"
    if loaded.summary.strip() != loaded.summary or "\n" in loaded.summary or loaded.summary.endswith("."):
        return "the summary is one line without a full stop"
    empty = [key for key in ("summary", "what_it_does", "why_bad") if not getattr(loaded, key).strip()]
    return f"`{empty[0]}` is empty" if empty else None


def _example(folder: Path, name: str) -> dict[str, str]:
    """`bad.py` alone, or every file under `bad/` by its path in there."""
    single, several = folder / f"{name}.py", folder / name
    if single.is_file():
        return {single.name: single.read_text(encoding="utf-8")}
    files: Iterable[Path] = sorted(several.rglob("*.py")) if several.is_dir() else ()
    return {path.relative_to(several).as_posix(): path.read_text(encoding="utf-8") for path in files}


def _refuse_duplicates(rules: Iterable[Rule]) -> None:
    numbers: dict[str, str] = {}
    for loaded in rules:
        # The letter is severity: E7701 and W7701 would be one number with two meanings.
        other = numbers.setdefault(loaded.id[1:], loaded.symbol)
        if other != loaded.symbol:
            raise _error(f"number {loaded.id[1:]} is taken by `{other}`", loaded.symbol)


def _error(what: str, where: str, hint: str = "") -> SpecintError:
    from specint.errors import SpecintError

    return SpecintError(what, where, hint)
