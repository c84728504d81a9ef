"""What strangers may send, as tables: one line adds an attack. `run.py` says what must hold after each of them.

An attack changes a copy of the small SGLang (or what lies around it), and names what is run on it. Nothing is said of
the answer it should get: whatever it is, the promise is the same. The file's texts are in `texts.py`.
"""

from __future__ import annotations

import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from texts import PRAGMA, classes, file_texts, model

FORMATS = ("text", "json", "github", "markdown", "sarif", "junit", "gitlab")

ESCAPE = "\x1b[2J"
COMMAND = "\n::error ::pwned"
CHECK = ("check", "--sglang", "sglang")
FOREIGN = {
    "an escape": ESCAPE,
    "a line end and a command": COMMAND,
    "a command": "::error ::pwned",
    "an old command": "##[error]pwned",
    "NUL": "a\0b",
    "C1": "a\x9b2Jb",
    "a bell": "a\x07b",
    "a carriage return": "a\rb",
    "a separator": "a\u2028::error ::pwnedb",
    "right to left": "a\u202eb",
    "a lone surrogate": "a\ud800b",
    "no character": "a\ufffeb",
    "markup": "[bold]a[/] <b>&amp;</b> `x` | a",
    "CDATA": "a]]>b<![CDATA[",
    "long": "a" * 5000,
    "nothing": "",
    "a percent": "%0A::error ::pwned",
}
"""Text that is more than text somewhere."""


PLAIN = '"$@"'
"""The command as it is."""


class Attack(NamedTuple):
    """One attack.

    Attributes:
        lay: makes it, in the folder that holds `sglang`.
        arguments: of specint.
        shell: a line of bash before it, in which limits are set and streams closed; `"$@"` is specint.
        found: the finding of the small SGLang must be there all the same.
    """

    kind: str
    name: str
    lay: Callable[[Path], object] = lambda _: None
    arguments: tuple[str, ...] = ("check", "--sglang", "sglang")
    shell: str = PLAIN
    found: bool = True
    environment: tuple[tuple[str, str], ...] = ()
    python: tuple[str, ...] = ()
    seconds: float = 60.0


def _put(text: str | bytes, name: str = "sglang/srt/models/nasty.py") -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))

    return lay


def _several(*lays: Callable[[Path], object]) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        for one in lays:
            one(top)

    return lay


def of_files() -> Iterator[Attack]:
    for name, text in file_texts():
        plain = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        yield Attack("files", name, _put(plain))
        if not isinstance(text, bytes):
            whole = f"{model(before=PRAGMA)}\n{text}\n{PRAGMA}".encode("utf-8", "surrogatepass")
            yield Attack("files with a pragma", name, _put(whole), (*CHECK, "sglang/srt/models"))
    for name, text in classes():
        yield Attack("classes", name, _put(text))
    for name in ("type parameters", "an invalid escape", "warnings in an annotation", "other warnings"):
        text = dict(file_texts())[name]
        assert isinstance(text, str)
        yield Attack("warnings as errors", name, _put(f"{text}\n{PRAGMA}"), python=("-W", "error"))
        yield Attack("warnings as errors", f"{name}, always", _put(f"{text}\n{PRAGMA}"), python=("-W", "always"))


# -- essential files --------------------------------------------------------------------------------------------------

ESSENTIAL = (
    "srt/speculative/spec_info.py",
    "srt/model_executor/model_runner.py",
    "srt/managers/tp_worker.py",
    "srt/speculative/eagle_worker.py",
    "srt/models/registry.py",
    "srt/server_args.py",
    "srt/configs/model_config.py",
    "version.py",
)


def of_essential_files() -> Iterator[Attack]:
    for file in ESSENTIAL:
        for name, text in {
            "a syntax error": b"x = 1\ndef f(:\n",
            "nothing": b"",
            "NUL": b"\0",
            "no UTF-8": b"\xff",
            "too deep": b"x = " + b"-" * 50_000 + b"a\n",
        }.items():
            yield Attack("essential files", f"{file}: {name}", _put(text, f"sglang/{file}"), found=False)
        yield Attack("essential files", f"{file}: gone", lambda top, f=file: (top / "sglang" / f).unlink(), found=False)
        yield Attack("essential files", f"{file}: a pipe", _pipe(f"sglang/{file}"), found=False)


def _pipe(name: str) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        path = top / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return lay


# -- names ------------------------------------------------------------------------------------------------------------


