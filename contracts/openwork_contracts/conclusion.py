"""The answer object: what was found of each asked comparison, outcome and people, before any prose. Owner: synthesiser.

Part of `answer-drafted` and of the document. Every sentence of the direct answer is a form filled from it; the verifier
makes it once more from the same evidence. Figures are the sources' own; what is computed from them says so.
"""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.evidence import EffectEstimate, StudyDesign, TextOrigin
from openwork_contracts.guidance import CountryCode
from openwork_contracts.meta import Contract
from openwork_contracts.text import Text, Texts


class ConclusionVerdict(OpenEnum):
    """What the evidence found says to the question."""

    BENEFIT = "benefit"
    HARM = "harm"
    LITTLE_OR_NO_DIFFERENCE = "little_or_no_difference"
    """The whole interval lies inside the stated threshold."""
    NOT_SHOWN = "not_shown"
    """The interval holds no difference and more than the threshold on a side: too few events to tell."""
    NONINFERIOR = "noninferior"
    """As the source says it, with its margin; never "equivalent"."""
    CONFLICTING = "conflicting"
    """Two results of the same question oppose each other."""
    DIFFERS = "differs"
    """A difference whose worth code cannot tell: whether more of the outcome is good or bad is not known."""
    NOT_FOUND = "not_found"
    """Nothing about these people, this treatment or this outcome was found in what was searched."""
    TOO_LITTLE = "too_little"
    """Something about them was found, and no result."""
    RECOMMENDATION = "recommendation"
    """What a guideline recommends."""
    DESCRIPTION = "description"
    """Compares nothing: a dose, a frequency, a mechanism, a criterion."""


class Fit(OpenEnum):
    """How what a result is of stands to what was asked."""

    ASKED = "asked"
    WIDER = "wider"
    """It holds what was asked and more: a composite with the outcome in it, people among whom are those asked about."""
    PART = "part"
    """A part of what was asked: a kind of the outcome, some of the people."""
    NOT_TOLD = "not_told"
    OTHER = "other"


class ArmFigures(Contract):
    """One arm's figures, as the source gives them."""

    name: Text
    n: int | None = Field(default=None, ge=0)
    events: int | None = Field(default=None, ge=0)
    percent: Text | None = None
    """As printed; `None` = not printed, see `events`."""
    per: Text | None = None
    """Person-time, where the figure is a rate: "100 person-years"; such a figure is no proportion."""
    measured: Text | None = None
    """What was measured and not counted, as printed with its unit: "3 days"."""


class AbsoluteEffect(Contract):
    """People per 1,000, computed from the counts of two arms; negative = fewer events with the tested arm."""

    per_1000: float
    """In [-1000, 1000], rounded to whole people; decimals only where rounding would hide what the interval says."""
    low: float
    """The end of its interval with fewer events in the tested arm, rounded alike; at most `per_1000`."""
    high: float
    """The end with more, at least `per_1000`; no difference is shown where 0 lies between the two."""
    words: Text
    """"22 fewer per 1,000 (3 to 41)"."""
    number_needed: Text | None = None
    """"NNT 45 (25 to 289)" or "NNH 14 (7 to 173)"; `None` where the interval holds no difference, or it is not known
    whether more of the outcome is good or bad."""
    method: Text
    """"Newcombe from crude counts at the trial's follow-up"."""


class NoninferiorityTest(Contract):
    """A test of whether the tested arm is not worse than the other by more than a margin, and what it came to."""

    met: bool | None = None
    """Whether it was shown; `None` = not told, or the source's words and its interval disagree."""
    margin: Text | None = None
    """"a hazard ratio of 1.25", "10 percentage points"; `None` = not stated in what was found."""
    by_interval: bool | None = None
    """Whether the interval keeps to the margin on the worse side; `None` = one of the two is not known."""
    by_source: bool | None = None
    """What the source's own words say; `None` = nothing."""
    analysis: Text | None = None
    """The set that was analysed, as printed; `None` = not told."""


