"""A diagram as SVG: a file of its own, or a part of a page that has the style already."""

from __future__ import annotations

from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from specint.outputs.diagrams.diagram import Diagram
from specint.outputs.diagrams.layout import LINE, PADDING, Placed, Routed, laid_out, text_width

STYLE = """\
.d{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.d rect{fill:var(--box,#f6f8fa);stroke:var(--box-line,#8c959f)}
.d .focus rect{fill:var(--focus,#ddf4ff);stroke:var(--focus-line,#0969da);stroke-width:2}
.d .provider rect{fill:var(--good-soft,#dafbe1);stroke:var(--good,#1a7f37)}
.d .unknown rect{stroke-dasharray:4 3}
.d text{fill:var(--ink,#1f2328);font-size:10px}
.d .n{font-size:12px;font-weight:600}
.d path{fill:none;stroke:var(--soft-ink,#59636e);stroke-width:1.3}
.d .holds path{stroke-width:2}
.d .missing path{stroke:var(--bad,#cf222e);stroke-dasharray:6 4;stroke-width:2.5}
.d .missing text,.d .lacks{fill:var(--bad,#cf222e);font-weight:600}
.d .back{fill:var(--paper,#fff);stroke:none;opacity:.88}
.d marker path{stroke-dasharray:none!important;stroke-width:1.2}
.d marker.solid path{fill:var(--soft-ink,#59636e)}
.d marker.hollow path{fill:var(--paper,#fff)}
.d marker.bad path{fill:var(--bad,#cf222e);stroke:var(--bad,#cf222e)}
@media (prefers-color-scheme:dark){svg.alone{--box:#151b23;--box-line:#656c76;--focus:#121d2f;--focus-line:#4493f8;
--good-soft:#12261e;--good:#3fb950;--ink:#f0f6fc;--soft-ink:#9198a1;--bad:#f85149;--paper:#0d1117;background:#0d1117}}
"""


def svg(diagram: Diagram, *, alone: bool = True, name: str = "d") -> str:
    """The picture. `alone` brings its style along; `name` keeps the ids of several pictures in a page apart."""
    layout = laid_out(diagram)
    width, height = round(layout.width), round(layout.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="d{" alone" if alone else ""}" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-label={quoteattr(diagram.title)}>',
        f"<title>{escape(diagram.title)}</title>",
    ]
    if alone:
        parts.append(f"<style>{STYLE}</style>")
    parts.append(f"<defs>{''.join(_marker(name, kind) for kind in ('hollow', 'solid', 'bad'))}</defs>")
    parts += [_line(routed, name, down=diagram.direction == "down") for routed in layout.arrows]
    parts += [_box(placed) for placed in layout.boxes]
    parts += [_text(routed) for routed in layout.arrows if routed.arrow.text]
    parts.append("</svg>")
    return "".join(parts) + ("\n" if alone else "")


def _marker(name: str, kind: str) -> str:
    return (
        f'<marker id="{name}-{kind}" class="{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
        f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M1 1L9 5L1 9Z"/></marker>'
    )


def _class(routed: Routed) -> str:
    return f"{routed.arrow.kind}{' missing' if routed.arrow.missing else ''}"


def _line(routed: Routed, name: str, *, down: bool) -> str:
    """A curve through the points that leaves and arrives in the direction of the layers."""
    points = routed.points
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if number % 2:  # across a layer that the arrow only passes
            path += f"L{x1:.0f} {y1:.0f}"
        elif down:
            path += f"C{x0:.0f} {(y0 + y1) / 2:.0f} {x1:.0f} {(y0 + y1) / 2:.0f} {x1:.0f} {y1:.0f}"
        else:
            path += f"C{(x0 + x1) / 2:.0f} {y0:.0f} {(x0 + x1) / 2:.0f} {y1:.0f} {x1:.0f} {y1:.0f}"
    kind = "bad" if routed.arrow.missing else "hollow" if routed.arrow.kind == "inherits" else "solid"
    return f'<g class="{_class(routed)}"><path d="{path}" marker-end="url(#{name}-{kind})"/></g>'


def _box(placed: Placed) -> str:
    middle = placed.x + placed.width / 2
    line = placed.y + PADDING + 8
    rows = [f'<text class="n" text-anchor="middle" x="{middle:.0f}" y="{line:.0f}">{escape(placed.box.name)}</text>']
    for number, text in enumerate((*placed.box.lines, *placed.box.lacks), 1):
        look = ' class="lacks"' if number > len(placed.box.lines) else ""
        place = f'x="{middle:.0f}" y="{line + number * LINE:.0f}"'
        rows.append(f'<text{look} text-anchor="middle" {place}>{escape(text)}</text>')
    return (
        f'<g class="{placed.box.mark or "plain"}"><title>{escape(placed.box.key)}</title>'
        f'<rect x="{placed.x:.0f}" y="{placed.y:.0f}" width="{placed.width:.0f}" height="{placed.height:.0f}" rx="6"/>'
        f"{''.join(rows)}</g>"
    )


def _text(routed: Routed) -> str:
    x, y = routed.label
    width = text_width(routed.arrow) + 6
    back = f'<rect class="back" x="{x - width / 2:.0f}" y="{y - 8:.0f}" width="{width:.0f}" height="15"/>'
    text = f'<text text-anchor="middle" x="{x:.0f}" y="{y + 3:.0f}">{escape(routed.arrow.text)}</text>'
    return f'<g class="{_class(routed)}">{back}{text}</g>'
