"""Who may do what on the bus: one NATS user per service, its rights made from the contracts' table of events.

A service may publish the events that the table names it for, consume its own durables, write their dead letters, and
read the history of runs if its handlers do. It may not declare, change or delete anything, nor take another's messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.buckets import ANSWERS, BLOBS, LIMITS, TEXTS
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    ASK_SUBJECT,
    CONSUMERS,
    DEAD_LETTER_STREAM,
    DEAD_PREFIX,
    END_PART,
    EVENTS,
    LIVE_PREFIX,
    PREFIX,
    RUN_ROUTE,
    STREAM,
    TIMER_PREFIX,
    ConsumerSpec,
    EventSpec,
    retriever_consumer,
)
from openwork_laptop.stack import SERVICES
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.registry import SOURCES

TIMERS: dict[str, tuple[str, ...]] = {
    "gateway": (RUN_ROUTE,),
    "query": ("normaliser", RUN_ROUTE),
    "gap": ("normaliser",),
    "reranker": ("reranker-passages",),
}
"""Service to the joiners whose deadlines it sets. Its keys are the publishers of `deadline-reached` in the contracts.

These services are trusted beyond their subjects: the server does not check what a timer is aimed at (a message that a
timer published has the header `Nats-Scheduler`, so that it can be told apart)."""
READERS = tuple(name for name in SERVICES if name != "retrievers")
"""Services that read events of a run. The retrievers, which work on what strangers wrote, see only which there are."""
ASKERS = ("client",)
"""Users for people and other systems: they ask and watch. `client` is what the command line logs in as."""
OWNER = "topology"
"""The job that makes streams, consumers and buckets."""
MODEL_USERS = ("query", "gap", "synthesiser", "verifier")
"""Services that may ask a language model; they share the account of each run and the answers."""
BUCKETS = {
    "limits": LIMITS.stream,
    "answers": ANSWERS.stream,
    "ledger": "KV_openwork-model-ledger",
    "model-answers": "KV_openwork-model-answers",
    "scores": "KV_openwork-scores",
    "texts": TEXTS.stream,
    "blobs": BLOBS.stream,
}
"""Streams behind the buckets. The topology job may make these and no others, which the tests of permissions show."""
ACCOUNT = "OPENWORK"
"""The NATS account of all of them; also KEDA's `account`."""

ROUTES = (LibrarySource.route, *(spec.route for spec in SOURCES))
"""Every source that there can be a retriever for."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What one user may publish and subscribe to."""

    user: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    replies: bool = False
    """Whether it answers requests: one message to the reply subject of each request it received."""

    @property
    def password_variable(self) -> str:
        """The environment variable of the server that holds this user's password."""
        return f"OPENWORK_NATS_PASSWORD_{self.user.upper()}"


def consumers_of(service: str) -> tuple[tuple[str, ConsumerSpec], ...]:
    """The durables of a service, each with its stream."""
    own = [(STREAM, spec) for spec in CONSUMERS if spec.service == service]
    if service == "retrievers":
        own += [(STREAM, retriever_consumer(route)) for route in ROUTES]
    if service == ADVISORY_CONSUMER.service:
        own.append((ADVISORY_STREAM, ADVISORY_CONSUMER))
    return tuple(own)


def service_permissions(service: str) -> Permissions:
    """The rights of one service."""
    own = consumers_of(service)
    publish = [*_events(service), *_dead_letters(service), f"{LIVE_PREFIX}.*"]
    for stream, spec in own:
        publish += _consume(stream, spec.durable)
    publish.append(f"$JS.API.STREAM.INFO.{STREAM}")  # which events of a run are there, e.g. whether it has ended
    if service in READERS:
        publish += _read_bodies()
    publish += _buckets(service)
    if service == "gateway":
        # A message that killed its service is copied from the stream into the dead-letter stream by its number.
        return Permissions(service, tuple(publish), (*_inbox(service), f"{ASK_SUBJECT} {service}"), replies=True)
    return Permissions(service, tuple(publish), _inbox(service))


def asker_permissions(user: str) -> Permissions:
    """The rights of somebody who asks: submit, read, watch. Nothing of what services decide.

    No timers: the server itself publishes what a timer is aimed at, whatever its owner may publish, so that a timer is
    a way to write any event. The gateway and the query service set the run's timer.
    """
    publish = [
        ASK_SUBJECT,
        _subject(QuerySubmitted, "mode"),
        f"$JS.API.STREAM.INFO.{STREAM}",
        *_read_bodies(),
        # `openwork ask` watches a run through a nameless consumer, which ends with it. The form of this subject that
        # names the consumer is not allowed: with it, a service's durable could be changed.
        f"$JS.API.CONSUMER.CREATE.{STREAM}",
        f"$JS.FC.{STREAM}.>",
    ]
    # The command line's connection is called cli, and its inboxes after it.
    return Permissions(user, tuple(publish), (*_inbox(user), *_inbox("cli"), f"{LIVE_PREFIX}.*"))