class StudyResult(Contract):
    """One result of one source: what was compared, of whom, for which outcome, and the figures."""

    n: int = Field(ge=1)
    """Citation number of the source."""
    study: Text
    """How the source is called in a table: the trial's name or the first author, and the year."""
    year: int | None = None
    design: StudyDesign = StudyDesign.OTHER
    comparison: Texts = ()
    """The tested arm first, then the comparator; empty = not read."""
    comparison_fit: Fit = Fit.NOT_TOLD
    outcome: Text
    outcome_fit: Fit = Fit.NOT_TOLD
    components: Texts = ()
    """Of a composite outcome; empty = it is none."""
    people: Text | None = None
    """Whom the result is of, in the source's words; `None` = all of the source's people."""
    people_fit: Fit = Fit.NOT_TOLD
    is_subgroup: bool = False
    n_studied: int | None = Field(default=None, ge=1)
    """People whom the source studied in all, by its arms or its own words; `None` = it does not tell."""
    time: Text | None = None
    analysis: Text | None = None
    """"per protocol", "on treatment", as printed."""
    arms: tuple[ArmFigures, ...] = ()
    """In the order of `comparison`."""
    effect: EffectEstimate | None = None
    absolute: AbsoluteEffect | None = None
    """`None` = counts of both arms are not published, or they and the effect disagree about no difference."""
    bad: bool | None = None
    """Whether more of the outcome is bad; `None` = not known."""
    harm: bool = False
    """The source lists it as an unwanted effect of what was tested, or as the absence of one."""
    verdict: ConclusionVerdict = ConclusionVerdict.TOO_LITTLE
    """Of this result alone."""
    noninferiority: NoninferiorityTest | None = None
    """`None` = it was not tested, or the arms stand the other way round than in the test."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    passage_id: Text | None = None
    """Where the figures stand in words; `None` = in the source's table of results alone."""
    quote: Text | None = None
    """The words of that passage."""


class NearestSentence(Contract):
    """A sentence of a source, as it stands there, that comes near to a question nothing answers."""

    n: int = Field(ge=1)
    """Citation number of the source."""
    passage_id: Text
    text: Text
    without: Texts = ()
    """What was asked that its source does not tell, in the asker's words: terms for people first."""
    study: Text | None = None
    """What its source is called in a table; `None` = it stands in none."""


class GuidelineStatement(Contract):
    """What a guideline says, with its own grading."""

    n: int = Field(ge=1)
    body: Text
    year: int | None = None
    text: Text
    class_of_recommendation: Text | None = None
    level_of_evidence: Text | None = None
    strength: Text | None = None
    country: CountryCode | None = None
    """Of the body that issued it; `None` = not known."""
    place: int = Field(default=0, ge=0)
    """0 = of a country or body that was asked for, or none was; 1 = international beside it; 2 = of another country."""
    locator: Text | None = None
    """Where it stands in the guideline, in words."""
    page: int | None = Field(default=None, ge=1)
    superseded_by: Text | None = None
    """The edition that took its place; `None` = none is known. Told beside it: such a one is never given as current."""


class Regimen(Contract):
    """What one study gave, of a question for a dose or for what was compared."""

    n: int = Field(ge=1)
    study: Text
    arms: Texts
    """As the source names them, the tested one first: with dose, route and time."""
    people: int | None = Field(default=None, ge=1)
    """In all arms."""
    time: Text | None = None
    """When its first result was looked at, as the source has it."""


class Asked(Contract):
    """What was asked, as it was read; the asker's words."""

    intervention: Texts = ()
    comparison: Texts = ()
    outcome: Texts = ()
    people: Texts = ()
    doses: Texts = ()
    """Figures of the doses in which the treatments were asked about: "110"; empty = in none in particular."""
    yes_or_no: bool = False
    direction: Text | None = None
    """lower, higher, better, worse: what is asked whether the treatment does; "as good": whether it is no worse than
    the other; `None` = not told."""


