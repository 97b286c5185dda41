"""Gemini through google-genai. The kit is imported when it is first needed: its import costs over a second of CPU."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from openwork_contracts.errors import OpenWorkError
from openwork_http.retry import retry_after_s
from pydantic import SecretStr

from openwork_llm.errors import ModelRequestRefused
from openwork_llm.families import Thinks, family_of
from openwork_llm.messages import Chunk, Finish, ModelRequest, ModelResponse, TokenCount
from openwork_llm.providers.port import fault_of_network, fault_of_status

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai import errors, types

_FINISH = {
    "STOP": Finish.STOP,
    "MAX_TOKENS": Finish.MAX_TOKENS,
    "SAFETY": Finish.BLOCKED,
    "RECITATION": Finish.BLOCKED,
    "BLOCKLIST": Finish.BLOCKED,
    "PROHIBITED_CONTENT": Finish.BLOCKED,
    "SPII": Finish.BLOCKED,
    "LANGUAGE": Finish.BLOCKED,
}
_FILTERED = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
"""All that can be adjusted. Said with every request, since what is blocked without a word differs by model (medium and
above for older ones, nothing for newer). Only what is unsafe with high probability is blocked: trials of suicide
prevention, overdoses, sexual health and abuse are medicine, and may be rated medium. Intent to harm ends at the door
before any model; what is blocked here costs the reader a model's words, never the answer."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")


class Gemini:
    """The Gemini API with a key. No tool, no search, no code execution is offered."""

    name = "gemini"

    def __init__(self, api_key: SecretStr, *, base_url: str | None = None) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._client: genai.Client | None = None
        self._transport: httpx2.AsyncClient | None = None

    async def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """As `Provider.complete`."""
        client = await self._open()
        try:
            answer = await client.aio.models.generate_content(
                model=request.model, contents=_contents(request), config=_config(request, timeout_s)
            )
        except Exception as error:
            raise self._fault(error, request.model) from None
        return _chunk(answer).whole()

    async def stream(self, request: ModelRequest, *, timeout_s: float) -> AsyncGenerator[Chunk, None]:
        """As `Provider.stream`."""
        client = await self._open()
        try:
            answer = await client.aio.models.generate_content_stream(
                model=request.model, contents=_contents(request), config=_config(request, timeout_s)
            )
            async for part in answer:
                yield _chunk(part)
        except Exception as error:
            raise self._fault(error, request.model) from None

    async def count_tokens(self, request: ModelRequest, *, timeout_s: float) -> int | None:
        """As `Provider.count_tokens`. The system part is counted as text: the endpoint takes none beside it."""
        client = await self._open()
        contents: types.ContentListUnionDict = [request.system, *(turn.text for turn in request.turns)]
        try:
            counted = await client.aio.models.count_tokens(
                model=request.model, contents=contents, config={"http_options": {"timeout": int(timeout_s * 1000)}}
            )
        except Exception as error:
            raise self._fault(error, request.model) from None
        return counted.total_tokens

    async def close(self) -> None:
        """As `Provider.close`."""
        if self._client is not None:
            await self._client.aio.aclose()
            self._client.close()
            self._client = None
        if self._transport is not None:
            await self._transport.aclose()  # the kit does not close what it did not open
            self._transport = None

    async def _open(self) -> genai.Client:
        if self._client is None:
            try:
                # In a thread: over a second of import must not stop the other handlers of this process.
                await asyncio.to_thread(importlib.import_module, "google.genai")
            except ImportError as error:
                raise ModelRequestRefused(
                    "Gemini needs the package google-genai: pip install 'openwork-llm[gemini]'"
                ) from error
        return self._opened()

    def _opened(self) -> genai.Client:
        if self._client is None:
            import httpx2
            from google import genai
            from google.genai import types

            # A client of its own pins the transport: the kit changes to aiohttp where that happens to be installed.
            self._transport = httpx2.AsyncClient()
            options = types.HttpOptions(base_url=self._base_url, httpx_async_client=self._transport)
            self._client = genai.Client(vertexai=False, api_key=self._api_key.get_secret_value(), http_options=options)
        return self._client

    def _fault(self, error: Exception, model: str) -> Exception:
        """Our word for the kit's error."""
        from google.genai import errors

        if isinstance(error, OpenWorkError):
            return error
        if isinstance(error, errors.APIError):
            return fault_of_status(
                self.name, model, error.code or 500, error.status or "", retry_after_s=_asked_pause_s(error)
            )
        # Whatever else the kit raises: a connection that broke (of httpx2 or aiohttp), a body that is no JSON.
        return fault_of_network(self.name, model, error)


