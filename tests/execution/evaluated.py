"""What the tests of this room share: a small tree of one package, evaluated."""

from specint.execution import Interpreter
from specint.execution.files import Files
from specint.execution.outside import Outside
from specint.execution.stack import with_deep_stack
from specint.source.tree import Origin, TextTree


def interpreter(texts, *, facts=None, files=None, environment=None, **outside):
    contents = {"small/__init__.py": b""}
    contents |= {f"small/{name.replace('.', '/')}.py": text.encode() for name, text in texts.items()}
    tree = TextTree(contents, Origin(version="0", source="a test"), "small")
    return Interpreter(tree, Outside(facts, **outside), files=files or Files(), environment=environment)


def evaluated(text, **settings):
    """The names of a module, after it ran."""
    names = interpreter({"module": text}, **settings).module("small.module").names
    return {name: value for name, value in names.items() if not name.startswith("__")}


deeply = with_deep_stack
