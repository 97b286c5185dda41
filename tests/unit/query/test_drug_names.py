"""Names that the lexicon does not have: which words are looked up, and what becomes of the answer."""

from __future__ import annotations

import pytest
from openwork_contracts.question import DrugNames, EntityKind, QuestionAnalysis
from openwork_query.domain import analyse, entities_of
from openwork_query.drug_names import unknown_names

BRAND = "Does Zyxolvar slow renal decline in polycystic kidney disease?"
"""No such brand exists."""
TOLVAPTAN = DrugNames(asked="Zyxolvar", rxcui="358257", ingredients=("tolvaptan",), brands=("Zyxolvar",))


def unknown(question: str) -> tuple[str, ...]:
    return unknown_names(question, entities_of(question))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (BRAND, ("Zyxolvar",)),
        ("Is zyxolumab better than methotrexate in rheumatoid arthritis?", ("zyxolumab",)),
        ("Are zyxotinibs and zyxogrelor safe?", ("zyxotinibs", "zyxogrelor")),
        ("Does apixaban lower the risk of stroke in atrial fibrillation?", ()),
        ("What is the concept of frailty in older adults?", ()),
        ("Does metformin help in PCOS? Obesity and insulin resistance matter too.", ()),
    ],
)
def test_only_what_may_be_a_drug_and_is_not_known_is_looked_up(question: str, words: tuple[str, ...]) -> None:
    assert unknown(question) == words


def test_at_most_four_names_of_one_question_are_looked_up() -> None:
    assert len(unknown(" ".join(f"zyxo{letter}umab" for letter in "abcdefgh"))) == 4


def analysed(question: str, *names: DrugNames) -> QuestionAnalysis:
    outcome = analyse(question, available_sources=["pubmed"], current_year=2026, drug_names=names)
    assert isinstance(outcome, QuestionAnalysis)
    return outcome


def test_a_brand_becomes_its_ingredient_with_what_the_lexicon_knows_of_it() -> None:
    (drug,) = [e for e in analysed(BRAND, TOLVAPTAN).entities if e.kind is EntityKind.DRUG]
    assert (drug.text, BRAND[drug.start : drug.end], drug.name) == ("Zyxolvar", "Zyxolvar", "tolvaptan")
    (known,) = entities_of("tolvaptan")
    assert drug.mesh_id == known.mesh_id is not None
    assert not any(e.kind is EntityKind.DRUG for e in analysed(BRAND).entities)


def test_the_ingredient_is_searched_for() -> None:
    analysis = analysed(BRAND, TOLVAPTAN)
    assert any("tolvaptan" in variant for variant in analysis.search_variants)
    assert analysis.pico.intervention


def test_a_combination_has_its_own_name_in_every_spelling() -> None:
    both = DrugNames(asked="Zyxolvar", rxcui="1", ingredients=("zyxoran", "zyxotil"), combination="zyxoran / zyxotil")
    (drug,) = [e for e in analysed(BRAND, both).entities if e.kind is EntityKind.DRUG]
    assert drug.name == "zyxoran / zyxotil"
    assert drug.synonyms == ("zyxoran-zyxotil", "zyxoran and zyxotil", "zyxoran/zyxotil")
