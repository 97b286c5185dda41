"""What the full-text service decides: from the store, from outside, or not at all; a run never fails by it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from fulltext_samples import article
from openwork_bus.codec import unpack
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus
from openwork_bus.objects import Objects
from openwork_bus.run import Run
from openwork_contracts.buckets import TEXTS
from openwork_contracts.end import EndKind
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_contracts.evidence import Identifiers
from openwork_contracts.ranking import FullText, FulltextCompleted, FulltextRequested
from openwork_fulltext.adapters.store import TextStore
from openwork_fulltext.handlers import Library, on_exhausted, on_fulltext_requested
from openwork_fulltext.settings import Settings
from openwork_http.limits import BudgetUsedUp
from openwork_http.messages import HttpRequest, HttpResponse

from tests.builders import run_on
from tests.fakes.object_stream import ObjectStream
from tests.handling import bus_of_today, delivered, end_of, stored_of

IDS = Identifiers(pmid="30000001", pmcid="PMC6000001")
ARTICLE = article("<sec><title>Results</title><p>Fewer deaths.</p></sec>")


@dataclass
class Outside:
    """The way out: answers by the beginning of the address, 404 for the rest."""

    answers: Mapping[str, bytes | Exception]
    asked: list[HttpRequest] = field(default_factory=list)

    async def send(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        found = next((a for start, a in self.answers.items() if request.url.startswith(start)), None)
        if isinstance(found, Exception):
            raise found

        async def pieces():  # type: ignore[no-untyped-def]
            yield found or b""

        return HttpResponse(404 if found is None else 200, {}, pieces())


class Here(Library):
    """The library with an object store in memory and a scripted way out."""

    def __init__(
        self, answers: Mapping[str, bytes | Exception] | None = None, stream: ObjectStream | None = None
    ) -> None:
        super().__init__(Settings())
        self.outside = Outside({"https://eutils": ARTICLE} if answers is None else answers)
        self.kept = Objects(stream or ObjectStream(), TEXTS)  # type: ignore[arg-type]
        self.store = TextStore(self.kept)
        self.within_s: list[float] = []

    def port(self, within_s: float, run_id: str) -> Outside:  # type: ignore[override]
        self.within_s.append(within_s)
        return self.outside


def requested(
    run: Run, *, in_s: float = 10.0, ids: Identifiers = IDS, part: str = "doc-07", batch: Sequence[Identifiers] = (IDS,)
) -> FulltextRequested:
    """By default the one request of its round, so that it asks PMC itself."""
    return FulltextRequested(
        meta=run.meta(FulltextRequested, part),
        candidate_id=f"pmid:{ids.pmid}",
        identifiers=ids,
        title="A trial",
        deadline_at=datetime.now(UTC) + timedelta(seconds=in_s),
        pmc_batch=tuple(one.pmcid for one in batch if one.pmcid),
        pmc_part="doc-07" if ids.pmcid else None,
    )


async def fetch(bus: MemoryBus, library: Here, **asked: float) -> FulltextCompleted:
    event = requested(run_on(bus, service="reranker"), **asked)
    await on_fulltext_requested(event, await delivered(bus, event, "fulltext"), library, Figures("fulltext"))
    (completed,) = await stored_of(bus, event.meta.run_id, FulltextCompleted)
    assert (completed.meta.event_id.rsplit(".", 1)[1], completed.candidate_id) == ("doc-07", "pmid:30000001")
    return completed


async def test_a_text_that_was_read_is_stored_and_referred_to() -> None:
    """The text goes into the bucket once; the event carries only where it is."""
    library = Here()
    completed = await fetch(bus_of_today(), library)
    assert completed.text is not None
    assert (completed.text.bucket, completed.sections, completed.from_cache) == (TEXTS.name, (), False)
    stored = FullText.model_validate_json(unpack(await library.kept.get(completed.text)))
    assert "Fewer deaths." in {section.text for section in stored.sections}


async def test_a_text_that_was_stored_is_not_asked_for_again_even_when_time_is_up() -> None:
    library = Here()
    first = await fetch(bus_of_today(), library)
    asked = len(library.outside.asked)
    second = await fetch(bus_of_today(), library, in_s=-1.0)
    assert len(library.outside.asked) == asked
    assert second.from_cache
    assert (second.text, second.fulltext_source) == (first.text, first.fulltext_source)


async def test_a_store_that_fails_sends_the_text_along() -> None:
    completed = await fetch(bus_of_today(), Here(stream=ObjectStream(refuses=OSError("no space left"))))
    assert completed.text is None
    assert "Fewer deaths." in {section.text for section in completed.sections}


async def test_a_request_whose_deadline_has_passed_asks_nobody() -> None:
    library = Here()
    completed = await fetch(bus_of_today(), library, in_s=-1.0)
    assert library.outside.asked == []
    assert (completed.text, completed.sections, completed.reason) == (None, (), FailureReason.DEADLINE)


@pytest.mark.parametrize(("in_s", "most_s"), [(9.0, 9.0), (600.0, Settings().fulltext_limit_s)])
async def test_one_work_gets_the_time_that_is_left_and_never_more_than_its_share(in_s: float, most_s: float) -> None:
    library = Here()
    await fetch(bus_of_today(), library, in_s=in_s)
    assert most_s - 8 < library.within_s[0] <= most_s


async def test_nowhere_a_text_is_a_result_with_what_was_tried() -> None:
    completed = await fetch(bus_of_today(), Here({}))
    assert (completed.text, completed.sections, completed.reason) == (None, (), None)
    assert completed.tried


async def test_a_place_that_cannot_be_reached_is_the_reason() -> None:
    bus = bus_of_today()
    lost = SourceUnavailable("no answer", reason=FailureReason.TIMEOUT)
    completed = await fetch(bus, Here({"https://": lost}))
    assert completed.reason is FailureReason.TIMEOUT
    assert completed.text is None


OTHER = Identifiers(pmid="30000002", pmcid="PMC6000002")
PAIR = b"<pmc-articleset>" + ARTICLE[ARTICLE.index(b"<article") :] + b"</pmc-articleset>"
TWO = PAIR.replace(
    b"</pmc-articleset>",
    ARTICLE[ARTICLE.index(b"<article") :].replace(b"6000001", b"6000002").replace(b"30000001", b"30000002")
    + b"</pmc-articleset>",
)


async def both(library: Here, bus: MemoryBus) -> list[FulltextCompleted]:
    """Two works of one round, of which the first leads; handled side by side."""
    run = run_on(bus, service="reranker")
    events = (requested(run, batch=(IDS, OTHER)), requested(run, ids=OTHER, part="doc-08", batch=()))
    await asyncio.gather(
        *[
            on_fulltext_requested(one, await delivered(bus, one, "fulltext"), library, Figures("fulltext"))
            for one in reversed(events)
        ]
    )
    return sorted(await stored_of(bus, run.id, FulltextCompleted), key=lambda one: one.candidate_id)


async def test_pmc_is_asked_once_for_all_works_of_a_round() -> None:
    library = Here({"https://eutils": TWO})
    completed = await both(library, bus_of_today())
    (call,) = library.outside.asked
    assert dict(call.params)["id"] == "6000001,6000002"
    assert [one.fulltext_source for one in completed] == ["pmc", "pmc"]
    assert [one.from_cache for one in completed] == [False, False]
    assert completed[1].url is not None
    assert "6000002" in completed[1].url


async def test_a_request_that_is_delivered_again_while_pmc_answers_asks_pmc_no_second_time() -> None:
    class Slow(Outside):
        async def send(self, request: HttpRequest) -> HttpResponse:
            answer = await super().send(request)
            asked.set()
            await answers.wait()
            return answer

    asked, answers = asyncio.Event(), asyncio.Event()
    library, bus = Here(), bus_of_today()
    library.outside = Slow({"https://eutils": ARTICLE})
    event = requested(run_on(bus, service="reranker"))
    first = asyncio.create_task(
        on_fulltext_requested(event, await delivered(bus, event, "fulltext"), library, Figures("fulltext"))
    )
    await asked.wait()
    again = await delivered(bus, event, "fulltext", again=True)
    second = asyncio.create_task(on_fulltext_requested(event, again, library, Figures("fulltext")))
    for _ in range(50):
        await asyncio.sleep(0)
    answers.set()
    await asyncio.gather(first, second)
    assert len(library.outside.asked) == 1
    (completed,) = await stored_of(bus, event.meta.run_id, FulltextCompleted)
    assert completed.fulltext_source == "pmc"


async def test_a_work_that_another_replica_led_finds_its_text_in_the_store() -> None:
    stream, bus = ObjectStream(), bus_of_today()
    one, other = Here({"https://eutils": TWO}, stream), Here({"https://eutils": TWO}, stream)
    run = run_on(bus, service="reranker")
    led, follower = requested(run, batch=(IDS, OTHER)), requested(run, ids=OTHER, part="doc-08", batch=())
    await on_fulltext_requested(led, await delivered(bus, led, "fulltext"), one, Figures("fulltext"))
    await on_fulltext_requested(follower, await delivered(bus, follower, "fulltext"), other, Figures("fulltext"))
    assert other.outside.asked == []
    assert all(completed.text for completed in await stored_of(bus, run.id, FulltextCompleted))


async def test_what_pmc_does_not_give_is_asked_of_europe_pmc_and_never_of_pmc_again() -> None:
    library = Here({"https://eutils": PAIR, "https://www.ebi": ARTICLE.replace(b"6000001", b"6000002")})
    _, second = await both(library, bus_of_today())
    assert second.fulltext_source == "europepmc"
    assert second.tried[0] == "PMC: has no full text of this work"
    assert sum("eutils" in call.url for call in library.outside.asked) == 1


async def test_a_call_without_a_slot_lets_every_work_of_the_round_go_on_and_says_whose_limit_it_was() -> None:
    library = Here({"https://eutils": BudgetUsedUp("our own budget is used up; ncbi itself did not fail")})
    completed = await both(library, bus_of_today())
    for one in completed:
        assert "PMC: our own budget is used up; ncbi itself did not fail" in one.tried
        assert any(words.startswith("Europe PMC") for words in one.tried)
        assert one.reason is FailureReason.OWN_LIMIT
    assert sum("eutils" in call.url for call in library.outside.asked) == 1


async def test_pmc_is_not_asked_by_a_request_outside_the_call_of_its_round() -> None:
    """In a second round there is no call left; a PMCID that is looked up comes too late for it."""
    library = Here({"https://eutils": ARTICLE, "https://www.ebi": ARTICLE})
    bus = bus_of_today()
    event = requested(run_on(bus, service="reranker"), batch=()).model_copy(update={"pmc_part": None})
    await on_fulltext_requested(event, await delivered(bus, event, "fulltext"), library, Figures("fulltext"))
    (completed,) = await stored_of(bus, event.meta.run_id, FulltextCompleted)
    assert completed.fulltext_source == "europepmc"
    assert completed.text is not None, "what Europe PMC gave is stored as well"
    assert completed.sections == ()
    assert not any("eutils" in call.url for call in library.outside.asked)


async def test_a_request_that_no_retry_helped_lets_the_abstract_serve() -> None:
    bus = bus_of_today()
    event = requested(run_on(bus, service="reranker"))
    await on_exhausted(event, await delivered(bus, event, "fulltext"), KeyError("secret"))
    (completed,) = await stored_of(bus, event.meta.run_id, FulltextCompleted)
    assert completed.reason is FailureReason.INTERNAL
    assert "secret" not in " ".join(completed.tried)
    assert await end_of(bus, event.meta.run_id) is None


async def test_a_message_that_is_no_request_ends_the_run_when_no_retry_helps() -> None:
    bus = bus_of_today()
    run = run_on(bus, service="fulltext")
    await on_exhausted(None, run, KeyError("x"))
    end = await end_of(bus, run.id)
    assert end is not None
    assert (end.kind, end.stage) == (EndKind.FAILED, "fulltext")
