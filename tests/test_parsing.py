"""One way into Python's parser: one refusal, no warnings, and where strings stand without a second opinion."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
import warnings
from pathlib import Path

import pytest

from specint.parsing import Unparsable, parsed, parsed_expression, parsed_module, strings, within

SPECINT = Path(__file__).parent.parent / "specint"

REFUSED = {
    "syntax": "def f(:",
    "NUL": "x = '\0'",
    "deep": "x = " + "-" * 100_000 + "1",
    "long": "x = 1" + "+1" * 100_000,
    "brackets": "(" * 100_000,
    "a long number": "x = " + "9" * 5000,
    "a lone surrogate": "x = '\ud800'",
    "indentation": "  x\n y\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_whatever_is_refused_is_refused_in_one_way(text: str) -> None:
    with pytest.raises(Unparsable) as raised:
        parsed(text)
    assert raised.value.what


@pytest.mark.parametrize("action", ["error", "always"])
def test_python_says_nothing_about_somebody_elses_code(action: str, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        parsed_module("x = '\\d'\ny = 1 is 1\nz = (1)(2)\nassert (a, 'b')\nw = 1or 2\n")
        parsed_expression("'\\d' + 1 is 1")
    assert capfd.readouterr() == ("", "")


def test_annotations_are_read_without_a_word_too() -> None:
    code = (
        "from specint.facts.extract import extract\n"
        "extract('x: \"1 is 1\" = 1\\ny: \"(1)(2)\" = 2\\nz: \"\\'\\\\\\\\d\\'\" = 3', name='m', path='m.py')\n"
    )
    for flag in ("error", "always"):
        done = subprocess.run([sys.executable, "-W", flag, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_nothing_else_in_specint_parses_or_tokenizes() -> None:
    # the second parses a text of ours; the smoke load's child reads the SGLang that it has imported
    allowed = {"parsing.py", "execution/library/opened.py", "smoke/child/shapes.py", "smoke/child/towers.py"}
    found = {
        path.relative_to(SPECINT).as_posix()
        for path in SPECINT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in (("ast", "parse"), ("tokenize", "generate_tokens"), ("tokenize", "tokenize"))
    }
    assert found <= allowed


STRINGS = [
    "x = 'a' # b",
    "x = ('a'  # b\n     'c' # d\n)",
    'x = """a\n# b\nc""" # d',
    "x = ('a'\\\n'b' # c\n)",
    "def f():\n    '''a\n    # b\n    '''\n    return r'\\' # c'\n",
    "x = ['é', 'ü'] # ß\n",
    "x = f'{a}' + f'''{b!r}\n# no\n''' # yes\n",
    "x = (b'a'  # b\n     b\"c#\")\n",
    "match a:\n    case 'x#y': pass # b\n",
    "x = ('a' # 1\n f'b' # 2\n '''c # 3\n''' # 4\n)",
    "x = 'a\\\n# b' # c\n",
    "x = 'a' 'b' '#' # '\n",
]


@pytest.mark.parametrize("text", STRINGS)
def test_a_hash_is_in_a_string_where_tokenize_says_so(text: str) -> None:
    lines = text.split("\n")
    comments = {
        token.start for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    }
    places = strings(parsed_module(text), lines)
    seen = set()
    for number, line in enumerate(lines, 1):
        outside = [
            at for at, sign in enumerate(line) if sign == "#" and not within(places, number, len(line[:at].encode()))
        ]
        seen |= {(number, at) for at in outside[:1]}
    assert seen == comments
