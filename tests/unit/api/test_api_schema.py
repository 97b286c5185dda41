"""Schemathesis against the HTTP API: whatever the schema allows is answered as the schema says, and nothing fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed (requirements/dev.txt)")

from hypothesis import HealthCheck, settings  # noqa: E402
from openwork_api.settings import Settings  # noqa: E402
from openwork_api.web import create_app  # noqa: E402
from openwork_gateway.results import put_document  # noqa: E402

from tests import exports  # noqa: E402
from tests.memory_asker import MemoryAsker  # noqa: E402

_asker = MemoryAsker()
asyncio.run(put_document(_asker.results, exports.full()))
schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(_asker, Settings())).exclude(
    path_regex=r"/events$"  # a stream of a run that goes on has no end; see test_api_stream.py
)


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_its_schema_says(case: Any) -> None:
    case.call_and_validate(headers={"Host": "127.0.0.1:8000"})
