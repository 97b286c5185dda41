"""What the server hands to a route and gets back from it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True)
class Request:
    """One request. `params` are those of the query, or of a form where there is one."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    def get(self, name: str, default: str = "") -> str:
        return self.params.get(name, default)

    def number(self, name: str, default: int) -> int:
        text = self.params.get(name, "")
        return int(text) if text.isdigit() else default


@dataclass
class Reply:
    """One answer. A streamed body has no Content-Length unless `headers` give one."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    stream: AsyncIterator[bytes] | None = None


def json_reply(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value, ensure_ascii=False).encode(), status, "application/json; charset=utf-8")


def xml_reply(text: str | bytes) -> Reply:
    body = text.encode() if isinstance(text, str) else text
    return Reply(body, content_type="text/xml; charset=UTF-8")


def tag(name: str, content: str | int | None = None, **attributes: str) -> str:
    """One element with text; empty for `None`, so that absent fields are left out."""
    return "" if content is None else element(name, escape(str(content)), **attributes)


def element(name: str, inner: str, **attributes: str) -> str:
    """One element with ready XML inside."""
    head = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{head}>{inner}</{name}>"
