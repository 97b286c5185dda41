"""Saved answers: what `openwork sources parse SOURCE FILE...` reads, whatever wrapping the file has."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from openwork_contracts.errors import SourceChanged, UsageError
from openwork_contracts.evidence import EvidenceRecord, Identifiers
from openwork_evidence.xml_guard import check_prolog
from openwork_http.jsonbody import load, load_object
from openwork_retrievers.adapters import crossref, europepmc, medline, openalex, semanticscholar, unpaywall, web
from openwork_retrievers.adapters.ctgov.studies import parse_studies
from openwork_retrievers.adapters.entries import Unreadable
from openwork_retrievers.adapters.labels.dailymed import parse_list
from openwork_retrievers.adapters.labels.openfda import parse_answer
from openwork_retrievers.adapters.labels.spl import parse_label
from openwork_retrievers.adapters.ncbi.articles import PubmedParser
from openwork_retrievers.adapters.ncbi.esearch import parse_esearch
from openwork_retrievers.adapters.ncbi.links import parse_elink, parse_epost, parse_esummary
from openwork_retrievers.adapters.ncbi.pmc import parse_jats, parse_oa, parse_oa_metadata
from openwork_retrievers.adapters.ports import HttpRequest, check_status
from openwork_retrievers.adapters.xml import parse
from openwork_retrievers.domain.registry import BY_ROUTE

from openwork_laptop.library_import.bibtex import read_bibtex
from openwork_laptop.library_import.fields import record_of

NOT_TOLD = datetime(1970, 1, 1, tzinfo=UTC)
"""The retrieval time of a saved answer, which does not say when it was made."""
MAX_UNPACKED_BYTES = 500_000_000
"""A compressed file that grows beyond this is not read: an annual-baseline file of PubMed has 200 MB."""
_PIECE = 262_144
_NOT_FOUND = (404, 410)

Records = tuple[EvidenceRecord, ...]
Lost = list[Unreadable]
Parser = Callable[[str, bytes, datetime, Lost], Records]


def parse_saved(
    source: str, body: bytes, filename: str = "", *, retrieved_at: datetime = NOT_TOLD, unreadable: Lost | None = None
) -> Records:
    """The records in a saved answer of a source.

    Understands JSON, XML and MEDLINE text; gzip; a cassette {"request", "response": {"status", "body"}}; a list or a
    single record; ESearch, ELink and EPost answers (which hold no record). A saved 404 is nothing found.

    Args:
        source: a route of the registry ("pubmed-reviews"), an adapter ("ncbi"), or another API's name ("unpaywall").
        filename: only for messages.
        unreadable: takes the entries of which no record can be made.
    Raises:
        UsageError: no such source.
        SourceChanged: the file is none of the answers that the source documents, or is cut off.
        SourceUnavailable, SourceRefused: the saved answer is an error.
    """
    source = source.strip().lower()
    parser = _PARSERS.get(family_of(source))
    if parser is None:
        raise UsageError(f"no source is called {source!r}; known: {', '.join(sorted({*_PARSERS, *BY_ROUTE}))}")
    try:
        status, content = _unwrapped(source, _unpacked(source, body))
        if status in _NOT_FOUND:
            return ()
        check_status(source, HttpRequest("saved", filename or source), status, content)
        return parser(source, content, retrieved_at, [] if unreadable is None else unreadable)
    except SourceChanged as error:
        raise SourceChanged(f"{filename}: {error}" if filename else str(error)) from None
    except RecursionError:
        raise SourceChanged(f"{filename or source}: nested too deep to be an answer of {source}") from None


def family_of(source: str) -> str:
    """The parser's name for a route, an adapter or an API: "pmc-reviews" -> "pmc", "ncbi" -> "pubmed"."""
    if source in _ALIASES:
        return _ALIASES[source]
    spec = BY_ROUTE.get(source)
    if spec is None:
        return source
    if source.startswith("pmc"):
        return "pmc"
    return _ALIASES.get(spec.adapter.value, spec.adapter.value)


_ALIASES = {
    "ncbi": "pubmed",
    "eutils": "pubmed",
    "medline": "pubmed",
    "searxng": "tavily",
    "s2": "semanticscholar",
    "semantic-scholar": "semanticscholar",
    "ctgov": "clinicaltrials",
    "spl": "dailymed",
    "europe-pmc": "europepmc",
    "epmc": "europepmc",
}


def _unpacked(source: str, body: bytes) -> bytes:
    """The file without gzip."""
    if body[:2] != b"\x1f\x8b":
        return body
    content, rest = bytearray(), body
    try:
        while rest[:2] == b"\x1f\x8b":  # members may follow each other, as in files that were put together
            unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            content += unpacker.decompress(rest, MAX_UNPACKED_BYTES - len(content) + 1)
            if len(content) > MAX_UNPACKED_BYTES:
                raise SourceChanged(f"{source}: a compressed file of more than {MAX_UNPACKED_BYTES} bytes; not read")
            if not unpacker.eof:
                raise SourceChanged(f"{source}: the compressed file is damaged: it ends too early")
            rest = unpacker.unused_data
    except zlib.error as error:
        raise SourceChanged(f"{source}: the compressed file is damaged: {error}") from None
    return bytes(content)


def _unwrapped(source: str, content: bytes) -> tuple[int, bytes]:
    """Status and body of a cassette; of anything else, 200 and the content."""
    if content.lstrip()[:1] != b"{" or b'"response"' not in content:
        return 200, content
    value = load(source, content)
    response = value.get("response") if isinstance(value, Mapping) and "request" in value else None
    if not isinstance(response, Mapping) or "body" not in response:
        return 200, content
    status = response.get("status", 200)
    code = status.get("code", 200) if isinstance(status, Mapping) else status
    inner = response["body"]
    if isinstance(inner, Mapping) and set(inner) <= {"string", "encoding", "base64_string"} and "string" in inner:
        inner = inner["string"]
    text = inner if isinstance(inner, str) else json.dumps(inner)
    return (code if isinstance(code, int) else 200), text.encode()


