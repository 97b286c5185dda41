"""Labels: sections under the right names, nothing twice, and what is not a label left out."""

from __future__ import annotations

import json

import pytest
import source_answers as answers
from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, StudyDesign
from openwork_contracts.question import EntityKind
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.labels.dailymed import parse_list, without_twins, worth_reading
from openwork_retrievers.adapters.labels.openfda import parse_answer
from openwork_retrievers.adapters.labels.spl import parse_label
from openwork_retrievers.domain.rendering import drugs_of
from source_fakes import NOW, ScriptedHttp, analysis, entity, ok, search_request

OTHER_ID = "99999999-2222-3333-4444-555555555555"


def read(*sections: str, **fields: str) -> EvidenceRecord:
    found = parse_label("dailymed", answers.label(*sections, **fields).encode(), NOW)
    assert found is not None
    return found


def parts(record: EvidenceRecord) -> list[tuple[str | None, str]]:
    return [(part.label, part.text) for part in record.abstract]


def test_subsection_without_a_code_of_its_own_belongs_to_the_section_above() -> None:
    inner = answers.section("42229-5", text="Deeper still.")
    sub = answers.section("42229-5", title="6.1 Clinical Trials", text="In trials.", inside=inner)
    record = read(answers.section("34084-4", title="6 ADVERSE REACTIONS", text="Overview.", inside=sub))
    assert parts(record) == [
        ("Adverse reactions", "Overview."),
        ("Adverse reactions: 6.1 Clinical Trials", "In trials."),
        ("Adverse reactions: 6.1 Clinical Trials", "Deeper still."),
    ]


def test_boxed_warning_is_one_wherever_it_stands() -> None:
    boxed = answers.section("34066-1", text="May cause examples.")
    record = read(answers.section("42229-5", title="Notes", inside=boxed), answers.section("34066-1", text="Another."))
    assert [label for label, _ in parts(record)] == ["Boxed warning: Notes", "Boxed warning"]


def test_untitled_subsection_with_a_code_takes_its_standard_name() -> None:
    record = read(answers.section("43684-0", inside=answers.section("34077-8", text="In rats.")))
    assert parts(record) == [("Use in specific populations: Teratogenic effects", "In rats.")]


def test_statement_that_stands_in_a_title_is_kept() -> None:
    inner = answers.section("42229-5", title="4.1 Active liver disease")
    assert parts(read(answers.section("34070-3", title="4 CONTRAINDICATIONS", inside=inner))) == [
        ("Contraindications: 4.1 Active liver disease", "4.1 Active liver disease")
    ]


def test_highlights_package_text_and_recent_changes_are_not_read() -> None:
    record = read(
        answers.section("34067-9", text="For examples.", excerpt="For examples (1)"),
        answers.section("51945-4", text="10 mg 30 tablets"),
        answers.section("43683-2", text="Dosage, 2.1"),
    )
    assert parts(record) == [("Indications and usage", "For examples.")]


def test_drug_facts_are_named_after_the_product() -> None:
    inner = answers.section("50570-1", title="Do not use", text="in a child under 4")
    record = read(answers.section("34071-1", title="Warnings", inside=inner), title="Drug Facts")
    assert record.title == "EXAMPLOL (examplum): Drug Facts"
    assert parts(record) == [("Warnings: Do not use", "in a child under 4")]


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        ("", "EXAMPLOL (examplum)"),
        (
            "These highlights do not include all the information needed to use EXAMPLOL safely and "
            "effectively. See full prescribing information for EXAMPLOL.<br/>EXAMPLOL<sup>®</sup> tablets",
            "EXAMPLOL® tablets",
        ),
    ],
)
def test_title_is_the_products_where_the_document_has_none_of_its_own(printed: str, title: str) -> None:
    assert read(answers.section("34067-9", text="x"), title=printed).title == title


def test_index_file_is_not_a_label() -> None:
    body = answers.label(answers.section("48779-3", text="Class: Examples"), kind="INDEXING - PHARMACOLOGIC CLASS")
    assert parse_label("dailymed", body.encode(), NOW) is None


