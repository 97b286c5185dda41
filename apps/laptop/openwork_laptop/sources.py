"""What `openwork sources` shows: the registry, whether each source answers, and saved answers as candidates."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.evidence import EvidenceCandidate, SourcePolicy
from openwork_contracts.question import QuestionAnalysis
from openwork_http.client import HttpClient
from openwork_normaliser.domain.normalise import SourceBatch, normalise
from openwork_query.domain.analysis import Rejection, analyse
from openwork_query.settings import Settings as QuerySettings
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import LiveSource, Outside, missing_setting
from openwork_retrievers.domain.registry import SOURCES, SourceSpec
from openwork_retrievers.domain.source import Search
from openwork_retrievers.settings import Settings

from openwork_laptop.saved_answers import parse_saved

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
    # One wording shows whether a source answers; five of them for five entries of NCBI would take its rate budget 10 s.
    one_wording = analysis.model_copy(update={"search_variants": ()})
    on = _on(settings)
    specs = [spec for spec in SOURCES if spec.route in on]
    async with HttpClient(settings) as client:
        outside.open(client)
        return list(await asyncio.gather(*(_check(spec, settings, outside, one_wording, within_s) for spec in specs)))


async def _check(
    spec: SourceSpec, settings: Settings, outside: Outside, analysis: QuestionAnalysis, within_s: float
) -> Row:
    if missing := missing_setting(spec, settings):
        return {"name": spec.route, "state": "off", "detail": f"{missing} is not set", "reason": None}
    now = datetime.now(UTC)
    request = Search(
        source=spec.route,
        analysis=analysis,
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
    """Saved answers of one API as the candidates that adapter and normaliser make of them.

    Raises:
        UsageError: no such source, or a file cannot be read. SourceChanged and its kin: the answer is not what the API
            documents, or says that something is wrong.
    """
    batches = []
    for path in files:
        try:
            body = path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        batches.append(SourceBatch(source, parse_saved(source, body, path.name)))
    return [_row(source, candidate) for candidate in normalise(batches).candidates]


def _row(source: str, candidate: EvidenceCandidate) -> Row:
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
    }
