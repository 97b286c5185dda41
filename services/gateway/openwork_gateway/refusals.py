"""Where a refusal goes: it is the end of what was never begun, and a notice beside what was.

The last message of a run's results is what it came to: what was refused under the same run id never takes that place.
"""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_bus.bus import Bus
from openwork_contracts.accounts import account_of
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import RunNotFound
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.results import ResultKind, RunResult
from openwork_contracts.subjects import end_filter, question_filter

from openwork_gateway.domain.folds import fold
from openwork_gateway.results import Results, put_document


async def stored_question(bus: Bus, run_id: str) -> QuerySubmitted | None:
    """The question with which a run was begun, whoever asked it; `None` = none was."""
    for stored in await bus.get_all(await bus.subjects(question_filter(run_id))):
        if isinstance(stored.event, QuerySubmitted):
            return stored.event
    return None


async def put_refusal(
    bus: Bus, results: Results, document: AnswerDocument, *, begun: QuerySubmitted | None, notice: str
) -> None:
    """Store why a question was not let in; once, however often it is told.

    Args:
        begun: the question with which a run of that id was begun; looked up by the caller, who often knows.
        notice: what is told instead where the run id has a run of the same account.
    Raises:
        BusUnavailable: it was not stored.
    """
    account = account_of(document.owner)
    # Mostly nothing is known of it. In one step, since this is what there is most of when there is least time.
    if begun is None and await put_document(results, document, first=True):
        return
    try:
        await results.document(document.owner, document.run_id)
    except RunNotFound:  # deleted: nothing takes the place of the mark, from which it would come back
        return
    last = await results.last(account, document.run_id)
    if last is not None and last.status is RunStatus.REFUSED:
        if last.submitted_at == document.submitted_at and last.owner == document.owner:
            return  # the message in the inbox was delivered again
        last = None
    if last is None and (begun is None or account_of(begun.meta.owner) != account):
        await put_document(results, document)
        return
    now = datetime.now(UTC)
    await results.put(RunResult(run_id=document.run_id, kind=ResultKind.NOTICE, at=now, message=notice), document.owner)
    # The run may have ended since `last` was read; then its document lies below the notice.
    if last is None and await bus.subjects(end_filter(document.run_id)):
        last = fold(await bus.history(document.run_id))
    if last is not None:
        await put_document(results, last)
