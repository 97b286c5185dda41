"""The variables of a study: value, place and words, or why there is none; and the direction it tells."""

from __future__ import annotations

import pytest
from openwork_contracts.evidence import AbstractPart
from openwork_extraction.direction import Direction, direction_of
from openwork_extraction.extract import extract
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.variables import Status, Variable, names_by, variables_of

from tests.unit.extraction.papers import paper, table

METHODS = " ".join(
    (
        "This double-blind randomised placebo-controlled trial was conducted at two hospitals in Denmark from March",
        "2014 to May 2016. Patients were randomly assigned by a computer-generated list; allocation was concealed in",
        "sealed opaque envelopes. The primary outcome was pain at 12 weeks. Analyses were by intention to treat.",
        "Patients were followed for 24 weeks. The trial was registered as NCT01234567.",
    )
)
RESULTS = "A total of 240 patients were randomised; 12 were lost to follow-up. The mean age was 54 years."


def by_name(study: StudyText) -> dict[str, Variable]:
    """Variables under their names."""
    return {one.name: one for one in variables_of(study)}


def test_the_first_twenty_four_are_those_asked_of_every_study() -> None:
    every = [one.name for one in variables_of(StudyText("trial-1"))]

    assert every[:5] == ["pmid", "doi", "title", "url", "attrition_pct"]
    assert every[23] == "raw_facts"
    assert names_by("model") == ("biological_mechanism", "risk_of_bias", "raw_facts")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blinding", "double-blind"),
        ("primary_outcome", "pain at 12 weeks"),
        ("follow_up_period", "24 weeks"),
        ("registration", "NCT01234567"),
        ("sample_size_total", "240"),
        ("country", "Denmark"),
        ("dates", "from March 2014 to May 2016"),
        ("attrition_pct", "12 were lost to follow-up"),
        ("demographics", "mean age was 54 years"),
    ],
)
def test_what_a_sentence_says_is_given_with_its_place(name: str, value: str) -> None:
    study = paper(methods=METHODS, results=RESULTS)

    found = by_name(study)[name]

    assert found.status is Status.GIVEN
    assert found.value is not None
    assert value.lower() in found.value.lower()
    assert found.place is not None
    assert found.place.section is not None
    assert found.words is not None
    section = next(s for s in study.sections if " > ".join(s.path) == found.place.section)
    assert value.lower() in section.text[found.place.start : found.place.end].lower()


def test_silence_of_a_text_that_was_read_is_told_from_no_text() -> None:
    read = by_name(paper(methods="Patients took the tablets for 12 weeks.", results=RESULTS))
    unread = by_name(StudyText("trial-1", abstract=(AbstractPart(text="Zotaprine was better."),)))

    assert read["blinding"].status is Status.NOT_REPORTED
    assert read["funding_source"].status is Status.NOT_FOUND  # no such section was there
    assert unread["blinding"].status is Status.NOT_FOUND


def test_what_the_discussion_says_is_of_other_studies() -> None:
    study = paper(methods="Patients took the tablets.", results=RESULTS)
    other = study.sections[0].model_copy(
        update={"path": ("Discussion",), "text": "Earlier double-blind trials failed.", "kind": "text"}
    )

    assert by_name(StudyText("trial-1", sections=(*study.sections, other)))["blinding"].status is Status.NOT_REPORTED


def test_rates_and_sizes_come_from_the_asked_result() -> None:
    study = paper(table("Outcome | Zotaprine (n = 100) | Placebo (n = 101)", "Nausea, n (%) | 12 (12.0) | 20 (19.8)"))
    result = extract(study, Asked("zotaprine", "placebo", "nausea")).first

    found = {one.name: one.value for one in variables_of(study, result)}

    assert (found["experimental_event_rate"], found["control_event_rate"]) == ("0.1200", "0.1980")
    assert (found["sample_size_intervention"], found["sample_size_control"]) == ("100", "101")


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Pain was significantly lower with zotaprine than with placebo.", Direction.DECREASED),
        ("Pain was significantly higher in the placebo group than in the zotaprine group.", Direction.DECREASED),
        ("Zotaprine increased pain compared with placebo.", Direction.INCREASED),
        (
            "There was no significant difference in pain between the zotaprine and placebo groups.",
            Direction.NO_DIFFERENCE,
        ),
        ("Stroke was significantly lower with zotaprine than with placebo.", None),
        ("At baseline pain was lower with zotaprine than with placebo.", None),
    ],
)
def test_direction_is_of_the_asked_outcome_seen_from_the_intervention(text: str, direction: Direction | None) -> None:
    told = direction_of(paper(results=text), Asked("zotaprine", "placebo", "pain"))

    assert (told.direction if told else None) is direction
    assert told is None or told.words == text
