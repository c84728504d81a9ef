"""Bodies are left out of what is parsed first, and come back the same."""

import ast

import pytest

from specint.execution.outline import body_of, outlined
from specint.source.locate import open_tree

TEXT = '''
import a

def plain(x, y=(1,
                2)):
    """Says.

not indented, in a string
    """
    z = x
    return z

class C:
    @property
    def short(self): return 1

    async def long(
        self,
    ) -> "T":  # a comment
        a = 1
        # at the end

        def inner():
            return a
        return inner

    x = 3

def strange():
    y = (
1,
2)
    return y
'''


def functions(tree):
    return {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_a_body_comes_back_as_it_was():
    text = TEXT.replace("def strange():\n    y = (\n1,\n2)\n    return y\n", "")
    short, bodies = outlined(text)
    assert len(bodies) == 1  # the string that goes on unindented is left as it is
    whole = functions(ast.parse(text))
    assert {line: ast.dump(body_of(text, *place), include_attributes=False) for line, place in bodies.items()} == {
        line: ast.dump(whole[line], include_attributes=False) for line in bodies
    }
    assert [body_of(text, *place).lineno for place in bodies.values()] == list(bodies)
    assert [node.lineno for node in ast.parse(short).body] == [node.lineno for node in ast.parse(text).body]


def test_a_bracket_that_goes_on_unindented_makes_no_text_that_parses():
    short, bodies = outlined(TEXT)
    if len(bodies) > 1:
        with pytest.raises(SyntaxError):
            ast.parse(short)


@pytest.mark.parametrize("quote", ['"""', "'''"])
def test_a_function_inside_of_a_string_is_text(quote):
    body = "".join(f"    line = {n}\n" for n in range(6))
    text = f"x = {quote}\nUsage:\n\ndef example():\n{body}{quote}\n\ndef real():\n{body}"
    short, bodies = outlined(text)
    assert list(bodies) == [13]
    assert ast.dump(ast.parse(short).body[0]) == ast.dump(ast.parse(text).body[0])


@pytest.mark.release
@pytest.mark.parametrize("version", ["0.5.9", "0.5.23"])
def test_every_body_of_a_release_comes_back(version, release):
    tree = open_tree(str(release(version)))
    compared = 0
    for file in tree.files(f"{tree.package}.srt"):
        text = tree.read(file).decode()
        short, bodies = outlined(text)
        try:
            parsed = ast.parse(short)
        except SyntaxError:
            continue
        whole = functions(ast.parse(text))
        kept = functions(parsed)
        assert set(kept) <= set(whole), file.path
        for line, place in list(bodies.items())[::9]:
            assert list(map(ast.dump, body_of(text, *place).body)) == list(map(ast.dump, whole[line].body)), file.path
            compared += 1
    assert compared > 500
