"""Study design and publication status from what sources say: publication types first, then title, then source.

Publication types are those of MeSH (https://www.nlm.nih.gov/mesh/pubtypes.html); other sources use many of the same
words in other spellings ("randomized-controlled-trial", "MetaAnalysis"), so types are folded to bare letters before
they are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openwork_contracts.evidence import EvidenceStatus, NoticeLink, StudyDesign
from openwork_knowledge.designs import SAYS_LITTLE, designs_of, title_patterns
from openwork_knowledge.notation import group
from openwork_knowledge.statuses import status_names, worst_status
from openwork_knowledge.tables import words

from openwork_normaliser.domain.guideline_titles import is_guideline_title
from openwork_normaliser.domain.titles import (
    NOTICE_KINDS,
    TitleKind,
    is_marked_retracted,
    is_marked_withdrawn,
    title_kind,
)
from openwork_normaliser.domain.trial_titles import is_protocol, is_randomised, is_trial, pooled

NOTICE_TYPES = {name: TitleKind(kind) for name, kind in status_names("notice type").items()}
_KIND_OF_LINK = {name: TitleKind(kind) for name, kind in status_names("notice about").items()}
_STATUS_OF_TYPE = {name: EvidenceStatus(status) for name, status in status_names("publication type").items()}
_STATUS_OF_LINK = {name: EvidenceStatus(status) for name, status in status_names("notice link").items()}
_TRIAL_TYPES = frozenset(name for name, _ in designs_of("trial type"))
_OPINION_TYPES = frozenset(name for name, _ in designs_of("opinion type"))
_TOLD_BY_TITLE = frozenset(words("study_designs", "type to be told by title"))
_DESIGN_OF_SOURCE = {
    "dailymed": StudyDesign.DRUG_LABEL,
    "openfda": StudyDesign.DRUG_LABEL,
    "clinicaltrials": StudyDesign.TRIAL_REGISTRATION,
    "guidelines": StudyDesign.GUIDELINE,
    "tavily": StudyDesign.WEB_PAGE,
    "web": StudyDesign.WEB_PAGE,
}
_CASES = re.compile(
    r"\breport of (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a) (?:\w+ )?cases?\b|\bcase reports\b",
    re.IGNORECASE,
)
_ANIMAL = re.compile(
    rf"\b(?:in|of) (?:[\w-]+ ){{0,2}}{group('study_designs', 'animal')}\b"
    rf"|\b{group('study_designs', 'animal model')} models?\b|\b{group('study_designs', 'laboratory')}\b"
    rf"|\b{group('study_designs', 'animal model')} {group('study_designs', 'animal organ')}\b",
    re.IGNORECASE,
)
_NARRATIVE = re.compile(
    r"\b(?:scoping |narrative |literature )?review\b|\bstate of the art\b|\ban overview\b", re.IGNORECASE
)
_BY_TITLE = (
    StudyDesign.CASE_CONTROL,
    StudyDesign.CROSS_SECTIONAL,
    StudyDesign.CASE_REPORT,
    StudyDesign.COHORT,
    StudyDesign.OBSERVATIONAL,
)
"""Single studies by the words of their titles, the one that says most first."""
_BARE = re.compile(r"[^a-z]")


@lru_cache(maxsize=20_000)  # a closed vocabulary, asked for each work several times
def bare(name: str) -> str:
    """Letters of a type's name, lower case: "Meta-Analysis" and "MetaAnalysis" are the same."""
    return _BARE.sub("", name.casefold())


def notice_kind(title: str, publication_types: Sequence[str], links: Sequence[NoticeLink]) -> TitleKind | None:
    """What kind of notice a record is; `None` when it is not one."""
    types = [bare(t) for t in publication_types]
    for name in types:
        if name in NOTICE_TYPES:
            return NOTICE_TYPES[name]
    for link in links:
        if link.kind in _KIND_OF_LINK:
            return _KIND_OF_LINK[link.kind]
    kind = title_kind(title)
    return kind if kind in NOTICE_KINDS else None