def pieces(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _PIECE] for start in range(0, len(body), _PIECE))


def _pubmed(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    start = body.lstrip()[:1]
    if start == b"<":
        root = check_prolog(source, body)
        if root in _XML_ANSWERS:
            return _XML_ANSWERS[root](source, body, retrieved_at, unreadable)
        if root in ("article", "pmc-articleset"):
            return tuple(parse_jats(source, pieces(body), retrieved_at))
        return _articles(source, body, retrieved_at, unreadable)
    if start in (b"{", b"["):
        if b'"esearchresult"' in body[:2000]:
            parse_esearch(source, body)
            return ()
        if b'"linksets"' in body[:2000]:
            load_object(source, body)
            return ()
        if b'"pmcid"' in body[:200]:
            return parse_oa_metadata(source, body, retrieved_at)
        return parse_esummary(source, body, retrieved_at)
    return medline.parse_medline(source, body, retrieved_at, unreadable=unreadable)


def _articles(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    parser = PubmedParser(source, retrieved_at)
    records = [record for piece in pieces(body) for record in parser.feed(piece)]
    parser.close()
    unreadable.extend([Unreadable(None, None, "no PMID or no title")] * parser.unreadable)
    return tuple(records)


def _no_records(read: Callable[[str, bytes], object]) -> Parser:
    """An answer that has to be sound but holds ids or counts, not records."""

    def parser(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
        read(source, body)
        return ()

    return parser


_XML_ANSWERS: dict[str, Parser] = {
    "eSearchResult": _no_records(parse_esearch),
    "eLinkResult": _no_records(parse_elink),
    "ePostResult": _no_records(parse_epost),
    "eSummaryResult": lambda source, body, at, _: parse_esummary(source, body, at),
    "eInfoResult": _no_records(parse),
    "eSpellResult": _no_records(parse),
    "SerialsSet": _no_records(parse),
    "OA": _no_records(parse_oa),
}


def _europepmc(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    if body.lstrip()[:1] == b"<" and check_prolog(source, body) == "article":
        return tuple(parse_jats(source, pieces(body), retrieved_at))  # /{id}/fullTextXML
    return europepmc.parse_page(source, body, retrieved_at, unreadable=unreadable).records


def _clinicaltrials(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    value = load(source, body)
    if isinstance(value, list):
        body = json.dumps({"studies": value}).encode()
    return parse_studies(source, body, retrieved_at, unreadable=unreadable)[0]


def _dailymed(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    if body.lstrip()[:1] != b"<":
        for row in parse_list(source, body)[0]:
            unreadable.append(Unreadable(row.set_id, row.title, "a row of a list: the label itself is another answer"))
        return ()
    record = parse_label(source, body, retrieved_at)
    if record is None:
        unreadable.append(Unreadable(None, None, "no label of a drug for people, or one without a set id or text"))
    return (record,) if record else ()


def _openfda(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    if body.lstrip()[:1] == b"<":
        return _dailymed(source, body, retrieved_at, unreadable)
    return parse_answer(source, body, retrieved_at, unreadable=unreadable)[0]


def _crossref(source: str, body: bytes, retrieved_at: datetime, unreadable: Lost) -> Records:
    text = body.lstrip()
    if text[:1] == b"@":
        return _crossref_bibtex(source, text.decode("utf-8", "replace"), retrieved_at)
    if re.match(rb"resource not found", text, re.IGNORECASE):
        return ()
    value = load(source, body)
    if isinstance(value, Mapping) and "DOI" in value and "message" not in value:
        body = json.dumps({"message": value}).encode()
    return crossref.parse_works(source, body, retrieved_at, unreadable=unreadable)[0]


def _crossref_bibtex(source: str, text: str, retrieved_at: datetime) -> Records:
    """The entry of a Crossref `/transform` answer; nothing for one without a title (a bare chapter) or a DOI.

    Raises:
        SourceChanged: not a BibTeX entry.
    """
    entries = list(read_bibtex(text))
    if not entries:
        raise SourceChanged(f"{source} answered with text that is not BibTeX; it begins {text[:60]!r}")
    records = (record_of(entry, retrieved_at) for entry in entries)
    return tuple(
        record.model_copy(
            update={
                "source": source,
                "publication_types": tuple("Preprint" if t == "misc" else t for t in record.publication_types),
                "identifiers": Identifiers(doi=doi, url=f"https://doi.org/{doi}"),
            }
        )
        for record in records
        if record and (doi := record.identifiers.doi)
    )


_PARSERS: dict[str, Parser] = {
    "pubmed": _pubmed,
    "pmc": _pubmed,
    "europepmc": _europepmc,
    "openalex": lambda source, body, at, lost: openalex.parse_works(source, body, at, unreadable=lost)[0],
    "semanticscholar": lambda source, body, at, lost: semanticscholar.parse_papers(source, body, at, unreadable=lost)[
        0
    ],
    "crossref": _crossref,
    "clinicaltrials": _clinicaltrials,
    "dailymed": _dailymed,
    "openfda": _openfda,
    "tavily": lambda source, body, at, lost: web.parse_results(source, body, at, unreadable=lost),
    "unpaywall": lambda source, body, at, lost: unpaywall.parse_records(source, body, at, unreadable=lost),
}
