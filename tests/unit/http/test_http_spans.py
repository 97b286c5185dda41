"""What a trace tells of a call, and what it does not."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import SourceUnavailable
from openwork_http.client import HttpClient
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService

from tests.fakes.upstream.messages import Reply, Request
from tests.fakes.upstream.server import Server

SECRET = "do-not-show-me"


def app(request: Request) -> Reply:
    return Reply(b"{}")


async def test_a_span_tells_service_status_and_tries_but_no_key() -> None:
    exporter = InMemorySpanExporter()
    settings = HttpSettings.model_validate({"reachability_file": None, "http_backoff_s": 0.01, "http_tries": 2})
    telemetry = Telemetry("retriever-pubmed", settings, exporter)
    async with Server(app) as server, HttpClient(settings, telemetry=telemetry) as client:
        request = HttpRequest("GET", f"{server.url}/esearch", (("api_key", SECRET),), (("x-api-key", SECRET),))
        port = client.port(OutsideService("PubMed"))
        server.fault("503", times=1)
        await port.send(request)
        server.fault("429")
        with pytest.raises(SourceUnavailable, match="429"):
            await port.send(request)
    telemetry.shutdown()
    answered, failed = exporter.get_finished_spans()
    assert answered.name == "http PubMed"
    assert answered.attributes is not None
    assert answered.attributes["http.response.status_code"] == 200
    assert answered.attributes["openwork.http.tries"] == 2
    assert str(answered.attributes["openwork.http.request"]).endswith("/esearch")
    assert not failed.status.is_ok
    assert SECRET not in "".join(span.to_json() for span in (answered, failed))
