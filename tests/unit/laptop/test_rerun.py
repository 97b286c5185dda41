"""Taking a run up again: what of its events moves with it, and which of them start a step."""

from __future__ import annotations

from datetime import timedelta

from openwork_contracts.plan import SearchPlanned
from openwork_contracts.subjects import EVENTS
from openwork_gateway.domain.folds import fold
from openwork_laptop.runs import STEPS, _first_only, _moved, difference

from tests.run_events import AT, RUN, completed, concluded, drafted, in_track, normalised, planned, stored, submitted

NEW = "01BX5ZZKBKACTAV9WEVGEMMVRZ"


def test_an_event_moves_with_its_track_its_parents_and_its_moments() -> None:
    plan = planned("falsification", round_=2)
    question = submitted().meta.event_id
    plan = plan.model_copy(update={"meta": plan.meta.model_copy(update={"parent_ids": (question,)})})
    moved = _moved(plan, NEW, timedelta(hours=1))
    assert isinstance(moved, SearchPlanned)
    assert moved.meta.event_id == f"openwork.v1.search-planned.answer.all.{NEW}.falsification.2.0"
    assert moved.meta.parent_ids == (question.replace(RUN, NEW),)
    assert (moved.meta.run_id, moved.meta.track, moved.meta.round) == (NEW, "falsification", 2)
    assert moved.run_deadline_at == moved.retrieval_deadline_at == AT + timedelta(hours=1)
    assert (moved.analysis, moved.reason) == (plan.analysis, plan.reason)


def test_a_step_starts_with_its_first_round_in_every_track() -> None:
    events = [normalised(), normalised(track="falsification")]
    later = events[0].model_copy(update={"meta": in_track(type(events[0]), round_=2)})
    assert [s.event for s in _first_only(stored([*events, later]))] == events


def test_a_revision_is_made_anew() -> None:
    revised = drafted().model_copy(update={"meta": in_track(type(drafted()), part="1"), "revision": 1})
    assert [s.event for s in _first_only(stored([drafted(), revised]))] == [drafted()]


def test_every_step_starts_with_events_that_there_are() -> None:
    assert {name for names in STEPS.values() for name in names} <= {spec.name for spec in EVENTS}


def test_what_changed_is_told_line_by_line() -> None:
    before = fold(stored([submitted(), concluded(), completed()]))
    after = fold(stored([submitted(), concluded(text="Apixaban did not."), completed()]))
    assert "nothing changed" in difference(before, before)
    assert "-Apixaban lowered stroke [1]." in difference(before, after)
    assert "+Apixaban did not [1]." in difference(before, after)
