"""Calls of single handlers on a memory bus: the message stored, the run as the service would hand it over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from openwork_bus.memory import MemoryBus, run_of
from openwork_bus.run import Run
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import ModelUnavailable
from openwork_contracts.meta import Event
from openwork_llm.client import LanguageModel
from openwork_llm.settings import ModelSettings

from tests.fakes.models.reading import Asked
from tests.fakes.models.scripted import Scripted

E = TypeVar("E", bound=Event)


def bus_of_today() -> MemoryBus:
    """A memory bus whose clock says what the handlers' clock says."""
    return MemoryBus(now=datetime.now(UTC))


async def delivered(bus: MemoryBus, event: Event, service: str, *, again: bool = False) -> Run:
    """The run with which `service` is given this event, which is stored first unless it is there."""
    await bus.publish(event)
    stored = await bus.get(event.meta.event_id)
    assert stored is not None
    return run_of(bus, stored, service, redelivered=again)


async def stored_of(bus: MemoryBus, run_id: str, model: type[E]) -> list[E]:
    """Every event of that kind, in the order in which they were stored."""
    return [s.event for s in await bus.history(run_id) if isinstance(s.event, model)]


async def end_of(bus: MemoryBus, run_id: str) -> RunEnded | None:
    """How the run ended; `None` = it has not."""
    ends = await stored_of(bus, run_id, RunEnded)
    return ends[0] if ends else None


def model_that(answer: Callable[[Asked], str]) -> tuple[LanguageModel, Scripted]:
    """A language model that answers so, and its provider, which keeps what it was asked."""
    provider = Scripted(answer)
    settings = ModelSettings(model_provider="gemini", gemini_api_key="key", model_tries=1, model_backoff_s=0)
    return LanguageModel(settings, provider), provider


def silent(asked: Asked) -> str:
    """A model that cannot be reached."""
    raise ModelUnavailable(f"no answer for {asked.model}")
