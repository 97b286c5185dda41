"""What a title alone says: guidelines of many bodies, works about guidelines, trials, works about trials."""

from __future__ import annotations

import pytest
from openwork_contracts.evidence import StudyDesign
from openwork_normaliser.domain.design import study_design
from openwork_normaliser.domain.guideline_titles import is_guideline_title

from tests.eval.designs.__main__ import DEVELOPMENT, HELD_OUT, decide, titles


@pytest.mark.parametrize(
    "title",
    [
        "2023 ESC Guidelines for the management of acute coronary syndromes",
        "KDIGO 2024 Clinical Practice Guideline for the Evaluation and Management of Chronic Kidney Disease",
        "9. Pharmacologic Approaches to Glycemic Treatment: Standards of Care in Diabetes—2024",
        "Global Initiative for Chronic Obstructive Lung Disease 2023 Report: GOLD Executive Summary",
        "Statin Use for the Primary Prevention of Cardiovascular Disease in Adults: US Preventive Services Task Force"
        " Recommendation Statement",
        "Infectious Diseases Society of America 2024 Guidance on the Treatment of Antimicrobial-Resistant Infections",
        "ACOG Practice Bulletin No. 222: Gestational Hypertension and Preeclampsia",
        "JCS/JHFS 2021 Statement on Palliative Care in Cardiovascular Diseases",
        "Sexually Transmitted Infections Treatment Guidelines, 2021",
        "Egyptian consensus on treat-to-target approach for gout",
        "2023 Taiwan Society of Cardiology hypertension guideline",
        "Leitlinie zur Diagnostik und Therapie der Herzinsuffizienz",
        "Practice guideline update summary: Acute treatment of migraine: Report of the Guideline Development"
        " Subcommittee of the AAN",
        "Use of 15-Valent Pneumococcal Vaccine Among U.S. Children: Updated Recommendations of the ACIP",
        "Canadian Stroke Best Practice Recommendations: Secondary Prevention of Stroke Update 2020",
        "Guidelines on atopic dermatitis",
    ],
)
def test_a_guideline_is_known_whoever_signs_it(title: str) -> None:
    assert study_design(title, ()) is StudyDesign.GUIDELINE


@pytest.mark.parametrize(
    "title",
    [
        "Implementation of the ESC guidelines in primary care",
        "Comparison of the 2017 ACC/AHA and 2018 ESC/ESH hypertension guidelines",
        "Impact of the 2013 ACC/AHA cholesterol guideline on statin eligibility",
        "Clinical outcomes of patients treated according to the Surviving Sepsis Campaign guidelines",
        "Meeting the physical activity guidelines and mortality among US adults",
        "Association between American Academy of Pediatrics screen time guidelines and language development",
        "Guideline-concordant care and survival in lung cancer",
        "Guideline‐directed medical therapy in older people",
        "Dietary guidelines for Americans adherence and cardiovascular mortality",
        "Validation of the 2012 EULAR/ACR classification criteria for polymyalgia rheumatica",
        "Allogeneic transplantation in AML: a report from the Acute Leukemia Working Party of the EBMT",
        "Recommendations for future research on anticoagulants",
        "Consensus clustering of breast cancer transcriptomes",
        "Hypertension guidelines in Europe: does anybody follow them?",
    ],
)
def test_a_work_about_guidelines_is_none(title: str) -> None:
    assert not is_guideline_title(title)


@pytest.mark.parametrize(
    ("title", "design"),
    [
        ("Reporting quality of randomized controlled trials in anesthesiology", StudyDesign.OTHER),
        ("Sample size in randomised controlled trials of physiotherapy", StudyDesign.OTHER),
        ("A review of randomised controlled trials of statins", StudyDesign.REVIEW),
        ("Statins and falls: a pooled analysis of five randomised trials", StudyDesign.META_ANALYSIS),
        ("Statins after stroke: a systematic overview of randomised trials", StudyDesign.SYSTEMATIC_REVIEW),
        ("Apixaban in Sweden: a cost-effectiveness analysis with data from a randomised trial", StudyDesign.OTHER),
        ("Early endoscopy: cost-effectiveness, a randomised controlled trial", StudyDesign.RCT),
        ("Celecoxib for knee pain: results of two randomised trials of six weeks", StudyDesign.RCT),
        ("Design and methodology of the X trial: a randomised study of carvedilol", StudyDesign.OTHER),
        ("An opioid-free anaesthesia protocol after surgery: a randomised controlled trial", StudyDesign.RCT),
        ("Drug X in advanced cancer: a phase 2 study", StudyDesign.CLINICAL_TRIAL),
        ("Secondary findings from the GUSTO-I trial", StudyDesign.OTHER),
        ("Depression during placebo-controlled trials of bupropion: case reports", StudyDesign.CASE_REPORT),
        ("Coronary dissection: a report of five cases", StudyDesign.CASE_REPORT),
        ("Digitoxin metabolism by rat liver", StudyDesign.ANIMAL_OR_IN_VITRO),
    ],
)
def test_a_work_about_trials_is_no_trial(title: str, design: StudyDesign) -> None:
    assert study_design(title, ()) is design


def test_the_labelled_titles_are_many_and_the_rules_hold_on_those_they_were_made_with() -> None:
    """At least 150 titles, 60 of guidelines and 30 of works about guidelines or trials; a third is kept apart."""
    all_titles = titles()
    apart = [one for one in all_titles if one.part == HELD_OUT]
    assert len(all_titles) >= 150
    assert 0.25 < len(apart) / len(all_titles) < 0.45
    assert sum(one.designs[0] is StudyDesign.GUIDELINE for one in all_titles) >= 60
    assert sum(StudyDesign.OTHER in one.designs for one in all_titles) >= 30
    development = [decide(one) for one in all_titles if one.part == DEVELOPMENT]
    assert sum(d.is_right for d in development) / len(development) >= 0.95
    assert not [d.title.text for d in development if d.design is StudyDesign.RCT and not d.is_right]
