"""What can go wrong for an asker; named as in the contracts, by what to do next.

```text
OpenWorkError
  UsageError         what was asked or passed in  -> say something else; the message says what
  Busy               more than can be answered    -> ask again after `retry_after_s`
  RunNotFound        no event of that run         -> check the run id
  BusUnavailable     no server, nobody answers    -> try again later, or start one
  ContractViolation  a reply of another form      -> client and services do not fit together
```
"""

from __future__ import annotations


class OpenWorkError(Exception):
    """Base of every error that is raised on purpose. Its message is fit for a reader's eyes."""


class UsageError(OpenWorkError):
    """What was typed or passed in cannot be used; the message says what to give instead."""


class Busy(OpenWorkError):  # noqa: N818 - named by what happened, as in the contracts
    """More is asked than can be answered in time, or than this account may."""

    retry_after_s: float | None = None
    """Seconds after which asking again may be admitted; `None` = it was not said."""


class RunNotFound(OpenWorkError):  # noqa: N818
    """Nothing of that run is stored."""


class BusUnavailable(OpenWorkError):  # noqa: N818
    """NATS, or the HTTP API, cannot be reached, or no service answers there; it may work later."""


class ContractViolation(OpenWorkError):  # noqa: N818
    """A reply is not what its contract says."""


def error_of(message: str, error_type: str | None, retry_after_s: float | None = None) -> OpenWorkError:
    """The error that a reply tells of; a kind that this version does not know is an `OpenWorkError`."""
    known = (UsageError, Busy, RunNotFound, BusUnavailable, ContractViolation)
    kinds = {kind.__name__: kind for kind in known}
    error = kinds.get(error_type or "", OpenWorkError)(message)
    if isinstance(error, Busy):
        error.retry_after_s = retry_after_s
    return error
