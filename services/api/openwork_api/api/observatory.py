"""What the system did lately, in figures, for those who run it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query
from openwork_contracts import observatory
from openwork_contracts.observatory import Observation

from openwork_api.depend import Bus, Observer
from openwork_api.problems import ProblemError

router = APIRouter(tags=["observatory"])

WindowName = StrEnum("WindowName", {window.name: window.value for window in observatory.Window})  # type: ignore[misc]
USUAL = WindowName(observatory.Window.DAY.value)
"""Where nobody says how far back."""


@router.get("/observatory", summary="What the system did lately")
async def figures(
    bus: Bus, person: Observer, window: Annotated[WindowName, Query(description="How far back.")] = USUAL
) -> Observation:
    """Runs by outcome, claims by verdict, retrieval, seconds of each service, dollars, sources, the latest failures: of
    everybody's runs that ended, without a question and without a name. Needs the scope `observe`."""
    return await observation_of(bus, person, window)


async def observation_of(bus: Bus, person: Observer, window: WindowName) -> Observation:
    """The figures as the services say them."""
    reply = await bus.observe(person, observatory.Window(window.value))
    if reply.observation is None:
        raise ProblemError(502, "ContractViolation", "the services' reply holds no figures")
    return reply.observation
