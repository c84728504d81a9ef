"""What really runs under another name of an algorithm: SGLang replaces the name, but not before it looked at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from specint.launch.command import Command, located
from specint.launch.judging import lacking, worker_named

if TYPE_CHECKING:
    from specint.compliance.model import ModelCompliance
    from specint.contract.model import Contract
    from specint.launch.answer import Answer

Ask = Callable[[Command], "Answer"]


def launch_of(folder: Path, algorithm: str) -> Command:
    """The plainest launch of a model under an algorithm."""
    flags = ("--model-path", str(folder.absolute()), "--speculative-algorithm", algorithm, "--trust-remote-code")
    return located(Command(flags), folder)


def told_of_aliases(
    contract: Contract, model: ModelCompliance, names: Iterable[str], folder: Path | None, ask: Ask
) -> Iterator[str]:
    """A line for each of the names that stands for another: which worker serves it, and what that one leaves out.

    Args:
        folder: the folder of a config.json, whose launch is asked; None where only a class was named.
    """
    aliases = {alias.upper(): (alias, name) for alias, name in contract.aliases.items()}
    for alias, name in dict.fromkeys(aliases[word.upper()] for word in names if word.upper() in aliases):
        workers = [one.rpartition(".")[2] for one in contract.workers.get(name, ())]
        if len(workers) < 2:
            yield f"{alias} becomes {name}, which {''.join(workers) or 'a worker'} serves."
        elif folder is None:
            yield (
                f"{alias} becomes {name}, which one of {', '.join(workers)} serves. Defaults for an architecture look "
                f"at the name before it is replaced, so {alias} and {name} may get different ones: name a config.json."
            )
        else:
            yield from _asked(contract, model, alias, name, folder, ask)


def _asked(contract: Contract, model: ModelCompliance, alias: str, name: str, folder: Path, ask: Ask) -> Iterator[str]:
    answers = [ask(launch_of(folder, word)) for word in (alias, name)]
    (own, worker), (other, _) = [(_served(answer), answer.found.worker) for answer in answers]
    same = own == other
    yield f"{alias} becomes {name}, {own}{', as under its own name' if same else f'; {name} by its own name: {other}'}."
    verdict = model.algorithms.get(name)
    if worker is None or verdict is None:
        return
    dotted = worker_named(*worker)
    left = [
        member
        for side in model.roles
        for member in verdict.missing
        if lacking(contract, side, member, "missing", name, dotted) is None
    ]
    if left:
        yield f"Of what is missing for {name}, {worker[0]} doesn't ask for {', '.join(dict.fromkeys(left))}."


def _served(answer: Answer) -> str:
    found = answer.found
    if found.worker is not None:
        return f"served by {found.worker[0]}"
    if found.refusals:
        return f"refused with no more than that name ({found.refusals[0].message.splitlines()[0][:100]})"
    return "whose worker can't be read" + (f" ({found.open[0].why[:100]})" if found.open else "")
