"""The flow of records: whatever a run did, its numbers add up from the first step to the last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerDocument, Method
from openwork_contracts.record import CandidateRecord, Decision, FulltextRecord, RunRecord
from openwork_report.prisma import NOT_IN_THE_RECORD, PrismaFlow, prisma_flow

from tests.adding_up import assert_adds_up
from tests.exports import document, reference, searched, work

KNOWN = [one for one in Decision if one is not Decision.CITED]


def of(works: list[CandidateRecord], *, n_cited: int = 0, **counts: int) -> AnswerDocument:
    """A document whose counts are as the gateway makes them for these works."""
    excluded = sum(not one.screened for one in works)
    screened = len(works) - excluded
    total = {
        "duplicates": 4,
        "excluded_notices": 1,
        "excluded_no_text": excluded,
        "screened": screened,
        "identified": screened + excluded + 5,
    }
    references = tuple(reference(n) for n in range(1, n_cited + 1))
    record = RunRecord(candidates=tuple(works), searches=(searched(found=7), searched("europepmc", found=2)))
    found = document(*references, method=Method(counts=total | counts), record=record)
    return found.model_copy(update={"references": references})


decisions = st.sampled_from([*Decision, Decision("something_newer")])
works_of_a_run = st.lists(
    st.tuples(decisions, st.booleans(), st.sampled_from((None, 0.5)), st.sampled_from((None, "no abstract"))),
    max_size=30,
)


@given(works_of_a_run)
def test_the_numbers_add_up_whatever_became_of_each_work(made: list[tuple[Decision, bool, float | None, str]]) -> None:
    works = [
        work(f"w{n}", decision, screened=screened or decision is Decision.CITED, document_score=score, reason=reason)
        for n, (decision, screened, score, reason) in enumerate(made)
    ]
    n_cited = sum(one.decision is Decision.CITED for one in works)
    assert_adds_up(of(works, n_cited=n_cited))


def reasons(flow: PrismaFlow, step: str) -> dict[str, int]:
    (found,) = [one for one in flow.steps if one.name == step]
    return {out.reason: out.n for out in found.left_out}


def test_each_work_goes_out_at_the_step_at_which_the_run_let_it_go() -> None:
    why = "no abstract, and its title ranked too low for its full text to be looked for"
    works = [
        work("a", Decision.CITED, document_score=0.9),
        work("b", Decision.PASSAGE_CHOSEN, document_score=0.8, fulltext=FulltextRecord(source="pmc")),
        work("c", Decision.ABSTRACT_READ, document_score=0.7),
        work("d", Decision.WITHOUT_TEXT, document_score=0.6, reason="no abstract and no full text"),
        work("e", Decision.BELOW_THRESHOLD),
        work("f", Decision.WITHOUT_TEXT, reason=why),
        work("g", Decision.RETRACTED),
        work("h", Decision.WITHOUT_TEXT, screened=False, reason="no title"),
    ]
    flow = prisma_flow(of(works, n_cited=1, fulltext=1))
    assert [(step.name, step.n) for step in flow.steps] == [
        ("identified", 13),
        ("screened", 7),
        ("sought", 4),
        ("assessed", 3),
        ("included", 1),
    ]
    assert reasons(flow, "identified") == {
        "duplicates, by identifiers, then by title, year and authors": 4,
        "notices of retraction, correction or concern, linked to their works": 1,
        "nothing to read, and nowhere to look for a full text": 1,
    }
    assert reasons(flow, "screened") == {"ranked too low for the question": 1, why: 1, "retracted or withdrawn": 1}
    assert reasons(flow, "sought") == {"no abstract and no full text": 1}
    assert reasons(flow, "assessed") == {
        "read, not cited by the answer": 1,
        "abstract read, no passage of it chosen": 1,
    }
    assert (flow.found, flow.fulltexts_sought, flow.fulltexts_read) == ({"pubmed": 7, "europepmc": 2}, 1, 1)


@pytest.mark.parametrize("decision", [Decision.FOUND, Decision.SHORTLISTED])
def test_a_run_that_ended_early_says_so_and_adds_up(decision: Decision) -> None:
    works = [work(str(n), decision, document_score=0.5 if decision is Decision.SHORTLISTED else None) for n in range(3)]
    flow = assert_adds_up(of(works))
    words = [reason for step in flow.steps for reason in reasons(flow, step.name) if "ended" in reason]
    assert len(words) == 1


def test_works_that_are_counted_and_not_in_the_record_are_named_as_missing() -> None:
    found = of([work("a", Decision.CITED)], n_cited=1, screened=3, identified=8)
    assert reasons(assert_adds_up(found), "screened") == {NOT_IN_THE_RECORD: 2}


def test_without_a_record_only_the_steps_that_are_known_are_given() -> None:
    found = of([work("a", Decision.CITED)], n_cited=1).model_copy(update={"record": None})
    flow = prisma_flow(found)
    assert [step.name for step in flow.steps] == ["identified", "screened"]
    assert flow.missing == ("screening and what follows: the document was saved without its record",)


def test_a_run_that_never_searched_invents_no_step() -> None:
    found = document(record=RunRecord(), method=Method()).model_copy(update={"references": ()})
    flow = prisma_flow(found)
    assert flow.steps == ()
    assert flow.missing
