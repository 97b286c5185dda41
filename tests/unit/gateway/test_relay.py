"""What an asker hears while a run goes on: one small message with all that was told so far, and no more than that."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.gap import Assessment
from openwork_contracts.progress import MOST_BYTES, ClaimProgress, Progress, SourceProgress, SourceState
from openwork_contracts.verdict import Verdict
from openwork_gateway.domain.face import told_so_far, within_bounds
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.relay import ProgressRelay
from openwork_gateway.results import put_document

from tests.memory_results import MemoryResults
from tests.run_events import AT, RUN

LIBRARY = SourceProgress(name="library", state=SourceState.COMPLETED, found=14)
PUBMED = SourceProgress(name="pubmed", state=SourceState.SEARCHING)


def step(name: str = "rank", **told: object) -> Progress:
    return Progress.model_validate({"run_id": RUN, "service": "test", "step": name, "at": AT, **told})


class Told(MemoryResults):
    """Results in memory, and what the asker heard of the run."""

    @property
    def steps(self) -> list[Progress]:
        """In order."""
        return [result.progress for result in self.told.get(("local", RUN), []) if result.progress]


async def heard(relay: ProgressRelay, *told: Progress | bytes) -> None:
    for one in told:
        body = one if isinstance(one, bytes) else one.model_dump_json().encode()
        await relay.hear(SimpleNamespace(subject=f"openwork.progress.v1.{RUN}", data=body))  # type: ignore[arg-type]


async def test_an_asker_hears_the_newest_step_with_all_that_was_told_before() -> None:
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "local", 60)
    await heard(relay, step("search library", sources=(LIBRARY,)), step("search pubmed", sources=(PUBMED,)))
    await relay.tell()
    failed = PUBMED.model_copy(update={"state": SourceState.FAILED})
    await heard(relay, step("join", counts={"screened": 12}, sources=(failed,)), step(counts={"shortlisted": 9}))
    await relay.tell()
    first, second = told.steps
    assert (first.step, first.sources, first.counts) == ("search pubmed", (LIBRARY, PUBMED), {})
    assert (second.step, second.sources) == ("rank", (LIBRARY, failed))
    assert second.counts == {"screened": 12, "shortlisted": 9}
    assert told.kinds("local", RUN) == ["progress", "progress"]


async def test_nothing_new_is_not_told_again() -> None:
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "local", 60)
    await heard(relay, step())
    await relay.tell()
    await relay.tell()
    await heard(relay, b"no progress at all")
    await relay.tell()
    assert len(told.steps) == 1


async def test_a_line_that_cannot_be_read_does_not_take_the_others_with_it() -> None:
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "local", 60)
    await heard(relay, step(counts={"screened": 1}), b'{"step": 7}', step("next"))
    await relay.tell()
    assert [(one.step, one.counts) for one in told.steps] == [("next", {"screened": 1})]


async def test_a_run_that_is_over_or_was_let_in_elsewhere_is_not_told_of() -> None:
    told = Told()
    relay = ProgressRelay(told)
    await heard(relay, step())
    relay.follow(RUN, "local", 60)
    await heard(relay, step())
    relay.forget(RUN)
    await relay.tell()
    assert told.steps == []


async def test_what_another_account_is_told_under_a_run_id_ends_nothing_of_the_run() -> None:
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "ALICE/person", 60)
    relay.over(RUN, "BOB")
    assert len(relay) == 1
    relay.over(RUN, "ALICE")
    assert len(relay) == 0


def over() -> AnswerDocument:
    """What the run came to."""
    document = refused_document(RUN, "no", owner="local", pipeline="answer")
    return document.model_copy(update={"status": RunStatus.FAILED})


async def test_progress_that_is_late_is_not_put_over_the_document() -> None:
    """The document is to stay the last message: lists and later readers find it there."""
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "local", 60)
    await heard(relay, step())
    await put_document(told, over())
    await relay.tell()
    assert told.kinds("local", RUN) == ["document"]


async def test_a_run_that_was_refused_once_and_let_in_later_has_progress() -> None:
    told = Told()
    relay = ProgressRelay(told)
    await put_document(told, refused_document(RUN, "busy", owner="local", pipeline="answer"))
    relay.follow(RUN, "local", 60)
    await heard(relay, step())
    await relay.tell()
    assert told.kinds("local", RUN) == ["document", "progress"]


async def test_a_run_whose_end_nobody_heard_is_forgotten_after_its_deadline() -> None:
    now = [0.0]
    relay = ProgressRelay(Told(), clock=lambda: now[0])
    for n in range(1000):
        relay.follow(str(n), "ALICE", 60)
    relay.forget("7")
    assert len(relay) == 999
    now[0] = 61
    await relay.tell()
    assert len(relay) == 0


@pytest.mark.parametrize("body", [b"", b"[" * 100_000, step().model_dump_json().replace(RUN, new_run_id()).encode()])
async def test_what_is_no_progress_of_that_run_is_passed_over(body: bytes) -> None:
    told = Told()
    relay = ProgressRelay(told)
    relay.follow(RUN, "local", 60)
    await heard(relay, body)
    await relay.tell()
    assert told.told == {}


@pytest.mark.parametrize("error", [BusUnavailable("nobody answers"), RuntimeError("a bug")])
async def test_results_that_cannot_be_stored_stop_nothing(error: Exception) -> None:
    class Broken(Told):
        async def put_progress(self, progress: Progress, owner: str) -> bool:
            if progress.run_id == RUN:
                raise error
            return await super().put_progress(progress, owner)

    told, other = Broken(), new_run_id()
    relay = ProgressRelay(told)
    for run_id in (RUN, other):
        relay.follow(run_id, "local", 60)
        data = step().model_copy(update={"run_id": run_id}).model_dump_json().encode()
        await relay.hear(SimpleNamespace(subject=f"openwork.progress.v1.{run_id}", data=data))  # type: ignore[arg-type]
    await relay.tell()
    assert told.kinds("local", other) == ["progress"]


def test_a_verdict_stays_until_there_is_a_newer_one() -> None:
    judged = step(claims=(ClaimProgress(verdict=Verdict.SUPPORTED),), assessment=Assessment.PARTIAL)
    kept = told_so_far(judged, step("next"))
    assert (kept.claims, kept.assessment) == (judged.claims, Assessment.PARTIAL)
    newer = (ClaimProgress(verdict=Verdict.UNSUPPORTED),)
    assert told_so_far(kept, step(claims=newer, assessment=Assessment.SUFFICIENT)).claims == newer


@given(
    st.lists(st.text(max_size=300), max_size=40),
    st.lists(st.from_regex(r"[a-z][a-z0-9_-]{0,60}", fullmatch=True), max_size=40, unique=True),
    st.text(max_size=4000),
)
def test_a_message_is_always_small(texts: list[str], names: list[str], note: str) -> None:
    large = step(
        claims=[{"verdict": "supported", "text": text} for text in texts],
        sources=[{"name": name, "state": "searching"} for name in names],
        note=note,
    )
    small = within_bounds(large)
    assert len(small.model_dump_json(exclude_defaults=True).encode()) < MOST_BYTES
    assert small.step == large.step


def test_what_fits_is_told_whole() -> None:
    told = step(
        claims=[{"verdict": "supported", "text": "Apixaban lowered stroke."}], sources=(LIBRARY,), note="so far"
    )
    assert within_bounds(told) == told
