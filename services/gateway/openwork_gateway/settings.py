"""Settings of the gateway. The only reader of the environment here."""

from __future__ import annotations

from openwork_bus.settings import ServiceSettings
from pydantic import Field


class Settings(ServiceSettings):
    """What is admitted, and how much of it."""

    queue_target_s: float = Field(default=0.75, gt=0, le=60)
    """Seconds of work that may wait in front of the services; what is beyond waits at the door, in fair order."""
    queue_limit_s: float = Field(default=3.0, gt=0, le=3600)
    """Seconds that a question may have to wait at the door while too much is asked; above it "busy"."""
    queue_burst_s: float = Field(default=2.0, ge=0, le=600)
    """Seconds in which an account may go over `queue_limit_s`, as far as deadlines allow: many questions at once are no
    overload."""
    account_waiting: int = Field(default=1000, ge=1, le=100_000)
    """Most questions of one account that wait at the door of one gateway."""
    account_runs_per_hour: int = Field(default=3600, ge=0)
    """Runs that one account may begin in an hour; 0 = as many as can be served. `local` and `api` have no quota. It
    bounds what an account can fill of the results, which all share."""
    admit_below: float = Field(default=0.8, gt=0, le=1)
    """Fraction of the event stream's bytes above which no question is admitted."""
    sweep_s: float = Field(default=30.0, gt=0, le=3600)
    """Seconds between two looks for runs that are past their deadline and have no end."""
