"""A live source: an adapter, the registry's terms for it, and the way out that all replicas share."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_bus.figures import Figures
from openwork_contracts.errors import (
    FailureReason,
    OpenWorkError,
    SourceChanged,
    SourceRefused,
    SourceUnavailable,
)
from openwork_contracts.pipelines import REVIEW, pipeline_named
from openwork_contracts.question import Track
from openwork_http.client import HttpClient
from openwork_http.limits import MonthlyQuota
from openwork_http.messages import shown
from openwork_http.terms import OutsideService
from pydantic import SecretStr

from openwork_retrievers.adapters.ports import Identity, SearchRequest
from openwork_retrievers.domain.registry import BY_ROUTE, AdapterName, SourceSpec, build_adapter
from openwork_retrievers.domain.source import Found, Search
from openwork_retrievers.metrics import CALLS_LEFT
from openwork_retrievers.settings import Settings

_NCBI_ERRORS = (b"<ERROR>", b'"error"', b'"ERROR"')
"""In a 200 of the E-utilities these make it an error that must not be kept."""


_REPORT_S = 0.5
"""Seconds before the search deadline at which a search ends: what it found until then, and why no more, is to be in
when the sources are joined."""


class Outside:
    """The HTTP client of this process; opened when the bus is there, through which budgets and the cache are shared."""

    def __init__(self, figures: Figures | None = None) -> None:
        self.figures = figures or Figures("none")
        self._client: HttpClient | None = None
        self.quotas: dict[str, MonthlyQuota] = {}
        """Counters of services that sell calls by the month, by route."""

    @property
    def client(self) -> HttpClient:
        """The open client."""
        if self._client is None:
            raise RuntimeError("the service is not started")
        return self._client

    def open(self, client: HttpClient) -> None:
        """Use this one from now on."""
        self._client = client


class LiveSource:
    """One entry of the registry, searched over HTTP."""

    def __init__(self, spec: SourceSpec, settings: Settings, outside: Outside) -> None:
        self.route = spec.route
        self.policy = spec.policy
        self._spec = spec
        self._outside = outside
        name = spec.adapter.value
        key = settings.api_key(name)
        identity = Identity(
            tool=settings.tool_name,
            contact=settings.contact_email,
            api_key=key.get_secret_value() if key else None,
        )
        self._missing = missing_setting(spec, settings)
        self.per_month = spec.rate.per_month
        self._adapter = None if self._missing else build_adapter(spec, identity, settings.base_url(name))
        self.service = outside_service(spec, settings)

    async def search(self, request: Search) -> Found:
        """See `Source.search`."""
        if self._adapter is None:
            raise SourceRefused(f"{self.route} needs the setting {self._missing}")
        now = datetime.now(UTC)
        left_s = (request.deadline_at - now).total_seconds()
        if left_s <= 0:
            raise SourceUnavailable(
                f"{self.route} was not asked: searches of other questions went first until this one's deadline had "
                f"passed",
                reason=FailureReason.DEADLINE,
            )
        if quota := self._outside.quotas.get(self.route):
            self._outside.figures.set(CALLS_LEFT, self.route, value=await quota.take(now))
        budgets = pipeline_named(request.pipeline).budgets
        is_review = request.pipeline == REVIEW
        most_s = self._spec.review_timeout_s if is_review else self._spec.timeout_s
        within_s = min(most_s, left_s - min(_REPORT_S, left_s / 4))
        port = self._outside.client.port(self.service, within_s=within_s, run_id=request.run_id)
        search = SearchRequest(
            route=self.route,
            analysis=request.analysis,
            strategy=request.strategy,
            limit=min(request.limit, self._spec.review_limit if is_review else self._spec.limit),
            retrieved_at=now,
            track=Track(request.track),
            round=request.round,
            enough=budgets.enough_records,
            ncbi=budgets.ncbi_calls_of(request.round),
        )
        try:
            result = await self._adapter.search(search, port)
        except OpenWorkError as error:
            error.requests = tuple(dict.fromkeys(shown(request) for request in port.sent))
            if isinstance(error, SourceChanged):
                await port.forget()
            raise
        return Found(records=result.records, search_log=result.log, degradations=result.degradations)


def outside_service(spec: SourceSpec, settings: Settings) -> OutsideService:
    """The service of an entry as the client treats it: with the budget that everybody of its key shares."""
    return OutsideService(
        name=spec.rate.key,
        budget=spec.rate.budget(settings.api_key(spec.adapter.value)),
        cache_ttl_s=float(spec.cache_ttl_s),
        error_marks=_NCBI_ERRORS if spec.adapter is AdapterName.NCBI else (),
    )


def missing_setting(spec: SourceSpec, settings: Settings) -> str | None:
    """The variable without which a source cannot be asked, and which is not set; `None` = it can be asked."""
    if spec.needs is None:
        return None
    value: str | SecretStr | None = getattr(settings, spec.needs)
    given = value.get_secret_value() if isinstance(value, SecretStr) else value
    return None if given else f"OPENWORK_{spec.needs.upper()}"


def askable_sources(settings: Settings) -> tuple[str, ...]:
    """The configured sources without those whose key or address is missing: these must not be planned.

    For where one process runs all services and so sees every key. Where a retriever alone has its key, the plan cannot
    know of it: an operator names a source in `sources` when its retriever is deployed, and one without its key refuses
    and is named for that in the answer.
    """
    named = settings.source_names
    return tuple(r for r in named if r not in BY_ROUTE or missing_setting(BY_ROUTE[r], settings) is None)
