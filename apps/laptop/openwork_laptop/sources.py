"""What `openwork sources` shows: the registry, whether each source answers, and saved answers as candidates."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.evidence import EvidenceCandidate, Provenance, SourcePolicy
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import SearchStrategy
from openwork_http.client import HttpClient
from openwork_language.searching.ladder import strategy_of
from openwork_normaliser.domain.merging import has_text
from openwork_normaliser.domain.normalise import SourceBatch, normalise
from openwork_query.domain.analysis import Rejection, analyse
from openwork_query.settings import Settings as QuerySettings
from openwork_retrievers.adapters.entries import Unreadable
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import LiveSource, Outside, missing_setting
from openwork_retrievers.domain.registry import SOURCES, SourceSpec
from openwork_retrievers.domain.source import Search
from openwork_retrievers.settings import Settings

from openwork_laptop.saved_answers import NOT_TOLD, parse_saved

Row = dict[str, object]

_PROBE = "Does aspirin lower mortality in myocardial infarction?"
_PROBE_RECORDS = 2
_PROBE_S = 15.0


def describe_sources() -> list[Row]:
    """Every entry of the registry and the library, as plain values."""
    settings = Settings()
    on = _on(settings)
    library: Row = {
        "name": "library",
        "description": "the records that come with Open Work or were imported; needs no network",
        "adapter": "library",
        "url": None,
        "terms": None,
        "per_second": "-",
        "limit": settings.library_limit,
        "timeout_s": None,
        **_ranking(LibrarySource.policy),
        "only_on_gap": False,
        "for_questions": False,
        "needs": None,
        "on": "library" in on,
    }
    live: list[Row] = [
        {
            "name": spec.route,
            "description": spec.description,
            "adapter": spec.adapter.value,
            "url": settings.base_url(spec.adapter.value) or spec.base_url or None,
            "terms": spec.terms_url,
            "per_second": spec.rate.budget(settings.api_key(spec.adapter.value)).per_second,
            "limit": spec.limit,
            "timeout_s": spec.timeout_s,
            **_ranking(spec.policy),
            "only_on_gap": spec.only_on_gap,
            "needs": f"OPENWORK_{spec.needs.upper()}" if spec.needs else None,
            "for_questions": spec.for_questions,
            "on": spec.route in on,
        }
        for spec in SOURCES
    ]
    return [library, *live]


def _on(settings: Settings) -> set[str]:
    """What is asked here: the configured sources, and RxNorm by the query service."""
    questions = {spec.route for spec in SOURCES if spec.for_questions} if QuerySettings().asks_rxnorm else set()
    return {*settings.source_names, *questions}


def _ranking(policy: SourcePolicy) -> Row:
    """What the reranker makes of a source; `top_k` 0 = reference, never ranked."""
    return {
        "trust_tier": policy.trust_tier,
        "ranked": policy.top_k > 0,
        "top_k": policy.top_k,
        "minimum_score_factor": policy.minimum_score_factor,
    }


async def check_sources(within_s: float = _PROBE_S) -> list[Row]:
    """One small search of every source that is on.

    Each row has `name`, `state` (ok, off = its key or address is not set, failed), `detail` in plain words and `reason`
    (a `FailureReason`, `None` unless failed). Where there is no network that is found out within the connect timeout.

    Args:
        within_s: seconds for each of the searches, which go on side by side.
    """
    settings = Settings()
    outside = Outside()
    analysis = analyse(_PROBE, available_sources=["library"], current_year=datetime.now(UTC).year)
    assert not isinstance(analysis, Rejection)
    on = _on(settings)
    specs = [spec for spec in SOURCES if spec.route in on]
    async with HttpClient(settings) as client:
        outside.open(client)
        return list(await asyncio.gather(*(_check(spec, settings, outside, analysis, within_s) for spec in specs)))


def _strictest(analysis: QuestionAnalysis) -> SearchStrategy:
    """The strict rung alone shows whether a source answers; the others would take its rate budget more of its time."""
    strategy = strategy_of(analysis)
    return strategy.model_copy(update={"rungs": strategy.rungs[:1]})


async def _check(
    spec: SourceSpec, settings: Settings, outside: Outside, analysis: QuestionAnalysis, within_s: float
) -> Row:
    if missing := missing_setting(spec, settings):
        return {"name": spec.route, "state": "off", "detail": f"{missing} is not set", "reason": None}
    now = datetime.now(UTC)
    request = Search(
        source=spec.route,
        analysis=analysis,
        strategy=_strictest(analysis),
        limit=_PROBE_RECORDS,
        deadline_at=now + timedelta(seconds=within_s),
    )
    try:
        found = await LiveSource(spec, settings, outside).search(request)
    except OpenWorkError as error:
        return {"name": spec.route, "state": "failed", "detail": str(error), "reason": error.reason.value}
    took_s = (datetime.now(UTC) - now).total_seconds()
    detail = f"{len(found.records)} records in {took_s:.2f} s"
    return {"name": spec.route, "state": "ok", "detail": detail, "reason": None}


def parse_files(source: str, files: Sequence[Path]) -> list[Row]:
    """Saved answers of one API as adapter and normaliser read them: a row per work, with why it would be dropped.

    `dropped` is `None` for a candidate with text. What is dropped comes after the candidates: works without text (those
    without an abstract unless their full text is found), notices, entries of which no record can be made.

    Raises:
        UsageError: no such source, or a file cannot be read. SourceChanged and its kin: the answer is not what the API
            documents, or says that something is wrong.
    """
    batches = []
    unreadable: list[Unreadable] = []
    for path in files:
        try:
            body = path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        batches.append(SourceBatch(source, parse_saved(source, body, path.name, unreadable=unreadable)))
    found = normalise(batches, most_titles=sum(len(batch.records) for batch in batches))
    rows = [_row(source, work, None if has_text(work) else _BY_TITLE) for work in found.candidates]
    rows.sort(key=lambda row: row["dropped"] is not None)
    rows += [_row(source, one.work, one.reason) for one in found.excluded]
    return rows + [_bare_row(source, one) for one in unreadable]


_BY_TITLE = "no abstract: dropped unless its full text is found"


def _bare_row(source: str, entry: Unreadable) -> Row:
    """An entry that is no record, with the keys that every row has."""
    nothing = EvidenceCandidate(
        candidate_id=entry.own_id or "none",
        title=entry.title or "",
        provenance=(Provenance(source=source, source_id=entry.own_id or "none", rank=1, retrieved_at=NOT_TOLD),),
    )
    return _row(source, nothing, entry.why) | {"id": entry.own_id}


def _row(source: str, candidate: EvidenceCandidate, dropped: str | None) -> Row:
    ids = candidate.identifiers
    authors = list(candidate.authors)
    if candidate.collective_author:
        authors.append(candidate.collective_author)
    return {
        "source": candidate.sources[0] if candidate.sources else source,
        "pmid": ids.pmid,
        "pmcid": ids.pmcid,
        "doi": ids.doi,
        "nct_id": ids.nct_ids[0] if ids.nct_ids else None,
        "nct_ids": list(ids.nct_ids),
        "set_id": ids.set_id,
        "title": candidate.title,
        "abstract": [part.model_dump(mode="json") for part in candidate.abstract],
        "authors": authors,
        "journal": candidate.journal,
        "year": candidate.year,
        "publication_types": list(candidate.publication_types),
        "mesh_terms": list(candidate.mesh_terms),
        "study_design": candidate.study_design.value,
        "status": candidate.status.value,
        "links": [link.model_dump(mode="json", exclude_none=True) for link in candidate.links],
        "url": ids.url,
        "id": candidate.provenance[0].source_id,
        "dropped": dropped,
    }
