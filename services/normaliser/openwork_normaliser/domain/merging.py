"""Many records of one work become one candidate: the best text, every identifier, every place it was found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    LibraryRef,
    NoticeLink,
    Provenance,
    Recommendation,
    StatusReport,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.guidance import GuidelineFacts
from openwork_evidence.guidelines.editions import superseded_by
from openwork_evidence.guidelines.facts import facts_of
from openwork_evidence.library.record import SOURCE as LIBRARY
from openwork_evidence.library.references import summary_ref
from openwork_evidence.origins import precedence
from openwork_knowledge.designs import PRIMARY
from openwork_knowledge.statuses import worst_status
from openwork_knowledge.tables import words

from openwork_normaliser.domain.design import status_of, study_design
from openwork_normaliser.domain.entries import Entry, Work
from openwork_normaliser.domain.thresholds import THRESHOLDS
from openwork_normaliser.domain.titles import fold_title, strip_markup

NO_ABSTRACT_TEXTS = frozenset(words("title_words", "instead of an abstract"))
"""What sources print instead of leaving the abstract empty, folded."""

_UNKNOWN = TextOrigin.UNKNOWN_ORIGIN

Abstract = tuple[tuple[AbstractPart, ...], TextOrigin]
"""An abstract and whose words it is."""
T = TypeVar("T")


def merge(entries: Sequence[Entry], notice_links: Iterable[NoticeLink] = ()) -> EvidenceCandidate:
    """One candidate from all records of a work (at least one), and the links that others' notices give it."""
    members = sorted(entries, key=lambda e: (e.trust, e.key))
    works = [e.work for e in members]
    own = [e.work for e in same_text(members)]
    best_text, origin = best_abstract(own)
    identifiers = _identifiers(members)
    title = _first(works, lambda w: strip_markup(w.title)) or ""
    types = _union(w.publication_types for w in works)
    mesh = _union(w.mesh_terms for w in works)
    links = _union([*(w.links for w in works), tuple(notice_links)])
    provenance = _provenance(members)
    design = study_design(
        title, types, mesh, [p.source for p in provenance], [w.study_design for w in works if w.study_design], links
    )
    year = _first(works, lambda w: w.year)
    return EvidenceCandidate(
        candidate_id=_candidate_id(members, identifiers, title, year),
        identifiers=identifiers,
        title=title,
        text_origin=origin,
        structured_origin=_structured_origin(own, origin),
        our_summary=_our_summary(members) if best_text and origin is not TextOrigin.OUR_SUMMARY else None,
        abstract=best_text,
        authors=max((w.authors for w in works), key=len),
        collective_author=_first(works, lambda w: w.collective_author),
        journal=_first(works, lambda w: w.journal),
        year=year,
        publication_types=types,
        mesh_terms=mesh,
        study_design=design,
        sample_size=_first(own, lambda w: w.sample_size),
        status=_status(works, links),
        status_reports=_union(_reports(w) for w in works),
        links=_union([links, _registrations(members, identifiers, design)]),
        arms=max((w.arms for w in own), key=len),
        results=max((w.results for w in own), key=len),
        recommendations=_recommendations(own),
        guideline=_guideline(own, title, identifiers, year) if design is StudyDesign.GUIDELINE else None,
        funding=_first(works, lambda w: w.funding),
        cited_by_count=max((w.cited_by_count for w in works if w.cited_by_count is not None), default=None),
        provenance=provenance,
    )


def same_text(members: Sequence[Entry]) -> list[Entry]:
    """Of the records of a work, those whose text is its text: most trusted first.

    A record that is joined by its title alone may be of the congress where the work was first told, with other numbers.
    Its text counts only beside records of the same trust, and where none that carries an identifier of the work has a
    whole text.
    """
    best = members[0].trust
    lead = next((e for e in members if e.trust == best and e.names), members[0])
    found = _chain([lead], members, lambda entry: False)
    if not any(map(_has_whole_text, found)):
        found = _chain(found, members, lambda entry: entry.trust == best)
    return sorted(found, key=lambda e: (e.trust, e.key))


