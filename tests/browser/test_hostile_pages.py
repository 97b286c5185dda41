"""Texts of other people that mean to do harm, or are very long: pages stay inert, whole and usable."""

from __future__ import annotations

from typing import Any

import pytest
from openwork_contracts.answer import AnswerBody, AnswerDocument
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import Decision, RunRecord
from openwork_report.words import one_line

from tests import exports
from tests.browser.conftest import NARROW, Running

LONG = "Apixaban lowered stroke in many words. " * 55_000
"""Over two million characters."""


def _document(text: str, run_id: str) -> AnswerDocument:
    """A document with the text in every part that comes from somebody else."""
    passage = RankedPassage(
        n=1, passage_id=f"p/{one_line(text)[:20]}", candidate_id="pmid:1001", section=text[:300],
        start=0, end=len(text), text=text,
        score=0.9, passage_score=0.9, document_score=0.9,
    )  # fmt: skip
    claim = exports.claim(quote=text[:200])
    span = claim.evidence[0].model_copy(update={"passage_id": passage.passage_id, "start": 0, "end": len(text[:200])})
    claims = (claim.model_copy(update={"evidence": (span,), "text": text[:2000]}),)
    made = exports.full(text[:20_000])
    reference = made.references[0].model_copy(update={"id": "pmid:1001", "url": "javascript:alert(1)"})
    record = made.record or RunRecord()
    works = tuple(
        work.model_copy(update={"identifiers": work.identifiers.model_copy(update={"url": "javascript:alert(1)"})})
        for work in record.candidates
    )
    return made.model_copy(
        update={
            "run_id": run_id,
            "references": (reference,),
            "record": record.model_copy(update={"passages": (passage,), "candidates": works}),
            "answer": AnswerBody(markdown="Apixaban lowered stroke [1].", claims=claims),
        }
    )


@pytest.mark.parametrize("text", exports.HOSTILE, ids=range(len(exports.HOSTILE)))
def test_a_hostile_text_is_only_ever_read(page: Any, running: Running, text: str) -> None:
    run_id = running.put(lambda run_id: _document(text, run_id))
    asked_elsewhere: list[str] = []
    page.on("request", lambda request: asked_elsewhere.append(request.url) if running.url not in request.url else None)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.set_viewport_size(NARROW)
    for path in ("", "/evidence"):
        assert page.goto(f"/runs/{run_id}{path}").status == 200
        assert page.locator("h1").count() == 1
        assert page.locator('a[href^="javascript" i], main script, main iframe, main img[src^="http"]').count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], path
    page.goto(f"/runs/{run_id}")
    if page.locator("a.cite").count():
        page.locator("a.cite").first.click()
        page.wait_for_selector("ow-passage dialog[open] [data-testid=passage-text]")
    assert asked_elsewhere == []


def test_two_million_characters_and_three_hundred_references_stay_usable(page: Any, running: Running) -> None:
    def made(run_id: str) -> AnswerDocument:
        document = _document(LONG, run_id)
        references = [document.references[0], *(exports.reference(n) for n in range(2, 301))]
        return document.model_copy(update={"references": tuple(references)})

    run_id = running.put(made)
    page.goto(f"/runs/{run_id}")
    assert page.locator("[data-testid=references] > li").count() == 300
    page.locator("a.cite").first.click()
    page.wait_for_selector("ow-passage dialog[open] [data-testid=passage-text]")
    assert len(page.content()) < 2_000_000


def test_a_decision_of_every_kind_is_told_in_words(page: Any, running: Running) -> None:
    def made(run_id: str) -> AnswerDocument:
        works = tuple(exports.work(f"w{n}", decision) for n, decision in enumerate(Decision))
        return exports.document(run_id=run_id, record=RunRecord(candidates=works))

    page.goto(f"/runs/{running.put(made)}/evidence")
    assert page.locator("[data-testid=works] > li").count() == len(Decision)
    assert "_" not in page.locator("[data-testid=works]").inner_text()
