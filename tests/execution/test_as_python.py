"""Snippets of ours, evaluated and run by Python itself: every name must come out alike."""

import pytest

from tests.execution.evaluated import evaluated

SNIPPETS = {
    "classes of named tuples": """
        from typing import NamedTuple

        class Inner:
            x = 3

        class Pair(NamedTuple):
            inner: Inner
            flag: bool
            more: int = 4

            def both(self):
                return self.inner.x, self.flag

        def make():
            return Pair(Inner(), False, more=5)
        a = make()[1:], make().both(), make().more, len(make())
        inner, *rest = Pair(Inner(), True)
        b = inner.x, rest
        try:
            Pair(Inner())
        except TypeError:
            c = "too few"
    """,
    "what is not iterable": """
        class Plain:
            pass
        found = []
        for run in (lambda: list(Plain()), lambda: [*Plain], lambda: 1 in Plain(), lambda: dict(Plain())):
            try:
                run()
            except TypeError as error:
                found.append(type(error).__name__)
    """,
    "arithmetic and comparison": """
        a = 7 // 2 + 7 % 3 - 2 ** 5 * 1.5
        b = 1 < 2 <= 2 != 3
        c = not (1 in [2, 3]) and "b" in "abc"
        d = -5 // 2, ~3, 5 & 6 | 1 ^ 8, 1 << 4
    """,
    "unpacking": """
        a, (b, *c), d = 1, (2, 3, 4), 5
        e = [*c, *(x for x in (9, 8))]
        f = {**{"k": 1}, "l": 2}
        g = [0, 1, 2, 3, 4][1:4:2]
    """,
    "loops": """
        found = []
        for n in range(10):
            if n == 2:
                continue
            if n == 6:
                break
            found.append(n)
        else:
            found.append("never")
        n = 3
        while n:
            n -= 1
        else:
            found.append("else")
    """,
    "closures": """
        def counter():
            n = 0
            def more(by=1, *rest, key=None, **named):
                nonlocal n
                n += by + len(rest) + len(named)
                return n
            return more
        c = counter()
        a, b = c(), c(2, 3, other=1)
        del counter, c
        f = [(lambda x, y=y: x * y)(3) for y in range(3)]
    """,
    "exceptions": """
        found = []
        def risky(kind):
            try:
                try:
                    raise kind("text")
                except ValueError as error:
                    found.append(("value", str(error)))
                    raise
                else:
                    found.append("else")
                finally:
                    found.append("finally")
            except (KeyError, ValueError) as error:
                found.append(type(error).__name__)
                return "handled"
        first = risky(ValueError)
        second = risky(KeyError)
        class Own(ValueError):
            def __init__(self, code):
                super().__init__(f"code {code}")
                self.code = code
        try:
            raise Own(7)
        except ValueError as error:
            third = error.code, str(error)
        del risky, Own
    """,
    "classes": """
        class Base:
            table = {}
            def __init_subclass__(cls, **keywords):
                super().__init_subclass__()
                Base.table[cls.__name__] = keywords
            def __init__(self, size):
                self.size = size
            @property
            def double(self):
                return self.size * 2
            @double.setter
            def double(self, value):
                self.size = value // 2
            @classmethod
            def of(cls, text):
                return cls(int(text))
            @staticmethod
            def plain(x):
                return x + 1
            def __eq__(self, other):
                return self.size == other.size
            def __getattr__(self, name):
                if name.startswith("got_"):
                    return name[4:]
                raise AttributeError(name)
            def __len__(self):
                return self.size
        class Left(Base, tag=1):
            def name(self):
                return "left"
        class Right(Base):
            def name(self):
                return "right"
        class Both(Left, Right):
            def name(self):
                return "both " + super().name()
        one = Both.of("4")
        one.double = 10
        a = one.size, one.double, one.name(), one.got_it, Both.plain(1), len(one), bool(Both(0))
        b = one == Left(5), hasattr(one, "nothing"), getattr(one, "nothing", 3)
        c = [cls.__name__ for cls in Both.__mro__], Base.table
        d = isinstance(one, Right), issubclass(Left, Right), type(one).__name__
        del one, Base, Left, Right, Both
    """,
    "descriptors": """
        class Named:
            def __set_name__(self, owner, name):
                self.name = name
            def __get__(self, obj, owner):
                return self if obj is None else obj.__dict__.get("_" + self.name, "unset")
            def __set__(self, obj, value):
                obj.__dict__["_" + self.name] = value * 2
        class Holder:
            field = Named()
        h = Holder()
        before = h.field
        h.field = 4
        after = h.field, Holder.field.name
        del Named, Holder, h
    """,
    "dataclasses": """
        from dataclasses import asdict, dataclass, field, fields, replace
        from typing import ClassVar
        @dataclass
        class Point:
            x: int
            y: int = 2
            tags: list = field(default_factory=list)
            kind: ClassVar[str] = "k"
            def __post_init__(self):
                self.total = self.x + self.y
        @dataclass
        class Deep(Point):
            z: int = 9
        one = Point(1)
        a = one.total, one == Point(1), asdict(one), [f.name for f in fields(Deep)], replace(one, x=5).total
        try:
            Point()
        except TypeError as error:
            b = "x" in str(error)
        del Point, Deep, one, field, fields, replace, asdict, dataclass, ClassVar
    """,
    "enums": """
        from enum import Enum, IntEnum, auto
        class Colour(Enum):
            RED = auto()
            BLUE = auto()
            ALSO_RED = 1
            @property
            def short(self):
                return self.name[0]
            @classmethod
            def _missing_(cls, value):
                return cls.BLUE if value == "b" else None
        class Level(IntEnum):
            LOW = 1
            HIGH = 5
        class Text(str, Enum):
            A = "a"
        a = Colour.RED.value, Colour["BLUE"].short, Colour("b").name, Colour(1) is Colour.ALSO_RED, len(Colour)
        b = [c.name for c in Colour], Level.HIGH > Level.LOW, Level.HIGH + 1, Text.A == "a", f"{Level.LOW:>3}"
        c = Colour.RED in (Colour.BLUE,), {Colour.RED: 1}[Colour.RED], str(Colour.RED)
        del Colour, Level, Text, Enum, IntEnum, auto
    """,
    "generators and with": """
        from contextlib import contextmanager, suppress
        log = []
        @contextmanager
        def scope(name):
            log.append("in " + name)
            try:
                yield name.upper()
            finally:
                log.append("out " + name)
        with scope("a") as a, suppress(KeyError):
            log.append(a)
            {}["missing"]
        def numbers(n):
            for i in range(n):
                if i % 2:
                    yield i
            yield from ("x", "y")
        b = list(numbers(6)), next(numbers(3)), sum(x for x in numbers(4) if x != "x" and x != "y")
        del scope, numbers, contextmanager, suppress
    """,
    "match": """
        def kind(value):
            match value:
                case 1 | 2:
                    return "small"
                case None:
                    return "none"
                case [a, b]:
                    return a + b
                case str() as text:
                    return text * 2
                case other if other == 7:
                    return "seven"
                case _:
                    return "else"
        a = [kind(v) for v in (1, None, [3, 4], "ab", 7, 9)]
        del kind
    """,
    "functools and collections": """
        import functools
        from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
        calls = []
        @functools.lru_cache(maxsize=None)
        def slow(x):
            calls.append(x)
            return x * 2
        a = slow(2) + slow(2) + functools.partial(pow, 2)(5) + functools.reduce(lambda x, y: x + y, [1, 2, 3])
        d = defaultdict(list)
        d["k"].append(1)
        P = namedtuple("P", "x y")
        b = dict(d), P(1, 2).y, Counter("aab")["a"], list(deque([1, 2], maxlen=1)), list(OrderedDict(z=1))
        class C:
            @functools.cached_property
            def once(self):
                calls.append("once")
                return 5
        c = C()
        e = c.once + c.once
        del slow, d, P, C, c, functools, Counter, OrderedDict, defaultdict, deque, namedtuple
    """,
    "text": """
        import json
        import re
        n = 3.14159
        a = f"{n:.2f} {'x'!r:>5} {n=:.1f}", "%s-%03d" % ("a", 7), "{0}-{b}".format(1, b=2)
        b = re.sub(r"(\\d+)", lambda m: str(int(m.group(1)) + 1), "a1b22"), re.match(r"a(?P<n>.)", "ab").group("n")
        c = json.loads('{"k": [1, null, true]}'), json.dumps({"a": (1, 2)}), "a,b".split(","), " x ".strip()
        del json, re
    """,
    "sorting and builtins": """
        a = sorted([3, 1, 2], key=lambda x: -x), max([1, 5, 3], key=lambda x: x % 5), list(zip("ab", [1, 2]))
        b = list(map(lambda x: x + 1, [1, 2])), list(filter(None, [0, 1, 2])), list(enumerate("xy", 1))
        c = any(x > 2 for x in [1, 2, 3]), all([]), sum([1, 2], 10), divmod(7, 2), abs(-3), round(2.567, 2)
        d = [n for n in range(20) if n % 3 == 0 if n % 2 == 0], {k: v for k, v in [(1, 2)]}, {x for x in "aab"}
        e = (y := 5) + y
        g = isinstance(True, int), isinstance("a", (int, str)), callable(len), type(3) is int
    """,
    "private names and metaclasses": """
        class Meta(type):
            def __call__(cls, *arguments):
                made = super().__call__(*arguments)
                made.marked = True
                return made
            @property
            def shout(cls):
                return cls.__name__.upper()
        class Kept(metaclass=Meta):
            def __init__(self):
                self.__hidden = 3
            def read(self):
                return self.__hidden
        k = Kept()
        a = k.marked, Kept.shout, k.read(), sorted(vars(k))
        del Meta, Kept, k
    """,
    "subclasses of dict and str": """
        class Table(dict):
            def __missing__(self, key):
                return key * 2
            def total(self):
                return sum(self.values())
        t = Table(a=1)
        t["b"] = 2
        a = t["zz"], t.total(), len(t), sorted(t), "a" in t, dict(t)
        class Word(str):
            def shout(self):
                return self.upper() + "!"
        b = Word("hi").shout(), Word("a") == "a", Word("a,b").split(",")
        del Table, t, Word
    """,
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_comes_out_as_in_python(name):
    import textwrap

    text = textwrap.dedent(SNIPPETS[name])
    theirs = {"__name__": "small.module"}
    exec(compile(text, name, "exec"), theirs)  # the snippets above
    wanted = {key: value for key, value in theirs.items() if not key.startswith("__") and key not in ("json", "re")}
    found = evaluated(text)
    assert {key: repr(found.get(key)) for key in wanted if _plain(wanted[key])} == {
        key: repr(value) for key, value in wanted.items() if _plain(value)
    }
    assert any(_plain(value) for value in wanted.values())


def _plain(value):
    return isinstance(value, bool | int | float | str | list | tuple | dict | set)
