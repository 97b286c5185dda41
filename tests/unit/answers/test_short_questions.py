"""Questions as doctors type them: everyday words, notes with no word before what they ask about, figures."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_answers.unread import is_telling
from openwork_contracts.conclusion import ConclusionVerdict as V
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, question, ratio, record, result


@pytest.mark.parametrize("word", ["big", "turn", "decent", "upside", "folk", "NNT", "bd"])
def test_an_everyday_word_says_nothing_of_what_is_asked(word: str) -> None:
    assert not is_telling(word)


@pytest.mark.parametrize(
    "word", ["sleep", "walk", "driver", "school", "babies", "pilot", "MAP", "proteinuria", "blood"]
)
def test_one_that_can_name_what_a_medical_question_is_about_does(word: str) -> None:
    """Nor is an abbreviation the everyday word that it looks like."""
    assert is_telling(word)


@pytest.mark.parametrize(
    ("text", "outcomes", "people"),
    [
        # what is named last, behind the treatments and behind what somebody has
        ("Lymphoma with shingles, aciclovir or famciclovir, seizures?", ("seizures",), {"Lymphoma", "shingles"}),
        ("Gabapentin for shingles: pain vs falls, syncope", ("pain", "falls, syncope"), {"shingles"}),
        ("Aciclovir in shingles, lymphoma and gout: death?", ("death",), {"shingles", "lymphoma", "gout"}),
        ("Is there any drop in deaths with aciclovir in shingles?", ("deaths",), {"shingles"}),
        ("Shingles, aciclovir or famciclovir, lymphoma: death?", ("death",), {"Shingles", "lymphoma"}),
        # a list goes on
        ("Gabapentin in shingles: effect on stroke, heart failure and death", ("stroke, heart failure", "death"),
         {"shingles"}),
        ("Gabapentin in shingles and heart failure: death?", ("death",), {"shingles", "heart failure"}),
        # nobody
        ("Does gabapentin for everyone with shingles prevent falls?", ("falls",), {"shingles"}),
        ("Gabapentin in drivers with shingles: falls?", ("falls",), {"drivers", "shingles"}),
        ("Gabapentin in shingles with a broken valve: falls?", ("falls",), {"shingles", "broken valve"}),
        # what a disease comes from restricts it
        ("Does zinc reduce death in diabetes due to cystic fibrosis?", ("death",), {"diabetes", "cystic fibrosis"}),
        ("Does aciclovir reduce death in diabetes caused by pancreatectomy?", ("death",),
         {"diabetes", "pancreatectomy"}),
        # an age without its unit
        ("gabapentin over 75, fewer falls in shingles?", ("falls",), {"over 75", "shingles"}),
        # a disease beside a treatment
        ("gabapentin retinopathy worsening in shingles", ("retinopathy worsening",), {"shingles"}),
    ],
)  # fmt: skip
def test_what_a_short_question_asks_about_and_of_whom(text: str, outcomes: tuple[str, ...], people: set[str]) -> None:
    read = question(text)
    assert read.outcome_texts == outcomes
    assert {term.text for term in read.people} == people


@pytest.mark.parametrize(
    ("text", "treatments"),
    [
        ("Frail lady with shingles. Does gabapentin reduce pain?", {"gabapentin"}),
        ("Does prednisolone in shingles get people off gabapentin sooner?", {"prednisolone"}),
        ("Valaciclovir vs standard care in aciclovir-resistant shingles: pain?", {"Valaciclovir"}),
    ],
)
def test_what_is_given(text: str, treatments: set[str]) -> None:
    read = question(text)
    assert {idea.term for idea in read.treatments} == treatments
    assert read.comparators == () or "aciclovir" not in {idea.term for idea in read.comparators}


@pytest.mark.parametrize(
    ("asked", "fit"),
    [("stroke", Fit.WIDER), ("chronic subdural haematoma", Fit.OTHER), ("vascular dementia", Fit.OTHER)],
)
def test_cardiovascular_events_are_those_that_are_counted_as_such(asked: str, fit: Fit) -> None:
    assert fit_of(read_outcome("major cardiovascular events"), read_outcome(asked)) is fit


OILS = record(
    "Omega-3 carboxylic acids and atrial fibrillation in gout",
    "We assigned people with gout to omega-3 carboxylic acids or corn oil.",
    results=(
        result(
            "atrial fibrillation",
            ratio(1.69, 1.29, 2.21),
            (("omega-3 carboxylic acids 4 g/day", 144, 6539), ("corn oil", 86, 6539)),
        ),
    ),
)


def test_a_word_of_another_drug_makes_no_arm_the_one_that_is_asked_about() -> None:
    found = concluded("Does fish oil capsules cause atrial fibrillation in gout (above vs below 1 g/day)?", OILS)
    assert found.lead is None or found.lead.comparison[0] != "corn oil"
    assert found.verdict is not V.BENEFIT


def test_on_top_of_a_drug_the_trial_against_none_of_it_leads() -> None:
    placebo = record(
        "Zinc in addition to honey in sore throat",
        "We assigned people with sore throat to zinc or placebo, in addition to honey.",
        results=(result("fever", ratio(0.8, 0.7, 0.9), (("zinc", 80, 1000), ("placebo added to honey", 100, 1000))),),
    )
    active = record(
        "Zinc versus garlic in sore throat",
        "We assigned people with sore throat to zinc or garlic.",
        results=(result("fever", ratio(0.9, 0.8, 1.0), (("zinc", 900, 10000), ("garlic", 1000, 10000))),),
        identifiers=placebo.identifiers.model_copy(update={"pmid": "10000008"}),
    )
    found = concluded("Does zinc on top of honey reduce fever in sore throat?", active, placebo)
    assert found.lead is not None
    assert found.lead.comparison[1] == "placebo added to honey"


FEEDING = "Early against late feeding after stroke with dysphagia"
FED = "We assigned people with stroke and dysphagia to a schedule A or a schedule B."


def fed(title: str = FEEDING, /, **changes: object) -> EvidenceCandidate:
    figures = ratio(0.8, 0.7, 0.9), (("schedule A", 80, 1000), ("schedule B", 100, 1000))
    return record(title, FED, results=(result("pneumonia", *figures),), **changes)


def test_where_no_drug_is_asked_about_the_one_study_that_tells_of_it_stands_near() -> None:
    asked = "Stroke with dysphagia: feed straight away or hold off, pneumonia?"
    assert [r.outcome for r in concluded(asked, fed()).nearest] == ["pneumonia"]


def test_where_two_studies_tell_as_much_of_it_by_words_alone_neither_stands_near() -> None:
    other = fed("Feeding after stroke", identifiers=fed().identifiers.model_copy(update={"pmid": "10000009"}))
    asked = "Stroke with dysphagia: feed straight away or hold off, pneumonia?"
    assert concluded(asked, fed(), other).nearest == ()


def test_a_study_that_stands_near_shows_the_outcome_in_parts_of_its_people() -> None:
    smokers = result("fever in the subgroup of people who smoked", ratio(1.0, 0.7, 1.4))
    whole = result("fever", ratio(0.8, 0.7, 0.9), (("zinc", 80, 1000), ("placebo", 100, 1000)))
    work = record(
        "Zinc in sore throat", "We assigned people with sore throat to zinc or placebo.", results=(whole, smokers)
    )
    found = concluded("Does zinc reduce fever in smartwatch wearers with sore throat?", work)
    assert found.lead is None
    assert [(r.outcome, r.is_subgroup) for r in found.nearest] == [("fever", False), ("fever", True)]
    (line,) = lines_of(found)
    assert "smoked" not in line.text
