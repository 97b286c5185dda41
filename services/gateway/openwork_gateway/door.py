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

from nats.errors import Error as NatsError
from openwork_bus.bus import Bus, Timer
from openwork_bus.figures import Figures
from openwork_bus.run_ids import trace_id_of
from openwork_bus.telemetry import current_traceparent, trace_id_in
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import Busy, OpenWorkError, SubjectTaken, UsageError
from openwork_contracts.meta import ALL, CONTRACT_VERSION, EventMeta
from openwork_contracts.pipelines import require_installed
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.subjects import RUN_ROUTE, spec_of

from openwork_gateway.domain.admission import Judgement, Load, Verdict
from openwork_gateway.domain.quota import Quota
from openwork_gateway.domain.refused import TOO_LATE, refused_document
from openwork_gateway.domain.turns import Turns
from openwork_gateway.metrics import ADMITTED, REFUSED, Refusal
from openwork_gateway.refusals import put_refusal, stored_question
from openwork_gateway.results import Results
from openwork_gateway.settings import Settings

log = logging.getLogger(__name__)

OWNER_HEADER = "Openwork-Owner"
"""On a question that was let in: whose it is, for those who only count."""
OTHER_QUESTION = "This run id belongs to another question, which stays; ask with a new run id, or with none."
_MOST_NAMED = 64
"""Sources and collections that a question may name: its events carry them."""
_MOST_TIMERS = 16
"""Timers for one run id: it may be asked again after it was refused, and a timer is set once and never moved."""


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
    has_timer: bool = False
    """Whether its deadline was set when it began to wait here."""

    @property
    def owner(self) -> str:
        """Who may read what it comes to."""
        person = self.request.on_behalf_of
        return f"{self.account}/{person}" if person else self.account

    @property
    def deadline_at(self) -> datetime:
        """When its run ends in any case."""
        return self.asked_at + timedelta(seconds=self.within_s)

    def asks(self, request: AskRequest) -> bool:
        """Whether a request is this question. Where its run id is said, in the body or in the subject, is no matter."""
        return request.model_copy(update={"run_id": None}) == self.request.model_copy(update={"run_id": None})

    def is_of(self, event: QuerySubmitted) -> bool:
        """Whether a run was begun with this very question, of the same owner."""
        theirs = (event.meta.owner, event.meta.pipeline, event.question, event.options, event.context)
        request = self.request
        return theirs == (self.owner, request.pipeline, request.question, request.options, request.context)


