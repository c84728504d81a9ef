"""A tree of Python sources, wherever they lie: dotted module names to text, nothing imported.

Names are computed from the tree itself, because SGLang has no `__init__.py` in `srt/` and `srt/models/`.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from specint.errors import Diagnostic, SpecintError
from specint.reading import LARGEST_FILE


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Which SGLang a tree is. `source` is what a user would recognise: a path, or a release."""

    version: str
    source: str


class SourceFile(msgspec.Struct, frozen=True, order=True):
    """One Python file. `path` is posix and relative to the folder that holds the top-level package."""

    path: str
    module: str

    @classmethod
    def at(cls, path: str) -> SourceFile:
        """The file with its dotted name: `a/b/__init__.py` is `a.b`."""
        return cls(path, path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))

    @property
    def is_init(self) -> bool:
        """Whether the file is a package's own, so that its relative imports start one level deeper."""
        return self.path.endswith("/__init__.py")


class Folder(NamedTuple):
    """What one folder holds: the stems of its `.py` files and the names of its folders, each sorted."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


EMPTY = Folder()


class Tree(ABC):
    """Python files by dotted name.

    Attributes:
        origin: what was opened.
        package: the top-level package ("sglang"; a fork may be called otherwise).
        problems: folders that could not be listed, found so far.
    """

    def __init__(self, origin: Origin, package: str) -> None:
        self.origin = origin
        self.package = package
        self.problems: list[Diagnostic] = []
        self._files: dict[str, tuple[SourceFile, ...]] = {}

    @abstractmethod
    def folder(self, path: str) -> Folder:
        """What the folder at a posix path holds; empty where there is none. "" holds the top-level packages."""

    @abstractmethod
    def read(self, file: SourceFile) -> bytes:
        """The file's bytes. Safe to call from several threads; raises SpecintError if it can't be read."""

    @abstractmethod
    def digest_all(self, prefixes: Iterable[str]) -> str:
        """A hash that changes whenever a file under one of the dotted prefixes changes, comes or goes.

        Only content decides, never a time of change. Two kinds of tree with equal files may answer differently.
        """

    def location(self, file: SourceFile) -> Path | None:  # noqa: ARG002
        """Where the file lies on disk, None inside an archive."""
        return None

    def file_at(self, path: Path) -> SourceFile | None:  # noqa: ARG002
        """The file of this tree that lies at a path on disk, None if it is not one of this tree."""
        return None

    @property
    def packages(self) -> tuple[str, ...]:
        """The top-level packages, those that were added included."""
        return self.folder("").folders

    def files(self, prefix: str = "") -> list[SourceFile]:
        """The `.py` files under a dotted package, or the one file of a module, sorted by path."""
        known = self._files.get(prefix)
        if known is None:
            known = self._files[prefix] = tuple(sorted(self._under(prefix)))
        return list(known)

    def find(self, module: str) -> SourceFile | None:
        """The file that an import of `module` would run; None for a namespace package and for an unknown name."""
        path = module.replace(".", "/")
        if "__init__" in self.folder(path).files:
            return SourceFile.at(f"{path}/__init__.py")
        return self._plain(path)

    def is_package(self, module: str) -> bool:
        """Whether `module` is a folder with `.py` files in it or below it, with or without `__init__.py`."""
        return any(True for _ in self._walk(module.replace(".", "/")))

    def digest(self, file: SourceFile) -> str:
        """A hash of the file's content, the same in every kind of tree."""
        return content_digest(self.read(file))

    def overlay(self, texts: Mapping[str, str | bytes]) -> Tree:
        """This tree with some modules replaced or added: an unsaved buffer, or what a fix would write.

        A new module becomes `a/b.py`; to add a package's own file name it `a.b.__init__`.
        """
        contents = {}
        for module, text in texts.items():
            file = self.find(module)
            path = file.path if file else f"{module.replace('.', '/')}.py"
            contents[path] = text if isinstance(text, bytes) else encode(text)
        return JoinedTree(self, TextTree(contents, self.origin))

    def beside(self, *others: Tree) -> Tree:
        """This tree with the packages of others added. Where both have a file, that of the last one counts."""
        return JoinedTree(self, *others) if others else self

    def _under(self, prefix: str) -> Iterator[SourceFile]:
        path = prefix.replace(".", "/")
        if prefix and (own := self._plain(path)):
            yield own
        yield from self._walk(path)

    def _walk(self, top: str) -> Iterator[SourceFile]:
        waiting = [top]
        while waiting:
            path = waiting.pop()
            start = f"{path}/" if path else ""
            folder = self.folder(path)
            for stem in folder.files:
                # Python takes the package and never sees the module of the same name.
                if stem in folder.folders and "__init__" in self.folder(start + stem).files:
                    continue
                yield SourceFile.at(f"{start}{stem}.py")
            waiting += [start + name for name in folder.folders]

    def _plain(self, path: str) -> SourceFile | None:
        parent, _, name = path.rpartition("/")
        if name != "__init__" and name in self.folder(parent).files:
            return SourceFile.at(f"{path}.py")
        return None


