"""os, sys, logging, warnings, importlib, threading: in memory where it is harmless, unknown where it isn't."""

from __future__ import annotations

import io
import os
import posixpath
import uuid
from typing import TYPE_CHECKING, Any

from specint.execution import bounds
from specint.execution.library.language import Null, itself, nothing, own
from specint.execution.library.opened import OpenFile, file_attribute, path_class, path_of
from specint.execution.natives import plainly
from specint.execution.operators import shown
from specint.execution.values import Foreign, Module, Raised, Unknown

if TYPE_CHECKING:
    from specint.execution.interpreter import Interpreter
    from specint.execution.library import Library

TREE = "/nowhere/tree"
"""Where the tree's own files are, as evaluated code sees it."""
SCRATCH = "/nowhere/scratch"
"""Where evaluated code's temporary files are, in memory."""


def unknown(name: str) -> Any:
    """A call whose result is not known."""
    return own(name, lambda it, a, k: Unknown(f"{name}()"))


def provide(library: Library, it: Interpreter) -> None:
    """Offer the modules of this part."""
    library.kinds[type(it.environment)] = _environment_attribute
    environment = it.environment
    library.add(
        "os",
        {
            "environ": environment,
            "getenv": own("getenv", _getenv),
            "getpid": own("getpid", lambda it, a, k: 1),
            "sep": "/",
            "name": "posix",
            "linesep": "\n",
            "pathsep": ":",
            "fspath": own("fspath", lambda it, a, k: path_of(a[0])),
            "makedirs": own("makedirs", _makedirs),
            "mkdir": own("mkdir", _makedirs),
            "listdir": own("listdir", _listdir),
            "getcwd": unknown("os.getcwd"),
            "cpu_count": unknown("os.cpu_count"),
            "remove": own("remove", nothing),
            "unlink": own("unlink", nothing),
            "PathLike": os.PathLike,
            "putenv": own("putenv", nothing),
            "walk": unknown("os.walk"),
            "stat": unknown("os.stat"),
            "error": OSError,
            "system": unknown("os.system"),
            "popen": unknown("os.popen"),
            "access": unknown("os.access"),
            "R_OK": 4,
            "W_OK": 2,
            "X_OK": 1,
        },
    )
    library.add(
        "os.path",
        {
            name: own(f"os.path.{name}", _pure(name))
            for name in (
                "join",
                "basename",
                "dirname",
                "split",
                "splitext",
                "normpath",
                "isabs",
                "commonprefix",
                "relpath",
                "commonpath",
            )
        },
    )
    library.add(
        "os.path",
        {
            "exists": own("exists", _asks("exists")),
            "isfile": own("isfile", _asks("is_file")),
            "isdir": own("isdir", _asks("is_folder")),
            "abspath": own("abspath", _absolute),
            "realpath": own("realpath", _absolute),
            "expanduser": own("expanduser", _expanduser),
            "expandvars": own("expandvars", lambda it, a, k: a[0]),
            "getsize": own("getsize", _size),
            "islink": own("islink", lambda it, a, k: Unknown("islink")),
            "sep": "/",
            "lexists": own("lexists", _asks("exists")),
            "getmtime": unknown("os.path.getmtime"),
        },
    )
    library.modules["os"]["path"] = library.module("os.path")
    library.add(
        "sys",
        {
            "modules": LoadedModules(it),
            "argv": ["specint"],
            "platform": "linux",
            "maxsize": (1 << 63) - 1,
            "byteorder": "little",
            "version_info": tuple(it.outside.facts.get("sys.version_info", (3, 11, 7, "final", 0))),
            "executable": "/nowhere/python",
            "path": [],
            "exit": own("exit", _exit),
            "flags": Foreign("sys.flags"),
            "getsizeof": unknown("getsizeof"),
            "exc_info": own("exc_info", lambda it, a, k: (None, None, None)),
            "stdout": Stream("out"),
            "stderr": Stream("err"),
            "stdin": Foreign("sys.stdin"),
            "_getframe": unknown("_getframe"),
            "setrecursionlimit": own("setrecursionlimit", nothing),
            "intern": own("intern", lambda it, a, k: a[0]),
            "version": "3.11",
            "float_info": Foreign("sys.float_info"),
            "getrecursionlimit": own("getrecursionlimit", lambda it, a, k: 1000),
        },
    )
    library.kinds[LoadedModules] = _loaded_attribute
    library.kinds[Stream] = lambda it, value, name: own(name, nothing)
    library.add(
        "logging",
        {
            "getLogger": own("getLogger", lambda it, a, k: Logger()),
            "Logger": Logger,
            "NOTSET": 0,
            "DEBUG": 10,
            "INFO": 20,
            "WARNING": 30,
            "WARN": 30,
            "ERROR": 40,
            "CRITICAL": 50,
            "basicConfig": own("basicConfig", nothing),
            **{
                level: own(level, _log(level))
                for level in ("debug", "info", "warning", "error", "exception", "critical")
            },
        },
    )
    library.kinds[Logger] = _logger_attribute
    library.add(
        "warnings",
        {
            "warn": own("warn", _log("warning")),
            "filterwarnings": own("filterwarnings", nothing),
            "simplefilter": own("simplefilter", nothing),
            "catch_warnings": own("catch_warnings", lambda it, a, k: Null(None)),
            "warn_explicit": own("warn", nothing),
            "deprecated": own("deprecated", lambda it, a, k: own("deprecated", itself)),
        },
    )
    library.add(
        "importlib",
        {
            "import_module": own("import_module", _import_module),
            "util": library_util(library),
            "invalidate_caches": own("invalidate_caches", nothing),
            "reload": own("reload", itself),
        },
    )
    library.add(
        "importlib.metadata",
        {
            "version": own("version", _package_version),
            "PackageNotFoundError": ModuleNotFoundError,
            "entry_points": own("entry_points", lambda it, a, k: ()),
            "distribution": unknown("importlib.metadata.distribution"),
        },
    )
    library.add("importlib.resources", {"files": unknown("importlib.resources.files")})
    library.add(
        "pkgutil",
        {"iter_modules": own("iter_modules", _iter_modules), "walk_packages": own("walk_packages", _iter_modules)},
    )
    library.add(
        "threading",
        {
            **{name: own(name, lambda it, a, k: Null(None)) for name in ("Lock", "RLock", "Condition", "Semaphore")},
            "Thread": Foreign("threading.Thread"),
            "Event": Foreign("threading.Event"),
            "local": Foreign("threading.local"),
            "get_ident": unknown("threading.get_ident"),
            "current_thread": unknown("threading.current_thread"),
            "main_thread": unknown("threading.main_thread"),
        },
    )
    library.kinds[Null] = lambda it, value, name: own(name, nothing)
    library.add("atexit", {"register": own("register", itself)})
    library.add("gc", {name: own(name, nothing) for name in ("collect", "disable", "enable", "freeze")})
    library.add(
        "tempfile",
        {
            "gettempdir": own("gettempdir", lambda it, a, k: SCRATCH),
            "mkdtemp": own("mkdtemp", _mkdtemp),
            "TemporaryDirectory": own("TemporaryDirectory", lambda it, a, k: Null(_mkdtemp(it, a, k))),
            "NamedTemporaryFile": own(
                "NamedTemporaryFile", lambda it, a, k: OpenFile(f"{_mkdtemp(it, [], {})}/file", "w", True)
            ),
        },
    )
    library.add(
        "io", {"StringIO": own("StringIO", lambda it, a, k: io.StringIO(*a[:1])), "BytesIO": Foreign("io.BytesIO")}
    )
    library.kinds[io.StringIO] = lambda it, value, name: (
        own(name, lambda i, a, k: getattr(value, name)(*a))
        if name in ("read", "getvalue", "write", "readline", "close")
        else Unknown(f"StringIO.{name}")
    )
    library.kinds[OpenFile] = file_attribute
    library.add("pathlib", {"Path": path_class(it), "PurePath": path_class(it), "PosixPath": path_class(it)})
    library.add("glob", {"glob": own("glob", _glob), "iglob": own("iglob", _glob)})
    library.add(
        "shutil", {"which": unknown("shutil.which"), "copy": own("copy", nothing), "rmtree": own("rmtree", nothing)}
    )
    library.add("uuid", {"UUID": uuid.UUID, **{name: unknown(f"uuid.{name}") for name in ("uuid4", "uuid1")}})
    library.add(
        "time", {name: unknown(f"time.{name}") for name in ("time", "perf_counter", "monotonic", "time_ns", "strftime")}
    )
    library.add("time", {"sleep": own("sleep", nothing)})


