"""Evidence: what sources said, in one shape. Owner: retrievers (records), normaliser (candidates).

Event `evidence-normalised`, version 1; read by the reranker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import AwareDatetime, Field, StringConstraints

from openwork_contracts.enums import OpenEnum
from openwork_contracts.errors import FailureReason
from openwork_contracts.guidance import GuidelineFacts
from openwork_contracts.meta import Contract, Event, Route
from openwork_contracts.tables import Table
from openwork_contracts.text import DOOR, Text, Texts

Pmid = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,8}$")]
Pmcid = Annotated[str, StringConstraints(pattern=r"^PMC[1-9][0-9]{0,9}$")]
Doi = Annotated[str, StringConstraints(pattern=r"^10\.[0-9]{4,9}/\S+$", to_lower=True), DOOR]
"""Lower case: DOIs are compared without regard to case (DOI Handbook 2.4)."""
NctId = Annotated[str, StringConstraints(pattern=r"^NCT[0-9]{8}$")]


class EvidenceStatus(OpenEnum):
    """What has become of a publication since it appeared."""

    NONE = "none"
    """Checked: no notice known."""
    CORRECTED = "corrected"
    CONCERN = "concern"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"
    NOT_CHECKED = "not_checked"
    """Nobody looked, which is not `none`."""


class StudyDesign(OpenEnum):
    """How the evidence was made; in the usual order of a hierarchy of evidence."""

    GUIDELINE = "guideline"
    META_ANALYSIS = "meta_analysis"
    SYSTEMATIC_REVIEW = "systematic_review"
    RCT = "rct"
    CLINICAL_TRIAL = "clinical_trial"
    """A trial not known to be randomised."""
    COHORT = "cohort"
    CASE_CONTROL = "case_control"
    CROSS_SECTIONAL = "cross_sectional"
    OBSERVATIONAL = "observational"
    """Observational, its kind not said."""
    CASE_REPORT = "case_report"
    REVIEW = "review"
    """A narrative review."""
    TRIAL_REGISTRATION = "trial_registration"
    DRUG_LABEL = "drug_label"
    PREPRINT = "preprint"
    ANIMAL_OR_IN_VITRO = "animal_or_in_vitro"
    EDITORIAL = "editorial"
    """Editorial, comment, letter, news."""
    NOTICE = "notice"
    """A retraction, correction or expression of concern: about evidence, never evidence."""
    WEB_PAGE = "web_page"
    OTHER = "other"


class TextOrigin(OpenEnum):
    """Whose words a text is. Only a source's own words are a quotation."""

    UNKNOWN_ORIGIN = "unknown"
    """Not said, which is not `publisher`."""
    PUBLISHER = "publisher"
    """Abstract or full text as published."""
    REGISTRY = "registry"
    """A trial registry's entry."""
    LABEL = "label"
    """An approved drug label."""
    PREPRINT = "preprint"
    OUR_SUMMARY = "our_summary"
    """A summary of a named publication, written for the starter library: not the paper's words."""
    WEB_PAGE = "web_page"
    USER_DOCUMENT = "user_document"
    """A document of the asker's own, or a record of a file that somebody imported."""
    DATABASE = "database"
    """An entry of a database that is none of these: counts of reports, names of drugs."""


class LibraryRef(Contract):
    """A record of the starter library: travels by name, since every service has the library."""

    version: Text
    """Version of the library that the record was read from; a reader with another one refuses it."""
    record_id: Text


class Identifiers(Contract):
    """Every identifier known for one work. Strings, never numbers."""

    pmid: Pmid | None = None
    pmcid: Pmcid | None = None
    doi: Doi | None = None
    nct_ids: tuple[NctId, ...] = ()
    set_id: Text | None = None
    """DailyMed SPL set id."""
    openalex_id: Text | None = None
    semantic_scholar_id: Text | None = None
    isbn: Text | None = None
    url: Text | None = None
    """http(s) address a reader can open."""


class AbstractPart(Contract):
    """One labelled part of an abstract or of another text that a source gives whole."""

    label: Text | None = None
    """As the source prints it, e.g. "RESULTS"; `None` = unlabelled."""
    text: Text
    table: Table | None = None
    """Of a part that is a table: its cells. `text` then has a line per row, each value after the headings above it."""


