"""`specint smoke --launch`: a launch put to the real SGLang, beside what reading says of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from specint.cli import options, printing
from specint.errors import printable

if TYPE_CHECKING:
    from specint.config import Config
    from specint.launch.answer import Answer
    from specint.smoke.launches import Agreement, Told

SCHEMA = "specint.smoke-launch/1"
DISAGREEMENT = 3
USUAL = "h200"


_MOST_TOKENS = 8
"""The most tokens a step that a tiny scheduler follows."""


class Accepted(NamedTuple):
    """What SGLang makes of a launch that it takes, as far as a scheduler at work is started from it.

    Attributes:
        target: the folder of the target's configuration.
        draft: the class that drafts; None where none is loaded.
    """

    target: Path
    algorithm: str | None
    draft: str | None
    topk: int
    overlap: bool


def put_to_both(
    words: Sequence[str], python: str, gpu: str | None, format_: str, common: options.Common, config: Config
) -> tuple[int, Accepted | None]:
    """Read a launch and run it; the exit code (0 it is accepted, 1 refused, 2 one has no answer, 3 both differ), and
    what was accepted on the last machine; None where nothing was."""
    from specint.cli.session import requested
    from specint.launch.ask import Asking, machines_of
    from specint.launch.command import command_of
    from specint.launch.machine import machine_named
    from specint.request import opened
    from specint.smoke import place
    from specint.smoke.knowledge import stand_ins
    from specint.smoke.launches import agreement, run

    if not words:
        raise click.UsageError("--launch needs a command: specint smoke --launch -- python -m sglang.launch_server ...")
    command = command_of(words)
    sources = opened(requested(common, config))
    status, accepted = 0, None
    documents, texts = [], []
    with place.runnable(sources.sglang) as folder:
        for name in machines_of(gpu or USUAL):
            machine = machine_named(name)
            answer = Asking(sources.tree, None, sources.request.cache_dir).answer(command, name)
            (told,) = run(python, sources.tree.package, folder, stand_ins(), machine, [command])
            found = agreement(answer, told)
            documents.append(_document(answer, told, found))
            status = max(status, _exit_code(told, found))
            accepted = _accepted(answer, told) if _exit_code(told, found) == 0 else None
            texts.append(_text(answer, told, found))
    if format_ == "json":
        lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in documents)
        printing.put_bytes(f"{lines}\n".encode("utf-8", "backslashreplace"), common.output, "json")
    else:
        printing.put_bytes("\n".join(texts).encode(), common.output, "text")
    return status, accepted


def _accepted(answer: Answer, told: Told) -> Accepted | None:
    values = told.values or {}
    folder = Path(str(values.get("model_path")))
    if not folder.is_dir():
        return None
    topk = values.get("speculative_eagle_topk")
    return Accepted(
        target=folder,
        algorithm=told.algorithm,
        draft=answer.found.draft.cls if answer.found.draft is not None else None,
        topk=min(topk, _MOST_TOKENS) if isinstance(topk, int) and topk > 0 else 1,
        overlap=values.get("disable_overlap_schedule") is False,
    )


def _exit_code(told: Told, found: Agreement) -> int:
    if found.accord == "disagree":
        return DISAGREEMENT
    if found.accord != "agree":
        return 2
    return 1 if told.errors else 0


def _document(answer: Answer, told: Told, found: Agreement) -> dict[str, Any]:
    from specint.launch.answer import document

    real = msgspec.to_builtins(told, enc_hook=vars)
    return {"schema": SCHEMA, "read": document(answer), "told": real, "agreement": msgspec.to_builtins(found)}


def _text(answer: Answer, told: Told, found: Agreement) -> str:
    from specint.launch.text import text_of

    lines = [text_of(answer), ""]
    if told.fault is not None:
        lines.append(f"? SGLang could not be asked: {printable(told.fault)}")
    elif told.errors:
        one = told.errors[0]
        place = f" at {one.file}:{one.line}" if one.file else ""
        lines.append(f"SGLang itself refuses it{place}: {one.error}: {printable(one.message)[:200]}")
    else:
        worker = f", {told.worker['class']}" if told.worker else ""
        lines.append(f"SGLang itself takes it: {told.algorithm or 'no algorithm'}{worker}")
    said = {
        "agree": "✓ reading and running agree"
        + (f", in the values of {found.values} arguments too" if found.values else ""),
        "disagree": "✗ reading and running disagree, which is specint's fault:",
        "open": "? reading leaves it open, so nothing is compared",
        "not run": "",
    }[found.accord]
    lines += [said] if said else []
    lines += [f"    {printable(one)}" for one in (found.differs if found.accord == "disagree" else ())]
    return "\n".join(lines) + "\n"
