"""A question as blocks and rungs: what is an alternative, what is required, what is wanted absent, and its names."""

from __future__ import annotations

import pytest
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import BlockRole, HeadingKind, SearchBlock, SearchStrategy, TermKind
from openwork_language.searching.information import LITTLE, MOST, NOTHING, SOME, information
from openwork_language.searching.ladder import strategy_of
from openwork_language.searching.matching import Collection, meets, searchable
from openwork_language.searching.spellings import spellings
from openwork_query.domain.analysis import analyse


def strategy(question: str) -> SearchStrategy:
    analysis = analyse(question, available_sources=("pubmed",), current_year=2026)
    assert isinstance(analysis, QuestionAnalysis)
    return strategy_of(analysis)


def blocks(found: SearchStrategy, role: BlockRole) -> list[set[str]]:
    return [{c.name for c in block.concepts} for block in found.blocks if block.role is role and not block.negated]


def required(found: SearchStrategy, rung: int) -> list[set[str]]:
    """Of each group of a rung the names of its concepts."""
    return [{c.name for n in group for c in found.blocks[n].concepts} for group in found.rungs[rung].numbers]


def block(found: SearchStrategy, name: str) -> SearchBlock:
    return next(b for b in found.blocks if any(c.name == name for c in b.concepts))


@pytest.mark.parametrize(
    ("question", "together"),
    [
        ("Does clopidogrel prevent stroke or TIA?", {"Stroke", "Ischemic Attack, Transient"}),
        (
            "Do ACE inhibitors work in hypertension, heart failure or angina?",
            {"Hypertension", "Heart Failure", "Angina Pectoris"},
        ),
        ("Is colchicine effective for gout and pericarditis?", {"Gout", "Pericarditis"}),
    ],
)
def test_conditions_joined_by_or_and_by_lists_are_alternatives(question: str, together: set[str]) -> None:
    found = strategy(question)
    assert together in [{c.name for c in b.concepts} for b in found.blocks]


def test_people_with_two_conditions_have_both() -> None:
    found = strategy("Do statins help in patients with diabetes and chronic kidney disease?")
    assert len(blocks(found, BlockRole.POPULATION)) == 2


def test_drugs_of_a_comparison_are_both_required_first_and_alternatives_later() -> None:
    found = strategy("Compare apixaban with warfarin in atrial fibrillation")
    assert [{"apixaban"}, {"warfarin"}, {"Atrial Fibrillation"}] == required(found, 0)
    assert [{"apixaban", "warfarin"}, {"Atrial Fibrillation"}] == required(found, 1)


def test_class_and_its_narrower_class_are_alternatives_though_joined_by_and() -> None:
    found = strategy("Do COX-2 inhibitors and other NSAIDs differ in osteoarthritis?")
    assert {"COX-2 inhibitors", "NSAIDs"} in [{c.name for c in b.concepts} for b in found.blocks]


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Does eravacycline work for pneumonia without prior carbapenem use?", "carbapenems"),
        ("Should patients with cirrhosis not on beta-blockers get ligation?", "beta blockers"),
        ("Does apixaban prevent stroke in people with no history of atrial fibrillation?", "Atrial Fibrillation"),
    ],
)
def test_what_is_wanted_absent_is_kept_as_such_and_never_required(question: str, absent: str) -> None:
    found = strategy(question)
    assert block(found, absent).negated
    assert all({absent} != group for n in range(len(found.rungs)) for group in required(found, n))
    assert any("absence of" in text for text in found.left_out)


def test_adverse_outcome_after_without_is_an_outcome_and_not_an_absence() -> None:
    found = strategy("Does clopidogrel prevent stroke without increasing bleeding?")
    assert not block(found, "Hemorrhage").negated


def test_outcomes_are_not_required_beside_a_treatment_and_a_condition() -> None:
    """Abstracts do not name all outcomes (Cochrane Handbook, 4.4.2)."""
    found = strategy("Does dapagliflozin reduce hospitalisation for heart failure in chronic kidney disease?")
    assert all({"Heart Failure"} != group for group in required(found, 0))


def test_outcome_is_required_where_there_is_no_second_concept_without_it() -> None:
    assert {"Acidosis, Lactic"} in required(strategy("Does metformin cause lactic acidosis?"), 0)


def test_groups_of_people_are_asked_for_on_the_strict_rung_alone() -> None:
    found = strategy("Is montelukast effective for asthma in children?")
    assert {"children"} in required(found, 0)
    assert {"children"} not in required(found, 1)


