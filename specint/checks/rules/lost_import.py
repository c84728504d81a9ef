"""spec-lost-import: a model of one's own imports from SGLang what this one doesn't have."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.catalog import rule
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding
from specint.compliance.model import ModelCompliance
from specint.facts import model as facts
from specint.graph.project import Project
from specint.graph.steps import expressions
from specint.suggestion import did_you_mean

SYMBOL = "spec-lost-import"


def check(context: Context) -> Iterator[Finding]:
    """Every import of a user's own modules that surely runs, from the SGLang that was read."""
    models: dict[str, list[ModelCompliance]] = {}
    for model in context.models:
        models.setdefault(model.file, []).append(model)
    for name in sorted(context.own):
        module = context.judge.project.module(name)
        for step in _imports(context.judge.project, module) if module is not None else ():
            if lost := _lost(context, step):
                assert module is not None
                yield _finding(context, module, step, lost, models.get(module.path, []))


def _imports(project: Project, module: facts.Module) -> Iterator[facts.Import]:
    """The imports from the tree's package that no condition and no handler stands before."""
    scopes = [module.body, *(function.facts.body for function in project.functions_of(module))]
    for scope in scopes:
        for step in scope.steps:
            if not isinstance(step, facts.Import) or step.guard != -1:
                continue
            if step.module.partition(".")[0] == project.package:
                yield step


def _lost(context: Context, step: facts.Import) -> str:
    """What of an import isn't there, "" where all of it may be."""
    project, tree = context.judge.project, context.loader.tree
    if tree.find(step.module) is None and not tree.is_package(step.module):
        return step.module
    if step.attribute in (None, "*"):
        return ""
    name = f"{step.module}.{step.attribute}"
    if tree.find(name) is not None or tree.is_package(name):
        return ""
    source = project.module(step.module)
    if source is None:  # a folder without a file of its own, or one that could not be read
        return name if tree.find(step.module) is None else ""
    return "" if _may_define(project, source, step.attribute or "") else name


def _may_define(project: Project, module: facts.Module, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a module has a name, or makes names when it is imported."""
    if module.name in seen:
        return False  # whoever asked it first is told what else it has
    table = project.table(module)
    if name in table or "__getattr__" in table or any(map(_makes_names, module.body.steps)):
        return True
    for step in table.get("*", ()):
        starred = project.module(step.module) if isinstance(step, facts.Import) else None
        if starred is None or _may_define(project, starred, name, seen | {module.name}):
            return True
    return False


def _makes_names(step: facts.Step) -> bool:
    """Whether a step writes names that it computes: into `globals()`, or into a module by `setattr`, `sys.modules`."""
    return any(
        part in (facts.Name("globals"), facts.Name("setattr"))
        or (isinstance(part, facts.Attribute) and facts.dotted(part) == "sys.modules")
        for expr in expressions(step)
        for part in facts.walk(expr)
    )


def _finding(
    context: Context, module: facts.Module, step: facts.Import, lost: str, models: list[ModelCompliance]
) -> Finding:
    heirs = [model for model in models if lost in model.mro or f"{step.module}.{step.attribute}" in model.mro]
    about = next(iter([*heirs, *models]), None)
    here = lost == step.module
    what = f"module {lost}" if here else f"`{step.attribute}` in {step.module}"
    hint = _elsewhere(context, step) or did_you_mean(lost.rpartition(".")[2], _beside(context, step, here))
    return Finding(
        rule=SYMBOL,
        id=rule(SYMBOL).id,
        class_=about.class_ if about is not None else module.name,
        member="",
        algorithms=(),
        file=module.path,
        line=step.line,
        message=f"there is no {what} in this SGLang" + (f" ({hint})" if hint else ""),
        evidence=tuple(
            Evidence(file=model.file, line=model.line, what=f"{model.name} inherits from it") for model in heirs
        ),
    )


def _elsewhere(context: Context, step: facts.Import) -> str:
    """Where SGLang has a model class of the name that is imported."""
    places = [one for one in context.models if one.name == step.attribute and not context.is_own(one)]
    return f"{step.attribute} is in {places[0].class_.rpartition('.')[0]}" if places else ""


def _beside(context: Context, step: facts.Import, of_folder: bool) -> list[str]:
    """The names that could have been meant: modules of the folder, or what the module defines."""
    if of_folder:
        above = step.module.rpartition(".")[0]
        depth = above.count(".") + 1
        files = context.loader.tree.files(above)
        return [file.module.rpartition(".")[2] for file in files if file.module.count(".") == depth]
    module = context.judge.project.module(step.module)
    return list(context.judge.project.table(module)) if module is not None else []
