"""Facts of many modules: from the cache where the text is known, in parallel where it is not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from hashlib import blake2b

from specint.errors import Diagnostic, SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.store import Store
from specint.source.tree import SourceFile, Tree, content_digest, decode

Progress = Callable[[str, int, int], None]
Task = tuple[SourceFile, bytes]

START_METHOD = "fork" if sys.platform == "linux" else "spawn"
"""How another process comes to be."""
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
                self.load([file])
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
        wanted = [file for file in files if file.module not in self._modules]
        keys: dict[SourceFile, str] = {}
        for file in wanted:
            try:
                keys[file] = self._key(file)
            except SpecintError as error:
                self._lost(file, error)
        expected = dict(self._digests)
        found = self.store.get_many("facts", keys.values())
        fresh: dict[str, bytes] = {}
        for file, key in keys.items():
            if key in found:
                try:
                    self._modules[file.module] = facts.decode(found[key])
                    continue
                except Exception:  # msgspec's errors share no narrow base; a cache entry is never worth failing for
                    pass
            fresh[key] = b""
        unread = [(file, key) for file, key in keys.items() if key in fresh]
        answers = zip(unread, self._extracted([file for file, _ in unread]), strict=True)
        for done, ((file, key), encoded) in enumerate(answers, 1):
            if self.progress is not None:
                self.progress("reading", done, len(unread))
            if isinstance(encoded, SpecintError):
                self._lost(file, encoded)
                del fresh[key]
            else:
                if self._digests[file.module] == expected[file.module]:
                    fresh[key] = encoded
                else:
                    del fresh[key]  # it was written to meanwhile, and these are not the facts of the key's text
                self._modules[file.module] = facts.decode(encoded)
        if fresh:
            self.store.put_many("facts", fresh)
        return [module for file in files if (module := self._modules.get(file.module)) is not None]

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
        if not files:
            return []
        if self.jobs < 2 or len(files) < _WORTH_A_PROCESS:
            return (_extract(task) for task in self._read(files))
        return self._in_parallel(files)

    def _read(self, files: list[SourceFile]) -> Iterable[Task | SpecintError]:
        for file in files:
            try:
                data = self.tree.read(file)
                self._digests[file.module] = content_digest(data)
                yield file, data
            except SpecintError as error:
                yield error

    def _in_parallel(self, files: list[SourceFile]) -> Iterable[bytes | SpecintError]:
        # the largest first would balance best, but the order of answers must be the order of questions
        context = multiprocessing.get_context(START_METHOD)
        chunks = [files[i : i + _CHUNK] for i in range(0, len(files), _CHUNK)]
        with _no_imports_from_here(), _no_interrupts():  # processes start here, and with the first questions
            pool = ProcessPoolExecutor(min(self.jobs, len(chunks)), mp_context=context)
            found = pool.map(_extract_all, (list(self._read(chunk)) for chunk in chunks))
        with pool:
            for answers in found:
                for answer in answers:
                    yield SpecintError(*answer) if isinstance(answer, tuple) else answer


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


def _extract(task: Task | SpecintError) -> bytes | SpecintError:
    if isinstance(task, SpecintError):
        return task
    file, data = task
    try:
        text = decode(data, file.path)
        return facts.encode(extract(text, name=file.module, path=file.path, is_package=file.is_init))
    except SpecintError as error:
        return error


def _extract_all(tasks: list[Task | SpecintError]) -> list[bytes | tuple[str, str, str]]:
    answers = (_extract(task) for task in tasks)
    return [(a.what, a.where, a.hint) if isinstance(a, SpecintError) else a for a in answers]
