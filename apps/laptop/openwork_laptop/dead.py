"""Dead letters: read, asked again, deleted. As the operator, by sequence and by subject, without a consumer.

An event is there for ever and its run has ended, so that the message itself cannot be sent again: nobody would act on
it. What is sent again is the run's question, into its owner's inbox, as a new run. The new run's id follows from the
old one's, so that sending twice is asking once; no mark has to be kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError
from openwork_bus.codec import reference_in, to_json, unpack
from openwork_bus.jetstream import JetStreamBus, stored_at
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_contracts.accounts import account_of, inbox_stream, inbox_subject
from openwork_contracts.answer import RunStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import ContractViolation, UsageError
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.subjects import DEAD_LETTER_STREAM, end_filter, parse_subject, question_filter
from openwork_contracts.text import clean
from openwork_gateway.results import StoredResults
from ulid import ULID

from openwork_laptop.running import not_told

_AT_ONCE = 32
"""Letters that are fetched side by side."""
_BODY_CHARS = 20_000
"""Of a body, for eyes."""
_NO_SUCH_MESSAGE = (10057, 10043)
"""What the server says of a deletion where there is nothing to be deleted."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that no service could handle. Its texts are clean: what would steer a terminal is gone."""

    sequence: int
    """Its place among the dead letters: what the commands call it by."""
    stored_at: datetime
    consumer: str
    subject: str
    """Where it was before."""
    event: str
    run_id: str
    """Empty when the subject is none of an event."""
    error: str
    reason: str
    headers: Mapping[str, str]
    body: bytes

    def row(self) -> dict[str, object]:
        """As JSON, without headers and body."""
        names = ("sequence", "consumer", "event", "run_id", "subject", "error", "reason")
        return {"stored_at": self.stored_at.isoformat(timespec="seconds"), **{n: getattr(self, n) for n in names}}


@dataclass(frozen=True, slots=True)
class Redriven:
    """What became of one that was to be sent again."""

    sequence: int
    run_id: str
    new_run_id: str | None
    """`None` = nothing was sent; `words` say why."""
    words: str

    def row(self) -> dict[str, object]:
        """As JSON."""
        return {"sequence": self.sequence, "run_id": self.run_id, "new_run_id": self.new_run_id, "words": self.words}


async def letters(
    js: JetStreamContext, *, limit: int | None = None, run_id: str = "", consumer: str = ""
) -> list[DeadLetter]:
    """The dead letters, newest first: all, those of a run, or those of a consumer.

    Raises:
        BusUnavailable: NATS does not answer, or not to this user.
    """
    found: list[DeadLetter] = []
    async for letter in _newest_first(js):
        if (run_id and letter.run_id != run_id) or (consumer and letter.consumer != consumer):
            continue
        found.append(letter)
        if limit is not None and len(found) == limit:
            break
    return found


async def letter_at(js: JetStreamContext, sequence: int) -> DeadLetter:
    """One of them.

    Raises:
        UsageError: it is not there. BusUnavailable: as `letters`.
    """
    found = await _read(js, sequence)
    if found is None:
        raise UsageError(f"there is no dead letter {sequence}; `openwork dead list` shows those there are")
    return found


async def body_of(bus: JetStreamBus, letter: DeadLetter) -> str:
    """What a letter holds, decoded as far as it can be, for eyes."""
    try:
        ref = reference_in(letter.subject, letter.body, letter.headers)
        data = unpack(letter.body if ref is None else await bus.get_blob(ref))
    except (ContractViolation, LookupError) as error:
        return f"({clean(str(error))})\n{letter.body[:_BODY_CHARS]!r}"
    text = data.decode("utf-8", "backslashreplace")
    with suppress(ValueError, RecursionError):  # what is no JSON is shown as it is
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    more = f"\n({len(text) - _BODY_CHARS} characters more)" if len(text) > _BODY_CHARS else ""
    return clean(text[:_BODY_CHARS]) + more


async def redrive(bus: JetStreamBus, letter: DeadLetter, *, again: bool = False) -> Redriven:
    """Ask the question of a letter's run again, as a new run of the same owner.

    Args:
        again: as one more new run, although there is one already.
    Raises:
        BusUnavailable: the question was not stored, or NATS does not answer.
    """

    def left(words: str) -> Redriven:
        return Redriven(letter.sequence, letter.run_id, None, words)

    if not letter.run_id:
        return left("it belongs to no run")
    question = await _question(bus, letter.run_id)
    if question is None:
        return left("its question cannot be read: it is malformed, or older than events are kept")
    if (why_not := await _not_failed(bus, letter)) is not None:
        return left(why_not)
    owner = question.meta.owner
    new_id = new_run_id() if again else successor_of(letter.run_id)
    if not again and await _is_known(bus, owner, new_id):
        return left(f"its question was asked again already, as run {new_id}; --again asks once more")
    account, person = account_of(owner), owner.partition("/")[2] or None
    request = AskRequest(
        question=question.question,
        pipeline=question.meta.pipeline,
        options=question.options,
        context=question.context,
        on_behalf_of=person,
    )
    await bus.publisher.store(inbox_stream(account), inbox_subject(account, new_id), to_json(request), {})
    return Redriven(letter.sequence, letter.run_id, new_id, f"its question is asked again as run {new_id} of {owner}")


