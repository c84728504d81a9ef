"""Where a project says that SGLang is to load it: its entry points, read from its metadata's sources."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from specint.reading import read_regular
from specint.source.package import USUAL_NAME


def plugin_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files of the functions that the projects around these paths offer to SGLang as entry points.

    Their groups begin with SGLang's name, whatever they are called: SGLang calls each of these functions when it
    starts, and most of them register models. What can't be read or found is left out: it is no part of the question.
    """
    found: dict[Path, None] = {}
    for folder in dict.fromkeys(project for path in paths if (project := _project(path))):
        for target in _targets(folder):
            steps = target.partition(":")[0].strip().split(".")
            for holder in (folder, folder / "src"):
                module = holder.joinpath(*steps)
                places = (module.with_name(f"{module.name}.py"), module / "__init__.py")
                found.update(dict.fromkeys(place for place in places if place.is_file()))
    return tuple(found)


def _project(path: Path) -> Path | None:
    here = path.absolute()
    return next((one for one in (here, *here.parents) if any((one / name).is_file() for name in _READERS)), None)


def _targets(folder: Path) -> Iterator[str]:
    for name, read in _READERS.items():
        try:
            text = read_regular(folder / name).decode("utf-8")
            for group, entries in read(text):
                if group.partition(".")[0] == USUAL_NAME:
                    yield from entries
        except (OSError, ValueError, RecursionError, configparser.Error):
            continue


def _of_pyproject(text: str) -> Iterator[tuple[str, list[str]]]:
    project = tomllib.loads(text).get("project", {})
    groups = project.get("entry-points", {}) if isinstance(project, dict) else {}
    for group, entries in groups.items() if isinstance(groups, dict) else ():
        if isinstance(entries, dict):
            yield group, [one for one in entries.values() if isinstance(one, str)]


def _of_setup_cfg(text: str) -> Iterator[tuple[str, list[str]]]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    if parser.has_section("options.entry_points"):
        for group, lines in parser.items("options.entry_points"):
            yield group, [line.partition("=")[2] for line in lines.splitlines() if "=" in line]


_READERS = {"pyproject.toml": _of_pyproject, "setup.cfg": _of_setup_cfg}