def _named(where: str, name: str) -> Callable[[Path], None]:
    """The file `nasty.py` in a folder of that name."""

    def lay(top: Path) -> None:
        folder = os.path.join(os.fsencode(top), os.fsencode(where), os.fsencode(name))  # noqa: PTH118
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        kumo = (top / "sglang/srt/models/kumo_k2.py").read_bytes()
        with open(os.path.join(folder, b"nasty.py"), "wb") as file:  # noqa: PTH118, PTH123
            file.write(kumo)

    return lay


def of_names() -> Iterator[Attack]:
    names = {name: text.replace("/", "_").replace("\0", "") for name, text in FOREIGN.items() if name != "nothing"}
    names = {name: text[:200] for name, text in names.items()}
    names["no UTF-8"] = "a\udcff\udcfeb"
    names["a command that is no command"] = "a\r\n::add-mask::b"
    names["an image"] = "<img src=x onerror=alert(1)>"
    for name, text in names.items():
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            continue
        for form in ("text", "json", "junit"):
            yield Attack(
                "names of folders",
                f"{name}, {form}",
                _named("sglang/srt/models", text),
                ("check", "--sglang", "sglang", "--format", form),
            )
        for form in ("text", "junit"):
            yield Attack(
                "names of own paths",
                f"{name}, {form}",
                _named("own", text),
                ("check", "--sglang", "sglang", "--format", form, f"own/{text}"),
                found=False,
            )
            yield Attack(
                "names of own paths",
                f"{name} first, {form}",
                _named("", text),
                ("check", "--sglang", "sglang", "--format", form, text),
                found=False,
            )
            yield Attack(
                "names of roots",
                f"{name}, {form}",
                lambda top, t=text: shutil.copytree(top / "sglang", top / t / "sglang"),
                ("check", "--sglang", f"{text}/sglang", "--format", form),
                found=False,
            )
            yield Attack(
                "names of roots",
                f"{name}, inside, {form}",
                lambda top, t=text: shutil.copytree(top / "sglang", top / t / "sglang"),
                ("check", "--sglang", "sglang", "--format", form),
                shell='cd "$ROOT"; "$@"',
                environment=(("ROOT", text),),
            )
        yield Attack(
            "names of roots",
            f"{name}, report",
            lambda top, t=text: shutil.copytree(top / "sglang", top / t),
            ("report", "--sglang", f"./{text}"),
            found=False,
        )
        yield Attack(
            "names of outputs", name, arguments=("check", "--sglang", "sglang", "-o", f"./{text}"), found=False
        )
        yield Attack(
            "names of outputs",
            f"{name}, cache",
            arguments=(*CHECK, "--cache-dir", f"./{text}"),
        )
        yield Attack(
            "names of outputs",
            f"{name}, baseline",
            arguments=("check", "--sglang", "sglang", "--baseline", f"./{text}"),
            found=False,
        )


# -- texts ------------------------------------------------------------------------------------------------------------

COMMANDS: dict[str, tuple[str, ...]] = {
    **{f"check as {form}": ("check", "--sglang", "sglang", "--format", form) for form in FORMATS},
    "report": ("report", "--sglang", "sglang"),
    "report as json": ("report", "--sglang", "sglang", "--format", "json"),
    "report as html": ("report", "--sglang", "sglang", "--format", "html"),
    "contract": ("contract", "--sglang", "sglang"),
    "contract as markdown": ("contract", "--sglang", "sglang", "--format", "markdown"),
    "graph": ("graph", "--sglang", "sglang", "QuartzVLForConditionalGeneration"),
    "graph as svg": ("graph", "--sglang", "sglang", "QuartzVLForConditionalGeneration", "--format", "svg"),
    "explain": ("explain", "--sglang", "sglang", "QuartzVLForConditionalGeneration"),
    "fix": ("fix", "--sglang", "sglang", "--diff"),
}


def of_texts() -> Iterator[Attack]:
    for name, text in FOREIGN.items():
        for command, arguments in COMMANDS.items():
            lay = _several(*texts_of(text).values())
            yield Attack("texts", f"{name}, {command}", lay, arguments, found=command == "check as text")


