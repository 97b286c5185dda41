"""Lists that several services need: INN stems, study designs, publication statuses."""

from __future__ import annotations

import pytest
from openwork_contracts.evidence import EvidenceStatus, StudyDesign
from openwork_knowledge import designs
from openwork_knowledge.inn import inn_stem, inn_words, is_inn, stem_meaning
from openwork_knowledge.statuses import STATUS_ORDER, is_void, status_names, worst_status


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("semaglutide", "-glutide"),
        ("Tirzepatide", "-tide"),
        ("zongertinib", "-tinib"),
        ("statins", None),
        ("pravastatin", "-vastatin"),
        ("cefiderocol", "cef-"),
        ("nusinersen", "-rsen"),
        ("betablockers", None),
    ],
)
def test_a_name_is_told_by_the_longest_stem_it_has(word: str, stem: str | None) -> None:
    """The stem says what the substance is; a word without one is no name."""
    assert inn_stem(word) == stem


@pytest.mark.parametrize("word", ["accept", "concepts", "neuropeptide", "oligonucleotides", "cholesterol", "sulfate",
                                  "worsen", "Andersen", "ghrelin", "interleukins", "mab", "orphan"])  # fmt: skip
def test_a_word_that_only_ends_like_a_name_is_none(word: str) -> None:
    """These are listed with the stems; a stem alone, or as good as alone, names nothing."""
    assert not is_inn(word)


def test_every_stem_says_what_it_means_and_names_are_found_in_a_text() -> None:
    """A stem found is one that can be explained."""
    found = [m[0] for m in inn_words("Rivaroxaban, or apixabans (not aspirin) in 12mab trials")]
    assert found == ["Rivaroxaban", "apixabans"]
    assert stem_meaning("-xaban") == "factor Xa inhibitors"
    assert stem_meaning("cef-").startswith("antibiotics")


def test_every_design_and_status_of_the_files_is_one_of_the_contract() -> None:
    """A misspelt design in a data file must not wait for the record that has it."""
    for group in ("publication type", "trial type", "opinion type", "mesh heading", "title"):
        assert designs.designs_of(group)
    assert set(STATUS_ORDER) == set(EvidenceStatus)
    for group in ("publication type", "notice link"):
        assert {EvidenceStatus(s) for s in status_names(group).values()}
    assert all(designs.label(d) for d in StudyDesign if d not in {StudyDesign.NOTICE, StudyDesign.OTHER})
    assert all(0 < designs.weight(d, 0.3) <= 1 for d in StudyDesign)
    assert designs.nouns(StudyDesign.WEB_PAGE) == ()
    assert designs.SYNTHESES < designs.RANDOMISED < designs.HIGH_QUALITY


def test_void_is_retracted_or_withdrawn_and_nothing_else() -> None:
    """Concern and correction are said beside the work; what nobody checked is not void."""
    assert {s for s in EvidenceStatus if is_void(s)} == {EvidenceStatus.RETRACTED, EvidenceStatus.WITHDRAWN}
    assert is_void("Retracted")
    assert not is_void(None)
    assert worst_status([EvidenceStatus.CONCERN, EvidenceStatus.RETRACTED]) is EvidenceStatus.RETRACTED
    assert worst_status([]) is EvidenceStatus.NOT_CHECKED
