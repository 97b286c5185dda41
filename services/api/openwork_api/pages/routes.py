"""Every page, as one router: the API's description does not speak of them."""

from __future__ import annotations

from fastapi import APIRouter

from openwork_api.pages import (
    ask,
    assets,
    check,
    compare,
    evidence,
    history,
    login,
    observatory,
    reference,
    run,
    screening,
)

router = APIRouter(include_in_schema=False)
for _module in (assets, ask, run, evidence, screening, check, history, compare, reference, observatory, login):
    router.include_router(_module.router)
