"""The sources: one workload each, as many pods as its limit feeds. The only module here that knows the retrievers.

What is known of a source (route, rate, key) stands in the retrievers' own registry; it is read there, not repeated.
"""

from __future__ import annotations

import math

from openwork_bus.settings import DEFAULT_SOURCES
from openwork_retrievers.adapters.guidelines import GuidelinesSource
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.registry import BY_ROUTE, SOURCES, searches_at_once

DEFAULTS = tuple(DEFAULT_SOURCES.split(","))
"""The sources that are asked when nothing else is set; each has a workload."""
ROUTES = (LibrarySource.route, *(spec.route for spec in SOURCES))
"""Every source that there can be a retriever for."""
_CALL_S = 1.0
"""Seconds that one call of an outside service takes, roughly: how many may be in flight for a rate to be used up."""
_MOST_PODS = 5
_KEYED = frozenset({"ncbi", "openalex", "semanticscholar", "openfda", "tavily"})
"""Outside services that take a key; the setting is `<service>_api_key`."""


def works_offline(route: str) -> bool:
    """Whether it has something to find without a network: the library and the collected guidelines."""
    return route in {LibrarySource.route, GuidelinesSource.route}


def is_outside(route: str) -> bool:
    """Whether it is asked over the internet; the library is not."""
    return route in BY_ROUTE


def limit(route: str) -> str:
    """What it may be asked, in words."""
    if not is_outside(route):
        return "no outside limit"
    shared = f", shared by {len(_sharers(route))}" if len(_sharers(route)) > 1 else ""
    return f"at most {_per_second(route):g} a second{shared}"


def per_pod(route: str) -> int:
    """What one retriever works on at a time."""
    return searches_at_once(route)


def most_pods(route: str) -> int:
    """Pods of a source beyond which requests would only wait for its limit, shared with the sources of the same key."""
    if not is_outside(route):
        return 10  # the library: no outside limit
    in_flight = _per_second(route) * _CALL_S / max(1, len(_sharers(route)))
    return max(1, min(_MOST_PODS, math.ceil(in_flight / per_pod(route))))


def _per_second(route: str) -> float:
    rate = BY_ROUTE[route].rate
    return max(rate.per_second, rate.per_second_with_key or 0)


def _sharers(route: str) -> list[str]:
    key = BY_ROUTE[route].rate.key
    return [name for name in DEFAULTS if is_outside(name) and BY_ROUTE[name].rate.key == key]


def keys(route: str) -> tuple[str, ...]:
    """Settings with the secrets of a source; each is optional."""
    adapter = BY_ROUTE[route].adapter.value if is_outside(route) else ""
    return (f"{adapter}_api_key",) if adapter in _KEYED else ()
