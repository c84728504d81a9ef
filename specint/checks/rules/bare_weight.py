"""spec-bare-weight: a member hands out `.weight` of a layer that the class itself builds with quantisation."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.asked import Asked, asked_members, sites
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import does
from specint.facts import model as facts
from specint.graph.project import FunctionNode

SYMBOL = "spec-bare-weight"

_WRAPPED = ("quant", "lora")


def check(context: Context) -> Iterator[Finding]:
    """Every layer built with quantisation whose weight a member hands out."""
    for one in context.once(asked_members):
        function = one.function
        own = function.own if function is not None else None
        if function is None or own is None:
            continue
        for step in function.facts.body.steps:
            if not isinstance(step, facts.Return) or step.value is None:
                continue
            for part in facts.walk(step.value):
                head = _head(part, own)
                built = _built_wrapped(context, one, head) if head is not None else None
                if head is not None and built is not None:
                    yield _finding(one, function, step.line, head, built)


def _head(expr: facts.Expr, own: str) -> str | None:
    """`layer` of `self.layer.weight`."""
    match expr:
        case facts.Attribute(base=facts.Attribute(base=facts.Name(id=found), name=head), name="weight") if found == own:
            return head
        case _:
            return None


def _built_wrapped(context: Context, one: Asked, head: str) -> tuple[FunctionNode, int, str] | None:
    """Where the class builds a layer with a quantisation or LoRA argument that isn't None, and the argument's name."""
    for assignment in context.judge.composition.assigned(one.node, head):
        for keyword in assignment.value.keywords if isinstance(assignment.value, facts.Call) else ():
            name = keyword.name or ""
            if any(word in name for word in _WRAPPED) and keyword.value != facts.Constant(None):
                return assignment.function, assignment.line, name
    return None


def _finding(one: Asked, function: FunctionNode, line: int, head: str, built: tuple[FunctionNode, int, str]) -> Finding:
    constructor, at, argument = built
    place, column = one.place
    message = (
        f"{one.model.name}.{one.member} hands out self.{head}.weight, but self.{head} is built with {argument} "
        f"({constructor.module.path}:{at}): a quantised or wrapped layer may keep no plain weight under that name, and "
        f"{does(one.algorithms, 'share')} it with the draft as if it did"
    )
    return about(
        SYMBOL,
        one.model,
        one.member,
        one.algorithms,
        at=(place, column),
        message=message,
        evidence=(
            Evidence(file=function.module.path, line=line, what=f"self.{head}.weight is handed out here"),
            Evidence(file=constructor.module.path, line=at, what=f"self.{head} is built with {argument} here"),
            *sites(one),
        ),
    )
