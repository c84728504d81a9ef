"""What a user asks to be analysed: one value, which every command, the plugin and the API open and analyse alike."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from specint.aside import on_demand
from specint.contract.interfaces import BY_DEFAULT
from specint.errors import Diagnostic, SpecintError
from specint.facts.store import Store
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.config import Config
    from specint.contract.model import Contract

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is (0: not known)."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be analysed, and how.

    Attributes:
        sglang: a release or a path; None for the installed one.
        relative_to: the folder that a relative `sglang` starts from, None for the working directory.
        paths: the files and folders that the user named: what an answer is about.
        everything: all of the SGLang was named, and that needs no limit.
        models: files and folders of the user's own models that are there whatever was named.
        callers: files and folders of the user's own workers, whose calls join the contract.
        interfaces: which of the runner's contracts models are held against.
        classes: names of classes that were asked about: those of the user's own files are judged even if nothing
            registers them.
        against: another SGLang: the models are held against its contract. Models outside of SGLang are laid beside that
            one: after an upgrade their bases are the new ones too.
        cache_dir: where what was read is kept, and releases that were fetched.
        cache: False reads every source anew and keeps nothing; a release that was fetched stays.
        jobs: how many processes read; None for as many as there are cores.
        progress: told what is being done.
    """

    cache_dir: Path
    sglang: str | None = None
    relative_to: Path | None = None
    paths: tuple[Path, ...] = ()
    everything: bool = False
    models: tuple[Path, ...] = ()
    callers: tuple[Path, ...] = ()
    interfaces: tuple[str, ...] = BY_DEFAULT
    classes: tuple[str, ...] = ()
    against: str | None = None
    cache: bool = True
    jobs: int | None = None
    progress: Progress | None = None


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A request whose sources were found.

    Attributes:
        sglang: the SGLang that is read.
        tree: the same with the user's own models and callers in it.
        models: the files of models outside of SGLang, which are registered all the same.
        callers: the files of workers that SGLang's own packages of workers don't hold.
        classes: those names of the request's that the files of models may define.
        against: the SGLang whose contract counts, if it isn't the tree's own; the callers are in it too.
        named: the files that the request's paths mean, None where there are none.
        singled_out: those of them that were named one by one, or lie outside SGLang.
        own: the files that the request's models mean.
    """

    request: Request
    sglang: Tree
    tree: Tree
    store: Store
    models: tuple[SourceFile, ...] = ()
    callers: tuple[SourceFile, ...] = ()
    classes: tuple[str, ...] = ()
    against: Tree | None = None
    named: frozenset[str] | None = None
    singled_out: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    @property
    def subject(self) -> frozenset[str] | None:
        """The files that an answer is about: those named, else the user's own models; None for everything."""
        if self.named is not None or self.request.everything:
            return self.named
        return self.own or None


