"""The page: a template, styles, scripts, and the data of the report, joined into one file that asks for nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from specint.outputs.diagrams.svg import STYLE
from specint.outputs.html.data import page_data

if TYPE_CHECKING:
    from specint.analysis.result import Result
    from specint.checks.finding import Finding

STYLES = ("style.css", "matrix.css", "drawer.css", "narrow.css", "print.css")
_PLACE = re.compile(r"\{\{ (\w+) \}\}")
SCRIPTS = (
    "dom.js",
    "data.js",
    "state.js",
    "excerpt.js",
    "matrix.js",
    "filters.js",
    "requirements.js",
    "model.js",
    "contract.js",
    "rules.js",
    "releases.js",
    "app.js",
)


def report_html(
    result: Result,
    findings: Sequence[Finding],
    algorithms: Sequence[str] = (),
    other: Result | None = None,
) -> bytes:
    """The whole report.

    Args:
        findings: those to show; the rules that are off don't speak here either.
        algorithms: the ones that were asked for; none means all.
        other: an earlier release to compare with.

    What comes from the analysed tree reaches the page as data, never as markup; the page's policy lets only this
    script run, and no request leave.
    """
    script = "(function () {\n'use strict';\n" + "\n".join(_part(name) for name in SCRIPTS) + "\n})();"
    fingerprint = b64encode(sha256(script.encode()).digest()).decode()
    data = page_data(result, findings, algorithms, other)
    parts = {
        "title": escape(f"SGLang {result.version}: speculative decoding by model"),
        "script_hash": f"sha256-{fingerprint}",
        "style": "\n".join(_part(name) for name in STYLES) + STYLE.partition("@media")[0],
        "data": _embedded(msgspec.json.encode(data)),
        "script": script,
    }
    # One pass over the template alone: what a part says about `{{ … }}` is nobody's business.
    return _PLACE.sub(lambda found: parts[found[1]], _part("template.html")).encode()


def _part(name: str) -> str:
    return (files("specint.outputs.html") / "page" / name).read_text(encoding="utf-8")


def _embedded(data: bytes) -> str:
    """JSON that no text in it can end early: what could begin a tag or a comment is written as its code."""
    text = data.decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