def test_country_is_part_of_the_strict_search() -> None:
    found = strategy("What do Indian guidelines recommend for newly diagnosed type 2 diabetes?")
    assert {"India"} in required(found, 0)


def test_short_telling_word_is_searched_for_and_long_empty_ones_are_not() -> None:
    found = strategy("Is high-sensitivity troponin at presentation enough to rule out myocardial infarction?")
    assert next(c.name for b in found.blocks if b.role is BlockRole.TOPIC for c in b.concepts) == "Troponin"
    assert "ctDNA" in [c.name for b in strategy("Role of ctDNA in stage II colon cancer").blocks for c in b.concepts]


def test_general_words_for_treatment_are_no_concept() -> None:
    found = strategy("Which drug therapy is effective for attention deficit hyperactivity disorder?")
    assert not any(c.name == "Drug Therapy" for b in found.blocks for c in b.concepts)


def test_class_is_known_by_heading_action_members_and_both_numbers() -> None:
    concept = block(strategy("Are proton pump inhibitors safe in cirrhosis?"), "proton pump inhibitors").concepts[0]
    names = {term.text.casefold(): term.kind for term in concept.terms}
    assert names["omeprazole"] is TermKind.MEMBER
    assert "proton pump inhibitor" in names
    assert {h.kind for h in concept.headings} == {HeadingKind.DESCRIPTOR, HeadingKind.PHARMACOLOGICAL_ACTION}


def test_drug_is_known_by_its_class_on_broad_rungs_only() -> None:
    concept = block(strategy("Does ramipril prevent stroke in diabetes?"), "ramipril").concepts[0]
    assert "ACE inhibitors" in concept.names(broad=True)
    assert "ACE inhibitors" not in concept.names()


def test_kinds_of_a_disease_are_alternatives_of_it() -> None:
    concept = block(strategy("Does omeprazole heal peptic ulcer?"), "Peptic Ulcer").concepts[0]
    assert {"Duodenal Ulcer", "Duodenal Ulcers"} <= set(concept.names())


def test_kind_that_was_asked_about_does_not_bring_its_sisters() -> None:
    concept = block(strategy("Does ablation help persistent atrial fibrillation?"), "Atrial Fibrillation").concepts[0]
    assert not any(term.kind is TermKind.NARROWER for term in concept.terms)


def test_every_rung_finds_what_the_rung_before_it_finds() -> None:
    questions = (
        "Compare apixaban with warfarin in atrial fibrillation with chronic kidney disease",
        "Is montelukast effective for asthma in children?",
        "Does screening with LDCT reduce lung cancer mortality in never smokers?",
        "Role of ctDNA in adjuvant therapy of stage II colon cancer",
        "Which oncogene mutations lead to polyps?",
    )
    for question in questions:
        found = strategy(question)
        text = " ".join(c.spoken for b in found.blocks for c in b.concepts)
        met = [meets(searchable([text]), found, rung) for rung in found.rungs]
        assert all(met), question
        for group in required(found, -1):
            assert any(group >= narrower for narrower in required(found, 0)), question


def test_a_collection_finds_what_meets_a_rung_text_by_text() -> None:
    """Phrases word by word and in their order, headings, groups of blocks; no phrase across two texts."""
    texts = [
        searchable(["Apixaban in atrial fibrillation", "Stroke; chronic kidney disease."]),
        searchable(["Fibrillation, atrial: apixaban or warfarin"]),
        searchable(["Atrial", "fibrillation and warfarin"]),
        searchable(["Warfarin in the elderly"], ["Atrial Fibrillation", "Renal Insufficiency, Chronic"]),
        searchable(["Ramipril and stroke in diabetes"], ["Diabetes Mellitus"]),
        searchable([""]),
    ]
    for question in (
        "Compare apixaban with warfarin in atrial fibrillation with chronic kidney disease",
        "Does ramipril prevent stroke in diabetes?",
        "Is montelukast effective for asthma in children?",
    ):
        found = strategy(question)
        for rung in found.rungs:
            told = {n for n, text in enumerate(texts) if meets(text, found, rung)}
            assert Collection(texts).meeting(found, rung) == told, (question, rung.name)
    assert Collection([]).meeting(found, found.rungs[0]) == set()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("proton pump inhibitors", "proton pump inhibitor"),
        ("esophageal varices", "oesophageal varices"),
        ("haemorrhage", "hemorrhage"),
        ("anemia", "anaemia"),
        ("stroke", "strokes"),
        ("metastasis", "metastases"),
        ("NSAID", "NSAIDs"),
    ],
)
def test_spellings_of_both_sides_of_the_atlantic_and_both_numbers(name: str, other: str) -> None:
    assert other in spellings(name)


