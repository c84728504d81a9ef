"""What is told of a name that stands for another algorithm."""

import pytest

from specint.compliance.model import ModelCompliance, Verdict
from specint.contract.model import Contract, Requirement, Site
from specint.launch.alias import told_of_aliases
from specint.launch.answer import Answer
from specint.launch.command import Command
from specint.launch.course import Found, Open, Refusal
from specint.launch.machine import machine_named

LAYERS = Site("small/layers.py", 3, "Layers.__init__", ("EAGLE",))
CONTRACT = Contract(
    requirements=(
        Requirement(
            role="target", member="hook", use="call", algorithms=("EAGLE",), strength="required", sites=(LAYERS,)
        ),
    ),
    algorithms=("EAGLE", "NGRAM"),
    aliases={"NEXTN": "EAGLE", "WORDS": "NGRAM"},
    workers={"EAGLE": ("small.plain.Plain", "small.layers.Layers"), "NGRAM": ("small.ngram.Ngram",)},
    apart={"small.plain.Plain": ("small/layers.py:Layers.__init__",)},
)
MODEL = ModelCompliance(
    class_="m.Oak", name="Oak", file="m.py", line=1, roles=("target",), mro=(), wraps=(), members={},
    algorithms={"EAGLE": Verdict(verdict="missing", missing=("hook",))},
)  # fmt: skip
PLAIN, LAYERED = Found(worker=("Plain", "small/plain.py")), Found(worker=("Layers", "small/layers.py"))
REFUSED = Found(refusals=[Refusal("arguments", "sglang", "ValueError", "no draft\nat all", None, None)])
OPEN = Found(open=[Open("worker", "a package")])


def lines(names, found=None, folder=None):
    def ask(command):
        return Answer(
            id=None, version="0", machine=machine_named("h200"), command=Command(()), answer="starts",
            found=found[command.argv[3]],
        )  # fmt: skip

    return list(told_of_aliases(CONTRACT, MODEL, names, folder, ask))


def test_a_name_of_its_own_needs_no_words():
    assert lines(["EAGLE", "NGRAM"]) == []


def test_where_one_worker_serves_it_that_is_the_answer():
    assert lines(["words"]) == ["WORDS becomes NGRAM, which Ngram serves."]


def test_where_several_do_a_class_alone_does_not_say_which():
    (told,) = lines(["NEXTN", "nextn"])
    assert "one of Plain, Layers" in told
    assert "name a config.json" in told


def test_two_names_may_get_two_workers_and_one_asks_for_less(tmp_path):
    told = lines(["NEXTN"], {"NEXTN": PLAIN, "EAGLE": LAYERED}, tmp_path)
    assert told == [
        "NEXTN becomes EAGLE, served by Plain; EAGLE by its own name: served by Layers.",
        "Of what is missing for EAGLE, Plain doesn't ask for hook.",
    ]


def test_both_may_get_the_same(tmp_path):
    told = lines(["NEXTN"], {"NEXTN": LAYERED, "EAGLE": LAYERED}, tmp_path)
    assert told == ["NEXTN becomes EAGLE, served by Layers, as under its own name."]


@pytest.mark.parametrize(
    ("found", "said"),
    [(REFUSED, "refused with no more than that name (no draft)"), (OPEN, "whose worker can't be read (a package)")],
)
def test_what_can_not_be_known_is_said_so(tmp_path, found, said):
    (told,) = lines(["NEXTN"], {"NEXTN": found, "EAGLE": found}, tmp_path)
    assert said in told