class TextTree(Tree):
    """Files held in memory, by posix path."""

    def __init__(self, contents: Mapping[str, bytes], origin: Origin, package: str = "") -> None:
        super().__init__(origin, package or min(contents, default="").partition("/")[0].removesuffix(".py"))
        self._contents = dict(contents)
        self._folders = listing(self._contents)

    def folder(self, path: str) -> Folder:
        """As `Tree.folder`."""
        return self._folders.get(path, EMPTY)

    def read(self, file: SourceFile) -> bytes:
        """As `Tree.read`."""
        data = self._contents.get(file.path)
        if data is None:
            raise SpecintError("no such file in memory", file.path)
        if len(data) > LARGEST_FILE:
            raise SpecintError(f"can't be read: larger than {LARGEST_FILE >> 20} MiB", file.path, "split it")
        return data

    def digest_all(self, prefixes: Iterable[str]) -> str:
        """As `Tree.digest_all`, of the files' content."""
        return digest_of_files(self, prefixes)


class JoinedTree(Tree):
    """Several trees seen as one; a later one hides the files of an earlier one."""

    def __init__(self, base: Tree, *layers: Tree) -> None:
        super().__init__(base.origin, base.package)
        self._layers = (base, *layers)
        self._folders: dict[str, Folder] = {}

    @property
    def base(self) -> Tree:
        """The tree that the others are laid over."""
        return self._layers[0]

    def folder(self, path: str) -> Folder:
        """As `Tree.folder`: what any of the trees holds."""
        known = self._folders.get(path)
        if known is None:
            parts = [found for layer in self._layers if (found := layer.folder(path)) != EMPTY]
            known = self._folders[path] = (
                parts[0]
                if len(parts) == 1
                else Folder(
                    tuple(sorted({stem for part in parts for stem in part.files})),
                    tuple(sorted({name for part in parts for name in part.folders})),
                )
            )
            self.problems = [problem for layer in self._layers for problem in layer.problems]
        return known

    def read(self, file: SourceFile) -> bytes:
        """As `Tree.read`, from the last tree that has it."""
        for layer in self._holders(file):
            return layer.read(file)
        raise SpecintError("no such file in the tree", file.path)

    def location(self, file: SourceFile) -> Path | None:
        """As `Tree.location`, in the last tree that knows one."""
        # A text that replaces a file has no place of its own: it stands for the one below.
        return next((place for layer in self._holders(file) if (place := layer.location(file))), None)

    def file_at(self, path: Path) -> SourceFile | None:
        """As `Tree.file_at`, in the last tree that knows it."""
        return next((file for layer in reversed(self._layers) if (file := layer.file_at(path))), None)

    def digest_all(self, prefixes: Iterable[str]) -> str:
        """As `Tree.digest_all`; what was added counts whole, whatever the prefixes."""
        base, *layers = self._layers
        return _combined([base.digest_all(prefixes), *(layer.digest_all([""]) for layer in layers)])

    def _holders(self, file: SourceFile) -> Iterator[Tree]:
        parent, _, name = file.path.removesuffix(".py").rpartition("/")
        return (layer for layer in reversed(self._layers) if name in layer.folder(parent).files)


