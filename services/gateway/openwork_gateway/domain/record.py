"""A run's record as a part of its fold: every search, every work with what became of it, every passage.

What the events do not tell is left out; an event that is gone takes with it only what it alone told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeVar

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import AnswerConcluded
from openwork_contracts.errors import FailureReason, LibraryMismatch
from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceNormalised,
    ExcludedKind,
    ExcludedWork,
    OutcomeResult,
    SourcePolicy,
    SourceStatus,
    TrialArm,
)
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked, FulltextCompleted, FulltextRequested
from openwork_contracts.record import (
    CandidateRecord,
    Decision,
    FulltextRecord,
    RoundRecord,
    RunRecord,
    SearchRecord,
)
from openwork_evidence.library.references import resolved_candidate
from openwork_knowledge.abstracts import tells_of_people
from openwork_knowledge.statuses import is_void

E = TypeVar("E", bound=Event)
Place = tuple[str, int]
"""Track and round."""
Outcome = RetrievalCompleted | RetrievalFailed

_ANY_SOURCE = SourcePolicy()


def run_record(events: Sequence[StoredEvent], track: str, outcome: AnswerConcluded | None) -> RunRecord:
    """What the run did.

    Args:
        events: of the run, up to its end, as they were stored.
        track: whose works are shown; searches are those of every track.
        outcome: of that track; `None` = there is none, or it is gone.
    """
    everything = [stored.event for stored in events]
    own = [event for event in everything if event.meta.track == track]
    plans = _of(everything, SearchPlanned)
    ranked = _last(own, EvidenceRanked)
    documents = _last(own, DocumentsRanked)
    known = _known(own, documents, ranked, outcome)
    reports = (documents.report if documents else None, ranked.report if ranked else None)
    return RunRecord(
        analysis=next((plan.analysis for plan in plans if plan.meta.track == track), None),
        rounds=tuple(map(_round, plans)),
        searches=tuple(_searches(everything, plans)),
        candidates=(
            *sorted((_candidate(work, known) for work in known.works), key=_reading_order),
            *map(_excluded, known.excluded),
        ),
        passages=tuple(
            passage.model_copy(update={"n": known.numbers.get(passage.candidate_id, passage.n)})
            for passage in (ranked.passages if ranked else ())
        ),
        scorers=tuple(report for report in reports if report),
    )


def _of(events: Iterable[Event], model: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, model)]


def _last(events: Sequence[Event], model: type[E]) -> E | None:
    return next((event for event in reversed(events) if isinstance(event, model)), None)


def _round(plan: SearchPlanned) -> RoundRecord:
    return RoundRecord(
        track=plan.meta.track,
        round=plan.meta.round,
        planned_at=plan.meta.occurred_at,
        sources=plan.sources,
        search_variants=plan.analysis.search_variants,
        recent_since_year=plan.analysis.recent_since_year,
        strategy=plan.strategy,
        reason=plan.reason,
        lookups=plan.lookups,
        degradations=plan.degradations,
    )


# --- searches --------------------------------------------------------------------------------------------------------


def _searches(events: Sequence[Event], plans: Sequence[SearchPlanned]) -> Iterator[SearchRecord]:
    """Of each plan in its order; then of plans that are gone."""
    joined = {_place(event): event for event in _of(events, EvidenceNormalised)}
    outcomes: dict[tuple[Place, str], list[Outcome]] = {}
    for event in events:
        if isinstance(event, RetrievalCompleted | RetrievalFailed):
            outcomes.setdefault((_place(event), event.source), []).append(event)
    planned = [(_place(plan), source) for plan in plans for source in plan.sources]
    for place, source in dict.fromkeys([*planned, *outcomes]):
        found = _search(place, source, outcomes.get((place, source), ()), joined.get(place))
        if found is not None:
            yield found


def _place(event: Event) -> Place:
    return event.meta.track, event.meta.round


def _search(
    place: Place, source: str, outcomes: Sequence[Outcome], joined: EvidenceNormalised | None
) -> SearchRecord | None:
    """`None` = it has not answered, and the round still waits for it."""
    track, round_ = place
    used = [event for event in outcomes if joined and event.meta.event_id in joined.meta.parent_ids]
    # A request that was delivered twice may have left both: what was found counts.
    event = next(iter(sorted(used or outcomes, key=lambda e: isinstance(e, RetrievalFailed))), None)
    late = joined is not None and not used
    if event is None:
        return _late(track, round_, source) if late else None
    failed = isinstance(event, RetrievalFailed)
    status = SourceStatus.FAILED if failed else SourceStatus.COMPLETED
    return SearchRecord(
        track=track,
        round=round_,
        source=source,
        status=SourceStatus.MISSED_DEADLINE if late else status,
        requests=event.search_log,
        found=0 if isinstance(event, RetrievalFailed) else len(event.records),
        elapsed_s=event.elapsed_s,
        reason=event.reason if isinstance(event, RetrievalFailed) else FailureReason.DEADLINE if late else None,
        message=event.message if isinstance(event, RetrievalFailed) else None,
        degradations=() if isinstance(event, RetrievalFailed) else event.degradations,
    )


def _late(track: str, round_: int, source: str) -> SearchRecord:
    late, why = SourceStatus.MISSED_DEADLINE, FailureReason.DEADLINE
    return SearchRecord(track=track, round=round_, source=source, status=late, reason=why)


# --- works -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """What the events of a track tell of its works."""

    works: tuple[EvidenceCandidate, ...]
    excluded: tuple[ExcludedWork, ...]
    policies: Mapping[str, SourcePolicy]
    judged: frozenset[str]
    """Works that stage 1 was given."""
    scores: Mapping[str, float]
    """Of the shortlist."""
    passages_ranked: bool
    """Whether stage 2 has judged that shortlist."""
    fulltexts: Mapping[str, FulltextRecord]
    read: frozenset[str]
    """Works whose full text was there when stage 2 went on."""
    numbers: Mapping[str, int]
    """Citation numbers as the reader has them."""
    cited: frozenset[str]


def _known(
    own: Sequence[Event],
    documents: DocumentsRanked | None,
    ranked: EvidenceRanked | None,
    outcome: AnswerConcluded | None,
) -> _Known:
    rounds = _of(own, EvidenceNormalised)
    newest = rounds[-1] if rounds else None
    works = newest.candidates if newest else ranked.documents if ranked else ()
    judged_in = [one for one in rounds if documents and one.meta.round == documents.meta.round]
    given = judged_in[-1].candidates if judged_in else works if documents else ()
    texts = {event.candidate_id: event for event in _of(own, FulltextCompleted)}
    in_time = ranked.meta.parent_ids if ranked else ()
    references = outcome.references if outcome else ()
    return _Known(
        works=works,
        excluded=newest.excluded if newest else (),
        policies=newest.policies if newest else {},
        judged=frozenset(work.candidate_id for work in given),
        scores={one.candidate_id: one.score for one in documents.shortlist} if documents else {},
        passages_ranked=bool(ranked and documents and ranked.meta.round == documents.meta.round),
        fulltexts={
            **{event.candidate_id: FulltextRecord() for event in _of(own, FulltextRequested)},
            **{name: _fulltext(event) for name, event in texts.items()},
        },
        read=frozenset(n for n, e in texts.items() if (e.text or e.sections) and e.meta.event_id in in_time),
        numbers=_numbers({r.id: r.n for r in references}, ranked.documents if ranked else ()),
        cited=frozenset(reference.id for reference in references),
    )


def _numbers(cited: Mapping[str, int], documents: Sequence[EvidenceCandidate]) -> dict[str, int]:
    """Works that are not cited have the numbers after those that are, in the order of their passages: the verifier's
    rule, so that the citations of what was held back can be read too."""
    numbers = dict(cited)
    for document in documents:
        numbers.setdefault(document.candidate_id, len(numbers) + 1)
    return numbers


def _fulltext(event: FulltextCompleted) -> FulltextRecord:
    return FulltextRecord(
        source=event.fulltext_source,
        url=event.url,
        license=event.license,
        tried=event.tried,
        reason=event.reason,
        elapsed_s=event.elapsed_s,
        from_cache=event.from_cache,
    )


def _candidate(named: EvidenceCandidate, known: _Known) -> CandidateRecord:
    work = _whole(named)
    name = work.candidate_id
    decision = _decision(work, known)
    return CandidateRecord(
        candidate_id=name,
        decision=decision,
        reason=_reason(name, decision, known),
        n=known.numbers.get(name),
        title=work.title,
        identifiers=work.identifiers,
        journal=work.journal,
        year=work.year,
        study_design=work.study_design,
        status=work.status,
        links=work.links,
        text_origin=work.text_origin,
        library=work.library,
        provenance=work.provenance,
        document_score=known.scores.get(name),
        fulltext=known.fulltexts.get(name),
        **(_studied(work) if name in known.numbers else {}),
    )


class _Studied(TypedDict, total=False):
    """Who was studied and what came out, for a table of the evidence."""

    population: str | None
    sample_size: int | None
    arms: tuple[TrialArm, ...]
    results: tuple[OutcomeResult, ...]


def _studied(work: EvidenceCandidate) -> _Studied:
    people = [part.text for part in work.abstract if part.label and tells_of_people(part.label)]
    return _Studied(
        population=" ".join(people) or None, sample_size=work.sample_size, arms=work.arms, results=work.results
    )


def _whole(candidate: EvidenceCandidate) -> EvidenceCandidate:
    """With what the starter library has of it, where this gateway has the same one."""
    try:
        return resolved_candidate(candidate)
    except LibraryMismatch:
        return candidate


def _decision(work: EvidenceCandidate, known: _Known) -> Decision:
    name = work.candidate_id
    if name in known.cited:
        return Decision.CITED
    if name in known.numbers:
        return Decision.PASSAGE_CHOSEN
    if name in known.scores:
        if not known.passages_ranked:
            return Decision.SHORTLISTED
        if name in known.read:
            return Decision.FULLTEXT_READ
        return Decision.ABSTRACT_READ if _has_abstract(work) else Decision.WITHOUT_TEXT
    return _left_out(work, known) if name in known.judged else Decision.FOUND


def _left_out(work: EvidenceCandidate, known: _Known) -> Decision:
    """Why stage 1 did not shortlist it, by the rules that stage 1 has."""
    if not _has_abstract(work):
        return Decision.WITHOUT_TEXT
    if all(known.policies.get(source, _ANY_SOURCE).top_k == 0 for source in work.sources):
        return Decision.REFERENCE_ONLY
    return Decision.RETRACTED if is_void(work.status) else Decision.BELOW_THRESHOLD


def _has_abstract(work: EvidenceCandidate) -> bool:
    return work.library is not None or any(part.text.strip() for part in work.abstract)


def _reason(name: str, decision: Decision, known: _Known) -> str | None:
    """What the decision leaves open: whether a full text was looked for."""
    if decision is not Decision.WITHOUT_TEXT:
        return None
    if name in known.scores:
        return "no abstract and no full text"
    return "no abstract, and its title ranked too low for its full text to be looked for"


def _excluded(work: ExcludedWork) -> CandidateRecord:
    return CandidateRecord(
        candidate_id=work.candidate_id,
        screened=False,
        decision=Decision.SUPERSEDED if work.kind is ExcludedKind.SUPERSEDED else Decision.WITHOUT_TEXT,
        reason=work.reason,
        title=work.title,
        identifiers=work.identifiers,
        year=work.year,
        provenance=work.provenance,
    )


def _reading_order(work: CandidateRecord) -> tuple[bool, int, float]:
    """Among equals the order of the event is kept: the best rank that any source gave."""
    return work.n is None, work.n or 0, -(work.document_score or 0.0)
