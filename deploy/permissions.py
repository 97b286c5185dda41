"""Who may do what on the bus: NATS accounts and users, their rights made from the contracts' tables.

The services share one account, each a user of its own: it may publish the events that the table names it for, consume
its own durables, write their dead letters, and what its `service.toml` says. It may not declare, change or delete
anything, nor take another's messages. Rights are subjects, so nobody has one whose object stands in a message's body:
no consumer without a name (its subject says no more than the stream), no purge (its filter is in the body), not even
for what is stored in buckets.

Askers live in accounts of their own, which reach the services through imports: within one account any client can have
the server's own acknowledgement written to a subject of its choice, and no permission prevents it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openwork_bus.accounts import API_BUCKETS, asker_account, exports, nobody_account
from openwork_bus.backup.settings import RESTORES, SAVES
from openwork_bus.former import FORMER_NOTE, FORMER_STREAM
from openwork_bus.objects import subjects_of
from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.accounts import (
    API_ACCOUNT,
    INBOX_PREFIX,
    LOCAL_ACCOUNT,
    NOBODY_ACCOUNT,
    RESULTS_PREFIX,
    SERVICES_ACCOUNT,
    SYSTEM_ACCOUNT,
    out_subject,
)
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
from openwork_contracts.streams import INBOX_CONSUMER
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_STREAM,
    DEAD_PREFIX,
    DUE_PREFIX,
    EVENTS,
    RESULTS_STREAM,
    STREAM,
    TIMER_PREFIX,
    TIMERS_STREAM,
    ConsumerSpec,
    EventSpec,
    end_filter,
    fixed_consumers,
    lanes,
    retriever_consumer,
    served_subject,
    spec_named,
    spec_of,
)

from deploy.registry import ServiceSpec, service_named, services
from deploy.sources import ROUTES

ACCOUNT = SERVICES_ACCOUNT
"""The NATS account of the services; also KEDA's `account`."""
ASKERS = (LOCAL_ACCOUNT, API_ACCOUNT)
"""Accounts of askers that every server has, each with one user of the same name. Others: `openwork accounts add`."""
OWNER = "topology"
"""The job that makes streams, consumers and buckets; those of the contracts, and inboxes of accounts."""
OPERATOR = "operator"
"""A person who runs the system: reads everything, sends dead letters again, takes a stored run up anew."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What one user may publish and subscribe to."""

    user: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def consumers_of(service: str) -> tuple[tuple[str, ConsumerSpec], ...]:
    """The durables of a service, each with its stream; but for those in inboxes, which are an account's."""
    own = [(spec.stream, spec) for spec in fixed_consumers() if spec.service == service]
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
    heard = [f"{served_subject(subject)} {service.name}" for subject in service.answers]
    heard.append(end_filter("*"))  # work of a run that has ended is dropped
    if service.answers:
        # Where a request of another account wants its reply: never a subject of this one, as allow_responses would.
        publish.append("_R_.>")
    if service.keeps_the_door:
        publish += _door()
        heard += [out_subject("*"), publish_pattern(spec_of(QuerySubmitted)), progress_pattern()]
    return Permissions(service.name, tuple(publish), (*_inbox(service.name), *heard))


def _door() -> list[str]:
    """Inboxes of accounts that nobody knows yet: their one durable has the same name in each, and so has the right."""
    return [
        f"{RESULTS_PREFIX}.*.*",
        f"{INBOX_PREFIX}.*.*",
        "$JS.API.STREAM.NAMES",
        f"$JS.API.CONSUMER.INFO.*.{INBOX_CONSUMER}",
        f"$JS.API.CONSUMER.MSG.NEXT.*.{INBOX_CONSUMER}",
        f"$JS.ACK.*.{INBOX_CONSUMER}.>",
        f"$JS.API.CONSUMER.LIST.{STREAM}",
        # Which runs have results, and which questions wait in an inbox, of whatever account: numbers and subjects only.
        "$JS.API.STREAM.INFO.*",
        f"$JS.API.DIRECT.GET.{RESULTS_STREAM}.{RESULTS_PREFIX}.*.*",
        # Runs of the former layout become documents, which nobody else may write (openwork_gateway/upgrade.py).
        f"$JS.API.STREAM.INFO.{FORMER_STREAM}",
        f"$JS.API.DIRECT.GET.{FORMER_STREAM}.{every_event()}",
        f"$JS.API.DIRECT.GET.{FORMER_STREAM}.{FORMER_NOTE}",
        FORMER_NOTE,
    ]