class Measured(Contract):
    """What was measured in one arm: a mean, a median, a rate, with how much it varies, as the source gives it."""

    value: float
    """In `unit`; any number, a change from baseline may be negative."""
    kind: Text | None = None
    """mean, median, least squares mean, geometric mean, log mean, number or the source's own word."""
    unit: Text | None = None
    dispersion: Text | None = None
    """SD, SE, "95% CI", "Inter-Quartile Range", "Full Range" or the source's own word."""
    spread: float | None = None
    """Of a dispersion that is one number: SD, SE."""
    low: float | None = None
    high: float | None = None


class ArmResult(Contract):
    """One arm of a trial for one outcome. Counts are people, events are people with at least one event."""

    arm: Text
    n: int | None = Field(default=None, ge=0)
    events: int | None = Field(default=None, ge=0)
    measured: Measured | None = None
    """Of an outcome that is measured and not counted, or given as a share or a rate."""


class EffectEstimate(Contract):
    """A relative or absolute effect with its interval, as reported."""

    measure: Text
    """HR, RR, OR, RD, IRR, MD, SMD; RRR or VE, a relative reduction in percent; or the source's own word."""
    estimate: float
    """A risk difference is a share of one: -0.0632, not -6.32 percentage points."""
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = Field(default=0.95, gt=0, lt=1)
    """Confidence level of the interval; `None` = there is no interval, or its level is not said."""
    p_value: Text | None = None
    """As printed, e.g. "0.01" or "<0.001"."""
    tested: Text | None = None
    """What the analysis tested: superiority, non-inferiority, equivalence; `None` = not said."""
    margin: Text | None = None
    """The margin of a test of non-inferiority or equivalence, in the source's words."""


class OutcomeResult(Contract):
    """One outcome at one time point: the counts of the arms and the effect."""

    outcome: Text
    time_point: Text | None = None
    arms: tuple[ArmResult, ...] = ()
    """Experimental first, control second."""
    effect: EffectEstimate | None = None
    harm: bool = False
    """The source lists it as an unwanted effect of what was tested, or as the absence of one."""
    analysis: Text | None = None
    """The set that was analysed, in the source's words: "per protocol"; `None` = not told."""


class TrialArm(Contract):
    """One arm as randomised or compared."""

    name: Text
    n: int | None = Field(default=None, ge=0)


class Recommendation(Contract):
    """What a guideline recommends, with its own grading."""

    text: Text
    strength: Text | None = None
    """strong or weak (GRADE), or the guideline's own word."""
    class_of_recommendation: Text | None = None
    """I, IIa, IIb, III."""
    level_of_evidence: Text | None = None
    text_origin: TextOrigin | None = None
    """`None` = as the other recommendations of its work: `EvidenceCandidate.structured_origin`."""
    number: Text | None = None
    """As the guideline counts it: "1.2.3", "R4"."""
    locator: Text | None = None
    """Where it stands, in words: "section 9.1", "Table 4"; `None` = not known."""
    page: int | None = Field(default=None, ge=1)
    """Page of the document that it was read from, counted from 1."""


class NoticeLink(Contract):
    """A link between a notice (or a preprint, or a registration) and the work it is about."""

    kind: Text
    """retraction_of, correction_of, concern_about, retracted_by, corrected_by, concern_in, preprint_of,
    published_version_of, registered_as, reported_in, update_of, updated_by, republication_of, co_published_as."""
    pmid: Pmid | None = None
    doi: Doi | None = None
    nct_id: NctId | None = None


class StatusReport(Contract):
    """What one of those who were asked says of a work's status."""

    by: Text
    """A source by name, "crossref", "crossref: retraction-watch" (its answer, told by Retraction Watch), or
    "retraction-watch" (the file that was imported)."""
    status: EvidenceStatus
    notice: Doi | None = None
    """DOI of the notice, where it has one."""


