"""Texts of a model's file that are hard to read, to hold, or to follow: name and text."""

from __future__ import annotations

from collections.abc import Iterator

HEAD = "import torch.nn as nn\n"
PRAGMA = "# pylint: disable=spec-missing-delegation\n"


def model(*, before: str = "", base: str = "nn.Module", init: str = "pass", body: str = "") -> str:
    """A module with one registered class, around what is hostile."""
    return (
        f"{HEAD}{before}\nclass Nasty({base}):\n    def __init__(self, config):\n        super().__init__()\n"
        f"        {init}\n{body}\n\nEntryClass = Nasty\n"
    )


CHAINS = {
    "attributes": ".b",
    "calls": "()",
    "subscripts": "[0]",
    "calls with arguments": "(a, b=1)",
    "sums": " + a",
    "products": " * a",
    "powers": " ** a",
    "comparisons": " < a",
    "ands": " and a",
    "ands and ors": " and a or a",
    "choices": " if a else a",
    "texts": " 'a'",
    "bars": " | a",
}
NESTS = {
    "nots": ("not ", ""),
    "minus": ("-", ""),
    "inversions": ("~", ""),
    "lists": ("[", "]"),
    "brackets": ("(", ")"),
    "dictionaries": ("{1: ", "}"),
    "sets": ("{", "}"),
    "lambdas": ("lambda: ", ""),
    "awaits": ("await ", ""),
    "comprehensions": ("[", " for a in a]"),
    "f-strings": ("f'{", "}'"),
    "conditions": ("a if ", " else a"),
    "walruses": ("(a := ", ")"),
    "stars": ("(*", ",)"),
    "yields": ("(yield ", ")"),
    "slices": ("a[", ":]"),
    "keywords": ("f(a=", ")"),
}


