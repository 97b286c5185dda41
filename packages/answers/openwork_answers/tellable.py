"""Which sentences of a passage an answer may say: finished statements of fact, of parts of a work that tell findings.

One rule for who asks whether there is an answer and for who writes it: what may not be said is no evidence of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.patterns import pattern
from openwork_knowledge.statuses import is_void
from openwork_language.effects.find import Certainty, stance_of
from openwork_language.sentences import split_sentences


class Role(Enum):
    """What a sentence does in its source."""

    RESULT = "result"
    CONCLUSION = "conclusion"
    RECOMMENDATION = "recommendation"
    LIMITATION = "limitation"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Sayable:
    """A sentence as it stands in its passage, and its role there."""

    text: str
    role: Role


UNUSABLE_DESIGNS = frozenset({StudyDesign.NOTICE, StudyDesign.TRIAL_REGISTRATION})
"""A registration says what will be measured, which reads like a result and is none."""

_LABEL = re.compile(r"^([A-Z][A-Za-z ,/&'’-]{2,50}):\s+(?=\S)", re.MULTILINE)
_SKIPPED = re.compile(rf"{pattern('abstract-labels', 'skipped')}|\baims?\b|patients$", re.IGNORECASE)
_ROLES = tuple(
    (role, re.compile(pattern("abstract-labels", role.value), re.IGNORECASE))
    for role in (Role.LIMITATION, Role.CONCLUSION, Role.RESULT, Role.RECOMMENDATION)
)
_LIMITATION_CUE = re.compile(
    r"\blimitations?\b|\bresidual confounding\b|\bunderpowered\b|\btoo (?:small|few)\b"
    r"|\bwide (?:confidence )?intervals?\b",
    re.IGNORECASE,
)
_CONCLUSION_CUE = re.compile(
    r"^(?:in conclusion|we conclude|these (?:results|findings|data)|our (?:results|findings|data))\b", re.IGNORECASE
)
_RECOMMENDS = re.compile(
    r"\b(?:recommend\w*|suggests?|advis\w+|first-line|is indicated|class (?:1|2a|2b|3|I|II))\b", re.IGNORECASE
)
_SCOPE = re.compile(
    r"\b(?:guidelines?|recommendations?|statement|review|document)\b[^.;]{0,40}\b(?:covers?"
    r"|address(?:es)?|appl(?:y|ies)"
    r"|describes?|introduces?|reviewed|sets out|was issued|were issued|provides? an overview)\b",
    re.IGNORECASE,
)
"""What a document is about, not what it says."""
_CONDUCT = re.compile(
    r"\b(?:were|was) (?:included|enrolled|recruited|defined|followed|randomi[sz]ed|assigned|screened"
    r"|analy[sz]ed|extracted)\b",
    re.IGNORECASE,
)
"""How a study was done; kept only with an effect and its interval."""
_FIGURES = re.compile(r"\d(?:\.\d+)?\s*%|\bCI\b|\bP\s*[<=>]|\d+\.\d+")
_NOISE = re.compile(
    r"(?=[hw|\t©fcst])(?:https?://|www\.|[|\t©]|\bfunded by\b|\bClinicalTrials\.gov\b|\bsupplementary\b|\bcopyright\b"
    r"|\b[Tt]able \d|\bFig(?:ure|\.) ?\d)",
    re.IGNORECASE,
)
"""The first characters stand in front once more: most places are turned away by them, in a third of the time."""
_ENDS = re.compile(r"[.!][\"”’)\]]*$")
_ADDRESSES_READER = re.compile(r"\b(?:you|your|ignore (?:all|any|the|previous)|instructions?)\b", re.IGNORECASE)
"""Text from outside that speaks to its reader is no finding, whoever wrote it."""
_ADVICE = re.compile(r"\b(?:should|must|ought to|we (?:recommend|suggest|advise))\b", re.IGNORECASE)
_BODY = re.compile(
    r"\b(?:guidelines?|recommendations?|statement|task force|society|association|label|USPSTF|panel)\b",
    re.IGNORECASE,
)


def may_be_said(document: EvidenceCandidate) -> bool:
    """Whether a work's sentences may stand in an answer: of none retracted or replaced, of no registration."""
    return not (is_void(document.status) or document.study_design in UNUSABLE_DESIGNS or _is_superseded(document))


def _is_superseded(document: EvidenceCandidate) -> bool:
    """Whether a later edition of a guideline is known: its sentences would be read as what is recommended now."""
    return document.guideline is not None and document.guideline.superseded_by is not None


def sayable_in(passage: RankedPassage, document: EvidenceCandidate) -> Iterator[Sayable]:
    """The sentences of a passage that may be said, in their order; limitations among them."""
    for label, block in _blocks(passage):
        if label and _SKIPPED.search(label) and not _ROLES[0][1].search(label):
            continue
        for sentence in split_sentences(block):
            verbatim = sentence.text.strip()
            role = _role(label, verbatim, document)
            if _is_usable(verbatim, role, document):
                yield Sayable(verbatim, role)


def _blocks(passage: RankedPassage) -> Iterator[tuple[str | None, str]]:
    """(label, text) of each labelled part; a passage of full text has its section's name as label."""
    whole = passage.text
    marks = list(_LABEL.finditer(whole))
    named = None if passage.section.casefold() == "abstract" else passage.section
    first = marks[0].start() if marks else len(whole)
    if whole[:first].strip():
        yield named, whole[:first]
    ends = [*(mark.start() for mark in marks[1:]), len(whole)] if marks else []
    for mark, end in zip(marks, ends, strict=True):
        yield mark[1], whole[mark.end() : end]


def _role(label: str | None, sentence: str, document: EvidenceCandidate) -> Role:
    is_directive = document.study_design in {StudyDesign.GUIDELINE, StudyDesign.DRUG_LABEL}
    by_label = next((role for role, named in _ROLES if label and named.search(label)), None)
    if by_label is Role.LIMITATION or (by_label is None and _LIMITATION_CUE.search(sentence)):
        return Role.LIMITATION
    if is_directive and _RECOMMENDS.search(sentence):
        return Role.RECOMMENDATION
    if by_label is not None:
        return by_label
    if _CONCLUSION_CUE.search(sentence):
        return Role.CONCLUSION
    return Role.RESULT if _FIGURES.search(sentence) else Role.OTHER


def _is_usable(sentence: str, role: Role, document: EvidenceCandidate) -> bool:
    """A finished statement of fact: no question, no aim, no advice of its own, nothing that addresses a reader."""
    if not _ENDS.search(sentence) or _NOISE.search(sentence) or _ADDRESSES_READER.search(sentence):
        return False
    if _SCOPE.search(sentence) and role is not Role.LIMITATION:
        return False
    if _ADVICE.search(sentence) and not _BODY.search(sentence):
        return False
    if _CONDUCT.search(sentence) and " CI " not in sentence and role is not Role.LIMITATION:
        return False
    digits = sum(map(str.isdigit, sentence))
    if digits > 0.3 * len(sentence):
        return False
    is_directive = document.study_design in {StudyDesign.GUIDELINE, StudyDesign.DRUG_LABEL}
    return role is Role.LIMITATION or is_directive or stance_of(sentence).certainty is not Certainty.OPEN
