"""The contracts as JSON Schema and as an AsyncAPI document, for other languages. Generated, committed, compared in CI.

python -m openwork_contracts.schema --write     write contracts/schemas/ and docs/asyncapi.json
python -m openwork_contracts.schema --check     exit 1 when they are not what the code says
python -m openwork_contracts.schema --release   freeze what is released: contracts/released.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from openwork_contracts.accounts import ASKER_INBOX, ASKER_RESULTS
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.enums import OPEN_ENUM_KEY, OpenEnum
from openwork_contracts.meta import CONTRACT_VERSION, LargeEvent
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.progress import Progress
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import (
    API_REQUESTS,
    REQUESTS,
    CancelReply,
    CancelRequest,
    DeleteReply,
    DeleteRequest,
    EventsReply,
    EventsRequest,
    ListReply,
    ListRequest,
    LookupReply,
    LookupRequest,
    ObserveReply,
    ObserveRequest,
    ShowReply,
    ShowRequest,
    VerifyReply,
    VerifyRequest,
)
from openwork_contracts.results import RunResult
from openwork_contracts.subjects import (
    DUE_PREFIX,
    EVENTS,
    PREFIX,
    PROGRESS_PREFIX,
    EventSpec,
    fixed_consumers,
)
from openwork_contracts.verdict import EvidenceItem, VerificationReport

DOCUMENTS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("ask-request", AskRequest),
    ("ask-reply", AskReply),
    ("show-request", ShowRequest),
    ("show-reply", ShowReply),
    ("list-request", ListRequest),
    ("list-reply", ListReply),
    ("events-request", EventsRequest),
    ("events-reply", EventsReply),
    ("cancel-request", CancelRequest),
    ("cancel-reply", CancelReply),
    ("delete-request", DeleteRequest),
    ("delete-reply", DeleteReply),
    ("lookup-request", LookupRequest),
    ("lookup-reply", LookupReply),
    ("verify-request", VerifyRequest),
    ("verify-reply", VerifyReply),
    ("observe-request", ObserveRequest),
    ("observe-reply", ObserveReply),
    ("progress", Progress),
    ("run-result", RunResult),
    ("large-event", LargeEvent),
    ("answer-document", AnswerDocument),
    ("evidence-item", EvidenceItem),
    ("verification-report", VerificationReport),
)
"""What is not an event and is published all the same: what commands and requests take and give."""


class OpenSchema(GenerateJsonSchema):
    """JSON Schemas in which an open enum is a string with known values, so that no strict reader refuses a new one."""

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        described = super().enum_schema(schema)
        if issubclass(schema["cls"], OpenEnum):
            described["type"] = "string"
            described[OPEN_ENUM_KEY] = described.pop("enum")
        return described


def schemas() -> dict[str, JsonValue]:
    """File name -> JSON Schema (2020-12) of every event and document."""
    found: dict[str, JsonValue] = {}
    for spec in EVENTS:
        found[f"{spec.name}.v{CONTRACT_VERSION}.json"] = _schema(spec.model, "validation")  # defaults are left out
    for name, model in DOCUMENTS:
        found[f"{name}.v{CONTRACT_VERSION}.json"] = _schema(model, "serialization")
    return found


def frozen() -> dict[str, JsonValue]:
    """The shape of every event and document as readers validate it: what a release promises."""
    models = {spec.name: spec.model for spec in EVENTS} | dict(DOCUMENTS)
    return {
        name: model.model_json_schema(mode="validation", schema_generator=OpenSchema) for name, model in models.items()
    }


def _schema(model: type[BaseModel], mode: JsonSchemaMode) -> dict[str, JsonValue]:
    schema: dict[str, JsonValue] = model.model_json_schema(mode=mode, schema_generator=OpenSchema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def asyncapi() -> dict[str, JsonValue]:
    """The bus as an AsyncAPI 3.0 document, made from the subject table."""
    channels: dict[str, JsonValue] = {}
    operations: dict[str, JsonValue] = {}
    for spec in EVENTS:
        channels[spec.name] = _channel(spec)
        operations[f"publish-{spec.name}"] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{spec.name}"},
            "summary": f"Published by: {', '.join(spec.publishers)}",
        }
        for consumer in fixed_consumers():
            if any(taken.model is spec.model for taken in consumer.takes):
                operations[f"{consumer.durable}-takes-{spec.name}"] = {
                    "action": "receive",
                    "channel": {"$ref": f"#/channels/{spec.name}"},
                    "summary": f"Durable consumer `{consumer.durable}` of the service `{consumer.service}`",
                }
    _add_core_nats(channels, operations)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Open Work",
            "version": f"{CONTRACT_VERSION}.0.0",
            "description": "Events on NATS JetStream. Subjects: "
            f"{PREFIX}.<event>.<pipeline>.<route>.<run_id>.<track>.<round>.<part>. "
            "Publishing is create-only: header Nats-Expected-Last-Subject-Sequence: 0.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
    }


def _add_core_nats(channels: dict[str, JsonValue], operations: dict[str, JsonValue]) -> None:
    """Requests with their replies, and progress."""
    for name, subject, summary in (*REQUESTS, *API_REQUESTS):
        channels[name] = {"address": subject, "messages": {name: {"payload": {"$ref": _ref(f"{name}-request")}}}}
        operations[name] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{name}"},
            "summary": f"Core NATS request: {summary}",
            "reply": {"channel": {"$ref": f"#/channels/{name}-reply"}},
        }
        reply: JsonValue = {"reply": {"payload": {"$ref": _ref(f"{name}-reply")}}}
        channels[f"{name}-reply"] = {"address": None, "messages": reply}
    channels["inbox"] = {
        "address": f"{ASKER_INBOX}.{{run_id}}",
        "description": "JetStream, an asker's own inbox: publish a question; one message per run id.",
        "messages": {"ask": {"payload": {"$ref": _ref("ask-request")}}},
    }
    operations["publish-question"] = {"action": "send", "channel": {"$ref": "#/channels/inbox"}}
    channels["results"] = {
        "address": f"{ASKER_RESULTS}.{{run_id}}",
        "description": "Core NATS, an asker's own runs: progress, then the document. `openwork.show` has "
        "what was missed.",
        "messages": {"run-result": {"payload": {"$ref": _ref("run-result")}}},
    }
    operations["hear-results"] = {"action": "receive", "channel": {"$ref": "#/channels/results"}}
    channels["progress"] = {
        "address": f"{PROGRESS_PREFIX}.{{run_id}}",
        "description": "Core NATS, never stored: how far a run is.",
        "messages": {"progress": {"payload": {"$ref": _ref("progress")}}},
    }


def _channel(spec: EventSpec) -> dict[str, JsonValue]:
    if spec.model is DeadlineReached:
        return _due_channel(spec)
    return {
        "address": f"{PREFIX}.{spec.name}.{{pipeline}}.{{route}}.{{run_id}}.{{track}}.{{round}}.{{part}}",
        "description": (spec.model.__doc__ or "").strip(),
        "parameters": {
            "pipeline": {"description": "the kind of run"},
            "route": {"description": spec.route},
            "run_id": {"description": "ULID of the run"},
            "track": {"description": "the track of the run, or all"},
            "round": {"description": "the round of search within the track, or 0"},
            "part": {"description": "what makes the event unique inside its track and round"},
        },
        "messages": {spec.name: {"name": spec.model.__name__, "payload": {"$ref": _ref(spec.name)}}},
    }


def _due_channel(spec: EventSpec) -> dict[str, JsonValue]:
    return {
        "address": f"{DUE_PREFIX}.{{joiner}}.{{run_id}}.{{part}}",
        "description": (spec.model.__doc__ or "").strip(),
        "parameters": {
            "joiner": {"description": "who waits for it"},
            "run_id": {"description": "ULID of the run"},
            "part": {"description": "pipeline~track~round~part"},
        },
        "messages": {spec.name: {"name": spec.model.__name__, "payload": {"$ref": _ref(spec.name)}}},
    }


def _ref(name: str) -> str:
    return f"../contracts/schemas/{name}.v{CONTRACT_VERSION}.json"


def generated(root: Path) -> Mapping[Path, str]:
    """Every generated file and what it must hold."""
    files = {root / "contracts" / "schemas" / name: _text(schema) for name, schema in schemas().items()}
    files[root / "docs" / "asyncapi.json"] = _text(asyncapi())
    return files


def _text(value: JsonValue) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> int:
    """Write or check; exit code 1 when a file is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--root", type=Path, default=Path.cwd())
    arguments = parser.parse_args()
    if arguments.release:
        (arguments.root / "contracts" / "released.json").write_text(_text(frozen()), encoding="utf-8")
        return 0
    stale = []
    for path, text in generated(arguments.root).items():
        if arguments.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
    for path in stale:
        sys.stderr.write(f"{path} is not what the contracts say; run `make schemas`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
