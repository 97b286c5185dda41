"""A claim laid beside the sentence that it restates: which differences matter, and which are wording."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import EvidenceItem, ReasonCode, Verdict
from openwork_verifier.domain.aligned import Alignment, align
from openwork_verifier.domain.passages import read_passage
from openwork_verifier.domain.support import find_support
from openwork_verifier.domain.thresholds import THRESHOLDS
from verdicts import judged

C = ReasonCode
COLCHICINE = (
    "Colchicine reduced recurrent pericarditis at 18 months in adults with a first episode, but diarrhoea was more "
    "common than with placebo in the 240 patients who completed the trial."
)
MELATONIN = (
    "Melatonin may shorten the time to sleep in adolescents with delayed sleep phase, and some parents suggested "
    "that mood was better."
)
TICAGRELOR = (
    "Ticagrelor was noninferior to clopidogrel for stroke prevention in this randomised trial of adults with minor "
    "ischaemic stroke."
)
GOUT = (
    "Among 300 adults with gout, flares occurred in 12% of the febuxostat group and 20% of the allopurinol group "
    "during six months of treatment."
)
CYP = (
    "Carriers of the CYP2C19 variant needed weekly monitoring, and this was associated with fewer deaths, "
    "except in smokers."
)


def aligned(text: str, source: str) -> Alignment | None:
    return align(text, find_support(text, [read_passage(EvidenceItem(n=1, text=source))]), THRESHOLDS)


@pytest.mark.parametrize("source", [COLCHICINE, MELATONIN, TICAGRELOR, GOUT, CYP])
def test_a_sentence_of_the_source_word_by_word_is_supported(source: str) -> None:
    found = aligned(source.upper().rstrip("."), source)
    assert found is not None
    assert found.is_verbatim
    assert judged(source, source).verdict is Verdict.SUPPORTED


def test_a_claim_of_other_words_restates_nothing() -> None:
    assert aligned("Colchicine is a cheap drug.", COLCHICINE) is None


def test_an_edit_tells_both_wordings_and_what_stands_around_them() -> None:
    found = aligned(COLCHICINE.replace("reduced", "increased"), COLCHICINE)
    assert found is not None
    (edit,) = found.edits
    assert (edit.was, edit.now, edit.before, edit.after) == ("reduced", "increased", "colchicine", "recurrent")
    assert 0.9 < found.ratio < 1


def test_words_that_mean_the_same_are_no_edit() -> None:
    found = aligned(COLCHICINE.replace("reduced", "lowered"), COLCHICINE)
    assert found is not None
    assert found.is_verbatim


def test_what_is_left_out_of_brackets_is_an_aside() -> None:
    source = "Febuxostat lowered flares of gout in men (mainly those with tophi) during a year of treatment at home."
    found = aligned(source.replace("(mainly those with tophi) ", ""), source)
    assert found is not None
    assert [edit.in_brackets for edit in found.edits] == [True]


def swapped(text: str, one: str, other: str) -> str:
    return text.replace(one, "\0").replace(other, one).replace("\0", other)


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [(GOUT, "febuxostat", "allopurinol"), (GOUT, "12%", "20%"), (TICAGRELOR, "Ticagrelor", "clopidogrel")],
)
def test_names_or_numbers_that_changed_places_are_seen(source: str, one: str, other: str) -> None:
    text = swapped(source, one, other)
    found = aligned(text, source)
    assert found is not None
    assert len(found.exchanged) == 1
    assert C.ARMS_SWAPPED in {reason.code for reason in judged(text, source).reasons}


def test_arms_that_moved_with_their_figures_are_not_exchanged() -> None:
    text = swapped(swapped(GOUT, "febuxostat", "allopurinol"), "12%", "20%")
    found = aligned(text, GOUT)
    assert found is not None
    assert found.exchanged == ()
    assert judged(text, GOUT).verdict is Verdict.SUPPORTED


def test_a_passive_is_grammar_and_no_exchange() -> None:
    found = aligned("Serum ferritin was raised by oral iron in girls.", "Oral iron raised serum ferritin in girls.")
    assert found is None or found.exchanged == ()


@pytest.mark.parametrize(
    ("source", "was", "now"),
    [
        (COLCHICINE, "reduced", "lowered"),
        (COLCHICINE, "completed", "finished"),
        (MELATONIN, "may", "might"),
        (MELATONIN, "adolescents", "teenagers"),
        (GOUT, "six months", "6 months"),
        (GOUT, "300", "three hundred"),
    ],
)
def test_another_wording_of_the_same_is_supported(source: str, was: str, now: str) -> None:
    found = judged(source.replace(was, now), source)
    assert found.verdict is Verdict.SUPPORTED, found.reasons


@pytest.mark.parametrize(
    ("source", "was", "now", "code"),
    [
        (COLCHICINE, "reduced", "increased", C.DIRECTION_REVERSED),
        (COLCHICINE, "reduced", "did not reduce", C.DIRECTION_REVERSED),
        (COLCHICINE, "more common", "less common", C.DIRECTION_REVERSED),
        (COLCHICINE, "adults", "children", C.POPULATION_NOT_FOUND),
        (COLCHICINE, " in adults with a first episode", "", C.SUBGROUP_AS_WHOLE),
        (COLCHICINE, "the 240", "all 240", C.QUANTIFIER_CHANGED),
        (COLCHICINE, "pericarditis", "myocarditis", C.DISEASE_NOT_FOUND),
        (MELATONIN, "may shorten", "will shorten", C.CERTAINTY_OVERSTATED),
        (MELATONIN, "some parents", "most parents", C.QUANTIFIER_CHANGED),
        (MELATONIN, "suggested", "proved", C.CERTAINTY_OVERSTATED),
        (TICAGRELOR, "noninferior", "superior", C.NONINFERIORITY_OVERSTATED),
        (TICAGRELOR, "randomised trial", "cohort study", C.DESIGN_DIFFERS),
        (TICAGRELOR, "randomised", "observational", C.DESIGN_DIFFERS),
        (TICAGRELOR, "ischaemic", "haemorrhagic", C.WORD_REPLACED),
        (GOUT, "gout", "lupus", C.DISEASE_NOT_FOUND),
        (CYP, "CYP2C19", "CYP2D6", C.ENTITY_NOT_FOUND),
        (CYP, "weekly", "monthly", C.UNIT_MISMATCH),
        (CYP, "associated with", "caused by", C.CERTAINTY_OVERSTATED),
        (CYP, "except in", "including", C.SCOPE_CHANGED),
        (CYP, "smokers", "nonsmokers", C.SCOPE_CHANGED),
    ],
)
def test_one_edit_that_changes_what_is_said_is_named(source: str, was: str, now: str, code: ReasonCode) -> None:
    assert was in source
    found = judged(source.replace(was, now), source)
    assert code in {reason.code for reason in found.reasons}, found.reasons
    assert found.verdict is Verdict.NOT_CONFIRMED


def test_a_known_ingredient_in_the_place_of_another_is_proof() -> None:
    found = judged(COLCHICINE.replace("Colchicine", "Prednisone"), COLCHICINE)
    assert found.verdict is Verdict.CONTRADICTED
    assert found.reasons[0].code is C.DRUG_NOT_FOUND


def test_another_name_of_the_same_ingredient_is_no_change() -> None:
    source = "Major bleeding was less frequent with apixaban than with warfarin over two years in adults."
    assert judged(source.replace("warfarin", "Coumadin"), source).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("source", "was", "now", "code"),
    [
        (COLCHICINE, "240", "420", C.NUMBER_NOT_FOUND),
        (COLCHICINE, "18 months", "18 weeks", C.UNIT_MISMATCH),
        (GOUT, "six months", "six weeks", C.UNIT_MISMATCH),
        (GOUT, "12%", "13%", C.NUMBER_NOT_FOUND),
    ],
)
def test_an_edited_number_or_unit_is_contradicted(source: str, was: str, now: str, code: ReasonCode) -> None:
    found = judged(source.replace(was, now), source)
    assert code in {reason.code for reason in found.reasons}
    assert found.verdict is Verdict.CONTRADICTED
