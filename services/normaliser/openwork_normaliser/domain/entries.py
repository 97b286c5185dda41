"""Records and earlier candidates in one working form, with what the matching needs computed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceRecord,
    Identifiers,
    Provenance,
    SourcePolicy,
    StudyDesign,
    TextOrigin,
)
from openwork_evidence.identifiers import clean_doi, clean_nct, clean_pmcid, clean_pmid
from openwork_evidence.origins import is_preprint_doi

from openwork_normaliser.domain.design import bare, notice_kind
from openwork_normaliser.domain.titles import TitleKind, fold_title, title_kind

Work = EvidenceRecord | EvidenceCandidate
Policies = Mapping[str, SourcePolicy]
"""What the registry says of each source, by route; one that is missing is treated as `SourcePolicy()`."""

_UNKNOWN = SourcePolicy()
_OF_A_PAGE = 4
"""Tier of the web in `SourcePolicy.trust_tier`."""

_RESOLVER = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_URL_NOISE = re.compile(r"^https?://(?:www\.)?|[#].*$|/+$")


@dataclass(slots=True)
class Entry:
    """One record, or one candidate of an earlier round, ready to be compared."""

    work: Work
    provenance: tuple[Provenance, ...]
    identifiers: Identifiers
    folded_title: str
    kind: TitleKind
    """By types, links and title; a notice of any sort never joins a work."""
    is_registration: bool
    is_label: bool
    is_preprint: bool
    author_words: frozenset[str]
    """Folded words of the first author's family name; empty = no author given."""
    trust: tuple[int, bool]
    """Best trust tier among its sources (`SourcePolicy`), evidence before reference: curated before aggregated."""
    key: tuple[str, ...] = field(default=())
    """Orders entries without regard to the order of sources."""

    @property
    def names(self) -> frozenset[str]:
        """What identifies it, each with its kind; of registrations the number, which a publication only mentions."""
        ids = self.identifiers
        named = (("pmid", ids.pmid), ("doi", ids.doi), ("pmcid", ids.pmcid), ("set", ids.set_id))
        found = {f"{kind}:{name}" for kind, name in named if name}
        if self.is_registration:
            found.update(f"nct:{number}" for number in ids.nct_ids)
        return frozenset(found or ({f"url:{comparable_url(ids.url)}"} if ids.url else ()))

    @property
    def candidate_id(self) -> str | None:
        """The id it had in an earlier round."""
        return self.work.candidate_id if isinstance(self.work, EvidenceCandidate) else None


def entry_of_record(record: EvidenceRecord, rank: int, policies: Policies) -> Entry:
    """A record at its place (1 = first) in its source's result."""
    provenance = Provenance(
        source=record.source, source_id=record.source_id, rank=rank, retrieved_at=record.retrieved_at
    )
    return _entry(record, (provenance,), policies)


def entry_of_candidate(candidate: EvidenceCandidate, policies: Policies) -> Entry:
    """A candidate of an earlier round."""
    return _entry(candidate, candidate.provenance, policies)


def _entry(work: Work, provenance: tuple[Provenance, ...], policies: Policies) -> Entry:
    identifiers = _with_ids_of_url(work.identifiers)
    sources = {p.source for p in provenance}
    design = work.study_design
    types = {bare(t) for t in work.publication_types}
    registration = design is StudyDesign.TRIAL_REGISTRATION or (design is None and "clinicaltrials" in sources)
    return Entry(
        work=work,
        provenance=provenance,
        identifiers=identifiers,
        folded_title=fold_title(work.title),
        kind=notice_kind(work.title, work.publication_types, work.links) or title_kind(work.title),
        is_registration=registration,
        is_label=design is StudyDesign.DRUG_LABEL or identifiers.set_id is not None,
        is_preprint=design is StudyDesign.PREPRINT or "preprint" in types or is_preprint_doi(identifiers.doi),
        author_words=_author_words(work),
        trust=min(_trust(policies.get(source, _UNKNOWN), work) for source in sources),
        key=_key(work, identifiers, provenance),
    )


def _trust(policy: SourcePolicy, work: Work) -> tuple[int, bool]:
    """A page is never trusted like a record of the work itself, whatever its site: it is about the work."""
    numbers = policy.class_of(work.publication_types, work.journal) or policy
    tier = max(numbers.trust_tier, _OF_A_PAGE) if work.text_origin is TextOrigin.WEB_PAGE else numbers.trust_tier
    return tier, policy.top_k == 0


def _key(work: Work, identifiers: Identifiers, provenance: tuple[Provenance, ...]) -> tuple[str, ...]:
    """Where it comes from, then what it says: entries that are equal in all of this are interchangeable."""
    first = min((p.source, p.source_id, f"{p.rank:06d}") for p in provenance)
    design = work.study_design.value if work.study_design else ""
    content = (*work.authors, *work.publication_types, *work.mesh_terms, *(part.text for part in work.abstract))
    links = (f"{link.kind} {link.pmid} {link.doi} {link.nct_id}" for link in work.links)
    ids = (str(value) for _, value in identifiers)
    return (*first, work.title, *ids, str(work.year), design, work.status.value, *content, *links)


def _author_words(work: Work) -> frozenset[str]:
    """Words of the first author's name without initials, or of the collective name when there is no person."""
    name = work.authors[0] if work.authors else work.collective_author or ""
    words = [w for w in re.split(r"[\s,.]+", name) if w]
    # "Granger CB" and "B. Granger": initials are one to three capitals beside a longer word.
    names = [w for w in words if not (w.isupper() and len(w) <= 3)] or words
    return frozenset(folded for w in names for folded in fold_title(w).split())


def comparable_url(url: str) -> str:
    """An address without scheme, `www.`, fragment and trailing slash, for comparison only."""
    return _URL_NOISE.sub("", _URL_NOISE.sub("", url.strip()))


def _with_ids_of_url(identifiers: Identifiers) -> Identifiers:
    """A web search gives only an address, which often holds the PMID, PMCID, DOI or NCT number."""
    url = identifiers.url
    if url is None or identifiers.pmid or identifiers.doi or identifiers.pmcid or identifiers.nct_ids:
        return identifiers
    if pmid := clean_pmid(url):
        return identifiers.model_copy(update={"pmid": pmid})
    if pmcid := clean_pmcid(url):
        return identifiers.model_copy(update={"pmcid": pmcid})
    # Only the resolver's address means the work itself; other pages with a DOI in their address may be about it.
    if _RESOLVER.match(url) and (doi := clean_doi(url)):
        return identifiers.model_copy(update={"doi": doi})
    if number := clean_nct(url):
        return identifiers.model_copy(update={"nct_ids": (number,)})
    return identifiers
