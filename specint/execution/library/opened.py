"""`open` and `pathlib`: files of the named folders and of memory."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from specint.execution import bounds
from specint.execution.library.language import nothing, own
from specint.execution.natives import plainly
from specint.execution.values import Class, Instance, Raised, Unknown

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter

UTF_8 = (None, "utf-8", "utf8", "UTF-8")


class OpenFile:
    """An open file; what is written to it is kept in memory."""

    def __init__(self, path: str, mode: str, text: bool, data: bytes = b"") -> None:
        self.path = path
        self.mode = mode
        self.text = text
        self.data = data
        self.at = 0
        self.errors = "replace"
        self.parts: list[Any] = []

    def entered(self, it: Interpreter) -> OpenFile:
        """The file itself."""
        return self

    def left(self, it: Interpreter, raised: Raised | None) -> bool:
        """Close it."""
        self.close(it)
        return False

    def close(self, it: Interpreter) -> None:
        """Keep what was written."""
        if "w" in self.mode or "a" in self.mode or "x" in self.mode:
            parts = [part.encode() if isinstance(part, str) else part for part in self.parts]
            it.touch(it.files.written)
            it.files.write(self.path, b"".join(parts))

    def __iter__(self) -> Any:
        text = self.data.decode("utf-8", errors="replace") if self.text else self.data
        return iter(text.splitlines(keepends=True))


def open_file(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """`open(path, mode)`."""
    path = path_of(arguments[0])
    mode = arguments[1] if len(arguments) > 1 else keywords.get("mode", "r")
    if isinstance(path, Unknown) or not isinstance(path, str) or not isinstance(mode, str):
        return Unknown(f"open({getattr(path, 'reason', '')})")
    text = "b" not in mode
    if "r" not in mode:
        return OpenFile(posixpath.normpath(path), mode, text)
    try:
        file = OpenFile(path, mode, text, it.files.read(path))
    except OSError as error:
        if it.files.is_file(path):
            raise bounds.HaltedError(f"{path} can't be read: {error.strerror}") from None
        if it.files.known(path) or not path.startswith("/"):
            raise Raised(FileNotFoundError(2, "No such file or directory", path)) from None
        return Unknown(f"the file {path}: {error.strerror}")
    if keywords.get("encoding") in UTF_8 and isinstance(keywords.get("errors"), str | None):
        file.errors = keywords.get("errors") or "strict"
    return file


def file_attribute(it: Interpreter, file: OpenFile, name: str) -> Any:
    """An attribute of an open file."""

    def read(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        size = arguments[0] if arguments and isinstance(arguments[0], int) and arguments[0] >= 0 else len(file.data)
        data = file.data[file.at : file.at + size]
        file.at += len(data)
        if len(data) > bounds.LONGEST:
            raise bounds.HaltedError(f"{file.path} is too large: {len(data)} bytes, at most {bounds.LONGEST} are read")
        it.budget.built(len(data))
        if not file.text:
            return data
        try:
            return data.decode("utf-8", file.errors)
        except UnicodeDecodeError as error:
            raise Raised(error) from None

    def write(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> int:
        value = plainly(arguments[0])
        if isinstance(value, Unknown):
            it.lost(value)
            return 0
        it.budget.built(len(value))
        file.parts.append(value)
        return len(value)

    def lines(_it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> list[Any]:
        return list(file)

    calls = {
        "read": read,
        "write": write,
        "readlines": lines,
        "flush": nothing,
        "close": lambda it, a, k: file.close(it),
    }
    if name in calls:
        return own(name, calls[name])
    if name == "name":
        return file.path
    return Unknown(f"file.{name}")


PATH_TEXT = """
class Path:
    def __init__(self, *parts):
        import os
        self._path = os.path.normpath(os.path.join(*[os.fspath(part) for part in parts])) if parts else "."
    def __fspath__(self): return self._path
    def __str__(self): return self._path
    def __repr__(self): return f"PosixPath({self._path!r})"
    def __truediv__(self, other): return Path(self._path, other)
    def __rtruediv__(self, other): return Path(other, self._path)
    def __eq__(self, other): return isinstance(other, Path) and other._path == self._path
    def __hash__(self): return len(self._path)
    def __lt__(self, other): return self._path < other._path
    def joinpath(self, *parts): return Path(self._path, *parts)
    @property
    def name(self):
        import os
        return os.path.basename(self._path)
    @property
    def suffix(self):
        import os
        return os.path.splitext(self.name)[1]
    @property
    def stem(self):
        import os
        return os.path.splitext(self.name)[0]
    @property
    def parent(self):
        import os
        return Path(os.path.dirname(self._path) or ".")
    @property
    def parts(self):
        root = ["/"] if self._path.startswith("/") else []
        return tuple(root + [part for part in self._path.split("/") if part])
    @property
    def parents(self):
        found = []
        here = self.parent
        while True:
            found.append(here)
            if here.parent == here: return found
            here = here.parent
    def as_posix(self): return self._path
    def exists(self):
        import os
        return os.path.exists(self._path)
    def is_file(self):
        import os
        return os.path.isfile(self._path)
    def is_dir(self):
        import os
        return os.path.isdir(self._path)
    def resolve(self, strict=False):
        import os
        return Path(os.path.realpath(self._path))
    absolute = resolve
    def expanduser(self):
        import os
        return Path(os.path.expanduser(self._path))
    def is_absolute(self): return self._path.startswith("/")
    def with_suffix(self, suffix):
        import os
        return Path(os.path.splitext(self._path)[0] + suffix)
    def mkdir(self, *args, **kwargs):
        import os
        os.makedirs(self._path)
    def open(self, mode="r", **kwargs): return open(self._path, mode)
    def read_text(self, encoding=None):
        with open(self._path) as file: return file.read()
    def read_bytes(self):
        with open(self._path, "rb") as file: return file.read()
    def write_text(self, text, encoding=None):
        with open(self._path, "w") as file: file.write(text)
    def iterdir(self):
        import os
        return iter([Path(self._path, name) for name in os.listdir(self._path)])
    def glob(self, pattern):
        import glob
        return iter([Path(one) for one in glob.glob(self._path + "/" + pattern)])
    def relative_to(self, other):
        import os
        return Path(os.path.relpath(self._path, os.fspath(other)))
"""


def path_class(it: Interpreter) -> Class:
    """`pathlib.Path`, in words of ours that are evaluated like any other."""
    known = it.path_class
    if known is None:
        import ast

        from specint.execution.code import Frame, ModuleCode
        from specint.execution.expressions import Context
        from specint.execution.scopes import collect
        from specint.execution.statements import compile_block

        parsed = ast.parse(PATH_TEXT)
        code = ModuleCode("pathlib", "pathlib.py", False)
        collect(parsed.body, code.scope)
        names: dict[str, Any] = {"__name__": "pathlib", "__package__": "pathlib"}
        compile_block(parsed.body, Context(code, code.scope))(Frame(it, "pathlib.py", names, names, None))
        known = it.path_class = names["Path"]
    return known


def path_of(value: Any) -> Any:
    """A path as text, also of a `Path`."""
    value = plainly(value)
    if isinstance(value, Instance) and "_path" in value.attributes:
        return value.attributes["_path"]
    return value
