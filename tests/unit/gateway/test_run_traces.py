"""What a run's root says, who asked as a trace names them, and what the run is worth."""

from __future__ import annotations

import hashlib
import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.annotations import Evaluation
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import root_span_id_of, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerDocument, Usage
from openwork_contracts.end import RunEnded
from openwork_contracts.evidence import Provenance
from openwork_contracts.meta import Event
from openwork_contracts.question import AskContext
from openwork_contracts.record import CandidateRecord, Decision, RunRecord
from openwork_contracts.verdict import VerificationScores
from openwork_gateway.domain.asker import session_of, user_of
from openwork_gateway.domain.evaluations import evaluations_of, retrieval_ndcg
from openwork_gateway.domain.folds import fold
from openwork_gateway.handlers import on_run_ended

from tests.fakes.collector import Seen
from tests.handling import delivered
from tests.memory_results import MemoryResults
from tests.memory_statistics import MemoryStatistics
from tests.run_events import RUN, completed, concluded, drafted, failed, planned, rejected, stored, submitted
from tests.tracing import broken_promises, seen

AT = datetime(2026, 1, 2, 23, 59, tzinfo=UTC)


def own_trace(end: RunEnded) -> RunEnded:
    """An end whose run began no trace but its own."""
    return end.model_copy(update={"meta": end.meta.model_copy(update={"trace_id": trace_id_of(RUN)})})


async def traced(*events: Event, times: int = 1) -> list[Seen]:
    """The spans that the gateway writes when the last of these, the run's end, is delivered so often."""
    exporter = InMemorySpanExporter()
    bus, results = MemoryBus(), MemoryResults()
    *earlier, end = events
    for event in earlier:
        await bus.publish(event)
    assert isinstance(end, RunEnded)
    for time in range(times):
        run = await delivered(bus, end, "gateway", again=time > 0)
        run.telemetry = Telemetry("gateway", ServiceSettings(), exporter)
        await on_run_ended(end, run, results, Figures("gateway"), MemoryStatistics())
    return [seen(span) for span in exporter.get_finished_spans()]


def document(**changes: object) -> AnswerDocument:
    whole = fold(stored([submitted(), planned(), concluded(), completed()]))
    return whole.model_copy(update=changes)


async def test_the_gateway_writes_the_root_with_question_outcome_and_totals() -> None:
    root, evaluation = await traced(submitted(), planned(), concluded(), own_trace(completed()))
    assert (root.name, root.trace_id, root.span_id) == ("openwork run", trace_id_of(RUN), root_span_id_of(RUN))
    assert evaluation.parent_id == root.span_id
    assert broken_promises([root, evaluation]) == []
    assert root.attributes["session.id"] == "open-work.local-2026-01-02", "and not the run"
    assert root.attributes["openwork.outcome"] == "answered"
    assert root.attributes["openwork.total.input_tokens"] == 7
    assert root.attributes["openwork.count.withheld"] == 1
    assert root.attributes["output.value"] == "Apixaban lowered stroke [1]."
    assert json.loads(str(root.attributes["metadata"]))["run_id"] == RUN
    assert not root.failed


async def test_an_end_that_is_delivered_again_writes_the_same_spans_and_no_others() -> None:
    spans = await traced(submitted(), planned(), concluded(), own_trace(completed()), times=2)
    assert len({span.span_id for span in spans}) == 2


@pytest.mark.parametrize(("end", "outcome", "is_failed"), [(rejected(), "rejected", False), (failed(), "failed", True)])
async def test_only_a_run_that_failed_is_an_error(end: RunEnded, outcome: str, is_failed: bool) -> None:
    root, evaluation = await traced(submitted(), own_trace(end))
    assert (root.attributes["openwork.outcome"], root.failed) == (outcome, is_failed)
    names = {name.split(".")[2] for name in evaluation.attributes if name.startswith("openwork.evaluation.")}
    assert names == {"latency_s", "cost_usd"}, "there were no claims and no works"


async def test_a_run_inside_somebody_elses_trace_has_no_second_root() -> None:
    assert await traced(submitted(), planned(), concluded(), completed()) == []


def test_a_run_that_ended_before_its_answer_says_what_models_had_cost() -> None:
    usage = Usage(input_tokens=40, output_tokens=2, cost_usd=0.001, model_calls=1)
    told = rejected().model_copy(update={"usage": usage})
    assert fold(stored([submitted(), told])).usage == usage
    late = drafted().model_copy(update={"usage": usage})
    assert fold(stored([submitted(), planned(), late, failed()])).usage == usage
    assert fold(stored([submitted(), planned(), failed()])).usage == Usage()


# --- who asked ------------------------------------------------------------------------------------------------------


def test_an_owner_is_hashed_since_it_may_be_a_name_but_local_is_nobodys() -> None:
    assert user_of("local") == "local"
    assert user_of("api/anita-sharma") == f"u-{hashlib.sha256(b'api/anita-sharma').hexdigest()[:16]}", (
        "as the docs tell"
    )
    assert "anita" not in user_of("api/anita-sharma")
    assert user_of("api/anita-sharma") != user_of("api/anita-sharmb")