def request_of(
    config: Config,
    *,
    sglang: str | None = None,
    paths: Sequence[Path] = (),
    models: Sequence[Path] = (),
    callers: Sequence[Path] = (),
    interfaces: Sequence[str] = (),
    classes: Sequence[str] = (),
    against: str | None = None,
    cache_dir: Path | None = None,
    cache: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Request:
    """The request that options and a configuration make together.

    An option goes before the configuration's key; models and callers add up. Without the option the SGLang is the one
    that the paths lie in, are or hold, else the configuration's, else the installed one.
    """
    from specint.facts.store import cache_directory

    spec, relative_to = config.sglang, config.folder
    around = None if sglang else sglang_around(paths)
    everything = False
    if sglang:
        spec, relative_to = sglang, Path()
    elif around:
        spec, relative_to = called(around, paths), Path()
        if any(around.is_relative_to(path.absolute()) for path in paths):
            paths, everything = (), True
    beside = [config.folder / path if (config.folder / path).exists() else Path(path) for path in config.models]
    return Request(
        sglang=spec,
        relative_to=relative_to,
        paths=tuple(paths),
        everything=everything,
        models=(*models, *beside),
        callers=(*config.callers, *callers),
        interfaces=_interfaces(interfaces or config.interface),
        classes=(*classes, *(name for one in config.require for name in (one.model, one.draft) if name)),
        against=against,
        cache_dir=cache_dir or config.cache_dir or cache_directory(),
        cache=cache,
        jobs=jobs,
        progress=progress,
    )


def opened(request: Request, *, store: Store | None = None) -> Opened:
    """Find the sources that a request names; nothing is analysed yet.

    Args:
        store: where what is read is kept, if not where the request says.

    Raises:
        SpecintError: a path, a release or an SGLang isn't there.
    """
    from specint.source.beside import laid
    from specint.source.plugins import plugin_files

    other = _open(request, request.against, None) if request.against else None
    if other is not None and laid(other, (*request.models, *request.paths)).outside:
        tree, other = other, None
    else:
        tree = _open(request, request.sglang, request.relative_to)
    own = laid(tree, request.models)
    named = laid(own.tree, request.paths)
    calling = laid(named.tree, request.callers)
    plugins = laid(calling.tree, plugin_files((*request.models, *request.paths)))
    models = tuple(dict.fromkeys((*own.outside, *named.outside, *plugins.outside)))
    return Opened(
        request=request,
        sglang=tree,
        tree=plugins.tree,
        store=store or Store(request.cache_dir if request.cache else None),
        models=models,
        callers=_not_read_anyway(tree, calling.files, request.interfaces),
        classes=_defined(request.classes, plugins.tree, models),
        against=laid(other, request.callers).tree if other is not None else None,
        named=frozenset(file.path for file in named.files) if request.paths else None,
        singled_out=frozenset(file.path for file in named.singled_out),
        own=frozenset(file.path for file in own.files),
    )


def file_at(sources: Opened, path: Path) -> str | None:
    """A file among those that the request's paths mean, as findings name it."""
    for file in sources.named or ():
        place = sources.tree.location(SourceFile.at(file))
        if place is not None and place.resolve() == path.resolve():
            return file
    return None


def with_text(sources: Opened, file: str, text: str | bytes) -> Opened:
    """The same sources with another text in a file, as an editor has it before it is saved."""
    tree = sources.tree.overlay({SourceFile.at(file).module: text})
    return msgspec.structs.replace(sources, tree=tree)


def analysed(sources: Opened, tree: Tree | None = None, only: tuple[str, ...] = ()) -> Analysis:
    """The analysis of what was opened; `tree` is the same with some texts replaced (`Tree.overlay`), `only` are the
    classes that matter, as for `analyze`."""
    from specint.pipeline import analyze

    request = sources.request
    return analyze(
        tree or sources.tree,
        store=sources.store,
        models=sources.models,
        callers=sources.callers,
        interfaces=request.interfaces,
        classes=sources.classes,
        only=only,
        against=sources.against,
        jobs=request.jobs,
        progress=request.progress,
    )


@contextmanager
def analysed_apart(sources: Opened) -> Iterator[Callable[[tuple[str, ...]], Analysis]]:
    """What `analysed` gives for some classes, when it is asked for and by another process: to evaluate a launch takes
    memory, and to analyse a tree does, and one process with both is larger than either needs."""
    jobs = sources.request.jobs
    parallel = jobs is None or jobs > 1

    def compute(asked: bytes) -> bytes:
        return msgspec.msgpack.encode(analysed(sources, only=msgspec.msgpack.decode(asked, type=tuple[str, ...])))

    with on_demand(compute, parallel=parallel) as answer:
        from specint.analysis.model import Analysis

        yield lambda only: msgspec.msgpack.decode(answer(msgspec.msgpack.encode(only)), type=Analysis)


def contract_asked(sources: Opened) -> tuple[Contract, tuple[Diagnostic, ...]]:
    """The contract alone that models would be held against, and what is to be said of it; no model is looked at."""
    whole, said = whole_contract_asked(sources)
    return as_asked(sources, whole), said


def as_asked(sources: Opened, whole: Contract) -> Contract:
    """A contract's requirements under the interfaces that the request names."""
    from specint.pipeline import of_interfaces

    return of_interfaces(whole, sources.callers, sources.request.interfaces)


def whole_contract_asked(sources: Opened) -> tuple[Contract, tuple[Diagnostic, ...]]:
    """The same with what the code that was read asks under any interface."""
    from specint.pipeline import contract_read

    request = sources.request
    return contract_read(
        sources.against or sources.tree,
        store=sources.store,
        callers=sources.callers,
        interfaces=request.interfaces,
        jobs=request.jobs,
        progress=request.progress,
    )


def _open(request: Request, where: str | None, relative_to: Path | None) -> Tree:
    from specint.source.locate import open_tree

    told = request.progress
    say = None if told is None else (lambda what: told(what, 0, 0))
    # A release is fetched once even with --no-cache: it never changes, and the index is not ours to wear out.
    return open_tree(where, cache_dir=request.cache_dir, relative_to=relative_to, progress=say)


def _defined(names: Sequence[str], tree: Tree, files: Sequence[SourceFile]) -> tuple[str, ...]:
    """The names that a class of these files may have: an answer is kept apart for them alone."""
    wanted = sorted({name.rpartition(".")[2] for name in names})
    found: set[str] = set()
    for file in files if wanted else ():
        try:
            text = tree.read(file)
        except SpecintError:  # said when it is to be analysed
            continue
        found.update(name for name in wanted if re.search(rb"\bclass\s+%s\b" % re.escape(name.encode()), text))
    return tuple(sorted(found))


def _not_read_anyway(tree: Tree, files: Sequence[SourceFile], interfaces: Sequence[str]) -> tuple[SourceFile, ...]:
    """The files that aren't in one of the packages whose code is scanned for calls in any case."""
    from specint.pipeline import code_packages

    above = tuple(f"{package}." for package in code_packages(tree, interfaces))
    return tuple(file for file in files if not f"{file.module}.".startswith(above))


def _interfaces(wanted: Sequence[str]) -> tuple[str, ...]:
    """The interfaces of those names, in the order of the catalogue; without names those that are on by default."""
    from specint.config import check_names
    from specint.contract.interfaces import names

    check_names(wanted, (*names(), "all"), "interface", "--interface")
    chosen = wanted or BY_DEFAULT
    return names() if "all" in chosen else tuple(name for name in names() if name in chosen)


def sglang_around(paths: Sequence[Path]) -> Path | None:
    """The SGLang that all the paths lie in, are, or hold (a checkout); None where there is none, or not the same.

    A path that doesn't exist is an error: it must not be taken for one that holds no models.
    """
    from specint.source.package import USUAL_NAME, is_sglang

    found = set()
    for path in paths:
        here = path.absolute()
        if not here.exists() and len(path.parts) > 1:
            raise SpecintError("no such file or folder", str(path))
        places = (here, *here.parents, here / USUAL_NAME, here / "python" / USUAL_NAME)
        found.add(next((folder for folder in places if is_sglang(folder)), None))
    return found.pop() if len(found) == 1 else None


def called(folder: Path, paths: Sequence[Path]) -> str:
    """The SGLang around paths as its user would call it: a report says the same on every machine."""
    from specint.source.release import release_named, releases_named

    if all(path.is_absolute() for path in paths):
        return str(folder)
    name = os.path.relpath(folder)
    return f"./{name}" if release_named(name) or releases_named(name) else name
