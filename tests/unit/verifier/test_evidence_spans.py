"""Passages as the gate's evidence, and spans back to where the words stand in their section."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, Identifiers, Provenance, TextOrigin
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.evidence import evidence_items, locate_spans
from openwork_verifier.domain.gate import score_claims, verify_claim

AT = datetime(2026, 1, 1, tzinfo=UTC)
SECTIONS = {
    "Abstract": "Apixaban was compared with warfarin. Major bleeding was lower with apixaban (HR 0.69).",
    "Results": "Of 18,201 people, 9,120 took apixaban. Major bleeding was lower with apixaban (HR 0.69). Deaths: 603.",
}


def work(n: int) -> EvidenceCandidate:
    return EvidenceCandidate(
        candidate_id=f"pmid:{n}",
        identifiers=Identifiers(pmid=str(n), doi=f"10.1000/{n}", nct_ids=("NCT00000001", "NCT00000002")),
        title=f"Work {n}",
        year=2011,
        status=EvidenceStatus.RETRACTED,
        provenance=(Provenance(source="library", source_id=str(n), rank=1, retrieved_at=AT),),
    )


def passage(n: int, section: str, start: int, end: int, text: str | None = None) -> RankedPassage:
    words = SECTIONS[section][start:end] if text is None else text
    return RankedPassage(
        n=n,
        passage_id=f"{n}-{section}-{start}",
        candidate_id=f"pmid:{n}",
        section=section,
        start=start,
        end=start + len(words),
        text=words,
        score=0.5,
        passage_score=0.5,
        document_score=0.5,
    )


def claim(*spans: EvidenceSpan) -> ClaimVerdict:
    return ClaimVerdict(text="x", citations=tuple(s.n for s in spans), verdict=Verdict.SUPPORTED, evidence=spans)


def test_an_item_holds_the_passages_of_its_work_in_the_order_of_the_work() -> None:
    passages = [passage(2, "Results", 39, 90), passage(1, "Abstract", 0, 36), passage(2, "Results", 0, 38)]
    first, second = evidence_items(passages, [work(1), work(2)])
    assert (first.n, second.n) == (1, 2)
    assert second.text == f"{SECTIONS['Results'][:38]}\n\n{SECTIONS['Results'][39:90]}"
    assert (second.pmid, second.doi, second.nct_id, second.status) == ("2", "10.1000/2", "NCT00000001", "retracted")


def test_a_work_without_a_passage_cannot_be_cited() -> None:
    """Its number stays its own: the next work does not move up."""
    (only,) = evidence_items([passage(2, "Abstract", 0, 36)], [work(1), work(2)])
    assert only.n == 2


@given(st.data())
def test_every_span_of_any_passage_is_found_again_where_it_stands(data: st.DataObject) -> None:
    """Whatever the number of passages per work and their order in the pack."""
    pieces = data.draw(
        st.lists(
            st.tuples(st.integers(1, 2), st.sampled_from(sorted(SECTIONS)), st.integers(0, 60), st.integers(1, 25)),
            min_size=1,
            max_size=6,
            unique_by=lambda piece: piece[:3],
        )
    )
    passages = [passage(n, section, start, start + size) for n, section, start, size in pieces]
    items = {item.n: item for item in evidence_items(passages, [work(1), work(2)])}
    wanted = data.draw(st.sampled_from(passages))
    inside = data.draw(st.integers(0, len(wanted.text) - 1))
    length = data.draw(st.integers(1, len(wanted.text) - inside))
    own = sorted((p for p in passages if p.n == wanted.n), key=lambda p: (p.section, p.start))
    before = sum(len(p.text) + 2 for p in own[: own.index(wanted)])
    start = before + inside
    quote = items[wanted.n].text[start : start + length]
    found = locate_spans(claim(EvidenceSpan(n=wanted.n, quote=quote, start=start, end=start + length)), passages)
    (span,) = found.evidence
    assert span.passage_id == wanted.passage_id
    assert SECTIONS[wanted.section][span.start : span.end] == span.quote == quote


def test_what_the_gate_quotes_is_found_in_the_section() -> None:
    """The same sentence in two passages: the span says which one was read."""
    passages = [passage(1, "Results", 0, 107), passage(1, "Abstract", 0, 88)]
    items = evidence_items(passages, [work(1)])
    verdict = verify_claim("Major bleeding was lower with apixaban (HR 0.69).", (1,), items)
    located = locate_spans(verdict, passages)
    assert located.evidence
    for span in located.evidence:
        section = next(p.section for p in passages if p.passage_id == span.passage_id)
        assert SECTIONS[section][span.start : span.end] == span.quote


def test_a_span_over_two_passages_is_left_out() -> None:
    passages = [passage(1, "Results", 0, 38), passage(1, "Results", 39, 90)]
    text = evidence_items(passages, [work(1)])[0].text
    spans = [EvidenceSpan(n=1, quote=text[s:e], start=s, end=e) for s, e in ((30, 45), (38, 40), (37, 39), (0, 38))]
    assert [span.start for span in locate_spans(claim(*spans), passages).evidence] == [0]


def test_a_span_of_a_work_that_has_no_passage_is_left_out() -> None:
    span = EvidenceSpan(n=2, quote="x", start=0, end=1)
    assert locate_spans(claim(span), [passage(1, "Abstract", 0, 36)]).evidence == ()


def test_the_words_to_look_at_and_the_cells_are_found_in_the_section_too() -> None:
    """Of a reason and of a number, as of the evidence; where they stand over two passages nothing is said."""
    passages = [passage(1, "Abstract", 0, 36), passage(1, "Results", 39, 90)]
    text = evidence_items(passages, [work(1)])[0].text
    at = EvidenceSpan(n=1, quote=text[40:50], start=40, end=50)
    across = EvidenceSpan(n=1, quote=text[30:45], start=30, end=45)
    reasons = [
        VerdictReason(code=ReasonCode.NUMBER_NOT_BOUND, detail="x", look_at=look_at) for look_at in (at, across, None)
    ]
    cells = [
        ResultCell(value="1", place=place)
        for place in (CellPlace(n=1, start=40, end=42), CellPlace(n=1, start=30, end=45), CellPlace(row="a"), None)
    ]
    found = locate_spans(claim(at).model_copy(update={"reasons": tuple(reasons), "cells": tuple(cells)}), passages)
    looked, lost, none = (reason.look_at for reason in found.reasons)
    assert looked is not None
    assert SECTIONS["Results"][looked.start : looked.end] == looked.quote
    assert (lost, none) == (None, None)
    first, second, row, nowhere = (cell.place for cell in found.cells)
    assert first is not None
    assert first.passage_id == "1-Results-39"
    assert (first.start, first.end) == (looked.start, looked.start + 2)
    assert second == CellPlace(n=1)
    assert (row, nowhere) == (CellPlace(row="a"), None)


SUMMARY, PUBLISHER, UNKNOWN = TextOrigin.OUR_SUMMARY, TextOrigin.PUBLISHER, TextOrigin.UNKNOWN_ORIGIN


def of(origin: TextOrigin, passage: RankedPassage) -> RankedPassage:
    return passage.model_copy(update={"text_origin": origin})


def mixed(first: TextOrigin, second: TextOrigin) -> list[RankedPassage]:
    """One work with an abstract and a full text."""
    return [of(first, passage(1, "Abstract", 0, 87)), of(second, passage(1, "Results", 0, 102))]


CLAIMS = {"Abstract": "Apixaban was compared with warfarin.", "Results": "Of 18,201 people, 9,120 took apixaban."}


def test_a_span_says_whose_words_it_is_also_where_a_work_has_words_of_several() -> None:
    passages = mixed(SUMMARY, PUBLISHER)
    items = evidence_items(passages, [work(1)])
    assert items[0].text_origin is UNKNOWN
    for section, wanted in (("Abstract", SUMMARY), ("Results", PUBLISHER)):
        found = locate_spans(verify_claim(CLAIMS[section], [1], items), passages)
        assert {span.text_origin for span in found.evidence} == {wanted}


def test_a_cell_says_whose_words_it_was_read_from() -> None:
    passages = mixed(SUMMARY, PUBLISHER)
    items = evidence_items(passages, [work(1)])
    found = locate_spans(verify_claim("In 18,201 people, 9,120 were given apixaban.", [1], items), passages)
    assert found.cells
    assert {cell.text_origin for cell in found.cells} == {PUBLISHER}


def test_what_is_looked_at_says_whose_words_it_is() -> None:
    passages = [of(SUMMARY, passage(1, "Abstract", 0, 87))]
    found = verify_claim("Major bleeding was lower with apixaban (HR 0.96).", [1], evidence_items(passages, [work(1)]))
    looked_at = [reason.look_at for reason in locate_spans(found, passages).reasons if reason.look_at]
    assert looked_at
    assert {span.text_origin for span in looked_at} == {SUMMARY}


@pytest.mark.parametrize(
    ("origins", "own", "ours"),
    [
        ((PUBLISHER, PUBLISHER), 2, 0),
        ((SUMMARY, PUBLISHER), 1, 1),
        ((SUMMARY, SUMMARY), 0, 2),
        ((UNKNOWN, TextOrigin.LABEL), 1, 0),
        ((UNKNOWN, UNKNOWN), 0, 0),
    ],
)
def test_sentences_checked_against_summaries_are_counted_apart(
    origins: tuple[TextOrigin, TextOrigin], own: int, ours: int
) -> None:
    passages = mixed(*origins)
    items = evidence_items(passages, [work(1).model_copy(update={"status": EvidenceStatus.NONE})])
    found = [locate_spans(verify_claim(text, [1], items), passages) for text in CLAIMS.values()]
    scores = score_claims([*found, verify_claim("Of 18,201 people, 9,999 took apixaban.", [1], items)])
    assert (scores.claims, scores.supported) == (3, 2)
    assert (scores.against_own_words, scores.against_summaries) == (own, ours)


def test_a_sentence_that_rests_on_a_summary_among_others_counts_as_checked_against_it() -> None:
    spans = [EvidenceSpan(n=n, quote="x", start=0, end=1, text_origin=o) for n, o in ((1, PUBLISHER), (2, SUMMARY))]
    scores = score_claims([claim(*spans)])
    assert (scores.against_own_words, scores.against_summaries) == (0, 1)
