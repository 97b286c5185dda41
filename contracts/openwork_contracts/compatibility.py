"""Additive or the build fails: what in a new schema would break a service that still runs the old one, or the reverse.

Old and new processes of a service work side by side during an upgrade, so both must read what the other writes. A new
optional field is fine: readers ignore what they do not know. So is a new value of an open enum: readers keep it as
unknown. Everything else is a new class under `openwork.v2`; a changed default too, since defaults are left out on the
bus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from openwork_contracts.enums import OPEN_ENUM_KEY

Schema = Mapping[str, JsonValue]
_Seen = set[tuple[str, str]]
"""Definitions that were compared, by their names in the old and in the new schema."""

_PROSE = frozenset({"description", "title", "$schema", "examples"})
_STRUCTURE = frozenset(
    {"properties", "required", "$defs", "$ref", "items", "prefixItems", "anyOf", "additionalProperties"}
)


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """What breaks, in plain words, with the path of the field; empty when the change is additive.

    Args:
        old, new: JSON Schemas as pydantic makes them (mode "validation"), with `$defs`.
    """
    return list(_compare(dict(old), dict(new), old, new, "", set()))


def _compare(a: JsonValue, b: JsonValue, old: Schema, new: Schema, path: str, seen: _Seen) -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping) and "$ref" in a and "$ref" in b:
        pair = (str(a["$ref"]), str(b["$ref"]))
        if pair in seen:  # what it is was compared where it stood first; here what stands beside it
            yield from _constraints(_beside(a), _beside(b), path)
            return
        seen.add(pair)
    a, b = _resolved(a, old), _resolved(b, new)
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        if a != b:
            yield f"{path or 'schema'}: was {a!r}, is {b!r}"
        return
    yield from _constraints(a, b, path)
    yield from _properties(a, b, old, new, path, seen)
    for key in ("items", "additionalProperties"):
        if key in a or key in b:
            yield from _compare(a.get(key), b.get(key), old, new, f"{path}[]", seen)
    for key in ("anyOf", "prefixItems"):
        before, after = _list(a.get(key)), _list(b.get(key))
        if len(before) != len(after):
            yield f"{path or 'schema'}: had {len(before)} alternatives, has {len(after)}"
            continue
        for one, other in zip(before, after, strict=True):
            yield from _compare(one, other, old, new, path, seen)


def _constraints(a: Schema, b: Schema, path: str) -> Iterator[str]:
    if gone := [value for value in _list(a.get(OPEN_ENUM_KEY)) if value not in _list(b.get(OPEN_ENUM_KEY))]:
        yield f"{path or 'schema'}: the values {gone} are gone (or renamed)"
    for key in sorted((a.keys() | b.keys()) - _PROSE - _STRUCTURE - {OPEN_ENUM_KEY}):
        if a.get(key) != b.get(key) and not (key == "default" and _same_default(a, b)):
            yield f"{path or 'schema'}: {key} was {a.get(key)!r}, is {b.get(key)!r}"


def _same_default(a: Schema, b: Schema) -> bool:
    """Whether a default that is an object only names a new field too, with the value it has where it is left out."""
    before, after = a.get("default"), b.get("default")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return False
    fields = _mapping(b.get("properties"))
    filled = {name: _mapping(fields.get(name)).get("default") for name in after.keys() - before.keys()}
    return {**before, **filled} == dict(after)


def _properties(a: Schema, b: Schema, old: Schema, new: Schema, path: str, seen: _Seen) -> Iterator[str]:
    before, after = _mapping(a.get("properties")), _mapping(b.get("properties"))
    for name in before:
        where = f"{path}.{name}".lstrip(".")
        if name not in after:
            yield f"{where}: removed (or renamed)"
        else:
            yield from _compare(before[name], after[name], old, new, where, seen)
    for name in sorted(set(map(str, _list(b.get("required")))) - set(map(str, _list(a.get("required"))))):
        yield f"{path}.{name}".lstrip(".") + ": newly required, which older writers do not send"


def _resolved(value: JsonValue, root: Schema) -> JsonValue:
    if isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
        name = str(value["$ref"]).rsplit("/", 1)[-1]
        return {**_mapping(_mapping(root.get("$defs")).get(name)), **_beside(value)}
    return value


def _beside(value: Schema) -> dict[str, JsonValue]:
    """What stands beside a reference, such as the field's default."""
    return {key: other for key, other in value.items() if key != "$ref"}


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
