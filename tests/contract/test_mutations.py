"""The workers of a real release with one thing changed: the contract changes with it, and only so."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from specint.source.tree import Tree, decode

pytestmark = pytest.mark.release

HOOK = "get_embed_and_head"
MODEL = "self.target_worker.model_runner.model"
CALL = f"embed, head = {MODEL}.{HOOK}()"
WORKERS = ("eagle_worker", "eagle_worker_v2", "multi_layer_eagle_worker", "multi_layer_eagle_worker_v2")
RUNNER = "sglang.srt.model_executor.model_runner"


@pytest.fixture(scope="module")
def tree(release_tree: Callable[[str], Tree]) -> Tree:
    return release_tree("0.5.9")


def text_of(tree: Tree, module: str) -> str:
    file = tree.find(module)
    assert file is not None
    return decode(tree.read(file), file.path)


@pytest.fixture
def mutated(read, tree: Tree):
    """`mutated(block, end="", **more)`: the call for the target's embedding replaced by a block in every worker."""

    def mutate(block: str, end: str = "", more: dict[str, str] | None = None):
        block = textwrap.dedent(block).strip("\n").replace("\n", "\n        ")
        texts = {}
        for name in WORKERS:
            module = f"sglang.srt.speculative.{name}"
            text = text_of(tree, module)
            assert text.count(f"        {CALL}\n") == 1, "the release's text is as it was when this was written"
            texts[module] = text.replace(CALL, block) + end
        return read(tree, texts | (more or {}))

    return mutate


def test_as_it_is(read, tree: Tree) -> None:
    (found,) = read(tree).of(HOOK)
    assert (found.role, found.algorithms, found.strength) == ("target", ("EAGLE", "EAGLE3"), "required")
    assert (found.call.positional, found.call.unpacks) == (0, 2)
    assert len(found.sites) == 4


def test_renamed_member_is_the_new_name(mutated) -> None:
    found = mutated(CALL.replace(HOOK, "hand_over"))
    assert found.of(HOOK) == []
    (new,) = found.of("hand_over")
    assert (new.role, new.algorithms, new.strength, new.call.unpacks) == ("target", ("EAGLE", "EAGLE3"), "required", 2)


def test_call_behind_a_helper_in_the_same_file(mutated) -> None:
    helper = f"\n\ndef fetched(model):\n    return model.{HOOK}()\n"
    (found,) = mutated(f"embed, head = fetched({MODEL})", helper).of(HOOK)
    assert (found.role, found.algorithms, found.strength) == ("target", ("EAGLE", "EAGLE3"), "required")
    assert found.call.unpacks == 2
    assert {site.function for site in found.sites} == {"fetched"}


def test_call_behind_a_helper_elsewhere_by_keyword(mutated) -> None:
    call = f"from sglang.srt.speculative.fetching import fetched\nembed, head = fetched(source={MODEL})"
    helper = f"def fetched(*, source, other=None):\n    pair = source.{HOOK}()\n    return pair\n"
    (found,) = mutated(call, more={"sglang.srt.speculative.fetching": helper}).of(HOOK)
    assert (found.role, found.algorithms, found.strength) == ("target", ("EAGLE", "EAGLE3"), "required")
    assert {site.file for site in found.sites} == {"sglang/srt/speculative/fetching.py"}


def test_alias_of_the_model(mutated) -> None:
    (found,) = mutated(
        f"runner = self.target_worker.model_runner\ntarget = runner.model\nembed, head = target.{HOOK}()"
    ).of(HOOK)
    assert (found.role, found.strength) == ("target", "required")


def test_hasattr_makes_it_optional(mutated) -> None:
    found = mutated(f"embed = head = None\nif hasattr({MODEL}, '{HOOK}'):\n    {CALL}").of(HOOK)
    assert {one.strength for one in found} == {"optional"}


def test_hasattr_that_raises_leaves_it_asked_for(mutated) -> None:
    found = mutated(f"if not hasattr({MODEL}, '{HOOK}'):\n    raise ValueError('no')\n{CALL}").of(HOOK)
    assert [(one.use, one.strength) for one in found] == [("call", "raises")]


