"""The way of the data, from a source to findings: what every command and the pylint plugin call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import msgspec

from specint.analysis.model import Analysis
from specint.answers import current_key, fingerprint, key_of, modules_outside, recall, remember
from specint.aside import Tell, aside_telling
from specint.contract.model import Contract
from specint.depth import room_to_recurse
from specint.errors import Diagnostic, SpecintError
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.facts.load import Loader, Progress
    from specint.facts.model import Module
    from specint.facts.store import Store
    from specint.graph.composition import Composition
    from specint.graph.project import ClassNode, Project


@contextmanager
def collector_resting() -> Iterator[None]:
    """Facts are millions of small objects without cycles; looking for cycles among them takes longer than reading.

    Where the collector doesn't run at all, because one answer is all that is wanted of the process, what an earlier
    analysis left behind goes before the next one begins.
    """
    was = gc.isenabled()
    if not was and gc.get_count()[0] > _MUCH:
        gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


_MUCH = 100_000
"""More objects than that, made since the last collection, are an analysis; the start of a command makes thousands."""

_MANY = 1_000
"""From so many modules on, freeing what was worked with is worth its time before the answer is written; SGLang 0.5.23
has 575."""

_ENDLESS = "calls, bases or imports of its workers, runners or registry lead on for too long to be followed"

_WORTH_A_PROCESS = 16
"""In so many files of workers and runners the contract takes long enough to be inferred beside the models."""


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """What an analysis covers besides the tree itself.

    Attributes:
        models: files outside of SGLang's own models whose registered classes count too.
        callers: files outside of SGLang whose calls join the contract, and whose algorithms count.
        interfaces: which of the runner's contracts models are held against.
        classes: names of classes of those model files that are judged whether or not they are registered.
    """

    models: tuple[SourceFile, ...] = ()
    callers: tuple[SourceFile, ...] = ()
    interfaces: tuple[str, ...] = ("speculative", "worker")
    classes: tuple[str, ...] = ()


def analyze(
    tree: Tree,
    *,
    store: Store,
    models: tuple[SourceFile, ...] = (),
    callers: tuple[SourceFile, ...] = (),
    interfaces: tuple[str, ...] = ("speculative", "worker"),
    classes: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    against: Tree | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Analyse a tree, or take the answer from the cache where nothing that matters has changed.

    Args:
        models, callers, interfaces, classes: see `Scope`; the files are in the tree (see `Tree.beside`).
        only: dotted names of classes; no other one is judged, unless all were before. What rules say of a class beside
            others is then not to be had.
        against: another SGLang, whose contract the models are held against in place of their own; callers that it
            holds too join that one.
        jobs: how many processes read new files; None: as many as there are processors.
        progress: told what is being done, how far, and of how much.

    What is wrong with the cache is no part of the answer; `store.problems` has it.

    Raises:
        SpecintError: there is no contract or no model in the tree.
    """
    from specint.contract.declared import declared

    scope = Scope(models=models, callers=callers, interfaces=interfaces, classes=classes)
    version = fingerprint()
    code = declared().code
    prefixes = [*code_packages(tree, interfaces), f"{tree.package}.{code.models}"]
    key = own_key = key_of(tree, prefixes, (*models, *callers), version, *interfaces, *classes)
    if against is not None:
        key = key_of(against, code_packages(against, interfaces), _there(against, callers), key)
    analysis = recall(store, key, tree, Analysis)
    if analysis is None and only:
        key = key_of(tree, [], (), key, "only", *only)
        analysis = recall(store, key, tree, Analysis)
    if analysis is None:
        with collector_resting(), room_to_recurse():
            try:
                analysis, also, many = _analyze(tree, store, scope, only, against, jobs, progress, version)
                if many:  # copied to where nothing else lies, so that the memory of the rest is given back
                    encoded = msgspec.msgpack.encode(analysis)
                    del analysis
                    analysis = msgspec.msgpack.decode(encoded, type=Analysis)
                    del encoded
            except RecursionError:
                raise SpecintError(_ENDLESS, tree.package, "shorten the chain") from None
        again = current_key(tree, prefixes, (*models, *callers), version, *interfaces, *classes)
        if again == own_key and not _poor(analysis.diagnostics):
            remember(store, key, tree, analysis, modules_outside(also, prefixes))
    return msgspec.structs.replace(
        analysis,
        sglang=tree.origin,
        against=against.origin if against else None,
        diagnostics=(*tree.problems, *analysis.diagnostics),
    )


