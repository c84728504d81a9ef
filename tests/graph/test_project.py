"""What a name means where it is written."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef

A = "class A: ...\nclass Other: ...\n"


def meanings(linked, module: str, expression: str) -> list[str]:
    """What a dotted expression means in a module, as text."""
    project = linked.project
    found = project.module(f"pack.{module}")
    assert found is not None
    base, *names = expression.split(".")
    expr: facts.Expr = facts.Name(base)
    for name in names:
        expr = facts.Attribute(expr, name, 0)
    words = []
    for symbol in project.symbol(found, expr):
        match symbol:
            case ClassNode() | FunctionNode():
                words.append(symbol.key.removeprefix("pack."))
            case ModuleRef():
                words.append(f"module {symbol.name}")
            case External():
                words.append(f"external {symbol.name}")
            case Assigned():
                words.append(f"= {facts.spell(symbol.value)}")
    return words


@pytest.mark.parametrize(
    ("text", "expression", "expected"),
    [
        ("from pack.a import A", "A", ["a.A"]),
        ("from pack.a import A as B", "B", ["a.A"]),
        ("from .a import A", "A", ["a.A"]),
        ("import pack.a", "pack.a.A", ["a.A"]),
        ("import pack.a as m", "m.A", ["a.A"]),
        ("from pack import a", "a.A", ["a.A"]),
        ("from pack.a import *", "A", ["a.A"]),
        ("from pack.a import A\nB = A", "B", ["a.A"]),
        ("import pack.a as m\nB = m.A\nC = B", "C", ["a.A"]),
        ("from torch import nn", "nn.Module", ["external torch.nn.Module"]),
        ("import torch.nn as nn", "nn.Module", ["external torch.nn.Module"]),
        ("import torch", "torch.nn.Module", ["external torch.nn.Module"]),
        ("from pack.gone import X", "X", ["module pack.gone.X"]),
        ("x = 1 + y", "x", ["= …"]),
        ("", "nowhere", []),
        ("from pack.a import nowhere", "nowhere", []),
    ],
)
def test_name_is_followed_to_its_definition(linked, text: str, expression: str, expected: list[str]) -> None:
    assert meanings(linked(a=A, b=text), "b", expression) == expected


def test_import_under_try_means_either(linked) -> None:
    text = "try:\n    from pack.a import A as X\nexcept ImportError:\n    from pack.a import Other as X\n"
    assert meanings(linked(a=A, b=text), "b", "X") == ["a.A", "a.Other"]


def test_import_under_try_with_none_as_its_other_arm(linked) -> None:
    text = "try:\n    from pack.a import A\nexcept ImportError:\n    A = None\n"
    assert meanings(linked(a=A, b=text), "b", "A") == ["a.A", "= None"]


def test_import_for_type_checkers_counts(linked) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.a import A\n"
    assert meanings(linked(a=A, b=text), "b", "A") == ["a.A"]


def test_platform_branches_define_one_name_twice(linked) -> None:
    text = "if fast:\n    class X: ...\nelse:\n    from pack.a import A as X\n"
    assert meanings(linked(a=A, b=text), "b", "X") == ["b.X", "a.A"]


def test_later_unconditional_definition_hides_the_earlier(linked) -> None:
    text = "from pack.a import A as X\nclass X: ...\n"
    assert meanings(linked(a=A, b=text), "b", "X") == ["b.X"]


def test_own_name_hides_what_a_star_brings(linked) -> None:
    text = "from pack.a import *\nclass A: ...\n"
    assert meanings(linked(a=A, b=text), "b", "A") == ["b.A"]


def test_star_imports_in_a_circle_end(linked) -> None:
    one = linked(a="from pack.b import *\nclass A: ...\n", b="from pack.a import *\nclass B: ...\n")
    assert meanings(one, "a", "B") == ["b.B"]
    assert meanings(one, "b", "A") == ["a.A"]
    assert meanings(one, "a", "Neither") == []


def test_names_imported_in_a_circle_mean_nothing(linked) -> None:
    one = linked(a="from pack.b import X\n", b="from pack.a import X\n")
    assert meanings(one, "a", "X") == []


@pytest.mark.parametrize("name", ["X", "Y"])
def test_name_defined_by_itself_ends_and_is_no_class(linked, name: str) -> None:
    assert all(word.startswith("= ") for word in meanings(linked(a="X = X\nY = Z\nZ = Y\n"), "a", name))


def test_package_hands_on_what_its_init_imports(linked) -> None:
    modules = {"sub/__init__": "from .inner import A\n", "sub/inner": A, "b": "from pack.sub import A\n"}
    one = linked(**modules)
    assert meanings(one, "b", "A") == ["sub.inner.A"]


def test_folder_without_init_is_a_package(linked) -> None:
    one = linked(**{"sub/inner": A}, b="from pack.sub import inner\nimport pack.sub.inner as other\n")
    assert meanings(one, "b", "inner.A") == ["sub.inner.A"]
    assert meanings(one, "b", "other.A") == ["sub.inner.A"]


def test_class_within_a_class(linked) -> None:
    one = linked(a="class A:\n    class B:\n        class C: ...\n", b="from pack.a import A\n")
    assert meanings(one, "b", "A.B.C") == ["a.A.B.C"]
    assert one.node("a.A.B.C").name == "C"


def test_class_of_one_name_in_two_files_is_two_classes(linked) -> None:
    one = linked(a="class Same: ...\n", b="class Same: ...\n")
    assert one.node("a.Same") is not one.node("b.Same")
    assert one.node("a.Same") is one.node("a.Same")


def test_last_class_of_a_name_in_one_file_counts(linked) -> None:
    one = linked(a="class X:\n    def old(self): ...\nclass X:\n    def new(self): ...\n")
    assert one.member("a.X", "new") is not None
    assert one.member("a.X", "old") is None


def test_functions_within_functions_are_listed(linked) -> None:
    one = linked(a="def f():\n    def g():\n        def h(): ...\nclass A:\n    def m(self):\n        def n(): ...\n")
    found = {function.key for function in one.project.functions_of(one.project.module("pack.a"))}
    assert found == {f"pack.a.{name}" for name in ("f", "f.g", "f.g.h", "A.m", "A.m.n")}
