"""What a person, a project or a pipe may hand over: options, standard input, links, launches, baselines, encodings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from attack import CHECK, ESCAPE, FOREIGN, REPORT, Attack, pipe, put, several
from texts import model

KUMO = "sglang/srt/models/kumo_k2.py"
NASTY = "sglang/srt/models/nasty.py"


def of_inputs() -> Iterator[Attack]:
    yield from of_options()
    yield from of_stdin()
    yield from of_links()
    yield from of_launches()
    yield from of_baselines()
    yield from of_encodings()
    yield from of_editors()


# -- options ----------------------------------------------------------------------------------------------------------

OPTIONS: dict[str, tuple[str, ...]] = {
    "a release that is an option of pip": ("check", "--sglang", "--index-url=http://127.0.0.1:9/"),
    "a release that is a file of requirements": ("check", "--sglang", "-rnasty.txt"),
    "a release with an address": ("check", "--sglang", "0.5.9 @ file:///no/such.whl"),
    "a release of 5,000 digits": ("check", "--sglang", f"0.{'9' * 5000}"),
    "a release with a line end": ("check", "--sglang", "0.5.9\n::error ::pwned"),
    "a release that is nothing": ("check", "--sglang", ""),
    "a tree that is a device": ("check", "--sglang", "/dev/zero"),
    "a tree of processes": ("check", "--sglang", "/proc"),
    "a tree of devices": ("check", "--sglang", "/dev"),
    "a model that never ends": (*CHECK, "/dev/zero"),
    "a model that is memory": (*CHECK, "/proc/self/mem"),
    "a model of the kernel's": (*CHECK, "/proc/kmsg"),
    "a thousand times the same model": (*CHECK, *[KUMO] * 1000),
    "callers that never end": (*CHECK, "--callers", "/dev/zero"),
    "callers of processes": (*CHECK, "--callers", "/proc/self/task"),
    "a configuration that never ends": (*CHECK, "--config", "/dev/zero"),
    "a configuration that is a socket": (*CHECK, "--config", "/dev/stdout"),
    "a configuration that is memory": (*CHECK, "--config", "/proc/self/mem"),
    "a time of nothing": (*CHECK, "--timeout", "1e-9"),
    "a time that is none": (*CHECK, "--timeout", "nan"),
    "an endless time": (*CHECK, "--timeout", "inf"),
    "a time past all clocks": (*CHECK, "--timeout", "1e308"),
    "more processes than there are": (*CHECK, "--jobs", "99999999999999999999"),
    "a million processes": (*CHECK, "--jobs", "1000000"),
    "a format that is foreign": (*CHECK, "--also", f"{ESCAPE}:x"),
    "another output of no format": (*CHECK, "--also", ":"),
    "another output of no name": (*CHECK, "--also", "sarif:"),
    "another output that is the same": (*CHECK, "-o", "x", "--also", "sarif:x"),
    "an output that is a source": (*CHECK, "-o", KUMO),
    "a model with an escape": (*CHECK, "--model", ESCAPE),
    "a model with a command": (*CHECK, "--model", "\n::error ::pwned"),
    "an algorithm with a command": (*CHECK, "--algorithm", "\n::error ::pwned"),
    "a rule with an escape": (*CHECK, "--select", ESCAPE),
    "an interface with a command": (*CHECK, "--interface", "\n::error ::pwned"),
    "an option with an escape": (*CHECK, f"--{ESCAPE}"),
    "a command with an escape": (ESCAPE,),
    "a class with a command": ("explain", "\n::error ::pwned", "--sglang", "sglang"),
    "a rule with a command": ("rule", "\n##[error]pwned"),
    "a commit that is an option": (*CHECK, "--changed-since=--output=x"),
    "a commit with an escape": (*CHECK, "--changed-since", ESCAPE),
    "a repository that is a pipe": (*CHECK, "--changed-since", "HEAD"),
    "a comparison with nothing": (*REPORT, "--compare", "no/such\x1b[2J"),
    "a section that never ends": ("init", "/dev/full"),
    "a section into a pipe": ("init", "pipe"),
    "a section into a device": ("init", "/dev/zero"),
    "a cache that is a device": (*CHECK, "--cache-dir", "/dev/null"),
    "a cache of processes": (*CHECK, "--cache-dir", "/proc/self"),
    "a cache that is cleaned and foreign": ("cache", "clean", "--cache-dir", "sglang"),
    "patches and an output": (*CHECK, "--diff", "-o", "/dev/full"),
    "fixes of what is not ours to write": ("fix", "/proc/self/environ", "--sglang", "sglang"),
}


def of_options() -> Iterator[Attack]:
    lay = several(pipe("pipe"), pipe(".git"), put("--index-url http://127.0.0.1:9/\n", "nasty.txt"))
    for name, arguments in OPTIONS.items():
        yield Attack("options", name, lay, arguments, found=False)


# -- standard input ---------------------------------------------------------------------------------------------------

STDIN = (*CHECK, "--stdin-filename", KUMO)
GIVEN = {
    "nothing": '"$@" </dev/null',
    "no input": '"$@" <&-',
    "NUL without end": '"$@" </dev/zero',
    "noise without end": '"$@" </dev/urandom',
    "lines without end": 'yes | "$@"',
    "a folder": '"$@" <.',
    "an output": '"$@" 0>/dev/null',
    "5 MB of it": 'head -c 5000000 /dev/zero | tr "\\0" a | "$@"',
    "no UTF-8": 'printf \'x = "\\377"\\n\' | "$@"',
    "UTF-16": 'iconv -t UTF-16 sglang/srt/models/kumo_k2.py | "$@"',
    "a mark and a cookie": "printf '\\357\\273\\277# coding: latin-1\\n' | \"$@\"",
    "escapes": "printf 'class \\033[2J:\\n' | \"$@\"",
    "half of it, late": '(head -c 300 sglang/srt/models/kumo_k2.py; sleep 1) | "$@"',
}


def of_stdin() -> Iterator[Attack]:
    for name, shell in GIVEN.items():
        yield Attack("stdin", name, arguments=STDIN, shell=shell, found=False)
    for name, text in FOREIGN.items():
        if "\0" not in text and "\ud800" not in text:
            yield Attack(
                "stdin", f"for a name: {name}", arguments=(*CHECK, "--stdin-filename", f"sglang/{text}.py"), found=False
            )


# -- links and odd files in a tree ------------------------------------------------------------------------------------


def _linked(target: str, name: str = NASTY) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).symlink_to(target)

    return lay


def _deep(top: Path) -> None:
    """A folder whose path is longer than the system takes at once."""
    there = os.open(top / "sglang/srt/models", os.O_RDONLY)
    try:
        for _ in range(40):
            os.mkdir("a" * 200, dir_fd=there)
            below = os.open("a" * 200, os.O_RDONLY, dir_fd=there)
            os.close(there)
            there = below
        with os.fdopen(os.open("nasty.py", os.O_WRONLY | os.O_CREAT, dir_fd=there), "w") as file:
            file.write(model())
    finally:
        os.close(there)


def _woven(top: Path) -> None:
    """Folders that hold each other: 2 to the power of the depth many ways."""
    for name in "ab":
        for other in "cd":
            (top / "sglang/srt/models" / name).mkdir(exist_ok=True)
            (top / "sglang/srt/models" / name / other).symlink_to("..")


LINKS: dict[str, Callable[[Path], object]] = {
    "a folder of itself": _linked(".", "sglang/srt/models/loop"),
    "a folder of what is above": _linked("../..", "sglang/srt/models/loop"),
    "the root of all": _linked("/", "sglang/srt/models/root"),
    "processes": _linked("/proc", "sglang/srt/models/processes"),
    "a loop of two": several(
        _linked("b", "sglang/srt/models/a"),
        _linked("a", "sglang/srt/models/b"),
    ),
    "folders that hold each other": _woven,
    "a log that waits": _linked("/proc/kmsg"),
    "memory": _linked("/proc/self/mem"),
    "pages without end": _linked("/proc/self/pagemap"),
    "a device": _linked("/dev/zero"),
    "a terminal": _linked("/dev/tty"),
    "standard input": _linked("/dev/stdin"),
    "another's secret": _linked("/etc/shadow"),
    "itself": _linked("nasty.py"),
    "a folder for a file": lambda top: (top / NASTY).mkdir(),
    "a folder for a package": lambda top: (top / "sglang/srt/models/__init__.py").mkdir(exist_ok=True),
    "a module and a package": put(model(), "sglang/srt/models/kumo_k2/__init__.py"),
    "a path that is too long": _deep,
    "a sparse file": lambda top: (top / NASTY).open("wb").truncate(100 << 30),
    "a file of the year 9999": lambda top: (put(model())(top), os.utime(top / NASTY, (253402300799, 253402300799))),
    "a file from before all": lambda top: (put(model())(top), os.utime(top / NASTY, (-(2**40), -(2**40)))),
    "names that differ in case": several(*(put(model(), f"sglang/srt/models/{n}.py") for n in ("A", "a", "A_", "a_"))),
    "names of NFC and NFD": several(*(put(model(), f"sglang/srt/models/{n}.py") for n in ("\u00e9", "e\u0301"))),
    "names that are none": several(
        *(put(model(), f"sglang/srt/models/{n}.py") for n in ("1", "a-b", "class", "", "."))
    ),
    "a version that is a folder": lambda top: (
        (top / "sglang/version.py").unlink(missing_ok=True),
        (top / "sglang/version.py").mkdir(),
    ),
}


TOO_MUCH = ("a module and a package", "the root of all", "processes")
"""Another file hides the one of the finding, or a tree is larger than any: then nothing is analysed, which is said."""


def of_links() -> Iterator[Attack]:
    for name, lay in LINKS.items():
        yield Attack("links", name, lay, found=name not in TOO_MUCH)


# -- launches ---------------------------------------------------------------------------------------------------------

ROUNDS = 60
DOUBLED = "A=x\n" + "A=$A$A\n" * ROUNDS + "python -m sglang.launch_server --model-path $A\n"
BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'sglang'] * 10)}]\n" for n in range(12))
LAUNCHES: dict[str, tuple[str, str | bytes]] = {
    "variables that double": ("x.sh", DOUBLED),
    "variables that hold themselves": ("x.sh", "A=${A:-${A}}\nsglang serve --model-path ${A:-$A}\n"),
    "a million quotes": ("x.sh", "sglang serve " + "'" * 1_000_000),
    "a megabyte of words": ("x.sh", "sglang " * 140_000),
    "a megabyte of lines": ("x.sh", "sglang serve\\\n" * 70_000),
    "a megabyte of variables": ("x.sh", "sglang serve " + "${a:-" * 200_000),
    "more than a megabyte": ("x.sh", "sglang serve --model-path x\n" * 100_000),
    "no text": ("x.sh", b"\xff\xfe\0sglang serve --model-path \xff\n"),
    "NUL": ("x.sh", "sglang serve --model-path a\0b\n"),
    "escapes": ("x.sh", f"sglang serve --model-path {ESCAPE} --tp ::error\n"),
    "commands": ("x.sh", "sglang serve '--a\n::error ::pwned'\n"),
    "a path of 100,000": ("x.sh", f"sglang serve --model-path ./{'a' * 100_000}\n"),
    "a home of nobody": ("x.sh", "sglang serve --model-path ~nobody_at_all/x\n"),
    "the root as a model": ("x.sh", "sglang serve --model-path /\n"),
    "a device as a model": ("x.sh", "sglang serve --model-path /dev/zero\n"),
    "a laugh": ("x.yaml", f"{BOMB}command: *a11\n"),
    "a laugh in a service": ("x.yaml", f"{BOMB}services: *a11\n"),
    "a laugh of merges": (
        "x.yaml",
        "".join(
            f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: 1}}\n" if n else "a0: &a0 {k: 1}\n"
            for n in range(9)
        ),
    ),
    "a list of itself": ("x.yaml", "a: &a [*a, *a]\nb: &b {c: *b, d: *a}\n"),
    "a command of itself": ("x.yaml", "command: &a [sglang, serve, *a, *a]\n"),
    "a tag of Python's": ("x.yaml", "command: !!python/object/apply:os.system ['touch /tmp/pwned']\n"),
    "tags of nobody": ("x.yaml", "command: !nobody [sglang, serve]\n"),
    "a date": ("x.yaml", "command: [sglang, serve, --model-path, 2001-01-01, .nan, 0x7f, 1:30:00, ~, 2001-99-99]\n"),
    "a number of YAML's": ("x.yaml", f"command: [sglang, serve, --tp, {'9' * 5000}]\n"),
    "a name that is a list": ("x.yaml", "? [a, b]\n: [sglang, serve]\n? {a: b}\n: c\n"),
    "an environment of lists": ("x.yaml", "a: {command: [sglang, serve], environment: [[a], {value: [1]}, 'b']}\n"),
    "50,000 brackets": ("x.yaml", "[" * 50_000),
    "50,000 levels": ("x.yaml", "".join(f"{' ' * min(n, 90)}- " for n in range(900)) + "x"),
    "50,000 documents": ("x.yaml", "---\ncommand: []\n" * 50_000),
    "signs that are none in YAML": ("x.yaml", "command: '\x07\x1b'\n"),
    "a tab": ("x.yaml", "command:\n\t- sglang\n"),
    "a broken anchor": ("x.yaml", "command: *nobody\n"),
}
LINES = {
    "a number of 5,000 digits": '{"argv": ["--tp", ' + "9" * 5000 + "]}",
    "numbers that are none": '{"argv": [NaN, Infinity], "id": NaN}',
    "100,000 brackets": "[" * 100_000,
    "a surrogate": '{"argv": ["--model-path", "\\ud800"], "id": "\\udfff"}',
    "escapes": '{"argv": ["--model-path", "x"], "id": "\\u001b[2J\\n::error ::pwned"}',
    "an environment": '{"argv": ["--model-path", "x"], "env": {"\\u0000": "\\u0000", "a=b": 1, "": []}}',
    "no object": '7\n"x"\nnull\n[]',
    "no words": '{"argv": {"a": 1}}\n{"command": [1]}\n{"argv": null}',
    "a command of one quote": '{"command": "sglang serve \'"}',
    "nothing": "",
    "no text": b"\xff\xfe\0",
    "names twice": '{"argv": [], "argv": 1, "command": "x", "id": 1, "id": []}',
}


def of_launches() -> Iterator[Attack]:
    for name, (file, text) in LAUNCHES.items():
        yield Attack("launches", name, put(text, file), ("preflight", "--sglang", "sglang", "--", file), found=False)
    for name, text in LINES.items():
        arguments = ("preflight", "--sglang", "sglang", "--launches", "x.jsonl")
        yield Attack("launches", f"a line: {name}", put(text, "x.jsonl"), arguments, found=False)
    for name in ("/dev/zero", "pipe", ".", "/proc/self/mem", "/proc/kmsg"):
        lay = pipe("pipe")
        yield Attack("launches", f"a file: {name}", lay, ("preflight", "--sglang", "sglang", "--", name), found=False)
        if name not in ("pipe", "/proc/kmsg"):  # a person may name a pipe, and waits for what it gives
            arguments = ("preflight", "--sglang", "sglang", "--launches", name)
            yield Attack("launches", f"lines: {name}", lay, arguments, found=False)
    for name, text in FOREIGN.items():
        section = f"[tool.specint]\nsglang = 'sglang'\n[[tool.specint.launch]]\ncommand = {_quoted(text)}\n"
        section += f"id = {_quoted(text)}\ngpu = {_quoted(text)}\n"
        yield Attack("launches", f"of a project: {name}", put(section, "pyproject.toml"), ("preflight",), found=False)
        words = ("preflight", "--sglang", "sglang", "--gpu", text or "x", "--", text or "x")
        if "\ud800" not in text:
            yield Attack("launches", f"a machine: {name}", arguments=words, found=False)


def _quoted(text: str) -> str:
    """A text of TOML."""
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\u{ord(c):04x}" for c in text) + '"'


# -- baselines --------------------------------------------------------------------------------------------------------

BASELINES: dict[str, str | bytes] = {
    "100,000 brackets": "[" * 100_000,
    "a number of 5,000 digits": "9" * 5000,
    "numbers that are none": "[NaN, -Infinity]",
    "a surrogate": '["\\ud800"]',
    "escapes": '{"\\u001b[2J": "\\n::error ::pwned"}',
    "escapes in lines": f"{ESCAPE}\n::error ::pwned\n",
    "no text": b"\xff\xfe\0\x80",
    "5 MB": "x" * 5_000_000,
    "a million lines": "x:y:z\n" * 600_000,
    "nothing": "",
}


def of_baselines() -> Iterator[Attack]:
    for name, text in BASELINES.items():
        arguments = (*CHECK, "--baseline", "known")
        yield Attack("baselines", name, put(text, "known"), arguments, found=False)
        lay = put(text, "known")
        yield Attack("baselines", f"{name}, renewed", lay, (*arguments, "--update-baseline"), found=False)
    for name in ("/dev/zero", "/proc/self/mem", "/dev/full", "sglang", KUMO):
        arguments = (*CHECK, "--baseline", name)
        yield Attack("baselines", f"a file: {name}", arguments=arguments, found=False)
        yield Attack("baselines", f"a file: {name}, renewed", arguments=(*arguments, "--update-baseline"), found=False)


# -- encodings --------------------------------------------------------------------------------------------------------

CODINGS = (
    *("utf-8-sig", "utf_16_le", "utf-32", "cp037", "cp1252", "shift_jis", "iso2022_jp", "iso2022_kr", "hz", "big5"),
    *("gb18030", "johab", "rot13", "base64", "quopri", "bz2", "uu", "charmap", "latin-1-unix", "utf-8-mac", "oem"),
    *("us-ascii", "utf8\x00", "..", "os.path", "specint", "\x1b[2J", "::error ::pwned", "a" * 300),
)


def of_encodings() -> Iterator[Attack]:
    for coding in CODINGS:
        name = coding if coding.isprintable() else ascii(coding)
        text = model(before="X = 'STRANGE'").encode()
        for what, odd in {"plain": b"a", "high": b"\x80\xa1\xfe", "shifted": b"\x1b$B!!\x1b(B~{<:~}"}.items():
            data = b"# coding: " + coding.encode() + b"\n" + text.replace(b"STRANGE", odd)
            yield Attack("encodings", f"{name[:20]}, {what}", put(data))
    try:
        names = {"shift_jis": "\u30af\u30e9\u30b9", "koi8-r": "\u041a\u043b\u0430\u0441\u0441", "cp1252": "Cl\u00e4sse"}
        for coding, word in names.items():
            text = f"# coding: {coding}\n{model()}".replace("Nasty", word)
            yield Attack("encodings", f"a class in {coding}", put(text.encode(coding)))
    except LookupError:
        return


# -- editors ----------------------------------------------------------------------------------------------------------

TALK = r"""
import json, pathlib, subprocess, sys, threading
text = pathlib.Path("nasty.txt").read_bytes().decode("utf-8", "surrogatepass")
top = pathlib.Path.cwd()
uri = (top / "sglang/srt/models/nasty.py").as_uri()
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def say(method, params, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
    data = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    server.stdin.flush()
def hear(number, method=None):
    while True:
        length = 0
        while line := server.stdout.readline().strip():
            length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
        if not length:
            print("the server ended")
            sys.exit(3)
        message = json.loads(server.stdout.read(length))
        show(message)
        if message.get("method") == method if method else message.get("id") == number and "method" not in message:
            return message
def show(part):
    if isinstance(part, dict):
        for name, value in part.items():
            if name not in ("newText", "text", "data", "uri", "targetUri"):
                show(value)
    elif isinstance(part, list):
        for value in part:
            show(value)
    elif isinstance(part, str):
        print(part.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
say("initialize", {"processId": None, "rootUri": top.as_uri(), "capabilities": {},
                   "initializationOptions": {"sglang": "sglang"}}, 1)
hear(1)
say("initialized", {})
say("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
hear(None, "textDocument/publishDiagnostics")
where = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 8}}
whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
say("textDocument/hover", where, 2)
hear(2)
say("textDocument/codeLens", {"textDocument": {"uri": uri}}, 3)
hear(3)
say("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}, 4)
hear(4)
say("shutdown", None, 5)
hear(5)
say("exit", None)
sys.exit(server.wait(20))
"""


def of_editors() -> Iterator[Attack]:
    for name, text in FOREIGN.items():
        shown = model(
            before=f"class {'A' if name == 'nothing' else 'Named'}:\n    x = {text!r}\n", init=f"self.model = {text!r}"
        )
        lay = several(put(TALK, "talk.py"), put(shown, "nasty.txt"), put(shown, NASTY), _section)
        yield Attack("editors", name, lay, ("lsp",), shell='python3 talk.py "$@"', found=False)
    for name, shown in {
        "no Python": "class (:\n",
        "no text": "\udcff = '\0'\n",
        "5 MB": "x" * 5_000_000,
        "50,000 brackets": "(" * 50_000,
        "lone ends of lines": "x = 1\ry = 2\r\n\x0cz\u2028",
    }.items():
        lay = several(put(TALK, "talk.py"), put(shown, "nasty.txt"), put("", NASTY), _section)
        yield Attack("editors", name, lay, ("lsp",), shell='python3 talk.py "$@"', found=False)


def _section(top: Path) -> None:
    put('[tool.specint]\nsglang = "sglang"\n', "pyproject.toml")(top)
