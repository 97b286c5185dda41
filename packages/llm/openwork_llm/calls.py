"""One call to a provider with what the vendors' kits leave out: tries, pauses, a deadline, the stream put together."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from openwork_bus.backoff import backoff_s
from openwork_contracts.errors import FailureReason, ModelUnavailable

from openwork_llm.errors import ModelAnswerBlocked, ModelAnswerCut, ModelAnswerEmpty
from openwork_llm.messages import Finish, ModelRequest, ModelResponse, TokenCount
from openwork_llm.providers.port import Provider
from openwork_llm.settings import ModelSettings

OnText = Callable[[str], Awaitable[None]]
"""Takes an answer as far as it is written; each new try begins it anew. Nobody has checked it yet."""


@dataclass(slots=True)
class Caller:
    """Sends requests to one provider."""

    provider: Provider
    settings: ModelSettings
    rng: random.Random = field(default_factory=random.Random)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

    async def call(
        self, request: ModelRequest, *, timeout_s: float, on_text: OnText | None = None
    ) -> tuple[ModelResponse, int]:
        """The answer and the number of tries it took.

        Tries again after ModelUnavailable, as long as the pause that the service asks for still fits in.

        Raises:
            ModelUnavailable: no answer within `timeout_s` or in any try. ModelRequestRefused: 4xx.
        """
        give_up = self.clock() + timeout_s
        for n_try in range(1, self.settings.model_tries + 1):
            try:
                async with asyncio.timeout(max(0.001, give_up - self.clock())):
                    return await self._once(request, give_up - self.clock(), on_text), n_try
            except TimeoutError:
                raise ModelUnavailable(
                    f"{self.provider.name} gave no whole answer for model {request.model!r} within {timeout_s:.0f} s",
                    reason=FailureReason.TIMEOUT,
                ) from None
            except ModelUnavailable as error:
                pause_s = self._pause_s(n_try, error)
                if n_try == self.settings.model_tries or pause_s >= give_up - self.clock():
                    raise _with_tries(error, n_try) from None
                await self.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def _pause_s(self, n_try: int, error: ModelUnavailable) -> float:
        pause_s = backoff_s(
            n_try, base_s=self.settings.model_backoff_s, max_s=self.settings.model_backoff_max_s, rng=self.rng
        )
        asked_s = error.retry_after_s
        # What a service asks for is the least; the random part on top parts those who were told the same.
        return pause_s if asked_s is None else asked_s + min(pause_s, 1.0)

    async def _once(self, request: ModelRequest, timeout_s: float, on_text: OnText | None) -> ModelResponse:
        if on_text is None:
            return await self.provider.complete(request, timeout_s=timeout_s)
        text: list[str] = []
        finish: Finish | None = None
        tokens, version, detail = TokenCount(), None, ""
        async with aclosing(self.provider.stream(request, timeout_s=timeout_s)) as chunks:
            async for chunk in chunks:
                tokens = chunk.tokens or tokens
                finish = chunk.finish or finish
                version = chunk.model_version or version
                detail = chunk.detail or detail
                if chunk.text:
                    text.append(chunk.text)
                    await on_text("".join(text))
        if finish is None and text:
            raise ModelUnavailable(f"{self.provider.name} broke off in the middle of an answer of {request.model!r}")
        return ModelResponse("".join(text), finish or Finish.EMPTY, tokens, version, detail)


def _with_tries(error: ModelUnavailable, n_tries: int) -> ModelUnavailable:
    if n_tries == 1:
        return error
    return ModelUnavailable(f"{error} in {n_tries} tries", reason=error.reason, retry_after_s=error.retry_after_s)


def check_finish(response: ModelResponse, request: ModelRequest) -> None:
    """Nothing when the answer is whole.

    Raises:
        ModelAnswerBlocked, ModelAnswerCut, ModelAnswerEmpty: it is not; in words for the reader.
    """
    match response.finish:
        case Finish.BLOCKED:
            raise ModelAnswerBlocked(
                f"model {request.model!r} refused to answer ({response.detail.lower() or 'refusal'})"
            )
        case Finish.MAX_TOKENS:
            raise ModelAnswerCut(f"model {request.model!r} reached its limit of {request.max_output_tokens} tokens")
        case _ if not response.text.strip():
            raise ModelAnswerEmpty(f"model {request.model!r} gave an empty answer")
        case _:
            return
