"""Goes along the chain of `plan.py` over an `HttpPort` until a full text is read. Whatever happened is in `tried`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from openwork_contracts.errors import FailureReason, OpenWorkError, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import Identifiers
from openwork_http.messages import HttpRequest
from openwork_http.port import HttpPort

from openwork_fulltext.adapters.apart import read_apart
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.pdf.article import MAX_BODY_BYTES
from openwork_fulltext.domain.plan import (
    Attempt,
    FulltextRequest,
    Progress,
    Services,
    Step,
    next_request,
    read_lookup,
    read_unpaywall,
)

Reader = Callable[[bytes], Awaitable[ParsedDocument]]
_SOURCES = {Step.PMC: "pmc", Step.EUROPEPMC: "europepmc", Step.PDF: "unpaywall"}
_NOTHING = frozenset({404, 410, 422})
"""Nothing under this identifier (Unpaywall answers 422 to a DOI that is none): a result, not a failure."""


@dataclass(frozen=True, slots=True)
class FulltextOutcome:
    """The full text, or why there is none."""

    document: ParsedDocument | None
    identifiers: Identifiers
    """With the PMCID that was found on the way."""
    source: str | None = None
    """pmc, europepmc, unpaywall; `None` = abstract only."""
    url: str | None = None
    tried: tuple[str, ...] = ()
    reason: FailureReason | None = None
    """Of the last place that failed. `None` with no document = every place answered, none has it."""


async def fetch_fulltext(
    identifiers: Identifiers,
    http: HttpPort,
    services: Services | None = None,
    *,
    read: Reader = read_apart,
    pmc_said: Attempt | None = None,
) -> FulltextOutcome:
    """Ask one place after another for the full text of a work. Never raises an `OpenWorkError`: see `reason`.

    PMC is not asked where `pmc_said` tells what became of it already.

    A text whose own identifiers contradict those asked for is not taken. `read` makes a document of a file.
    """
    services = services or Services()
    progress = Progress(identifiers, (pmc_said,) if pmc_said else ())
    while (request := next_request(progress, services)) is not None:
        try:
            body = await read_body(request.http, http)
            if request.step is Step.LOOKUP:
                progress = read_lookup(progress, body)
            elif request.step is Step.UNPAYWALL:
                progress = read_unpaywall(progress, body)
            else:
                document = await read(body)
                if request.step is not Step.PDF:  # one of a preprint names its own DOI, and the DOIs of others
                    check_work(document, progress.identifiers)
                return _found(document, progress, request)
        except OpenWorkError as error:
            reason = None if isinstance(error, NotThere) else error.reason
            progress = _without(progress, request).after(Attempt(request.step, str(error), reason))
    failed = [attempt.reason for attempt in progress.attempts if attempt.reason is not None]
    return FulltextOutcome(
        None, progress.identifiers, tried=progress.tried or ("nothing to ask with: no PMCID, PMID or DOI",),
        reason=failed[-1] if failed else None,
    )  # fmt: skip


class NotThere(SourceRefused):
    """The place answered, and has no full text of this work."""


async def read_body(request: HttpRequest, http: HttpPort) -> bytes:
    """The body of a 2xx answer.

    Raises:
        SourceUnavailable, SourceRefused: no answer, or another one.
    """
    response = await http.send(request)
    pieces: list[bytes] = []
    size = 0
    async for piece in response.body:
        size += len(piece)
        if size > MAX_BODY_BYTES:
            limit = f"{MAX_BODY_BYTES / 1e6:.0f} MB"
            raise SourceRefused(f"the answer is over {limit} and was not read on", reason=FailureReason.TOO_LARGE)
        pieces.append(piece)
    if 200 <= response.status < 300:
        return b"".join(pieces)
    if response.status in _NOTHING:
        raise NotThere(f"has nothing under this identifier ({response.status})")
    if response.status == 429:
        raise SourceUnavailable("its rate limit is used up (429)", reason=FailureReason.RATE_LIMITED)
    if response.status >= 500 or response.status in (408, 425):
        raise SourceUnavailable(f"gave no answer ({response.status})")
    raise SourceRefused(f"refused the request ({response.status})")


def check_work(document: ParsedDocument, asked: Identifiers) -> None:
    """Whether what came is the full text of the work asked for.

    Raises:
        SourceRefused: only its front matter, or another work.
    """
    if not document.has_body:
        raise NotThere("gives the abstract only: the publisher does not allow the full text")
    own = document.identifiers
    for name in ("pmcid", "pmid", "doi"):
        given, found = getattr(asked, name), getattr(own, name)
        if given and found and given != found:
            raise NotThere(f"answered with another work: {name} {found} in place of {given}")
        if given and found:
            return


def _found(document: ParsedDocument, progress: Progress, request: FulltextRequest) -> FulltextOutcome:
    known = progress.identifiers
    own = document.identifiers
    if request.step is Step.PDF and known.doi and own.doi and own.doi != known.doi:
        words = f"the PDF names DOI {own.doi}, not {known.doi}: it may be another version of the work"
        document = document.model_copy(update={"warnings": (*document.warnings, words)})
    done = progress.after(Attempt(request.step, f"read ({document.format}, {len(document.text)} characters)"))
    source = _SOURCES[request.step]
    return FulltextOutcome(document, known, source, request.http.shown().partition(" ")[2], done.tried)


def _without(progress: Progress, request: FulltextRequest) -> Progress:
    """A PDF address that failed is not tried again."""
    if request.step is Step.PDF:
        return replace(progress, pdf_urls=progress.pdf_urls[1:])
    return progress
