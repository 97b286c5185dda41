"""The question: what the user asked and what the query service understood of it. Owner: query.

Event `query-submitted` (a client, or the gateway for it -> query).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from openwork_contracts.enums import OpenEnum
from openwork_contracts.guidance import GuidanceAsked
from openwork_contracts.meta import Contract, Event, Route, RunId, Token
from openwork_contracts.text import DOOR, Text, Texts

MAX_QUESTION_CHARS = 1000
"""Longest question accepted; longer ones are rejected as `too_long`."""


class Track(OpenEnum):
    """Which side of the evidence a retrieval looks for. An answer has only the affirmative one."""

    AFFIRMATIVE = "affirmative"
    FALSIFICATION = "falsification"

    @property
    def in_words(self) -> str:
        """What a reader calls its search; one that is not known is called what it is."""
        return _TRACKS.get(self.value, f"{self.value.replace('_', ' ')} search")


_TRACKS = {"affirmative": "search for an effect", "falsification": "search for what speaks against it"}


class Intent(OpenEnum):
    """What the asker wants to know."""

    TREATMENT_GUIDELINE = "treatment_guideline"
    EFFICACY = "efficacy"
    """Whether a treatment works."""
    COMPARATIVE_ANALYSIS = "comparative_analysis"
    """Two alternatives set against each other."""
    MECHANISM = "mechanism"
    DOSING = "dosing"
    ADVERSE_EVENTS = "adverse_events"
    DIAGNOSTIC_CRITERIA = "diagnostic_criteria"
    DIAGNOSIS = "diagnosis"
    PROGNOSIS = "prognosis"
    SCREENING = "screening"


class EntityKind(OpenEnum):
    """What kind of thing a term of the question names."""

    DISEASE = "disease"
    DRUG = "drug"
    PROCEDURE = "procedure"


class Entity(Contract):
    """A disease, drug or procedure that the question names."""

    kind: EntityKind
    text: Text
    """The asker's words, exactly as in the question."""
    start: int = Field(ge=0)
    """Offset of the first character of `text` in the question."""
    end: int = Field(ge=1)
    """Offset after the last character."""
    name: Text
    """The preferred name, e.g. "Atrial Fibrillation"."""
    mesh_id: Text | None = None
    """MeSH descriptor or supplementary concept, e.g. "D001281"; `None` = not known."""
    synonyms: Texts = ()
    """Other names of the same thing, best known first; without `name` and `text`."""


class Abbreviation(Contract):
    """A short form in the question and what it stands for."""

    short: Text
    long: Text
    defined_in_question: bool = False
    """True when the question itself spelt it out: that definition wins over the table."""


class DrugNames(Contract):
    """What RxNorm, the US vocabulary of drugs, knows of a name in the question."""

    asked: Text
    """The name as it stands in the question."""
    rxcui: Text
    """RxNorm's concept."""
    ingredients: Texts = ()
    combination: Text | None = None
    """RxNorm's name of the combination, "sacubitril / valsartan"; `None` = a single ingredient, or none is given."""
    brands: Texts = ()
    classes: Texts = ()
    """Pharmacologic classes (ATC)."""

    @property
    def generic(self) -> str:
        """The name under which studies know it."""
        return self.combination or " / ".join(self.ingredients) or self.asked


class Respelling(Contract):
    """Words of the question that were read as others: a name misspelt by one letter, shorthand ("s/p" as after)."""

    typed: Text
    read: Text


class PopulationKind(OpenEnum):
    """In what way a term of the population restricts who is meant."""

    CONDITION = "condition"
    PROCEDURE = "procedure"
    DEVICE = "device"
    TREATMENT = "treatment"
    """On a drug or on dialysis, or not: "taking warfarin", "statin-naive"."""
    AGE = "age"
    MEASURE = "measure"
    """A figure measured on the person: "eGFR 30-50", "CHA2DS2-VASc score of 2 or more"."""
    STAGE = "stage"
    """A stage, class or grade: "stage 3b", "NYHA class III", "Child-Pugh B"."""
    PREGNANCY = "pregnancy"
    """Pregnancy, childbirth, breastfeeding."""
    PEOPLE = "people"
    """A group of people by what they are: women, nurses, veterans, Japanese."""
    SETTING = "setting"
    """A place: intensive care, primary care, a country."""
    TIME_COURSE = "time_course"
    """After or before something, acute, chronic, recurrent."""
    OTHER = "other"
    """The asker's words, of a kind that no list knows."""