def texts_of(text: str) -> dict[str, Callable[[Path], None]]:
    """Where a text of the code that is read comes out again."""
    spec = "sglang/srt/speculative/spec_info.py"
    registered = (
        "\nfrom sglang.srt.speculative.eagle_worker import EAGLEWorker\n"
        f"@SpeculativeAlgorithm.register({text!r})\ndef _made(server_args):\n    return EAGLEWorker\n"
        "\nclass Registry:\n    pass\n"
    )
    nasty = model(
        before=f"NAME = {text!r}\n",
        init=f"self.x = config[{text!r}]\n        setattr(self, {text!r}, nn.Linear(1, 1))\n"
        f"        if config.kind == {text!r}:\n            self.model = nn.Linear(1, 1)",
        body=f"    def set_eagle3_layers_to_capture(self, ids={text!r}):\n"
        f"        if not hasattr(self, {text!r}):\n            raise ValueError({text!r})\n"
        f"        self.capture_aux_hidden_states = getattr(self, {text!r}, {text!r})\n",
    )
    worker = (
        "class NastyWorker:\n    def __init__(self, target_worker):\n        self.target_worker = target_worker\n"
        "    def run(self):\n        model = self.target_worker.model_runner.model\n"
        f"        if self.mode == {text!r}:\n            model.get_nasty({text!r}, getattr(model, {text!r}))\n"
        f"        if hasattr(model, {text!r}):\n            model.nasty_two(**{{{text!r}: 1}})\n"
    )
    registry = (
        "\nfrom sglang.srt.models.oak import OakForCausalLM\n"
        f"ModelRegistry.models[{text!r}] = OakForCausalLM\n"
        f"ModelRegistry.register({text!r}, OakForCausalLM)\n"
    )

    def add(name: str, more: str) -> Callable[[Path], None]:
        def lay(top: Path) -> None:
            path = top / name
            before = path.read_text() if path.exists() else ""
            path.write_text(before + more)

        return lay

    return {
        "an algorithm": add(spec, registered),
        "a model": add("sglang/srt/models/nasty.py", nasty),
        "a worker": add("sglang/srt/speculative/nasty_worker.py", worker),
        "a registry": add("sglang/srt/models/registry.py", registry),
        "a version": _put(f"__version__ = {text!r}\n", "sglang/version.py"),
    }


# -- streams and machines ---------------------------------------------------------------------------------------------

STREAMS = {
    "no stdout": '"$@" >&-',
    "no stderr": '"$@" 2>&-',
    "no stdin": '"$@" <&-',
    "no stdout and stderr": '"$@" >&- 2>&-',
    "no stream": '"$@" <&- >&- 2>&-',
    "stdout full": '"$@" >/dev/full',
    "stderr full": '"$@" 2>/dev/full',
    "both full": '"$@" >/dev/full 2>&1',
    "a reader that went": '"$@" | true',
    "a reader of stderr that went": '"$@" 2>&1 >/dev/null | true',
    "stdout for reading": '"$@" 1</dev/null',
    "stderr for reading": '"$@" 2</dev/null',
    "no output file": '"$@" -o /dev/full',
    "an output that is a folder": '"$@" -o .',
    "an output nowhere": '"$@" -o no/such/folder/x',
    "another output that is full": '"$@" --also sarif:/dev/full',
}
PROBLEM = {"bad": _put(b"x = 1\ndef f(:\n"), "good": lambda _: None}
MACHINES = {
    "8 processes": "ulimit -u 8; ",
    "2 processes": "ulimit -u 2; ",
    "no process": "ulimit -u 0; ",
    "24 descriptors": "ulimit -n 24; ",
    "14 descriptors": "ulimit -n 14; ",
    "10 descriptors": "ulimit -n 10; ",
    "a stack of 256 KB": "ulimit -s 256; ",
    "a stack of 64 MB": "ulimit -s 65536; ",
    "an endless stack": "ulimit -s unlimited; ",
    "files of 0 bytes": "ulimit -f 0; ",
    "files of 1 KB": "ulimit -f 1; ",
    "400 MB": "ulimit -v 400000; ",
    "150 MB": "ulimit -v 150000; ",
    "no core": "ulimit -c 0; ",
    "2 s of CPU": "ulimit -t 30; ",
    "no locale": "export LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0; ",
    "a locale that is none": "export LC_ALL=xx_YY.UTF-9; ",
    "no home": "unset HOME SPECINT_CACHE_DIR; ",
    "a home that is none": "export HOME=/no/such/home; unset SPECINT_CACHE_DIR; ",
    "no TMPDIR": "export TMPDIR=/no/such; ",
    "no PATH": "export PATH=; ",
    "SIGPIPE ignored": "trap '' PIPE; ",
    "SIGCHLD ignored": "trap '' CHLD; ",
    "SIGTERM ignored": "trap '' TERM; ",
    "ASCII": "export PYTHONIOENCODING=ascii; ",
    "UTF-16": "export PYTHONIOENCODING=utf-16; ",
    "no long numbers": "export PYTHONINTMAXSTRDIGITS=640; ",
    "development": "export PYTHONDEVMODE=1; ",
    "warnings are errors": "export PYTHONWARNINGS=error; ",
    "optimized": "export PYTHONOPTIMIZE=2; ",
    "no bytecode": "export PYTHONDONTWRITEBYTECODE=1; ",
    "columns": "export COLUMNS=1; ",
    "columns that are none": "export COLUMNS=-5 LINES=abc; ",
    "a terminal that is none": "export TERM=$'\\033[2J'; ",
    "colours": "export FORCE_COLOR=1 CLICOLOR_FORCE=1; ",
    "a folder that went": 'mkdir gone; cp -r sglang ..; cd gone; rmdir ../gone; set -- "${@/#sglang/../sglang}"; ',
}
MANY = 40
"""So many more files make the reading worth several processes."""


