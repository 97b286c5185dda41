"""What a retriever decides: what a source says, what it does not, and what becomes of the run then."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.end import EndKind
from openwork_contracts.errors import (
    FailureReason,
    OpenWorkError,
    SourceChanged,
    SourceRefused,
    SourceUnavailable,
)
from openwork_contracts.evidence import EvidenceNormalised, EvidenceRecord, PrismaCounts, SourcePolicy
from openwork_contracts.pipelines import ANSWER, REVIEW
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed
from openwork_http.messages import HttpRequest, HttpResponse
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.live import LiveSource, Outside
from openwork_retrievers.domain.registry import source as registered
from openwork_retrievers.domain.source import Found, Search
from openwork_retrievers.handlers import on_exhausted, on_retrieval_requested
from openwork_retrievers.settings import Settings

from tests.builders import analysis, planned, requested, run_on
from tests.handling import bus_of_today, delivered, end_of, stored_of
from tests.reading_figures import value

RECORD = EvidenceRecord(source="pubmed", source_id="1", title="A trial", retrieved_at=datetime(2026, 1, 1, tzinfo=UTC))


@dataclass
class Given:
    """A source that gives this, or raises it; keeps what it was asked."""

    outcome: Found | Exception
    route: str = "pubmed"
    policy: SourcePolicy = field(default_factory=lambda: SourcePolicy(trust_tier=1))
    asked: list[Search] = field(default_factory=list)

    async def search(self, request: Search) -> Found:
        self.asked.append(request)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def search(
    bus: MemoryBus,
    source: Given,
    *,
    run: Run | None = None,
    again: bool = False,
    track: str = "affirmative",
    figures: Figures | None = None,
) -> Run:
    run = run or run_on(bus, service="query", track=track)
    if await run.read(type(planned(run, ("pubmed",)))) is None:
        await run.publish(planned(run, ("pubmed",)))
    event = await run.read(type(requested(run, "pubmed")), route="pubmed") or requested(run, "pubmed")
    handled = await delivered(bus, event, "retrievers", again=again)
    await on_retrieval_requested(event, handled, {"pubmed": source}, figures or Figures("retrievers"))
    return run


async def test_nothing_found_is_a_result_and_no_failure() -> None:
    bus = bus_of_today()
    run = await search(bus, Given(Found()))
    (completed,) = await stored_of(bus, run.id, RetrievalCompleted)
    assert completed.records == ()
    assert await stored_of(bus, run.id, RetrievalFailed) == []


async def test_what_was_found_travels_with_the_policy_of_its_source() -> None:
    bus = bus_of_today()
    run = await search(bus, Given(Found(records=(RECORD,), degradations=("page 2 could not be read",))))
    (completed,) = await stored_of(bus, run.id, RetrievalCompleted)
    assert [r.source_id for r in completed.records] == ["1"]
    assert completed.policy.trust_tier == 1
    assert completed.degradations == ("page 2 could not be read",)


@pytest.mark.parametrize(
    ("chosen", "kept", "words"),
    [
        ({}, ["2009", "2015", "2020", "none"], None),
        ({"from_year": 2015}, ["2015", "2020", "none"], "1 records were left out: they are not of 2015 or later"),
        ({"to_year": 2015}, ["2009", "2015", "none"], "1 records were left out: they are not of 2015 or before"),
        (
            {"from_year": 2010, "to_year": 2016},
            ["2015", "none"],
            "2 records were left out: they are not of 2010 to 2016",
        ),
        ({"from_year": 2000, "to_year": 2022}, ["2009", "2015", "2020", "none"], None),
    ],
)
async def test_works_of_other_years_than_the_asker_chose_are_left_out_and_counted(
    chosen: dict[str, int], kept: list[str], words: str | None
) -> None:
    """Not every source can be asked for years: the starter library cannot."""
    records = [RECORD.model_copy(update={"source_id": str(year), "year": year}) for year in (2009, 2015, 2020)]
    records.append(RECORD.model_copy(update={"source_id": "none"}))
    bus = bus_of_today()
    run = run_on(bus, service="query", track="affirmative")
    plan = planned(run, ("pubmed",))
    await run.publish(plan.model_copy(update={"analysis": plan.analysis.model_copy(update=chosen)}))
    await search(bus, Given(Found(records=tuple(records))), run=run)
    (completed,) = await stored_of(bus, run.id, RetrievalCompleted)
    assert [record.source_id for record in completed.records] == kept
    assert [words in told for told in completed.degradations if words] == [True] * bool(words)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SourceUnavailable("pubmed gave no answer", reason=FailureReason.TIMEOUT), FailureReason.TIMEOUT),
        (SourceRefused("pubmed needs a key"), FailureReason.REFUSED),
        (SourceChanged("pubmed answered in another form"), FailureReason.CHANGED),
    ],
)
async def test_a_source_that_failed_never_fails_the_run_and_never_looks_empty(
    error: OpenWorkError, reason: FailureReason
) -> None:
    bus = bus_of_today()
    error.requests = ("GET https://x/?term=a",)
    run = await search(bus, Given(error))
    (failed,) = await stored_of(bus, run.id, RetrievalFailed)
    assert (failed.reason, failed.message) == (reason, str(error))
    assert [log.request for log in failed.search_log] == ["GET https://x/?term=a"]
    assert await end_of(bus, run.id) is None
    assert await stored_of(bus, run.id, RetrievalCompleted) == []


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Found(records=(RECORD,)), ("completed", 1)),
        (Found(), ("completed", 0)),
        (SourceRefused("pubmed needs a key"), ("failed", None)),
    ],
)
async def test_who_waits_hears_how_far_a_source_is(outcome: Found | Exception, told: tuple[str, int | None]) -> None:
    bus = bus_of_today()
    await search(bus, Given(outcome))
    states = [(source.state.value, source.found) for progress in bus.told for source in progress.sources]
    assert states == [("searching", None), told]


async def test_a_fault_of_ours_is_tried_again_and_decides_nothing_yet() -> None:
    bus = bus_of_today()
    with pytest.raises(KeyError):
        await search(bus, Given(KeyError("x")))


async def test_a_redelivered_request_is_searched_once() -> None:
    bus = bus_of_today()
    source = Given(Found())
    run = await search(bus, source)
    await search(bus, source, run=run, again=True)
    assert len(source.asked) == 1
    assert len(await stored_of(bus, run.id, RetrievalCompleted)) == 1


async def test_a_request_that_was_delivered_but_not_searched_is_searched() -> None:
    bus = bus_of_today()
    source = Given(Found())
    await search(bus, source, again=True)
    assert len(source.asked) == 1


async def test_a_source_is_asked_with_the_limit_the_deadline_and_the_track_of_the_request() -> None:
    bus = bus_of_today()
    source = Given(Found())
    run = await search(bus, source, track="falsification")
    request = await run.read(type(requested(run, "pubmed")), route="pubmed")
    assert request is not None
    (asked,) = source.asked
    assert (asked.limit, asked.deadline_at, asked.track, asked.round) == (20, request.deadline_at, "falsification", 1)


async def test_a_request_that_no_retry_helped_is_a_failed_source() -> None:
    bus = bus_of_today()
    event = requested(run_on(bus, service="query"), "pubmed")
    run = await delivered(bus, event, "retrievers")
    await on_exhausted(event, run, KeyError("secret"))
    (failed,) = await stored_of(bus, run.id, RetrievalFailed)
    assert failed.reason is FailureReason.INTERNAL
    assert "secret" not in failed.message
    assert await end_of(bus, run.id) is None


async def test_a_message_that_is_no_request_ends_the_run_when_no_retry_helps() -> None:
    bus = bus_of_today()
    run = run_on(bus, service="retrievers")
    await on_exhausted(None, run, SourceRefused("unreadable"))
    end = await end_of(bus, run.id)
    assert end is not None
    assert (end.kind, end.stage) == (EndKind.FAILED, "retrievers")


# --- a live source ---------------------------------------------------------------------------------------------------


@dataclass
class Port:
    """The way out to one service: always the same answer; keeps what was sent and whether it was to be forgotten."""

    body: bytes
    within_s: float = 0.0
    sent: tuple[HttpRequest, ...] = ()
    forgotten: bool = False

    async def send(self, request: HttpRequest) -> HttpResponse:
        self.sent = (*self.sent, request)

        async def pieces():  # type: ignore[no-untyped-def]
            yield self.body

        return HttpResponse(200, {}, pieces())

    async def forget(self) -> None:
        self.forgotten = True


def live(body: bytes, route: str = "europepmc-cited") -> tuple[LiveSource, Port]:
    port = Port(body)

    def opened(service: object, within_s: float, run_id: str | None = None) -> Port:
        port.within_s = within_s
        return port

    outside = Outside()
    outside.open(SimpleNamespace(port=opened))  # type: ignore[arg-type]
    return LiveSource(registered(route), Settings(), outside), port


def wanted(in_s: float, route: str = "europepmc-cited") -> Search:
    asked = analysis((route,))
    return Search(route, asked, strategy_of(asked), limit=5, deadline_at=datetime.now(UTC) + timedelta(seconds=in_s))


async def test_a_source_whose_deadline_has_passed_is_not_asked() -> None:
    source, port = live(b"{}")
    with pytest.raises(SourceUnavailable, match="deadline") as caught:
        await source.search(wanted(-1))
    assert caught.value.reason is FailureReason.DEADLINE
    assert port.sent == ()


async def test_a_source_is_given_less_time_than_its_deadline_leaves() -> None:
    """What it found has to be in when the sources are joined; and never more than the registry allows it."""
    empty = b'{"hitCount": 0, "resultList": {"result": []}}'
    source, port = live(empty)
    await source.search(wanted(5))
    assert 4 < port.within_s <= 4.5 < registered("europepmc-cited").timeout_s
    await source.search(wanted(1000))
    assert port.within_s == registered("europepmc-cited").timeout_s
    await source.search(wanted(0.4))
    assert 0 < port.within_s <= 0.3


async def test_a_review_has_longer_and_climbs_until_it_has_all_it_may_have() -> None:
    """Where an answer has enough records on the strict rung, a review asks the broader ones too."""
    found = [{"id": str(n), "source": "MED", "pmid": str(n), "title": f"Apixaban {n}"} for n in range(1, 31)]
    source, port = live(json.dumps({"hitCount": 30, "resultList": {"result": found}}).encode())
    of_a_review = replace(wanted(1000), pipeline=REVIEW, limit=500)
    answer, review = [
        (await source.search(search)).search_log for search in (replace(of_a_review, pipeline=ANSWER), of_a_review)
    ]
    asked = [sum(line.not_asked is None for line in log) for log in (answer, review)]
    assert asked[0] == 1 < asked[1]
    assert port.within_s == registered("europepmc-cited").review_timeout_s


async def test_an_answer_that_cannot_be_parsed_is_not_kept_in_the_cache() -> None:
    """Kept, it would be read again for a day after the source had mended it."""
    source, port = live(b'{"resultList": 7}')
    with pytest.raises(SourceChanged) as caught:
        await source.search(wanted(10))
    assert port.forgotten
    assert caught.value.requests


async def test_an_answer_that_was_read_stays_in_the_cache() -> None:
    source, port = live(b'{"hitCount": 0, "resultList": {"result": []}}')
    assert (await source.search(wanted(10))).records == ()
    assert not port.forgotten


async def test_a_source_without_its_key_refuses_and_names_the_setting() -> None:
    source, port = live(b"", route="tavily")
    with pytest.raises(SourceRefused, match="OPENWORK_"):
        await source.search(wanted(10, "tavily"))
    assert port.sent == ()


# --- figures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "counted", "kind"),
    [
        (Found(records=(RECORD,)), "completed", None),
        (Found(), "completed", None),
        (SourceUnavailable("no answer"), "failed", "unreachable"),
        (SourceChanged("not JSON"), "failed", "changed"),
        (SourceUnavailable("the line was long", reason=FailureReason.OWN_LIMIT), "not_asked", "own_limit"),
        (SourceUnavailable("too late", reason=FailureReason.DEADLINE), "not_asked", "deadline"),
    ],
)
async def test_a_search_is_counted_by_how_it_ended_and_what_is_our_own_doing_apart(
    outcome: Found | Exception, counted: str, kind: str | None
) -> None:
    """An alert that a source is down must not come from too many questions of our own."""
    figures = Figures("retrievers")
    await search(bus_of_today(), Given(outcome), figures=figures)
    text = figures.text()
    assert value(text, "openwork_searches_total", source="pubmed", outcome=counted) == 1
    assert value(text, "openwork_search_seconds_count", source="pubmed") == 1
    if kind is not None:
        assert value(text, "openwork_search_errors_total", source="pubmed", kind=kind) == 1
    else:
        assert value(text, "openwork_search_records_total", source="pubmed") == len(outcome.records)  # type: ignore[union-attr]


async def late_request(bus: MemoryBus) -> Run:
    """A run whose request to PubMed was held up until after its deadline; it has a minute to go."""
    run = run_on(bus, service="query")
    plan = planned(run, ("pubmed",), due_in_s=-5, now=bus.now)
    await run.publish(plan.model_copy(update={"run_deadline_at": bus.now + timedelta(seconds=60)}))
    await run.publish(requested(run, "pubmed", due_in_s=-5, now=bus.now))
    return run


async def test_a_request_that_was_held_up_is_given_a_moment_while_it_is_waited_for() -> None:
    bus, source = bus_of_today(), Given(Found(records=(RECORD,)))
    await search(bus, source, run=await late_request(bus))
    (asked,) = source.asked
    assert bus.now < asked.deadline_at <= bus.now + timedelta(seconds=20)


async def test_a_request_for_which_nobody_waits_any_more_keeps_its_deadline() -> None:
    bus, source = bus_of_today(), Given(Found(records=(RECORD,)))
    run = await late_request(bus)
    counts = PrismaCounts(identified=0, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=0)
    await run.publish(EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=(), sources=(), counts=counts))
    await search(bus, source, run=run)
    (asked,) = source.asked
    assert asked.deadline_at < bus.now
