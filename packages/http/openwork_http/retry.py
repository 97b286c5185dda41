"""When to try again: pure functions, no clock of their own."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED_STATUS = frozenset({429, 502, 503, 504})
"""Worth another try within the same call. 500 is not: it mostly means that this very request breaks the service."""


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Seconds a Retry-After header asks for, given as seconds or as an HTTP date; `None` when absent or unreadable.

    A date in the past is 0. RFC 9110, section 10.2.3.
    """
    if value is None:
        return None
    text = value.strip()
    try:
        seconds = float(text)  # RFC 9110 has whole seconds; some services send decimals
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - now).total_seconds())
    return max(0.0, seconds) if math.isfinite(seconds) else None
