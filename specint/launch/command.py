"""A launch command as people have it: words, a shell script, a Compose or Kubernetes file; environment before it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specint.errors import SpecintError
from specint.launch.declared import declared
from specint.reading import read_regular

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))")
BEFORE = ("exec", "nohup", "env", "time", "sudo", "numactl", "stdbuf")
LONGEST = 1 << 20


@dataclass(frozen=True)
class Command:
    """The flags that SGLang gets, and the variables that are set for it.

    Attributes:
        folders: the local folders that the flags name, as absolute paths; nothing else is read.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    source: str = ""


def command_of(words: Sequence[str], *, relative_to: Path | None = None) -> Command:
    """The command that words are, or that the one file they name holds. SpecintError where there is none."""
    if len(words) == 1 and not words[0].startswith("-") and " " not in words[0]:
        path = (relative_to or Path()) / words[0]
        if path.is_file():
            return _of_file(path)
    if len(words) == 1 and " " in words[0]:
        try:
            words = shlex.split(words[0], comments=True)
        except ValueError as error:
            raise SpecintError(f"can't be read as a command: {error}", "COMMAND") from None
    found = _from_words(list(words), {})
    if found is None:
        raise SpecintError("no launch of SGLang in it", " ".join(words)[:80] or "COMMAND", HINT)
    return located(found, relative_to or Path())


HINT = "give `python -m sglang.launch_server FLAGS`, `sglang serve FLAGS`, or the flags alone after --"


def located(command: Command, base: Path) -> Command:
    """The same with local folders as absolute paths."""
    argv, folders = [], []
    for word in command.argv:
        head, sign, value = word.partition("=") if word.startswith("-") else ("", "", word)
        place = (base / Path(value).expanduser()) if value and "\0" not in value and not value.startswith("-") else None
        if place is not None and ("/" in value or value.startswith("~") or (place / "config.json").is_file()):
            try:
                exists = place.exists()
            except OSError:
                exists = False
            if exists:
                value = str(place.absolute())
                folders.append(value)
        argv.append(f"{head}{sign}{value}")
    return Command(tuple(argv), command.environment, tuple(folders), command.source)


def _from_words(words: list[str], environment: dict[str, str]) -> Command | None:
    environment = dict(environment)
    entry = declared()["command"]
    scripts = [script.split() for script in entry["scripts"]]
    n = 0
    while n < len(words):
        word = words[n]
        assigned = _ASSIGNMENT.fullmatch(word)
        if assigned and not word.startswith("-"):
            environment[assigned[1]] = assigned[2]
        elif word == "-m" and n + 1 < len(words) and words[n + 1] in entry["modules"]:
            return Command(tuple(words[n + 2 :]), environment)
        elif word.startswith("--") and n == len(environment):
            return Command(tuple(words[n:]), environment)  # flags alone
        else:
            for script in scripts:
                here = [words[n].rpartition("/")[2], *words[n + 1 : n + len(script)]]
                if here == script:
                    return Command(tuple(words[n + len(script) :]), environment)
        n += 1
    return None


# -- files -------------------------------------------------------------------------------------------------------------
def _of_file(path: Path) -> Command:
    try:
        text = read_regular(path, largest=LONGEST).decode("utf-8", errors="replace")
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", str(path)) from None
    found = next(_of_yaml(text, path) if path.suffix in (".yaml", ".yml") else _of_shell(text), None)
    if found is None:
        raise SpecintError("no launch of SGLang in it", str(path), HINT)
    return located(Command(found.argv, found.environment, source=path.name), path.parent)


def _of_shell(text: str) -> Iterator[Command]:
    variables: dict[str, str] = {}
    exported: dict[str, str] = {}
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        try:
            words = [_filled(word, variables) for word in shlex.split(line, comments=True)]
        except ValueError:
            continue
        words = [word for part in words for word in ([part] if part else [])]
        given = words[1:] if words[:1] in (["export"], ["declare"]) else words
        if given and all(_ASSIGNMENT.fullmatch(word) for word in given):
            for word in given:
                name, _, value = word.partition("=")
                variables[name] = value
                if words[0] == "export":
                    exported[name] = value
            continue
        if not any(word in declared()["command"]["modules"] or "sglang" in word for word in words):
            continue
        found = _from_words(words, exported)
        if found is not None:
            yield Command(tuple(_until_operator(found.argv)), found.environment)


def _until_operator(argv: Sequence[str]) -> Iterator[str]:
    for word in argv:
        if word in ("&", "&&", ";", "|", "||") or word.startswith((">", "2>", "<")):
            return
        yield word


def _filled(word: str, variables: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda m: variables.get(m[1] or m[3], m[2] if m[2] is not None else m[0]), word)


def _of_yaml(text: str, path: Path) -> Iterator[Command]:
    import yaml  # type: ignore[import-untyped, unused-ignore]

    try:
        documents = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f"{path}:{line + 1}" if line is not None else str(path)
        raise SpecintError("is no YAML that can be read", where) from None
    for document in documents:
        yield from _of_tree(document, 0)


def _of_tree(node: Any, depth: int) -> Iterator[Command]:
    if depth > 40:
        return
    if isinstance(node, list):
        for one in node:
            yield from _of_tree(one, depth + 1)
    elif isinstance(node, dict):
        words = [*_words(node.get("entrypoint")), *_words(node.get("command")), *_words(node.get("args"))]
        if words:
            environment = _environment(node.get("environment") or node.get("env"))
            found = next(_of_shell(words[-1]), None) if "-c" in words else None
            found = found or _from_words(words, {})
            if found is not None:
                yield Command(found.argv, {**environment, **found.environment})
                return
        for one in node.values():
            yield from _of_tree(one, depth + 1)


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        try:
            return shlex.split(value.replace("\\\n", " "))
        except ValueError:
            return []
    return [str(one) for one in value] if isinstance(value, list) else []


def _environment(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {str(name): str(one) for name, one in value.items() if one is not None}
    found = {}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict) and "value" in one:
            found[str(one.get("name"))] = str(one["value"])
        elif isinstance(one, str) and "=" in one:
            name, _, text = one.partition("=")
            found[name] = text
    return found
