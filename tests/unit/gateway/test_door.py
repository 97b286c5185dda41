"""The door: what becomes of a question that came to it, and that whoever asked is told exactly once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.figures import Figures
from openwork_bus.run_ids import new_run_id, trace_id_of
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import Busy, UsageError
from openwork_contracts.question import AskContext, AskOptions
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.door import OTHER_QUESTION, Door
from openwork_gateway.handlers import on_run_ended
from openwork_gateway.results import put_document

from tests.at_the_door import Inbox, Watched, a_door, asked_of, close_door, open_door, questions, told
from tests.builders import failed, run_on
from tests.handling import delivered
from tests.memory_results import MemoryResults
from tests.memory_statistics import MemoryStatistics


async def last(door: Door, account: str, run_id: str) -> AnswerDocument:
    document = await door.results.last(account, run_id)
    assert document is not None
    return document


async def test_a_question_that_is_let_in_has_its_timer_before_it_is_stored() -> None:
    """Work without a timer might never end; a timer without work is harmless."""
    door = a_door()
    asked = asked_of(door, account="ALICE", ago_s=3, options=AskOptions(deadline_s=60), context=AskContext(turn=1))
    inbox = Inbox()
    await door.take(inbox.of(asked))
    assert isinstance(door.bus, Watched)
    assert door.bus.done == ["timer", "query-submitted"]
    (event,) = await questions(door.bus)
    assert (event.question, event.options, event.context) == ("Why?", asked.request.options, asked.request.context)
    meta = event.meta
    assert meta.event_id == f"openwork.v1.query-submitted.answer.all.{asked.run_id}.all.0.0"
    assert (meta.owner, meta.producer, meta.trace_id) == ("ALICE", "gateway", trace_id_of(asked.run_id))
    assert (meta.occurred_at, meta.deadline_at) == (asked.asked_at, asked.asked_at + timedelta(seconds=60))
    (timer,) = door.bus._timers.values()
    assert (timer.event.due_at, timer.event.meta.owner) == (meta.deadline_at, "ALICE")
    assert inbox.settled == [asked.run_id]
    assert told(door, asked) == []


async def test_without_a_deadline_of_the_asker_the_setting_counts() -> None:
    assert asked_of(a_door(answer_deadline_s=33)).within_s == 33


async def test_whoever_counts_or_follows_is_told_of_the_runs_that_were_begun_here() -> None:
    begun: list[str] = []
    other = a_door()
    door = Door(other.bus, other.results, other.settings, on_begun=lambda asked: begun.append(asked.run_id))
    asked = asked_of(door)
    await door.take(asked)
    await door.take(asked)
    assert begun == [asked.run_id]


async def test_a_question_that_comes_again_is_the_same_run() -> None:
    """Published twice by its asker, or delivered twice by the server."""
    door, inbox = a_door(), Inbox()
    asked = asked_of(door)
    await door.take(inbox.of(asked))
    await door.take(inbox.of(replace(asked, asked_at=datetime.now(UTC) + timedelta(seconds=5))))
    assert len(await questions(door.bus)) == 1
    assert inbox.settled == [asked.run_id] * 2
    assert told(door, asked) == []
    assert door.load._fresh == 1  # the second brings no work


async def test_a_known_question_is_not_refused_when_too_much_is_asked_or_too_late() -> None:
    """Its answer would lie below the refusal, and whoever listens would think that this is the end."""
    door, inbox = a_door(), Inbox()
    asked = asked_of(door)
    await door.take(inbox.of(asked))
    door.stopped_because = "full"
    await door.take(inbox.of(asked))
    await door.take(inbox.of(replace(asked, asked_at=asked.asked_at - timedelta(seconds=500))))
    assert told(door, asked) == []
    assert inbox.settled == [asked.run_id] * 3


async def test_an_edited_retry_is_told_by_a_notice_and_the_run_goes_on() -> None:
    door, inbox = a_door(), Inbox()
    asked = asked_of(door, "First?")
    edited = asked_of(door, "Second?", run_id=asked.run_id)
    await door.take(asked)
    await door.take(inbox.of(edited))
    assert told(door, asked) == ["notice"]
    assert [event.question for event in await questions(door.bus)] == ["First?"]
    assert inbox.settled == [asked.run_id]


@pytest.mark.parametrize("busy", [False, True])
async def test_after_an_edited_retry_the_first_document_is_the_last_message(busy: bool) -> None:
    """The last message of a run is what it came to, for years; its events are gone in days."""
    door = a_door()
    asked = asked_of(door, "First?")
    await door.take(asked)
    document = refused_document(asked.run_id, "it failed", owner="ALICE", pipeline="answer").model_copy(
        update={"status": RunStatus.FAILED}
    )
    await put_document(door.results, document)
    door.stopped_because = "full" if busy else None
    await door.take(asked_of(door, "Second?", run_id=asked.run_id))
    assert told(door, asked) == ["document", "notice", "document"]
    assert await door.results.document("ALICE", asked.run_id) == document


async def test_a_run_that_ends_while_the_notice_is_written_has_its_document_above_it() -> None:
    class Slow(MemoryResults):
        """The run's document is stored between the look and the notice."""

        has_ended = False

        async def last(self, account: str, run_id: str) -> AnswerDocument | None:
            found = await super().last(account, run_id)
            if not self.has_ended:
                self.has_ended = True
                end = failed(run_on(bus, run_id))
                await on_run_ended(
                    end, await delivered(bus, end, "gateway"), self, Figures("gateway"), MemoryStatistics()
                )
            return found

    bus = Watched(now=datetime.now(UTC))
    door = a_door(bus)
    asked = asked_of(door, "First?", account="local")
    await door.take(asked)
    door.results = Slow()
    await door.take(asked_of(door, "Second?", account="local", run_id=asked.run_id))
    assert told(door, asked) == ["document", "notice", "document"]
    assert (await last(door, "local", asked.run_id)).status is RunStatus.FAILED


