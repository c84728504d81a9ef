"""Facts of many modules: from the cache where the text is known, in parallel where it is not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

import msgspec

from specint.aside import Lost, spread
from specint.errors import Diagnostic, SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.store import Store
from specint.source.tree import SourceFile, Tree, content_digest, decode

Progress = Callable[[str, int, int], None]

START_METHOD = "fork" if sys.platform == "linux" else "spawn"
"""How another process comes to be."""
MEMORY = "split it, exclude it, or give the machine more memory"
"""The hint where a machine was too poor for a file: another one, or the same a minute later, may not be."""
_WORTH_A_PROCESS = 16
"""The fewest files to be read anew for which starting another process pays."""
_CHUNK = 12


class Loader:
    """Gives the facts of a tree's modules, and collects what could not be read.

    Args:
        version: what else the facts depend on, besides the text: the code that extracts them.
        jobs: how many processes read at once; None: as many as there are processors.
    """

    def __init__(
        self, tree: Tree, store: Store, *, version: str, jobs: int | None = None, progress: Progress | None = None
    ) -> None:
        self.tree = tree
        self.store = store
        self.version = version
        self.jobs = jobs if jobs is not None else _processors()
        self.progress = progress
        self.diagnostics: dict[str, Diagnostic] = {}
        self._modules: dict[str, facts.Module | None] = {}
        self._encoded: dict[str, bytes] = {}
        self._asked: dict[str, None] = {}
        self._digests: dict[str, str] = {}

    def module(self, name: str) -> facts.Module | None:
        """One module by its dotted name; None where the tree has none, or it can't be read (then with a diagnostic)."""
        self._asked[name] = None
        if name not in self._modules:
            file = self.tree.find(name)
            if file is None:
                self._modules[name] = None
            else:
                self.read([file])
                self._decoded(file)
        return self._modules[name]

    def unread(self, name: str) -> SpecintError | None:
        """Why a module that the tree has can't be read; None if it can, or nobody has asked for it yet."""
        file = self.tree.find(name)
        found = self.diagnostics.get(file.path) if file is not None else None
        if found is None:
            return None
        place = ":".join(str(part) for part in (found.file, found.line, found.column) if part)
        return SpecintError(found.what, place, found.hint)

    def also_asked(self, names: Iterable[str]) -> None:
        """Modules that somebody asked for in another process."""
        self._asked.update(dict.fromkeys(names))

    def asked(self) -> tuple[str, ...]:
        """Every module that anybody has asked for, also those that the tree lacks."""
        return tuple(self._asked)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Reads in this process only, and without a word, while another one is busy."""
        before = self.jobs, self.progress
        self.jobs, self.progress = 1, None
        try:
            yield
        finally:
            self.jobs, self.progress = before

    def load(self, files: Iterable[SourceFile]) -> list[facts.Module]:
        """The facts of files, all at once; what can't be read is left out, with a diagnostic."""
        files = list(files)
        self.read(files)
        return [module for file in files if (module := self._decoded(file)) is not None]

    def read(self, files: Iterable[SourceFile]) -> None:
        """Have the facts of files at hand, all at once, as they are kept: a tenth of what they are as objects, which
        are made when somebody asks for the module."""
        wanted = [file for file in files if file.module not in self._modules and file.module not in self._encoded]
        keys: dict[SourceFile, str] = {}
        for file in wanted:
            try:
                keys[file] = self._key(file)
            except SpecintError as error:
                self._lost(file, error)
        found = self.store.get_many("facts", keys.values())
        self._encoded |= {file.module: found[key] for file, key in keys.items() if key in found}
        self._read_anew({file: key for file, key in keys.items() if key not in found})

    def _read_anew(self, keys: dict[SourceFile, str]) -> None:
        expected = dict(self._digests)
        fresh: dict[str, bytes] = {}
        answers = zip(keys.items(), self._extracted(list(keys)), strict=True)
        for done, ((file, key), encoded) in enumerate(answers, 1):
            if self.progress is not None:
                self.progress("reading", done, len(keys))
            if isinstance(encoded, SpecintError):
                self._lost(file, encoded)
                continue
            self._encoded[file.module] = encoded
            # Otherwise it was written to meanwhile, and these are not the facts of the key's text.
            if self._digests[file.module] == expected[file.module]:
                fresh[key] = encoded
        if fresh:
            self.store.put_many("facts", fresh)

    def _decoded(self, file: SourceFile) -> facts.Module | None:
        name = file.module
        if (encoded := self._encoded.pop(name, None)) is not None:
            try:
                self._modules[name] = facts.decode(encoded)
            except Exception:  # msgspec's errors share no narrow base; a cache entry is never worth failing for
                try:
                    self._read_anew({file: self._key(file)})
                except SpecintError as error:
                    self._lost(file, error)
                if (encoded := self._encoded.pop(name, None)) is not None:
                    self._modules[name] = facts.decode(encoded)
        return self._modules.get(name)

    def source(self, module: str) -> tuple[SourceFile, bytes] | None:
        """The text whose facts were given; None where the file is gone, or no longer what it was when it was read."""
        file = self.tree.find(module)
        try:
            data = self.tree.read(file) if file is not None else b""
        except SpecintError:
            return None
        return (file, data) if file is not None and content_digest(data) == self._digests.get(module) else None

    def _key(self, file: SourceFile) -> str:
        self._digests[file.module] = self.tree.digest(file)
        digest = blake2b(digest_size=20)
        for part in (self.version, file.path, file.module, self._digests[file.module]):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()

    def _lost(self, file: SourceFile, error: SpecintError) -> None:
        self._modules[file.module] = None
        place, line, column = error.where, 0, 0
        if place.startswith(f"{file.path}:"):
            numbers = [int(part) for part in place[len(file.path) + 1 :].split(":") if part.isdigit()]
            line, column = [*numbers, 0, 0][:2]
        self.diagnostics[file.path] = Diagnostic(
            file=file.path, line=line, column=column, what=error.what, hint=error.hint
        )

    def _extracted(self, files: list[SourceFile]) -> Iterable[bytes | SpecintError]:
        if self.jobs < 2 or len(files) < _WORTH_A_PROCESS:
            made: Iterable[bytes | Lost] = (_made(file, self.tree.read) for file in files)
        elif START_METHOD == "fork":
            made = spread(lambda file: _made(file, self.tree.read), files, jobs=self.jobs)
        else:
            made = _spawned(self.tree, files, self.jobs)
        for file, answer in zip(files, made, strict=True):
            if isinstance(answer, Lost):
                what = f"the process that read it was killed ({answer.why}), perhaps for want of memory"
                yield SpecintError(what, file.path, MEMORY)
                continue
            read = msgspec.msgpack.decode(answer, type=_Made)
            if read.digest:
                self._digests[file.module] = read.digest
            yield SpecintError(*read.error) if read.error is not None else read.facts


