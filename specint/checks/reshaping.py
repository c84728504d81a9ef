"""Edits of code that is there already: a function moves into its class, a parameter gets a default."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

from specint.checks.context import Context
from specint.checks.edit import Edit, Splice
from specint.checks.placing import added, end_of_class, source_lines, splice_patch
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import CallShape
from specint.facts import model as facts
from specint.graph.hierarchy import Member
from specint.source.tree import content_digest

_LAYOUT = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def moved_into(context: Context, model: ModelCompliance, function: facts.Function) -> tuple[Edit, str | None]:
    """What puts a function of the module to the end of a class of that module, with the remarks above it."""
    node = context.node(model)
    source = context.source(node)
    candidates = [
        one.name for one in context.models if one.file == model.file and one.members[function.name].status == "missing"
    ]
    decide = ""
    if "." in function.qualname:
        decide = f"{function.qualname} is within another function: decide whose method it is"
    elif not candidates:
        decide = f"{model.name} has {function.name} already: decide which of the two is meant"
    if decide or source is None:
        return _decide(
            model.class_, model.file, function.name, decide or "its file is gone or was changed meanwhile"
        ), None
    file, data = source
    lines = source_lines(data, file.path)
    spot = end_of_class(lines, node.facts)
    found = _function_at(data, function.line)
    if spot is None or found is None:
        return _decide(model.class_, model.file, function.name, f"{model.name} has no body to move it into"), None
    start, end = _extent(lines, found)
    inside = _lines_within_strings(lines[start:end])
    code = [
        line if number in inside or not line.strip() else spot.indent + line
        for number, line in enumerate(line.rstrip("\r\n") for line in lines[start:end])
    ]
    while start and not lines[start - 1].strip():
        start -= 1
    splices = (added(spot.after, code), Splice(start, end - start))
    others = [name for name in candidates if name != model.name]
    edit = Edit(
        kind="move",
        class_=model.class_,
        member=function.name,
        file=model.file,
        digest=content_digest(data),
        splices=splices,
        doubt=f"it could be meant for {listed(others)} as well" if others else "",
    )
    return edit, splice_patch(lines, model.file, splices)


def defaulted(context: Context, definition: Member, calls: Sequence[CallShape]) -> tuple[Edit, str | None]:
    """What gives the parameters that some caller leaves out the default None, where nothing else is wrong.

    It is safe where the body never uses them, or asks whether they are None.
    """
    owner, function = definition.owner, definition.function
    source = context.source(owner)
    if function is None or definition.kind == "property" or function.owner is not owner or source is None:
        return _decide(owner.key, owner.file, definition.name, "decide how it is to be offered"), None
    params = function.facts.params if definition.kind == "staticmethod" else function.facts.params[1:]
    wanting = _wanting(params, calls)
    file, data = source
    lines = source_lines(data, file.path)
    found = _function_at(data, function.facts.line)
    if wanting is None or found is None:
        why = "more than a default is wrong with its parameters: decide what it is to do with what it is handed"
        return _decide(owner.key, owner.file, definition.name, why), None
    splices = tuple(_with_defaults(lines, found, wanting))
    used = [name for name in wanting if not _minds_none(found, name)]
    edit = Edit(
        kind="default",
        class_=owner.key,
        member=definition.name,
        file=owner.file,
        digest=content_digest(data),
        splices=splices,
        doubt=f"its body uses {listed(used)}, and nobody said what None means there" if used else "",
    )
    return edit, splice_patch(lines, owner.file, splices)


def _decide(class_: str, file: str, member: str, what: str) -> Edit:
    return Edit(kind="decide", class_=class_, file=file, member=member, decide=what)


def _function_at(data: bytes, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    for node in ast.walk(ast.parse(data)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno == line:
            return node
    return None


def _extent(lines: Sequence[str], function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    """From the remarks right above a function and its decorators to its last line, remarks at its end included."""
    start = min([function.lineno, *(one.lineno for one in function.decorator_list)]) - 1
    while start and lines[start - 1].startswith("#"):
        start -= 1
    end = function.end_lineno or function.lineno
    for number, line in enumerate(lines[end:], end + 1):
        if line[:1] in (" ", "\t") and line.strip().startswith("#"):
            end = number
        elif line.strip():
            break
    return start, end


def _lines_within_strings(lines: Sequence[str]) -> set[int]:
    """The lines (from 0) that begin within a string: they belong to its value and must not be indented."""
    found: set[int] = set()
    text = "".join(line.rstrip("\r\n") + "\n" for line in lines)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT and token.start[0] < token.end[0]:
            found.update(range(token.start[0], token.end[0]))
    return found


def _wanting(params: Sequence[facts.Param], calls: Sequence[CallShape]) -> tuple[str, ...] | None:
    """The parameters that need a default, None where a default alone doesn't do."""
    positional = [param for param in params if param.kind in ("positional-only", "positional")]
    kinds = {param.kind for param in params}
    named = {param.name for param in params if param.kind in ("positional", "keyword")}
    wanting: set[str] = set()
    for call in calls:
        if call.positional > len(positional) and "*" not in kinds:
            return None
        if "**" not in kinds and not named.issuperset(call.keywords):
            return None
        if call.starred:
            continue
        left_out = [p for p in positional[call.fewest :] if p.default is None and p.name not in call.keywords]
        if left_out:  # behind a parameter with a default every one needs its own
            wanting.update(p.name for p in positional[positional.index(left_out[0]) :] if p.default is None)
        wanting.update(
            p.name for p in params if p.kind == "keyword" and p.default is None and p.name not in call.keywords
        )
    return tuple(param.name for param in params if param.name in wanting) or None


def _with_defaults(
    lines: Sequence[str], function: ast.FunctionDef | ast.AsyncFunctionDef, names: Sequence[str]
) -> list[Splice]:
    arguments = function.args
    places: dict[int, list[tuple[int, bytes]]] = {}
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if one.arg in names:
            line, column = one.end_lineno or one.lineno, one.end_col_offset or one.col_offset
            places.setdefault(line, []).append((column, b" = None" if one.annotation else b"=None"))
    made = []
    for line, inserts in sorted(places.items()):
        data = lines[line - 1].rstrip("\r\n").encode()
        for column, text in sorted(inserts, reverse=True):
            data = data[:column] + text + data[column:]
        made.append(Splice(line - 1, 1, (data.decode(),)))
    return made


def _minds_none(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Whether a body gets along with None in a parameter: it never uses it, or asks."""
    used = False
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name:
                first = node.comparators[0]
                if (
                    isinstance(node.ops[0], (ast.Is, ast.IsNot))
                    and isinstance(first, ast.Constant)
                    and first.value is None
                ):
                    return True
            used = used or (isinstance(node, ast.Name) and node.id == name)
    return not used
