"""What language models consumed. Part of answers, screenings and ends. Owner: the llm package."""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.meta import Contract


class Usage(Contract):
    """What language models consumed. All zero when none was asked."""

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    """Including thinking tokens, which are billed as output."""
    cost_usd: float = Field(default=0.0, ge=0)
    model_calls: int = Field(default=0, ge=0)
