"""What a provider does, and the words it uses for what went wrong."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from openwork_contracts.errors import FailureReason, ModelUnavailable

from openwork_llm.errors import ModelRequestRefused
from openwork_llm.messages import Chunk, ModelRequest, ModelResponse


class Provider(Protocol):
    """A model service. Every method is one try.

    Raises, all of them: ModelUnavailable (worth another try), ModelRequestRefused (not worth one).
    """

    name: str

    async def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The whole answer."""
        ...

    def stream(self, request: ModelRequest, *, timeout_s: float) -> AsyncGenerator[Chunk, None]:
        """The answer as it is written; the last chunk tells finish and tokens."""
        ...

    async def count_tokens(self, request: ModelRequest, *, timeout_s: float) -> int | None:
        """Tokens of the input as the service counts them; `None` = it does not tell."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


def fault_of_status(
    provider: str, model: str, status: int, detail: str, *, retry_after_s: float | None = None
) -> ModelUnavailable | ModelRequestRefused:
    """The error for an HTTP status. `detail`: the service's own code, e.g. "RESOURCE_EXHAUSTED", never its text."""
    what = f"{provider} answered {status}{f' {detail}' if detail else ''} for model {model!r}"
    if status == 429:
        return ModelUnavailable(what, reason=FailureReason.RATE_LIMITED, retry_after_s=retry_after_s)
    if status >= 500 or status == 408:
        return ModelUnavailable(what, reason=FailureReason.UNREACHABLE, retry_after_s=retry_after_s)
    hint = {401: "; check the key", 403: "; check the key and its rights", 404: "; check the model's id"}.get(
        status, ""
    )
    return ModelRequestRefused(f"{what}{hint}")


def fault_of_network(provider: str, model: str, error: BaseException) -> ModelUnavailable:
    """The error for a connection that could not be made or broke. Only the kind is told: addresses may hold keys."""
    timeout = "timeout" in type(error).__name__.lower()
    reason = FailureReason.TIMEOUT if timeout else FailureReason.UNREACHABLE
    return ModelUnavailable(f"{provider} gave no answer for model {model!r} ({type(error).__name__})", reason=reason)
