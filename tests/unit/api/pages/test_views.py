"""Passages, progress, lists, comparison, the gate's remarks, the API's description: what pages are made from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.evidence import Which
from openwork_api.pages.views.copied import as_text
from openwork_api.pages.views.difference import difference
from openwork_api.pages.views.links import trace_address
from openwork_api.pages.views.listing import days
from openwork_api.pages.views.operations import reference_of
from openwork_api.pages.views.passages import passage_view
from openwork_api.pages.views.progress import progress_view, step_at_work
from openwork_api.pages.views.references import reference_views
from openwork_api.pages.views.remarks import report_view
from openwork_api.pages.views.sentences import Citing
from openwork_api.pages.views.works import Filters, works_view
from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_contracts.answer import RunStatus
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import EvidenceStatus, TextOrigin
from openwork_contracts.progress import ClaimProgress, Progress, SourceProgress, SourceState
from openwork_contracts.ranking import TrialFit
from openwork_contracts.record import Decision, RunRecord
from openwork_contracts.requests import RunSummary
from openwork_contracts.verdict import EvidenceItem, Verdict
from openwork_verifier.domain.gate import verify_answer

from tests.exports import AT, RUN, document, reference, work
from tests.memory_asker import MemoryAsker
from tests.unit.api.pages.made import PASSAGE_ID, QUOTE, TEXT, answered, record, said

OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"


def test_the_words_that_a_sentence_rests_on_are_marked_and_no_letter_is_lost() -> None:
    view = passage_view(answered(), PASSAGE_ID, claim=1)
    assert view is not None
    assert "\n".join("".join(piece.text for piece in line) for line in view.paragraphs) == TEXT
    assert [piece.text for line in view.paragraphs for piece in line if piece.marked] == [QUOTE]
    assert view.sentence is not None
    assert view.verdict == "Supported"
    assert view.whose == "the publication's own"


def test_without_a_sentence_the_words_of_all_are_marked() -> None:
    view = passage_view(answered(), PASSAGE_ID)
    assert view is not None
    assert view.sentence is None
    assert len(view.others) == 3


@pytest.mark.parametrize("number", [0, 4, 99])
def test_a_sentence_that_does_not_rest_on_the_passage_is_not_shown_with_it(number: int) -> None:
    view = passage_view(answered(), PASSAGE_ID, claim=number)
    assert view is not None
    assert view.sentence is None


def test_words_that_are_not_where_they_are_said_to_be_are_found_or_shown_apart() -> None:
    moved = said("A sentence.").model_copy(
        update={"evidence": (said("x").evidence[0].model_copy(update={"start": 3, "end": 9}),)}
    )
    lost = said("Another.", quote="words of another section")
    for one, marked, apart in ((moved, [QUOTE], ()), (lost, [], ("words of another section",))):
        view = passage_view(answered(direct=(one,)), PASSAGE_ID, claim=1)
        assert view is not None
        assert [piece.text for line in view.paragraphs for piece in line if piece.marked] == marked
        assert view.apart == apart


def test_a_summary_of_ours_is_said_to_be_one() -> None:
    made = answered(record=record(text_origin=TextOrigin.OUR_SUMMARY))
    made = made.model_copy(update={"references": (reference(text_origin=TextOrigin.OUR_SUMMARY, confirmed_at="NEJM"),)})
    view = passage_view(made, PASSAGE_ID, claim=1)
    assert view is not None
    assert view.ours
    assert view.whose == "a summary by Open Work, not the publication's own"
    assert view.confirmed_at == "NEJM"


def test_a_trial_that_does_not_test_the_question_is_said_to_be_one() -> None:
    view = passage_view(answered(record=record(fit=TrialFit(misfit=True, message="It tested a dose."))), PASSAGE_ID)
    assert view is not None
    assert view.misfit == "It tested a dose."


def test_a_passage_that_is_not_there_is_none() -> None:
    assert passage_view(answered(), "another") is None
    assert passage_view(document().model_copy(update={"record": None}), PASSAGE_ID) is None


@pytest.mark.parametrize(
    ("status", "words", "warns"),
    [
        (EvidenceStatus.NONE, "", False),
        (EvidenceStatus.NOT_CHECKED, "retraction status not checked", False),
        (EvidenceStatus.CORRECTED, "corrected since", False),
        (EvidenceStatus.RETRACTED, "RETRACTED", True),
    ],
)
def test_the_status_of_a_reference_is_said(status: EvidenceStatus, words: str, warns: bool) -> None:
    (view,) = reference_views(document(reference(status=status)))
    assert (view.status, view.warns) == (words, warns)


@pytest.mark.parametrize(
    ("phoenix", "trace_id", "address"),
    [
        ("http://127.0.0.1:6006", "4bf92f35", "http://127.0.0.1:6006/redirects/traces/4bf92f35"),
        ("https://traces.example.org/phoenix/", "a/b", "https://traces.example.org/phoenix/redirects/traces/a%2Fb"),
        (None, "4bf92f35", None),
        ("http://127.0.0.1:6006", None, None),
    ],
)
def test_the_trace_of_a_run_is_linked_where_somebody_said_where_it_is(
    phoenix: str | None, trace_id: str | None, address: str | None
) -> None:
    assert trace_address(phoenix, trace_id) == address


def test_copied_text_has_every_sentence_with_its_marks_and_the_references() -> None:
    made = answered()
    text = as_text(made, reference_views(made))
    assert "NNT 127 (67 to 1,100) [1]." in text
    assert "- The 2023 guideline recommends apixaban (class 1) [1]." in text
    assert "[1] Granger CB" in text
    assert "does not diagnose" in text


def test_a_sentence_that_is_not_borne_out_says_so_on_the_page_and_in_what_is_copied() -> None:
    """No service has shown one since `not_confirmed` is held back; answers that were stored before have them."""
    made = answered()
    (first, *others) = made.answer.claims
    claims = (first.model_copy(update={"verdict": Verdict.PARTLY_SUPPORTED}), *others)
    old = made.model_copy(update={"answer": made.answer.model_copy(update={"claims": claims})})
    assert [Citing(old).sentence(place).remark for place in (0, 1)] == ["not fully supported by the cited passage", ""]
    assert as_text(old, ()).count("(not fully supported by the cited passage)") == 1


# --- progress -------------------------------------------------------------------------------------------------------


def _progress(step: str, **changes: object) -> Progress:
    return Progress.model_validate({"run_id": RUN, "service": "x", "step": step, "at": AT} | changes)


def test_steps_before_the_one_at_work_are_done() -> None:
    told = _progress("shortlist", counts={"identified": 1200, "shortlisted": 20})
    view = progress_view(document(status=RunStatus.RUNNING), told, AT + timedelta(seconds=7))
    assert [step.state for step in view.steps] == ["done"] * 3 + ["now"] + ["waiting"] * 3
    assert view.steps[1].counts[0].n == 1200
    assert view.steps[3].counts[0].n is None
    assert view.elapsed_s == 7


def test_before_anything_is_told_it_searches_and_a_step_that_is_not_known_is_a_search() -> None:
    assert step_at_work(None) == "search"
    assert step_at_work(_progress("search pubmed")) == "search"


def test_a_source_that_failed_is_named_and_does_not_look_like_one_that_found_nothing() -> None:
    sources = (
        SourceProgress(name="pubmed", state=SourceState.FAILED),
        SourceProgress(name="europepmc", state=SourceState.COMPLETED, found=0),
    )
    view = progress_view(document(), _progress("search", sources=sources))
    assert [(one.name, one.words) for one in view.sources] == [("PubMed", "failed"), ("Europe PMC", "0 found")]


def test_only_sentences_that_passed_have_words() -> None:
    claims = (
        ClaimProgress(verdict=Verdict.SUPPORTED, text="This passed."),
        ClaimProgress(verdict=Verdict.CONTRADICTED, text="This did not."),
        ClaimProgress(verdict=Verdict.SUPPORTED),
    )
    view = progress_view(document(), _progress("checked", claims=claims))
    assert view.claims == (("This passed.", "Supported"),)


# --- lists ----------------------------------------------------------------------------------------------------------


def test_works_are_narrowed_sorted_and_paged_by_the_address() -> None:
    works = tuple(work(f"w{n:03}", Decision.BELOW_THRESHOLD, year=1900 + n) for n in range(120))
    made = document(record=RunRecord(candidates=(work("c", Decision.CITED, n=1), *works)))
    first = works_view(made, Filters())
    assert (len(first.works), first.n_fit, first.before) == (50, 121, None)
    last = works_view(made, Filters(page=99))
    assert (len(last.works), last.first, last.after) == (21, 101, None)
    assert first.after == f"/runs/{RUN}/evidence?which=all&order=rank&page=2"
    assert works_view(made, Filters(text="work W007")).n_fit == 1
    cited = works_view(made, Filters(which=Which.CITED))
    assert [(one.came, one.why) for one in cited.works] == [("Cited", "")]
    assert first.works[1].why == "ranked too low for the question"


def test_runs_are_listed_by_day_with_their_verdict() -> None:
    runs = [
        RunSummary(run_id=RUN, pipeline="answer", status=RunStatus.ANSWERED, submitted_at=at, question="Q", owner="x",
                   verdict=ConclusionVerdict.HARM)
        for at in (datetime(2026, 3, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, 23, tzinfo=UTC))
    ]  # fmt: skip
    assert [(day.name, day.runs[0].mark.words) for day in days(runs)] == [
        ("2 March 2026", "Harm"),
        ("1 March 2026", "Harm"),
    ]


def test_two_runs_are_compared_the_older_first() -> None:
    older = answered()
    newer = answered(ConclusionVerdict.NOT_SHOWN).model_copy(
        update={"run_id": OTHER, "references": (reference(2, title="Another"),)}
    )
    found = difference(newer, older)
    assert (found.before.run_id, found.after.run_id) == (RUN, OTHER)
    assert {row.name for row in found.rows if not row.same} == {"Verdict"}
    assert [(one.before, one.after) for one in (*found.added, *found.removed)] == [(None, 2), (1, None)]
    assert found.same_question


# --- remarks, the API's description, login --------------------------------------------------------------------------


def test_remarks_lay_each_sentence_beside_the_words_of_its_source() -> None:
    item = EvidenceItem(n=1, text="Stroke fell by 12% with apixaban.", text_origin=TextOrigin.OUR_SUMMARY)
    report = verify_answer("Stroke fell by 12% with apixaban. [1] Stroke fell by 21% with apixaban. [1]", [item])
    right, wrong = report_view(report).sentences
    assert (right.verdict, right.remarks) == ("Supported", ())
    assert wrong.remarks[0].proved
    assert wrong.words[0].ours
    assert report_view(report).counted.startswith("2 sentences claim something: 1 supported, 1 ")


def test_every_operation_of_the_api_is_described_with_examples() -> None:
    openapi = create_app(MemoryAsker(), Settings()).openapi()
    view = reference_of(openapi, "http://x")
    operations = [one for subject in view.subjects for one in subject.operations]
    assert len(operations) == sum(len(item) for item in openapi["paths"].values())
    names = {schema.name for schema in view.schemas}
    for one in operations:
        assert "{" not in one.curl.split(" -d ")[0]
        assert one.python.startswith("import httpx")
        assert {name for answer in one.answers if answer.kind for name in answer.kind.schemas} <= names
    (ask,) = (one for one in operations if (one.method, one.path) == ("POST", "/api/v1/runs"))
    assert '"question"' in ask.curl
