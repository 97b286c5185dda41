"""What became of every question, by three sources that must agree: the results, the events, and its asker."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from openwork_bus.codec import unpack
from openwork_bus.jetstream import stored_at_of
from openwork_contracts.accounts import results_subject
from openwork_contracts.results import RESULT_HEADER, ResultKind
from openwork_contracts.subjects import RESULTS_STREAM, STREAM, end_filter, parse_subject, question_filter

from tests.chaos.asker import Question
from tests.chaos.system import System

LATE = timedelta(seconds=1)
_GRACE_S = 10.0
"""How much longer than the last deadline is waited for documents."""
_ANSWERS = frozenset({"answered", "too_little_evidence", "rejected"})
"""Ends that a run comes to by itself: each says what was found, or why nothing was searched."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A document in the results."""

    status: str
    stored_at: datetime
    submitted_at: datetime | None
    retry_after_s: float | None
    words: str


@dataclass(slots=True)
class Tally:
    """How many questions of a scenario came to what."""

    offered: int = 0
    accepted: int = 0
    ended_once: int = 0
    doubled: int = 0
    lost: int = 0
    late: int = 0
    answered: int = 0
    refused: int = 0
    """In words and with the seconds after which to ask again, at once or by a document."""
    failed: int = 0
    """Accepted, and neither answered nor refused: out of time, or a service gave up."""
    silent: int = 0
    """Neither a receipt nor a refusal."""
    notes: Counter[str] = field(default_factory=Counter)
    receipts_s: list[float] = field(default_factory=list)
    answered_at: list[datetime] = field(default_factory=list)


async def heard_of(system: System, questions: Sequence[Question]) -> None:
    """Wait until every accepted question has its document, or ought to have had it; look for those not heard of."""
    accepted = [q for q in questions if q.accepted]
    give_up = max((q.sent_at.timestamp() + q.deadline_s for q in accepted), default=0.0) + _GRACE_S
    left = give_up - datetime.now().astimezone().timestamp()
    until = monotonic() + max(_GRACE_S, left)
    while monotonic() < until and any(not system.askers[q.account].heard.get(q.run_id) for q in accepted):
        await asyncio.sleep(0.2)
        if not await _anything_open(system):
            await asyncio.sleep(0.3)  # what is stored is told at once, and may be on its way
            break
    for question in accepted:
        if not system.askers[question.account].heard.get(question.run_id):
            await system.askers[question.account].look(question)


async def _anything_open(system: System) -> bool:
    """Whether an inbox or a run is not done with. A document that was told to nobody is not waited for."""
    js = system.bus.connection.jetstream(timeout=10)
    for account in system.askers:
        if (await js.stream_info(f"OPENWORK_INBOX_{account}")).state.messages:
            return True
    begun, ended = await _counts(js, question_filter("*")), await _counts(js, end_filter("*"))
    lag = await js.consumer_info(STREAM, "gateway-results")
    return begun.keys() != ended.keys() or bool(lag.num_pending or lag.num_ack_pending)


async def tally(system: System, questions: Sequence[Question], since: int) -> Tally:
    """Count what the three sources say.

    Args:
        since: sequence of the newest result when the scenario began.
    """
    js = system.bus.connection.jetstream(timeout=20)
    endings = await _endings(js, since)
    begun, ended = await _counts(js, question_filter("*")), await _counts(js, end_filter("*"))
    out = Tally(offered=len(questions))
    for question in questions:
        if question.receipt_s is not None:
            out.receipts_s.append(question.receipt_s)
        if not question.accepted:
            _count_not_taken(out, question, endings)
            continue
        out.accepted += 1
        run_id = question.run_id
        n_heard = len(system.askers[question.account].heard.get(run_id, ())) or int(question.shown is not None)
        counts = (len(endings[run_id]), ended[run_id] if begun[run_id] else 1, n_heard)
        _count_ends(out, question, counts)
        if not begun[run_id] and ended[run_id]:
            out.notes["ended without a question"] += 1
        if endings[run_id]:
            _count_status(out, question, endings[run_id][-1])
    return out


def _count_not_taken(out: Tally, question: Question, endings: dict[str, list[Ending]]) -> None:
    if endings.get(question.run_id):
        out.notes["ended without a receipt"] += 1
    if question.refusal is None:
        out.silent += 1
    elif question.refusal.get("retry_after_s"):
        out.refused += 1
    else:
        out.failed += 1
        out.notes[str(question.refusal.get("error"))[:80]] += 1


def _count_ends(out: Tally, question: Question, counts: tuple[int, int, int]) -> None:
    if counts == (1, 1, 1):
        out.ended_once += 1
    elif max(counts) > 1:
        out.doubled += 1
    else:
        out.lost += 1
    if counts != (1, 1, 1):
        out.notes[f"documents, ends, heard = {counts}"] += 1


def _count_status(out: Tally, question: Question, ending: Ending) -> None:
    due_at = (ending.submitted_at or question.sent_at) + timedelta(seconds=question.deadline_s)
    if question.deadline_s and ending.stored_at > due_at + LATE:
        out.late += 1
        out.notes[f"late, {ending.status}"] += 1
    if ending.status in _ANSWERS:
        out.answered += 1
        out.answered_at.append(ending.stored_at)
    elif ending.status == "refused" and (ending.retry_after_s or not question.text):
        out.refused += 1
    else:
        out.failed += 1
        out.notes[f"{ending.status}: {ending.words[:80]}"] += 1


async def _counts(js: JetStreamContext, subjects: str) -> Counter[str]:
    """Messages by run id."""
    info = await js.stream_info(STREAM, subjects_filter=subjects)
    out: Counter[str] = Counter()
    for subject, n in (info.state.subjects or {}).items():
        out[parse_subject(subject).run_id] += n
    return out


async def _endings(js: JetStreamContext, since: int) -> dict[str, list[Ending]]:
    """Every document that was stored after a sequence, by run id."""
    config = ConsumerConfig(
        deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
        opt_start_seq=since + 1,
        ack_policy=AckPolicy.NONE,
        inactive_threshold=30,
    )
    pull = await js.pull_subscribe(results_subject("*"), stream=RESULTS_STREAM, config=config)
    out: dict[str, list[Ending]] = defaultdict(list)
    while True:
        try:
            messages = await pull.fetch(256, timeout=1.0)
        except (NatsTimeoutError, TimeoutError):
            break
        for message in messages:
            if (message.headers or {}).get(RESULT_HEADER) == ResultKind.DOCUMENT.value:
                out[message.subject.rpartition(".")[2]].append(
                    _ending(json.loads(unpack(message.data)), stored_at_of(message))
                )
    await pull.unsubscribe()
    return out


def _ending(result: dict[str, Any], stored_at: datetime) -> Ending:
    document = result["document"]
    asked = document.get("submitted_at")
    return Ending(
        status=document["status"],
        stored_at=stored_at,
        submitted_at=datetime.fromisoformat(asked) if asked else None,
        retry_after_s=document.get("retry_after_s"),
        words=document["answer"]["markdown"].replace("\n", " "),
    )
