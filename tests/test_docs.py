"""The documentation says what is there: links lead somewhere, and every key of a document is described."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from specint.checks.finding import Evidence, Finding
from specint.compliance.model import Inner, MemberStatus, ModelCompliance, Verdict, Wrap
from specint.contract.model import CallShape, Condition, Contract, Requirement, Site
from specint.errors import Diagnostic

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "rules" / "README.md",
]
STRUCTS = (
    *(Contract, Requirement, CallShape, Condition, Site),
    *(ModelCompliance, MemberStatus, Inner, Verdict, Wrap),
    *(Finding, Evidence, Diagnostic),
)


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_every_key_of_the_json_is_described(struct: type[msgspec.Struct]) -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    described = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))
    assert {field.encode_name for field in msgspec.structs.fields(struct)} - described == set()


def test_commands_and_options_of_the_pages_exist() -> None:
    import click

    from specint.cli.commands import group

    context = click.Context(group)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for line in re.findall(r"^(?:    |\$ |\| .*`)specint .*$", text, re.M):
            for call in re.findall(r"specint ([a-z]+)([^`|#]*)", line):
                assert call[0] in commands, (page, line)
                known = {option for param in commands[call[0]].params for option in param.opts}
                assert set(re.findall(r"--[a-z-]+", call[1])) <= known, (page, line)
