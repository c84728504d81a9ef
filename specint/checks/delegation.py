"""The lines that add a missing delegation, and the patch that puts them into the class."""

from __future__ import annotations

import difflib

from specint.contract.model import Requirement
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode


def delegation(
    hierarchy: Hierarchy, requirement: Requirement, attribute: str, inner: ClassNode, indent: str = "    "
) -> list[str]:
    """A plain pass-through to the inner model: a method with the contract's signature, or a property for a read.

    Args:
        requirement: how the member is asked for; where callers differ, a parameter gets a default.
        attribute: what the wrapper calls the inner model.
        inner: the inner class, whose parameter names are taken.
    """
    member = requirement.member
    provider = hierarchy.lookup(inner, member)
    function = provider.function if provider is not None and provider.kind == "method" else None
    if requirement.use != "call":
        return [
            f"{indent}@property",
            f"{indent}def {member}(self):",
            f"{indent * 2}return self.{attribute}.{member}",
        ]
    parameters, arguments = _signature(requirement, function.facts if function is not None else None)
    signature = ", ".join(["self", *parameters])
    call = f"self.{attribute}.{member}({', '.join(arguments)})"
    gives = function is None or any(
        isinstance(step, facts.Return) and step.value is not None for step in function.facts.body.steps
    )
    return [f"{indent}def {member}({signature}):", f"{indent * 2}{'return ' if gives else ''}{call}"]


def _signature(requirement: Requirement, inner: facts.Function | None) -> tuple[list[str], list[str]]:
    call = requirement.call
    known = [p for p in inner.params[1:] if p.kind in ("positional-only", "positional")] if inner is not None else []
    parameters: list[str] = []
    arguments: list[str] = []
    most, fewest = (call.positional, call.fewest) if call is not None else (0, 0)
    for index in range(most):
        param = known[index] if index < len(known) else None
        name = param.name if param is not None else f"value{index or ''}"
        default = param.default if param is not None else None
        if index >= fewest:
            parameters.append(f"{name}={facts.spell(default) if isinstance(default, facts.Constant) else None}")
        else:
            parameters.append(name)
        arguments.append(name)
    keywords = [k for k in (call.keywords if call is not None else ()) if k not in arguments]
    if keywords:
        parameters += ["*", *keywords]
        arguments += [f"{k}={k}" for k in keywords]
    return parameters, arguments


def patch(text: str, file: str, node: ClassNode, lines: list[str]) -> str:
    """A unified diff that puts lines at the end of a class body."""
    before = text.splitlines(keepends=True)
    newline = "\r\n" if before and before[0].endswith("\r\n") else "\n"
    end = node.facts.end_line
    head = before[:end]
    if head and not head[-1].endswith(("\n", "\r")):
        head[-1] += newline
    after = [*head, newline, *(line + newline for line in lines), *before[end:]]
    return "".join(difflib.unified_diff(before, after, f"a/{file}", f"b/{file}"))


def class_indent(text: str, node: ClassNode) -> str:
    """How the body of a class is indented, in the file's own style."""
    lines = text.splitlines()
    first = min((f.line for f in node.facts.body.functions), default=0)
    if first and first <= len(lines):
        line = lines[first - 1]
        return line[: len(line) - len(line.lstrip())] or "    "
    return "    "