def _contents(request: ModelRequest) -> types.ContentListUnionDict:
    return [{"role": turn.role, "parts": [{"text": turn.text}]} for turn in request.turns]


def _config(request: ModelRequest, timeout_s: float) -> types.GenerateContentConfig:
    from google.genai import types

    return types.GenerateContentConfig(
        system_instruction=request.system,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        candidate_count=1,
        response_mime_type="application/json" if request.schema is not None else None,
        response_json_schema=request.schema,
        thinking_config=_thinking(request),
        safety_settings=_safety(),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        http_options=types.HttpOptions(timeout=int(timeout_s * 1000)),  # milliseconds
    )


def _safety() -> list[types.SafetySetting]:
    from google.genai import types

    threshold = types.HarmBlockThreshold.BLOCK_ONLY_HIGH
    categories = (types.HarmCategory(f"HARM_CATEGORY_{name}") for name in _FILTERED)
    return [types.SafetySetting(category=category, threshold=threshold) for category in categories]


def _thinking(request: ModelRequest) -> types.ThinkingConfig | None:
    """By level or by budget, as the family takes it."""
    from google.genai import types

    family = family_of(request.model)
    if request.thinking is None:
        return None
    match family.thinks:
        case Thinks.BUDGET:
            return types.ThinkingConfig(thinking_budget=family.room[request.thinking])
        case Thinks.LEVEL:
            return types.ThinkingConfig(thinking_level=types.ThinkingLevel(request.thinking.upper()))
        case _:
            return None


def _chunk(answer: types.GenerateContentResponse) -> Chunk:
    usage = answer.usage_metadata
    tokens = None
    if usage is not None:
        tokens = TokenCount(
            input=usage.prompt_token_count or 0,
            output=usage.candidates_token_count or 0,
            thinking=usage.thoughts_token_count or 0,
            cached=usage.cached_content_token_count or 0,
        )
    blocked = answer.prompt_feedback.block_reason if answer.prompt_feedback else None
    if blocked is not None:
        return Chunk(finish=Finish.BLOCKED, tokens=tokens, model_version=answer.model_version, detail=blocked.value)
    candidate = answer.candidates[0] if answer.candidates else None
    if candidate is None:
        return Chunk(tokens=tokens, model_version=answer.model_version)
    parts = (candidate.content.parts or []) if candidate.content else []
    text = "".join(part.text or "" for part in parts if not part.thought)
    word = candidate.finish_reason.value if candidate.finish_reason else ""
    finish = _FINISH.get(word, Finish.OTHER) if word else None
    return Chunk(text=text, finish=finish, tokens=tokens, model_version=answer.model_version, detail=word)


def _asked_pause_s(error: errors.APIError) -> float | None:
    """Seconds the service asks us to wait: google.rpc.RetryInfo in the body, else the Retry-After header."""
    details = error.details if isinstance(error.details, dict) else {}
    listed = details.get("error", details)
    for entry in listed.get("details", ()) if isinstance(listed, dict) else ():
        if isinstance(entry, dict) and str(entry.get("@type", "")).endswith("RetryInfo"):
            match = _DURATION.fullmatch(str(entry.get("retryDelay", "")))
            if match:
                return float(match[1])
    headers = getattr(error.response, "headers", None)
    return retry_after_s(headers.get("retry-after"), datetime.now(UTC)) if headers is not None else None
