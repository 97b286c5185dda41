"""Subjects that a service may not publish on or listen to: what is another's."""

from __future__ import annotations

from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import LOCAL_ACCOUNT, inbox_stream, inbox_subject, out_subject, results_subject
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.streams import INBOX_CONSUMER
from openwork_contracts.subjects import (
    DEAD_LETTER_STREAM,
    EVENTS,
    RESULTS_STREAM,
    STREAM,
    TIMERS_STREAM,
    spec_of,
    timer_subject,
)

from deploy.registry import services

TIMERS = {service.name: service.timers for service in services()}
ANSWERING = frozenset(service.name for service in services() if service.answers)


def shapes(service: str) -> list[str]:
    """Requests that would change what there is, or take what is another's."""
    other = "gap" if service != "gap" else "verifier"
    inbox = inbox_stream(LOCAL_ACCOUNT)
    found = [
        f"$JS.API.STREAM.{verb}.{stream}"
        for stream in (STREAM, TIMERS_STREAM, RESULTS_STREAM, DEAD_LETTER_STREAM, inbox, "KV_openwork-limits")
        for verb in ("CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT", "RESTORE")
    ]
    # Without a name the subject does not say whose it is; a push consumer publishes where it likes.
    found += [f"$JS.API.CONSUMER.CREATE.{stream}" for stream in (STREAM, TIMERS_STREAM, RESULTS_STREAM, inbox)]
    for durable in (other, service, "mine"):
        found += [
            f"$JS.API.CONSUMER.{verb}.{STREAM}.{durable}" for verb in ("CREATE", "DURABLE.CREATE", "DELETE", "PAUSE")
        ]
    held = [f"{STREAM}.{other}", f"{TIMERS_STREAM}.{other}-deadlines"]
    held += [] if service == "gateway" else [f"{inbox}.{INBOX_CONSUMER}", f"{TIMERS_STREAM}.gateway-deadlines"]
    for each in held:
        found += [f"$JS.API.CONSUMER.INFO.{each}", f"$JS.API.CONSUMER.MSG.NEXT.{each}", f"$JS.ACK.{each}.1.1.1.1.0"]
    return [*found, f"$JS.API.STREAM.MSG.GET.{DEAD_LETTER_STREAM}", f"$JS.API.DIRECT.GET.{DEAD_LETTER_STREAM}"]


def foreign_messages(service: str) -> list[str]:
    """Where only others write: the gateway to askers, a joiner's own timers, each its own dead letters."""
    joiners = [joiner for joiner in ("run", "normaliser", "reranker-passages") if joiner not in TIMERS[service]]
    due = [spec_of(DeadlineReached).subject(new_run_id(), route=joiner) for joiner in joiners]
    found = [*due, *map(timer_subject, due), "openwork.dead.somebody", "elsewhere", out_subject("ALICE", "X")]
    found += ["$O.openwork-else.C.x.0", "$KV.openwork-else.x", "openwork.ask.ALICE", "_INBOX.x", "_INBOX_other.x"]
    # Nobody sets what has come: the server alone publishes it.
    found += [f"openwork.due.v1.{joiner}.X.answer~all~0~0" for joiner in TIMERS[service]]
    if service != "gateway":
        found += [results_subject("ALICE", "X"), inbox_subject("ALICE", "X")]
    if service not in ANSWERING:
        found.append("_R_.x")
    return found


HEARD_BY_NO_SERVICE = (
    "_INBOX_other.>", "_INBOX.>", "openwork.v1.>", "_R_.>", ">", "openwork.>", "$JS.>",
    "openwork.dead.>", "openwork.inbox.>", "openwork.results.>", "openwork.ask.*",
)  # fmt: skip


def foreign_events(service: str) -> list[str]:
    """One subject of every event that the contracts do not let this service publish."""
    others = [spec for spec in EVENTS if service not in spec.publishers and "any" not in spec.publishers]
    return [spec.subject(new_run_id()) for spec in others]
