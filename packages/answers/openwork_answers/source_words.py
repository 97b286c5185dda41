"""All that a source says, and whether a word of a question stands in it: in any form, spelt out, or cut short."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_language.abbreviations import meanings_of
from openwork_language.mentions import idea_tokens
from openwork_language.searching.information import MUCH, information
from openwork_language.terms import find_terms

from openwork_answers.asked_words import PREFIX, WORD
from openwork_answers.word_matches import is_same_word


@dataclass(frozen=True, slots=True)
class SourceWords:
    """The words of a source."""

    tokens: frozenset[str]
    written: frozenset[str]
    """Folded."""

    def has(self, word: str) -> bool:
        """Whether a word stands in the source, in another form or spelt out."""
        folded = word.casefold()
        forms = (idea_tokens(folded), *map(idea_tokens, meanings_of(word)))
        spelt = any(form and form <= self.tokens for form in forms)
        return spelt or any(is_same_word(folded, one) for one in self.written)

    def tells(self, word: str) -> bool:
        """Whether a word stands in the source in any of these ways, or is how one of its telling words begins."""
        return self.has(word) or self.begins(word)

    def begins(self, word: str) -> bool:
        """Whether a word that names nothing is how a telling word of the source begins: "anticoag", "apix"."""
        folded = word.casefold()
        if len(folded) < PREFIX or find_terms(folded):
            return False
        return any(one.startswith(folded) and information(one) >= MUCH for one in self.written)


@lru_cache(maxsize=256)
def words_of(text: str) -> SourceWords:
    return SourceWords(idea_tokens(text), frozenset(word.casefold() for word in WORD.findall(text)))


def all_told(document: EvidenceCandidate, results: Iterable[StudyResult]) -> str:
    """Title, abstract and headings of a source, with the arms, outcomes and people of some of its results."""
    told = dict.fromkeys(text for r in results for text in (" v ".join(r.comparison), r.outcome, r.people or ""))
    whole = f"{document.title}. {abstract_text(document)} {' ; '.join(document.mesh_terms)}"
    return " ; ".join((whole, *told))
