"""The chain PMC -> Europe PMC -> Unpaywall -> abstract: what is asked when, and what is told about it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

import pytest
from fulltext_samples import PdfText, article, pdf
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_contracts.evidence import Identifiers
from openwork_fulltext.adapters.chain import FulltextOutcome, fetch_fulltext
from openwork_fulltext.domain.plan import Attempt, Progress, Services, Step, next_request, read_unpaywall
from openwork_http.messages import HttpRequest

SERVICES = Services(
    "https://ncbi", "https://epmc", "https://unpaywall", contact="me@example.org", ncbi_api_key="secret"
)
IDS = Identifiers(pmid="30000001", pmcid="PMC6000001", doi="10.1234/trial.1")
ARTICLE = article("<sec><title>Results</title><p>Fewer deaths.</p></sec>")
FRONT_ONLY = article(meta="<abstract><p>Short.</p></abstract>")


@dataclass
class Answer:
    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> AsyncIterator[bytes]:
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield self.content[:7]
        yield self.content[7:]


class ScriptedHttp:
    """Answers by the beginning of the address; an exception in the script is raised. Keeps what was asked."""

    def __init__(self, script: Mapping[str, object]) -> None:
        self._script = script
        self.asked: list[HttpRequest] = []

    async def send(self, request: HttpRequest) -> Answer:
        self.asked.append(request)
        for start, answer in self._script.items():
            if request.url.startswith(start):
                if isinstance(answer, Exception):
                    raise answer
                assert isinstance(answer, Answer)
                return answer
        return Answer(404)


async def run(script: Mapping[str, object], ids: Identifiers = IDS) -> tuple[FulltextOutcome, ScriptedHttp]:
    http = ScriptedHttp(script)
    return await fetch_fulltext(ids, http, SERVICES), http


def a_pdf() -> bytes:
    page = PdfText()
    page.paragraph(
        60, 700, ["The trial randomised 240 adults with heart failure", "to drug A or placebo for a year."] * 3
    )
    return pdf([page])


async def test_pmc_is_asked_first_and_is_enough() -> None:
    outcome, http = await run({"https://ncbi": Answer(200, ARTICLE)})
    assert outcome.source == "pmc"
    assert outcome.document is not None
    assert outcome.document.title == "Drug A versus placebo"
    assert len(http.asked) == 1
    assert dict(http.asked[0].params)["id"] == "6000001"
    assert outcome.url is not None
    assert "secret" not in outcome.url
    assert "example.org" not in outcome.url


async def test_europepmc_is_asked_where_pmc_gives_the_front_only() -> None:
    outcome, _ = await run({"https://ncbi": Answer(200, FRONT_ONLY), "https://epmc": Answer(200, ARTICLE)})
    assert outcome.source == "europepmc"
    assert outcome.url == "https://epmc/PMC6000001/fullTextXML"
    assert outcome.tried[0].startswith("PMC: gives the abstract only")
    assert outcome.tried[1].startswith("Europe PMC: read (jats")


async def test_pdf_that_unpaywall_names_is_tried_last() -> None:
    locations = {"best_oa_location": {"url_for_pdf": "https://repo/a.pdf"}, "oa_locations": None, "is_oa": True}
    script = {"https://unpaywall": Answer(200, json.dumps(locations).encode()), "https://repo": Answer(200, a_pdf())}
    outcome, http = await run(script)
    assert outcome.source == "unpaywall"
    assert [request.url for request in http.asked][-2:] == [
        "https://unpaywall/10.1234/trial.1",
        "https://repo/a.pdf",
    ]
    assert len(outcome.tried) == 4


async def test_second_pdf_is_tried_when_the_first_is_a_landing_page() -> None:
    others = [{"url_for_pdf": url} for url in ("https://one/a.pdf", None, "https://two/b")]
    found = {"best_oa_location": {"url_for_pdf": "https://one/a.pdf"}, "oa_locations": others}
    script = {
        "https://unpaywall": Answer(200, json.dumps(found).encode()),
        "https://one": Answer(200, b"<!doctype html><html>Log in</html>"),
        "https://two": Answer(200, a_pdf()),
    }
    outcome, _ = await run(script)
    assert outcome.url == "https://two/b"
    assert any("HTML page" in words for words in outcome.tried)


async def test_missing_pmcid_is_looked_up_and_identifiers_must_agree() -> None:
    hits = [{"id": "1", "pmid": "9", "pmcid": "PMC9"}, {"pmid": "30000001", "pmcid": "PMC6000001"}]
    lookup = Answer(200, json.dumps({"resultList": {"result": hits}}).encode())
    outcome, http = await run(
        {"https://epmc/search": lookup, "https://ncbi": Answer(200, ARTICLE)}, Identifiers(pmid="30000001")
    )
    assert outcome.source == "pmc"
    assert outcome.identifiers.pmcid == "PMC6000001"
    assert dict(http.asked[0].params)["query"] == "EXT_ID:30000001 AND SRC:MED"


async def test_text_of_another_work_is_not_taken() -> None:
    other = Identifiers(pmcid="PMC7777777")
    outcome, _ = await run({"https://ncbi": Answer(200, ARTICLE), "https://epmc": Answer(200, ARTICLE)}, other)
    assert outcome.document is None
    assert "another work" in outcome.tried[0]
    assert outcome.reason is None


async def test_nothing_found_is_not_a_failure_and_a_failure_is_named() -> None:
    nothing, _ = await run({"https://unpaywall": Answer(200, b'{"is_oa": false, "best_oa_location": null}')})
    assert (nothing.document, nothing.reason) == (None, None)
    assert nothing.tried[-1] == "Unpaywall: no free copy is known"
    down = {
        "https://ncbi": SourceUnavailable("no answer in 10 s", reason=FailureReason.TIMEOUT),
        "https://epmc": Answer(503),
        "https://unpaywall": Answer(429),
    }
    failed, http = await run(down)
    assert failed.reason is FailureReason.RATE_LIMITED
    assert failed.tried == (
        "PMC: no answer in 10 s",
        "Europe PMC: gave no answer (503)",
        "Unpaywall: its rate limit is used up (429)",
    )
    assert len(http.asked) == 3


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"a": 1}'])
async def test_changed_answer_of_the_lookup_does_not_end_the_chain(body: bytes) -> None:
    outcome, _ = await run(
        {"https://epmc/search": Answer(200, body), "https://unpaywall": Answer(404)}, Identifiers(doi="10.1234/x")
    )
    assert outcome.reason is FailureReason.CHANGED
    assert len(outcome.tried) == 2


async def test_work_without_identifiers_is_asked_nowhere() -> None:
    outcome, http = await run({}, Identifiers())
    assert outcome.tried == ("nothing to ask with: no PMCID, PMID or DOI",)
    assert not http.asked


def test_unpaywall_is_left_out_without_a_contact_address() -> None:
    progress = Progress(Identifiers(doi="10.1234/x"), (Attempt(Step.LOOKUP, "no PMCID is known for it"),))
    assert next_request(progress, Services()) is None


def test_closed_work_has_no_place_and_an_open_one_may_have_no_pdf() -> None:
    closed = {"is_oa": False, "best_oa_location": None, "oa_locations": []}
    page = {"url": "https://a.org/x", "url_for_pdf": None}
    for answer, words in ((closed, "no free copy"), (closed | {"is_oa": True, "best_oa_location": page}, "no address")):
        progress = read_unpaywall(Progress(IDS), json.dumps(answer).encode())
        assert progress.pdf_urls == ()
        assert words in progress.tried[0]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/a.pdf", "javascript:x", "https://a b", None, 3])
def test_addresses_that_are_no_web_addresses_are_not_asked(url: object) -> None:
    body = json.dumps({"best_oa_location": {"url_for_pdf": url}, "is_oa": True}).encode()
    progress = read_unpaywall(Progress(IDS), body)
    assert progress.pdf_urls == ()
    assert "no address of a PDF" in progress.tried[0]
