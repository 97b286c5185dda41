"""Health and readiness, for balancers and people; no key is asked."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from openwork_contracts.errors import BusUnavailable, OpenWorkError

from openwork_api.depend import Bus

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Alive")
async def healthz() -> dict[str, str]:
    """The process turns; it asks nobody."""
    return {"status": "alive", "service": "api"}


@router.get("/readyz", summary="Ready", responses={503: {"description": "The bus does not answer."}})
async def readyz(bus: Bus, response: Response) -> dict[str, str]:
    """The bus answers. Whether the services do, every request says for itself."""
    try:
        async with asyncio.timeout(5):
            await bus.check()
    except (BusUnavailable, TimeoutError) as error:
        response.status_code = 503
        return {"status": "not ready", "service": "api", "reason": str(error) or "no reply in time"}
    except OpenWorkError as error:
        return {"status": "ready", "service": "api", "warning": str(error)}
    return {"status": "ready", "service": "api"}
