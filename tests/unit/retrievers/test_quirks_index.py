"""Which test shows that each known quirk of real answers does no harm; the data set's QUIRKS.md lists the quirks.

The fixtures of the tests named here are our own, so a fresh clone runs them all; those marked `data` also look at the
recorded files. Where the data set is there, every line of its list has to have an entry here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).resolve().parents[2]


class Quirk(NamedTuple):
    """One line of the list."""

    words: str
    """A few words of that line, found in no other."""
    tests: tuple[str, ...]
    """`file::test`, without `.py`."""


ARTICLES = "test_pubmed_articles::test_"
HERE = "test_quirks::test_"
LITERATURE = "test_literature_sources::test_"
SAVED = "test_saved_answers::test_"
TRIALS = "test_ctgov_results::test_"
LABELS = "test_drug_labels::test_"
SECTIONS = "test_jats_sections::test_"
TABLES = "test_jats_tables::test_"
CONFORMANCE = "test_adapter_conformance::test_"

QUIRKS = (
    # PubMed XML
    Quirk(
        "`MedlineDate`",
        (
            f"{ARTICLES}year_comes_from_medline_date_where_there_is_no_year",
            f"{ARTICLES}season_beside_the_year_is_no_obstacle",
            f"{ARTICLES}year_is_that_of_the_issue_and_else_of_the_electronic_article",
        ),
    ),
    Quirk("starts with markup", (f"{ARTICLES}title_that_begins_with_markup_is_not_empty",)),
    Quirk(
        "inside AbstractText",
        (
            f"{ARTICLES}abstract_keeps_labels_and_markup_and_leaves_other_languages_out",
            f"{HERE}text_after_a_formula_in_an_abstract_is_kept",
        ),
    ),
    Quirk(
        "Structured abstracts",
        (
            f"{ARTICLES}abstract_keeps_labels_and_markup_and_leaves_other_languages_out",
            f"{HERE}record_without_an_abstract_is_a_record",
        ),
    ),
    Quirk("`OtherAbstract`", (f"{ARTICLES}abstract_keeps_labels_and_markup_and_leaves_other_languages_out",)),
    Quirk(
        "CollectiveName only",
        (
            f"{ARTICLES}authors_are_printed_as_pubmed_prints_them",
            f"{HERE}group_can_be_the_only_author",
        ),
    ),
    Quirk(
        "VernacularTitle for non-English",
        (
            f"{ARTICLES}translated_title_loses_its_brackets_and_untranslated_one_gives_way_to_the_original",
            f"{HERE}original_title_of_an_english_article_does_not_replace_its_title",
        ),
    ),
    Quirk(
        "RefType=RetractionIn",
        (
            f"{ARTICLES}notices_about_a_work_are_its_status",
            f"{ARTICLES}a_notice_is_linked_to_its_work_and_not_itself_corrected",
            f"{ARTICLES}published_version_names_its_preprint",
            "test_retracted_works::test_a_retracted_trial_is_marked_and_its_finding_is_not_told",
        ),
    ),
    Quirk(
        "DOIs of the *references*",
        (
            f"{ARTICLES}identifiers_are_the_records_own_and_never_those_of_its_references",
            f"{HERE}doi_stands_in_the_article_ids_alone",
        ),
    ),
    Quirk("Dryad DOIs", (f"{ARTICLES}only_trial_numbers_of_the_data_banks_are_trial_numbers",)),
    # E-utilities
    Quirk(
        "Errors come inside normal bodies",
        (
            f"{HERE}errors_inside_summaries_and_posts_are_raised",
            f"{HERE}unknown_id_in_a_summary_leaves_the_others",
            f"{HERE}search_without_hits_names_the_phrase_that_was_not_found",
            f"{CONFORMANCE}error_inside_a_normal_body_is_raised",
        ),
    ),
    Quirk(
        "elink has eight shapes",
        (
            f"{HERE}every_shape_of_elink_says_which_id_leads_where",
            "test_pubmed_search::test_esearch_xml_tells_the_same_as_json",
        ),
    ),
    Quirk(
        "article-type=correction",
        (
            f"{SAVED}correction_notice_in_jats_is_linked_to_its_work",
            f"{SECTIONS}correction_notice_is_known_as_one_and_names_its_article",
            f"{SECTIONS}article_in_a_set_is_read_and_further_ones_are_named",
            "test_fulltext_real_data::test_known_hard_articles",
        ),
    ),
    # JATS
    Quirk(
        'with or without the "PMC" prefix',
        (
            f"{SAVED}jats_front_matter_is_a_record",
            f"{HERE}article_without_doi_or_month_is_a_record",
            "test_fulltext_real_data::test_known_hard_articles",
        ),
    ),
    Quirk(
        "pub-date years disagree",
        (
            f"{SAVED}jats_front_matter_is_a_record",
            f"{SECTIONS}identifiers_year_journal_and_licence_are_the_articles_own",
            f"{HERE}article_without_doi_or_month_is_a_record",
        ),
    ),
    Quirk(
        "PLOS author summary",
        (
            f"{SECTIONS}lay_summaries_are_labelled_and_are_no_abstract",
            f"{SECTIONS}sections_keep_names_order_nesting_and_offsets",
            f"{SECTIONS}paragraphs_without_a_section_have_an_empty_path",
        ),
    ),
    Quirk(
        "rowspan/colspan",
        (
            f"{TABLES}spanning_cells_are_repeated_in_every_cell_they_span",
            f"{TABLES}table_that_is_a_picture_keeps_its_caption_and_says_so",
            f"{TABLES}tables_kept_apart_go_under_the_section_that_names_them_first",
        ),
    ),
    Quirk(
        "U+2212 minus",
        (
            "test_quantities::test_intervals_below_zero_keep_their_signs",
            f"{HERE}thin_space_inside_a_number_does_not_part_it",
            f"{SECTIONS}white_space_is_plain_and_invisible_characters_are_gone",
            f"{SECTIONS}decision_letters_replies_and_references_are_dropped",
        ),
    ),
    # Europe PMC
    Quirk(
        "pubYear is a string",
        (
            f"{LITERATURE}missing_year_falls_back_to_the_first_publication",
            f"{LITERATURE}hit_with_only_an_id_is_no_record",
            f"{LITERATURE}preprint_without_pmid_is_a_record_of_its_own",
            f"{HERE}hit_without_authors_and_with_an_empty_abstract_is_a_record",
        ),
    ),
    Quirk(
        "lite has no abstract",
        (
            f"{LITERATURE}lite_record_has_not_been_checked_for_notices",
            f"{LITERATURE}headings_in_an_abstract_are_labels",
            f"{HERE}hit_without_authors_and_with_an_empty_abstract_is_a_record",
            f"{HERE}synonyms_are_asked_for_and_not_left_to_the_method",
        ),
    ),
    Quirk(
        "double-encoded the cursor",
        (
            f"{LITERATURE}cursor_that_was_read_otherwise_marks_the_search_and_repeated_pages_end_it",
            f"{HERE}no_hits_come_without_a_cursor",
            f"{CONFORMANCE}error_inside_a_normal_body_is_raised",
        ),
    ),
    # ClinicalTrials.gov
    Quirk(
        'Dates "2006-11"',
        (
            f"{TRIALS}planned_enrolment_is_no_sample_and_background_reading_no_result",
            f"{HERE}study_asked_for_by_its_number_comes_without_a_list_and_without_arms",
            f"{CONFORMANCE}pages_are_followed_to_the_end",
        ),
    ),
    Quirk(
        "Arms have different ids",
        (
            f"{TRIALS}arms_are_matched_by_title_and_the_experimental_one_comes_first",
            f"{TRIALS}a_title_that_fits_no_arm_is_put_under_none",
            f"{HERE}pseudo_arm_of_everybody_is_no_arm_and_gives_none_its_number",
        ),
    ),
    Quirk(
        "outcomeMeasures: classes",
        (
            f"{TRIALS}each_class_is_a_result_of_its_own_with_its_own_denominators",
            f"{TRIALS}outcome_posted_without_data_is_told_and_gives_no_result",
            f"{TRIALS}missing_value_says_why_and_is_no_number",
            f"{TRIALS}only_counts_of_people_are_events",
        ),
    ),
    Quirk(
        "pValue is a string",
        (
            f"{TRIALS}effect_keeps_its_level_and_its_p_value_as_printed",
            f"{HERE}analysis_without_an_estimate_and_of_a_legacy_type_is_no_effect",
            f"{TRIALS}deaths_and_serious_events_are_results_and_old_records_have_no_deaths",
        ),
    ),
    Quirk("FullStudiesResponse", (f"{TRIALS}retired_v1_format_is_named_as_such",)),
    # SPL, openFDA
    Quirk(
        "urn:hl7-org:v3",
        (
            f"{LABELS}subsection_without_a_code_of_its_own_belongs_to_the_section_above",
            f"{LABELS}untitled_subsection_with_a_code_takes_its_standard_name",
            f"{LABELS}boxed_warning_is_one_wherever_it_stands",
            f"{LABELS}title_is_the_products_where_the_document_has_none_of_its_own",
            f"{LABELS}drug_facts_are_named_after_the_product",
            f"{LABELS}index_file_is_not_a_label",
            f"{LABELS}highlights_package_text_and_recent_changes_are_not_read",
            f"{LABELS}repackaged_twin_is_left_out_and_another_drug_is_not",
            f"{HERE}sections_deep_inside_one_another_are_read",
        ),
    ),
    Quirk(
        "unrelated homonyms",
        (
            f"{LABELS}homonyms_are_not_read_and_makers_come_before_repackagers",
            f"{HERE}list_of_labels_has_written_out_dates_and_no_label",
        ),
    ),
    Quirk(
        "openFDA label fields",
        (
            f"{LABELS}openfda_label_keeps_each_section_once_and_no_tables",
            f"{LABELS}faers_counts_are_one_record_that_says_what_they_are_not",
            f"{HERE}openfda_entry_of_another_kind_is_no_label",
            f"{CONFORMANCE}nothing_found_is_a_result_not_an_error",
        ),
    ),
    # Indexes and the web
    Quirk(
        "abstract_inverted_index",
        (
            f"{LITERATURE}abstract_is_rebuilt_by_position",
            f"{LITERATURE}work_without_authors_or_pmid_and_one_alone_are_read",
            "test_identifiers::test_doi_in_any_dress",
            f"{HERE}select_of_openalex_names_what_a_record_is_made_of",
            f"{HERE}not_found_in_every_services_own_words_is_nothing_found",
        ),
    ),
    Quirk(
        "best_oa_location",
        (
            "test_fulltext_chain::test_closed_work_has_no_place_and_an_open_one_may_have_no_pdf",
            f"{HERE}unpaywall_search_nests_its_works_and_authors_may_be_null",
        ),
    ),
    Quirk(
        "Resource not found.",
        (
            f"{HERE}not_found_in_every_services_own_words_is_nothing_found",
            f"{SAVED}bibtex_of_crossref_is_read",
            f"{LITERATURE}update_of_another_work_is_a_link_and_update_of_this_one_its_status",
        ),
    ),
    Quirk(
        "batch returns null",
        (
            f"{LITERATURE}unknown_ids_of_a_batch_are_null_and_zero_hits_have_no_data",
            f"{HERE}refusal_of_semantic_scholar_is_not_nothing_found",
            f"{HERE}not_found_in_every_services_own_words_is_nothing_found",
        ),
    ),
    Quirk(
        "Tavily: answer",
        (
            f"{HERE}web_result_with_null_fields_is_read_and_its_noise_left_out",
            f"{LITERATURE}web_page_is_text_without_marks_and_names_the_work_in_its_address",
        ),
    ),
    # Documents and exports
    Quirk(
        "custom-encoded fonts",
        (
            "test_pdf_reading::test_font_that_cannot_be_decoded_is_known_by_its_words",
            "test_pdf_reading::test_columns_are_read_one_after_the_other",
            "test_pdf_reading::test_scan_and_damage_are_told_apart_from_text",
            "test_fulltext_hostile::test_hard_pdfs_say_why_they_cannot_be_read",
        ),
    ),
    Quirk(
        "Embase CSV",
        (
            "test_library_import::test_embase_vertical_blocks",
            "test_library_import::test_ris_without_end_marks_and_with_a_year_that_is_none",
            "test_library_import::test_same_work_in_three_files_is_one_record_with_all_that_they_know",
        ),
    ),
)

NOT_READ = (
    "rct-extraction: missing numbers",
    "Fixed and random effects disagree",
    "CT04280705 results JSON",
    "PubMedQA + MedHallu",
)
"""Lines about benchmarks that no code of a service reads. Those that an evaluation reads are read by name there."""


def quirks_listed(data_dir: Path) -> list[str]:
    text = (data_dir / "QUIRKS.md").read_text("utf-8")
    return [line.lstrip("- ") for line in text.splitlines() if line.startswith("-")]


def existing_tests() -> set[str]:
    return {
        f"{path.stem}::{name}"
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }


def test_every_test_that_is_named_exists() -> None:
    named = {test for quirk in QUIRKS for test in quirk.tests}
    assert named <= existing_tests(), named - existing_tests()
    assert all(quirk.tests for quirk in QUIRKS)


@pytest.mark.data
def test_every_quirk_of_the_list_has_its_tests(data_dir: Path) -> None:
    lines = quirks_listed(data_dir)
    for words in (*(quirk.words for quirk in QUIRKS), *NOT_READ):
        assert sum(words in line for line in lines) == 1, words
    known = [quirk.words for quirk in QUIRKS] + list(NOT_READ)
    assert [line for line in lines if not any(words in line for words in known)] == []