def successor_of(run_id: str) -> str:
    """The id of the run in which a run's question is asked again: the same for everybody who asks for it.

    Its first ten characters, which are a time, are the old run's: both stand side by side in a list.
    """
    digest = hashlib.sha256(f"again {run_id}".encode()).digest()
    return str(ULID.from_bytes(ULID.from_str(run_id).bytes[:6] + digest[:10]))


async def drop(js: JetStreamContext, sequences: Iterable[int]) -> int:
    """Delete letters for good; how many there were.

    Raises:
        BusUnavailable: as `letters`.
    """
    n = 0
    for sequence in sequences:
        try:
            n += bool(await js.delete_msg(DEAD_LETTER_STREAM, sequence))
        except NotFoundError:
            continue
        except JetStreamError as error:
            if getattr(error, "err_code", None) not in _NO_SUCH_MESSAGE:
                raise not_told(error) from error
        except (NatsError, OSError, TimeoutError) as error:
            raise not_told(error) from error
    return n


async def wait_for(bus: JetStreamBus, run_ids: Sequence[str], within_s: float) -> None:
    """Wait until these runs have ended, or the time is over."""
    async with asyncio.timeout(within_s):
        for run_id in run_ids:
            while not await bus.subjects(end_filter(run_id)):  # noqa: ASYNC110 - nothing tells an operator of it
                await asyncio.sleep(0.2)


async def _newest_first(js: JetStreamContext) -> AsyncIterator[DeadLetter]:
    try:
        state = (await js.stream_info(DEAD_LETTER_STREAM)).state
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise not_told(error) from error
    left, last = state.messages, state.last_seq
    while left > 0 and last >= state.first_seq:
        first = max(state.first_seq, last - _AT_ONCE + 1)
        for letter in await asyncio.gather(*(_read(js, sequence) for sequence in range(last, first - 1, -1))):
            if letter is not None:
                left -= 1
                yield letter
        last = first - 1


async def _read(js: JetStreamContext, sequence: int) -> DeadLetter | None:
    try:
        message = await js.get_msg(DEAD_LETTER_STREAM, sequence, direct=True)
    except NotFoundError:
        return None
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise not_told(error) from error
    return _letter(sequence, message)


def _letter(sequence: int, message: RawStreamMsg) -> DeadLetter:
    headers = {clean(name): clean(value) for name, value in (message.headers or {}).items()}
    subject = headers.get("Dead-Subject", "")
    try:
        where = parse_subject(subject)
        event, run_id = where.event, check_run_id(where.run_id)
    except (ContractViolation, UsageError):
        event, run_id = "", ""
    return DeadLetter(
        sequence=sequence,
        stored_at=stored_at(message),
        consumer=headers.get("Dead-Consumer", ""),
        subject=subject,
        event=event,
        run_id=run_id,
        error=headers.get("Dead-Error", ""),
        reason=headers.get("Dead-Reason", ""),
        headers={name: value for name, value in headers.items() if not name.startswith("Nats-")},
        body=message.data or b"",
    )


async def _question(bus: JetStreamBus, run_id: str) -> QuerySubmitted | None:
    for subject in await bus.subjects(question_filter(run_id)):
        try:
            stored = await bus.get(subject)
        except ContractViolation:
            return None
        if stored is not None and isinstance(stored.event, QuerySubmitted):
            return stored.event
    return None


async def _not_failed(bus: JetStreamBus, letter: DeadLetter) -> str | None:
    """Why there is nothing to be asked again; `None` = the run has failed."""
    ended: RunEnded | None = None
    for subject in await bus.subjects(end_filter(letter.run_id)):
        stored = await bus.get(subject)
        if stored is not None and isinstance(stored.event, RunEnded):
            ended = stored.event
    if ended is None:
        return "its run goes on without it, and has not ended yet"
    if ended.kind == EndKind.FAILED:
        return None
    if ended.kind == EndKind.COMPLETED:
        return f"its run went on without it and was completed; the method of run {letter.run_id} says what is missing"
    return f"its run did not fail: it is {clean(ended.kind.value)}"


async def _is_known(bus: JetStreamBus, owner: str, run_id: str) -> bool:
    """Whether a run was begun, or has a document; one that was only refused may be asked again."""
    if await bus.subjects(question_filter(run_id)):
        return True
    document = await StoredResults(bus).document(owner, run_id)
    return document is not None and document.status is not RunStatus.REFUSED
