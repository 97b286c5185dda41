"""Light edits that let a sentence stand alone: who found it, and when. No word about the finding itself is changed."""

from __future__ import annotations

import re

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_evidence.text import abstract_text
from openwork_knowledge.designs import DIRECTIVES, nouns
from openwork_knowledge.patterns import pattern
from openwork_language.terms import find_terms

_CONNECTIVE = re.compile(rf"^{pattern('sentence-openings', 'connective')},?\s+", re.IGNORECASE)
_WE_FOUND = re.compile(
    rf"^(?:we (?:also )?{pattern('sentence-openings', 'we_found')}"
    r"|(?:our|these|the present) (?:results|findings|data|study|analysis|meta-analysis) (?:also )?"
    rf"{pattern('sentence-openings', 'results_show')}|it was (?:found|observed|shown)) that (?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_THIS_STUDY = re.compile(
    r"^(?P<lead>(?:in|from) )?(?:this|the present|the current|our) (?P<kind>(?:[a-z-]+ ){0,4}?"
    r"(?:trial|study|meta-analysis|review|analysis|cohort|guideline|statement|update))\b",
    re.IGNORECASE,
)
_ALSO_AFTER = re.compile(r"\b(was|were|is|are|also) also\b")
_ALSO_BEFORE = re.compile(r"\balso (?=lowered|reduced|increased|had|showed)")
_DANGLING = re.compile(rf"^{pattern('sentence-openings', 'dangling')}\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:[Ww]e|[Oo]urs?|us)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NAME = r"[A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]*(?:[- ][A-Z0-9][A-Za-z0-9]*)*"
_IN_NAME = re.compile(rf"^(In (?:the )?)({_NAME})(?=,)")
_NAME_VERB = re.compile(
    rf"^()({_NAME})(?= (?:found|showed|did|could|reported|enrolled|compared|was|demonstrated|tested)\b)"
)
_NAME_AT_END = re.compile(rf"^(.*\bin )({_NAME})(?=\.$)", re.DOTALL)
_ISSUED = re.compile(
    rf"^((?:\S+ ){{0,12}}?)({pattern('sentence-openings', 'issued')}(?: (?:statement|recommendation|document))?)\b"
    r"(?! (?:class|level|strength))",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(r"In (?:an?|the) (?:later|earlier|previous|subsequent|second|another)\b", re.IGNORECASE)
"""A sentence on another work than its source, whose year it does not have."""
_SECONDARY = re.compile(
    r"\b(?:sub-?group|secondary analysis|post[- ]hoc|renal-function analysis|substudy)\b", re.IGNORECASE
)

_OPENS_WITH_PLACE = re.compile(rf"{pattern('sentence-openings', 'place')}\b", re.IGNORECASE)
_PROPER = re.compile(r"(?:ian|ean|ese|ish|['’]s)$")
"""Peoples ("Italian", "Japanese") and eponyms keep their capital."""


def repair(sentence: str, document: EvidenceCandidate) -> str | None:
    """The sentence so that it can be read alone; `None` when what it refers to is not in it."""
    text = _CONNECTIVE.sub("", sentence)
    if match := _WE_FOUND.match(text):
        text = match["rest"]
    elif match := _THIS_STUDY.match(text):
        when = f"{document.year} " if document.year else ""
        text = f"{match['lead'] or ''}the {when}{match['kind']}{text[match.end() :]}"
    if "also" in text:
        text = _ALSO_AFTER.sub(r"\1", text)
        text = _ALSO_BEFORE.sub("", text)
    if _DANGLING.match(text) or _FIRST_PERSON.search(text):
        return None
    return text[0].upper() + text[1:]


def dated(sentence: str, document: EvidenceCandidate, *, only_names: bool = False) -> str:
    """The sentence with its source's year, unless it names a year already or the source has none.

    The year goes to the name of the trial or guideline ("In ARISTOTLE (2011), ..."), else before or behind the sentence
    ("In a 2022 meta-analysis, ..."); the latter is left out with `only_names`.
    """
    year = document.year
    if year is None or re.search(rf"\b{year}\b", sentence) or _OF_ANOTHER.match(sentence):
        return sentence
    if document.study_design in DIRECTIVES and not _YEAR.search(sentence):
        if match := _ISSUED.match(sentence):
            return f"{sentence[: match.end()]} ({year}){sentence[match.end() :]}"
    elif not _SECONDARY.search(f"{document.title} {sentence}"):
        for named in (_IN_NAME, _NAME_VERB, _NAME_AT_END):
            match = named.match(sentence)
            if match and not find_terms(match[2]) and not _YEAR.search(match[2]):
                return f"{sentence[: match.end()]} ({year}){sentence[match.end() :]}"
    if only_names or _YEAR.search(sentence) or not sentence.endswith("."):
        return sentence
    if any(re.search(rf"\b{re.escape(word)}\b", sentence) for word in nouns(document.study_design)):
        # It speaks of "the X meta-analysis" already: a second one before it would read as another source.
        return f"{sentence[:-1]} ({year})."
    return _with_year_of_source(sentence, document)


def _with_year_of_source(sentence: str, document: EvidenceCandidate) -> str:
    """The year with the kind of source, where it cannot be read as belonging to anything else."""
    source = f"{document.year} {kind_of_source(document)}"
    if not _OPENS_WITH_PLACE.match(sentence):
        lead = "According to" if document.study_design in DIRECTIVES else "In"
        return f"{lead} a {source}, {_as_inner(sentence, document)}"
    if sentence.endswith(")."):
        return f"{sentence[:-1]} in a {source}."
    return f"{sentence[:-1]} ({source})."


def _as_inner(sentence: str, document: EvidenceCandidate) -> str:
    """The sentence as it goes on after a comma: its first word in lower case unless it is a name."""
    word = sentence.split()[0]
    if not (word[1:].islower() or len(word) == 1) or _PROPER.search(word):
        return sentence
    if re.search(rf"[a-z,;(] {re.escape(word)}\b", abstract_text(document)):
        return sentence  # Capitalised in the middle of a sentence too: a name.
    return word[0].lower() + sentence[1:]


def kind_of_source(document: EvidenceCandidate) -> str:
    """What to call the source: by its design, if the source uses that word itself, else "report"."""
    if document.study_design is StudyDesign.PREPRINT:
        return "preprint"
    words = f"{document.title} {abstract_text(document)}".casefold()
    if _SECONDARY.search(words) and "analysis" in words:
        return "analysis"
    for name in nouns(document.study_design):
        if name in words or (name.endswith(" trial") and name.split()[0] in words and "trial" in words):
            return name
    return "study" if "study" in words else "report"


def called_preprint(sentence: str, document: EvidenceCandidate) -> str:
    """A sentence from a preprint says so."""
    if document.study_design is not StudyDesign.PREPRINT or "preprint" in sentence.casefold():
        return sentence
    return f"{sentence.rstrip('.')} in a preprint."


def short_title(document: EvidenceCandidate, max_words: int = 14) -> str:
    """The title's first words, without a final stop, for naming a source in a sentence."""
    words = document.title.rstrip(". ").replace(";", ",").split()
    return " ".join(words[:max_words]) + (" ..." if len(words) > max_words else "")
