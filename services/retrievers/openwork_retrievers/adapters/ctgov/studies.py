"""A study of ClinicalTrials.gov as a record, and the adapter that pages through them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, NoticeLink, StudyDesign, TextOrigin
from openwork_contracts.question import EntityKind
from openwork_contracts.strategy import BlockRole, SearchBlock, SearchConcept, SearchRung
from openwork_evidence.identifiers import clean_doi, clean_nct, clean_pmid
from openwork_http.jsonbody import (
    JsonObject,
    at,
    count_at,
    load_object,
    objects_at,
    text_at,
    texts_at,
    want_list,
)
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.ctgov.arms import read_arms
from openwork_retrievers.adapters.ctgov.results import plain, read_results
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.ladder import SCARCE, climb
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Params, SearchRequest, SourceResult
from openwork_retrievers.domain.rendering import ADDRESS_CHARS, groups_of, names_within

PAGE = 50
"""The API allows 1,000; a study with results is up to 1 MB."""
FIELDS = "|".join(
    (
        "protocolSection.identificationModule",
        "protocolSection.statusModule",
        "protocolSection.sponsorCollaboratorsModule",
        "protocolSection.descriptionModule",
        "protocolSection.conditionsModule",
        "protocolSection.designModule",
        "protocolSection.armsInterventionsModule",
        "protocolSection.outcomesModule",
        "protocolSection.eligibilityModule",
        "protocolSection.referencesModule",
        "derivedSection.conditionBrowseModule.meshes",
        "derivedSection.interventionBrowseModule.meshes",
        "resultsSection.participantFlowModule",
        "resultsSection.baselineCharacteristicsModule.groups",
        "resultsSection.baselineCharacteristicsModule.denoms",
        "resultsSection.outcomeMeasuresModule",
        "resultsSection.adverseEventsModule.eventGroups",
        "resultsSection.adverseEventsModule.timeFrame",
        "resultsSection.adverseEventsModule.frequencyThreshold",
        *(
            f"{kind}Event{field}"  # by the registry's short names: an address has no room for four long paths twice
            for kind in ("Serious", "Other")
            for field in ("Term", "StatsGroupId", "StatsNumAffected", "StatsNumAtRisk")
        ),
        "LimitationsAndCaveatsDescription",
        "hasResults",
    )
)
"""Without the places of a study, and of single adverse events without what else is told of each, which is as much again
as their counts."""
Group = tuple[SearchConcept, ...]
STUDY_URL = "https://clinicaltrials.gov/study/{}"


def search_request(base_url: str, request: SearchRequest, rung: SearchRung) -> HttpRequest:
    """The first page of a rung, by relevance.

    Treatments go to the intervention, as alternatives: a trial registers the arms it has, and which of them is the
    comparison is not a field. Diseases go to the condition; countries, outcomes and telling words to the terms. The
    registry knows none of the filters but the date.
    """
    strategy = request.strategy
    parts: dict[str, list[Group]] = {"query.intr": [], "query.cond": [], "query.term": []}
    for numbers, concepts in zip(rung.numbers, groups_of(strategy, rung), strict=True):
        parts[_field([strategy.blocks[n] for n in numbers])].append(concepts)
    treatments = tuple(concept for group in parts["query.intr"] for concept in group)
    parts["query.intr"] = [treatments] if treatments else []
    placed = [(field, group) for field, groups in parts.items() for group in groups]
    named = names_within(tuple(group for _, group in placed), broad=rung.broad, chars=ADDRESS_CHARS)
    asked: dict[str, list[str]] = {}
    for (field, _), names in zip(placed, named, strict=True):
        asked.setdefault(field, []).append("(" + " OR ".join(f'"{name}"' for name in names) + ")")
    params: Params = (
        ("pageSize", str(min(PAGE, request.limit))),
        ("countTotal", "true"),
        ("format", "json"),
        ("fields", FIELDS),
    )
    params += tuple((field, " AND ".join(groups)) for field, groups in asked.items())
    dates = []
    if rung.filters.since_year is not None:
        dates.append(f"AREA[LastUpdatePostDate]RANGE[{rung.filters.since_year}-01-01,MAX]")
    if rung.filters.until_year is not None:
        dates.append(f"AREA[StudyFirstPostDate]RANGE[MIN,{rung.filters.until_year}-12-31]")
    if dates:
        params += (("filter.advanced", " AND ".join(dates)),)
    return HttpRequest("GET", f"{base_url.rstrip('/')}/studies", params)


def _field(blocks: list[SearchBlock]) -> str:
    """Where the registry keeps what a group of blocks asks for."""
    if all(block.role in (BlockRole.INTERVENTION, BlockRole.COMPARISON) for block in blocks):
        return "query.intr"
    meant = all(block.role is BlockRole.POPULATION for block in blocks)
    diseases = any(concept.kind is EntityKind.DISEASE for block in blocks for concept in block.concepts)
    return "query.cond" if meant and diseases else "query.term"


def parse_studies(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[tuple[EvidenceRecord, ...], int | None, str | None]:
    """Records, matches in all (only with `countTotal`) and the next page's token; or the one study of a single answer.

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: not JSON, the retired v1 shape, or neither a list nor a study.
        SourceUnavailable, SourceRefused: an error inside the answer.
    """
    answer = load_object(source, body)
    if "FullStudiesResponse" in answer or "StudyFieldsResponse" in answer:
        raise SourceChanged(f"{source} answered in the retired v1 format; the base URL has to be that of API v2")
    if "protocolSection" in answer:
        return records_of([answer], lambda study: study_record(study, source, retrieved_at), unreadable), 1, None
    studies = want_list(source, answer, "studies")
    records = records_of(studies, lambda study: study_record(study, source, retrieved_at), unreadable)
    return records, count_at(answer, "totalCount"), text_at(answer, "nextPageToken")


def study_record(study: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One study; `None` without an NCT number or a title."""
    protocol = study.get("protocolSection")
    number = clean_nct(text_at(protocol, "identificationModule", "nctId"))
    title = text_at(protocol, "identificationModule", "officialTitle")
    title = text_at(protocol, "identificationModule", "briefTitle") or title
    if number is None or not title:
        return None
    arms = read_arms(study)
    results, result_parts = read_results(study, arms)
    sponsor = text_at(protocol, "sponsorCollaboratorsModule", "leadSponsor", "name")
    return EvidenceRecord(
        source=source,
        source_id=number,
        identifiers=Identifiers(nct_ids=(number,), url=STUDY_URL.format(number)),
        title=title,
        abstract=(*_parts(protocol), *result_parts),
        collective_author=sponsor,
        journal="ClinicalTrials.gov",
        year=_year(protocol),
        publication_types=_types(protocol),
        mesh_terms=_mesh(study),
        study_design=StudyDesign.TRIAL_REGISTRATION,
        sample_size=_enrolled(protocol),
        links=tuple(_links(protocol)),
        arms=arms.trial_arms(),
        results=results,
        funding=sponsor,
        text_origin=TextOrigin.REGISTRY,
        retrieved_at=retrieved_at,
    )