def many_files(top: Path) -> None:
    kumo = (top / "sglang/srt/models/kumo_k2.py").read_text()
    for number in range(MANY):
        (top / f"sglang/srt/models/more{number}.py").write_text(kumo.replace("class Kumo", f"class More{number}Kumo"))


def of_streams() -> Iterator[Attack]:
    for name, shell in STREAMS.items():
        for what, lay in PROBLEM.items():
            yield Attack("streams", f"{name}, {what} tree", lay, shell=shell, found=False)
        yield Attack("streams", f"{name}, json", shell=shell, arguments=COMMANDS["check as json"], found=False)
        yield Attack(
            "streams", f"{name}, an error", shell=shell, arguments=("check", "--sglang", "no/such"), found=False
        )


def of_machines() -> Iterator[Attack]:
    for name, line in MACHINES.items():
        yield Attack("machines", name, shell=f'{line}"$@"', found=False)
        yield Attack(
            "machines",
            f"{name}, many files",
            many_files,
            (*CHECK, "--jobs", "4"),
            shell=f'{line}"$@"',
            found=False,
        )


# -- cache folders ----------------------------------------------------------------------------------------------------


CACHES = {
    "pipes": 'find cache -type f | while read -r f; do rm "$f"; mkfifo "$f"; done; ',
    "folders": 'find cache -type f | while read -r f; do rm "$f"; mkdir "$f"; done; ',
    "sparse files": 'find cache -type f | while read -r f; do truncate -s 100G "$f"; done; ',
    "sparse files of others": 'find cache -type f | while read -r f; do rm "$f"; truncate -s 100G "$f"; done; ',
    "empty files": 'find cache -type f | while read -r f; do : >"$f"; done; ',
    "links to nothing": 'find cache -type f | while read -r f; do rm "$f"; ln -s /no/such "$f"; done; ',
    "links to themselves": 'find cache -type f | while read -r f; do rm "$f"; ln -s "$f" "$f"; done; ',
    "links to devices": 'find cache -type f | while read -r f; do rm "$f"; ln -s /dev/zero "$f"; done; ',
    "sockets of nobody": 'find cache -type f | while read -r f; do rm "$f"; mknod "$f" p; done; ',
    "a file where a folder belongs": "rm -rf cache/v1; : >cache/v1; ",
    "files where folders belong": "rm -rf cache/v1/facts; : >cache/v1/facts; ",
    "a cache that is a file": "rm -rf cache; : >cache; ",
    "a cache that is a device": "rm -rf cache; ln -s /dev/null cache; ",
    "a link to itself": "rm -rf cache; ln -s cache cache; ",
    "one that is not ours to write": "chmod -R a-w cache; ",
    "leftovers of the same process": "LEFT=1; ",
    "a mark that is a folder": "rm -f cache/.pruned; mkdir cache/.pruned; ",
    "a mark that is a pipe": "rm -f cache/.pruned; mkfifo cache/.pruned; ",
    "a tag that is a pipe": "rm -f cache/CACHEDIR.TAG; mkfifo cache/CACHEDIR.TAG; ",
    "noise": 'find cache -type f | while read -r f; do head -c 5000 /dev/urandom >"$f"; done; ',
    "half": 'find cache -type f | while read -r f; do truncate -s 50% "$f" 2>/dev/null || truncate -s 20 "$f"; done; ',
}


def of_caches() -> Iterator[Attack]:
    for name, line in CACHES.items():
        shell = f'export SPECINT_CACHE_DIR=$PWD/cache; "$@" >/dev/null 2>&1; {line}"$@"'
        yield Attack("caches", name, shell=shell, seconds=60)


# -- wheels -----------------------------------------------------------------------------------------------------------


