"""What a question asks for, and what follows from it: labels of drugs, records about animals."""

from __future__ import annotations

from collections import Counter

import pytest
from openwork_contracts.question import Intent, QuestionAnalysis
from openwork_contracts.strategy import StudyFilter
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse

from tests.eval.intents import PARTS, decide, part_of, wordings

SOURCES = ("pubmed", "dailymed", "guidelines")


def understood(question: str) -> QuestionAnalysis:
    result = analyse(question, available_sources=SOURCES, current_year=2026)
    assert isinstance(result, QuestionAnalysis), result
    return result


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Do angiotensin receptor blockers reduce mortality in heart failure?", Intent.EFFICACY),
        ("Does six weeks of prednisolone lower the chance of constriction?", Intent.EFFICACY),
        ("Six weeks of prednisolone for tuberculous pericarditis?", Intent.DOSING),
        ("beta-3 receptor agonists overactive bladder", Intent.EFFICACY),
        ("Does pioglitazone cause bladder cancer?", Intent.ADVERSE_EVENTS),
        ("Does the hepatitis B virus cause liver cancer?", Intent.MECHANISM),
        ("What causes psoriasis?", Intent.MECHANISM),
        ("pirfenidone idiopathic pulmonary fibrosis", Intent.EFFICACY),
        ("Is rituximab better than placebo in lupus nephritis?", Intent.EFFICACY),
        ("Is rituximab better than cyclophosphamide in lupus nephritis?", Intent.COMPARATIVE_ANALYSIS),
        ("What is the recommended dose of rivaroxaban in deep vein thrombosis?", Intent.DOSING),
        ("What is the recommended treatment for deep vein thrombosis?", Intent.TREATMENT_GUIDELINE),
        ("Does low-dose aspirin prevent colorectal cancer?", Intent.EFFICACY),
        ("Does folinic acid reduce methotrexate toxicity?", Intent.EFFICACY),
        ("Does allopurinol increase the risk of rash?", Intent.ADVERSE_EVENTS),
        ("risk of cancer in ulcerative colitis", Intent.PROGNOSIS),
        ("risk of cancer with azathioprine", Intent.ADVERSE_EVENTS),
        ("How does allopurinol lower uric acid?", Intent.MECHANISM),
        ("Can propranolol be used in patients with heart failure?", Intent.ADVERSE_EVENTS),
        ("Can propranolol be used to treat migraine?", Intent.EFFICACY),
        ("Does social isolation worsen survival after stroke?", Intent.PROGNOSIS),
        ("sarcoidosis in children", Intent.TREATMENT_GUIDELINE),
    ],
)
def test_form_and_names_tell_what_is_asked(question: str, intent: Intent):
    assert understood(question).intent is intent


@pytest.mark.parametrize(
    "question",
    [
        "Do angiotensin receptor blockers reduce mortality in heart failure?",
        "Does pioglitazone cause bladder cancer?",
        "Is sildenafil safe in coronary artery disease?",
        "pirfenidone idiopathic pulmonary fibrosis",
    ],
)
def test_animals_are_left_out_where_safety_or_efficacy_is_asked(question: str):
    assert strategy_of(understood(question)).rungs[0].filters.humans


def test_a_question_for_efficacy_asks_for_trials_and_reviews():
    strict = strategy_of(understood("Does pirfenidone slow idiopathic pulmonary fibrosis?")).rungs[0]
    assert {StudyFilter.RANDOMISED_TRIAL, StudyFilter.SYNTHESIS} <= set(strict.filters.studies)


@pytest.mark.parametrize(
    "question",
    [
        "What is the recommended dose of rivaroxaban in deep vein thrombosis?",
        "Does pioglitazone cause bladder cancer?",
        "lamotrigine and oral contraceptives interaction",
        "fluoxetine in pregnancy",
        "What is nintedanib approved for?",
        "half-life of digoxin",
        "boxed warning of clozapine",
        "Which is safer in the elderly, zolpidem or temazepam?",
        "Can gliflozins cause ketoacidosis?",
    ],
)
def test_labels_are_asked_where_a_section_of_one_is_the_answer(question: str):
    assert "dailymed" in understood(question).sources


@pytest.mark.parametrize(
    "question",
    [
        "Does low-dose aspirin prevent colorectal cancer?",
        "How does allopurinol lower uric acid?",
        "Which antibiotics cause diarrhoea?",
        "How often does sepsis follow pneumonia?",
    ],
)
def test_labels_are_not_asked_where_studies_answer_or_no_drug_is_named(question: str):
    """A class of dozens of drugs has dozens of labels, and none of them is about the class."""
    assert "dailymed" not in understood(question).sources


def test_words_within_a_name_are_no_cue():
    """The same word outside a name is one."""
    assert understood("endothelin receptor antagonists in pulmonary hypertension").intent is Intent.EFFICACY
    assert understood("endothelin receptor in pulmonary hypertension").intent is Intent.MECHANISM


def test_every_labelled_wording_has_a_known_label_and_stands_in_its_half():
    found = wordings()
    known = {intent.value for intent in Intent}
    assert len(found) >= 260
    assert len({w.question for w in found}) == len(found)
    assert {w.intent for w in found} == known
    assert {w.second for w in found} <= known | {"-"}
    assert all(w.part == part_of(w.question) for w in found)


@pytest.mark.parametrize("part", PARTS)
def test_the_rules_agree_with_the_labels(part: str):
    """At least the shares that were aimed at, on each half: of all wordings, and of the four kinds that matter most."""
    decided = [decide(w) for w in wordings() if w.part == part]
    assert sum(d.is_right for d in decided) >= 0.85 * len(decided)
    right = Counter(d.wording.intent for d in decided if d.is_right)
    total = Counter(d.wording.intent for d in decided)
    for intent in ("adverse_events", "efficacy", "dosing", "mechanism"):
        assert right[intent] > 0.85 * total[intent], intent
    answerable = [d.asks_label for d in decided if d.wording.label_can_answer]
    assert sum(answerable) >= 0.9 * len(answerable)
