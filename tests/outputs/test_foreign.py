"""Foreign text in documents: it can be read, it steers nothing, and JSON and XML still say what it is."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from specint.outputs.foreign import Form, plain, readable

FORMS: tuple[Form, ...] = ("text", "markdown", "json", "xml", "html", "github")
ODD = ["\x1b[2J", "a\x07", "\x9b2J", "\x7f", "\u202e", "\u2028", "\ufeff", "\U000e0001", "\ud800", "\x00", "\r"]
COMMANDS = ["::error ::x", "  ::error ::x", "\t::x", "\u00a0::x", "##[error]x", "a ##vso[x]y", "##teamcity[x]"]


def is_text(data: bytes) -> bool:
    return all(sign.isprintable() or sign in "\n\t" for sign in data.decode())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_nothing_but_text_comes_out(form: Form, odd: str) -> None:
    assert is_text(plain(f"a{odd}b\n\tc é\n".encode("utf-8", "surrogatepass"), form))


@pytest.mark.parametrize("form", ["text", "markdown", "xml"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_a_command(form: Form, command: str) -> None:
    written = plain(f"a\n{command}\n".encode(), form).decode()
    assert not [line for line in written.splitlines() if line.strip().startswith("::")]
    assert "##[" not in written
    assert "##vso[" not in written
    assert "##teamcity[" not in written


def test_json_and_xml_say_the_same_as_before() -> None:
    text = "é \x9b \u202e ##[error]x \U000e0001 \u2028"
    assert json.loads(plain(json.dumps([text], ensure_ascii=False).encode(), "json")) == [text]
    root = ElementTree.Element("a")
    root.text = f"\n::error ::x {text}"
    assert ElementTree.fromstring(plain(ElementTree.tostring(root, encoding="utf-8"), "xml")).text == root.text


def test_plain_text_stays_as_it_is() -> None:
    text = "# a\n## b [c]\nx::y\n✓ é\t日本語 a: :b\n"
    for form in FORMS:
        assert plain(text.encode(), form).decode() == text


def test_a_piece_for_a_terminal_keeps_its_lines() -> None:
    assert readable("a\x1b[2J\nb ##[c]") == "a\\x1b[2J\nb \\x23#[c]"