class _Made(msgspec.Struct, frozen=True, array_like=True):
    """What was made of a file: the digest of its bytes, and its facts or what is wrong with it."""

    digest: str
    facts: bytes = b""
    error: tuple[str, str, str] | None = None


def _made(file: SourceFile, read: Callable[[SourceFile], bytes]) -> bytes:
    """What a file says, or why it can't be read, as bytes: another process may make them."""
    digest = ""
    try:
        data = read(file)
        digest = content_digest(data)
        text = decode(data, file.path)
        made = facts.encode(extract(text, name=file.module, path=file.path, is_package=file.is_init))
        return msgspec.msgpack.encode(_Made(digest, made))
    except SpecintError as error:
        return msgspec.msgpack.encode(_Made(digest, error=(error.what, error.where, error.hint)))
    except MemoryError:
        return msgspec.msgpack.encode(_Made(digest, error=("there is too little memory to read it", file.path, MEMORY)))


def _made_of(task: tuple[SourceFile, bytes | tuple[str, str, str]]) -> bytes:
    file, data = task

    def read(_: SourceFile) -> bytes:
        if isinstance(data, tuple):
            raise SpecintError(*data)
        return data

    return _made(file, read)


def _spawned(tree: Tree, files: list[SourceFile], jobs: int) -> Iterator[bytes]:
    """Where a process can't be split in two: fresh ones, or this one alone if there are none to be had."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    def task(file: SourceFile) -> tuple[SourceFile, bytes | tuple[str, str, str]]:
        try:
            return file, tree.read(file)
        except SpecintError as error:
            return file, (error.what, error.where, error.hint)

    done = 0
    try:
        with _no_imports_from_here(), _no_interrupts():  # processes start here, and with the first questions
            pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
            found = pool.map(_made_of, map(task, files), chunksize=_CHUNK)
        with pool:
            for answer in found:
                done += 1
                yield answer
    except (OSError, BrokenProcessPool):
        yield from (_made(file, tree.read) for file in files[done:])


@contextmanager
def _no_imports_from_here() -> Iterator[None]:
    """Processes that are spawned meanwhile don't look for modules in the working directory, as `python -c` would."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile leave Ctrl-C, which a terminal sends to all of them, to the one that started
    them: it lets them end, and they have nothing to say."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
