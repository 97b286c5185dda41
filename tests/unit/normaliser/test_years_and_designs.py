"""Years out of real dates, designs out of types and titles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import StudyDesign
from openwork_language.dates import parse_year
from openwork_normaliser.domain.design import study_design


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("2019 Apr-Jun", 2019),
        ("Winter 2020", 2020),
        ("2006-11", 2006),
        ("May 25, 2026", 2026),
        ("1998 Dec-1999 Jan", 1998),
        ("20190401", 2019),
        ("12/2003", 2003),
        (2011, 2011),
        ("", None),
        (None, None),
        ("in press", None),
        ("9999", None),
        ("PMC2019123", None),
    ],
)
def test_the_year_survives_real_dates(date: str | int | None, year: int | None) -> None:
    assert parse_year(date) == year


@given(st.text())
def test_any_text_gives_a_year_in_range_or_none(text: str) -> None:
    year = parse_year(text)
    assert year is None or 1600 <= year <= 2100


@pytest.mark.parametrize(
    ("title", "types", "design"),
    [
        ("Apixaban versus warfarin", ("Randomized Controlled Trial", "Journal Article"), StudyDesign.RCT),
        ("Apixaban versus warfarin", ("Letter", "Randomized Controlled Trial"), StudyDesign.RCT),
        ("Aspirin: a systematic review", ("Meta-Analysis", "Systematic Review"), StudyDesign.META_ANALYSIS),
        ("Aspirin: a systematic review", ("Review",), StudyDesign.SYSTEMATIC_REVIEW),
        ("Aspirin", ("Practice Guideline", "Systematic Review"), StudyDesign.GUIDELINE),
        ("Aspirin", ("Editorial", "Comment"), StudyDesign.EDITORIAL),
        ("Aspirin", ("Preprint",), StudyDesign.PREPRINT),
        ("Aspirin", ("Published Erratum",), StudyDesign.NOTICE),
        ("Aspirin", ("Retracted Publication", "Randomized Controlled Trial"), StudyDesign.RCT),
        ("Aspirin in Wistar rats", ("Journal Article",), StudyDesign.ANIMAL_OR_IN_VITRO),
        ("A randomised trial of aspirin in mice", (), StudyDesign.ANIMAL_OR_IN_VITRO),
        ("Aspirin use and cancer: a nationwide cohort study", ("Observational Study",), StudyDesign.COHORT),
        ("Aspirin use and cancer: a case-control study", ("Journal Article",), StudyDesign.CASE_CONTROL),
        ("Aspirin: a Mendelian randomized analysis", (), StudyDesign.OTHER),
        ("Aspirin: a non-randomized comparison", ("Clinical Trial",), StudyDesign.CLINICAL_TRIAL),
        ("Aspirin: protocol for a systematic review and meta-analysis", ("Systematic Review",), StudyDesign.OTHER),
        ("2024 ESC Guidelines for the management of atrial fibrillation", (), StudyDesign.GUIDELINE),
        ("Adherence to guidelines for the management of asthma", ("Review",), StudyDesign.REVIEW),
        ("Comment on: aspirin, a meta-analysis", (), StudyDesign.EDITORIAL),
    ],
)
def test_designs(title: str, types: tuple[str, ...], design: StudyDesign) -> None:
    assert study_design(title, types) is design


def test_the_source_decides_where_nothing_else_does() -> None:
    assert study_design("Eliquis", (), sources=("dailymed",)) is StudyDesign.DRUG_LABEL
    assert study_design("A page", (), sources=("tavily",), given=(StudyDesign.WEB_PAGE,)) is StudyDesign.WEB_PAGE


def test_what_a_web_search_calls_a_page_gives_way_to_what_the_work_is() -> None:
    types = ("Randomized Controlled Trial",)
    assert study_design("Apixaban", types, given=(StudyDesign.WEB_PAGE,)) is StudyDesign.RCT


def test_animal_work_on_human_cells_is_not_taken_for_a_study_in_people() -> None:
    assert study_design("Aspirin and platelets", (), mesh_terms=("Animals", "Rats")) is StudyDesign.ANIMAL_OR_IN_VITRO
    assert study_design("Aspirin: a cohort", (), mesh_terms=("Animals", "Humans")) is StudyDesign.COHORT
