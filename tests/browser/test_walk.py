"""The walk of somebody who asks: asked, watched, cited, taken away; by keyboard, without script, on a phone."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pypdfium2
import pytest
from docx import Document
from playwright.sync_api import expect

from tests.api_stack import QUESTION
from tests.browser.conftest import NARROW, Running

ANSWER, MARK = "[data-testid=answer]", "[data-testid=passage-text] mark"


def ask(page: Any, question: str) -> None:
    """From the page where one asks, with the Enter key."""
    page.goto("/")
    typed(page, question)


def typed(page: Any, question: str) -> None:
    """Into the page where one is."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[0-9A-Z]{26}$"))


def test_a_question_is_asked_and_its_answer_comes_by_itself(page: Any) -> None:
    ask(page, QUESTION)
    page.wait_for_selector(ANSWER)
    assert page.get_attribute(ANSWER, "data-verdict") == "benefit"
    expect(page.locator("h2.headline")).to_contain_text("Yes, in heart failure with reduced ejection fraction")
    expect(page.locator(".figures")).to_contain_text("HR 0.83")
    expect(page.get_by_test_id("studies")).to_contain_text("DAPA-HF 2019")
    assert page.title().startswith(QUESTION)


def test_what_is_chosen_for_a_run_is_what_it_is_asked_with(page: Any) -> None:
    page.goto("/")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Published from").fill("2015")
    page.get_by_label("to", exact=True).fill("2019")
    page.get_by_label("Be done within").select_option("60")
    page.get_by_label(re.compile("library")).check()
    typed(page, QUESTION)
    page.wait_for_selector(ANSWER)
    run = page.request.get(page.url.replace("/runs/", "/api/v1/runs/"), params={"record": "true"}).json()
    chosen = {"sources": ["library"], "deadline_s": 60, "from_year": 2015, "to_year": 2019}
    assert {name: run["options"][name] for name in chosen} == chosen
    years = {work["year"] for work in run["record"]["candidates"]}
    assert years <= {None, *range(2015, 2020)}
    assert len(years) > 2


def test_a_citation_opens_the_words_it_rests_on_and_says_whose_they_are(page: Any, running: Running) -> None:
    page.goto(f"/runs/{running.answered('Does dapagliflozin reduce mortality in heart failure?')}")
    first = page.locator("h2.headline ~ p a.cite, h2.headline a.cite").first
    first.click()
    panel = page.locator("ow-passage dialog[open]")
    expect(panel.locator(MARK).filter(has_text="HR 0.83").first).to_be_visible()
    expect(panel).to_contain_text("Our summary.")
    expect(panel.get_by_role("link", name=re.compile("PubMed"))).to_have_attribute(
        "href", "https://pubmed.ncbi.nlm.nih.gov/31535829/"
    )
    address = page.url
    assert "#" in address
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    assert page.evaluate("document.activeElement.classList.contains('cite')")
    page.goto("/")
    page.goto(address)
    expect(page.locator("ow-passage dialog[open]").locator(MARK).first).to_be_visible()


def test_the_walk_needs_no_mouse(page: Any) -> None:
    page.goto("/history")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    ask(page, QUESTION)
    page.wait_for_selector(ANSWER)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hasAttribute('data-passage')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("ow-passage dialog[open]").locator(MARK).first).to_be_visible()
    outline = page.evaluate("getComputedStyle(document.querySelector('ow-passage button')).outlineStyle")
    assert outline is not None


def test_without_script_everything_can_be_read(chromium: Any, running: Running) -> None:
    run_id = running.answered(QUESTION)
    context = chromium.new_context(base_url=running.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/runs/{run_id}")
    expect(page.locator("h2.headline")).to_contain_text("Yes")
    page.locator("a.cite").first.click()
    page.wait_for_url(re.compile(r"/passages/"))
    expect(page.locator(MARK).first).to_be_visible()
    for path in ("/", "/history", "/check", "/docs", f"/runs/{run_id}/evidence?which=cited&order=year"):
        assert page.goto(path).status == 200, path
        expect(page.locator("h1")).to_have_count(1)
    context.close()


def test_a_run_that_goes_on_is_told_step_by_step_and_can_be_cancelled(page: Any, stalled: Running) -> None:
    page.goto(f"{stalled.url}/")
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("[data-step=search] [data-sources]")).to_contain_text("found", timeout=15_000)
    expect(page.locator("[data-step][data-state=done]").first).to_be_visible()
    assert page.locator(ANSWER).count() == 0
    page.get_by_role("button", name="Cancel").click()
    message = page.get_by_test_id("message")
    expect(message).to_have_attribute("data-status", "cancelled", timeout=15_000)
    expect(message.get_by_role("button", name="Ask again")).to_be_visible()


def test_a_page_whose_connection_was_lost_takes_the_run_up_again(page: Any, stalled: Running) -> None:
    """The web app goes and comes back on its port; the page that was open shows the end all the same."""
    page.allowed_errors = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]
    page.goto(f"{stalled.url}/")
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("[data-step=search] [data-sources]")).to_contain_text("found", timeout=15_000)
    stalled.restart_api()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_test_id("message")).to_have_attribute("data-status", "cancelled", timeout=30_000)


