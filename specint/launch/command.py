"""A launch command as people have it: words, a shell script, a Compose or Kubernetes file; environment before it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from specint.errors import SpecintError
from specint.launch.declared import declared
from specint.launch.shell import simple_commands
from specint.reading import read_regular

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\$|\{([A-Za-z_]\w*)(?::?-([^}]{0,1000}+))?\}|([A-Za-z_]\w*))")
_REFERENCE = re.compile(r"\$\(([A-Za-z_]\w*)\)")
_OPEN = re.compile(r"\$\{[^}]{0,1000}+\}|\$\([^)]{0,1000}+\)|\$[A-Za-z_]\w*")
"""What these look for is near: to look for an end that doesn't come takes the square of the text."""
_WITH_TEXT = re.compile(r"-\w*c")
SHELLS = ("sh", "bash", "dash", "zsh", "ash")
CONTAINERS = ("docker", "podman", "nerdctl")
SAYING = ("echo", "printf", "cat", "grep", "alias", "pkill", "pip", "pip3", ":", "#")
"""Commands that may name a launch and start none."""
LONGEST = 1 << 20
_LONGEST_LINE = 1 << 17
"""As long as Linux lets one argument be; taking a line apart takes the square of its length."""


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
    unknown: tuple[str, ...] = ()
    """What of the words has a value only where the launch runs: `$(hostname)`, a variable that nothing sets."""


def command_of(words: Sequence[str], *, relative_to: Path | None = None) -> Command:
    """The command that words are, or that the one file they name holds. SpecintError where there is none."""
    if len(words) == 1 and not words[0].startswith("-") and " " not in words[0]:
        path = (relative_to or Path()) / words[0]
        if path.is_file():
            return _of_file(path)
    if len(words) == 1 and " " in words[0]:
        try:
            words = _split(given := words[0], comments=True)
        except ValueError as error:
            raise SpecintError(f"can't be read as a command: {error}", "COMMAND") from None
        found = next(_of_shell(given), None)
    else:
        found = _from_words(list(words), {}, scripts=True)
    if found is None:
        raise SpecintError("no launch of SGLang in it", " ".join(words)[:80] or "COMMAND", HINT)
    return located(found, relative_to or Path())


HINT = "give `python -m sglang.launch_server FLAGS`, `sglang serve FLAGS`, or the flags alone after --"


def located(command: Command, base: Path) -> Command:
    """The same with local folders as absolute paths."""
    argv, folders = [], []
    for word in command.argv:
        head, sign, value = word.partition("=") if word.startswith("-") else ("", "", word)
        place = _place(base, value)
        if place is not None:
            try:  # a name may be too long to be asked about
                named = "/" in value or value.startswith("~") or (place / "config.json").is_file()
                exists = named and place.exists()
            except OSError:
                exists = False
            if exists:
                value = str(place.absolute())
                folders.append(value)
        argv.append(f"{head}{sign}{value}")
    return replace(command, argv=tuple(argv), folders=tuple(folders))


def _place(base: Path, value: str) -> Path | None:
    """Where a value would lie if it were a path; None for what can't be one."""
    if not value or "\0" in value or value.startswith("-"):
        return None
    try:
        return base / Path(value).expanduser()
    except RuntimeError:  # the home of nobody
        return base / value


def _from_words(words: list[str], environment: dict[str, str], *, scripts: bool = False) -> Command | None:
    """The launch that words are; `scripts`: a shell among them may have one in its `-c`."""
    own: dict[str, str] = {}
    entry = declared()["command"]
    named = [script.split() for script in entry["scripts"]]
    files = tuple(f"{module.replace('.', '/')}.py" for module in entry["modules"])
    if any(word.rpartition("/")[2] in CONTAINERS for word in words[:3]):
        environment, host = {}, environment  # a container gets what it is given
    else:
        host = {}
    n = 0
    while n < len(words):
        word = words[n]
        assigned = _ASSIGNMENT.fullmatch(word.removeprefix("--env="))
        after = words[n + 1] if n + 1 < len(words) else ""
        if assigned and (not word.startswith("-") or word.startswith("--env=")):
            own[assigned[1]] = assigned[2]
        elif word in ("-e", "--env") and after in host:
            own[after] = host[after]
        elif word == "-m" and after in entry["modules"]:
            return Command(tuple(words[n + 2 :]), {**environment, **own})
        elif word.endswith(files):
            return Command(tuple(words[n + 1 :]), {**environment, **own})
        elif scripts and word.rpartition("/")[2] in SHELLS and _WITH_TEXT.fullmatch(after) and n + 2 < len(words):
            return next(_of_shell(words[n + 2], {**environment, **own}), None)
        elif word.startswith("--") and n == len(own):
            return Command(tuple(words[n:]), {**environment, **own})  # flags alone
        else:
            for script in named:
                here = [words[n].rpartition("/")[2], *words[n + 1 : n + len(script)]]
                if here == script:
                    return Command(tuple(words[n + len(script) :]), {**environment, **own})
        n += 1
    return None


