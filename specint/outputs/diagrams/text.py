"""A diagram in the languages that other programs draw: Mermaid (GitHub renders it) and DOT (Graphviz)."""

from __future__ import annotations

import re

from specint.outputs.diagrams.diagram import Arrow, Diagram

_PLAIN = re.compile(r"[^\w .,:/()?+=…-]")


def mermaid(diagram: Diagram) -> str:
    """A Mermaid flowchart. What isn't a letter or a plain sign is written as its code, so that no name breaks it."""
    names = {box.key: f"n{number}" for number, box in enumerate(diagram.boxes)}
    lines = [f"flowchart {'TD' if diagram.direction == 'down' else 'LR'}"]
    for box in diagram.boxes:
        mark = f":::{box.mark}" if box.mark else ""
        lines.append(f'  {names[box.key]}["{_coded(box.name, *box.lines, *box.lacks)}"]{mark}')
    for arrow in diagram.arrows:
        shape = "-.->" if arrow.missing else "==>" if arrow.kind == "holds" else "-->"
        text = f'|"{_coded(_told(arrow))}"|' if _told(arrow) else ""
        lines.append(f"  {names[arrow.source]} {shape}{text} {names[arrow.target]}")
    for number, arrow in enumerate(diagram.arrows):
        if arrow.missing:
            lines.append(f"  linkStyle {number} stroke:#cf222e,color:#cf222e,stroke-width:2px")
    lines += [
        "  classDef focus stroke:#0969da,stroke-width:3px",
        "  classDef provider stroke:#1a7f37,stroke-width:2px",
        "  classDef unknown stroke-dasharray:4 3",
    ]
    return "\n".join(lines) + "\n"


def dot(diagram: Diagram) -> str:
    """A Graphviz digraph."""
    lines = [
        "digraph specint {",
        f"  label={_quoted(diagram.title)}; labelloc=t;",
        f"  rankdir={'TB' if diagram.direction == 'down' else 'LR'};",
        '  node [shape=box, style=rounded, fontname="monospace", fontsize=10];',
        '  edge [fontname="monospace", fontsize=9];',
    ]
    looks = {"focus": ', color="#0969da", penwidth=2', "provider": ', color="#1a7f37"', "unknown": ', style="dashed"'}
    for box in diagram.boxes:
        look = looks.get(box.mark, "")
        lines.append(f"  {_quoted(box.key)} [label={_quoted(box.name, *box.lines, *box.lacks)}{look}];")
    for arrow in diagram.arrows:
        kind = "arrowhead=empty" if arrow.kind == "inherits" else "arrowhead=normal, penwidth=2"
        look = ', style=dashed, color="#cf222e", fontcolor="#cf222e"' if arrow.missing else ""
        label = f"label={_quoted(_told(arrow))}, " if _told(arrow) else ""
        lines.append(f"  {_quoted(arrow.source)} -> {_quoted(arrow.target)} [{label}{kind}{look}];")
    return "\n".join([*lines, "}"]) + "\n"


def _told(arrow: Arrow) -> str:
    return arrow.text or ("inherits" if arrow.kind == "inherits" else "")


def _coded(*texts: str) -> str:
    return "<br/>".join(_PLAIN.sub(lambda found: f"#{ord(found[0])};", text) for text in texts)


def _quoted(*lines: str) -> str:
    escaped = "\\n".join(" ".join(line.split()).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'"{escaped}"'
