"""The one tree of errors, named by what to do next. Owner: contracts.

OpenWorkError
  SourceUnavailable     timeout, 429, 5xx          -> try again later; last try: the answer names the source
  SourceRefused         400, 401, 403              -> never again with the same request: our fault
  SourceChanged         200 that no longer parses  -> keep the payload, tell a maintainer
  ModelUnavailable      no answer in time          -> try again later, or use the fallback
  ModelAnswerRejected   wrong shape, not finite    -> never again with the same input
  ContractViolation     not of its contract        -> dead letter
  EventTooLarge         over the server's limit    -> dead letter
  SubjectTaken          another event is there     -> dead letter: two decisions about one thing
  BusUnavailable        no acknowledgement         -> try again later
    StorageFull         the stream takes no more   -> try again later, make room
  LibraryMismatch       another starter library    -> try again later: an upgrade is under way
  Busy                  more than can be answered  -> ask again after the seconds that it names
  RunNotFound           no event of that run       -> check the run id
  UsageError            what a person typed        -> say what to type instead
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openwork_contracts.enums import OpenEnum
from openwork_contracts.text import clean

if TYPE_CHECKING:
    from openwork_contracts.plan import SearchRequestLog


class FailureReason(OpenEnum):
    """Why something was not done; a reader keeps a value that it does not know."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    """The service refused: too many requests, by its own count."""
    OWN_LIMIT = "own_limit"
    """We did not ask: what we allow ourselves to ask it is used up by other work of ours."""
    REFUSED = "refused"
    CHANGED = "changed"
    CIRCUIT_OPEN = "circuit_open"
    CONTRACT = "contract"
    TOO_LARGE = "too_large"
    DEADLINE = "deadline"
    INTERNAL = "internal"

    @property
    def in_words(self) -> str:
        """How a source failed, as the end of a sentence that begins with its name."""
        return _IN_WORDS.get(self, "failed unexpectedly")


_IN_WORDS = {
    FailureReason.TIMEOUT: "did not answer in time",
    FailureReason.UNREACHABLE: "could not be reached",
    FailureReason.RATE_LIMITED: "refused more requests for now (its own rate limit)",
    FailureReason.OWN_LIMIT: (
        "got no request in time, since our own budget of requests was used up by other questions: no fault of the "
        "source"
    ),
    FailureReason.REFUSED: "refused the request",
    FailureReason.CHANGED: "answered in a form that could not be read",
    FailureReason.CIRCUIT_OPEN: "was not asked after repeated failures",
    FailureReason.TOO_LARGE: "answered with more than can be taken",
    FailureReason.DEADLINE: "gave no answer before the search deadline",
}


class OpenWorkError(Exception):
    """Base of every error that Open Work raises on purpose. Its message is fit for a reader's eyes.

    It may quote an outside service, a file or an asker: it passes the door of `text.py`.
    """

    reason: FailureReason = FailureReason.INTERNAL
    retryable: bool = False
    """Whether the same work may succeed when it is tried again later."""
    retry_after_s: float | None = None
    """Seconds the other side asked us to wait; `None` when it did not say."""
    requests: tuple[str, ...] = ()
    """What had been sent when it happened, without keys: the search log of a search that failed."""
    log: tuple[SearchRequestLog, ...] = ()
    """The same with what came back, where it is known; empty = `requests` is all there is."""

    def __init__(
        self, message: str, *, reason: FailureReason | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(clean(message))
        if reason is not None:
            self.reason = reason
        if retry_after_s is not None:
            self.retry_after_s = retry_after_s


class SourceUnavailable(OpenWorkError):  # noqa: N818 - named by what happened, see the tree above
    """The source gave no usable answer now: timeout, network, 429, 5xx."""

    reason = FailureReason.UNREACHABLE
    retryable = True


class SourceRefused(OpenWorkError):  # noqa: N818
    """The source understood and refused: 400, 401, 403. The same request will be refused again."""

    reason = FailureReason.REFUSED


class SourceChanged(OpenWorkError):  # noqa: N818
    """The source answered 200 with something that is not what it documents."""

    reason = FailureReason.CHANGED


class ModelUnavailable(OpenWorkError):  # noqa: N818
    """A model server gave no answer within its time limit."""

    reason = FailureReason.UNREACHABLE
    retryable = True


class ModelAnswerRejected(OpenWorkError):  # noqa: N818
    """A model answered with another shape than asked for, or with numbers that are not finite."""


class ContractViolation(OpenWorkError):  # noqa: N818
    """A message is not of its contract: not JSON, wrong fields, or an unknown contract version."""

    reason = FailureReason.CONTRACT


class EventTooLarge(OpenWorkError):  # noqa: N818
    """An event is over the server's `max_payload` even when compressed."""

    reason = FailureReason.TOO_LARGE


class BusUnavailable(OpenWorkError):  # noqa: N818
    """NATS did not acknowledge within the time limit, or cannot be reached."""

    reason = FailureReason.UNREACHABLE
    retryable = True


class StorageFull(BusUnavailable):
    """The stream, or the server's disk, takes nothing more until there is room."""


class SubjectTaken(OpenWorkError):  # noqa: N818
    """The one subject of an event holds another event, made by somebody else or in answer to something else."""

    reason = FailureReason.CONTRACT


class LibraryMismatch(OpenWorkError):  # noqa: N818
    """A record travels by name, and the version of the starter library that it is of is not installed here."""

    reason = FailureReason.CONTRACT
    retryable = True


class Busy(OpenWorkError):  # noqa: N818
    """More is asked than can be answered in time, or than this asker may; `retry_after_s` says when to ask again."""

    reason = FailureReason.RATE_LIMITED
    retryable = True


class RunNotFound(OpenWorkError):  # noqa: N818
    """The stream holds no event of that run."""


class UsageError(OpenWorkError):
    """What was typed or passed in cannot be used; the message says what to give instead."""
