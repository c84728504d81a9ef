"""The documentation says what is there: links lead somewhere, and every key of a document is described."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from specint.checks.finding import Evidence, Finding
from specint.compliance.model import Inner, MemberStatus, ModelCompliance, Verdict, Wrap
from specint.config import KEYS
from specint.contract.model import CallShape, Condition, Contract, Requirement, Site
from specint.errors import Diagnostic
from specint.outputs.formats import FORMATS

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


def first_column(page: str, heading: str) -> list[str]:
    """The names in the first column of the table below a heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    section = re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], maxsplit=1, flags=re.M)[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.M)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_every_format_and_every_key_of_the_configuration_has_its_row() -> None:
    assert first_column("docs/command-line.md", "Formats of `specint check`")[1:] == list(FORMATS)
    assert sorted(first_column("docs/command-line.md", "Configuration")) == sorted(KEYS)


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, pending = set(), [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#:]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        pending += {(page.parent / link).resolve() for link in links} - reached - set(pending)
    assert set(PAGES) - reached == set()


def test_modules_that_the_pages_name_exist() -> None:
    for page in PAGES:
        for name in re.findall(r"`([\w./]+/[\w/]+\.(?:py|toml))`", page.read_text(encoding="utf-8")):
            places = (ROOT / name, ROOT / "specint" / name)
            assert name.startswith(("sglang/", "path/")) or any(place.exists() for place in places), (page, name)


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
                own = call[1].partition(" -- ")[0]  # what follows is a launch's
                assert set(re.findall(r"--[a-z-]+", own)) <= known, (page, line)
