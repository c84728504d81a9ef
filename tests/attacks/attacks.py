"""What strangers may send, as tables: one line adds an attack. What a machine may be, and what a person may type, stand
in `machines.py` and `inputs.py`; the texts of files in `texts.py`.
"""

from __future__ import annotations

import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from attack import CHECK, FOREIGN, REPORT, Attack, pipe, put, several
from inputs import of_inputs
from machines import of_caches, of_machines, of_signals, of_streams
from texts import PRAGMA, classes, file_texts, model

FORMATS = ("text", "json", "github", "markdown", "sarif", "junit", "gitlab")


def of_files() -> Iterator[Attack]:
    for name, text in file_texts():
        plain = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        yield Attack("files", name, put(plain))
        if not isinstance(text, bytes):
            whole = f"{model(before=PRAGMA)}\n{text}\n{PRAGMA}".encode("utf-8", "surrogatepass")
            yield Attack("files with a pragma", name, put(whole), (*CHECK, "sglang/srt/models"))
    for name, text in classes():
        yield Attack("classes", name, put(text))
    for name in ("type parameters", "an invalid escape", "warnings in an annotation", "other warnings"):
        text = dict(file_texts())[name]
        assert isinstance(text, str)
        yield Attack("warnings as errors", name, put(f"{text}\n{PRAGMA}"), python=("-W", "error"))
        yield Attack("warnings as errors", f"{name}, always", put(f"{text}\n{PRAGMA}"), python=("-W", "always"))


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
            yield Attack("essential files", f"{file}: {name}", put(text, f"sglang/{file}"), found=False)
        yield Attack("essential files", f"{file}: gone", lambda top, f=file: (top / "sglang" / f).unlink(), found=False)
        yield Attack("essential files", f"{file}: a pipe", pipe(f"sglang/{file}"), found=False)


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
    "check as concise": (*CHECK, "--format", "concise"),
    "check as statistics": (*CHECK, "--statistics", "--select", "ALL"),
    "check for everything": (*CHECK, "--interface", "all", "--select", "ALL"),
    "report as markdown": (*REPORT, "--format", "markdown"),
    "contract as json": ("contract", "--sglang", "sglang", "--format", "json"),
    "graph as dot": ("graph", "--sglang", "sglang", "Nasty", "--format", "dot"),
    "graph as mermaid": ("graph", "--sglang", "sglang", "Nasty", "--format", "mermaid"),
    "explain as markdown": ("explain", "--sglang", "sglang", "Nasty", "--format", "markdown"),
    "explain as json": ("explain", "--sglang", "sglang", "Nasty", "--format", "json"),
    "a comparison": (*REPORT, "--compare", "sglang", "--format", "markdown"),
}


def of_texts() -> Iterator[Attack]:
    for name, text in FOREIGN.items():
        for command, arguments in COMMANDS.items():
            lay = several(*texts_of(text).values())
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
        "a version": put(f"__version__ = {text!r}\n", "sglang/version.py"),
    }


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
    "a pipe": pipe("x.whl"),
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
        lay = several(pipe("pipe"), put(f"[tool.specint]\n{text}\n", "pyproject.toml"))
        yield Attack("configurations", name, lay, found=False)
    for name, data in {"no text": b"\xff\xfe", "large": b"#" * 5_000_000, "NUL": b"\0", "nothing": b""}.items():
        yield Attack("configurations", f"of {name}", put(data, "pyproject.toml"), found=False)


def every() -> Iterator[Attack]:
    """All attacks."""
    for kind in (
        of_files,
        of_essential_files,
        of_names,
        of_texts,
        of_streams,
        of_machines,
        of_signals,
        of_caches,
        of_wheels,
        of_configurations,
        of_inputs,
    ):
        yield from kind()