class EvidenceRecord(Contract):
    """One citable record as one source gave it; `text_origin` says whose words its text is. Never a model's."""

    source: Route
    """Open set, e.g. "pubmed"; a reader that does not know the name treats it as any other."""
    source_id: Text
    """The identifier within the source: a PMID, an NCT number, a set id, a URL."""
    library: LibraryRef | None = None
    """Set on a record that travels by name: all but `source`, `source_id` and `retrieved_at` is in the library."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    identifiers: Identifiers = Identifiers()
    title: Text = ""
    abstract: tuple[AbstractPart, ...] = ()
    authors: Texts = ()
    """"Family I" as PubMed prints them, in order; may be only the first few."""
    collective_author: Text | None = None
    journal: Text | None = None
    year: int | None = Field(default=None, ge=1600, le=2100)
    """Year of first publication; `None` = not given."""
    publication_types: Texts = ()
    mesh_terms: Texts = ()
    language: Text | None = None
    study_design: StudyDesign | None = None
    """Only where the source itself is of one design (a label, a registration); else the normaliser decides."""
    sample_size: int | None = Field(default=None, ge=1)
    """People analysed. `None` = not reported, which is not zero."""
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED
    links: tuple[NoticeLink, ...] = ()
    arms: tuple[TrialArm, ...] = ()
    results: tuple[OutcomeResult, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    guideline: GuidelineFacts | None = None
    """Of a guideline: whose it is, of which country, which edition; `None` = it is none, or nobody has said."""
    funding: Text | None = None
    cited_by_count: int | None = Field(default=None, ge=0)
    open_access: bool | None = None
    retrieved_at: AwareDatetime


class Provenance(Contract):
    """Where a candidate was found. A candidate that five sources gave has five of these."""

    source: Route
    source_id: Text
    rank: int = Field(ge=1)
    """Place in that source's result, 1 = first."""
    retrieved_at: AwareDatetime