def owner_permissions() -> Permissions:
    """The rights of the topology job: make and update what the contracts say; delete and read nothing."""
    publish = ["$JS.API.INFO"]
    for stream in (STREAM, DEAD_LETTER_STREAM, ADVISORY_STREAM, *BUCKETS.values()):
        publish += [f"$JS.API.STREAM.{verb}.{stream}" for verb in ("INFO", "CREATE", "UPDATE")]
    for stream, durables in _durables().items():
        publish += [f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.>" for durable in durables]
    return Permissions(OWNER, tuple(publish), _inbox(OWNER))


def all_permissions() -> tuple[Permissions, ...]:
    """Every user: the services, who asks, and the owner of the bus's shape."""
    services = tuple(service_permissions(service) for service in SERVICES)
    return (*services, *(asker_permissions(user) for user in ASKERS), owner_permissions())


def accounts_config() -> str:
    """The `accounts` of a nats-server as configuration text; passwords come from the server's environment."""
    users = "\n".join(_user(permissions) for permissions in all_permissions())
    return (
        "# Generated by `python -m deploy.generate`; do not edit.\n"
        "# Passwords are variables of the server's environment. They must begin with a letter: the configuration\n"
        "# format would read one that begins with a digit as a number.\n"
        f"accounts {{\n  {ACCOUNT} {{\n    jetstream: enabled\n    users: [\n{users}\n    ]\n  }}\n"
        "  SYS { users: [ { user: sys, password: $OPENWORK_NATS_PASSWORD_SYS } ] }\n}\n"
        "system_account: SYS\n"
    )


def _user(permissions: Permissions) -> str:
    def listed(subjects: Iterable[str]) -> str:
        return "\n".join(f'            "{subject}"' for subject in subjects)

    replies = '\n          allow_responses: { max: 1, ttl: "1m" }' if permissions.replies else ""
    return (
        f"      {{\n        user: {permissions.user}, password: ${permissions.password_variable}\n"
        f"        permissions: {{\n          publish: {{ allow: [\n{listed(permissions.publish)}\n          ] }}\n"
        f"          subscribe: {{ allow: [\n{listed(permissions.subscribe)}\n          ] }}{replies}\n"
        "        }\n      }"
    )


def _inbox(name: str) -> tuple[str, ...]:
    return (f"_INBOX_{name.replace('-', '_')}.>",)


def _subject(model: type[Event], route: str) -> str:
    part = END_PART if model.terminal else "*"
    return f"{PREFIX}.{model.event_name}.{'all' if route == 'all' else '*'}.*.{part}"


def _events(service: str) -> list[str]:
    subjects: list[str] = []
    for spec in EVENTS:
        if not _publishes(service, spec):
            continue
        if spec.model is DeadlineReached:
            # The server publishes the event itself, when the timer that the service stored is due.
            subjects += [f"{TIMER_PREFIX}.{joiner}.*.*" for joiner in TIMERS[service]]
        else:
            subjects.append(_subject(spec.model, spec.route))
    return subjects


def _publishes(service: str, spec: EventSpec) -> bool:
    return service in spec.publishers or "any" in spec.publishers


def _dead_letters(service: str) -> list[str]:
    writers = SERVICES if service == ADVISORY_CONSUMER.service else (service,)  # it writes for those that could not
    durables = [spec.durable for writer in writers for stream, spec in consumers_of(writer) if stream == STREAM]
    return [f"{DEAD_PREFIX}.{durable}" for durable in durables]


def _consume(stream: str, durable: str) -> list[str]:
    return [
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
    ]


def _read_bodies() -> list[str]:
    return [
        f"$JS.API.DIRECT.GET.{STREAM}.{PREFIX}.>",
        f"$JS.API.STREAM.MSG.GET.{STREAM}",
    ]


def _buckets(service: str) -> list[str]:
    subjects: list[str] = []
    if service in {"query", "retrievers", "fulltext"}:  # who asks outside services, within the limits that all share
        subjects += _key_value("limits", "rate.>", "quota.>")
    if service in {"query", "retrievers"}:
        subjects += _key_value("answers", "*")
    if service in MODEL_USERS:
        subjects += [*_key_value("ledger", "*"), *_key_value("model-answers", "*")]
    if service == "reranker":
        subjects += _key_value("scores", "*")
    if service == "fulltext":
        stream = BUCKETS["texts"]
        subjects += [f"$JS.API.STREAM.INFO.{stream}", f"$JS.API.STREAM.MSG.GET.{stream}"]
        subjects += [f"$O.{TEXTS.name}.C.*", f"$O.{TEXTS.name}.M.*"]
        # The client reads the pieces of an object through an ordered consumer, and looks its stream up by subject.
        subjects += ["$JS.API.STREAM.NAMES", f"$JS.API.CONSUMER.CREATE.{stream}"]
        # An object that is written anew: its old pieces.
        subjects += [f"$JS.FC.{stream}.>", f"$JS.API.STREAM.PURGE.{stream}"]
    return subjects


def _key_value(bucket: str, *keys: str) -> list[str]:
    stream = BUCKETS[bucket]
    name = stream.removeprefix("KV_")
    # Asked of the leader where a stale answer would be wrong, else by direct get: the bucket says which.
    read = [
        f"$JS.API.STREAM.INFO.{stream}",
        f"$JS.API.STREAM.MSG.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}.$KV.{name}.>",
    ]
    return [*read, *(f"$KV.{name}.{key}" for key in keys)]


def _durables() -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for service in SERVICES:
        for stream, spec in consumers_of(service):
            named.setdefault(stream, []).append(spec.durable)
    return named
