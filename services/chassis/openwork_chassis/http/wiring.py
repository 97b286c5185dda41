"""The client as a service wires it: limits and answers shared through the bus where there is one."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.errors import BucketNotFoundError
from openwork_contracts.errors import BusUnavailable

from openwork_chassis.http.buckets import ANSWERS_BUCKET, LIMITS_BUCKET
from openwork_chassis.http.cache import SharedCache
from openwork_chassis.http.client import HttpClient
from openwork_chassis.http.limits import MonthlyQuota, SharedRateLimiter
from openwork_chassis.http.settings import HttpSettings
from openwork_chassis.telemetry import Telemetry


async def shared_client(
    settings: HttpSettings, js: JetStreamContext, *, telemetry: Telemetry | None = None
) -> HttpClient:
    """A client whose rate budgets and cache are those of all replicas. Close it with the service (`Service.resources`).

    Raises:
        BusUnavailable: the buckets are not there; `buckets.ensure_buckets` makes them, as `topology` does the streams.
    """
    try:
        limits = await js.key_value(LIMITS_BUCKET)
        answers = await js.key_value(ANSWERS_BUCKET) if settings.http_cache_bytes else None
    except BucketNotFoundError as error:
        raise BusUnavailable(
            f"the buckets {LIMITS_BUCKET} and {ANSWERS_BUCKET} are not there; run the topology job"
        ) from error
    return HttpClient(
        settings,
        limiter=SharedRateLimiter(limits, jitter_s=settings.rate_jitter_s),
        cache=SharedCache(answers) if answers else None,
        telemetry=telemetry,
    )


async def monthly_quota(js: JetStreamContext, name: str, per_month: int) -> MonthlyQuota:
    """The counter of a service that sells calls by the month; `name` as in `terms.RateBudget.of(...)`.name."""
    return MonthlyQuota(await js.key_value(LIMITS_BUCKET), name, per_month)
