"""Countries and guideline bodies as questions write them."""

from __future__ import annotations

import pytest
from openwork_contracts.guidance import INTERNATIONAL
from openwork_contracts.question import Intent
from openwork_knowledge.bodies import bodies_in, country_of
from openwork_knowledge.countries import code_of, countries_in, country_name
from openwork_language.asking.guidance import guidance_in


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("India", "IN"),
        ("in", "IN"),
        ("Indian", "IN"),
        ("EU", "EU"),
        ("United Kingdom", "GB"),
        ("uk", "GB"),
        ("USA", "US"),
        ("international", INTERNATIONAL),
        ("Narnia", None),
        ("", None),
    ],
)
def test_a_country_by_its_name_its_letters_or_its_adjective(text: str, code: str | None) -> None:
    assert code_of(text) == code


def test_every_code_has_a_name() -> None:
    assert country_name("IN") == "India"
    assert country_name("GB") == "the United Kingdom"


@pytest.mark.parametrize(
    ("question", "countries"),
    [
        ("First-line drug for type 2 diabetes in India?", ("IN",)),
        ("Indian guideline on lipids", ("IN",)),
        ("Which antibiotic is used in the US and in the UK?", ("US", "GB")),
        ("Does aspirin help us?", ()),
        ("Insulin in type 2 diabetes", ()),
    ],
)
def test_countries_are_found_in_the_order_they_are_named(question: str, countries: tuple[str, ...]) -> None:
    assert tuple(one.name for one in countries_in(question)) == countries


@pytest.mark.parametrize(
    ("question", "bodies"),
    [
        ("What does NICE recommend for hypertension?", {"NICE"}),
        ("According to the American Diabetes Association, when is insulin started?", {"ADA"}),
        ("It is nice to know: does aspirin work?", set()),
        ("Who should get aspirin?", set()),
        ("Does chest physiotherapy help?", set()),
    ],
)
def test_a_body_is_named_by_its_capitals_or_in_full(question: str, bodies: set[str]) -> None:
    assert bodies_in(question) == bodies


def test_a_body_is_of_a_country() -> None:
    assert (country_of("ICMR"), country_of("ESC"), country_of("WHO")) == ("IN", "EU", INTERNATIONAL)


def test_a_question_asks_for_a_body_before_its_country() -> None:
    asked = guidance_in("What does the ICMR recommend for type 2 diabetes in India?", Intent.TREATMENT_GUIDELINE)
    assert asked is not None
    assert (asked.bodies, asked.countries) == (("ICMR",), ("IN",))
    assert guidance_in("Does dapagliflozin prevent death in heart failure?", Intent.EFFICACY) is None
