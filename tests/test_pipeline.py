"""The whole way, and what its cache may and may not answer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from specint import pipeline
from specint.analysis.model import Analysis
from specint.errors import SpecintError
from specint.facts.store import Store
from specint.pipeline import analyze, collector_resting
from specint.source.locate import open_tree
from specint.source.tree import Origin, TextTree, Tree, decode


@pytest.fixture(scope="module")
def tree(fixture_tree: Callable[[str], Path]) -> Tree:
    return open_tree(str(fixture_tree("sglang_small") / "sglang"))


def text_of(tree: Tree, module: str) -> str:
    file = tree.find(module)
    assert file is not None
    return decode(tree.read(file), file.path)


def status(analysis: Analysis, name: str, member: str) -> str:
    (model,) = [one for one in analysis.models if one.name == name]
    return model.members[member].status


def readings(tree: Tree, store: Store) -> tuple[Analysis, list[str]]:
    """An analysis, and what it told of its progress."""
    told: list[str] = []
    return analyze(tree, store=store, jobs=1, progress=lambda what, *_: told.append(what)), told


def test_second_run_is_the_first_from_the_cache(tree: Tree, tmp_path: Path) -> None:
    first, told = readings(tree, Store(tmp_path))
    assert told
    second, told = readings(tree, Store(tmp_path))
    assert (second, told) == (first, [])


def test_some_classes_alone_are_judged_as_among_all(tree: Tree, tmp_path: Path) -> None:
    whole = analyze(tree, store=Store(None), jobs=1)
    some = {one.class_: one for one in whole.models[::3]}
    for _ in range(2):
        alone = analyze(tree, store=Store(tmp_path), jobs=1, only=tuple(some))
        assert {one.class_: one for one in alone.models} == some
        assert alone.contract == whole.contract


def test_some_classes_are_taken_from_the_answer_about_all_and_never_stand_for_it(tree: Tree, tmp_path: Path) -> None:
    store = Store(tmp_path)
    one = "sglang.srt.models.oak.OakForCausalLM"
    assert len(analyze(tree, store=store, jobs=1, only=(one,)).models) == 1
    whole = analyze(tree, store=store, jobs=1)
    assert len(whole.models) > 1
    assert analyze(tree, store=store, jobs=1, only=(one,)) == whole


def test_cold_warm_and_uncached_answers_are_equal_to_the_byte(tree: Tree, tmp_path: Path) -> None:
    answers = [analyze(tree, store=store, jobs=1) for store in (Store(tmp_path), Store(tmp_path), Store(None))]
    assert len({msgspec.json.encode(one, order="deterministic") for one in answers}) == 1


def test_edit_of_a_model_is_seen(tree: Tree, tmp_path: Path) -> None:
    module = "sglang.srt.models.oak"
    assert status(analyze(tree, store=Store(tmp_path), jobs=1), "OakV2ForCausalLM", "get_embed_and_head") == "present"
    edited = tree.overlay({module: text_of(tree, module).replace("def get_embed_and_head", "def other")})
    assert status(analyze(edited, store=Store(tmp_path), jobs=1), "OakV2ForCausalLM", "get_embed_and_head") == "missing"


def test_edit_of_a_file_that_is_only_followed_is_seen(tree: Tree, tmp_path: Path) -> None:
    """`lora/layers.py` belongs to no package under scan; the contract leans on what it does."""
    module = "sglang.srt.lora.layers"
    before = analyze(tree, store=Store(tmp_path), jobs=1)
    edited = tree.overlay({module: "def unwrap_lora_layer(layer):\n    return layer.base_layer\n"})
    _, told = readings(edited, Store(tmp_path))
    assert told, "the old answer isn't taken"
    assert readings(tree, Store(tmp_path)) == (before, [])


def test_file_that_comes_into_being_is_seen(tree: Tree, tmp_path: Path) -> None:
    """An import that nothing answered is remembered, too."""
    module = "sglang.srt.models.mine"
    text = (
        "from torch import nn\ntry:\n    from sglang.srt.extra.base import Base\n"
        "except ImportError:\n    Base = nn.Module\n"
        "class MineForCausalLM(Base): ...\nEntryClass = MineForCausalLM\n"
    )
    without = tree.overlay({module: text})
    assert status(analyze(without, store=Store(tmp_path), jobs=1), "MineForCausalLM", "get_embed_and_head") != "present"
    base = "class Base:\n    def get_embed_and_head(self): ...\n"
    having = without.overlay({"sglang.srt.extra.base": base})
    assert status(analyze(having, store=Store(tmp_path), jobs=1), "MineForCausalLM", "get_embed_and_head") == "present"


def test_damaged_answer_is_worked_out_anew(tree: Tree, tmp_path: Path) -> None:
    first = analyze(tree, store=Store(tmp_path), jobs=1)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1])
    assert analyze(tree, store=Store(tmp_path), jobs=1) == first


def test_file_that_cannot_be_read_is_told_every_time(tree: Tree, tmp_path: Path) -> None:
    broken = tree.overlay({"sglang.srt.models.pine": "def f(:\n"})
    for _ in range(2):
        analysis = analyze(broken, store=Store(tmp_path), jobs=1)
        assert [one.file for one in analysis.diagnostics] == ["sglang/srt/models/pine.py"]
        assert "PineForCausalLM" not in {one.name for one in analysis.models}


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ({"sglang/srt/speculative/spec_info.py": b"class Other: ..."}, "SpeculativeAlgorithm"),
        ({"sglang/srt/speculative/spec_info.py": b"class SpeculativeAlgorithm: ..."}, "ModelRunner"),
    ],
)
def test_tree_without_its_roots_says_which(contents: dict[str, bytes], said: str) -> None:
    with pytest.raises(SpecintError, match=said) as raised:
        analyze(TextTree(contents, Origin(version="", source="memory"), "sglang"), store=Store(None), jobs=1)
    assert "rules/contract.toml" in raised.value.where


def test_fork_under_another_name_is_read_as_well(tree: Tree) -> None:
    contents = {
        file.path.replace("sglang/", "ourfork/", 1): tree.read(file).replace(b"sglang.", b"ourfork.")
        for file in tree.files("sglang")
    }
    fork = analyze(TextTree(contents, Origin(version="", source="memory"), "ourfork"), store=Store(None), jobs=1)
    original = analyze(tree, store=Store(None), jobs=1)
    shown = lambda analysis: {m.name: {a: v.verdict for a, v in m.algorithms.items()} for m in analysis.models}  # noqa: E731
    assert shown(fork) == shown(original)


def test_what_a_poor_machine_could_not_read_is_read_by_the_next_run(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from specint.facts import load

    extract = load.extract

    def poor(text: str, *, name: str, path: str, is_package: bool = False):
        if path.endswith("oak.py"):
            raise MemoryError
        return extract(text, name=name, path=path, is_package=is_package)

    monkeypatch.setattr(load, "extract", poor)
    first = analyze(tree, store=Store(tmp_path), jobs=1)
    assert [one.what for one in first.diagnostics if one.file.endswith("oak.py")] == [
        "there is too little memory to read it"
    ]
    monkeypatch.undo()
    assert analyze(tree, store=Store(tmp_path), jobs=1) == analyze(tree, store=Store(None), jobs=1)


class _Round:
    """Leads to itself: only the collector takes it."""

    def __init__(self) -> None:
        self.own = self


@pytest.mark.parametrize(("made", "left"), [(10, True), (200_000, False)])
def test_what_an_earlier_analysis_left_goes_before_the_next_where_no_collector_runs(made: int, left: bool) -> None:
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        garbage = weakref.ref(_Round())
        kept = [[] for _ in range(made)]
        with collector_resting():
            assert (garbage() is not None) is left, f"after {len(kept)} objects"
        assert not gc.isenabled()
    finally:
        if was:
            gc.enable()


def test_an_analysis_leaves_nothing_behind_in_a_process_that_makes_many(tree: Tree) -> None:
    """A server, an editor's session: what rules worked out once held all facts for good."""
    for _ in range(2):
        analyze(tree, store=Store(None), jobs=1)
        gc.collect()
    left = [one for one in gc.get_objects() if type(one).__name__ in ("Project", "Members", "Composition", "Hierarchy")]
    assert left == []


def test_the_answer_about_many_modules_is_the_same_and_lets_go_of_all_else(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = analyze(tree, store=Store(None), jobs=1)
    monkeypatch.setattr(pipeline, "_MANY", 0)
    gc.collect()
    gc.disable()
    try:
        assert analyze(tree, store=Store(None), jobs=1) == usual
        kinds = [type(one).__name__ for one in gc.get_objects()]
    finally:
        gc.enable()
    assert "Judge" not in kinds
    assert not [one for one in gc.get_objects() if type(one).__name__ == "Project" and vars(one)]