class Door:
    """Lets questions in. One per gateway."""

    def __init__(
        self,
        bus: Bus,
        results: Results,
        settings: Settings,
        *,
        clock: Callable[[], float] = monotonic,
        on_begun: Callable[[Asked], None] | None = None,
        figures: Figures | None = None,
    ) -> None:
        """
        Args:
            on_begun: told of each run that was begun here.
            figures: where is counted who is let in and who is not.
        """
        self.bus = bus
        self.results = results
        self.settings = settings
        self.clock = clock
        self._on_begun = on_begun
        self._figures = figures or Figures("none")
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
        named = (*(request.options.sources or ()), *(request.context.collections if request.context else ()))
        if len(named) > _MOST_NAMED:
            raise UsageError(f"{len(named)} sources and collections are named; at most {_MOST_NAMED} can be")
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
            self.count_refusal(Refusal.STORE_FULL)
            raise Busy(self.stopped_because, retry_after_s=60.0)
        n_waiting = self.waiting.waiting(asked.account)
        if (retry_after_s := self.quota.retry_after_s(asked.account, now, waiting=n_waiting)) is not None:
            self.count_refusal(Refusal.QUOTA)
            per_hour = self.settings.account_runs_per_hour
            raise Busy(
                f"This account may begin {per_hour} runs an hour; try again in {retry_after_s:.0f} s.",
                retry_after_s=retry_after_s,
            )
        left_s = (asked.deadline_at - datetime.now(UTC)).total_seconds()
        judgement = self.load.judge(asked.account, ahead=self.waiting.ahead_of(asked.account), left_s=left_s, now=now)
        if judgement.verdict is Verdict.REFUSE or n_waiting >= self.settings.account_waiting:
            self.count_refusal(Refusal.BUSY)
            wait_s = judgement.retry_after_s
            raise Busy(
                f"More is asked than can be answered in time; try again in {wait_s:.0f} s.", retry_after_s=wait_s
            )
        return judgement

    def count_refusal(self, why: Refusal) -> None:
        """One more question is not let in."""
        self._figures.count(REFUSED, why.value)

    async def take(self, asked: Asked) -> None:
        """Decide about a question of an inbox, and see it through."""
        if self.waiting.find(asked.account, asked.run_id):
            # Its message is delivered again, since word that it waits did not arrive: this delivery is acknowledged.
            self.waiting.add(asked.account, asked.run_id, asked)
            return
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
            self.waiting.add(asked.account, asked.run_id, replace(asked, has_timer=True))

    async def let_in(self, asked: Asked) -> None:
        """Begin the run of a question of an inbox. One whose run id is another's ends in words; that run goes on."""
        try:
            await self.begin(asked)
        except SubjectTaken:
            self.count_refusal(Refusal.TAKEN)
            await self.refuse(asked, OTHER_QUESTION)
            return
        if asked.settle:
            await asked.settle()

    async def begin(self, asked: Asked) -> bool:
        """Store the run's deadline and then its question; False when that was begun before.

        Raises:
            SubjectTaken: the run id is another question's. BusUnavailable: not stored.
        """
        self.load.admitted()
        begun = False
        try:
            if not asked.has_timer:
                await self.set_deadline(asked)
            begun = await self.bus.publish(question_of(asked), headers={OWNER_HEADER: asked.owner})
        finally:
            if not begun:
                self.load.not_admitted()
        if begun:
            self._figures.count(ADMITTED, asked.request.pipeline)
        if begun and self._on_begun:
            self._on_begun(asked)
        return begun

    async def set_deadline(self, asked: Asked) -> None:
        """The timer that ends the run in any case.

        Where an earlier timer stands, of a question of that run id that was refused, another is set beside it; a run
        that has begun has its own.
        """
        for part in range(_MOST_TIMERS):
            set_for = await self.bus.set_timer(Timer(_deadline_of(asked, part)))
            if set_for >= asked.deadline_at or await stored_question(self.bus, asked.run_id):
                return
        log.warning("no timer for run %s: %d were set before; the sweep ends it", asked.run_id, _MOST_TIMERS)

    async def is_same(self, asked: Asked) -> bool:
        """Whether the run of that id is this very question, of the same owner."""
        event = await stored_question(self.bus, asked.run_id)
        return event is not None and asked.is_of(event)

    async def cancel(self, account: str, run_id: str, owner: str, message: str) -> bool:
        """End a question that waits here, by its owner's wish; False when none of that run id does."""
        asked = self.waiting.find(account, run_id)
        if asked is None or asked.owner != owner:
            return False
        self.waiting.remove(account, run_id)
        await self.refuse(asked, message, status=RunStatus.CANCELLED)
        return True

    async def refuse(
        self, asked: Asked, message: str, *, retry_after_s: float | None = None, status: RunStatus = RunStatus.REFUSED
    ) -> None:
        """End a question of an inbox in words, unless it is known: what was begun goes on, what was told stays."""
        begun = await stored_question(self.bus, asked.run_id)
        if begun is None or not asked.is_of(begun):
            waited_s = (datetime.now(UTC) - asked.asked_at).total_seconds()
            document = refused_document(
                asked.run_id,
                message,
                owner=asked.owner,
                pipeline=asked.request.pipeline,
                question=asked.request.question,
                options=asked.request.options,
                status=status,
                retry_after_s=retry_after_s,
                waited_s=waited_s,
                asked_at=asked.asked_at,
            )
            await put_refusal(self.bus, self.results, document, begun=begun, notice=OTHER_QUESTION)
        if asked.settle:
            await asked.settle()

    async def refuse_too_late(self, asked: Asked) -> None:
        """Its deadline passed while it waited."""
        self.count_refusal(Refusal.TOO_LATE)
        await self.refuse(asked, TOO_LATE, retry_after_s=1.0)

    async def turn(self) -> None:
        """Let in whoever is next while there is room, and end those who waited past their deadline. Raises nothing."""
        now = datetime.now(UTC)
        for asked in self.waiting:
            if asked.deadline_at <= now:
                self.waiting.remove(asked.account, asked.run_id)
                await self._seen_through(self.refuse_too_late(asked), asked)
        while self.load.has_room and not self.stopped_because and (first := self.waiting.take()) is not None:
            await self._seen_through(self.let_in(first), first)

    async def keep_waiting(self) -> None:
        """Keep the inbox messages of those that wait from being given to another gateway."""
        for asked in self.waiting:
            if asked.keep:
                try:
                    await asked.keep()
                except Exception as error:
                    log.debug("that run %s waits could not be said: %r", asked.run_id, error)

    async def _seen_through(self, work: Awaitable[object], asked: Asked) -> None:
        """One that cannot be seen through now comes again: its inbox message was not acknowledged."""
        try:
            await work
        except (OpenWorkError, NatsError, OSError) as error:
            log.warning("the question of run %s is tried again: %s", asked.run_id, error)
        except Exception:
            log.exception("the question of run %s failed the gateway", asked.run_id)


def question_of(asked: Asked) -> QuerySubmitted:
    """The first event of its run."""
    pipeline = asked.request.pipeline
    return QuerySubmitted(
        meta=_meta(asked, spec_of(QuerySubmitted).subject(asked.run_id, pipeline=pipeline)),
        question=asked.request.question,
        options=asked.request.options,
        context=asked.request.context,
    )


def _deadline_of(asked: Asked, part: int) -> DeadlineReached:
    pipeline = asked.request.pipeline
    subject = spec_of(DeadlineReached).subject(asked.run_id, str(part), pipeline=pipeline, route=RUN_ROUTE)
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
