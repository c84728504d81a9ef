"""The part of an analysis that a user asked about: models and algorithms by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from specint.analysis.model import Analysis
from specint.analysis.names import architecture_in, called, suggestion
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.contract.declared import declared
from specint.contract.model import Contract, Requirement
from specint.errors import SpecintError
from specint.suggestion import did_you_mean, near


def resolve_algorithms(contract: Contract, names: Iterable[str], where: str = "--algorithm") -> tuple[str, ...]:
    """The contract's own names for what the user typed: letter case doesn't count, an alias is what it stands for."""
    own = {name.upper(): name for name in contract.algorithms}
    own |= {alias.upper(): name for alias, name in contract.aliases.items()}
    known = {word: own[name] for word, name in declared().algorithm.spoken.items() if name in own} | own
    found: dict[str, None] = {}
    for name in names:
        if name.upper() not in known:
            hint = did_you_mean(name, [*contract.algorithms, *contract.aliases])
            raise SpecintError(
                f"this SGLang has no algorithm `{name}`", where, hint or f"it has {', '.join(contract.algorithms)}"
            )
        found[known[name.upper()]] = None
    return tuple(found)


def find_models(
    models: Sequence[ModelCompliance],
    name: str,
    where: str = "--model",
    first: Collection[str] | None = None,
    *,
    exact: bool = False,
) -> tuple[ModelCompliance, ...]:
    """The registered classes that a name means: their own, dotted or plain, or the model's as people write it.

    Args:
        first: files whose class of that name is meant, if they have one.
        exact: only the class's own name counts, as in what a project demands for good.
    """
    path = Path(name)
    if not exact and name.endswith(".json") and path.is_file():
        name, exact = architecture_in(path), True
    found = tuple(model for model in models if name in (model.name, model.class_))
    if not found and not exact:
        found = called(models, name)
    if len(found) > 1 and first is not None:
        found = tuple(model for model in found if model.file in first) or found
    if not found:
        hint = _by_the_fallback(models, name) or suggestion(models, name)
        raise SpecintError(
            f"no registered model class is called `{name}`", where, hint or "`specint report` lists them"
        )
    return found


_ARCHITECTURE = re.compile(r"[A-Z]\w*(?:For[A-Z]\w*|Model)")
"""What Transformers calls a class; a checkpoint is called otherwise."""


def _by_the_fallback(models: Sequence[ModelCompliance], name: str) -> str:
    """What serves an architecture that the registry doesn't know, "" where nothing does or `name` is none."""
    named = name.rpartition(".")[2]
    prefix = declared().fallback.prefix
    serving = [one.name for one in models if one.name.startswith(prefix) and "target" in one.roles]
    if not serving or not _ARCHITECTURE.fullmatch(named) or near(named, [one.name for one in models], cutoff=0.9):
        return ""
    return f"an architecture that Transformers knows is served by {serving[0]} then: ask for that"


def of_files(analysis: Analysis, files: Collection[str] | None) -> Analysis:
    """The same analysis with the models and findings of these files alone; of all files for None."""
    if files is None:
        return analysis
    chosen = tuple(model for model in analysis.models if model.file in files)
    classes = {model.class_ for model in chosen}
    findings = tuple(one for one in analysis.findings if one.class_ in classes or one.file in files)
    return msgspec.structs.replace(analysis, models=chosen, findings=findings)


def narrow(analysis: Analysis, models: Sequence[str] = (), algorithms: Sequence[str] = ()) -> Analysis:
    """The same analysis with those models and those algorithms alone; with none named, all of them.

    `algorithms` are the contract's own names. Diagnostics stay: what could not be read may have been about any model.
    """
    chosen = analysis.models
    findings = analysis.findings
    if models:
        wanted = {model.class_ for name in models for model in find_models(analysis.models, name)}
        chosen = tuple(model for model in chosen if model.class_ in wanted)
        findings = tuple(finding for finding in findings if finding.class_ in wanted)
    if algorithms:
        names = set(algorithms)
        chosen = tuple(
            msgspec.structs.replace(
                model, algorithms={name: verdict for name, verdict in model.algorithms.items() if name in names}
            )
            for model in chosen
        )
        findings = about_algorithms(findings, names)
    return msgspec.structs.replace(analysis, models=chosen, findings=findings)


def about_algorithms(findings: Iterable[Finding], algorithms: Iterable[str]) -> tuple[Finding, ...]:
    """The findings that concern one of the algorithms; one that names no algorithm concerns all."""
    names = set(algorithms)
    return tuple(finding for finding in findings if not finding.algorithms or names.intersection(finding.algorithms))


def requirements_of(
    contract: Contract, model: ModelCompliance, algorithms: Sequence[str], interface: str = "speculative"
) -> tuple[Requirement, ...]:
    """What the contract asks of this model in the roles that it has, for these algorithms."""
    roles = {"both", *model.roles}
    wanted = set(algorithms)
    return tuple(
        requirement
        for requirement in contract.requirements
        if requirement.role in roles
        and requirement.interface == interface
        and (wanted.intersection(requirement.algorithms) or not requirement.algorithms)
    )
