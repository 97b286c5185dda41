"""Whether a reader, or the full-text service, can find a work by what is known of it."""

from __future__ import annotations

from openwork_contracts.evidence import EvidenceCandidate, Identifiers, StudyDesign, TextOrigin

from openwork_evidence.guidelines.record import SOURCE as GUIDELINES
from openwork_evidence.library.record import SOURCE as LIBRARY

_STORED_TEXTS = frozenset({TextOrigin.OUR_SUMMARY, TextOrigin.USER_DOCUMENT})
_OTHER_THAN_ARTICLES = frozenset({StudyDesign.TRIAL_REGISTRATION, StudyDesign.DRUG_LABEL, StudyDesign.WEB_PAGE})


def is_findable(identifiers: Identifiers) -> bool:
    """Whether anything leads a reader to the work: a PMID, PMCID, DOI, NCT number, set id, ISBN or an address.

    What nobody can look up may be listed, but no answer may rest on it.
    """
    ids = identifiers
    return bool(ids.pmid or ids.pmcid or ids.doi or ids.nct_ids or ids.set_id or ids.isbn or ids.url)


def may_have_full_text(candidate: EvidenceCandidate) -> bool:
    """Found outside, and something to ask with. What is stored here is answered from what is stored."""
    ids = candidate.identifiers
    return not _is_stored(candidate) and bool(ids.pmcid or ids.doi or ids.pmid)


def _is_stored(candidate: EvidenceCandidate) -> bool:
    """Whether only the library gave it, or the collected guidelines; these also ask PubMed, whose words are others'."""
    sources = set(candidate.sources)
    return sources == {LIBRARY} or (sources <= {LIBRARY, GUIDELINES} and candidate.text_origin in _STORED_TEXTS)


def may_live_by_title(candidate: EvidenceCandidate) -> bool:
    """Whether a work without an abstract is worth a look for its full text: an article, with something to ask with."""
    is_article = candidate.study_design not in _OTHER_THAN_ARTICLES
    return bool(candidate.title.strip()) and is_article and may_have_full_text(candidate)
