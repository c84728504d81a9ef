"""What an object offers, against `hasattr` on the real object: classes at random, written out and run."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from specint.compliance.members import Members
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project
from specint.source.tree import Origin, TextTree

MEMBERS = ("alpha", "beta", "ﬁt")
"""The last one's first two letters are one character: Python takes it for `fit` where it is a name, and as it stands
where it is a text."""

BODY = {
    "nothing": "",
    "method": "    def {0}(self): return 1\n",
    "coroutine": "    async def {0}(self): return 1\n",
    "property": "    @property\n    def {0}(self): return 1\n",
    "static": "    @staticmethod\n    def {0}(): return 1\n",
    "value": "    {0} = 1\n",
    "pair": "    {0}, other = 1, 2\n",
    "annotation": "    {0}: int\n",
    "annotated value": "    {0}: int = 1\n",
    "class": "    class {0}: ...\n",
    "import": "    import os as {0}\n",
    "deleted": "    def {0}(self): return 1\n    del {0}\n",
    "deleted and back": "    {0} = 1\n    del {0}\n    {0} = 2\n",
    "setter": "    @property\n    def {0}(self): return 1\n    @{0}.setter\n    def {0}(self, new): ...\n",
    "loop": "    for {0} in (1,): ...\n",
    "walrus-free block": "    with open(__import__('os').devnull) as {0}: ...\n",
}
CONSTRUCTOR = {
    "nothing": "",
    "set": "        self.{0} = 1\n",
    "pair": "        self.{0}, self.other = 1, 2\n",
    "annotated": "        self.{0}: int = 1\n",
    "declared": "        self.{0}: int\n",
    "by name": "        setattr(self, '{0}', 1)\n",
    "in a with": "        with open(__import__('os').devnull): self.{0} = 1\n",
    "in a method": "        self.make_{1}()\n",
}
AFTER = {
    "nothing": "",
    "assigned": "def f(self): ...\nC{2}.{0} = f\n",
    "by name": "setattr(C{2}, '{0}', 1)\n",
    "given and taken": "C{2}.{0} = 1\ndel C{2}.{0}\n",
}


@dataclass(frozen=True)
class Drawn:
    bases: tuple[int, ...]
    body: dict[str, str]
    constructor: dict[str, str] | None
    after: dict[str, str]
    calls_super: bool


@st.composite
def classes(draw: st.DrawFn) -> list[Drawn]:
    found = []
    ways = lambda table: st.dictionaries(st.sampled_from(MEMBERS), st.sampled_from(sorted(table)), max_size=2)  # noqa: E731
    for index in range(draw(st.integers(1, 5))):
        bases = draw(st.lists(st.integers(0, index - 1), unique=True, max_size=2)) if index else []
        constructor = draw(st.none() | ways(CONSTRUCTOR))
        found.append(Drawn(tuple(bases), draw(ways(BODY)), constructor, draw(ways(AFTER)), draw(st.booleans())))
    return found


def source(drawn: list[Drawn]) -> str:
    text, kinds = "", []
    for index, one in enumerate(drawn):
        bases = one.bases
        while True:  # what Python refuses is left out, the last base first
            try:
                kinds.append(type("C", tuple(kinds[i] for i in bases), {}))
                break
            except TypeError:
                bases = bases[:-1]
        text += f"class C{index}({', '.join(f'C{i}' for i in bases)}):\n    mark = 1\n"
        text += "".join(BODY[how].format(name) for name, how in one.body.items())
        if one.constructor is not None:
            text += "    def __init__(self):\n" + (
                "        super().__init__()\n" if one.calls_super else "        pass\n"
            )
            for number, (name, how) in enumerate(one.constructor.items()):
                text += CONSTRUCTOR[how].format(name, f"{index}_{number}")
            for number, (name, how) in enumerate(one.constructor.items()):
                if how == "in a method":
                    text += f"    def make_{index}_{number}(self): self.{name} = 1\n"
        text += "".join(AFTER[how].format(name, "", index) for name, how in one.after.items())
    return text


@settings(max_examples=300, deadline=None)
@given(classes())
def test_member_is_there_where_the_object_has_it(drawn: list[Drawn]) -> None:
    text = source(drawn)
    ran: dict[str, type] = {}
    try:
        exec(text, ran)
        objects = {f"C{index}": ran[f"C{index}"]() for index in range(len(drawn))}
    except AttributeError:  # a property without a setter where the constructor sets it
        return
    project = Project(
        Loader(
            TextTree({"pack/m.py": text.encode()}, Origin(version="", source=""), "pack"), Store(None), version=""
        ).module,
        "pack",
    )
    hierarchy = Hierarchy(project)
    members = Members(project, hierarchy, Composition(project, hierarchy))
    for name, one in objects.items():
        node = project.class_by_key(f"pack.m.{name}")
        assert node is not None
        for member in (*MEMBERS, "fit", "other", "mark", "nowhere"):
            status = members.status(node, member)
            if status.reason and status.reason.endswith("not by the constructor"):
                continue  # some later call may set it, and it says so
            expected = "present" if hasattr(one, member) else "missing"
            assert status.status == expected, (text, name, member)
