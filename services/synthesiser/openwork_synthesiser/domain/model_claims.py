"""Claims as a model gives them, and the checks they have to pass before anybody else reads them.

A claim comes with the words of each source that bear it out. What quotes words that are not in the source, or was not
shown that source, is left out at once and counted; so is what names nothing of the question, and what is no finding.
What is left is checked by the verifier like any draft.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import repeat

from openwork_contracts.answer import DraftClaim
from openwork_contracts.question import EntityKind
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.quotes import find_quote
from openwork_knowledge.designs import DIRECTIVES
from openwork_language.effects.find import Certainty, stance_of
from openwork_language.terms import Term, find_terms, same_term
from pydantic import BaseModel, ConfigDict, Field

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.model_text import sentences_of
from openwork_synthesiser.domain.on_question import Topic
from openwork_synthesiser.domain.statements import reads_as_limitation

MAX_CLAIMS = 40
"""Of one draft; 400 words hold fewer."""
MAX_QUOTES = 4
"""Of one claim: one for each source that says it."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(StrEnum):
    """Where a claim belongs."""

    ANSWER = "answer"
    EVIDENCE = "evidence"
    DISAGREEMENT = "disagreement"
    LIMITATION = "limitation"


_MAY_ANSWER = frozenset({Part.ANSWER, Part.EVIDENCE})


class ModelQuote(_Shape):
    """Words of a source, and its number."""

    source: int
    quote: str


class ModelClaim(_Shape):
    """One sentence with what bears it out."""

    part: Part
    text: str
    quotes: list[ModelQuote] = Field(min_length=1, max_length=MAX_QUOTES)


class ModelDraft(_Shape):
    """What a model is asked to write."""

    claims: list[ModelClaim] = Field(max_length=MAX_CLAIMS)


class MendedClaim(_Shape):
    """A sentence that failed, written anew."""

    id: int
    text: str
    quotes: list[ModelQuote] = Field(min_length=1, max_length=MAX_QUOTES)


class ModelRevision(_Shape):
    """What a model is asked to give back: the failed sentences that it mended, and no others."""

    claims: list[MendedClaim] = Field(max_length=MAX_CLAIMS)


class Fault(Enum):
    """Why a claim is left out unread; the value finishes "... were left out: "."""

    UNQUOTED = "the words they quote are not in the sources they name"
    OTHER_DRUG = "the words they quote are of another drug"
    OFF_QUESTION = "they name nothing of the question"
    NO_FINDING = "they are no finding of a source"


@dataclass(frozen=True, slots=True)
class Held:
    """A claim that may be put to the verifier."""

    part: Part
    claim: DraftClaim
    answers: bool = False
    """Whether it may stand in the direct answer: it tells of treatment, outcome and people together."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """What of a model's claims is left, and why others are not."""

    held: tuple[Held, ...]
    faults: Counter[Fault]

    @property
    def told(self) -> str | None:
        """What a reader is told of the claims that were left out; `None` = none was."""
        n = self.faults.total()
        if not n:
            return None
        why = "; ".join(f"{fault.value} ({count})" for fault, count in self.faults.most_common())
        were = "sentence of the model was" if n == 1 else "sentences of the model were"
        return f"{n} {were} left out before the check: {why}."


class Sieve:
    """The checks of one run."""

    def __init__(self, assignment: Assignment, sources: frozenset[int]) -> None:
        self._topic = Topic(assignment)
        self._designs = [document.study_design for document in assignment.documents]
        self._passages: Sequence[RankedPassage] = [p for p in assignment.passages if p.n in sources]

    def sift(self, claims: Sequence[ModelClaim]) -> Sifted:
        """The claims that may be put to the verifier, in their order."""
        held: list[Held] = []
        faults: Counter[Fault] = Counter()
        for claim in claims:
            found = self.read(claim.text, claim.quotes, claim.part)
            if isinstance(found, Fault):
                faults[found] += 1
            else:
                held += (one for one in found if one.claim not in [other.claim for other in held])
        return Sifted(tuple(held), faults)

    def read(self, text: str, quotes: Sequence[ModelQuote], part: Part) -> tuple[Held, ...] | Fault:
        """A claim as the sentences it is made of, each with all of its citations; or what is wrong with it."""
        found = [self._find(quote) for quote in quotes]
        if not quotes or None in found:
            return Fault.UNQUOTED
        words = tuple(quote for quote in found if quote is not None)
        citations = tuple(dict.fromkeys(quote.source for quote in quotes))
        sentences = sentences_of(text)
        if not sentences or (part is not Part.LIMITATION and all(map(self._is_open, sentences, repeat(citations)))):
            return Fault.NO_FINDING
        if any(_is_of_another_drug(sentence, words) for sentence in sentences):
            return Fault.OTHER_DRUG
        if not all(self._is_on_question(sentence, citations, part, words) for sentence in sentences):
            return Fault.OFF_QUESTION
        return tuple(self._held(sentence, citations, part) for sentence in sentences)

    def _is_open(self, sentence: str, citations: Sequence[int]) -> bool:
        """Whether a sentence says what was to be found out and not what was found; guidelines speak of neither."""
        designs = {self._designs[n - 1] for n in citations}
        return not designs & DIRECTIVES and stance_of(sentence).certainty is Certainty.OPEN

    def _held(self, sentence: str, citations: tuple[int, ...], part: Part) -> Held:
        answers = part in _MAY_ANSWER and self._topic.is_answered(sentence, citations)
        place = Part.EVIDENCE if part is Part.ANSWER and not answers else part
        return Held(place, DraftClaim(text=sentence, citations=citations), answers)

    def _is_on_question(self, sentence: str, citations: Sequence[int], part: Part, words: Sequence[str]) -> bool:
        """A limitation that a source states of itself need not name what was asked: "The trial was open label"."""
        if part is Part.LIMITATION and any(reads_as_limitation(quote) for quote in words):
            return True
        return self._topic.is_named(sentence, citations)

    def _find(self, quote: ModelQuote) -> str | None:
        """The quotation as its source has it; `None` where none of the passages that were shown holds it."""
        found: Iterator[str] = (
            match.text
            for passage in self._passages
            if passage.n == quote.source and (match := find_quote(quote.quote, passage.text))
        )
        return next(found, None)


def _is_of_another_drug(sentence: str, words: Sequence[str]) -> bool:
    """Whether the quotations lack a drug of the sentence and have one that it lacks: arms exchanged, or invented.

    Classes set nothing apart: a member of the class that is quoted may be another member's.
    """
    mine, theirs = _drugs(sentence), _drugs(" ".join(words))
    return not _are_among(mine, theirs) and not _are_among(theirs, mine)


def _drugs(text: str) -> list[Term]:
    return [term for term in find_terms(text) if term.kind is EntityKind.DRUG and not term.is_class]


def _are_among(some: Sequence[Term], others: Sequence[Term]) -> bool:
    return all(any(one.name == other.name or same_term(one.text, other.text) for other in others) for one in some)
