"""The contract of `fixtures/sglang_small`, as `expected.md` beside it says in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

TARGET = [
    # member, use, algorithms, strength, fewest and most arguments
    ("get_embed_and_head", "call", {"EAGLE", "EAGLE3"}, {"required"}, (0, 0)),
    ("set_eagle3_layers_to_capture", "call", {"EAGLE3"}, {"required", "raises"}, (0, 1)),
    ("get_input_embeddings", "call", {"DFLASH", "DSPARK"}, {"required"}, (0, 0)),
    ("get_embed_and_head_for_draft", "call", {"EAGLE", "EAGLE3"}, {"optional"}, (1, 1)),
]


@pytest.mark.parametrize(("member", "use", "algorithms", "strengths", "arguments"), TARGET)
def test_target(small, member: str, use: str, algorithms: set, strengths: set, arguments: tuple) -> None:
    found = [one for one in small.of(member, "target") if one.use == use]
    assert {a for one in found for a in one.algorithms} == algorithms
    assert {one.strength for one in found} <= strengths
    assert (min(one.call.fewest for one in found), max(one.call.positional for one in found)) == arguments


def test_result_of_the_embeddings_is_unpacked_into_two(small) -> None:
    (found,) = small.of("get_embed_and_head", "target")
    assert found.call.unpacks == 2
    files = {site.file.rpartition("/")[2] for site in found.sites}
    assert files == {"eagle_worker.py", "target_access.py"}, (
        "directly, and through a helper that takes another hook where it can: asked for plainly, one is not enough"
    )


def test_setter_of_its_own_or_that_of_another_algorithm(small) -> None:
    (own,) = small.of("set_dspark_layers_to_capture", "target")
    assert (own.algorithms, own.strength) == (("DSPARK",), "any-of")
    assert own.group == "set_dspark_layers_to_capture|set_dflash_layers_to_capture"
    other = {one.algorithms: one.strength for one in small.of("set_dflash_layers_to_capture", "target")}
    assert other == {("DSPARK",): "any-of", ("DFLASH",): "raises"}


def test_head_read_softly_and_then_raised_about_is_no_option(small) -> None:
    found = [one for one in small.of("lm_head", "target") if not one.settings]
    assert [(one.algorithms, one.strength, one.use) for one in found] == [(("DFLASH", "DSPARK"), "raises", "read")]
    assert found[0].decided_by.line > found[0].sites[0].line, "the raise decides, not the getattr"


def test_head_in_the_handler_is_only_asked_where_it_runs(small) -> None:
    (found,) = [one for one in small.of("lm_head", "target") if one.settings]
    assert found.settings == ("except AttributeError",)


def test_draft(small) -> None:
    assert small.algorithms("set_embed", "draft") == {"EAGLE3"}
    assert small.algorithms("hot_token_id", "draft") == {"EAGLE3"}
    assert small.algorithms("propose", "draft") == small.algorithms("block_size", "draft") == {"DFLASH", "DSPARK"}
    conditions = {
        (one.member, tuple(one.algorithms)): (one.condition.member, one.condition.holds)
        for one in small.contract.requirements
        if one.role == "draft" and one.condition is not None
    }
    assert conditions == {
        ("set_embed", ("EAGLE3",)): ("load_lm_head_from_target", False),
        ("set_embed_and_head", ("EAGLE3",)): ("load_lm_head_from_target", True),
        ("get_input_embeddings", ("DFLASH", "DSPARK")): ("has_own_embedding", True),
    }
    assert small.strengths("set_embed_and_head", "draft", "EAGLE") == ["required"]


def test_nobody_asks_anything_of_the_target_for_ngram(small) -> None:
    assert not [one.member for one in small.contract.requirements if "NGRAM" in one.algorithms]


def test_alias_and_workers(small) -> None:
    assert small.contract.aliases == {"NEXTN": "EAGLE"}
    names = {a: [one.rpartition(".")[2] for one in classes] for a, classes in small.contract.workers.items()}
    assert names == {
        "DFLASH": ["DFlashWorker"],
        "DSPARK": ["DSparkWorker"],
        "EAGLE": ["EAGLEWorkerV2", "EAGLEWorker"],
        "EAGLE3": ["EAGLEWorkerV2", "EAGLEWorker"],
        "NGRAM": ["NGRAMWorker"],
    }


def test_every_member_of_the_written_table_is_in_the_contract(small, fixture_tree: Callable[[str], Path]) -> None:
    text = (fixture_tree("sglang_small") / "expected.md").read_text()
    table = text.partition("## The contract on the target")[2].partition("\nRead with")[0]
    written = {
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    found = {one.member for one in small.contract.requirements if one.role == "target"}
    assert written <= found
    assert found - written == {"modules"}, "every module of torch has it"


def test_every_requirement_says_where_and_what_decides(small) -> None:
    for one in small.contract.requirements:
        assert one.sites, one
        assert one.decided_by is not None, one
        assert all(site.line > 0 and site.file.startswith("sglang/srt/") for site in (*one.sites, one.decided_by))