def owner_permissions() -> Permissions:
    """The rights of the topology job: make and update streams and their durables; read nothing.

    Streams of any name, since the inboxes of accounts are made by it too. It deletes no stream and no message, but
    durables of ours: one whose deliver or acknowledgement policy was changed can be mended in no other way.
    """
    publish = ["$JS.API.INFO", "$JS.API.STREAM.NAMES"]
    publish += [f"$JS.API.STREAM.{verb}.*" for verb in ("INFO", "CREATE", "UPDATE")]
    for stream, durables in {**_durables(), "*": [INBOX_CONSUMER]}.items():
        publish += [f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}" for durable in durables]
        publish += [f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.>" for durable in durables]
        publish += [
            f"$JS.API.CONSUMER.{verb}.{stream}.{durable}" for verb in ("INFO", "DELETE") for durable in durables
        ]
    return Permissions(OWNER, tuple(publish), _inbox(OWNER))


def operator_permissions() -> Permissions:
    """The rights of a person who runs the system."""
    publish = [
        every_event(),
        f"{TIMER_PREFIX}.>",
        f"{INBOX_PREFIX}.*.*",
        "$JS.API.INFO",
        "$JS.API.STREAM.NAMES",
        "$JS.API.STREAM.INFO.*",
        "$JS.API.CONSUMER.LIST.*",
        "$JS.API.CONSUMER.INFO.*.*",
        f"$JS.API.STREAM.MSG.GET.{DEAD_LETTER_STREAM}",
        f"$JS.API.STREAM.MSG.DELETE.{DEAD_LETTER_STREAM}",
        f"$JS.API.DIRECT.GET.{DEAD_LETTER_STREAM}",
        f"$JS.API.DIRECT.GET.{DEAD_LETTER_STREAM}.{DEAD_PREFIX}.*",
        f"$JS.API.DIRECT.GET.{STREAM}.{every_event()}",
        f"$JS.API.DIRECT.GET.{TIMERS_STREAM}.>",
        f"$JS.API.DIRECT.GET.{RESULTS_STREAM}.{RESULTS_PREFIX}.*.*",
    ]
    for bucket in BUCKETS:
        if bucket.kind is BucketKind.OBJECTS:
            publish += [*_read_bucket(bucket), *_write_bucket(bucket)]
    return Permissions(OPERATOR, tuple(publish), (*_inbox(OPERATOR), every_event(), progress_pattern()))


def backup_permissions() -> tuple[Permissions, ...]:
    """The rights of who saves and who restores what the services keep: of any stream, since inboxes have any name.

    Apart from the operator's, and from each other's: the login of a job that saves every night deletes nothing.

    Where a snapshot is sent to stands in the request's body, so that who may take one can have its pieces, which are no
    event and no result, stored on any subject of the account. Who restores decides what is stored. Both logins are to
    be kept as the server's disk is.
    """
    looking = ("$JS.API.STREAM.NAMES", "$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.LIST.*")
    return _keepers(SERVICES_ACCOUNT, ("*",), looking)


def api_backup_permissions() -> tuple[Permissions, ...]:
    """The same of what the HTTP API keeps, in the account `api`."""
    streams = tuple(bucket.stream for bucket in API_BUCKETS)
    looking = ("$JS.API.STREAM.NAMES", *(f"$JS.API.STREAM.INFO.{stream}" for stream in streams))
    return _keepers(API_ACCOUNT, streams, looking)


def _keepers(account: str, streams: tuple[str, ...], looking: tuple[str, ...]) -> tuple[Permissions, ...]:
    def each(*patterns: str) -> tuple[str, ...]:
        return tuple(pattern.format(stream) for pattern in patterns for stream in streams)

    saves = (*looking, *each("$JS.API.STREAM.SNAPSHOT.{}", "$JS.SNAPSHOT.ACK.{}.*.*.*"))
    # UPDATE takes the mark away that a stream has until it is restored whole.
    changes = each(*(f"$JS.API.STREAM.{verb}.{{}}" for verb in ("DELETE", "RESTORE", "UPDATE")))
    restores = (*looking, *changes, *each("$JS.SNAPSHOT.RESTORE.{}.*"))
    return (
        Permissions(SAVES[account], saves, _inbox(SAVES[account])),
        Permissions(RESTORES[account], restores, _inbox(RESTORES[account])),
    )


def all_permissions() -> tuple[Permissions, ...]:
    """Every user of the services' account: the services but for askers, the owner of the bus's shape, operators, and
    who saves and restores."""
    own = (service_permissions(service) for service in services() if not service.asker)
    return (*own, owner_permissions(), operator_permissions(), *backup_permissions())


def users() -> tuple[str, ...]:
    """Every user that a server has without `accounts add`, but for its own."""
    named = (permissions.user for permissions in (*all_permissions(), *api_backup_permissions()))
    return (*named, *ASKERS)


def password_variables() -> tuple[str, ...]:
    """Environment variables of the server that hold the passwords: of every user there is without `accounts add`."""
    return tuple(password_variable(user) for user in (*users(), "sys"))


def password_variable(user: str) -> str:
    """The environment variable of the server that holds a user's password."""
    return f"OPENWORK_NATS_PASSWORD_{user.upper()}"


def accounts_config() -> str:
    """The `accounts` of a nats-server as configuration text; passwords come from the server's environment."""
    users = "\n".join(_user(permissions) for permissions in all_permissions())
    askers = "\n".join(map(_asker, ASKERS))
    return (
        "# Generated by `make manifests`; do not edit.\n"
        "# Passwords are variables of the server's environment. They must begin with a letter: the configuration\n"
        "# format would read one that begins with a digit as a number.\n"
        f"accounts {{\n  {ACCOUNT} {{\n    jetstream: enabled\n{exports()}    users: [\n{users}\n    ]\n  }}\n"
        f"{askers}\n"
        f"  # So that a server without further accounts asks for signatures too.\n{nobody_account(NOBODY_ACCOUNT)}"
        "  # Accounts that `openwork accounts add` made. The file is there from the beginning, and empty.\n"
        "  include askers.conf\n"
        f"  {SYSTEM_ACCOUNT} {{ users: [ {{ user: sys, password: ${password_variable('sys')} }} ] }}\n}}\n"
        f"system_account: {SYSTEM_ACCOUNT}\n"
    )


def _asker(name: str) -> str:
    """The HTTP API alone keeps something on the server: whom it lets in."""
    login = f"user: {name}, password: ${password_variable(name)}"
    if name != API_ACCOUNT:
        return asker_account(name, login)
    keepers = "".join(f",\n{_user(permissions)}" for permissions in api_backup_permissions())
    return asker_account(name, login, API_BUCKETS, keepers)


def _user(permissions: Permissions) -> str:
    def listed(subjects: Iterable[str]) -> str:
        return "\n".join(f'            "{subject}"' for subject in subjects)

    return (
        f"      {{\n        user: {permissions.user}, password: ${password_variable(permissions.user)}\n"
        f"        permissions: {{\n          publish: {{ allow: [\n{listed(permissions.publish)}\n          ] }}\n"
        f"          subscribe: {{ allow: [\n{listed(permissions.subscribe)}\n          ] }}\n"
        "        }\n      }"
    )


def _inbox(name: str) -> tuple[str, ...]:
    return (f"_INBOX_{name.replace('-', '_')}.>",)


def _own_events(service: ServiceSpec) -> list[EventSpec]:
    """Those that the contracts let a service publish."""
    return [spec for spec in EVENTS if {service.name, "any"} & set(spec.publishers)]


def _events(service: ServiceSpec) -> list[str]:
    subjects: list[str] = []
    for spec in _own_events(service):
        if spec.model is DeadlineReached:
            for joiner in service.timers:
                # To set one, and to see which one was there before.
                places = [f"{prefix}.{joiner}.*.*" for prefix in (TIMER_PREFIX, DUE_PREFIX)]
                subjects += [timer_pattern(joiner), *(f"$JS.API.DIRECT.GET.{TIMERS_STREAM}.{p}" for p in places)]
            if service.timers:
                subjects.append(f"$JS.API.STREAM.INFO.{TIMERS_STREAM}")
        else:
            subjects.append(publish_pattern(spec))
    return subjects


def _dead_letters(service: str) -> list[str]:
    # The reader of the server's advisories writes for those that could not.
    writers = [spec.name for spec in services()] if service == ADVISORY_CONSUMER.service else [service]
    return [
        dead_letter_subject(spec.durable)
        for writer in writers
        for stream, spec in consumers_of(writer)
        if stream != ADVISORY_STREAM
    ]


def _consume(stream: str, durable: str) -> list[str]:
    return [
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
    ]


def _read_bodies(service: ServiceSpec) -> list[str]:
    """By subject, from whichever replica; whether something is there is asked of the leader (STREAM.INFO).

    What a service has published it may read in any case: a publication whose acknowledgement was lost is told from
    another's by what is there.
    """
    readable = (
        [every_event()]
        if service.reads_bodies
        else [
            *(spec_named(name).filter() for name in service.reads_only),
            *(publish_pattern(spec) for spec in _own_events(service) if spec.model is not DeadlineReached),
        ]
    )
    rights = [f"$JS.API.DIRECT.GET.{STREAM}.{pattern}" for pattern in readable]
    if service.name == ADVISORY_CONSUMER.service:
        # A message that killed its service is copied into the dead-letter stream by its number, which stands in the
        # body: of these streams it may read every event anyway, and no direct get finds a number by its subject.
        rights += [f"$JS.API.STREAM.MSG.GET.{stream}" for stream in (STREAM, TIMERS_STREAM)]
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
