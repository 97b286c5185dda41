"""axe-core finds nothing, on every page, light and dark, wide and narrow."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.api_stack import QUESTION
from tests.browser.conftest import NARROW, WIDE, Running
from tests.reviews import reviewed

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_axe_finds_nothing_on_any_page(chromium: Any, running: Running, scheme: str, size: dict[str, int]) -> None:
    run_id, other = running.answered(QUESTION), running.answered(QUESTION)
    little = running.answered("Does apixaban reduce stroke in pregnant women with atrial fibrillation?")
    rejected = running.answered("and its side effects?")
    asked = {"submitted_at": datetime.now(UTC)}  # among the others of today: a list has each day once
    review = running.put(lambda name: reviewed().model_copy(update={"run_id": name, **asked}))
    context = chromium.new_context(base_url=running.url, color_scheme=scheme, viewport=size, reduced_motion="reduce")
    page = context.new_page()
    paths = ["/", "/history", "/check?example=true", "/docs", "/login", f"/compare?a={run_id}&b={other}"]
    paths += [f"/runs/{one}" for one in (run_id, little, rejected)]
    paths += [f"/runs/{run_id}/evidence", f"/runs/{review}", f"/runs/{review}/screening", "/nothing"]
    page.goto(f"/runs/{run_id}")
    paths.append(page.locator("a.cite").first.get_attribute("href"))
    found = {}
    for path in paths:
        page.goto(path)
        found[path] = _violations(page)
    page.goto(f"/runs/{run_id}")
    page.locator("a.cite").first.click()
    page.wait_for_selector("ow-passage dialog[open] mark")
    found["the opened passage"] = _violations(page)
    page.goto(f"/runs/{review}")
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    found["a review with all that is folded"] = _violations(page)
    context.close()
    assert {path: rules for path, rules in found.items() if rules} == {}


def test_axe_finds_nothing_on_a_run_that_goes_on(page: Any, stalled: Running) -> None:
    run_id = stalled.asked(QUESTION)
    page.goto(f"{stalled.url}/runs/{run_id}")
    page.wait_for_selector("[data-step=search] [data-sources] li", timeout=15_000)
    assert _violations(page) == []


def _violations(page: Any) -> list[str]:
    report = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in report]