def status_of(
    given: EvidenceStatus, title: str, publication_types: Sequence[str], links: Sequence[NoticeLink]
) -> EvidenceStatus:
    """A record's status: what it says, what its types, its links to notices and its title say, the worst of them."""
    found = [given]
    found += [_STATUS_OF_TYPE[t] for t in map(bare, publication_types) if t in _STATUS_OF_TYPE]
    found += [_STATUS_OF_LINK[link.kind] for link in links if link.kind in _STATUS_OF_LINK]
    if is_marked_retracted(title):
        found.append(EvidenceStatus.RETRACTED)
    if is_marked_withdrawn(title):
        found.append(EvidenceStatus.WITHDRAWN)
    return worst_status(found)


def study_design(
    title: str,
    publication_types: Sequence[str],
    mesh_terms: Sequence[str] = (),
    sources: Sequence[str] = (),
    given: Sequence[StudyDesign] = (),
    links: Sequence[NoticeLink] = (),
) -> StudyDesign:
    """How the evidence was made. `given` is what the sources themselves said, and wins unless it is only their kind."""
    if notice_kind(title, publication_types, links) is not None:
        return StudyDesign.NOTICE
    for design in given:
        if design not in SAYS_LITTLE:
            return design
    types = frozenset(map(bare, publication_types))
    mesh = frozenset(map(bare, mesh_terms))
    found = _from_types(types, mesh, title) or _from_title(types, mesh, title)
    if found is not None and found is not StudyDesign.OTHER:
        return found
    by_source = [_DESIGN_OF_SOURCE.get(s) for s in sources]
    # A web search also finds the pages of articles: that a work was found there says nothing if others have it too.
    known: StudyDesign | None = next((d for d in by_source if d is not None and d is not StudyDesign.WEB_PAGE), None)
    if known is None and by_source and all(d is StudyDesign.WEB_PAGE for d in by_source):
        known = StudyDesign.WEB_PAGE
    return found or known or StudyDesign.OTHER


def _from_types(types: frozenset[str], mesh: frozenset[str], title: str) -> StudyDesign | None:
    protocol = is_protocol(title)
    for name, design in designs_of("publication type"):
        if name in types:
            # PubMed gives "Systematic Review" and "Randomized Controlled Trial" to many protocols: no results yet.
            return StudyDesign.OTHER if protocol and design is not StudyDesign.PREPRINT else design
    if _is_animal(mesh, title):
        return StudyDesign.ANIMAL_OR_IN_VITRO
    if types & _OPINION_TYPES:
        return StudyDesign.EDITORIAL
    if types & _TRIAL_TYPES:
        return StudyDesign.RCT if is_randomised(title) else StudyDesign.CLINICAL_TRIAL
    if "casereports" in types:
        return StudyDesign.CASE_REPORT
    if types & _TOLD_BY_TITLE:
        observational = _from_title(types, mesh, title)
        if observational is not None:
            return observational
        return StudyDesign.OBSERVATIONAL if "observationalstudy" in types else None
    return None


def _from_title(types: frozenset[str], mesh: frozenset[str], title: str) -> StudyDesign | None:
    if is_protocol(title):
        return StudyDesign.OTHER
    if title_kind(title) is TitleKind.COMMENT:
        return StudyDesign.EDITORIAL
    patterns = title_patterns()
    for design in (StudyDesign.META_ANALYSIS, StudyDesign.SYSTEMATIC_REVIEW):
        if patterns[design].search(title):
            return design
    if found := pooled(title):
        return found
    if is_guideline_title(title):
        return StudyDesign.GUIDELINE
    if _is_animal(mesh, title):
        return StudyDesign.ANIMAL_OR_IN_VITRO
    if "review" in types:
        return StudyDesign.REVIEW
    return _primary_from_title(mesh, title)


def _primary_from_title(mesh: frozenset[str], title: str) -> StudyDesign | None:
    if is_randomised(title):
        return StudyDesign.RCT
    for design in _BY_TITLE:
        if title_patterns()[design].search(title) or (design is StudyDesign.CASE_REPORT and _CASES.search(title)):
            return design
    for heading, design in designs_of("mesh heading"):
        if heading in mesh:
            return design
    if _NARRATIVE.search(title):
        return StudyDesign.REVIEW
    return StudyDesign.CLINICAL_TRIAL if is_trial(title) else None


def _is_animal(mesh: frozenset[str], title: str) -> bool:
    if "humans" in mesh:
        return False
    return "animals" in mesh or _ANIMAL.search(title) is not None
