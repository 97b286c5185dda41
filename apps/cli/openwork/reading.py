"""Reading the fields of a reply: each function takes one, checks what it is, and says which it was when it is not.

A field that is absent or null has its default, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from openwork.errors import ContractViolation, UsageError

T = TypeVar("T")
Data = Mapping[str, Any]


def _wrong(key: str, wanted: str, value: object) -> ContractViolation:
    found = "nothing" if value is None else type(value).__name__
    return ContractViolation(f"a reply has {found} for {key!r} where {wanted} was expected")


def _value(data: Data, key: str, kind: type[T], wanted: str, default: T | None) -> T:
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _wrong(key, wanted, value)
    return value


def text(data: Data, key: str, default: str | None = None) -> str:
    """A text, or the value of an enum."""
    return _value(data, key, str, "a text", default)


def whole(data: Data, key: str, default: int | None = None) -> int:
    """A whole number."""
    return _value(data, key, int, "a whole number", default)


def flag(data: Data, key: str, default: bool | None = None) -> bool:
    """True or false."""
    return _value(data, key, bool, "true or false", default)


def number(data: Data, key: str, default: float | None = None) -> float:
    """A number."""
    value = data.get(key, default)
    if value is None and default is not None:
        value = default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(key, "a number", value)
    return float(value)


def moment(data: Data, key: str) -> datetime:
    """A time with its zone."""
    value = text(data, key)
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ContractViolation(f"a reply has {value!r} for {key!r} where a time was expected") from None


def maybe_moment(data: Data, key: str) -> datetime | None:
    """A time with its zone, or nothing."""
    return None if data.get(key) is None else moment(data, key)


def one(data: Data, key: str, read: Callable[[Data], T], default: T | None = None) -> T:
    """An object."""
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, Mapping):
        raise _wrong(key, "an object", value)
    return read(value)


def _items(data: Data, key: str) -> list[Any]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(key, "a list", value)
    return value


def many(data: Data, key: str, read: Callable[[Data], T]) -> tuple[T, ...]:
    """A list of objects."""
    return tuple(one({key: item}, key, read) for item in _items(data, key))


def texts(data: Data, key: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(text({key: item}, key) for item in _items(data, key))


def wholes(data: Data, key: str) -> tuple[int, ...]:
    """A list of whole numbers."""
    return tuple(whole({key: item}, key) for item in _items(data, key))


def _pairs(data: Data, key: str) -> Data:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(key, "an object", value)
    return value


def whole_map(data: Data, key: str) -> dict[str, int]:
    """Names and whole numbers."""
    pairs = _pairs(data, key)
    return {name: whole(pairs, name) for name in pairs}


def number_map(data: Data, key: str) -> dict[str, float]:
    """Names and numbers."""
    pairs = _pairs(data, key)
    return {name: number(pairs, name) for name in pairs}


def maybe_text(data: Data, key: str) -> str | None:
    """A text, or `None`."""
    return None if data.get(key) is None else text(data, key)


def maybe_whole(data: Data, key: str) -> int | None:
    """A whole number, or `None`."""
    return None if data.get(key) is None else whole(data, key)


def maybe_number(data: Data, key: str) -> float | None:
    """A number, or `None`."""
    return None if data.get(key) is None else number(data, key)


def maybe_flag(data: Data, key: str) -> bool | None:
    """True, false, or `None`."""
    return None if data.get(key) is None else flag(data, key)


def maybe_texts(data: Data, key: str) -> tuple[str, ...] | None:
    """A list of texts, or `None`."""
    return None if data.get(key) is None else texts(data, key)


def maybe_one(data: Data, key: str, read: Callable[[Data], T]) -> T | None:
    """An object, or `None`."""
    return None if data.get(key) is None else one(data, key, read)


def as_json(value: Any) -> Any:
    """A dataclass as what JSON is made of; fields that are `None` are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        named = {item.name: as_json(getattr(value, item.name)) for item in fields(value)}
        return {name: found for name, found in named.items() if found is not None}
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): as_json(item) for name, item in value.items()}
    return value


def evidence_rows(evidence: Iterable[object]) -> list[dict[str, Any]]:
    """Evidence as JSON, each item with its number; an item is an `EvidenceItem` or a mapping.

    Raises:
        UsageError: one is neither.
    """
    rows = []
    for place, item in enumerate(evidence, start=1):
        row = as_json(item)
        if not isinstance(row, dict):
            raise UsageError(f"evidence {place} is not an object {{n, title, text}}")
        rows.append({"n": place, **row})
    return rows
