"""Any server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, OpenRouter. Over httpx, no kit."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Literal

import httpx
from openwork_http.retry import retry_after_s
from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError

from openwork_llm.families import Heat, Thinks, family_of
from openwork_llm.messages import Chunk, Finish, ModelRequest, ModelResponse, TokenCount
from openwork_llm.providers.port import fault_of_network, fault_of_status

Structured = Literal["json_schema", "json_object", "prompt"]

_FINISH = {"stop": Finish.STOP, "length": Finish.MAX_TOKENS, "content_filter": Finish.BLOCKED}
_CONNECT_S = 5.0


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Message(_Wire):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Wire):
    message: _Message = _Message()
    delta: _Message = _Message()
    finish_reason: str | None = None


class _PromptDetails(_Wire):
    cached_tokens: int | None = None


class _CompletionDetails(_Wire):
    reasoning_tokens: int | None = None


class _Usage(_Wire):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Including reasoning."""
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Answer(_Wire):
    choices: tuple[_Choice, ...] = Field(default=())
    usage: _Usage | None = None
    model: str | None = None


class OpenAiCompatible:
    """A chat server. `base_url` holds its version: http://127.0.0.1:11434/v1."""

    name = "openai"

    def __init__(
        self,
        base_url: str,
        *,
        api_key: SecretStr | None = None,
        structured: Structured = "json_schema",
        max_bytes: int = 2 * 2**20,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._api_key = api_key
        self._structured: Structured = structured
        self._max_bytes = max_bytes
        self._transport = transport
        self._client: httpx.AsyncClient | None = None

    async def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """As `Provider.complete`."""
        body = b""
        async with aclosing(self._lines(request, timeout_s, stream=False)) as lines:
            async for line in lines:
                body += line
        return _chunk(self._read(body, request.model)).whole()

    async def stream(self, request: ModelRequest, *, timeout_s: float) -> AsyncGenerator[Chunk, None]:
        """As `Provider.stream`."""
        async with aclosing(self._lines(request, timeout_s, stream=True)) as lines:
            async for line in lines:
                data = line.strip().removeprefix(b"data:").strip()
                if line.startswith(b"data:") and data and data != b"[DONE]":
                    yield _chunk(self._read(data, request.model))

    async def count_tokens(self, request: ModelRequest, *, timeout_s: float) -> int | None:
        """The chat API has no endpoint for it."""
        return None

    async def close(self) -> None:
        """As `Provider.close`."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _lines(self, request: ModelRequest, timeout_s: float, *, stream: bool) -> AsyncGenerator[bytes, None]:
        """The body of a 200, line by line, up to the limit of bytes."""
        if self._client is None:
            self._client = httpx.AsyncClient(transport=self._transport, follow_redirects=False)
        headers = {"authorization": f"Bearer {self._api_key.get_secret_value()}"} if self._api_key else {}
        timeout = httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        n_bytes = 0
        try:
            async with self._client.stream(
                "POST", self._url, json=self._body(request, stream=stream), headers=headers, timeout=timeout
            ) as answer:
                if answer.status_code != 200:
                    pause_s = retry_after_s(answer.headers.get("retry-after"), datetime.now(UTC))
                    raise fault_of_status(self.name, request.model, answer.status_code, "", retry_after_s=pause_s)
                async for line in answer.aiter_lines():
                    n_bytes += len(line)
                    if n_bytes > self._max_bytes:
                        raise fault_of_network(self.name, request.model, OverflowError())
                    yield line.encode()
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise fault_of_network(self.name, request.model, error) from None

    def _body(self, request: ModelRequest, *, stream: bool) -> dict[str, JsonValue]:
        system = request.system
        if request.schema is not None and self._structured != "json_schema":
            system += f"\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(request.schema)}"
        messages: list[JsonValue] = [{"role": "system", "content": system}]
        messages += [{"role": "user" if t.role == "user" else "assistant", "content": t.text} for t in request.turns]
        body: dict[str, JsonValue] = {
            "model": request.model,
            "messages": messages,
            "stream": stream,
            **_sampling(request),
        }
        if stream:
            body["stream_options"] = {"include_usage": True}
        if request.schema is not None and self._structured == "json_schema":
            schema: JsonValue = {"name": request.schema_name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and self._structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _read(self, body: bytes, model: str) -> _Answer:
        try:
            return _Answer.model_validate_json(body)
        except ValidationError as error:
            raise fault_of_network(self.name, model, error) from None


def _sampling(request: ModelRequest) -> dict[str, JsonValue]:
    """Temperature, effort and limit under the names that the model's family knows."""
    family = family_of(request.model)
    # OpenAI's reasoning models know the newer name alone; Ollama, vLLM and llama.cpp all know the older.
    limit = "max_completion_tokens" if family.temperature is Heat.UNSENT else "max_tokens"
    sampling: dict[str, JsonValue] = {limit: request.max_output_tokens}
    if request.temperature is not None:
        sampling["temperature"] = request.temperature
    if family.thinks is Thinks.EFFORT and request.thinking is not None:
        sampling["reasoning_effort"] = request.thinking
    return sampling


def _chunk(answer: _Answer) -> Chunk:
    tokens = None
    if answer.usage is not None:
        usage = answer.usage
        thinking = (usage.completion_tokens_details and usage.completion_tokens_details.reasoning_tokens) or 0
        cached = (usage.prompt_tokens_details and usage.prompt_tokens_details.cached_tokens) or 0
        output = max(0, usage.completion_tokens - thinking)
        tokens = TokenCount(input=usage.prompt_tokens, output=output, thinking=thinking, cached=cached)
    if not answer.choices:
        return Chunk(tokens=tokens, model_version=answer.model)
    choice = answer.choices[0]
    if choice.message.refusal or choice.delta.refusal:
        return Chunk(finish=Finish.BLOCKED, tokens=tokens, model_version=answer.model, detail="refusal")
    text = (choice.message.content or "") + (choice.delta.content or "")
    word = choice.finish_reason or ""
    finish = _FINISH.get(word, Finish.OTHER) if word else None
    return Chunk(text=text, finish=finish, tokens=tokens, model_version=answer.model, detail=word)