@pytest.mark.parametrize("name", ["docx", "pdf", "html", "markdown", "ris", "bibtex", "csl-json", "references", "csv"])
def test_every_format_of_the_menu_is_downloaded_and_opens(page: Any, running: Running, name: str) -> None:
    page.goto(f"/runs/{running.answered(QUESTION)}")
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as waiting:
        page.locator(f'a[href$="/export/{name}"]').click()
    content = waiting.value.path().read_bytes()
    assert "DAPA-HF" in _text(name, content) or "Dapagliflozin in Patients" in _text(name, content)


def _text(name: str, content: bytes) -> str:
    """What a library reads in a file."""
    if name == "docx":
        file = Document(io.BytesIO(content))
        cells = (cell.text for table in file.tables for row in table.rows for cell in row.cells)
        return "\n".join([*(paragraph.text for paragraph in file.paragraphs), *cells])
    if name == "pdf":
        with pypdfium2.PdfDocument(content) as file:
            return "\n".join(file[n].get_textpage().get_text_bounded() for n in range(len(file)))
    if name == "csl-json":
        return " ".join(item["title"] for item in json.loads(content))
    if name == "csv":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.read("evidence.csv").decode() + archive.read("references.csv").decode()
    return content.decode()


def test_the_evidence_is_filtered_and_sorted_by_its_form(page: Any, running: Running) -> None:
    run_id = running.answered(QUESTION)
    page.goto(f"/runs/{run_id}/evidence")
    n_all = page.locator("[data-testid=works] > li").count()
    page.get_by_label("Which").select_option("cited")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url(re.compile("which=cited"))
    assert 0 < page.locator("[data-testid=works] > li").count() < n_all


def test_two_runs_are_compared_from_the_history(page: Any, running: Running) -> None:
    for _ in range(2):
        running.answered("Does apixaban reduce stroke in atrial fibrillation compared with warfarin?")
    page.goto("/history?q=apixaban")
    boxes = page.locator("[data-testid=history] input[type=checkbox]")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_test_id("compare-submit").click()
    page.wait_for_url(re.compile("/compare"))
    expect(page.get_by_test_id("versus")).to_contain_text("Verdict")
    expect(page.locator("h2", has_text="Sources cited")).to_be_visible()


def test_a_text_is_checked_sentence_by_sentence(page: Any) -> None:
    page.goto("/check?example=true")
    page.get_by_test_id("check-submit").click()
    report = page.get_by_test_id("report")
    expect(report).to_contain_text("Contradicted", timeout=15_000)
    expect(report).to_contain_text("3.09%")


def test_a_text_is_checked_against_a_work_that_is_looked_up(page: Any) -> None:
    page.goto("/check")
    page.get_by_label("The text").fill(
        "Death was less frequent with dexamethasone (29.9% versus 25.7% at 28 days). [1]"
    )
    page.get_by_label("PMID").fill("32678530")
    page.get_by_test_id("check-submit").click()
    expect(page.get_by_test_id("report")).to_contain_text("29.9%", timeout=20_000)
    assert "dexamethasone" in page.locator("[name=text]").first.input_value().lower()


def test_a_run_is_deleted_only_after_one_more_question(page: Any, running: Running) -> None:
    run_id = running.answered("Do statins reduce myocardial infarction?")
    page.allowed_errors = ["404"]
    page.goto(f"/runs/{run_id}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Delete").click()
    page.get_by_test_id("delete-confirm").click()
    page.wait_for_url(re.compile("/history"))
    assert page.goto(f"/runs/{run_id}").status == 404
    expect(page.get_by_test_id("error")).to_be_visible()


def test_the_colours_that_were_chosen_stay(page: Any) -> None:
    page.goto("/")
    button = page.locator("#theme")
    button.click()
    button.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto("/history")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_on_a_phone_the_passage_is_a_sheet_and_nothing_runs_out_of_the_page(page: Any, running: Running) -> None:
    run_id = running.answered(QUESTION)
    page.set_viewport_size(NARROW)
    page.goto(f"/runs/{run_id}")
    page.locator("a.cite").first.click()
    expect(page.locator("ow-passage dialog:modal").locator(MARK).first).to_be_visible()
    page.get_by_role("button", name="Close the passage").click()
    for path in ("/", f"/runs/{run_id}", f"/runs/{run_id}/evidence", "/check", "/history", "/docs", "/login"):
        page.goto(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= NARROW["width"], (path, width)


def test_paper_shows_the_answer_and_not_what_is_clicked(page: Any, running: Running) -> None:
    page.goto(f"/runs/{running.answered(QUESTION)}")
    page.emulate_media(media="print")
    expect(page.locator("h2.headline")).to_be_visible()
    expect(page.locator("ow-actions")).to_be_hidden()
    expect(page.locator("header.top nav")).to_be_hidden()
