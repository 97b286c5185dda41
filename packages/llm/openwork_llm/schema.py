"""Answers of a shape: the JSON schema that a server is sent, and what it sends back as a model of ours."""

from __future__ import annotations

import json
import re
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from openwork_llm.messages import JsonSchema

M = TypeVar("M", bound=BaseModel)

_SENT = frozenset(
    {
        *("type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs", "description"),
        *("minItems", "maxItems", "minimum", "maximum"),
    }
)
"""Keywords that Gemini and the OpenAI-compatible servers all know; lengths and patterns are checked here, not there."""
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
"""Thinking that some local servers leave in front of the answer."""
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(?P<body>.*?)\n?\s*```\s*\Z", re.DOTALL)
_MOST_ERRORS = 6


class ShapeError(ValueError):
    """An answer is not of its shape; the message tells the model what to mend and holds none of the answer's text."""


def schema_of(shape: type[BaseModel]) -> JsonSchema:
    """The JSON schema of a shape as every provider takes it: all fields required, no others allowed."""
    cleaned = _cleaned(shape.model_json_schema())
    assert isinstance(cleaned, dict)
    return cleaned


def _cleaned(node: JsonValue, *, names: bool = False) -> JsonValue:
    """The schema without keywords that some server refuses. `names`: the keys are names of fields, not keywords."""
    if isinstance(node, list):
        return [_cleaned(part) for part in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _cleaned(value, names=key in {"properties", "$defs"} and not names)
        for key, value in node.items()
        if names or key in _SENT
    }
    if not names and "properties" in kept:
        properties = kept["properties"]
        assert isinstance(properties, dict)
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept


def parse_shape(text: str, shape: type[M]) -> M:
    """An answer as a model of ours; a code fence around it and thinking before it are taken off.

    Raises:
        ShapeError: it is no JSON, or of another shape.
    """
    text = _THOUGHT.sub("", text)
    fenced = _FENCED.match(text)
    body = fenced["body"] if fenced else text
    try:
        return shape.model_validate_json(body.strip())
    except ValidationError as error:
        raise ShapeError(_explained(error, body)) from error


def _explained(error: ValidationError, body: str) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    if problems and problems[0]["type"] == "json_invalid":
        try:
            json.loads(body)
        except ValueError as bad:
            return f"it is not valid JSON ({str(bad)[:120]})"
    lines = [f"{'.'.join(str(part) for part in p['loc']) or 'the whole'}: {p['msg']}" for p in problems[:_MOST_ERRORS]]
    return "; ".join(lines)[:800]
