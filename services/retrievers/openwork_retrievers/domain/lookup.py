"""What becomes of identifiers that somebody typed: the records that have them, or in words why there is none. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus
from openwork_contracts.requests import LookedUp, LookupReply, Missing, MissingKind, WorkFound
from openwork_evidence.named import IdKind, Named, named_by
from openwork_evidence.origins import precedence
from openwork_evidence.text import abstract_text
from openwork_knowledge.source_names import source_name
from openwork_knowledge.statuses import worst_status

EUROPEPMC = "europepmc"
CLINICALTRIALS = "clinicaltrials"
KNOWS: Mapping[str, frozenset[IdKind]] = {
    EUROPEPMC: frozenset({IdKind.PMID, IdKind.PMCID, IdKind.DOI}),
    CLINICALTRIALS: frozenset({IdKind.NCT}),
}
"""Which source is asked for what. An NCT number names a registration; articles that mention it are others' works."""

MOST_AUTHORS = 20
"""Of a reference: it shows fewer, and a consortium has hundreds."""
MOST_TITLE_CHARS = 200
ROOM_BYTES = 4096
"""Of a message, for what is no record."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one source said when it was asked for these, or how it failed."""

    route: str
    asked: frozenset[Named]
    records: tuple[EvidenceRecord, ...] = ()
    failed: str | None = None
    """The end of a sentence that begins with its name; `None` = it answered."""

    @property
    def name(self) -> str:
        """What readers call it."""
        return source_name(self.route)


def wanted(ids: Iterable[str], route: str) -> tuple[Named, ...]:
    """What that source is to be asked for, each once."""
    named = filter(None, map(named_by, ids))
    return tuple(dict.fromkeys(one for one in named if one.kind in KNOWS[route]))


def reply_of(ids: Sequence[str], answered: Sequence[Answered], library: Collection[EvidenceRecord]) -> LookupReply:
    """Each identifier with its record, or without.

    A source's own words go before a text of the library. A record without the identifier that was asked for is passed
    over, whoever gave it.
    """
    outcomes = [_outcome(n, typed, answered, library) for n, typed in enumerate(ids, start=1)]
    return LookupReply(
        found=tuple(one for one in outcomes if isinstance(one, LookedUp)),
        missing=tuple(one for one in outcomes if isinstance(one, Missing)),
        degradations=tuple(_degradations(ids, answered)),
    )


def fitted(reply: LookupReply, most_bytes: int) -> LookupReply:
    """The reply with as many of its records as a message holds, the first first."""
    left = most_bytes - ROOM_BYTES - len(reply.model_copy(update={"found": ()}).model_dump_json().encode())
    found, missing = [], list(reply.missing)
    for one in reply.found:
        size = len(one.model_dump_json().encode()) + 1
        if size <= left:
            found.append(one)
            left -= size
        else:
            why = "its text did not fit into one reply with the others'; ask for it alone"
            missing.append(Missing(n=one.item.n, asked=one.asked, kind=MissingKind.TOO_LARGE, reason=why))
            left -= len(missing[-1].model_dump_json().encode()) + 1
    in_order = tuple(sorted(missing, key=lambda one: one.n))
    return reply.model_copy(update={"found": tuple(found), "missing": in_order})


def _outcome(
    n: int, typed: str, answered: Sequence[Answered], library: Collection[EvidenceRecord]
) -> LookedUp | Missing:
    def missing(kind: MissingKind, reason: str) -> Missing:
        return Missing(n=n, asked=typed, kind=kind, reason=reason)

    named = named_by(typed)
    if named is None:
        why = "not one identifier: give one PMID, PMCID, DOI or NCT number each"
        return missing(MissingKind.NOT_AN_IDENTIFIER, why)
    by_source = [one for one in answered if named in one.asked]
    own = [record for one in by_source for record in one.records if named.names(record.identifiers)]
    ours = sorted((r for r in library if named.names(r.identifiers)), key=lambda r: precedence(r.text_origin))
    if chosen := next(filter(abstract_text, own), None):
        return _found(n, typed, named, chosen, _status(named, chosen, (*own, *ours)))
    ours = list(filter(abstract_text, ours))
    works = {record.identifiers.pmid or record.identifiers.doi or record.source_id for record in ours}
    if named.kind is IdKind.NCT and len(works) > 1:
        return missing(MissingKind.SEVERAL, _several(named, ours))
    if ours:
        return _found(n, typed, named, ours[0], _status(named, ours[0], (*own, *ours)))
    if own:
        return missing(MissingKind.NO_TEXT, f"{source_name(own[0].source)} has no abstract of it: {_title(own[0])}")
    if failed := [f"{one.name} {one.failed}" for one in by_source if one.failed]:
        return missing(MissingKind.NOT_REACHED, f"{'; '.join(failed)}; the library has no record of {named}")
    return missing(MissingKind.NOTHING_FOUND, _nothing(named, by_source))


def _status(named: Named, chosen: EvidenceRecord, known: Iterable[EvidenceRecord]) -> EvidenceStatus:
    """The worst that any record of the work says of it; of a registration its own, since articles are other works."""
    return chosen.status if named.kind is IdKind.NCT else worst_status([record.status for record in known])


def _found(n: int, typed: str, named: Named, record: EvidenceRecord, status: EvidenceStatus) -> LookedUp:
    ids = record.identifiers
    number = named.value if named.kind is IdKind.NCT else next(iter(ids.nct_ids), None)
    item = WorkFound(
        n=n,
        title=record.title,
        text=abstract_text(record),
        pmid=ids.pmid,
        pmcid=ids.pmcid,
        doi=ids.doi,
        nct_id=number,
        year=record.year,
        status=status.value,
        text_origin=record.text_origin,
        url=ids.url,
        source=record.source,
        journal=record.journal,
        authors=record.authors[:MOST_AUTHORS],
        collective_author=record.collective_author,
    )
    return LookedUp(asked=typed, item=item)


def _several(named: Named, records: Sequence[EvidenceRecord]) -> str:
    works = dict.fromkeys(
        f"PMID {record.identifiers.pmid}" if record.identifiers.pmid else _title(record) for record in records
    )
    return f"the library has several works of {named} ({', '.join(works)}), and not its registration; give one of them"


def _nothing(named: Named, by_source: Sequence[Answered]) -> str:
    if by_source:
        return f"{' and '.join(dict.fromkeys(one.name for one in by_source))} and the library have no record of {named}"
    others = [source_name(route) for route, kinds in KNOWS.items() if named.kind in kinds]
    return f"the library has no record of {named}, and {' and '.join(others)} is not asked here"


def _degradations(ids: Sequence[str], answered: Sequence[Answered]) -> Iterator[str]:
    """Sources that failed, and those that nobody asked here, where something was wanted of them."""
    failed = dict.fromkeys(f"{one.name} {one.failed}" for one in answered if one.failed)
    yield from (f"{why}: what was to be asked of it was looked for in the library alone." for why in failed)
    asked = {one.route for one in answered}
    for route in KNOWS:
        if route not in asked and wanted(ids, route):
            yield f"{source_name(route)} is not asked here: only the library was searched for what it might have."


def _title(record: EvidenceRecord) -> str:
    title = record.title
    return title if len(title) <= MOST_TITLE_CHARS else f"{title[: MOST_TITLE_CHARS - 1]}…"