def test_what_one_asker_asks_in_a_day_stands_together_and_a_conversation_by_itself() -> None:
    first = document(owner="api/anita", submitted_at=AT)
    same_day = document(owner="api/anita", submitted_at=AT.replace(hour=1), run_id="01ARZ3NDEKTSV4RRFFQ69G5FAW")
    next_day = document(owner="api/anita", submitted_at=AT.replace(day=3))
    assert session_of(first) == session_of(same_day) != session_of(next_day)
    assert session_of(first) == f"{user_of('api/anita')}-2026-01-02"
    talk = document(owner="api/anita", submitted_at=AT, context=AskContext(conversation_id="Mrs. Sharma's round"))
    assert session_of(talk) == session_of(talk.model_copy(update={"submitted_at": AT.replace(day=9)}))
    assert session_of(talk) != session_of(first)
    assert "Sharma" not in session_of(talk)
    other = talk.model_copy(update={"owner": "api/rao"})
    assert session_of(other) != session_of(talk), "an id is a client's own choice"


# --- what it is worth -----------------------------------------------------------------------------------------------


def figures(**changes: object) -> dict[str, Evaluation]:
    return {one.name: one for one in evaluations_of(document(**changes))}


def scores(claims: int, supported: int, coverage: float = 1.0) -> VerificationScores:
    grounding = supported / claims if claims else 1.0
    return VerificationScores(
        claims=claims,
        supported=supported,
        unsupported=claims - supported,
        grounding_score=grounding,
        citation_coverage=coverage,
    )


def test_claims_that_did_not_pass_are_counted_although_they_were_taken_out() -> None:
    found = figures(verification=scores(8, 6, 0.875))
    assert (found["grounding"].score, found["grounding"].label) == (0.75, "partly grounded")
    assert (found["unsupported_share"].score, found["unsupported_share"].label) == (0.25, "many")
    assert (found["citation_coverage"].score, found["citation_coverage"].label) == (0.875, "incomplete")


def test_one_in_twenty_claims_may_fail_before_the_label_turns() -> None:
    assert figures(verification=scores(20, 19))["grounding"].label == "grounded"
    assert figures(verification=scores(19, 18))["grounding"].label == "partly grounded"


def test_an_answer_without_claims_has_no_figure_of_claims() -> None:
    assert not {"grounding", "citation_coverage", "unsupported_share"} & figures(verification=scores(0, 0)).keys()


def test_time_and_cost_are_labelled_by_their_goals() -> None:
    dear = figures(usage=Usage(cost_usd=0.021, model_calls=3))
    assert (dear["cost_usd"].score, dear["cost_usd"].label) == (0.021, "dear")
    assert figures(usage=Usage(cost_usd=0.02))["cost_usd"].label == "within goal"
    timings = document().timings
    assert figures(timings=timings.model_copy(update={"total_s": 15.1}))["latency_s"].label == "slow"
    assert figures(timings=timings.model_copy(update={"total_s": 15.0}))["latency_s"].label == "in time"


def candidate(name: str, score: float | None, **ranks: int) -> CandidateRecord:
    """A work that each of these sources gave at that place."""
    origins = tuple(
        Provenance(source=source, source_id=name, rank=rank, retrieved_at=AT) for source, rank in ranks.items()
    )
    return CandidateRecord(candidate_id=name, decision=Decision.SHORTLISTED, document_score=score, provenance=origins)


def test_a_source_in_the_rankers_order_has_the_whole_figure_and_one_turned_round_less() -> None:
    works = [
        candidate("a", 1.0, good=1, bad=3),
        candidate("b", 0.5, good=2, bad=2),
        candidate("c", None, good=3, bad=1),
    ]
    found = retrieval_ndcg(works)
    assert found["good"] == 1.0
    best = 1.0 + 0.5 / math.log2(3)
    assert found["bad"] == pytest.approx((0.5 / math.log2(3) + 1.0 / math.log2(4)) / best)


def test_sources_with_one_work_or_none_on_the_shortlist_are_not_judged() -> None:
    works = [
        candidate("a", 0.9, pubmed=1, single=1),
        candidate("b", None, pubmed=2, none=1),
        candidate("c", None, none=2),
    ]
    assert set(retrieval_ndcg(works)) == {"pubmed"}
    assert retrieval_ndcg([]) == {}


def test_a_work_that_a_source_gave_twice_stands_at_its_first_place() -> None:
    again = Provenance(source="pubmed", source_id="a", rank=1, retrieved_at=AT)
    late = candidate("a", 1.0, pubmed=9)
    works = [late.model_copy(update={"provenance": (*late.provenance, again)}), candidate("b", 0.1, pubmed=2)]
    assert retrieval_ndcg(works) == {"pubmed": 1.0}


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=2, max_size=30), st.randoms())
def test_retrieval_is_in_the_unit_interval_and_does_not_depend_on_how_works_are_listed(
    gains: list[float | None], random: object
) -> None:
    works = [candidate(f"w{n}", gain, source=n + 1) for n, gain in enumerate(gains)]
    found = retrieval_ndcg(works)
    assert all(0 <= score <= 1 + 1e-12 for score in found.values())
    random.shuffle(works)  # type: ignore[attr-defined]
    assert retrieval_ndcg(works) == found


def test_the_figure_of_retrieval_is_the_mean_over_sources_and_names_each() -> None:
    works = (candidate("a", 1.0, one=1, two=2), candidate("b", 0.0, one=2, two=1))
    (found,) = (one for one in evaluations_of(document(record=RunRecord(candidates=works))) if "ndcg" in one.name)
    assert found.score == pytest.approx((1 + 1 / math.log2(3)) / 2, abs=1e-4)
    assert found.label == "2 sources"
    assert "one 1.000, two 0.631" in found.explanation