class Conclusion(Contract):
    """The answer before its words."""

    verdict: ConclusionVerdict
    asked: Asked = Asked()
    lead: StudyResult | None = None
    """The result that the verdict rests on."""
    others: tuple[StudyResult, ...] = ()
    """Further results of the asked comparison and outcome, or of the composite that holds it; best first."""
    harms: tuple[StudyResult, ...] = ()
    harm_words: Text | None = None
    """A sentence of a cited source about harms, where no figures were found."""
    harm_n: int | None = Field(default=None, ge=1)
    guidelines: tuple[GuidelineStatement, ...] = ()
    regimens: tuple[Regimen, ...] = ()
    """Of a question for a dose: what the studies about it gave; best evidence first."""
    conflicts: tuple[StudyResult, ...] = ()
    """Results that oppose `lead` on the same question."""
    people_told: Texts = ()
    """Of the asked people, the terms that the leading result is of; the asker's words."""
    people_wider: Texts = ()
    """Those that it holds among others and does not tell apart."""
    nearest: tuple[StudyResult, ...] = ()
    """What stands nearest to a question that nothing answers: of other people, or of what it asks in words of its own.

    No verdict follows from it. It is told where the verdict is NOT_FOUND, and what of it is of the works of a
    DESCRIPTION stands in its table.
    """
    nearest_without: Texts = ()
    """What was asked that `nearest` says nothing of, in the asker's words: terms for people first."""
    nearest_harms: tuple[StudyResult, ...] = ()
    """Harms that the studies of `nearest` report besides."""
    nearest_sentences: tuple[NearestSentence, ...] = ()
    """What stands nearest in words, where no result of `nearest` is of an asked outcome. No verdict follows from it."""
    likely: tuple[StudyResult, ...] = ()
    """Where no result leads, those that are likely to be asked for, of all that was found. They stand in the table, and
    no verdict follows from them."""
    in_words: NearestSentence | None = None
    """Beside an answer, or first in an extractive one in words, the sentence that is likely to be asked for; `None` =
    what leads surely is, or none is."""
    in_words_besides: tuple[NearestSentence, ...] = ()
    """Beside an answer of which it is not likely that what leads is asked for, further sentences that may be: in the
    table, or in an extractive answer behind `in_words`."""
    about: tuple[int, ...] = ()
    """Citation numbers of the sources in which a sentence is about the question."""
    missing: Texts = ()
    """What of the question nothing found speaks of, in words that finish "the evidence found contains no ..."."""
    untold: Texts = ()
    """Outcomes asked about together with the one that leads of which nothing stands beside it; the asker's words."""
    n_studies: int = Field(default=0, ge=0)
    """Sources of the asked comparison and outcome."""
    n_people: int | None = None
    n_events: int | None = None
    newest_year: int | None = None

    @property
    def results(self) -> tuple[StudyResult, ...]:
        """Every result that it holds, in the order in which it tells them."""
        lead = (self.lead,) if self.lead else ()
        near = (*self.nearest_told, *self.nearest_described)
        return (*lead, *self.conflicts, *self.others, *self.harms, *near, *self.likely, *self.harms_near)

    @property
    def nearest_told(self) -> tuple[StudyResult, ...]:
        """`nearest` where it is told as such: beside an answer, be it in a source's words, it is not."""
        return self.nearest if self.verdict is ConclusionVerdict.NOT_FOUND else ()

    @property
    def sentences_told(self) -> tuple[NearestSentence, ...]:
        """`nearest_sentences` where they are told: beside an answer they are not."""
        return self.nearest_sentences if self.verdict is ConclusionVerdict.NOT_FOUND else ()

    @property
    def tells_nearest(self) -> bool:
        """Whether something stands nearest to a question that nothing answers."""
        return bool(self.nearest_told or self.sentences_told)

    @property
    def nearest_described(self) -> tuple[StudyResult, ...]:
        """What of `nearest` stands in the table of a description: of works that it tells of, the asked outcome; where a
        work has no such result, what else it found."""
        if self.verdict is not ConclusionVerdict.DESCRIPTION:
            return ()
        asked = {r.n for r in self.nearest if r.outcome_fit is not Fit.OTHER}
        return tuple(
            r for r in self.nearest if r.n in self.about and (r.outcome_fit is not Fit.OTHER or r.n not in asked)
        )

    @property
    def harms_near(self) -> tuple[StudyResult, ...]:
        """`nearest_harms` of the studies that are told of."""
        told = {r.n for r in (*self.nearest_told, *self.nearest_described)}
        return tuple(r for r in self.nearest_harms if r.n in told)

    @property
    def sources(self) -> frozenset[int]:
        """Citation numbers of everything that the answer may rest on."""
        return self.sources_read | {*(r.n for r in self.likely), *(s.n for s in self.sentences_beside)}

    @property
    def sentences_beside(self) -> tuple[NearestSentence, ...]:
        """The sentences that stand beside an answer, the likeliest to be asked for first."""
        return (*((self.in_words,) if self.in_words else ()), *self.in_words_besides)

    @property
    def sources_read(self) -> frozenset[int]:
        """Those that answer by what was read of the question: of one that is merely likely no more is said."""
        rows = self.model_copy(update={"likely": ()}).results
        given = (*(g.n for g in self.guidelines), *(r.n for r in self.regimens), *(s.n for s in self.sentences_told))
        return frozenset((*(r.n for r in rows), *given, *self.about))