def test_try_that_swallows_makes_it_optional(mutated) -> None:
    found = mutated(f"try:\n    {CALL}\nexcept AttributeError:\n    embed = head = None").of(HOOK)
    assert {one.strength for one in found} == {"optional"}


def test_try_that_raises_again_does_not(mutated) -> None:
    found = mutated(f"try:\n    {CALL}\nexcept AttributeError as error:\n    raise ValueError('no') from error").of(
        HOOK
    )
    assert {one.strength for one in found} == {"required"}


def test_one_worker_that_is_soft_among_hard_ones_makes_nothing_soft(read, tree: Tree) -> None:
    module = "sglang.srt.speculative.eagle_worker"
    soft = f"        try:\n            {CALL}\n        except AttributeError:\n            embed = head = None\n"
    found = read(tree, {module: text_of(tree, module).replace(f"        {CALL}\n", soft)}).of(HOOK)
    assert {one.strength for one in found} == {"required", "optional"}


def test_condition_on_the_algorithm_narrows_it(mutated) -> None:
    block = f"embed = head = None\nif self.speculative_algorithm.is_eagle3():\n    {CALL}"
    (found,) = mutated(block).of(HOOK)
    assert (found.algorithms, found.strength) == (("EAGLE3",), "required")


def test_flag_set_under_the_algorithm_narrows_it(mutated) -> None:
    block = (
        "embed = head = None\nself.wants_head = False\n"
        f"if self.speculative_algorithm.is_eagle3():\n    self.wants_head = True\nif self.wants_head:\n    {CALL}"
    )
    (found,) = mutated(block).of(HOOK)
    assert (found.algorithms, found.strength) == (("EAGLE3",), "required")


def test_asked_of_the_draft_instead(mutated) -> None:
    found = mutated(f"draft = self.draft_model_runner.model\nembed, head = draft.{HOOK}()").of(HOOK)
    assert {one.role for one in found} == {"draft"}


def test_second_caller_of_another_shape_widens_the_call(read, tree: Tree) -> None:
    member = "set_eagle3_layers_to_capture"
    (before,) = read(tree).of(member)
    assert (before.call.fewest, before.call.positional, before.call.keywords) == (0, 1, ())
    text = text_of(tree, RUNNER)
    old = f"self.model.{member}()"
    assert old in text
    (after,) = read(tree, {RUNNER: text.replace(old, f"self.model.{member}([1], None, last=True)")}).of(member)
    assert (after.call.fewest, after.call.positional, after.call.keywords) == (0, 2, ("last",))


def test_worker_that_is_gone_takes_its_sites_along(read, tree: Tree) -> None:
    module = "sglang.srt.speculative.multi_layer_eagle_worker"
    (found,) = read(tree, {module: text_of(tree, module).replace(CALL, "embed = head = None")}).of(HOOK)
    assert len(found.sites) == 3


KEPT = {
    "a table of lambdas": f"table = {{'a': lambda: {MODEL}}}\nembed, head = table['a']().{HOOK}()",
    "names that change places": f"a, b = self, {MODEL}\na, b = b, a\nembed, head = a.{HOOK}()",
    "a generator": f"embed, head = next(one.{HOOK}() for one in [{MODEL}])",
    "the first of many": f"first, *rest = [{MODEL}]\nembed, head = first.{HOOK}()",
    "a name out of a table": f"hooks = {{'embed': '{HOOK}'}}\nembed, head = getattr({MODEL}, hooks['embed'])()",
    "a name that is put together": f"embed, head = getattr({MODEL}, f\"get_{{'embed'}}_and_head\")()",
    "an object that is called": f"embed, head = Fetch({MODEL})()",
    "a method of a class": f"embed, head = Fetch.of({MODEL})",
    "a record": f"embed, head = Sides(target={MODEL}).target.{HOOK}()",
    "a lambda": f"self.target_of = lambda: {MODEL}\nembed, head = self.target_of().{HOOK}()",
    "a bound method": f"fetch = {MODEL}.{HOOK}\nembed, head = fetch()",
    "a partial": f"import functools\nfetch = functools.partial({MODEL}.{HOOK})\nembed, head = fetch()",
    "a name given on the way": f"if (target := {MODEL}) is not None:\n    embed, head = target.{HOOK}()",
    "the runner, handed away": "embed, head = fetched(self.target_worker.model_runner)",
    "a table of both sides": (
        f"sides = {{'target': {MODEL}, 'draft': self.draft_model_runner.model}}\nembed, head = sides['target'].{HOOK}()"
    ),
    "a name out of a loop": (f"for name in ('{HOOK}',):\n    embed, head = getattr({MODEL}, name)()"),
}
MORE = f"""

def fetched(runner):
    return runner.model.{HOOK}()


class Fetch:
    def __init__(self, model):
        self.model = model

    def __call__(self):
        return self.model.{HOOK}()

    @classmethod
    def of(cls, model):
        return model.{HOOK}()


@dataclasses.dataclass
class Sides:
    target: object
    draft: object = None
"""


