"""Every enum of the contracts can grow: an old reader meets a new value in each event and document that carries one.

Which models carry which enum is found by looking at their fields, so that a new enum or field is tested unasked.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args, get_origin

import openwork_contracts
import pytest
from openwork_bus.codec import decode, to_json
from openwork_contracts.compatibility import breaking_changes
from openwork_contracts.enums import OPEN_ENUM_KEY, OpenEnum
from openwork_contracts.meta import Event
from openwork_contracts.schema import DOCUMENTS, OpenSchema
from openwork_contracts.subjects import EVENTS
from pydantic import BaseModel, JsonValue

NEW = "from_next_year"
RUN = "01JD3W8Q4Z5N6P7R8S9TAVBWCX"
AT = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
ROOTS: tuple[type[BaseModel], ...] = (*(spec.model for spec in EVENTS), *(model for _, model in DOCUMENTS))
Path = tuple[str | int, ...]
_SAMPLES: dict[str, JsonValue] = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "null": None}
_SAMPLE_OF_PATTERN = {"^[0-7]": RUN, "NCT": "NCT00000001", "PMC": "PMC1", "10\\.": "10.1000/x", "[1-9]": "1"}


def open_enums() -> list[type[OpenEnum]]:
    """Every open enum of the package, whatever module it stands in."""
    for module in pkgutil.iter_modules(openwork_contracts.__path__):
        if module.name != "__main__":
            importlib.import_module(f"openwork_contracts.{module.name}")
    return sorted(OpenEnum.__subclasses__(), key=lambda cls: cls.__name__)


# --- where an enum stands in a model ---------------------------------------------------------------------------------


def _kinds(annotation: Any) -> Iterator[type]:
    """The classes inside an annotation: of optional, tuple, mapping, annotated."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        yield annotation
    for inner in get_args(annotation):
        yield from _kinds(inner)


@cache
def _fields(model: type[BaseModel]) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Each field's name, and the classes in its annotation."""
    return tuple((name, tuple(_kinds(field.annotation))) for name, field in model.model_fields.items())


def path_to(model: type[BaseModel], enum: type[OpenEnum], seen: tuple[type, ...] = ()) -> tuple[str, ...] | None:
    """The fields that lead from a model to an enum; `None` when it carries none."""
    for name, kinds in _fields(model):
        for kind in kinds:
            if kind is enum:
                return (name,)
            if issubclass(kind, BaseModel) and kind not in (*seen, model):
                rest = path_to(kind, enum, (*seen, model))
                if rest is not None:
                    return (name, *rest)
    return None


def carriers() -> list[Any]:
    """(enum, model) for each enum and each event or document that carries it."""
    return [
        pytest.param(enum, root, id=f"{enum.__name__}-{root.__name__}")
        for enum in open_enums()
        for root in ROOTS
        if path_to(root, enum) is not None
    ]


# --- a body that has the enum in it ----------------------------------------------------------------------------------


@cache
def _schema_of(model: type[BaseModel]) -> Any:
    """As it is frozen in a release (openwork_contracts.schema.frozen)."""
    return model.model_json_schema(mode="validation", schema_generator=OpenSchema)


def body_with(model: type[BaseModel], path: tuple[str, ...]) -> tuple[dict[str, Any], Path]:
    """The least body of a model that has the field at the end of the path, and where in the JSON that is."""
    schema = _schema_of(model)
    body, where = _object(schema, schema, path)
    if issubclass(model, Event):
        everywhere = f"openwork.v1.{model.event_name}.answer.all.{RUN}.all.0.0"
        body["meta"] = {
            "event_id": everywhere, "run_id": RUN, "contract_version": 1, "occurred_at": AT, "producer": "test"
        }  # fmt: skip
    return body, where


def _object(schema: Any, root: Any, path: tuple[str, ...]) -> tuple[dict[str, Any], Path]:
    body: dict[str, Any] = {}
    where: Path = ()
    wanted = {*schema.get("required", ()), *path[:1]}
    for name in wanted:
        if path and name == path[0]:
            body[name], where = _value(schema["properties"][name], root, path[1:])
            where = (name, *where)
        else:
            body[name], _ = _value(schema["properties"][name], root, ())
    return body, where


def _value(schema: Any, root: Any, path: tuple[str, ...]) -> tuple[Any, Path]:
    if "$ref" in schema:
        return _value(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root, path)
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], root, path)
    if OPEN_ENUM_KEY in schema:
        return schema[OPEN_ENUM_KEY][0], ()
    if schema.get("type") == "array":
        least = max(schema.get("minItems", 0), 1)
        inner, where = _value(schema["items"], root, path) if "items" in schema else ("x", ())
        return [copy.deepcopy(inner) for _ in range(least)], (0, *where)
    if schema.get("type") == "object":
        if "properties" in schema:
            return _object(schema, root, path)
        inner, where = _value(schema.get("additionalProperties") or {}, root, path)
        return {"x": inner}, ("x", *where)
    return _scalar(schema), ()