def _chain(found: Sequence[Entry], members: Sequence[Entry], also: Callable[[Entry], bool]) -> list[Entry]:
    """`found`, whatever shares an identifier with one of them, and so on, and what else is let in."""
    chain = list(found)
    names = frozenset[str]().union(*(entry.names for entry in chain))
    waiting = [entry for entry in members if not any(entry is other for other in chain)]
    while joined := [entry for entry in waiting if entry.names & names or also(entry)]:
        chain += joined
        names = names.union(*(entry.names for entry in joined))
        waiting = [entry for entry in waiting if not any(entry is other for other in joined)]
    return chain


def _has_whole_text(entry: Entry) -> bool:
    return _length(clean_abstract(entry.work.abstract)) >= THRESHOLDS.min_abstract_chars


def best_abstract(works: Sequence[Work]) -> Abstract:
    """The work's own abstract before a summary of ours, however long that is, and either before a page's words.

    Of equals the longest labelled, else the longest. What is too short for an abstract takes nobody's place. Empty when
    no record has any text: then whose its title is.
    """
    texts = [(clean_abstract(w.abstract), w.text_origin) for w in works]
    there = [(text, origin) for text, origin in texts if text]
    if not there:
        return (), next((origin for _, origin in texts if origin is not TextOrigin.UNKNOWN_ORIGIN), _UNKNOWN)
    whole = [one for one in there if _length(one[0]) >= THRESHOLDS.min_abstract_chars] or there
    first = min(precedence(origin) for _, origin in whole)
    return _longest([one for one in whole if precedence(one[1]) == first])


def _longest(
    texts: Sequence[tuple[tuple[AbstractPart, ...], TextOrigin]],
) -> tuple[tuple[AbstractPart, ...], TextOrigin]:
    """The longest labelled text unless it was cut, else the longest. At least one."""
    longest = max(texts, key=lambda one: _length(one[0]))
    labelled = [one for one in texts if sum(part.label is not None for part in one[0]) > 1]
    best = max(labelled, key=lambda one: _length(one[0]), default=longest)
    return best if _length(best[0]) >= THRESHOLDS.min_labelled_share * _length(longest[0]) else longest


def _structured_origin(works: Sequence[Work], origin: TextOrigin) -> TextOrigin | None:
    """Whose words arms, results and recommendations are, where they are not the abstract's; `None` = its, or none."""
    lists: tuple[Callable[[Work], Sequence[object]], ...] = (
        lambda w: w.results,
        lambda w: w.recommendations,
        lambda w: w.arms,
    )
    for listed in lists:
        given = max(works, key=lambda w: len(listed(w)))  # as they are merged
        if listed(given):
            found = _origin_of_structure(given)
            return found if found is not origin else None
    return None


def _recommendations(works: Sequence[Work]) -> tuple[Recommendation, ...]:
    """The longest list, then what other records of the guideline have besides, each saying whose words it is."""
    first = max(works, key=lambda w: len(w.recommendations))
    known = {one.text for one in first.recommendations}
    added: list[Recommendation] = []
    for work in works:
        for one in work.recommendations if work is not first else ():
            if one.text not in known:
                known.add(one.text)
                added.append(one.model_copy(update={"text_origin": one.text_origin or _origin_of_structure(work)}))
    return (*first.recommendations, *added)


def _guideline(works: Sequence[Work], title: str, ids: Identifiers, year: int | None) -> GuidelineFacts:
    """What a record says of its guideline before what its title tells; a later edition that is known in any case."""
    told = _first(works, lambda w: w.guideline)
    facts = told or facts_of(title, _first(works, lambda w: w.collective_author), year)
    return facts.model_copy(update={"superseded_by": facts.superseded_by or superseded_by(ids)})


def _origin_of_structure(work: Work) -> TextOrigin:
    own = work.structured_origin if isinstance(work, EvidenceCandidate) else None
    return own or work.text_origin


def _our_summary(members: Sequence[Entry]) -> LibraryRef | None:
    """The starter library's record of the work, where one of the members is it."""
    return summary_ref(p.source_id for entry in members for p in entry.provenance if p.source == LIBRARY)


