"""Questions in another word order are put in the one that is read, and no other is touched."""

from __future__ import annotations

import pytest
from openwork_contracts.question import EntityKind
from openwork_language.asking.word_order import plain_order
from openwork_language.terms import find_terms


def ordered(question: str) -> str:
    given = [(t.start, t.end) for t in find_terms(question) if t.kind is not EntityKind.DISEASE]
    return plain_order(question, given)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Compared with warfarin, does dabigatran 110 mg decrease major bleeding?",
         "Does dabigatran 110 mg decrease major bleeding compared with warfarin?"),
        ("In atrial fibrillation, compared with warfarin, does apixaban reduce stroke?",
         "In atrial fibrillation, does apixaban reduce stroke compared with warfarin?"),
        ("Is there any difference in mortality between norepinephrine and vasopressin in septic shock?",
         "Does norepinephrine affect mortality compared with vasopressin in septic shock?"),
        ("Do patients with AF on apixaban have fewer strokes than those on warfarin?",
         "In patients with AF, is there fewer strokes with apixaban than with warfarin?"),
        ("Do fewer patients with AF have an intracranial bleed on apixaban than on warfarin?",
         "In patients with AF, is there fewer intracranial bleed with apixaban than with warfarin?"),
        ("Does giving semaglutide 1.0 mg instead of placebo change cardiovascular death?",
         "Does semaglutide 1.0 mg change cardiovascular death compared with placebo?"),
        ("How likely is bleeding in patients with atrial fibrillation on edoxaban compared with warfarin?",
         "What is the risk of bleeding with edoxaban compared with warfarin in patients with atrial fibrillation?"),
        ("Patients with atrial fibrillation taking dabigatran: is major bleeding less frequent than with warfarin?",
         "In Patients with atrial fibrillation, is major bleeding less frequent with dabigatran than with warfarin?"),
        ("Is bleeding rarer on dabigatran than on warfarin for deep vein thrombosis?",
         "In people with deep vein thrombosis, is bleeding less common with dabigatran than with warfarin?"),
        ("How well does PCV13 protect older adults against invasive pneumococcal disease?",
         "How much does PCV13 reduce invasive pneumococcal disease in older adults?"),
        ("What proportion of women given metformin have hypoglycaemia compared with insulin?",
         "What is the risk of hypoglycaemia with metformin compared with insulin in women?"),
        ("Was there a meningitis signal with the RTS,S malaria vaccine in toddlers?",
         "Does the RTS,S malaria vaccine increase meningitis in toddlers?"),
        ("Does aspirin rather than clopidogrel or placebo reduce stroke?",
         "Does aspirin reduce stroke compared with clopidogrel or placebo?"),
        ("How good is apixaban in cancer?", "How effective is apixaban in cancer?"),
        ("Death from dengue with dexamethasone or placebo?", "Death from dengue with dexamethasone versus placebo?"),
    ],
)  # fmt: skip
def test_another_order_says_the_same(typed: str, read: str) -> None:
    assert ordered(typed) == read


@pytest.mark.parametrize(
    "question",
    [
        "Compared with men, do women bleed more on apixaban?",  # nobody is given men
        "Any difference in stroke survivors between citalopram and sertraline?",  # of people
        "Is there a difference in CKD between apixaban and warfarin for major bleeding?",
        "Do patients on dialysis have fewer strokes than those with a transplant?",  # nothing is compared that is given
        "Do people not taking statins have more heart attacks than those on statins?",  # no slot has the "not"
        "Is stroke less common in people with AF not on warfarin than in those on warfarin?",
        "Can amoxicillin be withheld in children with pneumonia without more treatment failure?",  # yes would turn
        "In people taking metformin or no treatment, does empagliflozin lower admissions?",
        "Any difference in bleeding between apixaban and warfarin in patients on aspirin and clopidogrel?",
        "Is there a difference in stroke between apixaban and warfarin at low and high doses of aspirin?",
        "Is there no difference in stroke between apixaban and warfarin?",
        "Are there any safety concerns with salmeterol in asthma?",
        "How well does dapagliflozin protect the kidney from failure in diabetes?",  # of nobody
        "How good is the evidence for aspirin?",
        "What about rarer dosing of epoetin?",
        "Does starting insulin rather than adding a GLP-1 agonist reduce HbA1c?",
        "Which is safer in AF, apixaban or placebo?",
        "Does apixaban reduce stroke in atrial fibrillation?",
        "What is the dose of amoxicillin in pneumonia?",
    ],
)
def test_what_fits_no_frame_stays_as_it_is(question: str) -> None:
    assert ordered(question) == question


def test_no_figure_and_no_word_for_people_is_lost() -> None:
    typed = "Compared with placebo, does aspirin 75 mg reduce stroke in women over 65 with diabetes and eGFR 30 to 45?"
    assert set(typed.lower().strip("?").replace(",", "").split()) <= set(ordered(typed).lower().strip("?").split())