def _scalar(schema: Any) -> Any:
    if schema.get("format") == "date-time":
        return AT
    if pattern := schema.get("pattern"):
        return next((sample for mark, sample in _SAMPLE_OF_PATTERN.items() if mark in pattern), "x")
    return max(schema["minimum"], 1) if schema.get("minimum", 0) > 1 else _SAMPLES[schema.get("type", "string")]


def at(body: Any, where: Path) -> Any:
    for step in where:
        body = body[step]
    return body


def put(body: Any, where: Path, value: Any) -> None:
    at(body, where[:-1])[where[-1]] = value


# --- the tests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enum", open_enums(), ids=lambda cls: cls.__name__)
def test_an_unknown_value_is_read_kept_and_is_no_member(enum: type[OpenEnum]) -> None:
    value = enum(NEW)
    assert value.is_unknown
    assert value == NEW
    assert value.value == NEW
    assert not any(value is known for known in enum)
    assert not any(known.is_unknown for known in enum)
    with pytest.raises(ValueError, match="7"):
        enum(7)


def test_every_enum_is_carried_by_an_event_or_a_document() -> None:
    carried = {parameter.values[0] for parameter in carriers()}
    assert set(open_enums()) - carried == set()


@pytest.mark.parametrize(("enum", "model"), carriers())
def test_an_old_reader_keeps_a_value_of_a_newer_writer_and_publishes_it_again_unchanged(
    enum: type[OpenEnum], model: type[BaseModel]
) -> None:
    path = path_to(model, enum)
    assert path is not None
    body, where = body_with(model, path)
    assert at(body, where) in [member.value for member in enum]
    put(body, where, NEW)
    read = model.model_validate(body)
    again = model.model_validate_json(read.model_dump_json())
    assert again == read
    assert at(again.model_dump(mode="json"), where) == NEW


@pytest.mark.parametrize("model", [spec.model for spec in EVENTS], ids=lambda model: model.__name__)
def test_the_bus_reads_a_new_value_and_writes_it_again_in_the_same_words(model: type[Event]) -> None:
    """Through the codec, which leaves defaults out: what is unknown is no default."""
    for enum in open_enums():
        path = path_to(model, enum)
        if path is None:
            continue
        body, where = body_with(model, path)
        put(body, where, NEW)
        event = model.model_validate(body)
        where_on_bus = event.meta.event_id
        read = decode(where_on_bus, to_json(event), headers={})
        assert to_json(read) == to_json(event)
        assert at(read.model_dump(mode="json"), where) == NEW


def _with_enum(enum: type[OpenEnum]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The frozen schema of something that carries the enum, and the enum's own part of it, which may be changed."""
    schema = _schema_of(next(root for root in ROOTS if path_to(root, enum) is not None))
    own = copy.deepcopy(schema["$defs"][enum.__name__])
    return {**schema, "$defs": {**schema["$defs"], enum.__name__: own}}, own


@pytest.mark.parametrize("enum", open_enums(), ids=lambda cls: cls.__name__)
def test_an_added_value_is_additive_and_a_removed_one_is_breaking(enum: type[OpenEnum]) -> None:
    old, _ = _with_enum(enum)
    grown, known = _with_enum(enum)
    known[OPEN_ENUM_KEY].append(NEW)
    assert breaking_changes(old, grown) == []
    assert any(NEW in finding and "gone" in finding for finding in breaking_changes(grown, old))
    closed, known = _with_enum(enum)
    known["enum"] = known.pop(OPEN_ENUM_KEY)
    assert breaking_changes(old, closed)


@pytest.mark.parametrize("model", ROOTS, ids=lambda model: model.__name__)
def test_a_renamed_field_and_a_changed_default_are_breaking(model: type[BaseModel]) -> None:
    """A default too: what has its default is left out on the bus, so another one gives old messages another meaning."""
    old = _schema_of(model)
    fields = old["properties"]
    renamed = {**old, "properties": {f"new_{name}": field for name, field in fields.items()}}
    found = breaking_changes(old, renamed)
    assert [name for name in fields if not any(f"{name}: removed" in finding for finding in found)] == []
    with_default = {name: {**field, "default": NEW} for name, field in fields.items() if "default" in field}
    found = breaking_changes(old, {**old, "properties": {**fields, **with_default}})
    assert [name for name in with_default if not any(f"{name}: default was" in finding for finding in found)] == []
