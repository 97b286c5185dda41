"""What a study is called in a table."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_answers.naming import study_name
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, Identifiers, Provenance

FOUND = Provenance(source="pubmed", source_id="1", rank=1, retrieved_at=datetime(2026, 1, 1, tzinfo=UTC))


def named(title: str = "Ramipril in heart failure", text: str = "", label: str | None = None, **more: object) -> str:
    given = {
        "candidate_id": "pmid:1",
        "title": title,
        "abstract": (AbstractPart(label=label, text=text or "Ramipril was compared with placebo."),),
        "authors": ("Smith J",),
        "year": 1998,
        "provenance": (FOUND,),
    }
    return study_name(EvidenceCandidate.model_validate(given | more))


@pytest.mark.parametrize("label", ["BACKGROUND", "QUESTION", "IMPORTANCE", "AIMS AND METHODS", "Objective"])
def test_a_heading_of_an_abstract_is_no_trial(label: str) -> None:
    assert named(label=label) == "Smith 1998"
    assert named(text=f"{label.upper()}: To compare two drugs.") == "Smith 1998"


def test_a_remark_of_pubmed_is_no_trial() -> None:
    assert named(text="Mortality fell by a third.(ABSTRACT TRUNCATED AT 250 WORDS)") == "Smith 1998"


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("AIRE: ramipril after infarction", "", "AIRE 1998"),
        ("Ramipril after infarction: the AIRE study", "", "AIRE 1998"),
        ("Ramipril after infarction (AIRE)", "", "AIRE 1998"),
        ("Ramipril after infarction", "In the AIRE trial 2,006 people had heart failure.", "AIRE 1998"),
    ],
)
def test_a_trial_is_called_by_its_name(title: str, text: str, name: str) -> None:
    assert named(title, text) == name


def test_a_record_without_author_and_journal_is_called_by_its_number() -> None:
    assert named(authors=(), identifiers=Identifiers(pmid="10023943")) == "PMID 10023943"
    assert named(authors=(), journal="Lancet") == "Lancet 1998"
    assert named(authors=()) == "source"
