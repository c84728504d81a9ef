"""Where the pages of this version are, by the distribution's metadata alone."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from email.message import Message

import pytest

from specint import version


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Iterator[Message]:
    """A distribution whose metadata a test writes."""
    message = Message()
    monkeypatch.setattr(importlib.metadata, "metadata", lambda _: message)
    monkeypatch.setattr(version, "own_version", lambda: "1.2.3")
    version.documentation.cache_clear()
    yield message
    version.documentation.cache_clear()


def test_a_rule_has_the_page_of_its_version(published: Message) -> None:
    published["Project-URL"] = "Source, https://example.org/code"
    published["Project-URL"] = "Documentation, https://example.org/specint/"
    assert version.rule_address("spec-x") == "https://example.org/specint/1.2.3/rules/spec-x.html"


@pytest.mark.parametrize("link", ["", "Source, https://example.org/code", "Documentation"])
def test_where_nothing_is_published_there_is_no_address(published: Message, link: str) -> None:
    if link:
        published["Project-URL"] = link
    assert version.rule_address("spec-x") == ""


def test_a_checkout_that_was_never_installed_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Message:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", missing)
    version.documentation.cache_clear()
    try:
        assert version.rule_address("spec-x") == ""
    finally:
        version.documentation.cache_clear()


def test_sarif_and_editors_lead_there(published: Message) -> None:
    from specint.lsp.shown import _page
    from specint.outputs.outcome import own_rules
    from specint.outputs.sarif import _rule

    published["Project-URL"] = "Documentation, https://example.org/specint"
    rule = own_rules()["spec-missing-delegation"]
    page = "https://example.org/specint/1.2.3/rules/spec-missing-delegation.html"
    found = _page(rule.symbol)
    assert found is not None
    assert (_rule(rule)["helpUri"], found.href) == (page, page)
