"""The language model as services see it: a prompt and its fillings in, a checked answer out, or a typed error.

    model = LanguageModel(settings)                      # in create_service
    service.before_start(model.open)
    service.resources.push_async_callback(model.close)
    ...
    if model.enabled:
        answer = await model.ask(prompt, fillings, Shape, run, deadline_at=...)

Every error is an OpenWorkError; a service answers all of them with its deterministic fallback and a note.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from openwork_bus.figures import Figures
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import Usage
from openwork_contracts.errors import FailureReason, ModelUnavailable
from openwork_http.single_flight import SingleFlight
from openwork_language.unseen import without_unseen
from pydantic import BaseModel

from openwork_llm.budget import allow, most_tokens, with_higher_limit
from openwork_llm.cache import answer_key
from openwork_llm.calls import Caller, OnText, check_finish
from openwork_llm.errors import BudgetExceeded, ModelAnswerCut, ModelAnswerMisshapen, ModelRequestRefused
from openwork_llm.families import family_of
from openwork_llm.ledger import Account, CallRecord
from openwork_llm.messages import ModelRequest, Tier, TokenCount, Turn
from openwork_llm.metrics import (
    ANSWERED,
    CALLS,
    OVER_BUDGET,
    REFUSED,
    UNAVAILABLE,
    UNUSABLE,
    begin_models,
    count_call,
    count_look,
)
from openwork_llm.prompts import Filled, Filling, Prompt
from openwork_llm.providers.port import Provider
from openwork_llm.schema import ShapeError, parse_shape, schema_of
from openwork_llm.settings import ModelSettings
from openwork_llm.spans import LLM, describe_response, request_attributes
from openwork_llm.stores import Stores, memory_stores, open_stores

M = TypeVar("M", bound=BaseModel)
V = TypeVar("V")

_MOST_REPEATED_CHARS = 4_000
"""Of a misshapen answer that is shown to its model again."""


class RunOfModel(Protocol):
    """What of a run the client needs; `openwork_bus.run.Run` is one."""

    id: str
    service: str
    telemetry: Telemetry


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """A usable answer."""

    value: V
    model: str
    """The id that was asked for."""
    from_cache: bool
    """True when nothing was paid for it now."""


class LanguageModel:
    """One service's way to language models; disabled when no provider is configured."""

    def __init__(
        self,
        settings: ModelSettings,
        provider: Provider | None = None,
        *,
        stores: Stores | None = None,
        figures: Figures | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self.figures = figures or Figures("none")
        provider = provider or create_provider(settings)
        self._caller = Caller(provider, settings, rng=rng or random.Random(), sleep=sleep) if provider else None
        self._stores = stores or memory_stores(settings.model_cache_entries)
        self._in_flight: SingleFlight[str] = SingleFlight()
        self._slots = asyncio.Semaphore(settings.model_concurrency)
        if provider is not None:
            begin_models(self.figures, tuple(settings.model_of(tier) for tier in Tier))

    @property
    def enabled(self) -> bool:
        """Whether there is a model to ask."""
        return self._caller is not None

    async def open(self, bus: JetStreamBus) -> None:
        """Open the stores that all services share. Does nothing without a provider."""
        if self.enabled:
            self._stores = await open_stores(
                bus.connection.jetstream(timeout=self.settings.publish_timeout_s),
                max_entries=self.settings.model_cache_entries,
                share_answers=self.settings.model_cache_shared,
            )

    async def close(self) -> None:
        """Close the provider's connections."""
        if self._caller is not None:
            await self._caller.provider.close()

    async def account(self, run: RunOfModel) -> Account:
        """What the run has spent so far and its notes; empty without a provider."""
        return await self._stores.ledger.read(run.id) if self.enabled else Account()

    async def usage(self, run: RunOfModel) -> Usage:
        """What the run has spent so far, as the answer states it."""
        return (await self.account(run)).usage

    async def note(self, run: RunOfModel, text: str) -> None:
        """Keep something that the reader of the run's answer must be told; once, however often it is said."""
        await self._stores.ledger.note(run.id, text)

    async def ask(
        self,
        prompt: Prompt,
        fillings: Mapping[str, Filling],
        shape: type[M],
        run: RunOfModel,
        *,
        tier: Tier | None = None,
        deadline_at: datetime | None = None,
        on_text: OnText | None = None,
    ) -> Answer[M]:
        """An answer of a shape.

        One that is misshapen is asked for once more with the error shown; one that was cut at its limit of tokens once
        more with a higher limit.

        Args:
            tier: instead of the prompt's own.
            deadline_at: when the run ends; `None` = not known.
            on_text: told what is written so far, where the answer is written now and for this caller.
        Raises:
            ModelUnavailable, BudgetExceeded, ModelRequestRefused, ModelAnswerRejected: see `errors`.
        """
        filled = prompt.fill(fillings)
        request = self._request(prompt, filled, tier or prompt.tier, shape)
        key = answer_key(prompt, filled, request, self.settings.provider)
        kept = await self._stores.answers.get(key)
        count_look(self.figures, is_kept=kept is not None)
        if kept is not None:
            try:
                return Answer(parse_shape(kept, shape), request.model, from_cache=True)
            except ShapeError:
                pass  # kept by an older release with another shape
        call = _Call(self, prompt, run, tier or prompt.tier, deadline_at, on_text)
        text, joined = await self._shared(key, lambda: call.shaped(request, shape, key))
        return Answer(parse_shape(text, shape), request.model, from_cache=joined)

    async def _shared(self, key: str, make: Callable[[], Awaitable[str]]) -> tuple[str, bool]:
        """The answer, and whether another run's call brought it; that other run's empty purse is not ours."""
        own = False

        def begun() -> Awaitable[str]:
            nonlocal own
            own = True
            return make()

        try:
            return await self._in_flight.run(key, begun)
        except BudgetExceeded:
            if own:
                raise
            return await make(), False

    def _request(self, prompt: Prompt, filled: Filled, tier: Tier, shape: type[BaseModel]) -> ModelRequest:
        model = self.settings.model_of(tier)
        family = family_of(model)
        return ModelRequest(
            model=model,
            system=filled.system,
            turns=(Turn("user", filled.user),),
            schema=schema_of(shape),
            schema_name=prompt.name,
            temperature=family.temperature_for(prompt.temperature),
            max_output_tokens=family.limit_for(prompt.max_output_tokens, prompt.thinking),
            thinking=family.thinking_for(prompt.thinking),
        )


@dataclass(frozen=True, slots=True)
class _Call:
    """One question to a model with its account, its spans, its one re-ask and its one longer try."""

    client: LanguageModel
    prompt: Prompt
    run: RunOfModel
    tier: Tier
    deadline_at: datetime | None
    on_text: OnText | None

    async def shaped(self, request: ModelRequest, shape: type[BaseModel], key: str) -> str:
        """The text of an answer that has the shape."""
        text, request = await self._whole(request)
        try:
            parse_shape(text, shape)
        except ShapeError as error:
            text = await self._paid(_asked_again(request, text, error))
            try:
                parse_shape(text, shape)
            except ShapeError as second:
                raise ModelAnswerMisshapen(
                    f"model {request.model!r} did not keep to the form of {self.prompt.id} in two tries: {second}"
                ) from None
        await self.client._stores.answers.put(key, text)
        return text

    async def _whole(self, request: ModelRequest) -> tuple[str, ModelRequest]:
        """The text of an answer and what brought it: one that was cut is asked for once more with a higher limit.

        Raises:
            ModelAnswerCut: the second was cut too, or the budget does not pay for a limit that is worth a try.
        """
        try:
            return await self._paid(request), request
        except ModelAnswerCut:
            account = await self.client._stores.ledger.read(self.run.id)
            price = self.client.settings.price_of(request.model)
            longer = with_higher_limit(request, account, price, self.client.settings)
            if longer is None:
                raise
            return await self._paid(longer), longer

    async def _paid(self, request: ModelRequest) -> str:
        """One call, counted whatever becomes of it."""
        try:
            return await self._made(request)
        except (BudgetExceeded, ModelRequestRefused) as error:
            outcome = OVER_BUDGET if isinstance(error, BudgetExceeded) else REFUSED
            self.client.figures.count(CALLS, request.model, self.prompt.id, outcome)
            raise

    async def _made(self, request: ModelRequest) -> str:
        """One call: allowed, made, traced, entered in the account, its finish checked."""
        settings, ledger, caller = self.client.settings, self.client._stores.ledger, self.client._caller
        if caller is None:
            raise ModelUnavailable("no language model is configured")
        price = settings.price_of(request.model)
        timeout_s = settings.timeout_of(self.tier)
        telemetry = self.run.telemetry
        attributes = request_attributes(request, self.prompt, caller.provider.name)
        async with self.client._slots:
            account = await ledger.read(self.run.id)
            may = allow(request, account, price, settings, timeout_s=timeout_s, deadline_at=self.deadline_at)
            started = caller.clock()
            with telemetry.span(f"model {self.prompt.id}", LLM, attributes) as span:
                try:
                    response, tries = await caller.call(request, timeout_s=may.timeout_s, on_text=self.on_text)
                except ModelUnavailable as error:
                    record = self._unanswered(request, error, caller.clock() - started)
                    count_call(self.client.figures, record, TokenCount(input=record.input_tokens), UNAVAILABLE)
                    await ledger.record(self.run.id, record)
                    raise
                describe_response(span, response, price, tries=tries)
                record = self._record(request, response.tokens, caller.clock() - started)
                try:
                    check_finish(response, request)
                except Exception:
                    count_call(self.client.figures, record, response.tokens, UNUSABLE)
                    await ledger.record(self.run.id, record.model_copy(update={"answered": False}))
                    raise
        count_call(self.client.figures, record, response.tokens, ANSWERED)
        await ledger.record(self.run.id, record)
        return response.text

    def _record(self, request: ModelRequest, tokens: TokenCount, elapsed_s: float) -> CallRecord:
        return CallRecord(
            service=self.run.service,
            prompt=self.prompt.id,
            model=request.model,
            input_tokens=tokens.input,
            output_tokens=tokens.output + tokens.thinking,
            cost_usd=self.client.settings.price_of(request.model).cost_usd(tokens),
            elapsed_s=max(0.0, elapsed_s),
        )

    def _unanswered(self, request: ModelRequest, error: ModelUnavailable, elapsed_s: float) -> CallRecord:
        """A call without an answer. One that ran out of time may well be billed: its input is counted by estimate."""
        timed_out = error.reason is FailureReason.TIMEOUT
        tokens = TokenCount(input=most_tokens(request).input) if timed_out else TokenCount()
        record = self._record(request, tokens, elapsed_s)
        return record.model_copy(update={"answered": False, "estimated": timed_out})


def _asked_again(request: ModelRequest, text: str, error: ShapeError) -> ModelRequest:
    """The same exchange with the misshapen answer and what was wrong with it."""
    shown = without_unseen(text)[:_MOST_REPEATED_CHARS] or "(nothing)"
    again = (
        f"That was not of the required form: {error}. Answer the same task again: one JSON object of the form asked "
        "for, nothing before it and nothing after it."
    )
    return replace(request, turns=(*request.turns, Turn("model", shown), Turn("user", again)))


def create_provider(settings: ModelSettings) -> Provider | None:
    """The provider that the settings name; `None` for none. Imports no kit and opens no connection yet."""
    match settings.provider:
        case "gemini":
            from openwork_llm.providers.gemini import Gemini

            assert settings.gemini_api_key is not None
            return Gemini(settings.gemini_api_key, base_url=settings.model_base_url)
        case "openai":
            from openwork_llm.providers.openai import OpenAiCompatible

            assert settings.model_base_url is not None
            return OpenAiCompatible(
                settings.model_base_url,
                api_key=settings.model_api_key,
                structured=settings.model_structured,
                max_bytes=settings.model_max_response_bytes,
            )
        case _:
            return None
