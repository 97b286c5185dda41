"""The API's description as a page shows it: operations by subject, what they take and give, and how to call them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")
_TAGS = {
    "runs": "Runs",
    "evidence": "Evidence",
    "exports": "Exports",
    "verify": "Verification gate",
    "health": "Health",
}
_MOST_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is, with the schemas it names."""

    words: str
    schemas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, or a field of an object."""

    name: str
    where: str
    kind: Kind
    required: bool
    words: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A status and what comes with it."""

    status: str
    words: str
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation."""

    key: str
    method: str
    path: str
    summary: str
    words: str
    parameters: tuple[Parameter, ...]
    body: Kind | None
    answers: tuple[Answered, ...]
    curl: str
    python: str
    example: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Operations that belong together."""

    key: str
    name: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """An object or a list of values."""

    name: str
    words: str
    fields: tuple[Parameter, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole page."""

    title: str
    version: str
    words: tuple[str, ...]
    subjects: tuple[Subject, ...]
    schemas: tuple[Schema, ...]


def reference_of(openapi: Json, server: str) -> Reference:
    """The page of a description in OpenAPI 3.1.

    Args:
        server: the address at the beginning of examples.
    """
    schemas: Json = openapi.get("components", {}).get("schemas", {})
    info = openapi["info"]
    return Reference(
        title=info["title"],
        version=info["version"],
        words=tuple(part.replace("\n", " ") for part in info.get("description", "").split("\n\n")),
        subjects=tuple(_subjects(openapi, schemas, server)),
        schemas=tuple(_schema(name, schema) for name, schema in sorted(schemas.items())),
    )


def _subjects(openapi: Json, schemas: Json, server: str) -> Iterator[Subject]:
    found: dict[str, list[Operation]] = {}
    for path, item in openapi["paths"].items():
        for method in _METHODS:
            if method in item:
                tag = (item[method].get("tags") or ["other"])[0]
                found.setdefault(tag, []).append(_operation(method, path, item[method], schemas, server))
    for tag, operations in found.items():
        yield Subject(tag, _TAGS.get(tag, tag.capitalize()), tuple(operations))


def _operation(method: str, path: str, told: Json, schemas: Json, server: str) -> Operation:
    body = _content(told.get("requestBody", {}))
    sent = _example(body, schemas) if body is not None else None
    answers = tuple(_answers(told.get("responses", {})))
    given = next((_content(one) for status, one in told.get("responses", {}).items() if status.startswith("2")), None)
    shown = _example(given, schemas) if given else None
    return Operation(
        key=told["operationId"],
        method=method.upper(),
        path=path,
        summary=told.get("summary", path),
        words=told.get("description", ""),
        parameters=tuple(map(_parameter, told.get("parameters", ()))),
        body=_kind(body) if body is not None else None,
        answers=answers,
        curl=_curl(method, f"{server}{_filled(path)}", sent),
        python=_python(method, f"{server}{_filled(path)}", sent),
        example=json.dumps(shown, indent=2, ensure_ascii=False) if shown not in (None, {}, "string") else "",
    )


def _content(told: Json) -> Json | None:
    content = told.get("content") or {}
    found = content.get("application/json") or content.get("application/problem+json")
    return found.get("schema") if found else None


def _answers(responses: Json) -> Iterator[Answered]:
    for status, told in sorted(responses.items()):
        schema = _content(told)
        types = ", ".join(kind for kind in told.get("content", {}) if kind != "application/json")
        kind = _kind(schema) if schema else Kind(types) if types else None
        yield Answered(status, told.get("description", ""), kind)


def _parameter(told: Json) -> Parameter:
    schema = told.get("schema", {})
    words = told.get("description") or schema.get("description", "")
    return Parameter(told["name"], told["in"], _kind(schema), bool(told.get("required")), _with_default(words, schema))


def _schema(name: str, schema: Json) -> Schema:
    required = schema.get("required", ())
    fields = tuple(
        Parameter(one, "", _kind(told), one in required, _with_default(told.get("description", ""), told))
        for one, told in schema.get("properties", {}).items()
    )
    values = tuple(map(str, schema.get("enum", ())))
    return Schema(name, schema.get("description", ""), fields, values)


def _with_default(words: str, schema: Json) -> str:
    default = schema.get("default")
    if default in (None, "", [], {}) or isinstance(default, dict):
        return words
    return f"{words} Default: {json.dumps(default)}.".strip()


def _kind(schema: Json) -> Kind:
    """What a schema is, in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Kind(name, (name,))
    several = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if several:
        kinds = [_kind(one) for one in several]
        return Kind(" or ".join(dict.fromkeys(one.words for one in kinds)), tuple(n for k in kinds for n in k.schemas))
    if schema.get("type") == "array":
        inner = _kind(schema.get("items") or {})
        return Kind(f"list of {inner.words}", inner.schemas)
    if "enum" in schema:
        return Kind("one of " + ", ".join(map(str, schema["enum"])))
    if "const" in schema:
        return Kind(json.dumps(schema["const"]))
    form = schema.get("format")
    return Kind(f"{schema.get('type', 'any')}{f' ({form})' if form else ''}")


def _example(schema: Json, schemas: Json, depth: int = 0) -> Any:
    """The schema's own example, else one made of its fields."""
    if examples := schema.get("examples"):
        return examples[0]
    if "example" in schema or "const" in schema:
        return schema.get("example", schema.get("const"))
    if "$ref" in schema:
        found = schemas.get(schema["$ref"].rpartition("/")[2], {})
        return _example(found, schemas, depth + 1) if depth < _MOST_DEPTH else {}
    if several := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return _example(several[0], schemas, depth)
    if schema.get("default") not in (None, [], {}):
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            required: Sequence[str] = schema.get("required") or tuple(schema.get("properties", {}))[:4]
            fields = schema.get("properties", {})
            return {name: _example(fields[name], schemas, depth) for name in required if name in fields}
        case "array":
            inner = _example(schema.get("items") or {}, schemas, depth + 1) if depth < _MOST_DEPTH else None
            return [inner] if inner not in (None, {}, "string") else []
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return "string"


_FILLED = {"run_id": "01JD3W8Q4Z5N6P7R8S9TAVBWCX", "passage_id": "pmid:31535829%230:0", "format": "markdown"}


def _filled(path: str) -> str:
    for name, value in _FILLED.items():
        path = path.replace(f"{{{name}}}", value).replace(f"{{{name}:path}}", value)
    return path


def _curl(method: str, address: str, body: Any) -> str:
    lines = [f"curl {'' if method == 'get' else f'-X {method.upper()} '}{address}"]
    if "/api/" in address:
        lines.append('-H "Authorization: Bearer $OPENWORK_KEY"')
    if body is not None:
        sent = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
        lines += ["-H 'Content-Type: application/json'", f"-d '{sent}'"]
    if address.endswith("/events"):
        lines[0] = lines[0].replace("curl ", "curl -N ")
    return " \\\n  ".join(lines)


def _python(method: str, address: str, body: Any) -> str:
    arguments = [repr(address)]
    if body is not None:
        arguments.append(f"json={body!r}")
    if "/api/" in address:
        arguments.append('headers={"Authorization": f"Bearer {key}"}')
    if len(", ".join(arguments)) < 90:
        call = f"httpx.{method}({', '.join(arguments)})"
    else:
        call = f"httpx.{method}(\n    " + ",\n    ".join(arguments) + ",\n)"
    return f"import httpx\n\nresponse = {call}\nresponse.raise_for_status()"
