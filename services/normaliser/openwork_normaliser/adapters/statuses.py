"""The status of what was found: the imported Retraction Watch file first, then Crossref in batches, within a time.

Nothing here fails a run or keeps it longer than `OPENWORK_STATUS_S`: works that nobody answered for stay as they were.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence

from openwork_bus.figures import Figures
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import OpenWorkError, SourceChanged, SourceRefused, UsageError
from openwork_contracts.evidence import EvidenceCandidate, StatusReport
from openwork_evidence.retractions import Retractions
from openwork_http.client import HttpClient
from openwork_http.crossref import CROSSREF_URL, STATUS_CACHE_TTL_S, WorkStatus, batches, parse_statuses, status_request
from openwork_http.port import HttpPort, fetch
from openwork_http.terms import CROSSREF as CROSSREF_ALLOWANCE
from openwork_http.terms import OutsideService
from openwork_http.wiring import shared_client

from openwork_normaliser.domain.statuses import StatusAnswers, of_crossref, of_file, to_ask
from openwork_normaliser.settings import Settings

log = logging.getLogger(__name__)

MOST_CALLS = 10
"""In one round: of 500 works with DOIs five or six are needed; more would be a crawl."""
_AT_ONCE = 2
"""Calls under way at once: Crossref allows few, and its own budget paces them anyway."""


class StatusCheck:
    """Asks for the status of candidates. Works without a network, then with the imported file alone."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = Retractions(settings.retractions_dir)
        self._client: HttpClient | None = None
        self._service = OutsideService(
            name="Crossref", budget=CROSSREF_ALLOWANCE.budget(), cache_ttl_s=float(STATUS_CACHE_TTL_S)
        )

    async def open(self, bus: JetStreamBus, telemetry: Telemetry, figures: Figures) -> HttpClient:
        """Use a client that shares its limits and its cache; it is closed by the caller."""
        js = bus.connection.jetstream(timeout=self._settings.publish_timeout_s)
        return self.use(await shared_client(self._settings, js, telemetry=telemetry, figures=figures))

    def use(self, client: HttpClient) -> HttpClient:
        """Ask through this client from now on."""
        self._client = client
        return client

    async def ask(self, works: Sequence[EvidenceCandidate], run_id: str | None = None) -> StatusAnswers:
        """What the file and Crossref say of the works; never an error, since a run can do without."""
        reports: dict[str, list[StatusReport]] = defaultdict(list)
        notes = [*self._ask_file(works, reports)]
        asked = to_ask(works)
        if self._client is not None and asked:
            found, note = await self._ask_crossref(self._client, [w.identifiers.doi or "" for w in asked], run_id)
            for work in asked:
                if status := found.get(work.identifiers.doi or ""):
                    reports[work.candidate_id].append(of_crossref(status))
            notes += [note] if note else []
        return StatusAnswers({name: tuple(said) for name, said in reports.items()}, tuple(notes))

    def _ask_file(self, works: Sequence[EvidenceCandidate], reports: dict[str, list[StatusReport]]) -> Iterable[str]:
        try:
            known = self._file.of([(work.identifiers.doi, work.identifiers.pmid) for work in works])
        except UsageError as error:
            log.warning("%s", error)
            return [f"the imported Retraction Watch file was not asked: {error}"]
        for work, notice in zip(works, known, strict=True):
            if notice:
                reports[work.candidate_id].append(of_file(notice))
        return []

    async def _ask_crossref(
        self, client: HttpClient, dois: Sequence[str], run_id: str | None
    ) -> tuple[dict[str, WorkStatus], str | None]:
        """What Crossref says in time, and a line where it did not answer for all."""
        found: dict[str, WorkStatus] = {}
        within_s = self._settings.status_s
        port = client.port(self._service, within_s=within_s, run_id=run_id)
        asking = _Asking(port, self._settings.crossref_base_url or CROSSREF_URL, self._settings.contact_email, found)
        try:
            async with asyncio.timeout(within_s):
                await asking.all(list(batches(dois)))
        except TimeoutError:
            asking.failed.setdefault("did not answer in time", 0)
        except OpenWorkError as error:
            log.warning("the status of works was not looked up: %s", error)
            asking.failed.setdefault(error.reason.in_words, 0)
        if not asking.failed:
            return found, None
        left = len(set(dois) - asking.answered)
        return found, f"status not checked for {left} works: Crossref {next(iter(asking.failed))}" if left else None


class _Asking:
    """The calls of one round."""

    def __init__(self, port: HttpPort, base_url: str, contact: str | None, found: dict[str, WorkStatus]) -> None:
        self._port = port
        self._base_url = base_url
        self._contact = contact
        self._found = found
        self._calls_left = MOST_CALLS
        self._turn = asyncio.Semaphore(_AT_ONCE)
        self.failed: dict[str, int] = {}
        """How calls failed, in words -> how many."""
        self.answered: set[str] = set()
        """DOIs that an answer was for, known to Crossref or not."""

    async def all(self, portions: Sequence[list[str]]) -> None:
        await asyncio.gather(*(self._one(portion) for portion in portions))

    async def _one(self, dois: list[str]) -> None:
        async with self._turn:
            if self._calls_left <= 0:
                self.failed["was asked as often as may be for one question"] = 1
                return
            self._calls_left -= 1
            try:
                request = status_request(self._base_url, dois, self._contact)
                said = parse_statuses("Crossref", await fetch("Crossref", self._port, request))
            except SourceRefused as error:
                log.warning("Crossref refused %d DOIs: %s", len(dois), error)
                refused = error
            except OpenWorkError as error:
                if isinstance(error, SourceChanged):
                    await self._forget()
                self.failed[error.reason.in_words] = self.failed.get(error.reason.in_words, 0) + 1
                return
            else:
                self.answered.update(dois)
                self._found.update({doi: status for doi, status in said.items() if doi in dois})
                return
        if len(dois) == 1:  # one that it does not take is not to cost the others
            self.failed[refused.reason.in_words] = self.failed.get(refused.reason.in_words, 0) + 1
            return
        middle = len(dois) // 2
        await asyncio.gather(self._one(dois[:middle]), self._one(dois[middle:]))

    async def _forget(self) -> None:
        forget = getattr(self._port, "forget", None)
        if forget is not None:
            await forget()
