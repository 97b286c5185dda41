"""`openwork.ask`: a question by request and reply. It goes through the same door as one that was published."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_contracts.accounts import ASKER_RESULTS
from openwork_contracts.errors import Busy, StorageFull, SubjectTaken, UsageError
from openwork_contracts.question import AskReply, AskRequest

from openwork_gateway.domain.admission import Verdict
from openwork_gateway.door import OTHER_QUESTION, Asked, Door
from openwork_gateway.metrics import Refusal
from openwork_gateway.refusals import stored_question

ToInbox = Callable[[str, str, AskRequest], Awaitable[bool]]
"""Publishes a question to the inbox of an account, under a run id; False = one waits there under that run id."""

_INBOX_FULL = "So many questions of this account wait that its inbox takes no more; try again in 10 s."


async def submit(door: Door, account: str, request: AskRequest, to_inbox: ToInbox) -> AskReply:
    """Let a question in, put it into its account's inbox to wait for its turn, or say why not.

    Raises:
        UsageError: the run id is not a ULID, or another question's; the pipeline is not installed.
        Busy: more is asked than can be answered. BusUnavailable: the stream gave no acknowledgement.
    """
    run_id = check_run_id(request.run_id) if request.run_id else new_run_id()
    try:
        asked = door.asked(account, run_id, request, datetime.now(UTC))
    except UsageError:
        door.count_refusal(Refusal.INVALID)
        raise
    waits = known = False
    if request.run_id:
        waits, known = await _known(door, asked)
    if not known:
        waits = door.judge(asked).verdict is Verdict.WAIT
        known = not await (_wait(door, asked, to_inbox) if waits else _begin(door, asked))
    return AskReply(
        run_id=run_id,
        results=f"{ASKER_RESULTS}.{run_id}",
        waiting=waits,
        already_known=known,
        deadline_s=asked.within_s,
    )


async def _known(door: Door, asked: Asked) -> tuple[bool, bool]:
    """Whether a question waits at this door, and whether it does or was begun, under a run id that its asker brought.

    Raises:
        UsageError: another question does, or was.
    """
    held = door.waiting.find(asked.account, asked.run_id)
    begun = None if held else await stored_question(door.bus, asked.run_id)
    if (held and not held.asks(asked.request)) or (begun and not asked.is_of(begun)):
        door.count_refusal(Refusal.TAKEN)
        raise UsageError(OTHER_QUESTION)
    return held is not None, bool(held or begun)


async def _wait(door: Door, asked: Asked, to_inbox: ToInbox) -> bool:
    try:
        return await to_inbox(asked.account, asked.run_id, asked.request)
    except StorageFull as error:
        door.count_refusal(Refusal.INBOX_FULL)
        raise Busy(_INBOX_FULL, retry_after_s=10.0) from error


async def _begin(door: Door, asked: Asked) -> bool:
    try:
        return await door.begin(asked)
    except SubjectTaken as error:  # somebody was faster, with another question
        door.count_refusal(Refusal.TAKEN)
        raise UsageError(OTHER_QUESTION) from error
