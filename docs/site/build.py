"""`make site`: README, docs and a page for each rule as one site that asks no other server for anything.

    python docs/site/build.py [FOLDER]     build/site if not given

MkDocs makes the pages; this puts its sources together, so that each text has one home. A link that leads nowhere ends
it. The pages open from a disk; browsers let the search work only where they are served (`python -m http.server`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from specint.checks.catalog import all_rules
from specint.outputs.rule_page import rule_page
from specint.version import own_version

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NAVIGATION = (
    ("Start", "index.md"),
    ("The command line", "command-line.md"),
    ("Preflight", "preflight.md"),
    ("The report", "report.md"),
    ("Fixes", "fix.md"),
    ("Rules", "rules/index.md"),
    ("Editors", "editors.md"),
    ("CI: GitHub", "ci/github.md"),
    ("CI: GitLab", "ci/gitlab.md"),
    ("CI: pre-commit", "ci/pre-commit.md"),
)
"""What comes first; the other pages follow by name."""


def main(target: Path) -> int:
    """Build the site; MkDocs' exit code."""
    source = ROOT / "build" / "site-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("site", "*.py"))
    (source / "index.md").write_text(_moved(ROOT / "README.md", "docs/", ""), encoding="utf-8")
    (source / "changes.md").write_text(_moved(ROOT / "CHANGELOG.md", "docs/", ""), encoding="utf-8")
    (source / "adding-a-rule.md").write_text(_moved(ROOT / "rules" / "README.md", "../docs/", ""), encoding="utf-8")
    rules = source / "rules"
    rules.mkdir()
    rows = ["# Rules", "", "| | rule | what it finds |", "|---|---|---|"]
    for rule in all_rules():
        (rules / f"{rule.symbol}.md").write_text(rule_page(rule), encoding="utf-8")
        off = "" if rule.default else " (off by default)"
        rows.append(f"| {rule.id} | [{rule.symbol}]({rule.symbol}.md) | {rule.summary}{off} |")
    (rules / "index.md").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for page in source.rglob("*.md"):
        page.write_text(_inside(page.read_text(encoding="utf-8")), encoding="utf-8")
    settings = source.parent / "mkdocs.yml"
    settings.write_text(_settings(source, target), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(settings)]
    code = subprocess.run(command, check=False, cwd=ROOT).returncode
    for page in target.rglob("*.html"):  # a helper for the search from a disk, which another server would be asked for
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"<script src=\"?https://[^>]*></script>", "", text), encoding="utf-8")
    if code == 0:
        print(f"{target / 'index.html'}")
    return code


def _moved(page: Path, before: str, after: str) -> str:
    """A page's text for another place: links that begin with `before` begin with `after` there."""
    return re.sub(rf"\]\({re.escape(before)}", f"]({after}", page.read_text(encoding="utf-8"))


def _inside(text: str) -> str:
    """Links to what has another place in the site than in the repository."""
    for before, after in (
        ("../rules/README.md", "adding-a-rule.md"),
        ("rules/README.md", "adding-a-rule.md"),
        ("CHANGELOG.md", "changes.md"),
        ("schemas/)", "schemas/config.json)"),
    ):
        text = text.replace(f"]({before}", f"]({after}")
    return text


def _settings(source: Path, target: Path) -> str:
    first = {path for _, path in NAVIGATION}
    pages = sorted(path.relative_to(source).as_posix() for path in source.rglob("*.md"))
    others = [page for page in pages if page not in first and not page.startswith("rules/")]
    navigation = [*NAVIGATION, *((_title(source / page), page) for page in others)]
    rules = [page for page in pages if page.startswith("rules/") and page != "rules/index.md"]
    lines = [
        f"site_name: specint {own_version()}",
        f"docs_dir: {source}",
        f"site_dir: {target}",
        "use_directory_urls: false",
        "theme:",
        "  name: material",
        "  font: false",
        "  features: [content.code.copy, navigation.indexes, search.suggest, toc.integrate]",
        "  palette:",
        "    - {media: '(prefers-color-scheme: light)', scheme: default}",
        "    - {media: '(prefers-color-scheme: dark)', scheme: slate}",
        "plugins: [search, offline]",
        "markdown_extensions: [tables, fenced_code, toc, pymdownx.highlight, pymdownx.superfences]",
        "validation: {links: {not_found: warn, anchors: warn, unrecognized_links: warn}}",
        "nav:",
        *(f"  - {title!r}: {page}" for title, page in navigation),
        "  - 'Each rule':",
        *(f"    - {page.removeprefix('rules/').removesuffix('.md')}: {page}" for page in rules),
    ]
    return "\n".join(lines) + "\n"


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") or page.stem


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else ROOT / "build" / "site"))