class PopulationTerm(Contract):
    """One thing that restricts who a question is about. All terms of a question hold together but alternatives."""

    text: Text
    """The asker's words with what negates them: "without diabetes", "aged 82", "after hip fracture"."""
    start: int = Field(ge=0)
    """Offset of the first character of `text` in the question."""
    end: int = Field(ge=1)
    """Offset after the last character."""
    kind: PopulationKind
    wanted: bool = True
    """False: people are meant who do not have it: "without", "not on", "never", "non-", "-naive", "excluding"."""
    name: Text | None = None
    """The preferred name of what the term names, e.g. "Diabetes Mellitus"; `None` = no list knows it."""
    mesh_id: Text | None = None
    """MeSH descriptor or supplementary concept; `None` = not known."""
    measure: Text | None = None
    """Of figures: what is measured, e.g. "age", "eGFR", "creatinine clearance", "LVEF"; `None` = no figure."""
    low: float | None = None
    """Lowest value meant, in `unit`; `None` = no lower bound, or no figure."""
    high: float | None = None
    """Highest value meant, in `unit`; `None` = no upper bound, or no figure. Bounds count as included."""
    unit: Text | None = None
    """Unit of the bounds: "years" for every age, else as the quantities are written: "mL/min", "%", "kg/m2"."""
    alternative_to: int | None = None
    """`start` of the first of the terms of which any is meant: "after a DVT or PE"; `None` = this one has to hold."""
    is_detail: bool = False
    """Told of one person before the question is asked, and no more than a detail ("CRP 30", "on aspirin"): a source
    that says nothing of it is of wider people."""


class Pico(Contract):
    """The question's slots. An empty slot was not found in the question, which is not "none"."""

    population: Texts = ()
    intervention: Texts = ()
    comparison: Texts = ()
    outcome: Texts = ()
    people: tuple[PopulationTerm, ...] = ()
    """Who the question is about, read in full: `population` with polarity, figures and the words that no list knows."""
    times: Texts = ()
    """When an outcome is asked about: "at 90 days", "within 48 hours", "long-term"."""
    doses: Texts = ()
    """How much of a treatment is asked about: "80 mg", "low-dose aspirin"."""


class QuestionAnalysis(Contract):
    """What the query service understood of the question."""

    question: Text
    """The user's words without markup, quotation marks straight, white space folded, in the order in which they are
    read (`openwork_language.asking.word_order`); no word that tells anything is changed but those of `respelt`."""
    intent: Intent
    entities: tuple[Entity, ...] = ()
    respelt: tuple[Respelling, ...] = ()
    """Misspelt names; the answer says how they were read."""
    drug_names: tuple[DrugNames, ...] = ()
    """Names that no table of ours had and that RxNorm knows; each is an entity too."""
    abbreviations: tuple[Abbreviation, ...] = ()
    pico: Pico = Pico()
    search_variants: Annotated[tuple[str, ...], Field(min_length=3, max_length=5), DOOR]
    """Different wordings of the question for search engines; each names every entity in some form."""
    temporal_markers: Texts = ()
    """Words that ask for recent evidence, e.g. "2024", "latest"."""
    recent_since_year: int | None = None
    """Evidence from this year on was asked for; `None` = not asked."""
    from_year: int | None = None
    """The first year of publication that its asker chose, who wants no older works; `None` = any."""
    to_year: int | None = None
    """The last one."""
    guidance: GuidanceAsked | None = None
    """Whose guidelines are asked for; `None` = nobody's in particular."""
    complexity: float = Field(ge=0, le=1)
    """0-0.5 simple, 0.5-0.8 moderate, 0.8-1 several domains."""
    sources: Annotated[tuple[Route, ...], Field(min_length=1)]
    """Sources to be searched, by route."""

    @property
    def since_year(self) -> int | None:
        """What searches are confined to: the later of the question's year and the asker's choice."""
        return max(filter(None, (self.recent_since_year, self.from_year)), default=None)