@pytest.mark.parametrize("form", KEPT)
def test_call_in_another_form_is_asked_for_all_the_same(mutated, form: str) -> None:
    found = [
        one
        for one in mutated(KEPT[form], "\n\nimport dataclasses\n" + MORE).of(HOOK, "target")
        if one.strength == "required"
    ]
    assert {algorithm for one in found for algorithm in one.algorithms} == {"EAGLE", "EAGLE3"}


def test_part_of_the_model_is_asked_through_its_path(mutated) -> None:
    found = mutated(f"embed, head = {MODEL}.inner.{HOOK}()")
    assert found.of(HOOK) == []
    assert {one.strength for one in found.of(f"inner.{HOOK}", "target")} == {"required"}
    assert {one.strength for one in found.of("inner", "target")} == {"required"}


OPTIONAL = {
    "its lack is suppressed": (
        f"embed = head = None\nimport contextlib\nwith contextlib.suppress(AttributeError):\n    {CALL}",
        "",
    ),
    "the caller looks": (
        f"embed = head = None\nif hasattr({MODEL}, '{HOOK}'):\n    embed, head = fetched({MODEL})",
        f"\n\ndef fetched(model):\n    return model.{HOOK}()\n",
    ),
    "kept on the worker": (
        f"embed = head = None\nself.has_head = hasattr({MODEL}, '{HOOK}')\nif self.has_head:\n    {CALL}",
        "",
    ),
    "kept, off before": (
        f"embed = head = None\nself.has_head = False\nif hasattr({MODEL}, '{HOOK}'):\n    self.has_head = True\n"
        f"if self.has_head:\n    {CALL}",
        "",
    ),
    "an object that is made only then": (
        f"embed = head = None\nreader = Reader({MODEL}) if hasattr({MODEL}, '{HOOK}') else None\n"
        "if reader is not None:\n    embed, head = reader.fetched()",
        "\n\nclass Reader:\n    def __init__(self, model):\n        self.model = model\n\n"
        f"    def fetched(self):\n        return self.model.{HOOK}()\n",
    ),
    "and the raise that follows has another reason": (
        f"embed = head = None\nif hasattr({MODEL}, '{HOOK}') and {MODEL}.{HOOK}():\n    return\n"
        "if self.topk is None:\n    raise ValueError('no topk')",
        "",
    ),
}


@pytest.mark.parametrize("form", OPTIONAL)
def test_question_in_another_form_makes_it_optional(mutated, form: str) -> None:
    block, end = OPTIONAL[form]
    assert {one.strength for one in mutated(block, end).of(HOOK)} == {"optional"}


SETTINGS = {
    "self.server_args.enable_dp_attention": True,
    "server_args.enable_dp_attention and self.topk": True,
    "get_global_server_args().enable_dp_attention": True,
    "envs.SGLANG_TEST_RETRACT.get()": True,
    "not server_args.disable_cuda_graph": False,
    "self.topk > 1": False,
}


@pytest.mark.parametrize("test", SETTINGS)
def test_setting_that_is_off_by_default_counts_for_no_verdict(mutated, test: str) -> None:
    block = (
        "from sglang.srt.environ import envs\nfrom sglang.srt.server_args import get_global_server_args\n"
        f"server_args = self.server_args\nembed = head = None\nif {test}:\n    {CALL}"
    )
    found = mutated(block).of(HOOK)
    assert {one.strength for one in found} == {"required"}
    assert {bool(one.settings) for one in found} == {SETTINGS[test]}
