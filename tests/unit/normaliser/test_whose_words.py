"""Of several texts of one work: its own takes the place of our summary, and whose words each is stays known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceRecord,
    Identifiers,
    StudyDesign,
    TextOrigin,
)
from openwork_evidence.library.references import (
    library_version,
    recommending_summary,
    referred_candidate,
    resolved_candidate,
    shipped,
)
from openwork_evidence.text import abstract_text
from openwork_normaliser.domain.normalise import SourceBatch, normalise

AT = datetime(2026, 1, 1, tzinfo=UTC)
TRIAL = shipped()["dapa-hf-2019"]
GUIDELINE = next(record for record in shipped().values() if record.recommendations and record.identifiers.pmid)
OWN = "In people with heart failure dapagliflozin lowered worsening of it or death from cardiovascular causes. " * 3


def of(record: EvidenceRecord, source: str, text: str, origin: TextOrigin) -> EvidenceRecord:
    """The same work as another source gives it."""
    ids = Identifiers(pmid=record.identifiers.pmid, doi=record.identifiers.doi)
    return EvidenceRecord(
        source=source,
        source_id=f"{source}-1",
        identifiers=ids,
        title=record.title,
        authors=record.authors,
        year=record.year,
        abstract=(AbstractPart(text=text),) if text else (),
        text_origin=origin,
        retrieved_at=AT,
    )


def one(*records: EvidenceRecord, previous: tuple[EvidenceCandidate, ...] = ()) -> EvidenceCandidate:
    (candidate,) = normalise([SourceBatch(r.source, (r,)) for r in records], previous).candidates
    return candidate


@pytest.mark.parametrize("origin", [TextOrigin.PUBLISHER, TextOrigin.PREPRINT, TextOrigin.USER_DOCUMENT])
def test_the_works_own_abstract_takes_the_place_of_our_longer_summary(origin: TextOrigin) -> None:
    assert len(OWN) < len(abstract_text(TRIAL))
    for records in ((TRIAL, of(TRIAL, "pubmed", OWN, origin)), (of(TRIAL, "pubmed", OWN, origin), TRIAL)):
        found = one(*records)
        assert (abstract_text(found), found.text_origin) == (OWN.strip(), origin)


def test_structured_results_of_the_library_stay_and_are_known_to_be_ours() -> None:
    found = one(TRIAL, of(TRIAL, "pubmed", OWN, TextOrigin.PUBLISHER))
    assert found.results == TRIAL.results
    assert found.arms == TRIAL.arms
    assert found.structured_origin is TextOrigin.OUR_SUMMARY
    assert found.our_summary is not None
    assert (found.our_summary.record_id, found.our_summary.version) == ("dapa-hf-2019", library_version())


def test_of_the_library_alone_everything_is_ours_and_travels_by_name() -> None:
    found = one(TRIAL)
    assert (found.text_origin, found.structured_origin, found.our_summary) == (TextOrigin.OUR_SUMMARY, None, None)
    named = referred_candidate(found)
    assert named.library is not None
    assert named.text_origin is TextOrigin.UNKNOWN_ORIGIN
    assert resolved_candidate(named).text_origin is TextOrigin.OUR_SUMMARY


def test_a_merged_work_travels_whole_and_arrives_unchanged() -> None:
    found = one(TRIAL, of(TRIAL, "pubmed", OWN, TextOrigin.PUBLISHER))
    sent = EvidenceCandidate.model_validate_json(referred_candidate(found).model_dump_json(exclude_defaults=True))
    assert resolved_candidate(sent) == found


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("", TextOrigin.PUBLISHER),
        ("Funded by AstraZeneca; ClinicalTrials.gov number, NCT03036124.", TextOrigin.PUBLISHER),
        (OWN * 9, TextOrigin.WEB_PAGE),
    ],
    ids=["no abstract", "a note in its place", "a page about it"],
)
def test_what_is_no_abstract_of_the_work_takes_no_summarys_place(text: str, origin: TextOrigin) -> None:
    found = one(TRIAL, of(TRIAL, "pubmed", text, origin))
    assert (found.text_origin, abstract_text(found)) == (TextOrigin.OUR_SUMMARY, abstract_text(TRIAL))
    assert found.our_summary is None


def test_an_abstract_that_a_later_round_finds_takes_the_place_of_the_summary_of_the_round_before() -> None:
    before = one(TRIAL)
    found = one(of(TRIAL, "europepmc", OWN, TextOrigin.PUBLISHER), previous=(before,))
    assert (found.candidate_id, found.text_origin) == (before.candidate_id, TextOrigin.PUBLISHER)
    assert found.structured_origin is TextOrigin.OUR_SUMMARY
    again = one(of(TRIAL, "openalex", OWN[:300], TextOrigin.PUBLISHER), previous=(found,))
    assert (again.text_origin, again.structured_origin) == (TextOrigin.PUBLISHER, TextOrigin.OUR_SUMMARY)
    assert again.our_summary == found.our_summary


def test_between_two_texts_of_the_work_the_better_one_still_wins() -> None:
    cut = of(TRIAL, "openalex", OWN[:250], TextOrigin.PUBLISHER)
    assert abstract_text(one(TRIAL, cut, of(TRIAL, "pubmed", OWN, TextOrigin.PUBLISHER))) == OWN.strip()


def test_a_work_of_which_nobody_said_whose_words_it_has_stays_unknown() -> None:
    found = one(of(TRIAL, "pubmed", OWN, TextOrigin.UNKNOWN_ORIGIN))
    assert (found.text_origin, found.structured_origin) == (TextOrigin.UNKNOWN_ORIGIN, None)


def test_a_registrations_text_and_results_are_the_registrys() -> None:
    arms = {"arms": TRIAL.arms, "results": TRIAL.results, "study_design": StudyDesign.TRIAL_REGISTRATION}
    registered = of(TRIAL, "clinicaltrials", OWN, TextOrigin.REGISTRY).model_copy(update=arms)
    found = one(registered)
    assert (found.text_origin, found.structured_origin) == (TextOrigin.REGISTRY, None)


def test_a_guidelines_summary_is_kept_beside_its_abstract_and_a_trials_is_not() -> None:
    """What a guideline recommends is seldom in its abstract."""
    found = one(GUIDELINE, of(GUIDELINE, "pubmed", OWN, TextOrigin.PUBLISHER))
    assert recommending_summary(found) == abstract_text(GUIDELINE)
    assert recommending_summary(one(TRIAL, of(TRIAL, "pubmed", OWN, TextOrigin.PUBLISHER))) == ""
    assert recommending_summary(one(GUIDELINE)) == ""
