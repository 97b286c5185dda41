"""JSON answers: read and cleaned once (`jsontext`), and looked into without trusting any of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.text import REPLACEMENT

from openwork_http.jsontext import decoded

JsonObject = Mapping[str, object]

_RATE_WORDS = ("rate limit", "too many requests", "quota", "throttl")


def load(source: str, body: bytes) -> object:
    """The JSON value of an answer.

    Raises:
        SourceChanged: empty, HTML, XML, cut off or otherwise not JSON; the message shows how it begins.
    """
    text = body.strip()
    try:
        return decoded(text)
    except (ValueError, RecursionError):
        raise SourceChanged(f"{source} answered with {_kind(text)}, not JSON; it begins {_start(text)}") from None


def load_object(source: str, body: bytes) -> JsonObject:
    """The JSON object of an answer, after a look for an error in it.

    Raises:
        SourceChanged: not a JSON object.
        SourceUnavailable, SourceRefused: an error inside a normal body, see `refuse_errors`.
    """
    value = load(source, body)
    if not isinstance(value, Mapping):
        raise SourceChanged(f"{source} answered with a JSON {type(value).__name__}, not an object")
    refuse_errors(source, value)
    return value


def refuse_errors(source: str, body: JsonObject) -> None:
    """Raise the error that a body speaks of under `error`, `errors`, `esearchresult.ERROR` or `message` alone."""
    reason = body.get("error") or body.get("errors")
    if reason is None and set(body) <= {"message", "code", "statusCode", "detail", "error"}:
        message = body.get("message")
        reason = message if isinstance(message, str) else body.get("detail")
    if not reason:
        return
    words = " ".join((reason if isinstance(reason, str) else json.dumps(reason)).split())[:200]
    if "message" in body and isinstance(body["message"], str) and body["message"] not in words:
        words = f"{words}: {body['message'][:200]}"
    raise error_of(source, words)


def error_of(source: str, words: str) -> SourceUnavailable | SourceRefused:
    """The right error for what an API says about itself inside a normal answer."""
    if any(mark in words.lower() for mark in _RATE_WORDS):
        return SourceUnavailable(
            f"{source} says {words!r}; its rate limit is used up, try later", reason=FailureReason.RATE_LIMITED
        )
    if any(
        mark in words.lower() for mark in ("unavailable", "timeout", "timed out", "internal", "backend", "try again")
    ):
        return SourceUnavailable(f"{source} says {words!r}; try later")
    return SourceRefused(f"{source} says {words!r}; check the request and its key")


def want_list(source: str, body: JsonObject, *path: str) -> list[JsonObject]:
    """The objects of a list that has to be there.

    Raises:
        SourceChanged: there is no list under `path`.
    """
    value = at(body, *path)
    if not isinstance(value, list):
        found = ", ".join(sorted(map(str, body))[:8]) or "nothing"
        raise SourceChanged(f"{source} answered without the list {'.'.join(path)!r}; found: {found}")
    return [entry for entry in value if isinstance(entry, Mapping)]


def at(value: object, *path: str) -> object:
    """What is under a path of keys; `None` where any step is missing or is not an object."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_at(value: object, *path: str) -> str | None:
    """A non-empty string, or a number as one, with white space folded; else `None`."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    folded = " ".join(str(found).split())
    return folded or None


def int_at(value: object, *path: str) -> int | None:
    """A whole number, also when it is printed as a string ("25", "1,234"); else `None`."""
    found = at(value, *path)
    if isinstance(found, bool):
        return None
    if isinstance(found, int):
        return found
    if isinstance(found, float):
        return int(found) if found.is_integer() else None
    if isinstance(found, str):
        bare = found.replace(",", "").strip(f" {REPLACEMENT}")
        return int(bare) if bare.lstrip("-").isascii() and bare.lstrip("-").isdigit() else None
    return None


def count_at(value: object, *path: str) -> int | None:
    """A count: a whole number that is not negative; else `None`."""
    found = int_at(value, *path)
    return found if found is not None and found >= 0 else None


def objects_at(value: object, *path: str) -> Iterator[JsonObject]:
    """The objects of a list; nothing where there is none. A lone object counts as a list of one."""
    found = at(value, *path)
    if isinstance(found, Mapping):
        yield found
    elif isinstance(found, list):
        yield from (entry for entry in found if isinstance(entry, Mapping))


def texts_at(value: object, *path: str) -> tuple[str, ...]:
    """The strings of a list, each folded and not empty. A lone string counts as a list of one."""
    found = at(value, *path)
    entries = found if isinstance(found, list) else [found]
    return tuple(" ".join(entry.split()) for entry in entries if isinstance(entry, str) and entry.strip())


def flag_at(value: object, *path: str) -> bool | None:
    """A yes or no printed as a boolean, "Y"/"N" or "true"/"false"; `None` = not said."""
    found = at(value, *path)
    if isinstance(found, bool):
        return found
    return {"y": True, "n": False, "true": True, "false": False}.get(str(found).lower())


def _kind(text: bytes) -> str:
    start = text[:200].lstrip().lower()
    if not start:
        return "an empty body"
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if start.startswith(b"<"):
        return "XML"
    return "a body cut off" if start[:1] in b"{[" else "text"


def _start(text: bytes) -> str:
    return repr(" ".join(text[:80].decode("utf-8", "replace").split()))