def library_util(library: Library) -> Any:
    """`importlib.util`, as a value."""
    library.add("importlib.util", {"find_spec": own("find_spec", _find_spec)})
    return library.module("importlib.util")


# -- os ----------------------------------------------------------------------------------------------------------------
def _environment_attribute(it: Interpreter, environment: Any, name: str) -> Any:
    def get(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        if isinstance(arguments[0], Unknown):
            return Unknown(f"os.environ[{arguments[0].reason}]")
        found = environment.read(str(plainly(arguments[0])))
        return (arguments[1] if len(arguments) > 1 else None) if found is None else found

    def pop(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        found = get(it, arguments, keywords)
        it.touch(environment)
        environment.pop(arguments[0], None)
        return found

    def setdefault(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        found = environment.read(arguments[0])
        if found is None:
            it.touch(environment)
            environment[arguments[0]] = found = arguments[1]
        return found

    def update(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> None:
        it.touch(environment)
        environment.update(it.mapping(arguments[0]) if arguments else {}, **keywords)

    found = {"get": get, "pop": pop, "setdefault": setdefault, "update": update}.get(name)
    if found is not None:
        return own(name, found)
    if name in ("items", "keys", "values", "copy"):
        return own(name, lambda it, a, k: getattr(dict(environment), name)())
    raise Raised(AttributeError(f"'_Environ' object has no attribute '{name}'"))


def _getenv(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    default = arguments[1] if len(arguments) > 1 else keywords.get("default")
    if isinstance(arguments[0], Unknown):
        return Unknown(f"os.getenv({arguments[0].reason})")
    found = it.environment.read(str(plainly(arguments[0])))
    return default if found is None else found


def _pure(name: str) -> Any:
    function = getattr(posixpath, name)

    def run(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        parts = [path_of(argument) for argument in arguments]
        missing = next((part for part in parts if isinstance(part, Unknown)), None)
        return Unknown(f"os.path.{name}({missing.reason})") if missing is not None else function(*parts)

    return run


def _asks(name: str) -> Any:
    def run(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
        path = path_of(arguments[0])
        if isinstance(path, Unknown):
            return Unknown(f"is there {path.reason}")
        if not isinstance(path, str):
            return False
        if getattr(it.files, name)(path):
            return True
        if it.files.known(path) or not path.startswith("/"):
            return False
        if path.startswith(f"{TREE}/"):
            return _of_the_tree(it, path[len(TREE) + 1 :], name)
        # A path outside of the named folders: what is there is not looked at.
        return Unknown(f"is there a file {path}")

    return run


def _of_the_tree(it: Interpreter, path: str, name: str) -> bool:
    """A file of the release itself: its Python is known, the data files beside it are taken to be there."""
    parent, _, last = path.rpartition("/")
    folder = it.tree.folder(parent)
    if last.endswith(".py"):
        return name != "is_folder" and last[:-3] in folder.files
    return last in folder.folders or name == "exists" or ("." in last) == (name == "is_file")


def _absolute(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    path = path_of(arguments[0])
    if isinstance(path, str) and path.startswith("/"):
        return posixpath.normpath(path)
    return Unknown("os.getcwd()")


def _expanduser(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    path = path_of(arguments[0])
    return f"/nowhere/home{path[1:]}" if isinstance(path, str) and path.startswith("~") else path


def _makedirs(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
    path = path_of(arguments[0])
    if isinstance(path, str):
        it.touch(it.files.made)
        it.files.made.add(path.rstrip("/"))


def _listdir(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    path = path_of(arguments[0]) if arguments else Unknown("os.getcwd()")
    if isinstance(path, Unknown):
        return Unknown(f"os.listdir({path.reason})")
    if it.files.is_folder(path):
        return it.files.names(path)
    if it.files.known(path):
        raise Raised(FileNotFoundError(2, "No such file or directory", path))
    return Unknown(f"the files in {path}")


def _size(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    path = path_of(arguments[0])
    try:
        return len(it.files.read(path)) if isinstance(path, str) else Unknown("getsize")
    except OSError as error:
        raise Raised(error) from None


def _glob(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    import fnmatch

    pattern = path_of(arguments[0])
    if isinstance(pattern, Unknown):
        return Unknown(f"glob({pattern.reason})")
    folder, _, last = pattern.rpartition("/")
    if any(sign in folder for sign in "*?[") or not it.files.is_folder(folder):
        return [] if it.files.known(folder) else Unknown(f"the files {pattern}")
    return [f"{folder}/{name}" for name in it.files.names(folder) if fnmatch.fnmatchcase(name, last)]


def _exit(_it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    raise Raised(SystemExit(*arguments[:1]))


def _mkdtemp(it: Interpreter, _arguments: list[Any], _keywords: dict[str, Any]) -> str:
    path = f"{SCRATCH}/{len(it.files.made)}"
    it.touch(it.files.made)
    it.files.made.add(path)
    return path


# -- logging -----------------------------------------------------------------------------------------------------------
class Logger:
    """A logger: what is logged is kept with its place."""


class Stream:
    """stdout and stderr."""

    def __init__(self, name: str) -> None:
        self.name = name


def _log(level: str) -> Any:
    def run(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> None:
        if not arguments or not it.stack:
            return
        text = shown(arguments[0])
        if len(arguments) > 1 and "%" in text and level != "warn":
            try:
                bounds.check_format(text)
                text = text % tuple(shown(one) if isinstance(one, Unknown) else plainly(one) for one in arguments[1:])
            except (TypeError, ValueError, KeyError):
                pass
        frame = it.stack[-1]
        it.logged.append((level, text[:2000], frame.file, frame.line))

    return run


def _logger_attribute(_it: Interpreter, logger: Logger, name: str) -> Any:
    if name in ("debug", "info", "warning", "warn", "error", "exception", "critical", "info_once", "warning_once"):
        return own(name, _log(name))
    if name == "log":
        return own(name, lambda it, a, k: _log("info")(it, a[1:], k))
    if name in ("level", "name", "handlers"):
        return Unknown(f"logger.{name}")
    if name in ("isEnabledFor", "getEffectiveLevel", "hasHandlers"):
        return own(name, lambda it, a, k: Unknown(f"logger.{name}()"))
    return own(name, lambda it, a, k: logger if name == "getChild" else None)


# -- modules -----------------------------------------------------------------------------------------------------------
class LoadedModules:
    """`sys.modules`: the tree's modules that are loaded; of others nothing is known."""

    def __init__(self, it: Interpreter) -> None:
        self.it = it

    def __contains__(self, name: object) -> bool:
        return name in self.it.loaded

    def __getitem__(self, name: str) -> Module:
        return self.it.loaded[name]


def _loaded_attribute(it: Interpreter, value: LoadedModules, name: str) -> Any:
    if name == "get":
        return own("get", lambda i, a, k: it.loaded.get(a[0], a[1] if len(a) > 1 else None))
    return own(name, lambda i, a, k: Unknown(f"sys.modules.{name}"))


def _import_module(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    name = arguments[0]
    if isinstance(name, Unknown):
        return Unknown(f"import_module({name.reason})")
    frame = it.stack[-1]
    if name.startswith(".") and len(arguments) > 1:
        from specint.execution.definitions import absolute

        level = len(name) - len(name.lstrip("."))
        name = absolute(name.lstrip("."), level, arguments[1])
    return it.import_module(name, frame, False)


def _find_spec(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    if isinstance(arguments[0], Unknown):
        return Unknown("find_spec")
    known = it.outside.installed(it, arguments[0], None)
    if known is True:
        return Foreign(f"importlib.ModuleSpec.{arguments[0]}.Spec")
    return known if isinstance(known, Unknown) else None


def _package_version(it: Interpreter, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    if isinstance(arguments[0], Unknown):
        return Unknown("a version")
    found = it.outside.look_up(it, f"version {arguments[0]}")
    if isinstance(found, str):
        return found
    known = it.outside.installed(it, str(arguments[0]).replace("-", "_"), None)
    if known is False:
        raise Raised(ModuleNotFoundError(f"No package metadata was found for {arguments[0]}"))
    return Unknown(f"the version of {arguments[0]}")


def _iter_modules(it: Interpreter, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    paths = arguments[0] if arguments else keywords.get("path")
    prefix = arguments[1] if len(arguments) > 1 else keywords.get("prefix", "")
    if isinstance(paths, Unknown) or paths is None:
        return Unknown("pkgutil.iter_modules")
    found = []
    for path in it.iterate(paths):
        if isinstance(path, Unknown):
            return Unknown("pkgutil.iter_modules")
        folder = it.tree.folder(str(path))
        found += [(None, f"{prefix}{name}", False) for name in folder.files if name != "__init__"]
        found += [(None, f"{prefix}{name}", True) for name in folder.folders]
    return sorted(found, key=lambda one: one[1])
