"""What goes to a model service and comes back, the same for every provider."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import JsonValue

Role = Literal["user", "model"]
Thinking = Literal["minimal", "low", "medium", "high"]
JsonSchema = dict[str, JsonValue]


class Tier(StrEnum):
    """How much model a step deserves."""

    FAST = "fast"
    SMART = "smart"


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    """It is complete."""
    MAX_TOKENS = "max_tokens"
    BLOCKED = "blocked"
    """A refusal or a safety filter."""
    EMPTY = "empty"
    """There was no candidate."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the exchange after the system instruction."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `schema` asks for JSON of that shape; without it the answer is plain text."""

    model: str
    system: str
    turns: tuple[Turn, ...]
    schema: JsonSchema | None
    schema_name: str
    temperature: float | None
    """`None` = the model takes none."""
    max_output_tokens: int
    """Of answer and thinking together: services count both against one limit."""
    thinking: Thinking | None
    """`None` = as the model has it by default."""

    @property
    def n_chars(self) -> int:
        """Characters of everything that is sent as text."""
        return len(self.system) + sum(len(turn.text) for turn in self.turns) + len(str(self.schema or ""))


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens as the service billed them."""

    input: int = 0
    output: int = 0
    """Without thinking."""
    thinking: int = 0
    """Billed as output."""
    cached: int = 0
    """Of the input, those the service had cached."""

    @property
    def total(self) -> int:
        """Everything that is billed."""
        return self.input + self.output + self.thinking


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """One answer of a service, not yet judged."""

    text: str
    finish: Finish
    tokens: TokenCount
    model_version: str | None = None
    detail: str = ""
    """The service's own word for the finish, e.g. "SAFETY"."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed answer. What is told on the last chunk stands for the whole answer."""

    text: str = ""
    finish: Finish | None = None
    tokens: TokenCount | None = None
    model_version: str | None = None
    detail: str = ""

    def whole(self) -> ModelResponse:
        """This chunk as an answer that was not streamed."""
        return ModelResponse(
            text=self.text,
            finish=self.finish or Finish.EMPTY,
            tokens=self.tokens or TokenCount(),
            model_version=self.model_version,
            detail=self.detail,
        )
