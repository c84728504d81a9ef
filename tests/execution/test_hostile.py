"""A tree that means harm: bounded, and no way out of what is evaluated."""

from contextlib import suppress

import pytest

from specint.execution import bounds
from specint.execution.files import Files
from specint.execution.operators import shown
from specint.execution.values import Raised, Unknown
from tests.execution.evaluated import deeply, evaluated, interpreter

ENDLESS = {
    "a loop": "while True:\n    pass",
    "a recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "a generator": "def g():\n    while True:\n        yield 1\nx = list(g())",
    "an iterator": "import itertools\nx = sum(itertools.count())",
    "a search in an iterator": "import itertools\nx = -1 in itertools.count()",
    "a range": "x = list(range(10 ** 12))",
    "a large string": "x = 'a' * 10 ** 10",
    "a doubled string": "x = 'ab'\nfor _ in range(100):\n    x += x",
    "a doubled list": "x = [1]\nfor _ in range(100):\n    x.extend(x)",
    "a large integer": "x = 9 ** 9 ** 9",
    "a shifted integer": "x = 1 << 10 ** 9",
    "a squared integer": "x = 3\nwhile x:\n    x *= x",
    "a padded string": "x = 'a'.ljust(10 ** 10)",
    "a width": "x = f'{1:1000000000}'",
    "a width of old": "x = '%1000000000d' % 1",
    "bytes": "x = bytes(10 ** 10)",
    "classes inside each other": "def f(n):\n    class C:\n        x = f(n + 1)\n    return C\nf(0)",
    "__getattr__": "class C:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nC().a",
    "replaced text": "x = ('a' * 100000).replace('a', 'b' * 100000)",
}


POWERS = {
    "a power with a rest": "b = (1 << 19_999) - 1\nx = pow(b, b, b - 2)",
    "many smaller ones": "b = (1 << 1_000) - 1\nfor _ in range(100_000):\n    x = pow(b, b, b - 2)",
    "products of large numbers": "b = (1 << 9_900) - 1\nfor _ in range(100_000):\n    x = b * b",
    "rests of large numbers": "b = (1 << 19_000) - 1\nfor _ in range(100_000):\n    x = b % (b >> 9_000)",
    "a number that is no range's": "x = 0.5 in range(10 ** 12)",
    "ranges in a chain": "import itertools\nx = sum(itertools.chain.from_iterable([range(10 ** 9)]))",
}
ENDLESS |= POWERS


@pytest.mark.parametrize("name", ENDLESS)
def test_an_evaluation_ends(name, monkeypatch):
    monkeypatch.setattr(bounds, "MOST_STEPS", 100_000)
    with pytest.raises(bounds.ExhaustedError):
        deeply(lambda: evaluated(ENDLESS[name]))


def test_a_regular_expression_that_would_take_for_ever_is_unknown():
    found = evaluated("import re\nx = re.match(r'(a+)+$', 'a' * 40 + 'b')\ny = re.compile('(a|a)*c').match('a' * 40)")
    assert isinstance(found["x"], Unknown)
    assert isinstance(found["y"], Unknown) or found["y"] is None