def _parts(protocol: object) -> Iterator[AbstractPart]:
    """What the registration says, in the order a reader needs it."""
    texts = (
        ("Brief summary", text_at(protocol, "descriptionModule", "briefSummary")),
        ("Status", _status_words(protocol)),
        ("Conditions", "; ".join(texts_at(protocol, "conditionsModule", "conditions"))),
        ("Arms", _arm_words(protocol)),
        ("Primary outcomes", _outcome_words(protocol, "primaryOutcomes")),
        ("Secondary outcomes", _outcome_words(protocol, "secondaryOutcomes")),
        ("Eligibility", text_at(protocol, "eligibilityModule", "eligibilityCriteria")),
        ("Detailed description", text_at(protocol, "descriptionModule", "detailedDescription")),
    )
    return (AbstractPart(label=label, text=plain(text)) for label, text in texts if text)


def _status_words(protocol: object) -> str:
    status = (text_at(protocol, "statusModule", "overallStatus") or "").replace("_", " ").lower()
    if not status:
        return ""
    why = text_at(protocol, "statusModule", "whyStopped")
    enrolled = count_at(protocol, "designModule", "enrollmentInfo", "count")
    actual = text_at(protocol, "designModule", "enrollmentInfo", "type") == "ACTUAL"
    people = "" if enrolled is None else f" Enrolment: {enrolled} ({'actual' if actual else 'planned'})."
    dates = (("Start", "startDateStruct"), ("Primary completion", "primaryCompletionDateStruct"))
    dated = (f" {name}: {date}." for name, key in dates if (date := text_at(protocol, "statusModule", key, "date")))
    return f"{status.capitalize()}{f' ({why})' if why else ''}.{people}{''.join(dated)}"