# -- files -------------------------------------------------------------------------------------------------------------
def _of_file(path: Path) -> Command:
    try:
        text = read_regular(path, largest=LONGEST).decode("utf-8", errors="replace")
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", str(path)) from None
    written = path.suffix in (".yaml", ".yml", ".json")
    found = next(_of_yaml(text, path) if written else _of_shell(text), None)
    if found is None:
        raise SpecintError("no launch of SGLang in it", str(path), HINT)
    return located(replace(found, source=path.name), path.parent)


def _of_shell(text: str, given: Mapping[str, str] | None = None) -> Iterator[Command]:
    for simple in simple_commands(text, given):
        if simple.words[0] in SAYING:
            continue
        found = _from_words(list(simple.words), dict(simple.environment), scripts=True)
        if found is not None:
            unknown = tuple(one for one in simple.unknown if any(one in word for word in found.argv))
            yield replace(found, unknown=(*found.unknown, *unknown))


def _of_yaml(text: str, path: Path) -> Iterator[Command]:
    import yaml  # type: ignore[import-untyped, unused-ignore]

    try:
        documents = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f"{path}:{line + 1}" if line is not None else str(path)
        raise SpecintError("is no YAML that can be read", where) from None
    seen: dict[int, Any] = {}
    for document in documents:
        compose = isinstance(document, dict) and "services" in document
        known = _of_lines(path.parent / ".env") if compose else {}
        yield from _of_tree(document, _Written(path.parent, known, compose=compose), 0, seen)


@dataclass(frozen=True)
class _Written:
    """How a file of services is read: Compose fills in variables (of `.env` beside it), Kubernetes those of `env`."""

    folder: Path
    known: Mapping[str, str]
    compose: bool = False

    def words(self, value: Any, environment: Mapping[str, str]) -> list[str]:
        """A command as words: a list, or (in Compose) a text."""
        if isinstance(value, str):
            try:
                found = _split(value.replace("\\\n", " "))
            except ValueError:
                return []
        else:
            found = [_text(one) for one in value if _is_plain(one)] if isinstance(value, list) else []
        if self.compose:
            return [self.filled(word) for word in found]
        return [_REFERENCE.sub(lambda m: environment.get(m[1], m[0]), word) for word in found]

    def filled(self, word: str) -> str:
        """A text with Compose's variables filled in; `$$` is a sign of its own."""

        def value(found: re.Match[str]) -> str:
            if found[0] == "$$":
                return "$"
            name = found[1] or found[3]
            if name in self.known:
                return self.known[name]
            return found[2] if found[2] is not None else found[0]

        return _VARIABLE.sub(value, word)


def _of_tree(node: Any, how: _Written, depth: int, seen: dict[int, Any]) -> Iterator[Command]:
    """The commands below a node; each node once, however many aliases stand for it."""
    if depth > 40 or id(node) in seen:
        return
    if isinstance(node, list):
        seen[id(node)] = node
        for one in node:
            yield from _of_tree(one, how, depth + 1, seen)
    elif isinstance(node, dict):
        seen[id(node)] = node
        environment = _environment(node.get("environment") or node.get("env"), how, node.get("env_file"))
        words = [
            word
            for name in ("entrypoint", "command", "args")
            for word in how.words(node.get(name), environment)
        ]  # fmt: skip
        found = _from_words(words, environment, scripts=True) if words else None
        if found is not None:
            unknown = [m[0] for word in found.argv for m in _OPEN.finditer(word)]
            yield replace(found, unknown=(*found.unknown, *unknown))
            return
        for one in node.values():
            yield from _of_tree(one, how, depth + 1, seen)


def _environment(value: Any, how: _Written, files: Any = None) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in [files] if isinstance(files, str) else files if isinstance(files, list) else []:
        place = name.get("path") if isinstance(name, dict) else name
        if isinstance(place, str):
            found |= _of_lines(how.folder / place)
    if isinstance(value, dict):
        found |= {str(name): _text(one) for name, one in value.items() if one is not None and _is_plain(one)}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict) and "value" in one and _is_plain(one["value"]) and _is_plain(one.get("name")):
            found[str(one.get("name"))] = _text(one["value"])
        elif isinstance(one, str) and "=" in one:
            name, _, text = one.partition("=")
            found[name] = text
    return {name: how.filled(one) for name, one in found.items()} if how.compose else found


def _is_plain(value: Any) -> bool:
    """Whether a value of YAML is one word: the text of a list may be longer than memory, by its aliases."""
    return not isinstance(value, (list, dict, set))


def _split(line: str, *, comments: bool = False) -> list[str]:
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"longer than {_LONGEST_LINE >> 10} KiB")
    return shlex.split(line, comments=comments)


def _text(value: Any) -> str:
    """A value of YAML as a process gets it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_lines(path: Path) -> dict[str, str]:
    """The variables of a file with `NAME=value` lines; none where there is no such file."""
    try:
        text = read_regular(path, largest=LONGEST).decode("utf-8", errors="replace")
    except OSError:
        return {}
    found = {}
    for line in text.splitlines():
        assigned = _ASSIGNMENT.fullmatch(line.strip().removeprefix("export "))
        if assigned:
            value = assigned[2].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            found[assigned[1]] = value[1:-1] if quoted else value.partition(" #")[0].rstrip()
    return found
