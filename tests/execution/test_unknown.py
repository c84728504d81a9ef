"""What is not known stays so, with its reason; a test on it is a decision, and both arms can be asked."""

import pytest

from specint.execution.decisions import Decisions
from specint.execution.values import Raised, Unknown
from tests.execution.evaluated import evaluated, interpreter


def test_what_is_computed_with_an_unknown_is_unknown():
    found = evaluated(
        "import torch\nn = torch.cuda.device_count()\na = n + 1\nb = [n][0]\nc = f'{n} GPUs'\nd = str(n)\n"
    )
    assert {name: type(found[name]) for name in "nabcd"} == dict.fromkeys("nabcd", Unknown)
    assert found["a"].reason == "torch.cuda.device_count()"
    assert found["c"].text == "<torch.cuda.device_count()> GPUs"


def test_a_fact_makes_it_known_and_is_remembered():
    it = interpreter(
        {"module": "import torch\nn = torch.cuda.device_count() * 2"}, facts={"torch.cuda.device_count()": 4}
    )
    assert it.module("small.module").names["n"] == 8
    assert it.outside.used == {"torch.cuda.device_count()": 4}


TEST = """
import torch
if torch.cuda.is_available():
    a = "gpu"
else:
    a = "cpu"
"""


@pytest.mark.parametrize(("flipped", "arm"), [((), "cpu"), (("torch.cuda.is_available()",), "gpu")])
def test_a_test_on_an_unknown_is_a_decision_whose_other_arm_can_be_asked(flipped, arm):
    it = interpreter({"module": TEST})
    it.decisions = Decisions(flipped)
    assert it.module("small.module").names["a"] == arm
    (decision,) = it.decisions.taken.values()
    assert (decision.what, decision.file, decision.line) == ("torch.cuda.is_available()", "small/module.py", 3)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx = torch.f() and False",
        "import torch\nx = False and torch.f()",
    ],
)
def test_a_known_side_may_settle_a_test(text):
    assert evaluated(text)["x"] is False


def test_membership_and_look_up_of_an_unknown_are_no_guess():
    found = evaluated(
        "import torch\nx = torch.f()\na = x in {1: 2}\nb = {1: 2}.get(x)\nc = 1 in [x]\nd = x in [1, 2]\n"
    )
    assert all(isinstance(found[name], Unknown) for name in "abcd")


def test_what_is_not_supported_ends_the_evaluation_and_says_so():
    it = interpreter({"module": "def f():\n    x = yield_it = 3\n    async def g(): pass\n    return g()\nx = f()"})
    assert isinstance(it.module("small.module").names["x"], Unknown)


def test_a_loop_over_something_unknown_is_a_decision():
    it = interpreter({"module": "import torch\nn = 0\nfor x in torch.things():\n    n += 1\n"})
    assert it.module("small.module").names["n"] == 0
    assert [one.what for one in it.decisions.taken.values()] == ["is there any of torch.things()"]


def test_an_import_of_an_absent_package_is_an_error_that_code_can_catch():
    text = "try:\n    import vllm\nexcept ImportError as error:\n    a = str(error)\n"
    assert evaluated(text, absent=["vllm"])["a"] == "No module named 'vllm'"


def test_an_annotation_is_evaluated_where_python_evaluates_it():
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from small.other import Name\ndef f() -> Name: pass\n"
    )
    with pytest.raises(Raised) as caught:
        interpreter({"module": text, "other": "class Name: pass"}).module("small.module")
    assert (type(caught.value.value), caught.value.line) == (NameError, 4)
    late = "from __future__ import annotations\n" + text
    assert callable(interpreter({"module": late, "other": ""}).module("small.module").names["f"])


def test_a_module_is_read_when_a_name_in_it_is_first_used():
    texts = {"module": "from small.other import a, b\ndef f():\n    return a\n", "other": "a = 1\nb = 2"}
    it = interpreter(texts)
    module = it.module("small.module")
    assert it.order == ["small", "small.module"]
    assert it.call(module.names["f"], [], {}) == 1
    assert it.order == ["small", "small.module", "small.other"]


def test_what_is_remembered_can_be_gone_back_to():
    text = "import os\ntable = {}\nclass C:\n    n = 0\nkept = [1]\n"
    text += "def f(x):\n    table[x] = x\n    C.n += 1\n    kept.append(x)\n"
    text += "    os.environ['A'] = 'b'\n    return len(table), C.n, kept, os.environ.get('A')\n"
    it = interpreter({"module": text})
    function = it.module("small.module").names["f"]
    it.remember()
    assert it.call(function, [5], {}) == (1, 1, [1, 5], "b")
    it.restore()
    it.remember()
    assert it.call(function, [6], {}) == (1, 1, [1, 6], "b")