def clean_abstract(parts: Sequence[AbstractPart]) -> tuple[AbstractPart, ...]:
    """The parts that have something to read."""
    return tuple(p for p in parts if p.text.strip() and fold_title(p.text[:60]) not in NO_ABSTRACT_TEXTS)


def has_text(candidate: EvidenceCandidate) -> bool:
    """Whether there is a title and anything to read and cite: an abstract, results, or recommendations."""
    return bool(candidate.title.strip()) and bool(candidate.abstract or candidate.results or candidate.recommendations)


def _length(parts: Sequence[AbstractPart]) -> int:
    return sum(len(p.text) for p in parts)


def _first(works: Sequence[Work], value_of: Callable[[Work], T | None]) -> T | None:
    """The value of the most trusted record that has one."""
    return next((value for w in works if (value := value_of(w))), None)


def _union(groups: Iterable[Sequence[T]]) -> tuple[T, ...]:
    """Everything once, in order of first appearance."""
    seen: list[T] = []
    for group in groups:
        seen += [value for value in group if value not in seen]
    return tuple(seen)


def _identifiers(members: Sequence[Entry]) -> Identifiers:
    """Every identifier; where two records differ (two DOIs of one article) the more trusted one's is kept."""
    found: dict[str, str] = {}
    for entry in members:
        for name in Identifiers.model_fields:
            value = getattr(entry.identifiers, name)
            if value and name != "nct_ids":
                found.setdefault(name, value)
    return Identifiers(nct_ids=_union(e.identifiers.nct_ids for e in members)).model_copy(update=found)


def _provenance(members: Sequence[Entry]) -> tuple[Provenance, ...]:
    """Each (source, source id) once with its best rank, best rank first."""
    best: dict[tuple[str, str], Provenance] = {}
    for place in (p for entry in members for p in entry.provenance):
        known = best.get((place.source, place.source_id))
        if known is None or (place.rank, place.retrieved_at) < (known.rank, known.retrieved_at):
            best[place.source, place.source_id] = place
    return tuple(sorted(best.values(), key=lambda p: (p.rank, p.source, p.source_id)))


def _status(works: Sequence[Work], links: Sequence[NoticeLink]) -> EvidenceStatus:
    by_record = [status_of(w.status, w.title, w.publication_types, w.links) for w in works]
    return worst_status([*by_record, status_of(EvidenceStatus.NOT_CHECKED, "", (), links)])


def _reports(work: Work) -> tuple[StatusReport, ...]:
    """Who says what of the status: the record's source, or those that an earlier round asked."""
    if isinstance(work, EvidenceCandidate):
        return work.status_reports
    found = status_of(work.status, work.title, work.publication_types, work.links)
    return (StatusReport(by=work.source, status=found),) if found is not EvidenceStatus.NOT_CHECKED else ()


def _registrations(members: Sequence[Entry], ids: Identifiers, design: StudyDesign) -> tuple[NoticeLink, ...]:
    if any(e.is_registration for e in members) or design not in PRIMARY:
        return ()
    return tuple(NoticeLink(kind="registered_as", nct_id=nct_id) for nct_id in ids.nct_ids)


def _candidate_id(members: Sequence[Entry], ids: Identifiers, title: str, year: int | None) -> str:
    """The id of an earlier round where there is one: what was called so once in a run stays so."""
    earlier = sorted(e.candidate_id for e in members if e.candidate_id is not None)
    if earlier:
        return earlier[0]
    if ids.pmid:
        return f"pmid:{ids.pmid}"
    if ids.doi:
        return f"doi:{ids.doi}"
    if ids.pmcid:
        return f"pmcid:{ids.pmcid}"
    if ids.nct_ids and any(e.is_registration for e in members):
        return f"nct:{ids.nct_ids[0]}"
    if ids.set_id:
        return f"set:{ids.set_id}"
    if ids.url:
        return f"url:{ids.url}"
    digest = hashlib.sha256(f"{fold_title(title)}|{year}".encode()).hexdigest()
    return f"hash:{digest[:16]}"
