"""The two HTTP interfaces of the stand-in, so that the real kits are used against it."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.fakes.models.misbehaving import IN_THE_TEXT, Planned, Script, text_of
from tests.fakes.models.reading import Asked
from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.server import Server

Wire = dict[str, Any]
"""JSON on the wire, as the interfaces have it."""
CHARS_PER_TOKEN = 4
THINKING_TOKENS = {"": 0, "minimal": 0, "low": 250, "medium": 1000, "high": 3000}
"""What the stand-in says it thought, by level: our assumption, since the real service decides for itself."""
_CHUNKS = 12
_SAMPLING = ("temperature", "max_tokens", "max_completion_tokens", "reasoning_effort")
_CODES = {
    Script.RATE_LIMITED: (429, "RESOURCE_EXHAUSTED"),
    Script.UNAVAILABLE: (503, "UNAVAILABLE"),
    Script.UNAUTHORIZED: (401, "UNAUTHENTICATED"),
}


@dataclass
class FakeModels:
    """What was asked, and what is to go wrong."""

    planned: list[Planned] = field(default_factory=list)
    log: list[Asked] = field(default_factory=list)
    url: str = ""

    def plan(self, script: Script | str, *, step: str | None = None, times: int | None = None, **more: float) -> None:
        """From now on, the requests of a step (or all) get this script."""
        self.planned.append(Planned(Script(script), step, times, **more))

    def steps(self) -> list[str]:
        """The steps that asked, in order."""
        return [asked.step for asked in self.log]

    def gemini_env(self) -> dict[str, str]:
        """The environment that makes Open Work ask this server as Gemini."""
        return {
            "OPENWORK_MODEL_PROVIDER": "gemini",
            "OPENWORK_GEMINI_API_KEY": "not-a-real-key",
            "OPENWORK_MODEL_BASE_URL": self.url,
        }

    def openai_env(self) -> dict[str, str]:
        """The same as an OpenAI-compatible server."""
        return {
            "OPENWORK_MODEL_PROVIDER": "openai",
            "OPENWORK_MODEL_BASE_URL": f"{self.url}/v1",
            "OPENWORK_MODEL_FAST": "local-fast",
            "OPENWORK_MODEL_SMART": "local-smart",
        }

    def app(self, request: Request) -> Reply:
        """One HTTP request."""
        if request.method == "POST" and request.path.endswith("/chat/completions"):
            asked = _asked_openai(request)
            return self._answer(asked, _openai_reply)
        model, _, action = request.path.rpartition("/")[2].rpartition(":")
        known = request.path.startswith(("/v1/models/", "/v1beta/models/"))
        if request.method == "POST" and known and action == "countTokens":
            return json_reply({"totalTokens": math.ceil(len(request.body) / CHARS_PER_TOKEN)})
        if request.method == "POST" and known and action in {"generateContent", "streamGenerateContent"}:
            return self._answer(_asked_gemini(request, model, action), _gemini_reply)
        return json_reply({"error": {"code": 404, "message": f"no route {request.path}", "status": "NOT_FOUND"}}, 404)

    def _answer(self, asked: Asked, render: Renderer) -> Reply:
        self.log.append(asked)
        plan = next((p for p in self.planned if p.take(asked)), None)
        script = plan.script if plan else None
        if plan and script in _CODES:
            return _error(plan)
        if script is Script.NO_JSON_BODY:
            return Reply(b"<html><body>Bad gateway</body></html>", content_type="text/html")
        text = text_of(asked, script if script in IN_THE_TEXT else None)
        reply = render(asked, text, script)
        if plan and script in {Script.SLOW, Script.DISCONNECT}:
            reply.stream = _troubled(reply, plan)
        return reply


class Renderer(Protocol):
    """`(asked, text, script) -> Reply`, for one of the interfaces."""

    def __call__(self, asked: Asked, text: str, script: Script | None) -> Reply: ...


def _asked_gemini(request: Request, model: str, action: str) -> Asked:
    body = json.loads(request.body)
    config = body.get("generationConfig", {})
    thinking = config.get("thinkingConfig", {})
    level = str(thinking.get("thinkingLevel") or thinking.get("thinking_level") or "")
    return Asked(
        api="gemini",
        model=model,
        system="".join(part.get("text", "") for part in body.get("systemInstruction", {}).get("parts", [])),
        turns=tuple("".join(part.get("text", "") for part in content["parts"]) for content in body["contents"]),
        schema="responseJsonSchema" in config or "responseSchema" in config,
        stream=action == "streamGenerateContent",
        thinking=level.lower(),
        key=request.headers.get("x-goog-api-key", ""),
        safety={one["category"]: one["threshold"] for one in body.get("safetySettings", ())},
    )


def _asked_openai(request: Request) -> Asked:
    body = json.loads(request.body)
    messages = body["messages"]
    return Asked(
        api="openai",
        model=body["model"],
        system=messages[0]["content"],
        turns=tuple(message["content"] for message in messages[1:]),
        schema="response_format" in body or "JSON object" in messages[0]["content"][-2000:],
        stream=bool(body.get("stream")),
        thinking=body.get("reasoning_effort", ""),
        key=request.headers.get("authorization", ""),
        sampling={name: body[name] for name in _SAMPLING if name in body},
    )


def _error(plan: Planned) -> Reply:
    code, status = _CODES[plan.script]
    details = []
    if plan.script is Script.RATE_LIMITED:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{plan.retry_delay_s}s"})
    reply = json_reply({"error": {"code": code, "message": "not now", "status": status, "details": details}}, code)
    if plan.script is Script.RATE_LIMITED:
        reply.headers["retry-after"] = str(math.ceil(plan.retry_delay_s))
    return reply


def tokens_of(asked: Asked, text: str) -> tuple[int, int, int]:
    """Input, output and thinking tokens of an exchange, by characters."""
    level = THINKING_TOKENS.get(asked.thinking, 0)
    return math.ceil(asked.n_chars / CHARS_PER_TOKEN), max(1, len(text) // CHARS_PER_TOKEN), level


def _gemini_reply(asked: Asked, text: str, script: Script | None) -> Reply:
    n_input, n_output, thinking = tokens_of(asked, text)
    usage = {
        "promptTokenCount": n_input,
        "candidatesTokenCount": n_output,
        "thoughtsTokenCount": thinking,
        "totalTokenCount": n_input + n_output + thinking,
    }
    base: Wire = {"usageMetadata": usage, "modelVersion": asked.model, "responseId": "stand-in"}
    if script is Script.REFUSAL:
        return _events(asked, [{**base, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}])
    if script is Script.EMPTY:
        return _events(asked, [base])
    finish = {Script.MAX_TOKENS: "MAX_TOKENS", Script.SAFETY: "SAFETY"}.get(script or Script.SLOW, "STOP")
    if script is Script.SAFETY:
        return _events(asked, [{**base, "candidates": [{"index": 0, "finishReason": "SAFETY"}]}])
    if script is Script.MAX_TOKENS:
        text = text[: len(text) // 2]
    pieces = _pieces(text) if asked.stream else [text]
    parts: list[Wire] = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": p}]}, "index": 0}], **base} for p in pieces
    ]
    parts[-1]["candidates"][0]["finishReason"] = finish
    return _events(asked, parts)


def _openai_reply(asked: Asked, text: str, script: Script | None) -> Reply:
    n_input, n_output, thinking = tokens_of(asked, text)
    usage = {
        "prompt_tokens": n_input,
        "completion_tokens": n_output + thinking,
        "total_tokens": n_input + n_output + thinking,
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }
    slot = "delta" if asked.stream else "message"
    base: Wire = {"id": "stand-in", "object": "chat.completion", "model": asked.model}
    if script is Script.EMPTY:
        return _events(asked, [{**base, "choices": [], "usage": usage}], done=True)
    if script in {Script.REFUSAL, Script.SAFETY}:
        said: Wire = (
            {"content": None, "refusal": "I cannot help with that."} if script is Script.REFUSAL else {"content": ""}
        )
        finish = "stop" if script is Script.REFUSAL else "content_filter"
        choice: Wire = {"index": 0, slot: said, "finish_reason": finish}
        return _events(asked, [{**base, "choices": [choice], "usage": usage}], done=True)
    if script is Script.MAX_TOKENS:
        text = text[: len(text) // 2]
    pieces = _pieces(text) if asked.stream else [text]
    parts: list[Wire] = []
    for i, piece in enumerate(pieces):
        last = i == len(pieces) - 1
        finish_reason = ("length" if script is Script.MAX_TOKENS else "stop") if last else None
        choice = {"index": 0, slot: {"role": "assistant", "content": piece}, "finish_reason": finish_reason}
        parts.append({**base, "choices": [choice], **({"usage": usage} if last and not asked.stream else {})})
    if asked.stream:
        parts.append({**base, "choices": [], "usage": usage})
    return _events(asked, parts, done=True)


def _pieces(text: str) -> list[str]:
    size = max(1, math.ceil(len(text) / _CHUNKS))
    return [text[i : i + size] for i in range(0, len(text), size)] or [""]


def _events(asked: Asked, parts: list[Wire], *, done: bool = False) -> Reply:
    if not asked.stream:
        return json_reply(parts[0])
    lines = [f"data: {json.dumps(part)}\r\n\r\n" for part in parts]
    if done:
        lines.append("data: [DONE]\r\n\r\n")
    return Reply("".join(lines).encode(), content_type="text/event-stream")


async def _troubled(reply: Reply, plan: Planned) -> AsyncIterator[bytes]:
    """Half of the body, then a long pause or the end of the connection."""
    half = len(reply.body) // 2
    yield reply.body[:half]
    if plan.script is Script.DISCONNECT:
        raise ConnectionAbortedError
    await asyncio.sleep(plan.pause_s)
    yield reply.body[half:]


@asynccontextmanager
async def fake_models(port: int = 0) -> AsyncIterator[FakeModels]:
    """The stand-in on loopback."""
    fake = FakeModels()
    async with Server(fake.app, port=port) as server:
        fake.url = server.url
        yield fake