class RejectionReason(OpenEnum):
    """Why a question is not searched for."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    NOT_BIOMEDICAL = "not_biomedical"
    INSTRUCTION = "instruction"
    """An attempt to instruct the system instead of asking a question."""
    PERSONAL_ADVICE = "personal_advice"
    """Asks what a particular person should do about their own health."""
    NOT_ENGLISH = "not_english"
    """In another language, which neither the question's reader nor the searches know."""
    HARMFUL = "harmful"
    """Asks how to hurt somebody, oneself included, or how to make what does."""
    INCOMPLETE = "incomplete"
    """Names nothing of what it asks about ("and its side effects?"); the message says what is missing."""


Year = Annotated[int, Field(ge=1800, le=2200)]
"""A bound of the years of publication that an asker chooses."""


def years_in_words(first: int | None, last: int | None) -> str:
    """Years of publication: "2015 to 2020", "2015 or later"; empty = any."""
    if first and last:
        return f"{first} to {last}"
    return f"{first} or later" if first else f"{last} or before" if last else ""


class AskOptions(Contract):
    """What a client may choose for its run. Everything has a default."""

    sources: tuple[Route, ...] | None = None
    """Search these and no others; `None` = the query service decides."""
    deadline_s: float | None = Field(default=None, gt=0, le=3600)
    """Seconds within which the run must end; `None` = the service's setting."""
    from_year: Year | None = None
    """Only works published in this year or later; `None` = of any. A work of which no year is known is kept."""
    to_year: Year | None = None
    """Only works published in this year or before."""
    max_studies: int | None = Field(default=None, ge=1, le=200)
    """Of a review: most studies that are read in full; `None` = the screener's setting. An answer does not read it."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_year and self.to_year and self.from_year > self.to_year:
            raise ValueError(f"from_year {self.from_year} is after to_year {self.to_year}; no work is of both")
        return self


class AskContext(Contract):
    """What a question belongs to: a conversation, an earlier run, collections of the asker's own documents."""

    conversation_id: Text | None = None
    turn: int | None = Field(default=None, ge=1)
    """Place in the conversation, from 1."""
    parent_run: RunId | None = None
    """The run that this question follows up."""
    standalone_question: Annotated[str, StringConstraints(max_length=20_000), DOOR] | None = None
    """The question with what it takes from the conversation written out; `None` = it stands alone."""
    collections: Texts = ()
    """Collections of documents to search besides the sources."""


class QuerySubmitted(Event):
    """A question was admitted: the start of every run. Published by the gateway alone, once the door has let it in.

    Whoever asks publishes an `AskRequest` to its inbox, or sends it to `openwork.ask`.
    """

    event_name: ClassVar[str] = "query-submitted"

    question: Annotated[str, StringConstraints(max_length=20_000), DOOR]
    """Anything a person typed; judged by the query service. The bound only keeps the message small."""
    options: AskOptions = AskOptions()
    context: AskContext | None = None


class AskRequest(Contract):
    """What an asker publishes to `openwork.inbox.<run_id>`, or sends to `openwork.ask`: JSON, plain or in zstd."""

    question: Annotated[str, StringConstraints(max_length=20_000), DOOR]
    pipeline: Token = "answer"
    """The kind of run; one that is not installed is refused with the list of those that are."""
    options: AskOptions = AskOptions()
    context: AskContext | None = None
    run_id: RunId | None = None
    """A client may bring its own, so that asking again is the same run; `None` = one is made."""
    on_behalf_of: Token | None = None
    """The person who asks, as the HTTP API has authenticated them; refused from every other account."""


class AskReply(Contract):
    """What `openwork.ask` replies: the run, or why there is none."""

    run_id: RunId | None = None
    history: Text | None = None
    """Not given any more: who asks cannot read the services' stream; see `openwork.events`."""
    end: Text | None = None
    """Not given any more: the end is told on `results`."""
    progress: Text | None = None
    """Not given any more: progress is told on `results`."""
    results: Text | None = None
    """Subject on which the asker hears of the run: progress, then the document."""
    waiting: bool = False
    """True when it waits for its turn; its deadline counts already."""
    already_known: bool = False
    """True when that run id was submitted before: it is the same run."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds from the question within which the run ends in any case."""
    error: Text | None = None
    """Plain words: what was wrong with the request."""
    error_type: Text | None = None
    """The same for programs: a name of `errors.py`, e.g. "UsageError", "Busy"."""
    retry_after_s: float | None = Field(default=None, ge=0)
    """When busy: seconds after which asking again may be admitted."""
