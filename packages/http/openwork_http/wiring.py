"""The client as a service wires it: limits and answers shared through the bus where there is one."""

from __future__ import annotations

from nats.js import JetStreamContext
from openwork_bus.buckets import open_key_value
from openwork_bus.figures import Figures
from openwork_bus.telemetry import Telemetry
from openwork_contracts.buckets import ANSWERS, LIMITS

from openwork_http.cache import SharedCache
from openwork_http.client import HttpClient
from openwork_http.limits import MonthlyQuota, SharedRateLimiter
from openwork_http.settings import HttpSettings
from openwork_http.silence import SharedSilence


async def shared_client(
    settings: HttpSettings,
    js: JetStreamContext,
    *,
    telemetry: Telemetry | None = None,
    figures: Figures | None = None,
) -> HttpClient:
    """A client whose rate budgets and cache are those of all replicas. Close it with the service (`Service.resources`).

    Raises:
        BusUnavailable: the buckets are not there.
    """
    limits = await open_key_value(js, LIMITS)
    answers = await open_key_value(js, ANSWERS) if settings.http_cache_bytes else None
    return HttpClient(
        settings,
        limiter=SharedRateLimiter(limits, jitter_s=settings.rate_jitter_s),
        cache=SharedCache(answers) if answers else None,
        silence=SharedSilence(limits),
        telemetry=telemetry,
        figures=figures,
    )


async def monthly_quota(js: JetStreamContext, name: str, per_month: int) -> MonthlyQuota:
    """The counter of a service that sells calls by the month; `name` as in `terms.RateBudget.of(...)`.name."""
    return MonthlyQuota(await open_key_value(js, LIMITS), name, per_month)