def test_label_says_what_it_is_and_of_whom() -> None:
    record = read(answers.section("34067-9", text="x"))
    assert (record.source_id, record.year, record.collective_author) == (answers.SET_ID, 2024, "Maker Inc")
    assert record.study_design is StudyDesign.DRUG_LABEL


def test_other_xml_is_a_changed_source() -> None:
    with pytest.raises(SourceChanged, match="SPL"):
        parse_label("dailymed", b"<document><setId/></document>", NOW)


WORDS = " ".join(f"word{i}" for i in range(300))


def test_repackaged_twin_is_left_out_and_another_drug_is_not() -> None:
    one = read(answers.section("34067-9", text=WORDS))
    twin = read(answers.section("34067-9", text=WORDS + " and a little more"), set_id=OTHER_ID)
    other = read(answers.section("34067-9", text=WORDS.replace("word", "other")))
    assert without_twins([one, twin, other]) == ([one, other], 1)


def test_homonyms_are_not_read_and_makers_come_before_repackagers() -> None:
    rows = (
        (answers.SET_ID, "APIXABAN TABLET [REMEDYREPACK INC.]"),
        (OTHER_ID, "ELIQUIS (APIXABAN) TABLET, FILM COATED [BRISTOL]"),
        ("22222222-2222-3333-4444-555555555555", "APIXABANOL CREAM [OTHER]"),
    )
    entries, total = parse_list("dailymed", answers.spls(*rows).encode())
    drug = drugs_of(strategy_of(analysis()))[0]
    assert total == 3
    assert [entry.set_id for entry in worth_reading(entries, drug)] == [OTHER_ID, answers.SET_ID]


async def test_label_that_cannot_be_read_costs_only_itself() -> None:
    from openwork_retrievers.adapters.labels.dailymed import DailyMedAdapter

    rows = ((answers.SET_ID, "APIXABAN TABLET [A]"), (OTHER_ID, "APIXABAN TABLET [B]"))
    whole = answers.label(answers.section("34067-9", text="x"))
    http = ScriptedHttp({"spls.json": [ok(answers.spls(*rows))], OTHER_ID: [ok(whole[:200])], ".xml": [ok(whole)]})
    result = await DailyMedAdapter("https://dailymed.example").search(search_request("dailymed"), http)
    assert len(result.records) == 1
    assert any("could not be read" in text for text in result.degradations)


async def test_question_without_a_drug_has_no_labels() -> None:
    from openwork_retrievers.adapters.labels.dailymed import DailyMedAdapter

    question = analysis(entities=(entity(EntityKind.DISEASE, "Asthma", "D001249"),))
    result = await DailyMedAdapter("https://d.example").search(
        search_request("dailymed", question=question), ScriptedHttp({})
    )
    assert result.records == ()


def test_openfda_label_keeps_each_section_once_and_no_tables() -> None:
    entry = {
        "set_id": answers.SET_ID,
        "warnings": ["WARNING one", "WARNING one", "two"],
        "openfda": {},
        "warnings_table": ["<table><tr><td>1</td></tr></table>"],
        "effective_time": "20151102",
    }
    record = parse_answer("openfda", json.dumps({"results": [entry]}).encode(), NOW)[0][0]
    assert parts(record) == [("Warnings", "WARNING one"), ("Warnings", "two")]
    assert record.year == 2015


def test_faers_counts_are_one_record_that_says_what_they_are_not() -> None:
    body = b'{"meta": {}, "results": [{"term": "NAUSEA", "count": 12}, {"term": "RASH", "count": 3}]}'
    record = parse_answer("openfda", body, NOW, drug="apixaban")[0][0]
    assert record.abstract[0].text == "NAUSEA: 12; RASH: 3"
    assert "not rates" in record.abstract[1].text


def test_single_faers_report_is_read_by_itself_or_in_a_list() -> None:
    report = {
        "safetyreportid": "7",
        "receivedate": "20140306",
        "patient": {"drug": [{"medicinalproduct": "X"}], "reaction": [{"reactionmeddrapt": "Rash"}]},
    }
    for body in (report, {"results": [report]}):
        record = parse_answer("openfda", json.dumps(body).encode(), NOW)[0][0]
        assert (record.source_id, record.year) == ("7", 2014)
