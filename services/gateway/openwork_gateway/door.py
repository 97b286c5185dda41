"""The door: every question comes through here, and is let in, waits for its turn, or ends in words.

Safe to do twice: a question is known by its run id, and an inbox message is acknowledged only when what became of it is
stored.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from time import monotonic

from openwork_bus.bus import Bus, Timer
from openwork_bus.run_ids import trace_id_of
from openwork_bus.telemetry import current_traceparent, trace_id_in
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import Busy, OpenWorkError, SubjectTaken, UsageError
from openwork_contracts.meta import ALL, CONTRACT_VERSION, EventMeta
from openwork_contracts.pipelines import require_installed
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.results import ResultKind, RunResult
from openwork_contracts.subjects import RUN_ROUTE, question_filter, spec_of

from openwork_gateway.domain.admission import Judgement, Load, Verdict
from openwork_gateway.domain.quota import Quota
from openwork_gateway.domain.refused import TOO_LATE, refused_document
from openwork_gateway.domain.turns import Turns
from openwork_gateway.results import Results, put_document
from openwork_gateway.settings import Settings

log = logging.getLogger(__name__)

OWNER_HEADER = "Openwork-Owner"
"""On a question that was let in: whose it is, for those who only count."""
OTHER_QUESTION = "This run id belongs to another question, which stays; ask with a new run id, or with none."


@dataclass(frozen=True, eq=False)
class Asked:
    """A question at the door."""

    account: str
    run_id: str
    request: AskRequest
    asked_at: datetime
    """By the server's clock where it waited in an inbox."""
    within_s: float
    """Seconds until its deadline, from then on."""
    settle: Callable[[], Awaitable[None]] | None = None
    """Told when what became of it is stored: acknowledges its inbox message."""
    keep: Callable[[], Awaitable[None]] | None = None
    """Says that it still waits, before its inbox message is given to another gateway."""

    @property
    def owner(self) -> str:
        """Who may read what it comes to."""
        person = self.request.on_behalf_of
        return f"{self.account}/{person}" if person else self.account

    @property
    def deadline_at(self) -> datetime:
        """When its run ends in any case."""
        return self.asked_at + timedelta(seconds=self.within_s)


