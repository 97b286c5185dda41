"""Questions at once on NCBI's 3 requests a second: what each may ask, who gets records, and whose limit it was if not.

Counts and words only; `make bench-crowd` measures seconds and the worst second at the door.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.evidence import SourceStatus
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed

from tests.bench_crowd import CALLS, topic_of
from tests.builders import event_of
from tests.crowd import World, question, works
from tests.fakes.upstream.server import Logged
from tests.live import Live, running

pytestmark = pytest.mark.nats

SOURCES = ("library", "pubmed")


def settings(*, retrieval_s: float) -> dict[str, str]:
    return {
        "OPENWORK_NCBI_API_KEY": "",
        "OPENWORK_RETRIEVAL_DEADLINE_S": f"{retrieval_s}",
        "OPENWORK_FULLTEXT_DEADLINE_S": "30",
        "OPENWORK_HTTP_READ_TIMEOUT_S": "10",
    }


@pytest.fixture
async def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    """Time enough for four questions on a busy machine."""
    known = works(World())
    async with running(tmp_path, monkeypatch, SOURCES, works=known, environ=settings(retrieval_s=30)) as stack:
        yield stack


@pytest.fixture
async def hurried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    """Time for about two searches with their reads."""
    known = works(World())
    async with running(tmp_path, monkeypatch, SOURCES, works=known, environ=settings(retrieval_s=2.5)) as stack:
        yield stack


def ncbi_calls(live: Live) -> list[Logged]:
    return [call for call in live.server.log if ".fcgi" in call.path]


def pubmed(document: AnswerDocument) -> int:
    return sum(source.found for source in document.method.sources if source.name == "pubmed")


async def test_four_questions_at_once_without_a_key_all_get_pubmed_within_their_calls(live: Live) -> None:
    """Two searches, one read and one call for full texts each, as NCBI sees them; the runs' own logs say the same."""
    documents = await asyncio.gather(*(live.ask(question(topic)) for topic in range(4)))
    assert [document.status for document in documents] == [RunStatus.ANSWERED] * 4
    assert all(pubmed(document) > 20 for document in documents)
    made = Counter((topic_of(call), call.kind) for call in ncbi_calls(live))
    assert {kind for _, kind in made} <= set(CALLS)
    for topic, document in enumerate(documents):
        assert [made[topic, kind] for kind in CALLS[:2]] == [2, 1]
        assert made[topic, CALLS[2]] <= 1
        event = await event_of(live.bus, RetrievalCompleted, document.run_id, route="pubmed")
        assert event is not None
        asked = [log for log in event.search_log if not log.not_asked]
        assert Counter(log.request.split(".fcgi")[0].rsplit("/", 1)[-1] for log in asked) == {"esearch": 2, "efetch": 1}
        assert not any("own budget" in text for text in document.method.degradations)


async def test_who_is_not_served_in_time_is_told_whose_limit_it_was(hurried: Live) -> None:
    documents = await asyncio.gather(*(hurried.ask(question(topic)) for topic in range(8)))
    made = Counter((topic_of(call), call.kind) for call in ncbi_calls(hurried))
    unserved = 0
    for topic, document in enumerate(documents):
        searches, reads = (made[topic, kind] for kind in CALLS[:2])
        assert reads <= 1
        assert searches <= 2
        (source,) = (one for one in document.method.sources if one.name == "pubmed")
        if pubmed(document):
            continue
        unserved += 1
        assert source.status in (SourceStatus.FAILED, SourceStatus.MISSED_DEADLINE)
        if source.status is SourceStatus.FAILED:
            event = await event_of(hurried.bus, RetrievalFailed, document.run_id, route="pubmed")
            assert event is not None
            assert "our own budget of 3 requests a second for ncbi" in event.message
            assert "ncbi itself did not fail" in event.message
            assert any("our own budget of requests was used up" in text for text in document.method.degradations)
    assert unserved
