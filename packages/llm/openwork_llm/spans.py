"""A call as a span of the run's trace: OpenInference attributes, and ours where it has no name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from openwork_bus.span_attributes import INPUT_VALUE, OUTPUT_VALUE
from openwork_bus.telemetry import Attribute

from openwork_llm.messages import ModelRequest, ModelResponse, TokenCount
from openwork_llm.prices import Price
from openwork_llm.prompts import Prompt

if TYPE_CHECKING:
    from opentelemetry.trace import Span

LLM = "LLM"


def request_attributes(request: ModelRequest, prompt: Prompt, provider: str) -> dict[str, Attribute]:
    """What is known before the call. Its texts leave the process only where they are wanted (`span_export`)."""
    parameters = {
        "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens,
        "thinking": request.thinking,
        "response_schema": request.schema_name if request.schema is not None else None,
    }
    attributes: dict[str, Attribute] = {
        "llm.model_name": request.model,
        "llm.provider": "google" if provider == "gemini" else provider,
        "llm.system": "google" if provider == "gemini" else provider,
        "llm.invocation_parameters": json.dumps(parameters),
        "llm.prompt_template.version": prompt.id,
        "openwork.prompt_version": prompt.id,
    }
    messages = [("system", request.system), *((turn.role, turn.text) for turn in request.turns)]
    for index, (role, text) in enumerate(messages):
        attributes[f"llm.input_messages.{index}.message.role"] = "assistant" if role == "model" else role
        attributes[f"llm.input_messages.{index}.message.content"] = text
    attributes[INPUT_VALUE] = request.turns[-1].text
    return attributes


def describe_response(span: Span, response: ModelResponse, price: Price, *, tries: int) -> None:
    """What is known after it."""
    tokens = response.tokens
    span.set_attributes(
        {
            "llm.token_count.prompt": tokens.input,
            "llm.token_count.completion": tokens.output + tokens.thinking,
            "llm.token_count.total": tokens.total,
            "llm.token_count.prompt_details.cache_read": tokens.cached,
            "llm.token_count.completion_details.reasoning": tokens.thinking,
            "llm.cost.prompt": price.cost_usd(TokenCount(input=tokens.input)),
            "llm.cost.completion": price.cost_usd(TokenCount(output=tokens.output, thinking=tokens.thinking)),
            "llm.cost.total": price.cost_usd(tokens),
            "openwork.finish": response.finish.value,
            "openwork.finish_detail": response.detail,
            "openwork.model_version": response.model_version or "",
            "openwork.tries": tries,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": response.text,
            OUTPUT_VALUE: response.text,
        }
    )
