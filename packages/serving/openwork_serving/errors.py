"""What Triton's errors mean and whether asking again is safe. Seen on Triton 2.51 with tritonclient 2.73.

The server's own words carry tracebacks and paths of its files: they are read here and go no further.
"""

from __future__ import annotations

from enum import Enum

from openwork_contracts.errors import FailureReason, ModelAnswerRejected, ModelUnavailable, OpenWorkError


class Fault(Enum):
    """A kind of failure: the words for it, and how often the same request may be sent again."""

    QUEUE_FULL = ("its queue is full", 1_000)
    """Nothing was computed: wait and ask again until the deadline."""
    DRAINING = ("it is stopping", 3)
    """A replica that ends; behind a balancer another one answers."""
    UNREACHABLE = ("it cannot be reached", 1)
    MODEL_FAILED = ("the model failed", 1)
    """An exception in the model: scoring has no side effect, so once more is safe."""
    MODEL_DEAD = ("the model's process has ended", 2)
    """For ever, in spite of green readiness checks: only a restart of the server or a reload of the model helps.
    Another replica, or another process of the model, may live; calls go round, so the next one asks it."""
    EXPIRED = ("the request waited too long in its queue", 0)
    TIMEOUT = ("it did not answer in time", 0)
    UNKNOWN_MODEL = ("it does not serve this model", 0)
    TOO_MANY = ("the batch is larger than the model takes", 0)
    """Sent again in halves."""
    REFUSED = ("it refused the request", 0)

    def __init__(self, words: str, retries: int) -> None:
        self.words = words
        self.retries = retries


def fault_of(status: str | None, message: str) -> Fault:
    """The kind of an `InferenceServerException`, by its gRPC status ("StatusCode.UNAVAILABLE") and message."""
    code = (status or "").rsplit(".", 1)[-1]
    if code == "UNAVAILABLE":
        if "maximum queue size" in message:
            return Fault.QUEUE_FULL
        return Fault.EXPIRED if "timeout expired" in message else Fault.UNREACHABLE
    if code == "NOT_FOUND":
        return Fault.DRAINING if "no available versions" in message else Fault.UNKNOWN_MODEL
    if code == "INVALID_ARGUMENT":
        return Fault.TOO_MANY if "batch-size must be <=" in message else Fault.REFUSED
    if code == "INTERNAL":
        return Fault.MODEL_DEAD if "is not healthy" in message else Fault.MODEL_FAILED
    if code == "DEADLINE_EXCEEDED":
        return Fault.TIMEOUT
    if code in {"RESOURCE_EXHAUSTED", "UNIMPLEMENTED", "PERMISSION_DENIED", "UNAUTHENTICATED"}:
        return Fault.REFUSED
    return Fault.UNREACHABLE


def error_of(fault: Fault, model: str) -> OpenWorkError:
    """The error that a caller sees."""
    message = f"Triton gave no answer of model {model!r}: {fault.words}"
    if fault in {Fault.REFUSED, Fault.TOO_MANY}:
        return ModelAnswerRejected(message)
    timed_out = fault in {Fault.TIMEOUT, Fault.EXPIRED, Fault.QUEUE_FULL}
    return ModelUnavailable(message, reason=FailureReason.TIMEOUT if timed_out else FailureReason.UNREACHABLE)
