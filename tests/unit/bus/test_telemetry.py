"""Traces and logs: what is handed on, what garbage is not, and what every log line carries."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from openwork_bus.annotations import Evaluation
from openwork_bus.logs import configure_logging, log_fields
from openwork_bus.run_ids import new_run_id, root_span_id_of, root_traceparent, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import (
    DOCUMENT_CHARS,
    DOCUMENTS_IN_SPAN,
    ShownDocument,
    Telemetry,
    current_traceparent,
    document_attributes,
    trace_id_in,
)

from tests.tracing import seen

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
    assert (span.attributes["openwork.run_id"], span.attributes["k"]) == (run_id, "v")


def test_a_span_whose_work_fails_says_so_and_lets_the_error_through() -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(), exporter)
    with pytest.raises(ValueError, match="what went wrong"), telemetry.span("inner", "CHAIN"):
        raise ValueError("what went wrong")
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "what went wrong"


def test_the_root_span_has_the_ids_of_the_run_and_the_evaluation_hangs_below_it() -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(), exporter)
    run_id, at = new_run_id(), datetime(2026, 1, 1, tzinfo=UTC)
    ended = at + timedelta(seconds=2)
    grounding = Evaluation("grounding", 0.5, "partly grounded", "1 of 2")
    for _ in range(2):  # written again after a crash, they are the same spans
        telemetry.write_root(run_id, started_at=at, ended_at=ended, attributes={"openwork.run_id": run_id}, ok=True)
        telemetry.write_evaluations(run_id, ended_at=ended, evaluations=[grounding])
    spans = [seen(span) for span in exporter.get_finished_spans()]
    assert len({(span.trace_id, span.span_id) for span in spans}) == 2
    root, evaluation = spans[:2]
    assert (root.trace_id, root.span_id, root.parent_id) == (trace_id_of(run_id), root_span_id_of(run_id), "")
    assert (evaluation.trace_id, evaluation.parent_id) == (root.trace_id, root.span_id)
    assert evaluation.attributes["openwork.evaluation.grounding.score"] == 0.5
    first = exporter.get_finished_spans()[0]
    assert (first.end_time or 0) - (first.start_time or 0) == 2_000_000_000


def test_a_store_that_never_answers_does_not_keep_a_service_from_stopping() -> None:
    """Spans and annotations wait for it; the service ends while the sending of them still goes on."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        before = set(threading.enumerate())
        telemetry = Telemetry("test", ServiceSettings(otlp_endpoint=f"http://127.0.0.1:{deaf.getsockname()[1]}"))
        at = datetime.now(UTC)
        evaluation = Evaluation("grounding", 1.0, "grounded", "1 of 1")
        telemetry.write_evaluations(new_run_id(), ended_at=at, evaluations=[evaluation])
        telemetry.shutdown(within_s=0.1)
        left = set(threading.enumerate()) - before
        assert left
        assert all(thread.daemon for thread in left), "the process ends without them"


def test_a_document_is_shown_with_its_beginning_and_only_what_is_known_of_it() -> None:
    long = "word " * 500
    shown = [ShownDocument("a", long, 0.5, {"place": 1, "year": None}), ShownDocument("b", "more")]
    found = document_attributes("retrieval.documents", shown)
    assert found["retrieval.documents.0.document.content"] == long[:DOCUMENT_CHARS]
    assert found["retrieval.documents.0.document.score"] == 0.5
    assert json.loads(str(found["retrieval.documents.0.document.metadata"])) == {"place": 1}
    assert {name for name in found if ".1." in name} == {
        f"retrieval.documents.1.document.{n}" for n in ("id", "content")
    }


def test_a_span_shows_the_first_documents_and_no_more() -> None:
    found = document_attributes("retrieval.documents", [ShownDocument(str(n), "text") for n in range(50)])
    assert len([name for name in found if name.endswith(".id")]) == DOCUMENTS_IN_SPAN


def test_texts_are_not_wanted_where_nobody_would_see_them() -> None:
    exporter = InMemorySpanExporter()
    assert not Telemetry("test", ServiceSettings()).content, "no endpoint"
    assert not Telemetry("test", ServiceSettings(trace_content=False), exporter).content
    assert Telemetry("test", ServiceSettings(), exporter).content


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
