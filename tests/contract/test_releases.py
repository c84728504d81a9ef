"""The contract of real releases as stored, for a person to read: `tests/data/contract-<release>.json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.contract.model import Contract, Requirement
from specint.source.tree import Tree

pytestmark = pytest.mark.release

DATA = Path(__file__).parent.parent / "data"


def in_words(one: Requirement) -> str:
    """`call(0-1) -> 2, required, raises if …`: everything but the lines, which move with every release."""
    words = one.use
    if one.call is not None:
        counts = dict.fromkeys([one.call.fewest, one.call.positional])
        arguments = ["-".join(map(str, counts)), *(f"{name}=" for name in one.call.keywords)]
        words += f"({', '.join(arguments)}{', …' if one.call.starred else ''})"
        words += f" -> {one.call.unpacks}" if one.call.unpacks else ""
    words += f", {one.strength}"
    if one.group is not None:
        words += f": {one.group.replace('|', ' or ')}"
    if one.condition is not None:
        words += f" where {one.condition.member} is {'true' if one.condition.holds else 'absent or false'}"
    if one.settings:
        words += f" under {' or '.join(one.settings)}"
    if "." in one.member and not one.unconditional:
        words += " behind an open test"
    files = sorted({site.file.rpartition("/")[2] for site in one.sites})
    return f"{words}; {', '.join(files)}"


def table(contract: Contract) -> dict[str, object]:
    """Algorithm -> role -> member -> every way in which it is asked for; what is only probed is left out."""
    rows: dict[str, dict[str, dict[str, list[str]]]] = {}
    for algorithm in contract.algorithms:
        for role in ("target", "draft"):
            for one in contract.requirements:
                if algorithm in one.algorithms and one.role == role and (one.use, one.strength) != ("read", "optional"):
                    rows.setdefault(algorithm, {}).setdefault(role, {}).setdefault(one.member, []).append(in_words(one))
    workers = {a: [name.rpartition(".")[2] for name in names] for a, names in contract.workers.items()}
    return {"aliases": contract.aliases, "workers": workers, "asks": rows}


@pytest.mark.parametrize("version", ["0.5.9", "0.5.23"])
def test_contract_is_as_stored(read, release_tree: Callable[[str], Tree], request, version: str) -> None:
    found = table(read(release_tree(version)).contract)
    path = DATA / f"contract-{version}.json"
    if request.config.getoption("--update-golden"):
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(path.read_text(encoding="utf-8"))


def target(version: str) -> dict[str, dict[str, list[str]]]:
    stored = json.loads((DATA / f"contract-{version}.json").read_text(encoding="utf-8"))
    return {algorithm: roles.get("target", {}) for algorithm, roles in stored["asks"].items()}


def hard(asks: dict[str, list[str]]) -> set[str]:
    """The members without which an algorithm fails."""
    return {
        member
        for member, ways in asks.items()
        if any(
            f", {word}" in way
            for way in ways
            for word in ("required", "raises", "any-of")
            if " under " not in way and " behind " not in way
        )
    } - {"named_modules"}  # every module of torch has it


EITHER = {"get_embed_and_head", "get_embed_and_head_for_draft"}
# The assistant binds its layers to its target's: it looks for them in either of two trunks, and for what the
# configuration says in `config` or the object itself, and there in `text_config` or the configuration itself.
TRUNK = {f"{trunk}.layers[].self_attn" for trunk in ("language_model", "model")}
SAID = {
    f"{place}{key}"
    for place in ("config.text_config.", "config.", "text_config.", "")
    for key in ("layer_types", "num_hidden_layers")
}


@pytest.mark.parametrize(
    ("version", "algorithm", "members"),
    [
        ("0.5.9", "EAGLE", {"get_embed_and_head"}),
        ("0.5.9", "EAGLE3", {"get_embed_and_head", "set_eagle3_layers_to_capture"}),
        ("0.5.9", "STANDALONE", set()),
        ("0.5.9", "NGRAM", set()),
        # every caller hands over a draft, so one of the two hooks is enough
        ("0.5.23", "EAGLE", EITHER),
        ("0.5.23", "EAGLE3", {*EITHER, "set_eagle3_layers_to_capture"}),
        ("0.5.23", "FROZEN_KV_MTP", EITHER | TRUNK | SAID),
        # of the head's weight, which it is handed, only the rollout of a Domino draft asks
        ("0.5.23", "DFLASH", {"get_input_embeddings", "lm_head", "set_dflash_layers_to_capture"}),
        (
            "0.5.23",
            "DSPARK",
            # `model` is no way round a target without get_input_embeddings: drafting asks for them anyway
            {"get_input_embeddings", "lm_head"} | {f"set_{a}_layers_to_capture" for a in ("dflash", "dspark")},
        ),
        ("0.5.23", "NGRAM", set()),
        ("0.5.23", "STANDALONE", set()),
    ],
)
def test_stored_contract_insists_on_what_the_source_insists_on(version: str, algorithm: str, members: set[str]) -> None:
    """Read in the source by a person; what is stored is what specint says."""
    assert hard(target(version).get(algorithm, {})) == members
