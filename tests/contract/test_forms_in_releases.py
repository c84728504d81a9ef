"""One worker of a real release asks in every form that Python has for it: the contract has each, of each release.

All forms are put into the EAGLE worker at once, each asking for a member of its own: one reading tells of all.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from specint.source.tree import Tree, decode

pytestmark = [pytest.mark.release, pytest.mark.slow]

PLACES = {
    "0.5.9": (
        "speculative.eagle_worker",
        "        embed, head = self.target_worker.model_runner.model.get_embed_and_head()\n",
    ),
    "0.5.19": (
        "speculative.eagle_worker_v2",
        "        embed, head = self.target_worker.model_runner.model.get_embed_and_head()\n",
    ),
    "0.5.23": (
        "speculative.pp_draft_embedding",
        "    embed, head = resolve_target_embed_and_head(target_model, draft_model=draft_model)\n",
    ),
}
"""Of a release the module, and the line behind which its worker goes on to ask."""
MODELS = {"0.5.23": "target_model"}
TARGET = "self.target_worker.model_runner.model"

FORMS = {
    "call": "model.HOOK()",
    "alias": "one = model\none.HOOK()",
    "attrgetter": "import operator\noperator.attrgetter('HOOK')(model)()",
    "methodcaller": "import operator\noperator.methodcaller('HOOK', 1)(model)",
    "partial_getattr": "import functools\nfunctools.partial(getattr, model, 'HOOK')()",
    "partial": "import functools\nfunctools.partial(asks_HOOK, model)()",
    "lambda": "get = lambda: model\nget().HOOK()",
    "default": "later = lambda one=model: one.HOOK()\nlater()",
    "mapped": "list(map(lambda one: one.HOOK(), [model]))",
    "mapped_function": "list(map(asks_HOOK, [model]))",
    "filtered": "list(filter(asks_HOOK, (model,)))",
    "sorted": "sorted([model], key=asks_HOOK)",
    "thread": "import threading\nthreading.Thread(target=asks_HOOK, args=(model,)).start()",
    "case": "match model:\n    case found:\n        found.HOOK()",
    "case_of_pair": "match (1, model):\n    case (_, found):\n        found.HOOK()",
    "record": "pair = MadePair(target=model, draft=None)\npair.target.HOOK()",
    "record_unpacked": "target, _ = MadePair(model, None)\ntarget.HOOK()",
    "typed_record": "TypedPair(model).target.HOOK()",
    "namespace": "import types\nsides = types.SimpleNamespace(target=model)\nsides.target.HOOK()",
    "context": "with holding_target(model) as found:\n    found.HOOK()",
    "context_object": "with HoldingTarget(model) as found:\n    found.HOOK()",
    "null_context": "import contextlib\nwith contextlib.nullcontext(model) as found:\n    found.HOOK()",
    "generator": "for one in yields_target(model):\n    one.HOOK()",
    "weak_reference": "import weakref\nkept = weakref.ref(model)\nkept().HOOK()",
    "filled_list": "kept = []\nkept.append(model)\nkept[0].HOOK()",
    "filled_dict": "kept = {}\nkept['a'] = model\nkept['a'].HOOK()",
    "part": "model.lm_head.HOOK",
    "part_handed_on": "asks_HOOK(model.lm_head)",
    "part_alias_handed_on": "head = model.lm_head\nasks_HOOK(head)",
}
MORE = """

import collections
import contextlib
import typing

MadePair = collections.namedtuple("MadePair", ["target", "draft"])


class TypedPair(typing.NamedTuple):
    target: object
    draft: object = None


class HoldingTarget:
    def __init__(self, one):
        self.one = one

    def __enter__(self):
        return self.one

    def __exit__(self, *args):
        pass


@contextlib.contextmanager
def holding_target(one):
    yield one


def yields_target(one):
    yield one
"""


@pytest.fixture(scope="module")
def asked(read, release_tree: Callable[[str], Tree]):
    """`asked(version)`: what the release asks of a target with all forms in it, by member."""
    kept: dict[str, dict[str, set[str]]] = {}

    def ask(version: str) -> dict[str, set[str]]:
        if version not in kept:
            kept[version] = _read_with_all(read, release_tree(version), version)
        return kept[version]

    return ask


def _read_with_all(read, tree: Tree, version: str) -> dict[str, set[str]]:
    place, line = PLACES[version]
    module = f"sglang.srt.{place}"
    file = tree.find(module)
    assert file is not None
    text = decode(tree.read(file), file.path)
    assert text.count(line) == 1, "the release's text is as it was when this was written"
    indent = line[: len(line) - len(line.lstrip())]
    model = MODELS.get(version, TARGET)
    calls = "".join(f"{indent}form_{name}({model})\n" for name in FORMS)
    functions = [MORE]
    for name, form in FORMS.items():
        hook = f"asked_by_{name}"
        functions.append(f"def asks_{hook}(one):\n    return one.{hook}()\n")
        functions.append(f"def form_{name}(model):\n{textwrap.indent(form.replace('HOOK', hook), '    ')}\n")
    found = read(tree, {module: text.replace(line, line + calls) + "\n\n".join(functions)})
    asked: dict[str, set[str]] = {}
    for one in found.contract.requirements:
        if one.role == "target" and one.strength == "required" and not one.settings:
            asked.setdefault(one.member, set()).update(one.algorithms)
    return asked


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("version", PLACES)
def test_form_is_followed(asked, version: str, form: str) -> None:
    way = "lm_head." if form.startswith("part") and not form.startswith("partial") else ""
    assert asked(version).get(f"{way}asked_by_{form}", set()) >= {"EAGLE", "EAGLE3"}
