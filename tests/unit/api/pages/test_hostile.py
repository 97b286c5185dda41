"""Texts that mean to do harm, and texts without end: pages stay inert, whole and quick."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from openwork_api.pages.views.links import links_of_reference, web_address
from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus
from openwork_contracts.verdict import EvidenceSpan
from openwork_gateway.results import put_document

from tests.exports import HOSTILE, RUN, claim, document, full, reference
from tests.memory_asker import MemoryAsker, api_client
from tests.reviews import reviewed
from tests.unit.api.pages.made import PASSAGE_ID, TEXT, Read, answered, page_of, record

PASSAGE = "pmid%3A1001%230%2Fx%20y%3Fz"
OF_A_RUN = (f"/runs/{RUN}", f"/runs/{RUN}/evidence", f"/check?run={RUN}", "/history", f"/compare?a={RUN}&b={RUN}", "/")
ELEMENTS = frozenset(
    """
    html head meta title link script body a header div svg path circle nav ul li button main footer p h1 h2 h3 article
    section span dl dt dd table caption thead tbody tr th td details summary ol bdi q aside template dialog form input
    textarea label select option fieldset legend noscript time meter figure figcaption rect text desc polygon line g
    strong kbd b mark blockquote em code pre ow-passage ow-actions ow-ask ow-check ow-pick
    """.split()  # noqa: SIM905 - a list of words is read, not counted
)


def _hostile(text: str) -> AnswerDocument:
    """The text wherever a text of somebody else can stand."""
    made = full(text)
    assert made.record
    with_text = record(text or "x")
    works = (*made.record.candidates, *with_text.candidates)
    everything = made.record.model_copy(update={"candidates": works, "passages": with_text.passages})
    return made.model_copy(update={"record": everything})


@pytest.mark.parametrize("path", [*OF_A_RUN, f"/runs/{RUN}/passages/{PASSAGE}"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_text_of_others_becomes_no_element_no_attribute_and_no_foreign_link(text: str, path: str) -> None:
    read = Read(await page_of(_hostile(text), path))
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    assert [
        one for _, attributes in read.elements for one in attributes if one.startswith("on") or one == "style"
    ] == []
    assert all(str(one["src"]).startswith("/static/") for one in read.all("script"))
    for link in read.all("a"):
        assert str(link["href"]).startswith(("/", "#", "?", "https://", "http://")), link
    assert read.all("img") == []
    assert len(read.all("h1")) == 1


@pytest.mark.parametrize("path", [f"/runs/{RUN}", f"/runs/{RUN}/screening"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_text_of_others_in_a_review_becomes_no_element_and_no_foreign_link(text: str, path: str) -> None:
    read = Read(await page_of(reviewed(text), path))
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    assert [
        one for _, attributes in read.elements for one in attributes if one.startswith("on") or one == "style"
    ] == []
    assert all(str(link["href"]).startswith(("/", "#", "https://")) for link in read.all("a"))
    assert len(read.all("h1")) == 1


@pytest.mark.parametrize("message", HOSTILE, ids=range(len(HOSTILE)))
async def test_a_message_in_markdown_makes_no_element_and_leads_nowhere_else(message: str) -> None:
    made = document(status=RunStatus.FAILED, answer=AnswerBody(markdown=message))
    read = Read(await page_of(made, f"/runs/{RUN}"))
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    assert all(not str(one["href"]).lower().startswith(("javascript", "data", "vbscript")) for one in read.all("a"))


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", " https://x", "https://a b", "//x", ""]
)
def test_an_address_that_is_not_http_is_no_link(url: str) -> None:
    assert web_address(url) is None
    bare = {"pmid": None, "doi": None, "nct_id": None}
    assert links_of_reference(reference(url=url, **bare)) == ()


def test_an_identifier_cannot_leave_its_address() -> None:
    (link,) = links_of_reference(reference(doi='10.1/"><script>?a#b', pmid=None, url=None))
    assert link.address == "https://doi.org/10.1/%22%3E%3Cscript%3E%3Fa%23b"


@pytest.mark.parametrize("query", ['"><script>alert(1)</script>', "' onfocus=alert(1) '", "{{7*7}}", "\u202eabc"])
@pytest.mark.parametrize("path", ["/?q=", "/history?q=", "/login?next=", "/check?run=", f"/runs/{RUN}/evidence?q="])
async def test_what_stands_in_the_address_stays_text(path: str, query: str) -> None:
    read = Read(await page_of(answered(), path + quote(query)))
    assert [one for one in read.all("script") if "src" not in one] == []
    assert [one for _, attributes in read.elements for one in attributes if one.startswith("on")] == []
    assert "49" not in read.text.split("{{")[0][:200]


async def test_a_question_of_20000_characters_is_folded() -> None:
    question = "word " * 4_000
    html = await page_of(answered(question=question), f"/runs/{RUN}")
    heading = html.split("<h1", 1)[1].split("</h1>")[0]
    assert len(heading) < 500
    assert "The whole question" in html
    assert len(Read(html).title) < 120


async def test_a_passage_of_two_megabytes_is_shown_around_the_marked_words_and_whole_on_demand() -> None:
    quote = TEXT.split("\n")[1]
    filler = "Nothing to see here. " * 50_000
    text = f"{filler}{quote}{filler}"
    start = 400 + len(filler)
    span = EvidenceSpan(n=1, quote=quote, start=start, end=start + len(quote), passage_id=PASSAGE_ID)
    sentence = claim().model_copy(update={"evidence": (span,)})
    made = answered(record=record(text), answer=AnswerBody(markdown="x", claims=(sentence,)))
    html = await page_of(made, f"/runs/{RUN}/passages/{PASSAGE}?claim=1")
    assert len(html) < 30_000
    assert f"<mark>{quote}</mark>" in html
    assert "Show all 2,1" in html
    assert len(await page_of(made, f"/runs/{RUN}/passages/{PASSAGE}?all=true")) > 2_000_000
    assert len(await page_of(made, f"/runs/{RUN}")) < 100_000


async def test_three_hundred_references_are_all_there() -> None:
    made = answered().model_copy(update={"references": tuple(reference(n) for n in range(1, 301))})
    asker = MemoryAsker()
    await put_document(asker.results, made)
    async with api_client(asker) as client:
        html = (await client.get(f"/runs/{RUN}", headers={"Accept": "text/html"})).text
    assert 'id="ref-300"' in html
