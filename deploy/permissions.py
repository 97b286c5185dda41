"""Who may do what on the bus: one NATS user per service, its rights made from the contracts' table of events.

A service may publish the events that the table names it for, consume its own durables, write their dead letters, and
what its `service.toml` says: read the history of runs, set deadlines, use buckets, answer requests. It may not declare,
change or delete anything, nor take another's messages.

Rights are subjects, so nobody has one whose object stands in a message's body: no consumer without a name (its subject
says no more than the stream), no purge (its filter is in the body), not even for what is stored in buckets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openwork_bus.objects import subjects_of
from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.buckets import BUCKETS, BucketKind, BucketSpec
from openwork_contracts.patterns import (
    dead_letter_subject,
    every_event,
    progress_pattern,
    publish_pattern,
    timer_pattern,
)
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.schema import REQUESTS
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_STREAM,
    EVENTS,
    STREAM,
    ConsumerSpec,
    end_filter,
    fixed_consumers,
    lanes,
    retriever_consumer,
    spec_named,
    spec_of,
)

from deploy.registry import ServiceSpec, service_named, services
from deploy.sources import ROUTES

ASKERS = ("client",)
"""Users for people and other systems: they ask and watch. `client` is what the command line logs in as."""
OWNER = "topology"
"""The job that makes streams, consumers and buckets; those of the contracts and no others."""
ACCOUNT = "OPENWORK"
"""The NATS account of all of them; also KEDA's `account`."""


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
    own = [(STREAM, spec) for spec in fixed_consumers() if spec.service == service]
    if service_named(service).containers:
        own += [(STREAM, spec) for spec in lanes(retriever_consumer(route) for route in ROUTES)]
    if service == ADVISORY_CONSUMER.service:
        own.append((ADVISORY_STREAM, ADVISORY_CONSUMER))
    return tuple(own)


def service_permissions(service: ServiceSpec) -> Permissions:
    """The rights of one service."""
    publish = [*_events(service), *_dead_letters(service.name), progress_pattern()]
    for stream, spec in consumers_of(service.name):
        publish += _consume(stream, spec.durable)
    publish.append(f"$JS.API.STREAM.INFO.{STREAM}")  # which events of a run are there, e.g. whether it has ended
    publish += _read_bodies(service)
    for bucket in service.read_bucket_specs:
        publish += _read_bucket(bucket)
    for bucket in service.bucket_specs:
        publish += _write_bucket(bucket)
    asked = [f"{subject} {service.name}" for subject in service.answers]
    if service.hears_ends:
        asked.append(end_filter("*"))
    return Permissions(service.name, tuple(publish), (*_inbox(service.name), *asked), replies=bool(service.answers))


def asker_permissions(user: str) -> Permissions:
    """The rights of somebody who asks: submit, read, watch. Nothing of what services decide.

    No timers: the server itself publishes what a timer is aimed at, whatever its owner may publish, so that a timer is
    a way to write any event. The gateway and the query service set the run's timer.
    """
    publish = [
        *(subject for _, subject, _ in REQUESTS),
        publish_pattern(spec_of(QuerySubmitted)),
    ]
    # The command line's connection is called cli, and its inboxes after it. Runs are read through the gateway and the
    # end is waited for on core NATS: nobody who asks needs a consumer, which could be aimed at what others do.
    heard = (progress_pattern(), end_filter("*"))
    return Permissions(user, tuple(publish), (*_inbox(user), *_inbox("cli"), *heard))


def owner_permissions() -> Permissions:
    """The rights of the topology job: make and update what the contracts say; delete and read nothing."""
    publish = ["$JS.API.INFO"]
    for stream in (STREAM, DEAD_LETTER_STREAM, ADVISORY_STREAM, *(bucket.stream for bucket in BUCKETS)):
        publish += [f"$JS.API.STREAM.{verb}.{stream}" for verb in ("INFO", "CREATE", "UPDATE")]
    for stream, durables in _durables().items():
        publish += [f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.>" for durable in durables]
    return Permissions(OWNER, tuple(publish), _inbox(OWNER))


def all_permissions() -> tuple[Permissions, ...]:
    """Every user: the services, who asks, and the owner of the bus's shape."""
    own = tuple(service_permissions(service) for service in services())
    return (*own, *(asker_permissions(user) for user in ASKERS), owner_permissions())


def accounts_config() -> str:
    """The `accounts` of a nats-server as configuration text; passwords come from the server's environment."""
    users = "\n".join(_user(permissions) for permissions in all_permissions())
    return (
        "# Generated by `make manifests`; do not edit.\n"
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


def _events(service: ServiceSpec) -> list[str]:
    subjects: list[str] = []
    for spec in EVENTS:
        if not {service.name, "any"} & set(spec.publishers):
            continue
        if spec.model is DeadlineReached:
            subjects += [timer_pattern(joiner) for joiner in service.timers]
        else:
            subjects.append(publish_pattern(spec))
    return subjects


def _dead_letters(service: str) -> list[str]:
    # The reader of the server's advisories writes for those that could not.
    writers = [spec.name for spec in services()] if service == ADVISORY_CONSUMER.service else [service]
    return [
        dead_letter_subject(spec) for writer in writers for stream, spec in consumers_of(writer) if stream == STREAM
    ]


def _consume(stream: str, durable: str) -> list[str]:
    return [
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
    ]


def _read_bodies(service: ServiceSpec) -> list[str]:
    """By subject, from whichever replica; whether something is there is asked of the leader (STREAM.INFO)."""
    readable = [every_event()] if service.reads_bodies else [spec_named(name).filter() for name in service.reads_only]
    rights = [f"$JS.API.DIRECT.GET.{STREAM}.{pattern}" for pattern in readable]
    if service.name == ADVISORY_CONSUMER.service:
        # A message that killed its service is copied into the dead-letter stream by its number, which stands in the
        # body: of this stream it may read every event anyway, and no direct get finds a number by its subject.
        rights.append(f"$JS.API.STREAM.MSG.GET.{STREAM}")
    return rights


def _read_bucket(bucket: BucketSpec) -> list[str]:
    info = f"$JS.API.STREAM.INFO.{bucket.stream}"  # which entries there are, of this bucket
    if bucket.kind is BucketKind.OBJECTS:
        return [info, *(f"$JS.API.DIRECT.GET.{bucket.stream}.{subject}" for subject in subjects_of(bucket))]
    if bucket.is_cache:
        return [info, f"$JS.API.DIRECT.GET.{bucket.stream}.$KV.{bucket.name}.>"]
    # Asked of the leader, where a stale answer would be wrong. Which entry stands in the body, but the bucket does not:
    # it is a stream of its own, and whoever may read one entry of it may read them all.
    return [info, f"$JS.API.STREAM.MSG.GET.{bucket.stream}"]


def _write_bucket(bucket: BucketSpec) -> list[str]:
    if bucket.kind is BucketKind.OBJECTS:
        return list(subjects_of(bucket))  # that nothing is replaced in a create-only bucket is the server's rule
    return [f"$KV.{bucket.name}.{key}" for key in bucket.keys]


def _durables() -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for service in services():
        for stream, spec in consumers_of(service.name):
            named.setdefault(stream, []).append(spec.durable)
    return named
