"""A run as numbers: each is the document's, and nothing of the question, the answer or its owner is among them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_contracts.answer import AnswerDocument, Method, RunStatus, Timings, Usage
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import Provenance, SourceStatus
from openwork_contracts.record import CandidateRecord, Decision, RunRecord, SearchRecord
from openwork_contracts.verdict import ClaimVerdict, FindingKind, ReasonCode, Verdict, VerdictReason, VerificationScores
from openwork_gateway.domain.run_statistics import RunStatistics, SourceStatistics, parsed, statistics_of, written
from pydantic import ValidationError

from tests import exports
from tests.observed_runs import bad_hour, failed_run, good_hour
from tests.run_events import AT, claim, completed, ended, meta

DONE = completed()


def of(document: AnswerDocument, end: RunEnded = DONE) -> RunStatistics:
    return statistics_of(document, end)


def withheld(verdict: Verdict, *codes: ReasonCode) -> ClaimVerdict:
    reasons = tuple(VerdictReason(code=code, kind=FindingKind.PROOF, detail="a secret word") for code in codes)
    return claim("a secret word", 1, verdict=verdict).model_copy(update={"reasons": reasons})


def search(source: str, status: SourceStatus = SourceStatus.COMPLETED, **changes: object) -> SearchRecord:
    fields: dict[str, object] = {"track": "affirmative", "round": 1, "source": source, "status": status, "elapsed_s": 2}
    return SearchRecord.model_validate(fields | changes)


def work(name: str, decision: Decision, *sources: str, **changes: object) -> CandidateRecord:
    given = tuple(Provenance(source=source, source_id=name, rank=1, retrieved_at=AT) for source in sources)
    return exports.work(name, decision, provenance=given, **changes)


def test_sentences_are_counted_by_what_became_of_them() -> None:
    document = exports.document(
        answer=exports.document().answer.model_copy(
            update={"claims": (claim("A.", 1), claim("B.", 1), claim("C.", verdict=Verdict.NOT_A_CLAIM))}
        ),
        verification=VerificationScores(
            claims=5,
            supported=2,
            unsupported=3,
            removed=3,
            grounding_score=0.4,
            citation_coverage=1,
            against_own_words=1,
        ),
        withheld=(
            withheld(Verdict.UNSUPPORTED, ReasonCode.NUMBER_NOT_FOUND, ReasonCode.NUMBER_NOT_FOUND),
            withheld(Verdict.UNSUPPORTED, ReasonCode.NUMBER_NOT_FOUND, ReasonCode.DRUG_NOT_FOUND),
            withheld(Verdict.UNCITED, ReasonCode.CITATION_MISSING),
        ),
    )
    claims = of(document).claims
    assert (claims.claims, claims.supported, claims.own_words) == (5, 2, 1)
    assert (claims.shown, claims.shown_unsupported) == (2, 0)
    assert claims.withheld == {"unsupported": 2, "uncited": 1}
    assert claims.findings == {"number_not_found": 2, "drug_not_found": 1, "citation_missing": 1}


def test_a_sentence_that_was_shown_although_it_did_not_pass_is_seen() -> None:
    answer = exports.document().answer.model_copy(update={"claims": (claim("A.", 1, verdict=Verdict.NOT_CONFIRMED),)})
    assert of(exports.document(answer=answer)).claims.shown_unsupported == 1


def test_sources_are_counted_by_search_and_by_what_became_of_their_works() -> None:
    searches = (
        search("library", elapsed_s=0.5),
        search("pubmed"),
        search("pubmed", SourceStatus.FAILED, round=2, reason="timeout", elapsed_s=9),
        search("europepmc", SourceStatus.MISSED_DEADLINE, reason="deadline", elapsed_s=None),
        search("dailymed", SourceStatus.FAILED, reason="own_limit", elapsed_s=30),
    )
    works = (
        work("a", Decision.CITED, "library", "pubmed"),
        work("b", Decision.BELOW_THRESHOLD, "pubmed"),
        work("c", Decision.WITHOUT_TEXT, "pubmed", screened=False),
    )
    document = exports.document(record=RunRecord(searches=searches, candidates=works))
    assert of(document).sources == (
        SourceStatistics("dailymed", not_asked=1),
        SourceStatistics("europepmc", failed=1, error=FailureReason.DEADLINE),
        SourceStatistics("library", answered=1, works=1, cited=1, seconds=(0.5,)),
        SourceStatistics("pubmed", answered=1, failed=1, works=2, cited=1, seconds=(2, 9), error=FailureReason.TIMEOUT),
    )


def test_works_count_only_where_a_run_did_all_that_a_run_does() -> None:
    method = Method(counts={"identified": 60, "screened": 50, "shortlisted": 20, "cited": 4}, degradations=("slow",))
    for status, works in ((RunStatus.ANSWERED, 50), (RunStatus.TOO_LITTLE_EVIDENCE, 50), (RunStatus.FAILED, 0)):
        one = of(exports.document(method=method, status=status))
        assert (one.works, one.shortlisted, one.cited) == ((works, 20, 4) if works else (0, 0, 0)), status
        assert one.degraded


def test_time_and_money_are_the_documents() -> None:
    timings = Timings(total_s=7.5, steps={"end": 7.5}, services={"query": 1.0})
    usage = Usage(input_tokens=10, output_tokens=3, cost_usd=0.25, model_calls=2)
    one = of(exports.document(timings=timings, usage=usage))
    assert (one.total_s, one.services, one.ended_at) == (7.5, {"query": 1.0}, DONE.meta.occurred_at)
    assert (one.input_tokens, one.output_tokens, one.cost_usd, one.model_calls) == (10, 3, 0.25, 2)


@pytest.mark.parametrize(
    ("stage", "step"), [("verifier", "verifier"), ("gateway", "synthesiser"), (None, "synthesiser")]
)
def test_a_failure_says_where_the_run_stood_still(stage: str | None, step: str) -> None:
    """The gateway ends runs that are out of time, and is never where they stood still."""
    timings = Timings(total_s=120, waited_for="synthesiser")
    end = RunEnded(meta=meta(RunEnded), kind=EndKind.FAILED, failure=FailureReason.DEADLINE, stage=stage)
    one = of(exports.document(status=RunStatus.FAILED, timings=timings), end)
    assert (one.failure, one.step) == (FailureReason.DEADLINE, step)
    rejected = of(exports.document(status=RunStatus.REJECTED, timings=timings), ended(EndKind.REJECTED, "No."))
    assert (rejected.failure, rejected.step) == (None, None)


def test_nothing_of_a_question_an_answer_or_an_owner_is_kept() -> None:
    full = exports.full().model_copy(update={"owner": "api/dr-weiss", "withheld": (withheld(Verdict.UNSUPPORTED),)})
    kept = written(of(full)).decode()
    told = (full.question, full.owner, "dr-weiss", "a secret word", full.references[0].title, "Apixaban", "apixaban")
    assert [words for words in told if words in kept] == []


def test_what_is_written_is_read_again_also_what_a_newer_version_writes() -> None:
    for one in (*good_hour(3), *bad_hour(3), failed_run(9), of(exports.full())):
        assert parsed(written(one)) == one
    newer = b'{"more": 1, ' + written(failed_run(9)).replace(b'"failed","', b'"half_failed","')[1:]
    assert parsed(newer).status.value == "half_failed"
    with pytest.raises(ValidationError):
        parsed(b'{"run_id": "x"}')


def test_a_moment_keeps_its_zone() -> None:
    assert parsed(written(of(exports.full()))).ended_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
