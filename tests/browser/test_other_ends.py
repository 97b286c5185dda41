"""What is met instead of an answer: turned away, asked back, too little evidence, a failure, somebody else's run."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.api_stack import QUESTION
from tests.browser.conftest import Running


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Should I stop taking my warfarin before my dentist on Friday?", "advise"),
        ("and its side effects?", "name the drug"),
        ("¿La metformina reduce la mortalidad en la diabetes?", "English"),
    ],
)
def test_a_question_that_is_not_searched_for_is_told_why_and_can_be_edited(
    page: Any, running: Running, question: str, words: str
) -> None:
    page.goto(f"/runs/{running.answered(question)}")
    message = page.get_by_test_id("message")
    expect(message).to_have_attribute("data-status", "rejected")
    expect(message).to_contain_text(re.compile(words, re.IGNORECASE))
    message.get_by_role("link", name="Edit the question").click()
    expect(page.get_by_label("Your question")).to_have_value(question)


def test_too_little_evidence_says_first_what_was_not_found(page: Any, running: Running) -> None:
    page.goto(f"/runs/{running.answered('Does apixaban reduce stroke in pregnant women with atrial fibrillation?')}")
    answer = page.get_by_test_id("answer")
    expect(answer).to_have_attribute("data-status", "too_little_evidence")
    expect(page.locator("h2.headline")).to_contain_text(re.compile("not found|contains no", re.IGNORECASE))
    expect(page.locator(".figures")).to_have_count(0)


def test_a_run_that_failed_can_be_asked_again(page: Any, stalled: Running) -> None:
    run_id = stalled.asked(QUESTION, deadline_s=2)
    page.goto(f"{stalled.url}/runs/{run_id}")
    message = page.get_by_test_id("message")
    expect(message).to_have_attribute("data-status", "failed", timeout=60_000)
    expect(message.get_by_role("button", name="Ask again")).to_be_visible()


def test_a_run_that_is_not_there_is_a_page_that_says_so(page: Any) -> None:
    page.allowed_errors = ["404"]
    assert page.goto("/runs/01BX5ZZKBKACTAV9WEVGEMMVRZ").status == 404
    expect(page.get_by_test_id("error")).to_contain_text("run")
    assert page.goto("/nothing").status == 404


def test_somebody_elses_run_is_not_there(chromium: Any, running: Running) -> None:
    """Two persons with keys, each in a browser of their own."""
    with running.closed_api() as (url, key_of):
        alice, bob = chromium.new_context(base_url=url), chromium.new_context(base_url=url)
        hers, his = alice.new_page(), bob.new_page()
        for page, person in ((hers, "alice"), (his, "bob")):
            page.goto("/")
            page.wait_for_url(re.compile("/login"))
            page.get_by_label("Your key").fill(key_of[person])
            page.get_by_role("button", name="Sign in", exact=True).click()
            page.wait_for_url(f"{url}/")
        hers.get_by_label("Your question").fill(QUESTION)
        hers.keyboard.press("Enter")
        hers.wait_for_selector("[data-testid=answer]")
        address = hers.url
        assert his.goto(address).status == 404
        for path in ("/evidence", "/passages/x"):
            assert his.goto(f"{address}{path}").status == 404, path
        his.goto("/history")
        expect(his.locator("main")).to_contain_text("Nothing yet")
        hers.goto("/history")
        expect(hers.get_by_test_id("history")).to_contain_text("dapagliflozin")
        alice.close()
        bob.close()
