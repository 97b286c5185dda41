"""`openwork.ask`: a question by request and reply. It goes through the same door as one that was published."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_contracts.accounts import ASKER_RESULTS
from openwork_contracts.errors import UsageError
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.subjects import question_filter

from openwork_gateway.domain.admission import Verdict
from openwork_gateway.door import OTHER_QUESTION, Door

ToInbox = Callable[[str, str, AskRequest], Awaitable[None]]
"""Publishes a question to the inbox of an account, under a run id."""


async def submit(door: Door, account: str, request: AskRequest, to_inbox: ToInbox) -> AskReply:
    """Let a question in, put it into its account's inbox to wait for its turn, or say why not.

    Raises:
        UsageError: the run id is not a ULID, or another question's; the pipeline is not installed.
        Busy: more is asked than can be answered. BusUnavailable: the stream gave no acknowledgement.
    """
    run_id = check_run_id(request.run_id) if request.run_id else new_run_id()
    asked = door.asked(account, run_id, request, datetime.now(UTC))
    known = False
    if request.run_id and await door.bus.subjects(question_filter(run_id)):
        if not await door.is_same(asked):
            raise UsageError(OTHER_QUESTION)
        known = True
    waits = not known and door.judge(asked).verdict is Verdict.WAIT
    if waits:
        await to_inbox(account, run_id, request)
    elif not known:
        known = not await door.let_in(asked)
        if known and not await door.is_same(asked):  # somebody was faster, with another question
            raise UsageError(OTHER_QUESTION)
    return AskReply(
        run_id=run_id,
        results=f"{ASKER_RESULTS}.{run_id}",
        waiting=waits,
        already_known=known,
        deadline_s=asked.within_s,
    )