def contract_of(
    tree: Tree,
    *,
    store: Store,
    callers: tuple[SourceFile, ...] = (),
    interfaces: tuple[str, ...] = ("speculative", "worker"),
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Contract:
    """The contract of a tree alone, without looking at a model; the parameters are those of `analyze`."""
    contract, _ = contract_read(tree, store=store, callers=callers, interfaces=interfaces, jobs=jobs, progress=progress)
    return of_interfaces(contract, callers, interfaces)


def contract_read(
    tree: Tree,
    *,
    store: Store,
    callers: tuple[SourceFile, ...] = (),
    interfaces: tuple[str, ...] = ("speculative", "worker"),
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Contract, tuple[Diagnostic, ...]]:
    """What is asked of models under any interface by the code that some are read for, and what could not be read or
    adds nothing to it; see `analyze`."""
    from specint.facts.load import Loader

    version = fingerprint()
    scope = Scope(callers=callers, interfaces=interfaces)
    with collector_resting(), room_to_recurse():
        loader = Loader(tree, store, version=version, jobs=jobs, progress=progress)
        found = _inferred(tree, store, loader, scope, version)
    return found.contract, (*tree.problems, *found.diagnostics)


def code_packages(tree: Tree, interfaces: Iterable[str]) -> list[str]:
    """The packages of a tree whose code is scanned for what is asked of models under these interfaces."""
    from specint.contract.declared import declared
    from specint.contract.interfaces import packages_of

    return [f"{tree.package}.{name}" for name in (*declared().code.packages, *packages_of(interfaces))]


def of_interfaces(contract: Contract, callers: Iterable[SourceFile], interfaces: Iterable[str]) -> Contract:
    """What is asked under the interfaces that were asked for; what a named caller asks counts under each."""
    from specint.contract.interfaces import WORKER

    named, wanted = {file.path for file in callers}, set(interfaces)
    kept = tuple(r for r in contract.requirements if r.interface in wanted or any(s.file in named for s in r.sites))
    return msgspec.structs.replace(contract, requirements=kept, demands=contract.demands if WORKER in wanted else ())


def _there(tree: Tree, files: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    return tuple(file for file in files if tree.find(file.module) == file)


def _analyze(
    tree: Tree,
    store: Store,
    scope: Scope,
    only: tuple[str, ...],
    against: Tree | None,
    jobs: int | None,
    progress: Progress | None,
    version: str,
) -> tuple[Analysis, tuple[str, ...], bool]:
    """The analysis, every module that it depends on, and whether it was so many that their facts have been let go."""
    from specint.checks import run, skipping
    from specint.checks.context import Context
    from specint.checks.verdicts import with_broken
    from specint.compliance.chosen import chosen_at_run_time
    from specint.compliance.judge import Judge, look_ahead, members_of
    from specint.compliance.patches import give_from_outside
    from specint.compliance.registry import Registry
    from specint.compliance.statements import read_statements
    from specint.contract.roots import find_roots
    from specint.facts.load import Loader
    from specint.graph.composition import Composition
    from specint.graph.hierarchy import Hierarchy
    from specint.graph.project import Project

    loader = Loader(tree, store, version=version, jobs=jobs, progress=progress)
    project = Project(loader.module, tree.package)
    hierarchy = Hierarchy(project)
    roots = find_roots(project, loader.unread)
    packages = code_packages(tree, scope.interfaces)
    files = list(dict.fromkeys(file for package in packages for file in tree.files(package)))
    parallel = loader.jobs > 1 and len(files) >= _WORTH_A_PROCESS

    def infer(tell: Tell) -> bytes:
        if against is not None:
            shown = progress if not parallel else None
            contract = contract_of(
                against,
                store=store,
                callers=_there(against, scope.callers),
                interfaces=scope.interfaces,
                jobs=jobs,
                progress=shown,
            )
            return msgspec.msgpack.encode(_Inferred(contract, (), ()))
        with loader.alone():
            names = (lambda names: tell(msgspec.msgpack.encode(tuple(names)))) if parallel else None
            return msgspec.msgpack.encode(_inferred(tree, store, loader, scope, version, names))

    models = tree.files(f"{tree.package}.{roots.declared.code.models}")
    if against is None:
        makers = [file for name in _makers(tree) if (file := tree.find(name)) is not None] if parallel else ()
        loader.read([*files, *scope.callers, *makers])
    composition = Composition(project, hierarchy, chosen_at_run_time(project, roots.declared))
    _tell(progress, "inferring the contract", 0, 1)
    with aside_telling(infer, parallel=parallel) as inferred:
        try:
            with loader.alone() if parallel else nullcontext():
                loader.load([*models, *scope.models, *scope.callers])
            own = (*scope.models, *scope.callers)
            give_from_outside(project, hierarchy, own)
            registry = Registry(project, hierarchy, roots.declared.code)
            found, lost = _followed(registry.models(tree, own, scope.classes), composition)
            statements = read_statements(project, roots.declared)
        except SpecintError:
            inferred()  # what is wrong with the contract comes first
            raise
        members = members_of(composition, roots.declared)
        if parallel:
            skipping.look_ahead(members, found)
            names = msgspec.msgpack.decode(inferred.told() or b"\x90", type=tuple[str, ...])
            look_ahead(members, found, names, inferred.is_there)
        asked = msgspec.msgpack.decode(inferred(), type=_Inferred)
    contract = of_interfaces(asked.contract, scope.callers, scope.interfaces)
    _tell(progress, "judging models", 0, 1)
    judge = Judge(members, contract, roots.declared, found, statements)
    judged = judge.judge(only)
    outside = frozenset(file.module for file in own if not f"{file.module}.".startswith(f"{tree.package}."))
    context = Context(judge, contract, judged, loader, outside, asked.contract)
    findings, unchecked = run(context, parallel=parallel)
    diagnostics = {
        *loader.diagnostics.values(),
        *asked.diagnostics,
        *lost,
        *judge.lost,
        *unchecked,
        *registry.unread,
        *_given_up(project),
    }
    analysis = Analysis(
        sglang=tree.origin,
        contract=contract,
        models=with_broken(judged, findings),
        findings=findings,
        diagnostics=tuple(sorted(diagnostics, key=lambda one: (one.file, one.line, one.what))),
        against=against.origin if against is not None else None,
    )
    also = (*loader.asked(), *asked.also)
    many = len(also) > _MANY
    if many:
        _let_go(context, judge, members, composition, hierarchy, project, loader)
    return analysis, also, many


def _let_go(*owners: object) -> None:
    """Free what an analysis worked with, before its answer is written: these hold each other, and nobody collects."""
    for owner in owners:
        vars(owner).clear()


def _followed(found: tuple[ClassNode, ...], composition: Composition) -> tuple[tuple[ClassNode, ...], list[Diagnostic]]:
    """The models whose constructors can be followed, and what is said of the others."""
    from specint.compliance.judge import lost_way

    kept, lost = [], []
    for node in found:
        try:
            composition.assignments(node)
            kept.append(node)
        except RecursionError:
            lost.append(lost_way(node))
    return tuple(kept), lost


def _poor(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether an answer lacks something only because the machine had too little memory: then it is not kept."""
    from specint.facts.load import MEMORY

    return any(one.hint == MEMORY for one in diagnostics)


def _given_up(project: Project) -> list[Diagnostic]:
    """What is said of evaluations that would have gone on for too long."""
    hint = "what it gives is unknown; fewer ways to call it, with fewer different arguments, can be followed"
    return [
        Diagnostic(file=file, line=line, what=f"following this takes more than {steps:,} steps", hint=hint)
        for (file, line), steps in project.exhausted.items()
    ]


class _Inferred(msgspec.Struct, frozen=True):
    """A contract, the modules that were asked for on the way to it, and what could not be read there."""

    contract: Contract
    also: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def _makers(tree: Tree) -> list[str]:
    """The modules beside the declared function that speak of it: they make models of the class that it tells."""
    from specint.contract.declared import declared
    from specint.facts.unscanned import text_or_nothing

    function = f"{tree.package}.{declared().architecture.function}"
    module, _, name = function.rpartition(".")
    files = tree.files(module.rpartition(".")[0])
    return [file.module for file in files if not file.is_init and name in text_or_nothing(tree, file)]


def _inferred(
    tree: Tree,
    store: Store,
    loader: Loader,
    scope: Scope,
    version: str,
    told: Callable[[Iterable[str]], None] | None = None,
) -> _Inferred:
    """The contract depends on workers and runners only: an edit to a model leaves it as it is.

    What they import from elsewhere isn't read either, except where the runner's other interfaces are asked for: then
    what a runner hands itself or its model to is, too. Layers, kernels and utilities are more code than workers and
    runners together.
    """
    from specint.contract.build import build_contract
    from specint.contract.declared import declared, declared_modules
    from specint.contract.interfaces import BY_DEFAULT
    from specint.contract.roots import find_roots
    from specint.facts.unscanned import Unscanned
    from specint.graph.hierarchy import Hierarchy
    from specint.graph.project import Project

    packages = code_packages(tree, scope.interfaces)
    # the speculative contract is in the code packages; the runner's others are also where it hands itself to
    beyond = not set(scope.interfaces).issubset(BY_DEFAULT)
    models = tree.files(f"{tree.package}.{declared().code.models}")
    # a new model may bring a method that workers hand a model to
    words = ("contract", version, str(beyond), *(file.path for file in models))
    key = key_of(tree, packages, scope.callers, *words)
    if (kept := recall(store, key, tree, _Inferred)) is not None:
        return kept
    files = [file for package in packages for file in tree.files(package)]
    modules = loader.load(dict.fromkeys([*files, *scope.callers]))
    near = {module.name for module in modules} | {f"{tree.package}.{name}" for name in declared_modules()}
    near |= {file.module for name in declared().settings.packages for file in tree.files(f"{tree.package}.{name}")}
    near |= {".".join(name.split(".")[:n]) for name in near for n in range(1, name.count(".") + 1)}  # re-exports
    project = Project(lambda name: loader.module(name) if name in near else None, tree.package)
    hierarchy = Hierarchy(project)
    roots = find_roots(project, loader.unread)
    outside = frozenset(file.module for file in scope.callers)
    makers = [module for name in _makers(tree) if (module := loader.module(name)) is not None]

    def fetch(names: Iterable[str]) -> list[Module]:
        there = [file for name in names if (file := tree.find(name)) is not None]
        near.update(file.module for file in there)
        return list(loader.load(there))

    try:
        contract, said = build_contract(
            project,
            hierarchy,
            roots,
            modules,
            outside,
            makers,
            fetch if beyond else None,
            Unscanned(tree, models, fetch),
            told,
        )
    except RecursionError:
        raise SpecintError(_ENDLESS, tree.package, "shorten the chain") from None
    asked = modules_outside(loader.asked(), packages)
    inferred = _Inferred(contract, asked, (*loader.diagnostics.values(), *said, *_given_up(project)))
    if current_key(tree, packages, scope.callers, *words) == key and not _poor(inferred.diagnostics):
        remember(store, key, tree, inferred, asked)
    return inferred


def _tell(progress: Callable[[str, int, int], None] | None, what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)
