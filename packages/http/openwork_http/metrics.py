"""What is counted of the way out: requests to each provider, how they failed, circuits, budgets, the cache.

A provider is whom we ask over HTTP (`ncbi`, `europepmc`): several sources may be one's. A service without an entry of
its own is known by its host, which may be anything, and is counted as `other`.
"""

from __future__ import annotations

from collections.abc import Iterable

from openwork_bus.figures import Counter, Figures, Gauge, Histogram
from openwork_bus.metrics import CACHE
from openwork_contracts.errors import BusUnavailable, FailureReason, OpenWorkError

from openwork_http.circuit import Circuit, CircuitState
from openwork_http.terms import RateBudget

REQUESTS = Counter(
    "openwork_source_requests_total",
    ("provider", "outcome"),
    "Requests to providers, retries not counted; what a cache held is not among them.",
)
ERRORS = Counter(
    "openwork_source_errors_total", ("provider", "kind"), "Requests to providers that came to nothing, by why."
)
TRIES = Counter("openwork_source_tries_total", ("provider",), "Tries of requests to providers, retries counted.")
REQUEST_SECONDS = Histogram(
    "openwork_source_request_seconds",
    ("provider",),
    "From a request to its whole answer: waiting for a slot of our own budget, and retries, included.",
)
CIRCUIT = Gauge(
    "openwork_source_circuit_state", ("provider", "state"), "1 for the state that the circuit of a provider is in."
)
SLOTS = Counter(
    "openwork_source_budget_slots_total",
    ("budget",),
    "Requests begun within a rate budget. All replicas share it: their sum is what is used of it.",
)
BUDGET = Gauge(
    "openwork_source_budget_requests_per_second", ("budget",), "Requests that a rate budget lets begin in a second."
)
WAITED = Counter(
    "openwork_source_budget_wait_seconds_total", ("budget",), "Seconds that requests waited for a slot of a budget."
)
METRICS = (REQUESTS, ERRORS, TRIES, REQUEST_SECONDS, CIRCUIT, SLOTS, BUDGET, WAITED)

ANSWERS = "source_answers"
"""The cache of answers, as a label."""
ANSWERED, REFUSED, FAILED, NOT_ASKED = "answered", "refused", "failed", "not_asked"
"""What becomes of a request. Not asked = our own budget was used up, or our own bus was away."""
BUS = "bus"
"""Kind of a failure of ours: the shared limits could not be read."""
_OTHER = "other"


def provider_of(name: str) -> str:
    """The label of an outside service; a host is none."""
    return _OTHER if "." in name or ":" in name else name.lower()


def count_answer(figures: Figures, name: str, *, status: int, seconds: float, tries: int) -> None:
    """A request that was answered. A 5xx is a failure of the provider, another 4xx than 429 a refusal."""
    if status >= 500:
        _count_failure(figures, name, FailureReason.UNREACHABLE.value, tries=tries)
        return
    provider = _begun(figures, name)
    figures.count(REQUESTS, provider, REFUSED if status >= 400 else ANSWERED)
    figures.count(TRIES, provider, n=tries)
    figures.observe(REQUEST_SECONDS, provider, value=seconds)


def count_failure(figures: Figures, name: str, error: OpenWorkError, *, tries: int) -> None:
    """A request without an answer. What is our own doing says nothing about the provider."""
    kind = BUS if isinstance(error, BusUnavailable) else error.reason.value
    _count_failure(figures, name, kind, tries=tries)


def _count_failure(figures: Figures, name: str, kind: str, *, tries: int) -> None:
    provider = _begun(figures, name)
    figures.count(REQUESTS, provider, NOT_ASKED if kind in (BUS, FailureReason.OWN_LIMIT.value) else FAILED)
    figures.count(ERRORS, provider, kind)
    figures.count(TRIES, provider, n=tries)


def _begun(figures: Figures, name: str) -> str:
    """The provider, whose first failure is to be seen as growth."""
    provider = provider_of(name)
    for outcome in (ANSWERED, REFUSED, FAILED, NOT_ASKED):
        figures.begin(REQUESTS, provider, outcome)
    return provider


def count_cache(figures: Figures, *, is_kept: bool) -> None:
    """A look into the cache of answers."""
    figures.count(CACHE, ANSWERS, "hit" if is_kept else "miss")


def count_slot(figures: Figures, budget: RateBudget, *, waited_s: float) -> None:
    """A request may begin. The key that a budget belongs to is not told."""
    name = budget.name.partition(".")[0]
    figures.set(BUDGET, name, value=budget.per_second)
    figures.count(SLOTS, name)
    figures.count(WAITED, name, n=max(0.0, waited_s))


def show_circuits(figures: Figures, circuits: Iterable[Circuit]) -> None:
    """The state of every circuit but those of single hosts."""
    named = {provider_of(circuit.name): circuit.state for circuit in circuits}
    states: dict[tuple[str, ...], float] = {
        (provider, state.value): float(there is state)
        for provider, there in named.items()
        if provider != _OTHER
        for state in CircuitState
    }
    figures.show(CIRCUIT, states)
