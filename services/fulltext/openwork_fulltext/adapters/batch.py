"""PMC, asked once for the texts of all works of a round; each work then takes its own.

The request that leads a round asks; those of the other works, here or in another replica, wait for it a while and find
their texts in the store. NCBI's few requests a second are for searching: a text that is not had in this way is at
Europe PMC as well.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from openwork_contracts.errors import FailureReason, OpenWorkError
from openwork_contracts.evidence import Identifiers
from openwork_contracts.meta import BlobRef
from openwork_contracts.ranking import FullText
from openwork_http.port import HttpPort
from openwork_http.single_flight import SingleFlight

from openwork_fulltext.adapters.chain import NotThere, read_body
from openwork_fulltext.adapters.store import TextStore
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.jats.article import parse_jats_set
from openwork_fulltext.domain.plan import Attempt, Services, Step, pmc_request

_LOOK_S = 0.15
"""Seconds between two looks of a work that waits for its text."""
_LOOKS_IN_STREAM = 4
"""Every so many looks the stream is asked whether the leader has ended, in whatever process."""
_ROUNDS_KEPT = 16
"""Rounds whose texts wait in memory for their works; 20 texts of some 100 kB each, until they are taken."""

ONCE = Attempt(Step.PMC, "not asked for this work: it is asked once for all works of a round")
_NOT_IN_IT = Attempt(Step.PMC, "has no full text of this work")
_LATE = Attempt(Step.PMC, "had not answered in time for the works of this round", FailureReason.TIMEOUT)


@dataclass(slots=True)
class _Ended:
    """What the one call gave; each text is taken by its work."""

    said: Attempt
    texts: dict[str, tuple[FullText, BlobRef | None]] = field(default_factory=dict)


class PmcBatches:
    """The calls of this process, by round."""

    def __init__(self) -> None:
        self._ended: OrderedDict[str, _Ended] = OrderedDict()
        self._under_way: SingleFlight[None] = SingleFlight()

    async def ask(
        self, round_: str, pmcids: tuple[str, ...], http: HttpPort, services: Services, store: TextStore
    ) -> None:
        """One call for those of the works whose texts are not stored yet. Never raises an `OpenWorkError`.

        A request that is delivered again waits for the call that is under way, and makes none after it.
        """
        if round_ not in self._ended:
            await self._under_way.run(round_, lambda: self._ask(round_, pmcids, http, services, store))

    async def _ask(
        self, round_: str, pmcids: tuple[str, ...], http: HttpPort, services: Services, store: TextStore
    ) -> None:
        ended = _Ended(_NOT_IN_IT)
        try:
            stored = await asyncio.gather(*(store.has(Identifiers(pmcid=pmcid)) for pmcid in pmcids))
            missing = tuple(pmcid for pmcid, has in zip(pmcids, stored, strict=True) if not has)
            if missing:
                body = await read_body(pmc_request(missing, services), http)
                documents = await asyncio.to_thread(parse_jats_set, body)
                for text in _texts(documents, missing, services):
                    ended.texts[text.identifiers.pmcid or ""] = (text, await store.put(text))
        except OpenWorkError as error:
            ended.said = Attempt(Step.PMC, str(error), None if isinstance(error, NotThere) else error.reason)
        self._ended[round_] = ended
        while len(self._ended) > _ROUNDS_KEPT:
            self._ended.popitem(last=False)

    def take(self, round_: str, pmcid: str | None) -> tuple[FullText, BlobRef | None] | None:
        """The text of a work, if the call of its round was made in this process and gave it; once."""
        ended = self._ended.get(round_)
        return ended.texts.pop(pmcid, None) if ended is not None and pmcid is not None else None

    async def text_of(
        self, round_: str, pmcid: str, store: TextStore, *, led: Callable[[], Awaitable[bool]], within_s: float
    ) -> tuple[FullText, BlobRef | None] | Attempt:
        """The text of one work as soon as it is there, or what became of it.

        Args:
            led: whether the request that asks for it has ended, wherever it is handled.
            within_s: seconds to wait at most.
        """
        clock = asyncio.get_running_loop()
        until, looks = clock.time() + within_s, 0
        while True:
            ended = self._ended.get(round_)
            is_over = ended is not None or (looks % _LOOKS_IN_STREAM == _LOOKS_IN_STREAM - 1 and await led())
            if (text := self.take(round_, pmcid)) is not None:
                return text
            if (kept := await store.get(Identifiers(pmcid=pmcid))) is not None:
                return kept
            if is_over:
                return _NOT_IN_IT if ended is None else ended.said
            if clock.time() >= until:
                return _LATE
            looks += 1
            await asyncio.sleep(_LOOK_S)


def _texts(documents: list[ParsedDocument], wanted: tuple[str, ...], services: Services) -> list[FullText]:
    """The works asked for that came with a body; front matter alone is what a publisher does not allow to be read."""
    texts = []
    for document in documents:
        pmcid = document.identifiers.pmcid
        if pmcid not in wanted or not document.has_body:
            continue
        read = Attempt(Step.PMC, f"read ({document.format}, {len(document.text)} characters)")
        texts.append(
            FullText(
                identifiers=document.identifiers,
                sections=document.readable_sections,
                source="pmc",
                url=pmc_request((pmcid,), services).shown().partition(" ")[2],
                license=document.license,
                tried=(read.in_words, *document.warnings),
            )
        )
    return texts
