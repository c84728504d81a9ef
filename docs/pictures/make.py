"""Make the pictures of the docs from real reports: `python docs/pictures/make.py [RELEASE [EARLIER]]`.

Needs the packages of `specint[dev]` and an installed Chromium. The same run measures what docs/report.md states.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import specint
from specint.checks.selection import select_findings, selected_symbols
from specint.outputs.diagrams.diagram import around, find_class
from specint.outputs.diagrams.svg import svg
from specint.outputs.html import report_html

HERE = Path(__file__).parent
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
MODEL = "#/model/sglang.srt.models.kimi_vl.KimiVLForConditionalGeneration"
PICTURES = (
    # name, fragment, width, height, colours
    ("matrix", "", 1280, 800, "light"),
    ("matrix-dark", "#/?q=kimi", 1280, 420, "dark"),
    ("model", MODEL, 1280, 900, "light"),
    ("contract", "#/contract/EAGLE3", 1280, 760, "light"),
    ("releases", "#/releases", 1280, 700, "light"),
    ("phone", "#/?q=kimi", 390, 844, "light"),
)
FILTER = """(text) => {
  const box = document.getElementById('search');
  box.value = text;
  box.dispatchEvent(new Event('input'));
  document.body.offsetHeight; // the layout that the filter asks for belongs to its time
}"""


def main(release: str = "0.5.23", earlier: str = "0.5.9") -> None:
    """Write the pictures beside this file, and print the figures."""
    result, before = specint.analyze(release), specint.analyze(earlier)
    findings = select_findings(result.findings, selected_symbols((), ()))
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        report.write_bytes(report_html(result, findings, (), before))
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        for name, fragment, width, height, scheme in PICTURES:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(f"{report.as_uri()}{fragment}")
            page.screenshot(path=HERE / f"{name}.png")
            context.close()
        picture = svg(around(result, find_class(result, "DeepseekV3ForCausalLM")))
        (HERE / "inner-of.svg").write_text(picture, encoding="utf-8")
        print(f"{len(result.models)} models of SGLang {release}, beside {earlier}: {report.stat().st_size:,} bytes")
        measured = [measure(browser.new_page(), report) for _ in range(7)]
        for name in measured[0]:
            values = [one[name] for one in measured]
            spread = f"{min(values):.0f} to {max(values):.0f}"
            print(f"{name}: {statistics.median(values):.0f} ms (median of {len(values)}; {spread})")
        browser.close()


def measure(page: Page, report: Path) -> dict[str, float]:
    """The first paint by the clock, the rest in processor time of the page: what else the machine does is not in it."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[f"{name}Duration"] for name in ("Script", "Layout", "RecalcStyle"))

    page.goto(report.as_uri())
    page.wait_for_timeout(300)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    found = {"first paint, by the clock": paint, "opening the page, processor": spent()}
    for text in ("k", "kimi", ""):
        before = spent()
        page.evaluate(FILTER, text)
        found[f"searching for {text!r}, processor" if text else "clearing the search, processor"] = spent() - before
    before = spent()
    page.evaluate(f"location.hash = {MODEL!r}")
    page.locator("#drawer-title").wait_for()
    found["opening a model, processor"] = spent() - before
    page.close()
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