async def test_a_run_id_of_another_account_is_refused_and_that_run_is_untouched() -> None:
    door, inbox = a_door(), Inbox()
    theirs = asked_of(door, "Theirs?", account="ALICE")
    await door.take(theirs)
    ours = asked_of(door, "Ours?", account="BOB", run_id=theirs.run_id)
    await door.take(inbox.of(ours))
    refused = await last(door, "BOB", theirs.run_id)
    assert (refused.status, refused.answer.markdown, refused.owner) == (RunStatus.REFUSED, OTHER_QUESTION, "BOB")
    assert refused.question == "Ours?"
    assert told(door, theirs) == []
    assert [event.meta.owner for event in await questions(door.bus)] == ["ALICE"]
    assert inbox.settled == [theirs.run_id]


async def test_one_person_of_the_api_does_not_put_a_refusal_over_anothers_document() -> None:
    """Both are of one account: what came of their runs is on the same subject."""
    door = a_door()
    run_id = new_run_id()
    await door.take(asked_of(door, "Hers?", account="api", run_id=run_id, on_behalf_of="alice"))
    document = refused_document(run_id, "done", owner="api/alice", pipeline="answer").model_copy(
        update={"status": RunStatus.FAILED}
    )
    await put_document(door.results, document)
    await door.take(asked_of(door, "His?", account="api", run_id=run_id, on_behalf_of="bob"))
    assert await door.results.document("api/alice", run_id) == document


async def test_only_the_api_asks_on_behalf_of_persons() -> None:
    door = a_door()
    with pytest.raises(UsageError, match="'api'"):
        asked_of(door, account="ALICE", on_behalf_of="bob")
    assert asked_of(door, account="api", on_behalf_of="bob").owner == "api/bob"


@pytest.mark.parametrize("pipeline", ["check", "from-next-year"])
async def test_a_pipeline_that_is_not_installed_is_refused_with_those_that_are(pipeline: str) -> None:
    with pytest.raises(UsageError, match=f"{pipeline}.*Installed: answer: a short, cited answer"):
        asked_of(a_door(), pipeline=pipeline)


# --- busy ----------------------------------------------------------------------------------------------------------


