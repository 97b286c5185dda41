"""Clinical shorthand is read in words, and what was read as what is told."""

from __future__ import annotations

import pytest
from openwork_knowledge.notation import spelt
from openwork_knowledge.tables import table
from openwork_language.shorthand import spelt_out
from openwork_language.terms import find_terms


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("72M s/p MI on atorva 80", "72-year-old man after MI on atorvastatin 80"),
        ("58 yo F w/ HFrEF", "58-year-old woman with HFrEF"),
        ("6F sheath in PCI", "6F sheath in PCI"),
        ("smear-neg TB, HIV+ adult", "smear-negative TB, HIV-positive adult"),
        ("HBsAg +ve mums", "HBsAg-positive mothers"),
        ("dialysis pt w AF", "dialysis patient with AF"),
        ("iron for 12 w then stop", "iron for 12 w then stop"),
        ("moderate-severe asthma w eosinophilia", "moderate to severe asthma with eosinophilia"),
        ("vit C + E in pregnancy", "vitamin C and vitamin E in pregnancy"),
        ("TXA w/in 8 hrs, deaths by d28", "TXA within 8 hours, deaths by day 28"),
        ("COPD flare ups on ICS", "COPD exacerbations on ICS"),
        ("a flare of gout", "a flare of gout"),  # exacerbations are of airways
        ("liraglutide with insulin for type 1: safe?", "liraglutide with insulin for type 1 diabetes: safe?"),
        ("SGLT2i in type 2s with CKD", "SGLT2i in type 2 diabetes with CKD"),
        ("Does liraglutide in type 1 lower HbA1c?", "Does liraglutide in type 1 diabetes lower HbA1c?"),
        ("hepatorenal syndrome type 1 with diabetes", "hepatorenal syndrome type 1 with diabetes"),
        ("HF in people who aren't diabetic", "HF in people without diabetes"),
        ("He isn't diabetic. SGLT2i?", "He has no diabetes. SGLT2i?"),
        ("Do type 2 diabetics live longer?", "Do people with type 2 diabetes live longer?"),
        ("in newly diagnosed type II diabetics", "in people with newly diagnosed type 2 diabetes"),
        ("in type 1 diabetics", "in type 1 diabetics"),
        ("My patient is a type 2 diabetic on dialysis", "My patient is a person with type 2 diabetes on dialysis"),
        ("60-year-old type 2 diabetic with CKD", "60-year-old with type 2 diabetes with CKD"),
        ("a type 2 diabetic patient", "a type 2 diabetic patient"),
        ("insulin in type 1 diabetes", "insulin in type 1 diabetes"),
        ("TSH 7, T4 or no treatment?", "TSH 7, levothyroxine or no treatment?"),
        ("TSH 7, normal free T4", "TSH 7, normal free T4"),  # measured, not given
        ("insulin and type 2 MI", "insulin and type 2 MI"),
        ("aspirin for type 2", "aspirin for type 2"),  # of what, nothing near tells
        ("prior hosp admission, hosp for HF", "prior hospital admission, hospitalisation for HF"),
    ],
)
def test_shorthand_is_read_in_words(typed: str, read: str) -> None:
    assert spelt_out(typed)[0] == read


def test_a_short_form_with_several_meanings_is_read_by_the_words_near_it() -> None:
    assert "pre-eclampsia" in spelt_out("women at risk of PET")[0]
    assert spelt_out("PET for lung nodules")[0] == "PET for lung nodules"
    assert "Guillain" in spelt_out("IVIG for GBS with weakness")[0]
    assert spelt_out("dex for sedation or propofol")[0].startswith("dexmedetomidine ")
    assert spelt_out("croup: single dose of dex")[0].endswith(" dexamethasone")
    assert spelt_out("SP for malaria in pregnancy")[0].startswith("sulfadoxine-pyrimethamine ")
    assert spelt_out("SP of 120 in dialysis")[0] == "SP of 120 in dialysis"


def test_what_was_read_is_told_and_what_stayed_is_not() -> None:
    _, told = spelt_out("A 58-year-old man w/o diabetes")
    assert [(one.typed, one.read) for one in told] == [("w/o", "without")]


def test_in_capitals_alone_no_word_is_a_short_form() -> None:
    assert spelt_out("DOES INH HARM?")[0] == "DOES INH HARM?"


def test_every_short_name_of_a_drug_stands_for_a_drug_that_the_lexicon_knows() -> None:
    rows = [row for row in table("shorthand").rows if row[0] == "drug"]
    assert rows
    assert [row for row in rows if not any(term.kind.value == "drug" for term in find_terms(row[2]))] == []


def test_a_row_with_alternatives_is_each_of_its_phrases() -> None:
    assert spelt("{new |}{clot|clots} in the leg") == (
        "new clot in the leg",
        "new clots in the leg",
        "clot in the leg",
        "clots in the leg",
    )
    text, read = spelt_out("Does rivaroxaban help people with a fresh clot in the leg or lung?")
    assert text == "Does rivaroxaban help people with a venous thromboembolism?"
    assert [one.typed for one in read] == ["fresh clot in the leg or lung"]
