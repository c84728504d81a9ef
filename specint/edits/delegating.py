"""The lines of a member that hands on to the inner model: a method with the callers' signature, or a property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from specint.contract.model import CallShape
from specint.edits.model import Splice
from specint.edits.placing import added, end_of_class, indented
from specint.facts import model as facts

_WIDTH = 88
"""As wide as SGLang's own formatter lets a line be."""
_STEP = "    "


@dataclass(frozen=True)
class PassThrough:
    """A member that is handed on.

    Attributes:
        attribute: where the wrapper keeps the inner model.
        call: how callers call it; None where they read it.
        parameters: what the inner member takes besides its own object, as far as that is known.
        gives: whether something comes back.
        guard: how the inner model may not do: it is "none", it is "unset", an "arm" of it lacks the member; "" else.
    """

    member: str
    attribute: str
    call: CallShape | None = None
    parameters: tuple[facts.Param, ...] = ()
    gives: bool = True
    guard: Literal["", "none", "unset", "arm"] = ""


def passed_through(wanted: PassThrough, lines: Sequence[str], into: facts.Class) -> Splice | None:
    """What adds the member to the end of a class; None where its body stands on the line of its head."""
    spot = end_of_class(lines, into)
    return added(spot.after, indented(code(wanted), spot)) if spot is not None else None


def code(wanted: PassThrough) -> list[str]:
    """The member's lines, four blanks a step."""
    target = f"self.{wanted.attribute}.{wanted.member}"
    if wanted.call is None:
        return ["@property", f"def {wanted.member}(self):", *_guard(wanted), f"{_STEP}return {target}"]
    parameters, arguments = _signature(wanted.call, wanted.parameters)
    head = f"def {wanted.member}({', '.join(['self', *parameters])}):"
    call = f"{target}({', '.join(arguments)})"
    return [head, *_guard(wanted), f"{_STEP}return {call}" if wanted.gives else f"{_STEP}{call}"]


def _guard(wanted: PassThrough) -> list[str]:
    """An error that says what is missing, where the inner model may not be there, or may lack the member."""
    member, attribute = wanted.member, wanted.attribute
    if not wanted.guard:
        return []
    test, text = {
        "none": (f"self.{attribute} is None", f'"{member}: {attribute} is None"'),
        "unset": (f'not hasattr(self, "{attribute}")', f'"{member}: there is no {attribute}"'),
        "arm": (
            f'not hasattr(self.{attribute}, "{member}")',
            f'f"{{type(self.{attribute}).__name__}} has no {member}"',
        ),
    }[wanted.guard]
    error = f"{_STEP * 2}raise AttributeError({text})"
    if len(_STEP + error) > _WIDTH:
        return [f"{_STEP}if {test}:", f"{_STEP * 2}raise AttributeError(", f"{_STEP * 3}{text}", f"{_STEP * 2})"]
    return [f"{_STEP}if {test}:", error]


def _signature(call: CallShape, inner: Sequence[facts.Param]) -> tuple[list[str], list[str]]:
    """Parameters as the callers need them, called as the inner method calls them, and the arguments to hand on."""
    if call.starred:
        return ["*args", "**kwargs"], ["*args", "**kwargs"]
    known = [param for param in inner if param.kind in ("positional-only", "positional")]
    parameters: list[str] = []
    arguments: list[str] = []
    for index, param in enumerate(known):
        if index < call.positional or param.name in call.keywords:
            optional = index >= call.fewest and param.default is not None
            parameters.append(f"{param.name}={_default(param)}" if optional else param.name)
            arguments.append(param.name if index < call.positional else f"{param.name}={param.name}")
    for index in range(len(known), call.positional):  # they go into the inner method's *args
        parameters.append(f"value{index}" if index < call.fewest else f"value{index}=None")
        arguments.append(f"value{index}")
    names = {param.name: param for param in inner}
    taken = {param.name for param in known}
    keywords = [keyword for keyword in call.keywords if keyword not in taken]
    if keywords:
        parameters.append("*")
    for keyword in keywords:
        has_default = keyword in names and names[keyword].default is not None
        parameters.append(f"{keyword}={_default(names[keyword])}" if has_default else keyword)
        arguments.append(f"{keyword}={keyword}")
    return parameters, arguments


def _default(param: facts.Param) -> str:
    return facts.spell(param.default) if isinstance(param.default, facts.Constant) else "None"