@pytest.mark.parametrize("name", ["arthritis", "Sleep Apnea, Obstructive", "hypertension"])
def test_no_plural_is_made_up_where_none_is_written(name: str) -> None:
    assert spellings(name) == ()


def test_drug_has_no_plural_and_a_class_has() -> None:
    assert "metformins" not in block(strategy("Is metformin safe?"), "metformin").concepts[0].names()
    assert "statin" in block(strategy("Are statins safe?"), "statins").concepts[0].names()


@pytest.mark.parametrize(
    ("word", "told"),
    [("effective", NOTHING), ("patients", NOTHING), ("2024", NOTHING), ("enough", LITTLE), ("mask", SOME),
     ("ctDNA", MOST), ("GC1118", MOST), ("peresolimab", MOST)],
)  # fmt: skip
def test_information_of_a_word_is_not_its_length(word: str, told: int) -> None:
    assert information(word) == told


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("SGLT2 inhibitors in heart failure without diabetes or hypertension", {"Diabetes Mellitus", "Hypertension"}),
        ("treatment of HIV but no TB", {"Tuberculosis"}),
        ("antibiotics for penicillin-allergic patients with syphilis", {"penicillins"}),
    ],
)
def test_absence_goes_on_through_a_list_and_has_many_words(question: str, absent: set[str]) -> None:
    assert {c.name for b in strategy(question).blocks if b.negated for c in b.concepts} == absent


def test_with_or_without_is_no_absence() -> None:
    found = strategy("Chemotherapy with or without bevacizumab in ovarian cancer")
    assert {"bevacizumab"} in required(found, 0)


@pytest.mark.parametrize(
    "question",
    [
        "Does tirzepatide help adults, not children, with obesity?",
        "statins in non-pregnant women with lupus",
        "Sorafenib in Child-Pugh B hepatocellular carcinoma",
    ],
)
def test_people_who_are_left_out_or_part_of_a_name_are_not_asked_for(question: str) -> None:
    found = strategy(question)
    assert not {"children", "pregnancy"} & {c.name for b in found.blocks for c in b.concepts}


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Do probiotics prevent NEC in preterm infants?", "Enterocolitis, Necrotizing"),
        ("Does valproate in pregnancy cause autism?", "Autism Spectrum Disorder"),
        ("Paracetamol for fever in paediatric patients", "Fever"),
        ("Paracetamol for pain in pregnancy", "Pain"),
        ("Vancomycin-resistant Enterococcus: linezolid vs daptomycin", "Enterococcus"),
    ],
)
def test_the_asked_condition_stays_on_every_rung_but_the_treatment_alone(question: str, condition: str) -> None:
    found = strategy(question)
    last = len(found.rungs) - ("alone" in found.rungs[-1].name)
    assert all({condition} in required(found, n) for n in range(last))


def test_what_people_are_called_is_no_country() -> None:
    found = strategy("hypertension in African American patients amlodipine")
    assert not any(b.role is BlockRole.SETTING for b in found.blocks)


def test_words_of_asking_never_lead() -> None:
    assert "Prognosis" not in {c.name for b in strategy("What is the prognosis of ALS?").blocks for c in b.concepts}


def test_two_drugs_that_are_not_compared_stay_together() -> None:
    found = strategy("Does sildenafil interact with nitrates?")
    assert all([{"sildenafil"}, {"nitrates"}] == required(found, n) for n in range(len(found.rungs)))


def test_and_or_makes_alternatives() -> None:
    found = strategy("ACE inhibitors AND/OR ARBs in diabetic nephropathy")
    assert {"ACE inhibitors", "angiotensin receptor blockers"} in required(found, 0)


def test_short_form_that_means_many_things_is_not_searched_beside_its_long_one() -> None:
    concept = block(strategy("apixaban versus warfarin in AF"), "Atrial Fibrillation").concepts[0]
    assert "AF" not in concept.names()
    assert "atrial fibrillation" in {name.casefold() for name in concept.names()}


@pytest.mark.parametrize("word", ["diabetes", "herpes", "laboratory", "measles"])
def test_words_without_a_singular_get_none(word: str) -> None:
    assert not {"diabete", "herpe", "labouratory", "measle"} & set(spellings(word))
