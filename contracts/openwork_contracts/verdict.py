"""Verdicts: what the verification gate says of each claim. Owner: verifier.

Also the contract of `openwork verify`: evidence in, verdicts out, no bus.
"""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.cells import ResultCell
from openwork_contracts.enums import OpenEnum
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.meta import Contract
from openwork_contracts.text import Text


class Verdict(OpenEnum):
    """What the gate says of one sentence. Only proof is called `unsupported` or `contradicted`."""

    SUPPORTED = "supported"
    """The cited passages bear it out: no check has anything against it. The only verdict that an answer shows."""
    NOT_CONFIRMED = "not_confirmed"
    """Something looks wrong that code can neither prove nor dispel; the reasons say what to look at."""
    PARTLY_SUPPORTED = "partly_supported"
    """Not given any more, read in older documents: today `not_confirmed`."""
    UNSUPPORTED = "unsupported"
    """Proved: a number that is in no cited passage, a citation that stands for nothing, advice, a retraction unsaid."""
    CONTRADICTED = "contradicted"
    """Proved: the cited passages have another value in the same cell, or another known thing in its place."""
    UNCITED = "uncited"
    NOT_A_CLAIM = "not_a_claim"
    """A heading, a sentence about the method, a statement of the program about the evidence set itself."""


OPEN_VERDICTS = frozenset({Verdict.NOT_CONFIRMED, Verdict.PARTLY_SUPPORTED})
"""Of sentences that did not pass although nothing is proved against them."""


class FindingKind(OpenEnum):
    """How much a finding can decide."""

    PROOF = "proof"
    """Final: nobody overrules it."""
    SUSPICION = "suspicion"
    """A question: a judge that quotes the source may answer it; unanswered it keeps a sentence out of an answer."""
    JUDGED = "judged"
    """A judge read claim and source, and its quotation stands there."""


class ReasonCode(OpenEnum):
    """What a check found; one per rule."""

    CITATION_MISSING = "citation_missing"
    CITATION_UNKNOWN = "citation_unknown"
    NUMBER_NOT_FOUND = "number_not_found"
    NUMBER_NOT_BOUND = "number_not_bound"
    """The number stands in the passage, but for another arm, outcome or time point."""
    UNIT_MISMATCH = "unit_mismatch"
    INTERVAL_MISMATCH = "interval_mismatch"
    CELL_DIFFERS = "cell_differs"
    """Arm, outcome, time and unit are read on both sides and are the same; the value is not."""
    DRUG_NOT_FOUND = "drug_not_found"
    DISEASE_NOT_FOUND = "disease_not_found"
    ENTITY_NOT_FOUND = "entity_not_found"
    """A gene, an organism, a test, a name with a number in it."""
    INTERVENTION_NOT_FOUND = "intervention_not_found"
    """A word that no lexicon knows stands where a treatment does, and no cited passage holds it."""
    WORD_REPLACED = "word_replaced"
    """A sentence laid beside its source word by word has another content word in one place."""
    POPULATION_NOT_FOUND = "population_not_found"
    OUTCOME_NOT_FOUND = "outcome_not_found"
    ARMS_SWAPPED = "arms_swapped"
    DIRECTION_REVERSED = "direction_reversed"
    DIRECTION_NOT_FOUND = "direction_not_found"
    """An effect of which the cited passages do not say that it goes this way."""
    NULL_RESULT = "null_result"
    """An effect, or "significant", whose figure or statement in the cited passages shows no difference."""
    CERTAINTY_OVERSTATED = "certainty_overstated"
    SCOPE_CHANGED = "scope_changed"
    """"Except", "without", "but not in": an exclusion turned round, added or lost."""
    SUBGROUP_AS_WHOLE = "subgroup_as_whole"
    COMPOSITE_AS_COMPONENT = "composite_as_component"
    NONINFERIORITY_OVERSTATED = "noninferiority_overstated"
    QUANTIFIER_CHANGED = "quantifier_changed"
    DESIGN_DIFFERS = "design_differs"
    RECOMMENDATION_DIFFERS = "recommendation_differs"
    EVIDENCE_SET_DIFFERS = "evidence_set_differs"
    """A statement about the set of sources that its records do not bear out."""
    CONTENT_NOT_FOUND = "content_not_found"
    """Too little of what the claim says is in the cited passage."""
    ADVICE_LANGUAGE = "advice_language"
    RETRACTED_SOURCE = "retracted_source"
    NOT_ENTAILED = "not_entailed"
    """A judge read both and found no support."""


class EvidenceSpan(Contract):
    """The words a claim rests on: `quote` is exactly [start, end) of passage text of evidence item n.

    They are a quotation of the source only where `text_origin` says that they are its own: not of `our_summary`, and
    of `unknown` nothing is claimed.
    """

    n: int = Field(ge=1)
    quote: Text
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words the quote is."""
    passage_id: Text | None = None
    """In an answer: the passage; `start` and `end` then count in the text of that passage's section."""


class VerdictReason(Contract):
    """One finding, with the words it is about."""

    code: ReasonCode
    kind: FindingKind | None = None
    """`None`: written before findings had kinds."""
    detail: Text
    """Plain words: what (`!r`), where, what was found instead."""
    look_at: EvidenceSpan | None = None
    """The words of the source beside which the claim is to be laid."""


class ClaimVerdict(Contract):
    """One sentence of an answer and what the gate says of it."""

    text: Text
    """The sentence without its citation marks."""
    citations: tuple[int, ...] = ()
    verdict: Verdict
    reasons: tuple[VerdictReason, ...] = ()
    evidence: tuple[EvidenceSpan, ...] = ()
    cells: tuple[ResultCell, ...] = ()
    """The results of the sources on which the numbers of the claim rest, as they were read."""


class EvidenceItem(Contract):
    """One numbered text that an answer may cite. The input of `openwork verify`.

    Spans count in the text as it entered (`text.py`), which for a file may be shorter than what the file holds.
    """

    n: int = Field(ge=1)
    title: Text = ""
    text: Text
    pmid: Text | None = None
    doi: Text | None = None
    nct_id: Text | None = None
    year: int | None = None
    status: Text | None = None
    """As `EvidenceStatus`; unknown words are taken as not checked."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words `text` is, where one answer holds of all of it."""


class VerificationScores(Contract):
    """The gate's summary of one text: of an answer, its last draft, the claims that were removed from it included."""

    claims: int = Field(ge=0)
    """Sentences that claim something."""
    supported: int = Field(ge=0)
    unsupported: int = Field(ge=0)
    """Claims with any verdict but `supported`."""
    removed: int = Field(default=0, ge=0)
    grounding_score: float = Field(ge=0, le=1)
    """supported / claims; 1.0 when there is no claim."""
    citation_coverage: float = Field(ge=0, le=1)
    """Claims with at least one existing citation / claims; 1.0 when there is no claim."""
    against_own_words: int = Field(default=0, ge=0)
    """Of the supported, those that rest on the sources' own words alone."""
    against_summaries: int = Field(default=0, ge=0)
    """Of the supported, those that rest, in part at least, on a summary of ours. Of the others nobody has said whose
    words they rest on."""


class VerificationReport(Contract):
    """What the gate says of one text."""

    claims: tuple[ClaimVerdict, ...]
    scores: VerificationScores
