"""What a run may still spend: checked before a call with the most that the call can cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from openwork_llm.errors import BudgetExceeded
from openwork_llm.ledger import Account
from openwork_llm.messages import ModelRequest, TokenCount
from openwork_llm.prices import Price
from openwork_llm.settings import ModelSettings

CHARS_PER_TOKEN = 3.5
"""English medical text has about 4 characters per token; fewer are assumed, so that a call is not underestimated."""
_LONGER = 2.0
"""Times the limit of an answer that was cut: thinking cuts it, of which nobody knows before how much it takes."""
_WORTH_A_TRY = 1.25
"""Times the limit below which a second try would be cut at the same place."""
_LEAST_S = 1.0
"""No model answers in less: a call is not begun with less time."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one call may take."""

    timeout_s: float


def most_tokens(request: ModelRequest) -> TokenCount:
    """The tokens a call can cost at most, by estimate of its input and the limit of its output."""
    return TokenCount(input=math.ceil(request.n_chars / CHARS_PER_TOKEN), output=request.max_output_tokens)


def allow(
    request: ModelRequest,
    account: Account,
    price: Price,
    settings: ModelSettings,
    *,
    timeout_s: float,
    deadline_at: datetime | None,
    now: datetime | None = None,
) -> Allowance:
    """What the call may take of what the run has left.

    Raises:
        BudgetExceeded: its most is more than is left, in words for the reader.
    """
    most = most_tokens(request)
    if account.tokens + most.total > settings.model_budget_tokens:
        raise BudgetExceeded(
            f"the token budget for language models is used up ({account.tokens:,} of {settings.model_budget_tokens:,})"
        )
    if account.cost_usd + price.cost_usd(most) > settings.model_budget_usd:
        raise BudgetExceeded(
            f"the budget for language models is used up (${account.cost_usd:.4f} of ${settings.model_budget_usd:.2f})"
        )
    left_s = settings.model_budget_s - account.elapsed_s
    if left_s < _LEAST_S:
        raise BudgetExceeded(
            f"the time for language models is used up ({account.elapsed_s:.0f} of {settings.model_budget_s:.0f} s)"
        )
    if deadline_at is not None:
        until_deadline_s = (deadline_at - (now or datetime.now(UTC))).total_seconds() - settings.model_reserve_s
        if until_deadline_s < _LEAST_S:
            raise BudgetExceeded("too little time is left before the run's deadline to ask a language model")
        left_s = min(left_s, until_deadline_s)
    return Allowance(timeout_s=min(timeout_s, left_s))


def with_higher_limit(
    request: ModelRequest, account: Account, price: Price, settings: ModelSettings
) -> ModelRequest | None:
    """The request with twice its limit of output, or as much more as the budget pays; `None` = too little more."""
    most = most_tokens(request)
    left = settings.model_budget_tokens - account.tokens - most.input
    if price.output_usd > 0:
        input_usd = price.cost_usd(TokenCount(input=most.input))
        left = min(left, int(price.output_tokens(settings.model_budget_usd - account.cost_usd - input_usd)))
    limit = min(int(_LONGER * request.max_output_tokens), left)
    if limit < _WORTH_A_TRY * request.max_output_tokens:
        return None
    return replace(request, max_output_tokens=limit)
