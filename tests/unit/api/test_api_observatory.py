"""`GET /api/v1/observatory`: who may have the figures, what they are, and nobody's run among them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.people import OWN_SCOPES, Scope
from openwork_contracts.answer import RunStatus
from openwork_contracts.observatory import Observation
from openwork_gateway.results import put_document

from tests import exports
from tests.memory_asker import MemoryAsker, api_client
from tests.observed_runs import bad_hour, failed_run, good_hour, run_id
from tests.protected_api import protected_api

PATH = "/api/v1/observatory"
OPERATOR = [Scope.OBSERVE]


async def fill(asker: MemoryAsker, *, bad: bool = False) -> None:
    for one in (bad_hour if bad else good_hour)(12, now=datetime.now(UTC)):
        await asker.statistics.put(one)


async def test_who_sits_at_this_machine_has_the_figures() -> None:
    asker = MemoryAsker()
    await fill(asker)
    async with api_client(asker) as client:
        usual, hour = await client.get(PATH), await client.get(PATH, params={"window": "hour"})
        year = await client.get(PATH, params={"window": "year"})
    found = Observation.model_validate_json(hour.text)
    assert (found.runs, found.claims.supported, found.window) == (12, 120, "hour")
    assert usual.json()["window"] == "day"
    assert year.status_code == 422


async def test_who_needs_a_key_needs_one_that_says_so() -> None:
    async with protected_api() as api:
        await fill(api.asker, bad=True)
        for scopes, status in ((OWN_SCOPES, 403), ([Scope.READ], 403), (OPERATOR, 200)):
            async with api.program(await api.key(scopes=scopes)) as program:
                response = await program.get(PATH)
                assert response.status_code == status, scopes
        assert response.json()["outcomes"] == {"answered": 9, "failed": 3}
        async with api.program() as nobody:
            assert (await nobody.get(PATH)).status_code == 401


@pytest.mark.parametrize(("owner", "named"), [("api/ops", True), ("api/alice", False), ("local", False)])
async def test_only_a_failed_run_of_ones_own_has_its_id(owner: str, named: bool) -> None:
    async with protected_api() as api:
        await api.asker.statistics.put(failed_run(1, now=datetime.now(UTC), ago=timedelta(minutes=1)))
        changes = {"run_id": run_id(1), "owner": owner, "status": RunStatus.FAILED}
        await put_document(api.asker.results, exports.document().model_copy(update=changes))
        async with api.program(await api.key("ops", scopes=OPERATOR)) as program:
            (failure,) = (await program.get(PATH)).json()["failures"]
    assert failure["run_id"] == (run_id(1) if named else None)
    assert failure["trace_id"]


async def test_services_that_are_away_are_no_empty_figures() -> None:
    asker = MemoryAsker()
    asker.statistics.away = True
    async with api_client(asker) as client:
        response = await client.get(PATH)
    assert (response.status_code, response.json()["code"]) == (503, "BusUnavailable")