def _arm_words(protocol: object) -> str:
    arms = []
    for arm in objects_at(protocol, "armsInterventionsModule", "armGroups"):
        kind = (text_at(arm, "type") or "").replace("_", " ").lower()
        given = ", ".join(texts_at(arm, "interventionNames"))
        words = " ".join(filter(None, (text_at(arm, "description"), f"Interventions: {given}." if given else "")))
        arms.append(f"{text_at(arm, 'label') or 'Arm'}{f' ({kind})' if kind else ''}: {words}".rstrip(": "))
    if not arms:
        arms = [
            f"{(text_at(i, 'type') or 'intervention').replace('_', ' ').capitalize()}: {name}"
            for i in objects_at(protocol, "armsInterventionsModule", "interventions")
            if (name := text_at(i, "name"))
        ]
    return " ".join(arm if arm.endswith(".") else f"{arm}." for arm in arms)


def _outcome_words(protocol: object, key: str) -> str:
    outcomes = []
    for outcome in objects_at(protocol, "outcomesModule", key):
        frame = text_at(outcome, "timeFrame")
        outcomes.append(f"{text_at(outcome, 'measure') or ''}{f' [{frame}]' if frame else ''}")
    return "; ".join(filter(None, outcomes))


def _types(protocol: object) -> tuple[str, ...]:
    """Kind, phases and allocation of the study, in plain words."""
    kind = text_at(protocol, "designModule", "studyType")
    phases = [p for p in texts_at(protocol, "designModule", "phases") if p != "NA"]
    allocation = text_at(protocol, "designModule", "designInfo", "allocation")
    words = [f"{kind.replace('_', ' ').capitalize()} study"] if kind else []
    words += [phase.replace("EARLY_", "Early ").replace("PHASE", "Phase ") for phase in phases]
    words += [allocation.replace("_", "-").capitalize()] if allocation and allocation != "NA" else []
    return tuple(words)


def _mesh(study: JsonObject) -> tuple[str, ...]:
    modules = ("conditionBrowseModule", "interventionBrowseModule")
    terms = (
        text_at(m, "term") for module in modules for m in objects_at(at(study, "derivedSection", module), "meshes")
    )
    return tuple(dict.fromkeys(term for term in terms if term))


def _enrolled(protocol: object) -> int | None:
    """People enrolled; a planned number is not a sample."""
    count = count_at(protocol, "designModule", "enrollmentInfo", "count")
    actual = text_at(protocol, "designModule", "enrollmentInfo", "type") == "ACTUAL"
    return count if actual and count else None


def _year(protocol: object) -> int | None:
    """Of the first posting; where the fields were cut down to a few, of the start."""
    for key in ("studyFirstPostDateStruct", "startDateStruct"):
        if (year := parse_year(text_at(protocol, "statusModule", key, "date"))) is not None:
            return year
    return parse_year(text_at(protocol, "statusModule", "studyFirstSubmitDate"))


def _links(protocol: object) -> Iterator[NoticeLink]:
    """Publications of the trial's results, not its background reading."""
    for reference in objects_at(protocol, "referencesModule", "references"):
        if text_at(reference, "type") in ("RESULT", "DERIVED"):
            pmid, doi = clean_pmid(text_at(reference, "pmid")), clean_doi(text_at(reference, "citation"))
            if pmid or doi:
                yield NoticeLink(kind="reported_in", pmid=pmid, doi=doi)


class ClinicalTrialsAdapter:
    """ClinicalTrials.gov by page token."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        def read(call: HttpRequest, body: bytes) -> paging.Page:
            records, hits, token = parse_studies(request.route, body, request.retrieved_at)
            return paging.Page(records, hits, paging.with_param(call, "pageToken", token) if token else None)

        def first(rung: SearchRung) -> HttpRequest:
            return search_request(self._base_url, request, rung)

        return (await climb(request, http, first, read, listed=("studies",), chars=ADDRESS_CHARS, most=SCARCE)).result(
            request.limit
        )
