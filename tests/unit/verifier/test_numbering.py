"""Citation numbers as the reader sees them: a permutation, applied to everything that carries one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerSection, Reference, SectionKind
from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.conclusion import (
    Conclusion,
    ConclusionVerdict,
    GuidelineStatement,
    NearestSentence,
    Regimen,
    StudyResult,
)
from openwork_contracts.gap import (
    AspectCoverage,
    Assessment,
    Contradiction,
    GapAssessment,
    GapRecommendation,
    QualityDistribution,
)
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.numbering import Numbering


def claim(*citations: int) -> ClaimVerdict:
    spans = tuple(EvidenceSpan(n=n, quote=f"quote of {n}", start=0, end=10) for n in citations)
    return ClaimVerdict(text="A sentence.", citations=citations, verdict=Verdict.SUPPORTED, evidence=spans)


def section(*claims: ClaimVerdict) -> AnswerSection:
    return AnswerSection(kind=SectionKind.EVIDENCE, heading="Evidence", claims=claims)


def gap(first: int, second: int, *citations: int) -> GapAssessment:
    contradiction = Contradiction(
        first=first,
        second=second,
        comparison="a or b",
        outcome="death",
        summary=f"[{first}] reports 3 fewer deaths, while [{second}] reports 5 more.",
    )
    return GapAssessment(
        assessment=Assessment.PARTIAL,
        coverage=0.5,
        aspects=(AspectCoverage(slot="population", term="adults", covered=True, citations=citations),),
        recency_concern=False,
        quality=QualityDistribution(),
        contradictions=(contradiction,),
        recommendation=GapRecommendation.PROCEED,
    )


@st.composite
def cited_of(draw: st.DrawFn) -> tuple[list[int], int]:
    """Some of n documents, in any order; numbers of no document and repetitions among them."""
    n = draw(st.integers(min_value=1, max_value=20))
    return draw(st.lists(st.integers(min_value=0, max_value=n + 3), max_size=n + 3)), n


@given(cited_of())
def test_renumbering_is_a_permutation_of_the_documents(case: tuple[list[int], int]) -> None:
    cited, n = case
    numbering = Numbering(cited, n_documents=n)
    assert sorted(numbering.of(old) for old in range(1, n + 1)) == list(range(1, n + 1))


@given(cited_of())
def test_cited_works_are_numbered_in_order_of_first_appearance(case: tuple[list[int], int]) -> None:
    cited, n = case
    numbering = Numbering(cited, n_documents=n)
    appearing = [old for old in dict.fromkeys(cited) if 1 <= old <= n]
    assert [numbering.of(old) for old in appearing] == list(range(1, len(appearing) + 1))


@given(cited_of())
def test_every_printed_citation_has_a_reference(case: tuple[list[int], int]) -> None:
    """A number that stands for no document is printed nowhere, and takes no place among the others."""
    cited, n = case
    numbering = Numbering(cited, n_documents=n)
    (renumbered,) = numbering.sections([section(*(claim(c) for c in cited if c > 0))])
    printed = {c for found in renumbered.claims for c in found.citations}
    assert printed == set(range(1, len(printed) + 1))


def test_a_claim_and_its_spans_move_together() -> None:
    (moved,) = Numbering([3, 1], n_documents=3).claims([claim(1, 3)])
    assert moved.citations == (2, 1)
    assert [(span.n, span.quote) for span in moved.evidence] == [(2, "quote of 1"), (1, "quote of 3")]


def test_references_come_in_the_order_of_their_new_numbers() -> None:
    references = [Reference(n=n, source="library", id=f"r{n}", title=f"Title {n}") for n in (1, 2, 3)]
    moved = Numbering([3, 1, 2], n_documents=3).references(references)
    assert [(r.n, r.id) for r in moved] == [(1, "r3"), (2, "r1"), (3, "r2")]


def test_a_work_that_is_not_cited_keeps_a_number_after_those_that_are() -> None:
    numbering = Numbering([4, 2], n_documents=4)
    assert [numbering.of(n) for n in (4, 2, 1, 3)] == [1, 2, 3, 4]


def test_nothing_cited_leaves_every_number() -> None:
    numbering = Numbering([], n_documents=3)
    assert [numbering.of(n) for n in (1, 2, 3, 9)] == [1, 2, 3, 9]


@given(st.permutations([1, 2, 3, 4]), st.permutations([1, 2, 3, 4]))
def test_a_contradiction_speaks_of_the_same_works_in_numbers_and_in_words(order: list[int], pair: list[int]) -> None:
    """Also when the two exchange their numbers: [1] and [2] become [2] and [1]."""
    numbering = Numbering(order, n_documents=4)
    moved = numbering.gap(gap(pair[0], pair[1], *pair[2:]))
    (found,) = moved.contradictions
    assert (found.first, found.second) == (numbering.of(pair[0]), numbering.of(pair[1]))
    assert re.findall(r"\[(\d+)\]", found.summary) == [str(found.first), str(found.second)]
    assert "3 fewer" in found.summary
    assert moved.aspects[0].citations == tuple(sorted(numbering.of(n) for n in pair[2:]))


def test_reasons_and_cells_name_the_readers_numbers_and_quotations_keep_theirs() -> None:
    reason = VerdictReason(
        code=ReasonCode.NUMBER_NOT_FOUND,
        detail="'5 %' is not in [3], [4]; [3] has 'as in [3], \\'6 %\\' [4]' in the source's place, \"it's [3]\" [99]",
        look_at=EvidenceSpan(n=3, quote="x", start=0, end=1),
    )
    cells = (ResultCell(value="6", place=CellPlace(n=3)), ResultCell(value="6", place=CellPlace(row="a")))
    before = claim(3).model_copy(update={"reasons": (reason,), "cells": (*cells, ResultCell(value="7"))})
    (after,) = Numbering([3, 4], n_documents=5).claims([before])
    (told,) = after.reasons
    wanted = "'5 %' is not in [1], [2]; [1] has 'as in [3], \\'6 %\\' [4]' in the source's place, \"it's [3]\" [99]"
    assert told.detail == wanted
    assert told.look_at is not None
    assert told.look_at.n == 1
    assert [cell.place.n if cell.place else None for cell in after.cells] == [1, None, None]


def study(n: int) -> StudyResult:
    return StudyResult(n=n, study=f"Study {n}", outcome="death")


@given(st.permutations(range(1, 13)))
def test_an_answer_object_speaks_of_the_same_works_under_the_readers_numbers(order: list[int]) -> None:
    numbering = Numbering(order, n_documents=12)
    before = Conclusion(
        verdict=ConclusionVerdict.CONFLICTING,
        lead=study(1),
        conflicts=(study(2),),
        others=(study(3), study(1)),
        harms=(study(4),),
        guidelines=(GuidelineStatement(n=5, body="Example Society", text="Drug A is recommended."),),
        harm_words="Cough was more frequent.",
        harm_n=6,
        about=(7, 1),
        nearest=(study(8),),
        regimens=(Regimen(n=9, study="Study 9", arms=("drug A 5 mg", "placebo")),),
        likely=(study(10),),
        in_words=NearestSentence(n=11, passage_id="p", text="Drug A lowered it."),
        nearest_sentences=(NearestSentence(n=12, passage_id="p", text="Drug A raised it."),),
    )
    after = numbering.conclusion(before)
    assert after is not None
    assert after.lead is not None
    named = {
        r.study: r.n for r in (after.lead, *after.conflicts, *after.others, *after.harms, *after.nearest, *after.likely)
    }
    assert named == {f"Study {n}": numbering.of(n) for n in (1, 2, 3, 4, 8, 10)}
    assert (after.guidelines[0].n, after.harm_n) == (numbering.of(5), numbering.of(6))
    assert after.regimens[0].n == numbering.of(9)
    assert after.in_words is not None
    assert (after.in_words.n, after.nearest_sentences[0].n) == (numbering.of(11), numbering.of(12))
    assert after.about == (numbering.of(7), numbering.of(1))
    assert after.sources == {numbering.of(n) for n in before.sources}


def test_no_answer_object_stays_none_and_one_without_a_result_is_as_it_was() -> None:
    numbering = Numbering([2, 1], n_documents=2)
    assert numbering.conclusion(None) is None
    empty = Conclusion(verdict=ConclusionVerdict.NOT_FOUND, missing=("evidence",))
    assert numbering.conclusion(empty) == empty