def file_texts() -> Iterator[tuple[str, str | bytes]]:
    """Name and text of files that may be refused, or read, and that end nothing."""
    for name, link in CHAINS.items():
        for number in (99, 990, 5_000, 60_000):
            start = "'a'" if name == "texts" else "a"
            yield f"{number} {name}", f"async def f():\n    x = {start}{link * number}\n"
    for name, (before, after) in NESTS.items():
        for number in (60, 150, 3_000, 50_000):
            yield f"{number} {name} in each other", f"async def f():\n    x = {before * number}a{after * number}\n"
    for number in (95, 150, 3_000):
        yield f"{number} blocks", "".join(f"{' ' * i}if a:\n" for i in range(number)) + " " * number + "pass\n"
        yield f"{number} functions", "".join(f"{' ' * i}def f():\n" for i in range(number)) + " " * number + "pass\n"
        yield f"{number} classes", "".join(f"{' ' * i}class C:\n" for i in range(number)) + " " * number + "pass\n"
        yield (
            f"{number} tries",
            (
                "".join(f"{' ' * i}try:\n" for i in range(number))
                + " " * number
                + "pass\n"
                + "".join(f"{' ' * i}finally: pass\n" for i in reversed(range(number)))
            ),
        )
        yield f"{number} patterns", f"match a:\n    case {'[' * number}a{']' * number}: pass\n"
        yield f"{number} classes of patterns", f"match a:\n    case {'A(' * number}a{')' * number}: pass\n"
        yield f"{number} quoted annotations", f"x: {'list[' * number!r} = 1\ny: '{'list[' * number}a{']' * number}'\n"
        yield f"{number} annotations", f"x: {'list[' * number}a{']' * number} = 1\n"
    yield "60,000 choices of a pattern", f"match a:\n    case {' | '.join('1' for _ in range(60_000))}: pass\n"
    yield "60,000 names of a pattern", f"match a:\n    case a{'.b' * 60_000}: pass\n"
    yield "20,000 elifs", "if a: pass\n" + "elif a: pass\n" * 20_000
    yield "60,000 decorators", "@a\n" * 60_000 + "def f(): pass\n"
    yield "60,000 targets", "a = " * 60_000 + "1\n"
    yield "60,000 names of a global", f"def f():\n    global {', '.join(f'a{i}' for i in range(60_000))}\n"
    yield "60,000 parameters", f"def f({', '.join(f'a{i}' for i in range(60_000))}): pass\n"
    yield "60,000 arguments", f"f({', '.join(f'a{i}=1' for i in range(60_000))})\n"
    yield "60,000 comments", "# a\n" * 60_000
    yield "60,000 pragmas", PRAGMA * 60_000
    yield "60,000 pragmas in a function", "def f():\n" + ("    " + PRAGMA) * 60_000 + "    pass\n"
    yield "a pragma of 60,000 names", f"# pylint: disable={','.join('a' for _ in range(60_000))}\n"
    yield "classes and a pragma each", f"class A: pass  {PRAGMA}" * 8_000
    yield "type parameters", "class A[T: int, *U, **V]: pass\ndef f[T](x: T) -> T: return x\ntype X[T] = list[T]\n"
    yield "default type parameters", "class A[T = int]: pass\n"
    yield "except without brackets", "try: pass\nexcept A, B: pass\n"
    yield "an f-string of 3.12", 'x = f"{"a"}{f"{f"{1}"}"}"\n'
    yield "a t-string", "x = t'{a}'\n"
    yield "an invalid escape", "x = '\\d'\nz: '\\\\d' = 1\n"
    yield "an invalid escape in an annotation", "x: '\"\\\\d\"' = 1\ny: \"'\\\\8'\" = 1\n"
    yield "warnings in an annotation", "x: '1 is 1' = 1\ny: '(1)(2)' = 2\nz: 'a[1 2]' = 1\nw: '0or x' = 1\n"
    yield "other warnings", "x = 1 is 1\ny = (1)(2)\nassert (a, 'b')\nx = 0x1for x in y\n"
    yield "return in finally", "def f():\n    try: pass\n    finally: return\n"
    yield "an octal escape", "x = '\\777'\ny = b'\\777'\n"
    yield "a long number", f"x = {'9' * 5_000}\n"
    yield "a longer number", f"x = {'9' * 1_000_000}\n"
    yield "a long number in base 16", f"x = 0x{'f' * 1_000_000}\n"
    yield "a large float", "x = 1e999\ny = -1e999\nz = 1e999j\n"
    yield "a shift in an annotation", "x: '1 << 99999999999' = 1\n"
    yield "a power in an annotation", "x: '9**9**9**9' = 1\n"
    yield "a text times a number", "x = 'a' * 10**10\ny: \"'a' * 10**10\" = 1\n"
    yield "form feeds", "\x0cif a:\n\x0c    pass\n  \x0c  # pylint: disable=all\n"
    yield "a form feed that hides an indent", "if a:\n    b\n \x0c    c\n"
    yield "tabs and blanks", "if a:\n\tb\n        c\n"
    yield "a dedent to nowhere", "if a:\n        b\n    c\n"
    yield "a line that goes on at the end", "x = 1 \\"
    yield "a line that goes on into nothing", "x = 1 \\\n"
    yield "a backslash before a comment", "x = 1 \\\n# pylint: disable=all\n"
    yield "a bracket that stays open", "x = (1,\n# pylint: disable=all\n"
    yield "a text that stays open", "x = '''\n# pylint: disable=all\n"
    yield "an f-string that stays open", "x = f'{a\n"
    yield "signs of nothing", "x = $ ? ! `\n"
    yield "an arrow and a walrus", "x ->= := 1\n"
    yield "names of NFKC", "\ufb01 = 1\nclass \u2102(\uff4e\uff4e.Module): pass\nEntryClass = \u2102\n"
    yield "names that are no words", "́a = 1\n"
    yield "a zero in front", "x = 0777\n"
    yield "an underscore in a number", "x = 0_7_\n"
    yield "line separators", "x = 1\x0b\nif a:\x1c pass\n\u2028y = 2\n"
    yield "a carriage return alone", "x = 1\ry = 2\r# pylint: disable=all\r"
    yield "CRLF and LF", "x = 1\r\ny = 2\n# pylint: disable=all\r\n"
    yield "control characters", "x = 1\x01\n"
    yield "a tail of control-Z", "x = 1\n\x1a"
    yield "NUL", "x = '\0'\n"
    yield "NUL in a comment", "# pylint: disable=all \0\nx = 1\n"
    yield "surrogates", "x = '\\ud800'\nEntryClass = '\\udfff'\n"
    yield "lone surrogates in names", "x = getattr(a, '\\ud800')\nsetattr(a, '\\udfff', 1)\n"
    yield "a future that is not", "from __future__ import no_such\n"
    yield "barry", "from __future__ import barry_as_FLUFL\nx = 1 <> 2\n"
    yield "await outside", "await a\n[await a for a in b]\n"
    yield "yield outside", "x = (yield)\n"
    yield "return outside", "return 1\n"
    yield "print", "print 'a'\n"
    yield "a star alone", "*a\nx = *a\n"
    yield "super without a class", "def f(): super().f()\nsuper()\n"
    yield "__debug__ set", "__debug__ = 1\n"
    yield "a name twice", "def f(a, a): pass\n"
    yield "nonlocal at the top", "nonlocal a\n"
    yield "UTF-16", "x = 1\n".encode("utf-16")
    yield "UTF-7", b"# coding: utf-7\nx = '+AGE-'\n"
    yield "bytes that are no UTF-8", b"x = '\xff\xfe'\n"
    yield "a mark and another coding", b"\xef\xbb\xbf# coding: latin-1\nx = 1\n"
    for coding in ("punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "hex", "zlib"):
        yield f"coding {coding}", f"# coding: {coding}\nx = 1\n".encode()
        yield f"4 MB of {coding}", f"# coding: {coding}\nx = '".encode() + b"a-" * 1_999_000 + b"'\n"
    yield "4 MB of 9 in punycode", b"# coding: punycode\n-" + b"9" * 3_900_000
    yield "a coding line of 4 MB", b"# coding: " + b"a" * 4_000_000 + b"\n"
    yield "4 MB of one line", "# " + "x" * (4 << 20 - 10)
    yield "4 MB of one name", "x" * ((4 << 20) - 10)
    yield "4 MB of one text", f"x = '{'y' * ((4 << 20) - 20)}'\n"
    yield "4 MB of line ends", "\n" * ((4 << 20) - 10)
    yield "4 MB of blanks", " " * ((4 << 20) - 10) + "\n"
    yield "4 MB of brackets", "(" * ((4 << 20) - 10)
    yield "4 MB of backslashes", "\\\n" * ((2 << 20) - 10)
    yield "4 MB of hashes", "#" * ((4 << 20) - 10)
    yield "2 MB of hashes and a pragma", "#" * (2 << 20) + "\n" + PRAGMA
    yield "a comment of pragmas", "# " + "pylint:" * 500_000 + "\n"
    yield "actions of a pragma", "# pylint: " + "disable=a," * 400_000 + "\n"
    yield "words of a pragma", "# pylint: " + "a-" * 1_000_000 + "\n"
    yield "many long lines", ("x = '" + "y" * 1000 + "'\n") * 4000
    yield "half a million words", "a " * 100 + "\n"
    yield "450,000 names", "a\n" * 224_000
    yield "450,000 numbers", "[" + "1," * 224_000 + "]\n"


def classes() -> Iterator[tuple[str, str]]:
    """Name and text of modules with a registered class that leads on and on."""
    names = [f"p{number}" for number in range(8)]
    turned = {step: ", ".join(names[step:] + names[:step]) for step in range(8)}
    swapped = ", ".join([names[1], names[0], *names[2:]])
    rotated = "".join(
        f"class C{i}(nn.Module):\n    def __init__(self, {turned[0]}):\n        super().__init__()\n"
        f"        self.m = C{(i + 1) % 6}({turned[1]})\n        self.n = C{(i + 2) % 6}({swapped})\n"
        for i in range(6)
    )
    kinds = "".join(f"class L{i}: pass\n" for i in range(8))
    yield (
        "parameters that are rotated and swapped",
        model(
            before=f"{kinds}def f({turned[0]}):\n    if a: return p0()\n"
            f"    if b: return f({turned[1]})\n    return f({swapped})\n",
            init="self.model = f(L0, L1, L2, L3, L4, L5, L6, L7)",
        ),
    )
    yield (
        "classes that rotate their parameters",
        model(
            before="".join(
                f"class D{i}:\n    def go(self, {turned[0]}):\n        if a: return self\n"
                f"        if b: return p0.go({turned[1]})\n        return p1.go({swapped})\n"
                for i in range(6)
            ),
            init="self.model = D0().go(D0(), D1(), D2(), D3(), D4(), D5(), D0(), D1())",
        ),
    )
    yield "parameters that go round", model(before=rotated, init="self.model = C0(1, 2, 3, 4, 5, 6, 7, 8)")
    yield (
        "functions that go round",
        model(
            before="".join(
                f"def f{i}({', '.join(f'p{j}' for j in range(8))}):\n"
                f"    return f{(i + 1) % 6}({', '.join(f'p{(j + i + 1) % 8}' for j in range(8))}) or "
                f"f{(i + 3) % 6}({', '.join(f'p{(j * 3 + 1) % 8}' for j in range(8))}) or p{i}\n"
                for i in range(6)
            ),
            init="self.model = f0(A, B, C, D, E, F, G, H)",
        ),
    )
    yield (
        "choices of choices",
        model(
            init="\n        ".join(
                ["x = A", *(f"x = (x, B{i}) if c else (x, C{i})" for i in range(60)), "self.model = x"]
            )
        ),
    )
    yield (
        "tables of tables",
        model(
            before="".join(f"T{i} = {{'a': T{i + 1}, 'b': T{i + 2}}}\n" for i in range(200)),
            init="self.model = T0['a']['b']",
        ),
    )
    yield (
        "a setattr in a loop",
        model(init="\n        ".join(f"setattr(self, n{i} + '{i}', nn.Linear(1, 1))" for i in range(500))),
    )
    yield "names by formats", model(init="\n        ".join(f"setattr(self, f'a{{x}}{i}', A)" for i in range(2000)))
    yield (
        "decorators that wrap",
        model(
            before="".join(f"def d{i}(f):\n    return d{i + 1}(f)\n" for i in range(400)),
            body="    @d0\n    def forward(self, x): return x\n",
        ),
    )
    yield (
        "properties in each other",
        model(body="".join(f"    @property\n    def p{i}(self): return self.p{i + 1}\n" for i in range(800))),
    )
    yield (
        "many members",
        model(body="".join(f"    def m{i}(self): return self.m{i * 7 % 9973}()\n" for i in range(9973))),
    )
    yield "many attributes", model(init="\n        ".join(f"self.a{i} = A{i}(config)" for i in range(20_000)))
    yield (
        "many classes",
        "".join(f"class N{i}({'nn.Module' if not i else f'N{i * 7919 % i}'}): pass\n" for i in range(5000))
        + f"EntryClass = [{', '.join(f'N{i}' for i in range(5000))}]\n",
    )
    yield "an entry of itself", "EntryClass = EntryClass\nEntryClass = [EntryClass, EntryClass]\n"
    yield "an entry that is no class", "EntryClass = [1, 'a', None, lambda: 0, (x for x in y)]\n"
    yield "a class of itself", "class A(A): pass\nclass B(C): pass\nclass C(B): pass\nEntryClass = [A, B, C]\n"
    yield (
        "a class in a class",
        model(before="".join(f"{'    ' * i}class K{i}:\n" for i in range(80)) + "    " * 80 + "x = 1\n"),
    )
    yield "bases by a call", model(before="def make(*a): return make(*a, A)\n", base="make(make, make)")
    yield "bases by a star", model(before="bases = [nn.Module, *bases]\n", base="*bases")
    yield "a slot of everything", model(before="__slots__ = __all__ = __dict__ = 1\n")
    yield "__class__ set", model(init="self.__class__ = type('X', (), {})")
    yield (
        "getattr of everything",
        model(body="    def __getattr__(self, name): return getattr(getattr(self, name), name)\n"),
    )
    yield "getattribute", model(body="    def __getattribute__(self, name): return self.__getattribute__(name)\n")
    yield (
        "super of super",
        model(
            body="    def get_embed_and_head(self): return super(super(Nasty, self), super()).get_embed_and_head()\n"
        ),
    )
