"""What has become of the works that were found: who is asked, who said what, and that no run waits for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, NoticeLink, StatusReport
from openwork_evidence.retractions import import_retractions
from openwork_http.client import HttpClient
from openwork_normaliser.adapters.statuses import MOST_CALLS, StatusCheck
from openwork_normaliser.domain.normalise import SourceBatch, normalise
from openwork_normaliser.domain.statuses import StatusAnswers, to_ask, with_reports
from openwork_normaliser.settings import Settings

from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.server import Server
from tests.unit.evidence.test_retractions import file_of, row
from tests.unit.normaliser.test_normalise import record

RETRACTED = {"type": "retraction", "DOI": "10.1000/notice", "source": "retraction-watch"}


def works(n: int, *, status: EvidenceStatus = EvidenceStatus.NOT_CHECKED) -> tuple[EvidenceCandidate, ...]:
    records = tuple(
        record("pubmed", f"Trial {i} of apixaban in elderly people", pmid=str(i), doi=f"10.1000/w{i}", status=status)
        for i in range(1, n + 1)
    )
    return normalise([SourceBatch("pubmed", records)]).candidates


class Crossref:
    """Knows every DOI it is asked for, but for those that it does not."""

    def __init__(self, *, retracted: str = "", unknown: str = "", refuses: str = "") -> None:
        self.retracted, self.unknown, self.refuses = retracted, unknown, refuses
        self.calls: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.calls.append(request)
        dois = [part.removeprefix("doi:") for part in request.get("filter").split(",")]
        if self.refuses in dois:
            return Reply(b'{"status":"failed","message-type":"validation-failure"}', 400)
        items = [
            {"DOI": doi.upper(), "title": ["A trial"], "updated-by": [RETRACTED] if doi == self.retracted else []}
            for doi in dois
            if doi != self.unknown
        ]
        return json_reply({"status": "ok", "message": {"items": items}})


async def asked(
    server: Server, candidates: tuple[EvidenceCandidate, ...], *, folder: Path | None = None, status_s: float = 4.0
) -> StatusAnswers:
    settings = Settings(
        crossref_base_url=server.url,
        contact_email="someone@example.org",
        reachability_file=None,
        retractions_dir=folder,
        status_s=status_s,
        http_tries=1,
    )
    check = StatusCheck(settings)
    async with HttpClient(settings) as client:
        check.use(client)
        return await check.ask(candidates, "run-1")


def known(candidates: tuple[EvidenceCandidate, ...], answers: StatusAnswers) -> dict[str, EvidenceCandidate]:
    made = [with_reports(one, answers.reports.get(one.candidate_id, ())) for one in candidates]
    return {one.candidate_id: one for one in made}


async def test_a_retraction_that_no_source_told_of_is_known_with_who_said_so_and_its_notice() -> None:
    crossref, found = Crossref(retracted="10.1000/w2"), works(3, status=EvidenceStatus.NONE)
    async with Server(crossref) as server:
        after = known(found, await asked(server, found))
    second = after["pmid:2"]
    assert second.status is EvidenceStatus.RETRACTED
    assert second.status_reports == (
        StatusReport(by="pubmed", status=EvidenceStatus.NONE),
        StatusReport(by="crossref: retraction-watch", status=EvidenceStatus.RETRACTED, notice="10.1000/notice"),
    )
    assert NoticeLink(kind="retracted_by", doi="10.1000/notice") in second.links
    assert after["pmid:1"].status is EvidenceStatus.NONE


async def test_what_crossref_knows_no_notice_of_is_checked_and_what_it_does_not_have_is_not() -> None:
    crossref, found = Crossref(unknown="10.1000/w2"), works(2)
    async with Server(crossref) as server:
        after = known(found, await asked(server, found))
    assert after["pmid:1"].status is EvidenceStatus.NONE
    assert after["pmid:2"].status is EvidenceStatus.NOT_CHECKED
    assert after["pmid:2"].status_reports == ()


async def test_500_works_are_asked_for_in_at_most_ten_calls_to_the_polite_pool() -> None:
    crossref, found = Crossref(), works(500)
    async with Server(crossref) as server:
        answers = await asked(server, found, status_s=20)
    assert len(crossref.calls) <= MOST_CALLS
    assert len(answers.reports) == 500
    assert {call.get("mailto") for call in crossref.calls} == {"someone@example.org"}


async def test_a_doi_that_crossref_refuses_costs_no_other_its_answer() -> None:
    crossref, found = Crossref(refuses="10.1000/w3"), works(8)
    async with Server(crossref) as server:
        answers = await asked(server, found, status_s=20)
    assert set(answers.reports) == {one.candidate_id for one in found} - {"pmid:3"}
    assert len(crossref.calls) <= MOST_CALLS
    assert answers.degradations == ("status not checked for 1 works: Crossref refused the request",)


async def test_a_crossref_that_does_not_answer_keeps_no_run_and_is_told_once() -> None:
    found = works(5)
    async with Server(Crossref()) as server:
        server.fault("hang")
        answers = await asyncio.wait_for(asked(server, found, status_s=0.3), 60)  # it hangs for hours
    assert answers.reports == {}
    (line,) = answers.degradations
    assert line.startswith("status not checked for 5 works: Crossref ")


@pytest.mark.parametrize("fault", ["500", "429", "html", "schema", "cut"])
async def test_whatever_is_wrong_with_crossref_no_error_leaves(fault: str) -> None:
    found = works(3)
    async with Server(Crossref()) as server:
        server.fault(fault)
        answers = await asked(server, found, status_s=1.0)
    assert answers.reports == {}
    assert len(answers.degradations) == 1


async def test_what_was_asked_in_the_round_before_is_not_asked_again() -> None:
    crossref, found = Crossref(), works(2)
    async with Server(crossref) as server:
        after = tuple(known(found, await asked(server, found)).values())
        assert to_ask(after) == []
        again = normalise([], after).candidates
        await asked(server, again)
    assert len(crossref.calls) == 1
    assert [one.status_reports for one in again] == [one.status_reports for one in after]


async def test_the_imported_file_is_asked_first_and_without_a_network(tmp_path: Path) -> None:
    import_retractions(file_of(tmp_path, row("Retraction", "1/2/2020 0:00", doi="10.1000/w1")), tmp_path)
    check = StatusCheck(Settings(sources="library", retractions_dir=tmp_path))
    found = works(2)
    after = known(found, await check.ask(found))
    assert after["pmid:1"].status is EvidenceStatus.RETRACTED
    assert after["pmid:1"].status_reports[-1].by == "retraction-watch"
    assert after["pmid:2"].status is EvidenceStatus.NOT_CHECKED


async def test_the_file_and_crossref_are_both_heard_and_the_worst_counts(tmp_path: Path) -> None:
    import_retractions(file_of(tmp_path, row("Expression of concern", "1/2/2020", doi="10.1000/w1")), tmp_path)
    found = works(1)
    async with Server(Crossref()) as server:
        (after,) = known(found, await asked(server, found, folder=tmp_path)).values()
    assert [(one.by, one.status) for one in after.status_reports] == [
        ("retraction-watch", EvidenceStatus.CONCERN),
        ("crossref", EvidenceStatus.NONE),
    ]
    assert after.status is EvidenceStatus.CONCERN


def test_nothing_is_asked_where_only_the_library_is_searched_or_it_is_switched_off() -> None:
    assert not Settings(sources="library").asks_crossref
    assert not Settings(sources="library,pubmed", check_status=False).asks_crossref
    assert Settings(sources="library,pubmed").asks_crossref


def test_a_check_that_is_not_open_asks_nobody() -> None:
    answers = asyncio.run(StatusCheck(Settings()).ask(works(2)))
    assert (answers.reports, answers.degradations) == ({}, ())
