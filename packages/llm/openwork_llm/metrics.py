"""What is counted of language models: calls, tokens, dollars, answers given again."""

from __future__ import annotations

from openwork_bus.figures import Counter, Figures, Histogram
from openwork_bus.metrics import CACHE

from openwork_llm.ledger import CallRecord
from openwork_llm.messages import TokenCount

CALLS = Counter(
    "openwork_model_calls_total",
    ("model", "prompt", "outcome"),
    "Calls of language models, retries of one call not counted.",
)
CALL_SECONDS = Histogram(
    "openwork_model_call_seconds",
    ("model",),
    "From a call of a language model to its whole answer, or until it was given up.",
)
TOKENS = Counter(
    "openwork_model_tokens_total",
    ("model", "kind"),
    "Tokens as the provider billed them; cached_input is a part of input. Of a call that ran out of time, by estimate.",
)
DOLLARS = Counter(
    "openwork_model_cost_usd_total",
    ("model",),
    "US dollars that language models cost, by the list prices and those of the settings.",
)
METRICS = (CALLS, CALL_SECONDS, TOKENS, DOLLARS)

ANSWERS = "model_answers"
"""The cache of answers, as a label."""
ANSWERED, UNAVAILABLE, REFUSED, UNUSABLE, OVER_BUDGET = (
    "answered",
    "unavailable",
    "refused",
    "unusable",
    "over_budget",
)
"""What becomes of a call."""


def begin_models(figures: Figures, models: tuple[str, ...]) -> None:
    """Series of what may be spent."""
    for model in dict.fromkeys(models):
        figures.begin(DOLLARS, model)


def count_call(figures: Figures, record: CallRecord, tokens: TokenCount, outcome: str) -> None:
    """A call that was made, and may be billed."""
    model = record.model
    for other in (ANSWERED, UNAVAILABLE, REFUSED):
        figures.begin(CALLS, model, record.prompt, other)
    figures.count(CALLS, model, record.prompt, outcome)
    figures.observe(CALL_SECONDS, model, value=record.elapsed_s)
    figures.count(DOLLARS, model, n=record.cost_usd)
    kinds = (("input", tokens.input), ("cached_input", tokens.cached), ("output", tokens.output))
    for kind, n in (*kinds, ("thinking", tokens.thinking)):
        figures.count(TOKENS, model, kind, n=n)


def count_look(figures: Figures, *, is_kept: bool) -> None:
    """A look into the cache of answers."""
    figures.count(CACHE, ANSWERS, "hit" if is_kept else "miss")
