"""Crossref: what has become of works, many DOIs a request. Its answers carry what Retraction Watch has found.

https://api.crossref.org, "Get Retraction Watch metadata from Crossref's API" (crossref.gitlab.io/tutorials): a work
names its notices under `updated-by`, each with `type`, `DOI` and `source` (`publisher` or `retraction-watch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceStatus

from openwork_http.jsonbody import JsonObject, at, load_object, objects_at, text_at, texts_at
from openwork_http.messages import HttpRequest, Pairs

CROSSREF_URL = "https://api.crossref.org"
STATUS_FIELDS = "DOI,title,type,update-to,updated-by,relation"
"""All of them may be selected of a list of works; a field that may not makes Crossref refuse the request."""
MOST_DOIS = 100
"""In one request: a page of Crossref may have 1,000 works, and the address has to stay short."""
MOST_ADDRESS = 6000
"""Characters of the filter as it is sent: servers and proxies cut addresses at 8,192."""
STATUS_CACHE_TTL_S = 86_400
# https://www.crossref.org/documentation/crossmark/version-control-corrections-and-retractions/
UPDATE_KINDS = {
    "retraction": "retraction",
    "partial_retraction": "correction",
    "removal": "retraction",
    "withdrawal": "withdrawal",
    "expression_of_concern": "concern",
    "correction": "correction",
    "corrigendum": "correction",
    "erratum": "correction",
    "addendum": "correction",
    "clarification": "correction",
}
STATUS_OF_KIND = {
    "retraction": EvidenceStatus.RETRACTED,
    "withdrawal": EvidenceStatus.WITHDRAWN,
    "concern": EvidenceStatus.CONCERN,
    "correction": EvidenceStatus.CORRECTED,
}
"""The gravest first."""


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """What Crossref says of one DOI."""

    status: EvidenceStatus
    """`NONE` = it knows the work, and no notice about it."""
    notice: str | None = None
    """DOI of the gravest notice, where it has one of its own."""
    told_by: str | None = None
    """`publisher` or `retraction-watch`, as Crossref names who told it."""


def update_kind(entry: JsonObject) -> str | None:
    """retraction, withdrawal, concern or correction; `None` for new versions and what is not known."""
    return UPDATE_KINDS.get((text_at(entry, "type") or "").lower().replace(" ", "_").replace("-", "_"))


def notices_about(work: JsonObject) -> list[JsonObject]:
    """What was published about the work itself. Some publishers deposit a withdrawal as its update to itself."""
    own = (text_at(work, "DOI") or "").lower()
    itself = [entry for entry in objects_at(work, "update-to") if (text_at(entry, "DOI") or "").lower() == own]
    return [*objects_at(work, "updated-by"), *itself]


def marked_by_title(title: str) -> EvidenceStatus | None:
    """What a publisher printed before the title; `None` = nothing."""
    start = title[:18].upper()
    if start.startswith(("RETRACTED:", "RETRACTED ARTICLE", "[RETRACTED]")):
        return EvidenceStatus.RETRACTED
    return EvidenceStatus.WITHDRAWN if start.startswith(("WITHDRAWN:", "REMOVED:")) else None


def batches(dois: Iterable[str]) -> Iterator[list[str]]:
    """DOIs in portions for one request each. One with a comma cannot be asked for: commas part Crossref's filters."""
    batch: list[str] = []
    length = 0
    for doi in dict.fromkeys(doi for doi in dois if "," not in doi):
        # Percent-encoding makes three characters of a slash, a colon or a comma.
        size = len(doi.encode()) + 2 * sum(not (c.isalnum() or c in "._-") for c in doi) + len("doi%3A%2C")
        if batch and (len(batch) == MOST_DOIS or length + size > MOST_ADDRESS):
            yield batch
            batch, length = [], 0
        batch.append(doi)
        length += size
    if batch:
        yield batch


def status_request(base_url: str, dois: Sequence[str], contact: str | None) -> HttpRequest:
    """The works of some DOIs with the notices about them; the address of who asks leads to the polite pool."""
    params: Pairs = (
        ("filter", ",".join(f"doi:{doi}" for doi in dois)),
        ("select", STATUS_FIELDS),
        ("rows", str(len(dois))),
    )
    polite: Pairs = (("mailto", contact),) if contact else ()
    return HttpRequest("GET", f"{base_url.rstrip('/')}/works", params + polite)


def parse_statuses(source: str, body: bytes) -> Mapping[str, WorkStatus]:
    """DOI, in small letters -> what is said of it; a DOI that Crossref does not have is not there.

    Raises:
        SourceChanged: not JSON, or without a list of works. SourceUnavailable, SourceRefused: see `jsonbody`.
    """
    answer = load_object(source, body)
    if not isinstance(at(answer, "message", "items"), list):
        raise SourceChanged(f"{source} answered without 'message.items'; found: {', '.join(sorted(answer)[:8])}")
    found = {}
    for work in objects_at(answer, "message", "items"):
        if doi := text_at(work, "DOI"):
            found[doi.lower()] = _status(work)
    return found


def _status(work: JsonObject) -> WorkStatus:
    by_kind: dict[str, JsonObject] = {}
    for entry in notices_about(work):
        if kind := update_kind(entry):
            by_kind.setdefault(kind, entry)
    for kind, status in STATUS_OF_KIND.items():
        if kind in by_kind:
            notice = (text_at(by_kind[kind], "DOI") or "").lower()
            own = (text_at(work, "DOI") or "").lower()
            return WorkStatus(status, notice if notice not in ("", own) else None, text_at(by_kind[kind], "source"))
    marked = next((found for title in texts_at(work, "title") if (found := marked_by_title(title))), None)
    return WorkStatus(marked, told_by="publisher") if marked else WorkStatus(EvidenceStatus.NONE)
