"""Guidelines as a source: what is stored here, and PubMed's of the country or body that the question asks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.guidance import INTERNATIONAL, GuidanceAsked
from openwork_contracts.plan import SearchRequestLog
from openwork_evidence.guidelines.record import IMPORTED, SOURCE, imported, starter
from openwork_evidence.library.references import shipped

from openwork_retrievers.domain.guideline_index import GuidelineIndex, Hit
from openwork_retrievers.domain.record_classes import GUIDELINES_OF_ALL
from openwork_retrievers.domain.source import Found, Search, Source

MOST_STORED = 20
"""Guidelines of the stored ones that an answer reads about."""
_OF = ("of those asked for", "international", "of others")


class GuidelinesSource:
    """The starter set, the library's guidelines and imported ones; with a network also PubMed. Loaded at first use."""

    route = SOURCE
    policy = GUIDELINES_OF_ALL

    def __init__(self, folder: Path | None = None, live: Source | None = None) -> None:
        self._folder = folder
        self._live = live
        self._index: GuidelineIndex | None = None
        self._imported_at = -1

    async def search(self, request: Search) -> Found:
        """See `Source.search`; never fails for want of a network: that PubMed was not reached is told beside."""
        guidance = request.analysis.guidance
        hits = self.index.search(request.analysis, min(request.limit, MOST_STORED))
        found = Found(records=tuple(hit.record for hit in hits), search_log=(_log(request, hits),))
        if self._live is None or not _asks_of_somebody(guidance):
            return found
        try:
            more = await self._live.search(request)
        except OpenWorkError as error:
            log = getattr(error, "log", ())
            words = f"PubMed's guidelines of that country or body were not reached: {error}"
            return Found(found.records, (*found.search_log, *log), (words,))
        return Found(
            (*found.records, *more.records)[: request.limit],
            (*found.search_log, *more.search_log),
            more.degradations,
        )

    @property
    def index(self) -> GuidelineIndex:
        """Built once and again after an import."""
        path = self._folder / IMPORTED if self._folder else None
        at = path.stat().st_mtime_ns if path and path.is_file() else 0
        if self._index is None or at != self._imported_at:
            self._imported_at = at
            self._index = GuidelineIndex((*stored(), *(imported(self._folder) if self._folder else ())))
        return self._index


def stored() -> tuple[EvidenceRecord, ...]:
    """Guidelines that come with Open Work: the starter set, and those of the library that recommend something."""
    own = [one.to_evidence() for one in starter()]
    library = (record for record in shipped().values() if record.recommendations)
    return (*own, *(record.model_copy(update={"source": SOURCE}) for record in library))


def _asks_of_somebody(guidance: GuidanceAsked | None) -> bool:
    return guidance is not None and bool(guidance.bodies or set(guidance.countries) - {INTERNATIONAL})


def _log(request: Search, hits: tuple[Hit, ...]) -> SearchRequestLog:
    """What was asked, and how many of each place were found."""
    counts = Counter(hit.place for hit in hits)
    asked = request.analysis.guidance
    wanted = ", then ".join(asked.order) if asked and asked.order else "any country"
    told = tuple(f"{counts[place]} {words}" for place, words in enumerate(_OF)) if asked else ()
    return SearchRequestLog(
        request=f"ranked recommendations (BM25), {wanted}: {' | '.join(request.analysis.search_variants)}",
        hits=len(hits),
        fetched=len(hits),
        cap=min(request.limit, MOST_STORED),
        rung="any name of any concept, ranked",
        warnings=told,
    )