def wheel(**more: str | bytes) -> Callable[[Path], None]:
    """The small SGLang as a wheel, with further members."""

    def lay(top: Path) -> None:
        with zipfile.ZipFile(top / "x.whl", "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((top / "sglang").rglob("*.py")):
                archive.write(path, path.relative_to(top).as_posix())
            archive.writestr("sglang-9.dist-info/METADATA", "Metadata-Version: 2.1\nName: sglang\nVersion: 9\n")
            for name, text in more.items():
                archive.writestr(name, text)

    return lay


def deep_wheel(paths: int, levels: int) -> Callable[[Path], None]:
    return wheel(**{f"sglang/srt/models/{'a/' * (levels - i % 7)}m{i}.py": "x = 1\n" for i in range(paths)})


def _overwritten(old: bytes, new: bytes) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        wheel(**{"sglang/srt/models/nasty.py": model()})(top)
        path = top / "x.whl"
        path.write_bytes(path.read_bytes().replace(old, new))

    return lay


WHEELS = {
    "2,000 paths of 30,000 levels": deep_wheel(2000, 30_000),
    "20 paths of 30,000 levels": deep_wheel(20, 30_000),
    "2,000 paths of 300 levels": deep_wheel(2000, 300),
    "paths that climb": wheel(**{"sglang/srt/models/../../../x.py": "x", "/sglang/x.py": "x", "..\\x.py": "x"}),
    "names with escapes": wheel(**{"sglang/srt/models/a\x1b[2J.py": "x = 1", "sglang/srt/models/b\n::error::.py": "x"}),
    "folders with escapes": wheel(
        **{"sglang/srt/models/a\x1b[2J/b.py": "x = 1", "sglang/srt/::error ::a/b.py": "x = ("}
    ),
    "a bomb": wheel(**{f"sglang/srt/models/b{i}.py": b"#" * (4 << 20) for i in range(40)}),
    "a bomb of 1 GB": wheel(**{f"sglang/srt/models/b{i}.py": b"#" * (4 << 20) for i in range(270)}),
    "20,001 files": wheel(**{f"sglang/srt/models/m{i}.py": "" for i in range(20_001)}),
    "60,000 other members": wheel(**{f"data/m{i}": "" for i in range(60_000)}),
    "half a wheel": lambda top: (wheel()(top), (top / "x.whl").write_bytes((top / "x.whl").read_bytes()[:9000])),
    "a wheel of noise": lambda top: (top / "x.whl").write_bytes(os.urandom(100_000)),
    "nothing": lambda top: (top / "x.whl").write_bytes(b""),
    "a pipe": _pipe("x.whl"),
    "a wrong checksum": _overwritten(struct.pack("<L", zlib.crc32(model().encode())), b"\1\2\3\4"),
    "a wrong size": _overwritten(struct.pack("<L", len(model())), struct.pack("<L", 0x7FFFFFFF)),
}


def of_wheels() -> Iterator[Attack]:
    for name, lay in WHEELS.items():
        yield Attack("wheels", name, lay, ("check", "--sglang", "x.whl"), found=False)


# -- configurations and baselines -------------------------------------------------------------------------------------

CONFIGURATIONS = {
    "a string": 'sglang = "sglang"\nmodels = "x"',
    "deep": f"x = {'[' * 5000}{']' * 5000}",
    "deeper": f"x = {'[' * 200_000}",
    "dotted": f"{'a.' * 20_000}b = 1",
    "an escape": 'ignore = ["\\u001b[2J"]',
    "a command": 'ignore = ["\\n::error ::pwned"]',
    "a date": "ignore = [1979-05-27]",
    "a large number": f"models = [{'9' * 5000}]",
    "not a number": "models = [nan, inf]",
    "a require": 'require = ["::error ::a:EAGLE", "\\u001b:EAGLE3"]',
    "exclude": f'exclude = ["{"*" * 50}a", "{"**/" * 40}x", "{"[" * 100}"]',
    "a cache that is a pipe": 'cache-dir = "pipe"',
    "a model that is a pipe": 'models = ["pipe"]',
    "unknown keys": "\n".join(f"k{i} = 1" for i in range(5000)),
    "launches": "launch = [{}]",
}


def of_configurations() -> Iterator[Attack]:
    for name, text in CONFIGURATIONS.items():
        lay = _several(_pipe("pipe"), _put(f"[tool.specint]\n{text}\n", "pyproject.toml"))
        yield Attack("configurations", name, lay, found=False)
    for name, data in {"no text": b"\xff\xfe", "large": b"#" * 5_000_000, "NUL": b"\0", "nothing": b""}.items():
        yield Attack("configurations", f"of {name}", _put(data, "pyproject.toml"), found=False)


def every() -> Iterator[Attack]:
    """All attacks."""
    for kind in (
        of_files,
        of_essential_files,
        of_names,
        of_texts,
        of_streams,
        of_machines,
        of_caches,
        of_wheels,
        of_configurations,
    ):
        yield from kind()
