"""A large run: two tracks of 500 records each from ten sources, made up; nothing on the bus grows over its limit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from openwork_bus.codec import LARGE_HEADER
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.memory import MemoryBus, run_of
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import AbstractPart, EvidenceNormalised, EvidenceRecord, Identifiers, SourcePolicy
from openwork_contracts.plan import RetrievalCompleted, RetrievalRequested, SearchPlanned
from openwork_contracts.question import Track
from openwork_language.searching.ladder import strategy_of
from openwork_normaliser.adapters.statuses import StatusCheck
from openwork_normaliser.handlers import on_arrival
from openwork_normaliser.settings import Settings
from openwork_reranker.settings import Settings as RerankerSettings
from openwork_retrievers.domain.source import Found, Search

from tests.builders import planned, requested, run_on
from tests.flow import services
from tests.handling import stored_of
from tests.packs import question_analysis

SOURCES = tuple(f"source-{n}" for n in range(10))
TRACKS = (Track.AFFIRMATIVE, Track.FALSIFICATION)
PER_SOURCE = 50
"""Records of each source for each track: 500 a track."""
SHARED = 10
"""Of them, those that the next source has too."""
MAX_PAYLOAD = 2**20
"""What nats-server takes by default."""
_RESULT = (
    "Apixaban lowered stroke compared with warfarin in {n} adults with atrial fibrillation (HR 0.79, 95% CI 0.66 to "
    "0.95) in trial {n}. "
)
_WORD_LIST = (
    "apixaban warfarin stroke bleeding atrial fibrillation trial cohort adults renal function embolism mortality "
    "hazard ratio interval follow-up months patients randomised outcome secondary analysis registry hospital dose"
)
_WORDS = _WORD_LIST.split()


def record(source: str, track: str, n: int) -> EvidenceRecord:
    """A work with an abstract of 2 to 3 kB, the same whichever source gives it."""
    number = n + (100_000 if track == Track.AFFIRMATIVE else 200_000)
    words = random.Random(number)
    filler = " ".join(words.choices(_WORDS, k=words.randint(270, 380)))
    return EvidenceRecord(
        source=source,
        source_id=str(number),
        identifiers=Identifiers(pmid=str(number)),
        title=f"Apixaban versus warfarin for stroke in atrial fibrillation: trial {number}",
        abstract=(AbstractPart(label="RESULTS", text=_RESULT.format(n=number)), AbstractPart(text=f"{filler}.")),
        authors=("Doe J", "Roe R"),
        year=2000 + number % 26,
        retrieved_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@dataclass
class MadeUp:
    """One of ten sources, each with some of the records of the next."""

    place: int
    policy: SourcePolicy = SourcePolicy()  # noqa: RUF009 - frozen

    @property
    def route(self) -> str:
        return SOURCES[self.place]

    async def search(self, request: Search) -> Found:
        first = self.place * (PER_SOURCE - SHARED)
        return Found(records=tuple(record(self.route, request.track, first + i) for i in range(PER_SOURCE)))


async def two_tracks(bus: MemoryBus) -> str:
    run_id = run_on(bus).id
    for track in TRACKS:
        run = run_on(bus, run_id, service="query", track=track)
        plan = planned(run, SOURCES, tracks=TRACKS, now=bus.now).model_copy(update={"analysis": question_analysis()})
        requests = [requested(run, source, now=bus.now).model_copy(update={"limit": 500}) for source in SOURCES]
        await bus.set_timer(run.timer("normaliser", plan.retrieval_deadline_at))
        await bus.publish_all([plan, *requests])
    return run_id


async def test_a_thousand_records_in_two_tracks_end_once_and_no_message_is_too_large() -> None:
    bus = MemoryBus(now=datetime.now(UTC))
    run_id = await two_tracks(bus)
    sources = {source: MadeUp(place) for place, source in enumerate(SOURCES)}
    await services(bus, sources=sources, reranker=RerankerSettings(fulltext=False)).drain()

    found = await stored_of(bus, run_id, RetrievalCompleted)
    assert sum(len(event.records) for event in found) == len(TRACKS) * len(SOURCES) * PER_SOURCE == 1000
    normalised = await stored_of(bus, run_id, EvidenceNormalised)
    assert sorted(event.meta.track for event in normalised) == sorted(TRACKS)
    for event in normalised:
        assert (event.counts.identified, event.counts.duplicates) == (500, SHARED * (len(SOURCES) - 1))
        assert len(event.candidates) == event.counts.screened == 410

    assert len(await stored_of(bus, run_id, RetrievalRequested)) == 20
    answers = {event.meta.track: event for event in await stored_of(bus, run_id, AnswerConcluded)}
    assert {track: answer.status for track, answer in answers.items()} == dict.fromkeys(TRACKS, AnswerStatus.ANSWERED)
    (end,) = await stored_of(bus, run_id, RunEnded)
    assert (end.kind, end.results) == (EndKind.COMPLETED, tuple(answers[track].meta.event_id for track in TRACKS))

    assert max(len(message.data) for message in bus._messages) < MAX_PAYLOAD / 2
    apart = {message.subject for message in bus._messages if LARGE_HEADER in message.headers}
    assert {event.meta.event_id for event in normalised} <= apart
    assert {plan.meta.event_id for plan in await stored_of(bus, run_id, SearchPlanned)}.isdisjoint(apart)


@pytest.mark.nats
async def test_five_hundred_normalised_records_are_stored_and_read_back_on_a_real_server(bus: JetStreamBus) -> None:
    """The same step of the flow: published by reference, since its body is over what the server takes."""
    memory = MemoryBus(now=datetime.now(UTC))
    run = run_on(memory, service="query")
    await run.publish(planned(run, SOURCES))
    for place, source in enumerate(SOURCES):
        retriever = run_on(memory, run.id, service="retrievers")
        asked = question_analysis()
        request = Search(source, asked, strategy_of(asked), 500, memory.now)
        found = await MadeUp(place).search(request)
        meta = retriever.meta(RetrievalCompleted, route=source)
        event = RetrievalCompleted(meta=meta, source=source, records=found.records, elapsed_s=0.1)
        await retriever.publish(event)
    stored = await memory.get(event.meta.event_id)
    assert stored is not None
    await on_arrival(event, run_of(memory, stored, "normaliser"), Settings(), StatusCheck(Settings()))
    (normalised,) = await stored_of(memory, run.id, EvidenceNormalised)
    assert len(normalised.model_dump_json()) > MAX_PAYLOAD

    assert await bus.publish(normalised)
    assert not await bus.publish(normalised)
    read = await bus.get(normalised.meta.event_id)
    assert read is not None
    assert read.event == normalised
