"""Traces and logs: what is handed on, what garbage is not, and what every log line carries."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from openwork_bus.logs import configure_logging, log_fields
from openwork_bus.run_ids import new_run_id, root_span_id_of, root_traceparent, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry, current_traceparent, document_attributes, trace_id_in

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
LIKE_ONE = st.from_regex(r"[0-9a-fx_+ -]{2}-[0-9a-fx_+ ]{32}-[0-9a-f]{16}-[0-9a-f]{2}", fullmatch=True)


@given(st.text(max_size=80) | LIKE_ONE)
def test_any_text_gives_a_trace_id_or_none(text: str) -> None:
    found = trace_id_in(text)
    assert found is None or (re.fullmatch(r"[0-9a-f]{32}", found) and int(found, 16))


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "00",
        "00---01",
        TRACEPARENT[:-3],
        TRACEPARENT.replace("4bf9", "zzzz"),
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
        TRACEPARENT + "-extra",
    ],
)
def test_a_broken_traceparent_is_none(text: str | None) -> None:
    assert trace_id_in(text) is None


@pytest.mark.parametrize("broken", [None, "", "garbage", "00-" + "0" * 32 + "-00f067aa0ba902b7-01"])
def test_without_a_usable_traceparent_a_message_hangs_under_its_run(broken: str | None) -> None:
    run_id = new_run_id()
    with Telemetry("test", ServiceSettings()).message_span("x", run_id=run_id, traceparent=broken, attributes={}):
        assert current_traceparent() == root_traceparent(run_id)


def test_without_an_exporter_the_incoming_trace_is_handed_on_as_it_came() -> None:
    telemetry = Telemetry("test", ServiceSettings())
    assert not telemetry.enabled
    with telemetry.message_span("x", run_id=new_run_id(), traceparent=TRACEPARENT, attributes={}):
        with telemetry.span("inner", "CHAIN") as span:
            span.set_attribute("ignored", 1)
        assert current_traceparent() == TRACEPARENT
    assert current_traceparent() is None


def test_with_an_exporter_a_message_hangs_under_the_one_that_caused_it() -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(), exporter)
    run_id = new_run_id()
    with telemetry.message_span("handled", run_id=run_id, traceparent=TRACEPARENT, attributes={"k": "v"}):
        outgoing = current_traceparent()
    (span,) = exporter.get_finished_spans()
    assert trace_id_in(outgoing) == trace_id_in(TRACEPARENT)
    assert outgoing != TRACEPARENT
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert span.attributes is not None
    assert (span.attributes["session.id"], span.attributes["k"]) == (run_id, "v")


def test_a_span_whose_work_fails_says_so_and_lets_the_error_through() -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(), exporter)
    with pytest.raises(ValueError, match="what went wrong"), telemetry.span("inner", "CHAIN"):
        raise ValueError("what went wrong")
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "what went wrong"


@pytest.mark.parametrize("content", [True, False])
def test_the_root_span_has_the_ids_of_the_run_and_the_question_only_where_content_is_wanted(content: bool) -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(trace_content=content), exporter)
    run_id, at = new_run_id(), datetime(2026, 1, 1, tzinfo=UTC)
    telemetry.write_root(
        run_id, started_at=at, ended_at=at + timedelta(seconds=2), question="private", output="answer", ok=True
    )
    (root,) = exporter.get_finished_spans()
    assert root.context is not None
    assert f"{root.context.trace_id:032x}" == trace_id_of(run_id)
    assert f"{root.context.span_id:016x}" == root_span_id_of(run_id)
    assert root.end_time is not None
    assert root.start_time is not None
    assert root.end_time - root.start_time == 2_000_000_000
    assert ("private" in str(dict(root.attributes or {}))) is content


def test_a_document_without_a_score_has_no_score_attribute() -> None:
    found = document_attributes("retrieval.documents", [("a", "text", 0.5), ("b", "more", None)])
    assert found["retrieval.documents.0.document.score"] == 0.5
    assert "retrieval.documents.1.document.score" not in found
    assert found["retrieval.documents.1.document.id"] == "b"


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    """What the process has logged to stderr; the root logger is put back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield lambda: capsys.readouterr().err
    root.handlers[:] = handlers
    root.setLevel(level)


def test_every_json_log_line_carries_service_run_and_trace(written: Callable[[], str]) -> None:
    configure_logging("gap", ServiceSettings(log_level="INFO", log_format="json"))
    logger = logging.getLogger("openwork.test")
    with log_fields(run_id="R1", trace_id="T1"):
        logger.info("found %d\nrecords", 3, extra={"source": "library"})
        with log_fields(step="inner"):
            logger.warning("inner")
    logger.info("outside")
    first, inner, outside = (json.loads(line) for line in written().splitlines())
    assert (first["service"], first["run_id"], first["trace_id"]) == ("gap", "R1", "T1")
    assert (first["message"], first["source"], first["level"]) == ("found 3\nrecords", "library", "INFO")
    assert (inner["run_id"], inner["step"]) == ("R1", "inner")
    assert "run_id" not in outside
    assert "step" not in first


def test_an_exception_is_one_json_line_with_its_traceback_inside(written: Callable[[], str]) -> None:
    configure_logging("gap", ServiceSettings(log_level="INFO", log_format="json"))
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("openwork.test").exception("failed")
    (line,) = written().splitlines()
    assert "ValueError: broken" in json.loads(line)["exception"]


def test_text_logs_show_the_run(written: Callable[[], str]) -> None:
    configure_logging("gap", ServiceSettings(log_level="INFO", log_format="text"))
    with log_fields(run_id="R1"):
        logging.getLogger("openwork.test").info("hello")
    assert re.search(r"INFO\s+gap \[R1\] hello$", written().strip())


async def test_fields_of_one_task_do_not_reach_another(written: Callable[[], str]) -> None:
    configure_logging("gap", ServiceSettings(log_level="INFO", log_format="json"))

    async def work(run_id: str) -> None:
        with log_fields(run_id=run_id):
            await asyncio.sleep(0)
            logging.getLogger("openwork.test").info(run_id)

    await asyncio.gather(*(work(f"R{n}") for n in range(5)))
    lines = [json.loads(line) for line in written().splitlines()]
    assert len(lines) == 5
    assert all(line["run_id"] == line["message"] for line in lines)
