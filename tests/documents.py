"""Makes every document that specint makes, in one process, for `test_reproducible.py`; run as a script.

Settings are JSON on stdin: `sglang`, `classes` (to explain and to draw), `documents` (all of them if not given),
`arguments` (for every command that reads an SGLang), `parallel` (other processes however small the tree), `order`
("reversed": in which folders are listed). Prints a JSON object: document -> its text.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stdout
from typing import Any

from specint.outputs.formats import FORMATS

READING = {
    **{f"report {name}": ["report", "--format", name] for name in ("text", "json", "markdown", "html")},
    **{f"check {name}": ["check", "--select", "ALL", "--format", name] for name in FORMATS},
    **{
        f"contract {name}": ["contract", "--interface", "all", "--format", name]
        for name in ("text", "json", "markdown")
    },
    "fix --diff": ["fix", "--diff", "--unsafe"],
}
ABOUT_A_CLASS = {
    **{f"graph {name}": ["graph", "--format", name] for name in ("mermaid", "dot", "svg")},
    "graph --inner-of": ["graph", "--inner-of"],
    **{f"explain {name}": ["explain", "--format", name] for name in ("text", "json")},
}
WITHOUT_A_TREE = {
    "rules": ["rules"],
    **{f"explain a rule {name}": ["explain", "E7701", "--format", name] for name in ("text", "json", "markdown")},
}


def commands(sglang: str, classes: list[str], more: list[str]) -> dict[str, list[str]]:
    """Every document's name, and the arguments that make it. A wheel's files can't be named by their paths."""
    tree = ["--sglang", sglang, *more]
    made = {name: [*words, *tree] for name, words in READING.items()}
    made |= {f"{name} {of}": [*words, of, *tree] for name, words in ABOUT_A_CLASS.items() for of in classes}
    if not sglang.endswith(".whl"):
        made["check of a folder"] = ["check", "--format", "json", sglang, *more]
        made["check of a file"] = ["check", "--format", "json", f"{sglang}/srt/models/kumo_k2.py", *more]
    return made | WITHOUT_A_TREE


def document(arguments: list[str]) -> str:
    """What a command prints."""
    from specint.cli import main

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    code: Any = None
    with redirect_stdout(stream):
        try:
            main(arguments)
        except SystemExit as done:
            code = done.code
    stream.flush()
    if code not in (0, 1):
        raise SystemExit(f"{arguments}: exit code {code}")
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def list_folders_reversed() -> None:
    """As another file system might."""
    listdir, scandir = os.listdir, os.scandir

    class Listed:
        def __init__(self, path: Any = ".") -> None:
            with scandir(path) as entries:
                self.entries = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))

        def __iter__(self) -> Any:
            return self.entries

        def __next__(self) -> Any:
            return next(self.entries)

        def __enter__(self) -> Listed:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def close(self) -> None:
            self.entries = iter(())

    os.scandir = Listed  # type: ignore[assignment, misc]
    os.listdir = lambda path=".": sorted(listdir(path), reverse=True)  # type: ignore[assignment]


def main() -> None:
    """Make the documents that are named, all of them if none is."""
    settings = json.load(sys.stdin)
    if settings.get("order") == "reversed":
        list_folders_reversed()
    if settings.get("parallel"):
        from specint import pipeline
        from specint.facts import load

        load._WORTH_A_PROCESS = pipeline._WORTH_A_PROCESS = 1
        load._CHUNK = 2
    every = commands(settings["sglang"], settings["classes"], settings.get("arguments", []))
    wanted = settings.get("documents") or every
    json.dump({name: document(every[name]) for name in wanted}, sys.stdout)


if __name__ == "__main__":
    main()
