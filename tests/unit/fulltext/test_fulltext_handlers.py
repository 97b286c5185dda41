"""What the full-text service decides: from the store, from outside, or not at all; a run never fails by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from fulltext_samples import article
from openwork_bus.codec import unpack
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

    def port(self, within_s: float) -> Outside:  # type: ignore[override]
        self.within_s.append(within_s)
        return self.outside


def requested(run: Run, *, in_s: float = 10.0, ids: Identifiers = IDS) -> FulltextRequested:
    return FulltextRequested(
        meta=run.meta(FulltextRequested, "doc-07"),
        candidate_id="pmid:30000001",
        identifiers=ids,
        title="A trial",
        deadline_at=datetime.now(UTC) + timedelta(seconds=in_s),
    )


async def fetch(bus: MemoryBus, library: Here, **asked: float) -> FulltextCompleted:
    event = requested(run_on(bus, service="reranker"), **asked)
    await on_fulltext_requested(event, await delivered(bus, event, "fulltext"), library)
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
