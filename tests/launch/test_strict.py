"""Records that check what is assigned to them, as Transformers 5 makes its configurations."""

import pytest

from specint.execution.values import Raised
from specint.launch import strict
from tests.execution.evaluated import deeply, interpreter

CALLS = {
    "huggingface_hub.dataclasses.strict": strict.strict,
    "huggingface_hub.dataclasses.as_validated_field": strict.as_validated_field,
    "huggingface_hub.dataclasses.validated_field": strict.validated_field,
}
RECORD = """
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union
from huggingface_hub.dataclasses import as_validated_field, strict

def at_most(limit):
    @as_validated_field
    def check(value):
        if value > limit:
            raise ValueError(f"{value} is over {limit}")
    return check

class Other:
    pass

@strict(accept_kwargs=True)
@dataclass
class Base:
    size: int = 1

@strict
@dataclass
class Record(Base):
    heads: int | None = None
    rate: float = 0.5
    share: float = at_most(1.0)(default=0.5)
    act: Literal["silu", "gelu", 1] = "silu"
    ids: int | list[int] | None = None
    pair: tuple[int, str] = (1, "a")
    many: tuple[int, ...] = ()
    table: dict[str, int] | None = None
    several: Sequence[str] = ()
    other: Other | None = None
    anything: Any = None
    late: "Never" = 1

    def validate_heads(self):
        if self.heads is not None and self.size % self.heads:
            raise ValueError("no multiple")

class Below(Record):
    pass

KEPT = Base(size=2, more=3)
"""


@pytest.fixture(scope="module")
def small():
    return deeply(lambda: interpreter({"module": RECORD}, calls=CALLS).module("small.module"))


def refused(small, name="Record", **keywords):
    """The error of making a record: its type and message; None where it is made."""
    it = interpreter({"module": RECORD}, calls=CALLS)
    try:
        deeply(lambda: it.call(it.module("small.module").names[name], [], keywords))
    except Raised as raised:
        return type(raised.value).__name__, str(raised.value)
    return None


TAKEN = [
    {}, {"heads": None}, {"rate": 0.25}, {"act": "gelu"}, {"act": 1}, {"ids": 3}, {"ids": [1, 2]}, {"many": (1, 2, 3)},
    {"table": {"a": 1}}, {"several": ["a"]}, {"anything": object}, {"late": "x"}, {"share": 1.0},
]  # fmt: skip
NOT_TAKEN = [
    ({"size": "4"}, "size"), ({"size": True}, "size"), ({"size": None}, "size"), ({"heads": 1.0}, "heads"),
    ({"rate": 1}, "rate"), ({"share": 1.5}, "share"), ({"act": "relu"}, "act"), ({"act": True}, "act"),
    ({"ids": ["x"]}, "ids"), ({"pair": (1, 2)}, "pair"), ({"pair": (1,)}, "pair"), ({"many": [1]}, "many"),
    ({"many": (1, "a")}, "many"),
    ({"table": {"a": "b"}}, "table"), ({"several": 3}, "several"), ({"other": 3}, "other"),
]  # fmt: skip


@pytest.mark.parametrize("keywords", TAKEN, ids=str)
def test_a_value_of_the_fields_type_is_taken(small, keywords):
    assert refused(small, **keywords) is None


@pytest.mark.parametrize(("keywords", "field"), NOT_TAKEN, ids=str)
def test_a_value_of_another_type_is_refused_under_huggingface_hubs_error(small, keywords, field):
    error, message = refused(small, **keywords)
    assert error == "StrictDataclassFieldValidationError"
    assert message.startswith(f"Validation error for field '{field}':\n    ")


def test_a_record_that_its_own_check_refuses(small):
    error, message = refused(small, size=3, heads=2)
    assert (error, message) == (
        "StrictDataclassClassValidationError",
        "Class validation error for validator 'validate_heads':\n    ValueError: no multiple",
    )


def test_a_class_below_checks_too(small):
    assert refused(small, "Below", rate=1)[0] == "StrictDataclassFieldValidationError"


def test_later_assignments_are_checked():
    text = RECORD + "\nfound = None\ntry:\n    KEPT.size = 'x'\nexcept Exception as error:\n    found = str(error)\n"
    module = deeply(lambda: interpreter({"module": text}, calls=CALLS).module("small.module"))
    assert "expected int, got str" in module.names["found"]


def test_keywords_that_are_no_fields_are_kept(small):
    assert small.names["KEPT"].attributes == {"size": 2, "more": 3}
