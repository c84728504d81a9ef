"""Every class of 0.5.9 against what the imported class really has (`tests/data/README.md`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.release

DATA = json.loads((Path(__file__).parent.parent / "data" / "runtime-0.5.9.json").read_text())
KNOWN = {member for one in DATA.values() for member in one["provides"]} - {
    # these may also be set by a constructor, which the class alone doesn't show
    "start_layer",
    "end_layer",
    "lm_head",
    "hot_token_id",
    # bound on the instance by some
    "forward",
}


@pytest.fixture(scope="module")
def models(analysed_release):
    return {one.class_: one for one in analysed_release("0.5.9").models}


def test_registered_classes_are_those_of_the_running_registry(models) -> None:
    assert set(DATA) - set(models) == set()


def inside(names) -> list[str]:
    """What is SGLang's own: how others are imported is a matter of spelling."""
    return [name for name in names if name.startswith("sglang.")]


def test_resolution_orders_are_those_of_the_imported_classes(models) -> None:
    wrong = {name: models[name].mro for name, one in DATA.items() if inside(models[name].mro) != inside(one["mro"])}
    assert wrong == {}


def test_members_and_their_providers_are_those_of_the_imported_classes(models) -> None:
    compared, wrong, unknown = 0, [], []
    for name, real in DATA.items():
        for member, found in models[name].members.items():
            if member not in KNOWN or (real["forwards"] and member not in real["provides"]):
                continue
            compared += 1
            provider = real["provides"].get(member)
            if found.status == "unknown":
                unknown.append((name, member, found.reason))
            elif (found.status == "present") != (provider is not None):
                wrong.append((name, member, found.status, provider))
            elif provider is not None and provider.startswith("sglang.") and found.provider != provider:
                wrong.append((name, member, found.provider, provider))
    assert wrong == []
    assert compared > 500, "the comparison compares something"
    assert len(unknown) <= compared // 100, unknown


def test_what_a_class_that_forwards_lacks_its_inner_model_lacks_too(models) -> None:
    forwarding = [name for name, one in DATA.items() if one["forwards"]]
    assert forwarding, "0.5.9 has some"
    for name in forwarding:
        said = {member: one for member, one in models[name].members.items() if one.status == "missing"}
        assert not set(said) & set(DATA[name]["provides"]), name
        has = {member: one.inner_status for member, one in said.items() if one.inner_status not in ("missing", None)}
        assert has == {}, name