WAYS_OUT = {
    "subclasses": "x = ().__class__.__base__.__subclasses__()",
    "globals of a native": "import math\nx = math.sqrt.__self__",
    "a frame": "x = (i for i in [1]).gi_frame",
    "code": "def f(): pass\nx = f.__code__.co_consts",
    "format": "x = '{0.__class__.__mro__[1].__subclasses__}'.format(1)",
    "attrgetter": "import operator\nx = operator.attrgetter('__class__.__base__.__subclasses__')(())",
    "builtins": "x = __builtins__",
    "eval": "x = eval('1+1')",
    "a module of Python's": "import os\nx = os.system('true')",
    "subprocess": "import subprocess\nx = subprocess.run(['true'])",
    "importlib": "import importlib\nx = importlib.import_module('os').kill(1, 0)",
    "ctypes": "import ctypes\nx = ctypes.CDLL(None)",
    "pickle": "import pickle\nx = pickle.loads(b'')",
    "a traceback": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    x = e.__traceback__",
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_there_is_no_way_to_python_itself(name):
    found = "an error of the evaluated code"
    with suppress(Raised):
        found = evaluated(WAYS_OUT[name])["x"]
    assert isinstance(found, Unknown) or found == "an error of the evaluated code"


def test_only_named_folders_are_read_and_nothing_is_written(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.json").write_text("{}")
    (outside / "secret").write_text("s")
    (inside / "link").symlink_to(outside / "secret")
    text = f"""
import os
a = open({str(inside / "a.json")!r}).read()
with open({str(inside / "new")!r}, "w") as file:
    file.write("x")
b = open({str(inside / "new")!r}).read()
def tried(path):
    try:
        return open(path).read()
    except OSError:
        return "refused"
c = tried({str(outside / "secret")!r})
d = tried({str(inside / "link")!r})
e = tried({str(inside)!r} + "/../out/secret")
f = os.path.exists({str(outside / "secret")!r})
"""
    found = evaluated(text, files=Files([inside]))
    assert (found["a"], found["b"]) == ("{}", "x")
    assert all(isinstance(found[name], Unknown) or found[name] == "refused" for name in "cde")
    assert found["f"] is not True
    assert sorted(path.name for path in inside.iterdir()) == ["a.json", "link"]


def test_a_file_that_is_no_python_is_an_error_of_the_import():
    it = interpreter({"module": "def (:"})
    with pytest.raises(Raised) as caught:
        it.module("small.module")
    assert isinstance(caught.value.value, SyntaxError)


def test_arguments_from_files_are_not_read(tmp_path):
    (tmp_path / "args").write_text("--size\n3\n")
    text = f"""
import argparse
parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
parser.add_argument("words", nargs="*")
x = parser.parse_args(["@" + {str(tmp_path / "args")!r}]).words
"""
    assert evaluated(text)["x"] == [f"@{tmp_path / 'args'}"]


MANY_SMALL = {
    "lists": "x = []\nwhile True:\n    x.append([0] * 999)",
    "strings": "x = []\nfor i in range(10 ** 9):\n    x.append(str(i) * 100)",
    "entries": "d = {}\nfor i in range(10 ** 9):\n    d[i] = 'a' * 900",
    "variables": "import os\nfor i in range(10 ** 9):\n    os.environ[str(i)] = 'a' * 900",
}


@pytest.mark.skipif(not bounds.resident(), reason="the system does not say how much memory a process takes")
@pytest.mark.parametrize("name", MANY_SMALL)
def test_values_that_are_each_too_small_to_count_are_too_many_together(name, monkeypatch):
    monkeypatch.setattr(bounds, "MOST_GROWTH", 40 << 20)
    with pytest.raises(bounds.ExhaustedError, match="too much memory"):
        deeply(lambda: evaluated(MANY_SMALL[name]))


WHOLE = "x = [0]\ny = [0]\nz = (0,)\nfor _ in range(60):\n    x, y, z = [x, x], [y, y], (z, z)\n"
ONE_STEP = {
    "a comparison": "a = x == y",
    "a hash": "a = hash(z)",
    "a text": "a = repr(x)",
    "a format": "a = f'{x}'",
    "JSON": "import json\na = json.dumps(x)",
    "JSON of one long text, again and again": "import json\na = json.dumps(['a' * 1_000_000] * 100)",
    "a text of old": "a = '%s' % (z,)",
    "a key": "a = {}\na[z] = 1",
    "a key that is asked for": "a = {}[z]",
    "a key that goes": "a = {}\ndel a[z]",
    "a written key": "a = {z: 1}",
    "a written set": "a = {z}",
    "keys that are made": "a = {k: 1 for k in [z]}",
    "a set that is made": "a = {k for k in [z]}",
    "a set of a list": "a = set([z])",
    "a frozen set": "a = frozenset([z])",
    "a dictionary of pairs": "a = dict([(z, 1)])",
    "a default": "a = {}.get(z)",
    "one more in a set": "a = set()\na.add(z)",
    "some more in a set": "a = set()\na.update([z])",
    "a set and a list": "a = {1}.union([z])",
    "counting": "import collections\na = collections.Counter([z])",
    "a default of its own": "import collections\na = collections.defaultdict(int)\na[z] += 1",
    "what is cached": "import functools\n@functools.cache\ndef f(a):\n    return 1\na = f(z)",
    "a place in a list": "a = [x].index(y)",
    "how often in a list": "a = [x].count(y)",
    "sorting": "a = [x, y, x]\na.sort()",
    "a record as a key": "import dataclasses as d\n@d.dataclass(frozen=True)\nclass C:\n    a: object\na = {C(z): 1}",
    "two records": "import dataclasses as d\n@d.dataclass\nclass C:\n    a: object\na = C(x) == C(y)",
    "a table of letters": "a = ('a' * 1_000_000).translate({97: 'b' * 1_000_000})",
}


@pytest.mark.parametrize("name", ONE_STEP)
def test_one_step_goes_through_no_more_than_the_bound(name):
    with pytest.raises(bounds.ExhaustedError):
        deeply(lambda: evaluated(WHOLE + ONE_STEP[name]))


def test_what_is_too_large_to_be_written_is_named_by_its_kind():
    with pytest.raises(Raised) as caught:
        deeply(lambda: evaluated(WHOLE + "print(z)\nraise ValueError(z)"))
    assert shown(caught.value.value) == "<a ValueError of too many elements>"


def test_a_power_with_a_rest_of_usual_size():
    assert evaluated("x = pow(3, 2 ** 200, 10 ** 9 + 7)\ny = pow(3, -1, 7)")["x"] == pow(3, 2**200, 10**9 + 7)


@pytest.mark.parametrize(
    "call",
    [
        "re.findall('(?=(.*))', 'a' * 30_000)",
        "re.split('(?=(.*))', 'a' * 30_000)",
        "re.compile('(?=(.*))').findall('a' * 30_000)",
        "re.compile('(?=(.*))').sub('', 'a' * 30_000)",
        "re.sub('(?<=(a))', r'\\1', 'a' * 30_000)",
        "re.sub('a', 'b' * 100_000, 'a' * 100_000)",
        "re.sub('a', repl='b' * 100_000, string='a' * 100_000)",
        "re.compile('a').sub('b' * 100_000, 'a' * 100_000)",
        "textwrap.indent('a\\n' * 100_000, 'b' * 1_000)",
    ],
)
def test_one_step_makes_no_more_than_the_bound(call):
    assert isinstance(evaluated(f"import re, textwrap\nx = {call}")["x"], Unknown)


def test_replacements_of_usual_size():
    found = evaluated(
        "import re, textwrap\nx = re.sub(r'(\\w+)-(?=\\d)', r'<\\1>', 'v-1 w-2 x-y')\n"
        "y = textwrap.indent('a\\nb', '> ')"
    )
    assert (found["x"], found["y"]) == ("<v>1 <w>2 x-y", "> a\n> b")


@pytest.mark.parametrize(
    "call",
    [
        "re.search('a+b', 'a' * 190_000)",
        "re.search('a.*b.*c.*d', 'abc' * 50_000)",
        "re.match('a*a*a*a*a*a*a*b', 'a' * 5_000)",
        "re.match('.*.*.*.*.*=', 'a' * 20_000)",
        "re.compile('a*a*a*a*a*b').match('a' * 3_000)",
    ],
)
def test_repeats_beside_each_other_match_short_texts_alone(call):
    assert isinstance(evaluated(f"import re\nx = {call}")["x"], Unknown)
    assert (
        evaluated("import re\nx = re.match(r'v(\\d+)\\.(\\d+)\\.(\\d+)(.*)', 'v10.22.333rc1').group(4)")["x"] == "rc1"
    )
