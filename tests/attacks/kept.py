"""What was answered is kept in a file as it comes, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

from attack import Attack

HERE = Path(__file__).resolve().parent


class Answer(NamedTuple):
    """What came of one attack.

    Attributes:
        wrong: what is wrong after it.
        seconds: how long it took.
        cpu: processor time of specint and all that it started.
    """

    wrong: list[str]
    seconds: float
    cpu: float


class Kept:
    """A file of answers, a line each; without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.code = code() if path else ""
        self.answers: dict[str, Answer] = {}
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if row["code"] == self.code and row["python"] == sys.version:
                    self.answers[row["attack"]] = Answer(row["wrong"], row["seconds"], row["cpu"])

    def add(self, attack: Attack, answer: Answer) -> None:
        self.answers[name_of(attack)] = answer
        if self.path:
            row = {"attack": name_of(attack), "python": sys.version, "code": self.code, **answer._asdict()}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def name_of(attack: Attack) -> str:
    return f"{attack.kind}: {attack.name}"


def code() -> str:
    """A digest of specint as it is installed here and of the attacks: another code's answers are none."""
    import specint

    folders = (Path(specint.__file__).parent, HERE)
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml"))
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()