async def test_a_full_store_refuses_in_words_and_with_a_time() -> None:
    door, inbox = a_door(), Inbox()
    door.stopped_because = "The store of events is nearly full."
    asked = asked_of(door)
    await door.take(inbox.of(asked))
    document = await last(door, "ALICE", asked.run_id)
    assert (document.status, document.answer.markdown) == (RunStatus.REFUSED, "The store of events is nearly full.")
    assert document.retry_after_s == 60
    assert (document.submitted_at, document.question) == (asked.asked_at, "Why?")
    assert inbox.settled == [asked.run_id]
    assert await questions(door.bus) == []


async def test_a_refusal_that_is_delivered_again_is_told_once() -> None:
    door, inbox = a_door(), Inbox()
    door.stopped_because = "full"
    asked = asked_of(door)
    await door.take(inbox.of(asked))
    await door.take(inbox.of(asked))
    assert told(door, asked) == ["document"]
    assert len(inbox.settled) == 2


async def test_who_was_refused_and_asks_again_is_told_again_or_let_in() -> None:
    door = a_door()
    door.stopped_because = "full"
    first = asked_of(door, ago_s=10)
    await door.take(first)
    again = asked_of(door, run_id=first.run_id)
    await door.take(again)
    assert told(door, first) == ["document", "document"]
    door.stopped_because = None
    await door.take(asked_of(door, run_id=first.run_id))
    assert len(await questions(door.bus)) == 1


async def test_a_question_asked_again_has_a_timer_of_its_own_deadline() -> None:
    """The first one's, which is refused, was set for earlier, and a timer is set once."""
    door = a_door()
    close_door(door)
    first = asked_of(door, ago_s=50)
    await door.take(first)
    assert len(door.waiting) == 1
    door.waiting.take()
    open_door(door)
    again = asked_of(door, run_id=first.run_id)
    await door.take(again)
    assert isinstance(door.bus, Watched)
    assert sorted(t.event.due_at for t in door.bus._timers.values()) == [first.deadline_at, again.deadline_at]


async def test_who_repeats_a_question_without_end_sets_no_further_timers() -> None:
    door = a_door()
    first = asked_of(door, ago_s=50)
    await door.take(first)
    for ago_s in range(40, 0, -1):
        await door.take(asked_of(door, run_id=first.run_id, ago_s=ago_s))
    assert isinstance(door.bus, Watched)
    assert len(door.bus._timers) <= 1
    assert door.bus.done.count("timer") == 41


async def test_a_quota_is_told_with_the_time_after_which_it_has_room() -> None:
    now = [0.0]
    door = a_door(account_runs_per_hour=2, clock=lambda: now[0])
    for n in range(2):
        door.quota.began("ALICE", f"run-{n}", now[0])
        now[0] += 60
    with pytest.raises(Busy, match="2 runs an hour; try again in 3480 s") as refused:
        door.judge(asked_of(door))
    assert refused.value.retry_after_s == 3480
    door.judge(asked_of(door, account="BOB"))


async def test_what_waits_counts_towards_the_quota() -> None:
    """Each of them will begin a run."""
    door = a_door(account_runs_per_hour=5)
    close_door(door)
    for _ in range(20):
        await door.take(asked_of(door))
    assert len(door.waiting) == 5


async def test_a_question_past_its_deadline_ends_at_once() -> None:
    door, inbox = a_door(), Inbox()
    asked = asked_of(door, ago_s=121)
    await door.take(inbox.of(asked))
    document = await last(door, "ALICE", asked.run_id)
    assert document.status is RunStatus.REFUSED
    assert document.answer.markdown.startswith("Too late")
    assert document.timings.total_s >= 121
    assert inbox.settled == [asked.run_id]
    assert await questions(door.bus) == []


async def test_an_account_may_have_so_many_waiting_and_no_more() -> None:
    door = a_door(account_waiting=3)
    close_door(door)
    asked = [asked_of(door) for _ in range(5)]
    for one in asked:
        await door.take(one)
    assert [told(door, one) for one in asked] == [[], [], [], ["document"], ["document"]]
    refused = await last(door, "ALICE", asked[-1].run_id)
    assert (refused.retry_after_s or 0) >= 1