class EvidenceCandidate(Contract):
    """One work, whatever number of sources gave it."""

    candidate_id: Text
    """Stable within and across runs: `pmid:21870978`, else `doi:`, `pmcid:`, `nct:`, `set:`, `url:`, or a hash of title
    and year."""
    library: LibraryRef | None = None
    """Set on a candidate that travels by name: fields that have their default are in the library's record."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words the abstract is."""
    structured_origin: TextOrigin | None = None
    """Whose words `arms`, `results` and `recommendations` are; `None` = as `text_origin`."""
    our_summary: LibraryRef | None = None
    """The starter library's summary of the work, where `abstract` is the work's own text instead."""
    identifiers: Identifiers = Identifiers()
    title: Text = ""
    abstract: tuple[AbstractPart, ...] = ()
    authors: Texts = ()
    collective_author: Text | None = None
    journal: Text | None = None
    year: int | None = Field(default=None, ge=1600, le=2100)
    publication_types: Texts = ()
    mesh_terms: Texts = ()
    study_design: StudyDesign = StudyDesign.OTHER
    sample_size: int | None = Field(default=None, ge=1)
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED
    """The worst of `status_reports`."""
    status_reports: tuple[StatusReport, ...] = ()
    """Who was asked for notices about it and answered, each with what it says; empty = nobody, or a service older than
    the field."""
    links: tuple[NoticeLink, ...] = ()
    arms: tuple[TrialArm, ...] = ()
    results: tuple[OutcomeResult, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    guideline: GuidelineFacts | None = None
    """Of a guideline: whose it is, of which country, which edition; `None` = it is none, or nobody has said."""
    funding: Text | None = None
    cited_by_count: int | None = Field(default=None, ge=0)
    provenance: Annotated[tuple[Provenance, ...], Field(min_length=1)]

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that gave it, each once, in order of first appearance."""
        return tuple(dict.fromkeys(p.source for p in self.provenance))


class SourceStatus(OpenEnum):
    """How the search of one source ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    MISSED_DEADLINE = "missed_deadline"


class SourceReport(Contract):
    """What one source contributed to one round."""

    name: Route
    status: SourceStatus
    found: int = Field(default=0, ge=0)
    """Records it returned."""
    kept: int = Field(default=0, ge=0)
    """Candidates that have it in their provenance after deduplication and exclusions."""
    elapsed_s: float | None = Field(default=None, ge=0)
    reason: FailureReason | None = None
    message: Text | None = None
    degradations: Texts = ()


class PrismaCounts(Contract):
    """Records through the run, after the PRISMA 2020 flow diagram. The numbers add up; a test holds that.

    identified = duplicates + excluded_notices + excluded_no_text + excluded_superseded + screened
    """

    identified: int = Field(ge=0)
    duplicates: int = Field(ge=0)
    excluded_notices: int = Field(ge=0)
    """Retraction and correction notices, linked to their works instead."""
    excluded_no_text: int = Field(ge=0)
    """No title, or nothing to read and nowhere to look for a full text."""
    excluded_superseded: int = Field(default=0, ge=0)
    """Older versions of Cochrane reviews of which a newer one was found."""
    screened: int = Field(ge=0)
    """Candidates handed to the reranker; those without an abstract are screened by their title."""


class RecordClass(Contract):
    """Records of one source that are trusted and ranked otherwise than the rest, by what they say of themselves."""

    name: Text
    """For people, e.g. "guidelines"."""
    publication_types: Texts = ()
    """Any of these, as the source prints them; upper and lower case are the same."""
    journals: Texts = ()
    """Or any of these journals."""
    trust_tier: int = Field(default=2, ge=1, le=4)
    """As in `SourcePolicy`, here and below."""
    top_k: int = Field(default=50, ge=0)
    minimum_score_factor: float = Field(default=1.0, ge=0.0, le=2.0)

    def holds(self, publication_types: Sequence[str], journal: str | None) -> bool:
        """Whether a record of these types and this journal is of the class."""
        types = {name.casefold() for name in publication_types}
        in_journal = journal is not None and journal.casefold() in map(str.casefold, self.journals)
        return in_journal or any(name.casefold() in types for name in self.publication_types)


class SourcePolicy(Contract):
    """How far the records of one source are trusted, what is read of them, and how many go on. From its registry entry.

    The retriever sends it with what it found, so that a source is described in one place only.
    """

    trust_tier: int = Field(default=2, ge=1, le=4)
    """1 = guideline, systematic review or label; 2 = indexed literature and registrations; 3 = aggregators and
    preprints; 4 = the web. Decides whose bibliographic data wins, and between equal scores."""
    top_k: int = Field(default=50, ge=0)
    """Most candidates of this source that may be shortlisted; a candidate of several sources takes one place. 0 =
    reference beside the evidence (counts of reports, bare bibliography), never ranked with it."""
    minimum_score_factor: float = Field(default=1.0, ge=0.0, le=2.0)
    """The source's minimum score as a share of the general one: lower where texts are short or worded otherwise."""
    read_labels: Texts = ()
    """Read the parts of a text whose label holds one of these words; empty = all, and all when none is there."""
    read_chars: int = Field(default=1500, ge=1)
    """Characters of text read for the ranking of documents: about 300 words, a whole abstract."""
    classes: tuple[RecordClass, ...] = ()
    """Its records that have numbers of their own, e.g. guidelines among the articles; the first that holds counts."""

    def class_of(self, publication_types: Sequence[str], journal: str | None) -> RecordClass | None:
        """The class of a record of this source; `None` = as the policy says of all."""
        return next((one for one in self.classes if one.holds(publication_types, journal)), None)


class ExcludedKind(OpenEnum):
    """At which count a work went out before anything was ranked."""

    NO_TEXT = "no_text"
    SUPERSEDED = "superseded"
    """An older version of a Cochrane review of which a newer one was found."""


class ExcludedWork(Contract):
    """A work that went out before anything was ranked, by its name."""

    candidate_id: Text
    title: Text = ""
    identifiers: Identifiers = Identifiers()
    year: int | None = Field(default=None, ge=1600, le=2100)
    provenance: tuple[Provenance, ...] = ()
    reason: Text
    """Why, in plain words."""
    kind: ExcludedKind = ExcludedKind.NO_TEXT


class EvidenceNormalised(Event):
    """Everything found in a round, each work once."""

    event_name: ClassVar[str] = "evidence-normalised"

    candidates: tuple[EvidenceCandidate, ...]
    """In order of the best rank any source gave them; of all rounds so far."""
    sources: tuple[SourceReport, ...]
    counts: PrismaCounts
    policies: Mapping[Route, SourcePolicy] = Field(default_factory=dict)
    """Of the sources that answered, in this round and before; one that is missing is treated as `SourcePolicy()`."""
    excluded: tuple[ExcludedWork, ...] = ()
    """The works counted in `excluded_no_text` and `excluded_superseded`, of all rounds so far; of those without text
    the first 200 of a round where there are more."""
    degradations: Texts = ()
