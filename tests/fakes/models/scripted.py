"""A model provider in this process: a function from what is asked to the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from openwork_llm.messages import Chunk, Finish, ModelRequest, ModelResponse, TokenCount

from tests.fakes.models.reading import Asked


@dataclass
class Scripted:
    """`Provider` that answers by a function; what that raises is the service's error."""

    answer: Callable[[Asked], str]
    name: str = "gemini"
    asked: list[Asked] = field(default_factory=list)
    """Every request, in order."""

    async def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        asked = Asked(
            api=self.name,
            model=request.model,
            system=request.system,
            turns=tuple(turn.text for turn in request.turns),
            schema=request.schema is not None,
            stream=False,
        )
        self.asked.append(asked)
        return ModelResponse(self.answer(asked), Finish.STOP, TokenCount(input=100, output=20))

    async def stream(self, request: ModelRequest, *, timeout_s: float) -> AsyncGenerator[Chunk, None]:
        response = await self.complete(request, timeout_s=timeout_s)
        yield Chunk(response.text, response.finish, response.tokens)

    async def count_tokens(self, request: ModelRequest, *, timeout_s: float) -> int | None:
        return None

    async def close(self) -> None:
        pass
