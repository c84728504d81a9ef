"""The HTML report as somebody uses it, in the Chromium that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import specint
from specint.analysis.result import Result
from specint.outputs.html import report_html

# A browser is a process of its own: on a busy machine it may show an answer later than a test looks.
pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=2)]

KUMO = "KumoK2ForConditionalGeneration"
ROWS = ".matrix tbody tr:not([hidden])"


class Visit:
    """A page, and what went wrong on it or was asked for by it."""

    def __init__(self, page, path: Path) -> None:
        self.page = page
        self.address = path.as_uri()
        self.wrong: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def names(self) -> list[str]:
        return self.page.locator(f"{ROWS} a.model").all_inner_texts()

    def targets(self) -> list[str]:
        return self.page.locator(
            f".targets {ROWS} a.model".replace(".targets .matrix", ".matrix.targets")
        ).all_inner_texts()

    def fragment(self) -> str:
        return self.page.evaluate("location.hash")


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., Visit]]:
    """`visit(path, fragment, width=…, scheme=…)`; afterwards no page may have complained or asked for anything."""
    opened: list[Visit] = []

    def go(path: Path, fragment: str = "", *, width: int = 1280, scheme: str = "light") -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(10_000)
        made = Visit(context.new_page(), path)
        opened.append(made)
        made.page.goto(f"{made.address}{fragment}")
        return made

    yield go
    for one in opened:
        one.page.context.close()
        assert one.wrong == []
        assert {url.partition("#")[0] for url in one.requests if not url.startswith("data:")} <= {one.address}


def test_matrix_has_every_model_with_a_sign_and_a_word(visit, small_page, small_result: Result) -> None:
    page = visit(small_page)
    assert len(page.names()) == len(small_result.models)
    row = page.page.locator("tr", has_text=KUMO)
    assert "» one step" in row.inner_text()
    assert (
        f"{len(small_result.models)} of {len(small_result.models)} models" in page.page.locator("#shown").inner_text()
    )


def test_search_narrows_as_one_types_and_the_address_says_so(visit, small_page) -> None:
    page = visit(small_page)
    page.page.keyboard.press("/")
    page.page.keyboard.type("quartz vl")
    assert sorted(page.names()) == ["QuartzVLForConditionalGeneration", "QuartzVLMoeForConditionalGeneration"]
    assert page.fragment() == "#/?q=quartz+vl"
    page.page.keyboard.press("Escape")
    assert len(page.names()) > 2


@pytest.mark.parametrize(
    ("label", "value", "wanted"),
    [
        ("Kind", "draft", lambda model, _: "draft" in model.roles),
        ("Kind", "wrapper", lambda model, _: bool(model.wraps)),
        ("Verdict", "unknown", lambda model, columns: any(model.algorithms[c].verdict == "unknown" for c in columns)),
    ],
)
def test_filters(visit, small_page, small_result: Result, label, value, wanted) -> None:
    page = visit(small_page)
    columns = page.page.locator(".matrix thead .sort").all_inner_texts()[1:-1]
    page.page.get_by_label(label).select_option(value)
    assert sorted(set(page.names())) == sorted(model.name for model in small_result.models if wanted(model, columns))
    assert 0 < len(page.names()) < len(small_result.models)


def test_filter_by_rule_and_file(visit, small_page, small_result: Result) -> None:
    page = visit(small_page)
    page.page.get_by_label("Findings").select_option("spec-missing-delegation")
    delegations = [one for one in small_result.every_finding if one.rule == "spec-missing-delegation"]
    found = {one.class_.rpartition(".")[2] for one in delegations}
    assert set(page.names()) == found
    page.page.get_by_label("File").fill("kumo")
    assert page.names() == [KUMO]
    page.page.get_by_role("button", name="Clear filters").click()
    assert len(page.names()) == len(small_result.models)


@pytest.mark.parametrize("name", ["Kumo-K2", "someone/Kumo-K2-Instruct", "kumo_k2", "kumok2forconditionalgeneration"])
def test_search_takes_the_names_that_people_have(visit, small_page, name: str) -> None:
    page = visit(small_page)
    page.page.get_by_label("Search models").fill(name)
    assert page.names() == [KUMO]


def test_cell_leads_to_the_model_under_that_algorithm(visit, small_page) -> None:
    page = visit(small_page)
    page.page.locator("tr", has_text=KUMO).locator("[data-label=EAGLE3] a").click()
    assert page.fragment() == f"#/model/{KUMO}?on=EAGLE3"
    answer = page.page.locator(".answer").inner_text()
    assert "EAGLE3" in answer
    assert "one step away" in answer
    assert "set_eagle3_layers_to_capture" in answer
    patch = page.page.locator("section.patch").bounding_box()
    assert patch["y"] < page.page.locator(".finding").first.bounding_box()["y"], "the lines come before the evidence"


def test_totals_count_the_rows_that_are_shown_and_lead_to_them(visit, small_page) -> None:
    page = visit(small_page, "#/?algorithm=EAGLE3")
    row = page.page.locator(".totals tr", has_text="one step away")
    number = int(row.locator("a").inner_text())
    row.locator("a").click()
    assert len(page.targets()) == number > 0


def test_findings_are_counted_under_the_algorithm_that_is_shown(visit, small_page, small_result: Result) -> None:
    about = [one for one in small_result.every_finding if one.class_.endswith(KUMO)]
    under = [one for one in about if not one.algorithms or "EAGLE" in one.algorithms]
    assert len(under) < len(about)
    counted = visit(small_page, "#/?algorithm=EAGLE").page.locator("tr", has_text=KUMO).locator(".count").inner_text()
    assert sum(int(word) for word in counted.split() if word.isdigit()) == len(under)


def test_draft_stands_in_a_table_of_its_own(visit, small_page, small_result: Result) -> None:
    drafts = {model.name for model in small_result.models if "target" not in model.roles}
    page = visit(small_page).page
    assert set(page.locator(".matrix.drafts a.model").all_inner_texts()) == drafts
    assert not drafts & set(page.locator(".matrix.targets a.model").all_inner_texts())


@pytest.mark.parametrize("width", [390, 768, 1024, 1280, 1920])
def test_no_cell_prints_over_its_neighbour(visit, small_page, width: int) -> None:
    page = visit(small_page, "#/?columns=all", width=width).page
    over = page.evaluate(OVERPRINTED)
    assert over == []


def test_sort_by_model_and_back(visit, small_page) -> None:
    page = visit(small_page)
    page.page.get_by_role("button", name="model", exact=True).click()
    names = page.targets()
    assert names == sorted(names, key=str.lower)
    page.page.get_by_role("button", name="model", exact=True).click()
    assert page.targets() == list(reversed(names))
    assert page.page.locator("th[aria-sort=descending]").count() == 1


def test_address_of_a_view_shows_the_same_view(visit, small_page) -> None:
    first = visit(small_page)
    first.page.get_by_role("combobox", name="Algorithm").select_option("EAGLE3")
    first.page.get_by_label("Verdict").select_option("one step away")
    first.page.get_by_role("link", name=KUMO, exact=True).click()
    second = visit(small_page, first.fragment())
    assert second.names() == first.names()
    assert second.page.locator("#drawer-title").inner_text() == KUMO
    second.page.keyboard.press("Escape")
    second.page.locator("#drawer").wait_for(state="hidden")
    assert second.fragment() == "#/?verdict=one+step+away&algorithm=EAGLE3"
    second.page.go_back()
    assert second.page.locator("#drawer-title").inner_text() == KUMO


def test_drawer_tells_how_the_model_hangs_together(visit, small_page) -> None:
    page = visit(small_page, f"#/model/sglang.srt.models.kumo_k2.{KUMO}").page
    picture = page.locator(".picture svg")
    assert "OakV2ForCausalLM" in picture.inner_html()
    missing = picture.locator("g.missing path").first
    red = missing.evaluate("element => getComputedStyle(element).stroke")
    amounts = [int(part) for part in red.strip("rgb()").split(",")]
    assert amounts[0] > 150 > 2 * max(amounts[1:])
    assert "language_model" in picture.locator("g.missing text").first.text_content()
    requirement = page.locator(".requirement.missing", has_text="set_eagle3_layers_to_capture").first
    assert "OakForCausalLM" in requirement.inner_text()
    requirement.locator("summary", has_text="asked in").click()
    requirement.locator(".askers .place summary").first.click()
    assert "set_eagle3_layers_to_capture" in requirement.locator(".line.here").first.inner_text()


def test_evidence_shows_the_source_at_its_line(visit, small_page, small_result: Result) -> None:
    finding = next(one for one in small_result.every_finding if one.class_.endswith(KUMO) and one.evidence)
    seen = finding.evidence[0]
    page = visit(small_page, f"#/model/{finding.class_}").page
    place = (
        page.locator(".finding", has_text=finding.message).locator(".place", has_text=f"{seen.file}:{seen.line}").first
    )
    page.locator(".finding", has_text=finding.message).locator(".evidence > summary").click()
    place.locator("summary").click()
    line = small_result.lines(seen.file)[seen.line - 1].strip()
    assert line in place.locator(".line.here").inner_text()


def test_patch_is_copied_as_it_is(visit, small_page, small_result: Result) -> None:
    finding = next(one for one in small_result.every_finding if one.class_.endswith(KUMO) and one.patch)
    page = visit(small_page, f"#/model/{finding.class_}").page
    page.get_by_role("button", name="Copy patch").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    patches = {one.patch for one in small_result.every_finding if one.class_ == finding.class_}
    assert page.evaluate("navigator.clipboard.readText()") in patches


def test_keyboard_walks_the_matrix_opens_and_returns(visit, small_page) -> None:
    page = visit(small_page)
    page.page.keyboard.press("/")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("ArrowDown")
    second = page.names()[1]
    assert page.page.evaluate("document.activeElement.textContent") == second
    page.page.keyboard.press("Enter")
    assert page.page.locator("#drawer-title").inner_text() == second
    page.page.keyboard.press("j")
    assert page.page.locator("#drawer-title").inner_text() == page.names()[2]
    page.page.keyboard.press("Escape")
    assert page.page.evaluate("document.activeElement.textContent") == second


def test_contract_and_rule_have_pages(visit, small_page, small_result: Result) -> None:
    page = visit(small_page, "#/contract/EAGLE3").page
    assert page.locator("h2.algorithm").inner_text() == "EAGLE3"
    assert page.locator(".contract tbody tr", has_text="set_eagle3_layers_to_capture").count() >= 1
    page.goto(f"{small_page.as_uri()}#/rule/spec-missing-delegation")
    assert page.locator(".page h2").first.inner_text() == "spec-missing-delegation (E7701)"
    page.locator(".page a.chip").first.click()
    assert "rule=spec-missing-delegation" in page.evaluate("location.hash")


def test_earlier_release_is_beside_this_one(visit, small_page) -> None:
    page = visit(small_page, "#/releases")
    text = page.page.locator(".page").inner_text()
    assert "Became ok (1)" in text
    assert "OakForCausalLM" in text
    assert "BirchForCausalLM" in text
    page.page.goto(f"{page.address}#/?change=became+ok")
    assert page.names() == ["OakForCausalLM"]
    assert "became ok" in page.page.locator(ROWS).inner_text()


def test_unknown_addresses_are_answered(visit, small_page) -> None:
    page = visit(small_page, "#/model/no.such.Model").page
    assert page.locator("#drawer-title").inner_text() == "No such model"
    page.goto(f"{small_page.as_uri()}#/rule/%E0%A4%A?q=%")
    assert "No such rule" in page.locator(".page").inner_text()
    page.goto(f"{small_page.as_uri()}#/nowhere")
    assert page.locator(".matrix.targets").count() == 1


def brightness(page) -> int:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in colour.strip("rgb()").split(","))


def test_dark_follows_the_system_and_the_button(visit, small_page) -> None:
    assert brightness(visit(small_page).page) > 600
    dark = visit(small_page, scheme="dark").page
    assert brightness(dark) < 150
    dark.get_by_role("button", name="Theme: auto").click()
    assert brightness(dark) > 600
    dark.get_by_role("button", name="Theme: light").click()
    assert brightness(dark) < 150


@pytest.mark.parametrize("fragment", ["", f"#/model/sglang.srt.models.kumo_k2.{KUMO}", "#/contract/DSPARK", "#/rules"])
def test_phone_needs_no_sideways_scrolling(visit, small_page, fragment: str) -> None:
    page = visit(small_page, fragment, width=390).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if not fragment:
        row = page.locator(ROWS, has_text=KUMO)
        assert "one step" in row.inner_text()
        assert row.bounding_box()["width"] <= 390


def test_print_shows_the_model_and_no_controls(visit, small_page) -> None:
    page = visit(small_page, f"#/model/sglang.srt.models.kumo_k2.{KUMO}", scheme="dark").page
    page.emulate_media(media="print")
    assert brightness(page) > 600
    assert page.locator("#search").is_hidden()
    assert page.locator("#drawer-title").is_visible()
    assert page.locator(".steps").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "fragment",
    ["", f"#/model/sglang.srt.models.kumo_k2.{KUMO}", "#/contract/EAGLE3", "#/releases", "#/rules", "#/rule/E7701"],
)
def test_axe_finds_no_serious_problem(visit, small_page, fragment: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    answer = axe.Axe().run(visit(small_page, fragment, scheme=scheme).page).response
    assert any(one["id"] == "color-contrast" for one in answer["passes"]), "axe has looked"
    serious = [one for one in answer["violations"] if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in serious] == []


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- {{ data }}"


def test_hostile_texts_are_shown_and_not_obeyed(visit, small_result: Result, fixture_tree, tmp_path: Path) -> None:
    import shutil

    import msgspec

    home = tmp_path / "sglang"
    shutil.copytree(fixture_tree("sglang_small") / "sglang", home)
    model = home / "srt" / "models" / "kumo_k2.py"
    text = model.read_text(encoding="utf-8")
    model.write_text(text.replace(f"class {KUMO}", f"# {HOSTILE}\nclass {KUMO}"), encoding="utf-8")
    result = specint.analyze(home, cache=False)
    assert any(HOSTILE in line for line in result.lines("sglang/srt/models/kumo_k2.py"))
    findings = [
        msgspec.structs.replace(one, message=f"{one.message} {HOSTILE}", patch=HOSTILE) for one in result.findings
    ]
    models = [msgspec.structs.replace(one, name=f"{one.name}{HOSTILE}") for one in result.models]
    analysis = msgspec.structs.replace(
        result.analysis,
        models=tuple(models),
        sglang=msgspec.structs.replace(result.analysis.sglang, version=HOSTILE),
    )
    path = tmp_path / "report.html"
    path.write_bytes(report_html(Result(result.tree, analysis, result._store), findings))
    page = visit(path, f"#/model/sglang.srt.models.kumo_k2.{KUMO}").page
    page.wait_for_timeout(200)
    assert HOSTILE in page.locator("#drawer-title").inner_text()
    assert HOSTILE in page.locator(".finding").first.inner_text()
    page.locator(".finding .place summary").first.click()
    assert HOSTILE in page.locator(".finding .excerpt").first.inner_text()
    assert page.locator("img").count() == 0
    assert page.evaluate("document.scripts.length") == 2


@pytest.mark.release
def test_report_of_a_whole_release_is_small_and_quick(visit, release, tmp_path: Path) -> None:
    result = specint.analyze(release("0.5.23"))
    data = report_html(result, result.findings)
    assert len(data) < 3_000_000
    path = tmp_path / "report.html"
    path.write_bytes(data)
    paints, filters = [], []
    for _ in range(3):  # the best of three, since others use the machine too
        page = visit(path).page
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        filters.append(page.evaluate(FILTER))
        assert 0 < page.locator(ROWS).count() < 20
    assert min(paints) < 2000, "the figure is in docs/report.md"
    assert min(filters) < 300, "likewise"


OVERPRINTED = """() => [...document.querySelectorAll('.matrix th, .matrix td, .totals th, .totals td')]
    .filter((cell) => cell.offsetParent && (cell.closest('thead')?.offsetWidth ?? 9) > 1)
    .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)"""

FILTER = """() => {
    const box = document.getElementById('search');
    const began = performance.now();
    box.value = 'kimi';
    box.dispatchEvent(new Event('input'));
    document.body.offsetHeight;
    return performance.now() - began;
}"""


def test_cells_count_what_check_counts(visit, heirs: Path) -> None:
    names = visit(heirs, "#/?rule=spec-broken-delegation").names()
    assert "Parent" in names
    assert "Heir" not in names
    assert visit(heirs, "#/").page.locator("tr", has_text="Heir").locator(".count").inner_text().strip() == "\u2013"
    drawer = visit(heirs, "#/model/Heir").page.locator("#drawer-title ~ *, section").all_inner_texts()
    assert any("1 told with a base" in text for text in drawer)
