"""Stand-ins, in this process: they are plain modules."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from specint.smoke.child import main, standins


@pytest.fixture(autouse=True)
def _clean():
    path, modules = list(sys.meta_path), set(sys.modules)
    yield
    sys.meta_path[:] = path
    standins.seal(False)
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    standins._used.clear()


def test_only_what_is_not_there_is_stood_in_for():
    assert standins.install(["json", "no_such_kernels"]) == ("no_such_kernels",)
    assert importlib.import_module("json") is json


def test_a_stand_in_is_not_the_real_thing():
    standins.install(["no_such_kernels"])
    assert standins.is_real("json")
    assert not standins.is_real("no_such_kernels")


def test_modules_classes_decorators_and_values_pass_an_import():
    standins.install(["no_such_kernels"])
    deep = importlib.import_module("no_such_kernels.a.b")

    class Own(deep.Base):
        value: deep.Kind | None = None

    @deep.jit
    def kept():
        return 7

    assert kept() == 7
    assert isinstance(Own(), deep.Base)
    assert deep.SIZE // 2 is deep.SIZE
    assert standins.used() == ["no_such_kernels"]


def test_what_is_not_imported_is_not_named():
    standins.install(["no_such_kernels", "never_imported"])
    importlib.import_module("no_such_kernels")
    assert standins.used() == ["no_such_kernels"]


def test_a_sealed_stand_in_raises_instead_of_giving_wrong_numbers():
    standins.install(["no_such_kernels"])
    kernel = importlib.import_module("no_such_kernels").fused_add
    kernel(1, 2)
    standins.seal(True)
    with pytest.raises(standins.StandInCalled, match=r"no_such_kernels\.fused_add was called"):
        kernel(1, 2)


def test_a_stand_in_has_no_special_attributes_that_probes_look_for():
    standins.install(["no_such_kernels"])
    module = importlib.import_module("no_such_kernels")
    assert not hasattr(module, "__cuda_array_interface__")


def test_the_kernel_package_is_used_on_a_gpu_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(standins, "is_real", lambda name: name == "sgl_kernel")
    used = {
        (wanted, device): main._kernels(wanted, device) for wanted in ("auto", "none") for device in ("cpu", "cuda:1")
    }
    assert [asked for asked, real in used.items() if real] == [("auto", "cuda:1")]
    assert main._kernels("real", "cuda")


@pytest.mark.parametrize(("device", "says"), [("cpu", "run on a GPU, not on cpu"), ("cuda", "has no sgl_kernel")])
def test_kernels_that_can_not_be_used_are_refused(device, says):
    with pytest.raises(main.NoDevice, match=says):
        main._kernels("real", device)