def listing(paths: Iterable[str]) -> dict[str, Folder]:
    """The folders that a set of posix paths of `.py` files makes."""
    files: dict[str, set[str]] = {}
    folders: dict[str, set[str]] = {}
    for path in paths:
        parent, _, name = path.removesuffix(".py").rpartition("/")
        known = parent in files
        files.setdefault(parent, set()).add(name)
        while parent and not known:
            above, _, name = parent.rpartition("/")
            known = above in folders and name in folders[above]
            folders.setdefault(above, set()).add(name)
            parent = above
    return {
        path: Folder(tuple(sorted(files.get(path, ()))), tuple(sorted(folders.get(path, ()))))
        for path in files.keys() | folders.keys()
    }


def content_digest(data: bytes) -> str:
    """The hash by which a file's content is known."""
    return blake2b(data, digest_size=16).hexdigest()


def digest_of_files(tree: Tree, prefixes: Iterable[str]) -> str:
    """`Tree.digest_all` by reading every file. One that can't be read counts as that, so that its return is seen."""
    total = blake2b(digest_size=16)
    files = {file.path: file for prefix in prefixes for file in tree.files(prefix)}
    for path in sorted(files):
        try:
            data = tree.read(files[path])
            head = f"{path}\0{len(data)}\0"
        except SpecintError as error:
            data, head = b"", f"{path}\0{error.what}\0"
        total.update(head.encode())
        total.update(data)
    return total.hexdigest()


def _combined(digests: Iterable[str]) -> str:
    return content_digest("\n".join(digests).encode())


WHOLE_TEXTS = ("punycode", "idna")
"""Encodings of domain names: they take a text as a whole, and a time that grows with its square."""


def decode(data: bytes, path: str) -> str:
    """The text of a source file as Python reads it: byte-order mark, coding line, any line ending.

    Raises SpecintError, with `path` as its place, for an unknown encoding and for bytes that are not of it.
    """
    encoding = "utf-8"
    try:
        encoding = encoding_of(data)
        if encoding.replace("_", "-") in WHOLE_TEXTS:
            raise LookupError(encoding)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise SpecintError(str(error.msg), path, "correct the coding line, or save the file as UTF-8") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"line {line} is not {encoding}: byte 0x{data[error.start]:02x}"
        raise SpecintError(what, path, "name its encoding in a coding line, or save the file as UTF-8") from None
    except (UnicodeError, LookupError):
        raise SpecintError(f"can't be read as {encoding}", path, "save the file as UTF-8") from None
    if "\r" in text:
        return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
    return text


def encode(text: str) -> bytes:
    """A text as the bytes that `decode` turns back into it, by its own coding line."""
    try:
        return text.encode(encoding_of(text.encode()))
    except (SyntaxError, UnicodeError, LookupError):
        return text.encode(errors="surrogatepass")


def encoding_of(data: bytes) -> str:
    """The encoding that Python reads a source file in: by its byte-order mark or coding line, else UTF-8.

    Raises SyntaxError for a coding line that names none.
    """
    first_two = data[: data.find(b"\n", data.find(b"\n") + 1) + 1 or None]
    if b"coding" not in first_two and not data.startswith(b"\xef\xbb\xbf"):
        return "utf-8"
    import tokenize  # slow to import, and few files need it

    # A coding line may hold bytes of its own encoding: they are no reason to refuse it, as they are none to Python.
    ascii_only = first_two[:3] + bytes(byte if byte < 128 else 63 for byte in first_two[3:])
    return tokenize.detect_encoding(io.BytesIO(ascii_only).readline)[0]
