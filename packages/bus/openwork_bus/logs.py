"""Structured logs: one JSON object a line, every line with the run and the trace it belongs to."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from openwork_bus.settings import ServiceSettings

_fields: ContextVar[dict[str, str]] = ContextVar("openwork_log_fields", default={})  # noqa: B039 - never mutated
_RESERVED = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


@contextmanager
def log_fields(**fields: str) -> Iterator[None]:
    """Add fields to every line logged inside, in this task and those it starts."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(token)


class _Context(logging.Filter):
    """Puts the fields of the current task on a record."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def filter(self, record: logging.LogRecord) -> bool:
        record.openwork = {"service": self._service, **_fields.get()}
        return True


class JsonFormatter(logging.Formatter):
    """One object a line: time, level, service, message, run_id, trace_id, and what `extra` holds."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update(getattr(record, "openwork", {}))
        line.update({k: v for k, v in record.__dict__.items() if k not in _RESERVED and k != "openwork"})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """For eyes: `12:30:01 INFO gap [01J...] message`."""

    def format(self, record: logging.LogRecord) -> str:
        context = getattr(record, "openwork", {})
        clock = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        run = f" [{context['run_id']}]" if "run_id" in context else ""
        text = f"{clock} {record.levelname:<7} {context.get('service', '-')}{run} {record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def configure_logging(service: str, settings: ServiceSettings) -> None:
    """Send this process's logs to stderr in the wanted form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    handler.addFilter(_Context(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for noisy in ("httpx", "httpcore", "uvicorn.access", "faststream.access.nats"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
