"""What a model's constructor is handed is part of the contract: what always comes, and what a setting brings."""

from __future__ import annotations

import textwrap

import pytest

LOADER = "sglang.srt.model_loader.loader"
TELLS = "sglang.srt.model_loader.utils"
TOLD = """
from sglang.srt.models.registry import ModelRegistry


def get_model_architecture(model_config):
    return ModelRegistry.resolve_model_cls(model_config.architectures)
"""
ALWAYS = ((), ("config",))
BOTH = ("speculative", "runtime")


@pytest.fixture
def handed(read, small_tree):
    """`handed(loader)`: under which settings the constructor gets which keywords where a loader makes models so."""

    def ask(loader: str) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
        head = "from sglang.srt.model_loader.utils import get_model_architecture\n\n\n"
        asked = read(small_tree, {LOADER: head + textwrap.dedent(loader), TELLS: TOLD}, interfaces=BOTH).of(
            "__init__", "class"
        )
        assert all(one.strength == "required" and one.interface == "runtime" for one in asked)
        made = [one for one in asked if one.sites[0].file.endswith("model_loader/loader.py")]
        return {(one.settings, one.call.keywords) for one in made}

    return ask


FORMS = {
    "by a key": """
        def load(config, index):
            made, _ = get_model_architecture(config)
            words = {"config": config.hf_config}
            if index is not None:
                words["draft_index"] = index
            return made(**words)
        """,
    "by update": """
        def load(config, index):
            made, _ = get_model_architecture(config)
            words = dict(config=config.hf_config)
            if index is not None:
                words.update(draft_index=index)
            return made(**words)
        """,
    "by setdefault, beside a keyword": """
        def load(config, index):
            made = get_model_architecture(config)[0]
            words = {}
            if index is not None:
                words.setdefault("draft_index", index)
            return made(config=config.hf_config, **words)
        """,
    "by a second mapping": """
        def load(config, index):
            made, _ = get_model_architecture(config)
            words = {"config": config.hf_config}
            if index is not None:
                words = {**words, "draft_index": index}
            return made(**words)
        """,
    "within a mapping": """
        def load(config, index):
            made, _ = get_model_architecture(config)
            return made(**{"config": config.hf_config, **({"draft_index": index} if index is not None else {})})
        """,
    "in a function that gets the class": """
        def load(config, index):
            made, _ = get_model_architecture(config)
            return make(made, config, index)


        def make(cls, config, index):
            words = {"config": config.hf_config}
            if index is not None:
                words["draft_index"] = index
            return cls(**words)
        """,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_keyword_that_a_setting_brings_is_asked_under_it(handed, form: str) -> None:
    assert handed(FORMS[form]) == {ALWAYS, (("index is not None",), ("config", "draft_index"))}


def test_a_call_of_its_own_stands_under_its_condition(handed) -> None:
    calls = """
        def load(config, index):
            made, _ = get_model_architecture(config)
            if index is not None:
                return made(config=config.hf_config, draft_index=index)
            return made(config=config.hf_config)
        """
    assert handed(calls) == {
        (("index is not None",), ("config", "draft_index")),
        (("not (index is not None)",), ("config",)),
    }


def test_what_comes_in_any_case_is_no_setting(handed) -> None:
    keyed = """
        def load(config):
            made, _ = get_model_architecture(config)
            words = {"config": config.hf_config}
            words["prefix"] = ""
            return made(**words)
        """
    assert handed(keyed) == {((), ("config", "prefix"))}


@pytest.mark.parametrize("words", ["words", "config.words()"])
def test_what_a_caller_may_add_leaves_the_call_open(read, small_tree, words: str) -> None:
    loader = (
        "from sglang.srt.model_loader.utils import get_model_architecture\n\n\ndef load(config, words):\n"
        f"    made, _ = get_model_architecture(config)\n    return made(config=config.hf_config, **{words})\n"
    )
    asked = read(small_tree, {LOADER: loader, TELLS: TOLD}, interfaces=BOTH).of("__init__", "class")
    assert [(one.call.keywords, one.call.starred) for one in asked if "loader" in one.sites[0].file] == [
        (("config",), True)
    ]


def test_the_registry_may_be_asked_for_the_class_itself(read, small_tree) -> None:
    (made,) = read(small_tree, interfaces=BOTH).of("__init__", "class")
    assert (made.call.positional, made.call.keywords, made.settings) == (1, (), ())
    assert made.sites[0].function == "ModelRunner.load_model"


def test_what_else_a_loader_calls_is_no_model(handed) -> None:
    other = """
        def load(config, index):
            made, _ = get_model_architecture(config)
            words = dict(prefix="")
            return config.maker(made.name, **words)
        """
    assert handed(other) == set()