class Door:
    """Lets questions in. One per gateway."""

    def __init__(
        self, bus: Bus, results: Results, settings: Settings, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self.bus = bus
        self.results = results
        self.settings = settings
        self.clock = clock
        self.load = Load(settings.queue_target_s, settings.queue_limit_s, settings.queue_burst_s)
        self.quota = Quota(settings.account_runs_per_hour)
        self.waiting: Turns[Asked] = Turns()
        self.stopped_because: str | None = None
        """Why nothing is admitted at all, in words: the event stream is nearly full."""

    def asked(self, account: str, run_id: str, request: AskRequest, asked_at: datetime) -> Asked:
        """A question as it came to the door.

        Raises:
            UsageError: its pipeline is not installed, or it says to be somebody else's.
        """
        if request.on_behalf_of and account != API_ACCOUNT:
            raise UsageError(f"on_behalf_of is for the account {API_ACCOUNT!r}, which knows its persons; leave it out")
        pipeline = require_installed(request.pipeline)
        within_s = request.options.deadline_s or self.settings.deadline_s_of(pipeline)
        return Asked(account, run_id, request, asked_at, within_s)

    def judge(self, asked: Asked) -> Judgement:
        """What becomes of a question now.

        Raises:
            Busy: it is refused: too much is asked, by all or by this account.
        """
        now = self.clock()
        if self.stopped_because:
            raise Busy(self.stopped_because, retry_after_s=60.0)
        if (retry_after_s := self.quota.retry_after_s(asked.account, now)) is not None:
            per_hour = self.settings.account_runs_per_hour
            raise Busy(
                f"This account may begin {per_hour} runs an hour; try again in {retry_after_s:.0f} s.",
                retry_after_s=retry_after_s,
            )
        left_s = (asked.deadline_at - datetime.now(UTC)).total_seconds()
        judgement = self.load.judge(asked.account, ahead=self.waiting.ahead_of(asked.account), left_s=left_s, now=now)
        too_many = self.waiting.waiting(asked.account) >= self.settings.account_waiting
        if judgement.verdict is Verdict.REFUSE or too_many:
            wait_s = judgement.retry_after_s
            raise Busy(
                f"More is asked than can be answered in time; try again in {wait_s:.0f} s.", retry_after_s=wait_s
            )
        return judgement

    async def take(self, asked: Asked) -> None:
        """Decide about a question of an inbox, and see it through."""
        if asked.deadline_at <= datetime.now(UTC):
            await self.refuse_too_late(asked)
            return
        try:
            judgement = self.judge(asked)
        except Busy as error:
            await self.refuse(asked, str(error), retry_after_s=error.retry_after_s)
            return
        if judgement.verdict is Verdict.ADMIT:
            await self.let_in(asked)
        else:
            await self.set_deadline(asked)
            self.waiting.add(asked.account, asked)

    async def let_in(self, asked: Asked) -> bool:
        """Begin the run: its deadline first, then its question. False when it was begun before.

        A run id that is another question's ends as a notice; that run is untouched.
        """
        self.load.admitted()
        await self.set_deadline(asked)
        begun = False
        try:
            begun = await self.bus.publish(question_of(asked), headers={OWNER_HEADER: asked.owner})
        except SubjectTaken:
            if not await self.is_same(asked):
                await self.refuse_id(asked)
        if asked.settle:
            await asked.settle()
        return begun

    async def set_deadline(self, asked: Asked) -> None:
        """The timer that ends the run in any case."""
        await self.bus.set_timer(Timer(_deadline_of(asked)))

    async def is_same(self, asked: Asked) -> bool:
        """Whether the run of that id is this very question, of the same owner.

        Raises:
            UsageError: it is another's, or another question.
        """
        for subject in await self.bus.subjects(question_filter(asked.run_id)):
            known = await self.bus.get(subject)
            if known is not None and isinstance(known.event, QuerySubmitted):
                event = known.event
                return (event.meta.owner, event.meta.pipeline, event.question, event.options, event.context) == (
                    asked.owner,
                    asked.request.pipeline,
                    asked.request.question,
                    asked.request.options,
                    asked.request.context,
                )
        return False

    async def refuse(
        self, asked: Asked, message: str, *, retry_after_s: float | None = None, status: RunStatus = RunStatus.REFUSED
    ) -> None:
        """End a question of an inbox in words."""
        waited_s = (datetime.now(UTC) - asked.asked_at).total_seconds()
        await put_document(
            self.results,
            refused_document(
                asked.run_id,
                message,
                owner=asked.owner,
                pipeline=asked.request.pipeline,
                question=asked.request.question,
                status=status,
                retry_after_s=retry_after_s,
                waited_s=waited_s,
                asked_at=asked.asked_at,
            ),
        )
        if asked.settle:
            await asked.settle()

    async def refuse_too_late(self, asked: Asked) -> None:
        """Its deadline passed while it waited."""
        await self.refuse(asked, TOO_LATE, retry_after_s=1.0)

    async def refuse_id(self, asked: Asked) -> None:
        """Its run id is taken: in its own account a notice beside what is there, in another's the end of this one."""
        if await self.results.document(asked.owner, asked.run_id) or await self._is_own(asked):
            now = datetime.now(UTC)
            notice = RunResult(run_id=asked.run_id, kind=ResultKind.NOTICE, at=now, message=OTHER_QUESTION)
            await self.results.put(notice, asked.owner)
            if document := await self.results.document(asked.owner, asked.run_id):
                await put_document(self.results, document)  # what is last is what the run came to
            return
        await self.refuse(replace(asked, settle=None), OTHER_QUESTION)

    async def _is_own(self, asked: Asked) -> bool:
        for subject in await self.bus.subjects(question_filter(asked.run_id)):
            known = await self.bus.get(subject)
            return known is not None and known.event.meta.owner == asked.owner
        return False

    async def turn(self) -> None:
        """Let in whoever is next while there is room; end who waited past the deadline; keep the others' messages."""
        now = datetime.now(UTC)
        for asked in self.waiting:
            if asked.deadline_at <= now:
                self.waiting.remove(asked.account, asked)
                await self._seen_through(self.refuse_too_late(asked), asked)
        while self.load.has_room and not self.stopped_because and (first := self.waiting.take()) is not None:
            await self._seen_through(self.let_in(first), first)

    async def keep_waiting(self) -> None:
        """Keep the inbox messages of those that wait from being given to another gateway."""
        for asked in self.waiting:
            if asked.keep:
                await asked.keep()

    async def _seen_through(self, work: Awaitable[object], asked: Asked) -> None:
        """One that cannot be seen through now comes again: its inbox message was not acknowledged."""
        try:
            await work
        except OpenWorkError as error:
            log.warning("the question of run %s is tried again: %s", asked.run_id, error)


def question_of(asked: Asked) -> QuerySubmitted:
    """The first event of its run."""
    pipeline = asked.request.pipeline
    return QuerySubmitted(
        meta=_meta(asked, spec_of(QuerySubmitted).subject(asked.run_id, pipeline=pipeline)),
        question=asked.request.question,
        options=asked.request.options,
        context=asked.request.context,
    )


def _deadline_of(asked: Asked) -> DeadlineReached:
    subject = spec_of(DeadlineReached).subject(asked.run_id, pipeline=asked.request.pipeline, route=RUN_ROUTE)
    meta = _meta(asked, subject)
    return DeadlineReached(meta=meta, joiner=RUN_ROUTE, due_at=asked.deadline_at)


def _meta(asked: Asked, event_id: str) -> EventMeta:
    return EventMeta(
        event_id=event_id,
        run_id=asked.run_id,
        pipeline=asked.request.pipeline,
        track=ALL,
        owner=asked.owner,
        deadline_at=asked.deadline_at,
        contract_version=CONTRACT_VERSION,
        occurred_at=asked.asked_at,
        producer="gateway",
        trace_id=trace_id_in(current_traceparent()) or trace_id_of(asked.run_id),
    )
