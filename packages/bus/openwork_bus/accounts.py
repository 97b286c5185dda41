"""The doors as configuration of nats-server: what the services' account exports, and what an asker's imports.

The server itself puts the account's name into the subject (`account_token_position`): nobody can take another's.
Tried on nats-server 2.15: docs/adr/0014-askers-in-accounts-of-their-own.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.accounts import (
    API_ACCOUNT,
    ASKER_INBOX,
    ASKER_RESULTS,
    SERVICES_ACCOUNT,
    inbox_subject,
    out_subject,
)
from openwork_contracts.requests import API_REQUESTS, REQUESTS
from openwork_contracts.subjects import served_subject

_NOBODYS_KEY = "UACO2PNC3IOPDE7CLHJY6X3OYPL2YTUP5KO272OFYPPAN36IRB4AWRZO"
"""SHA-256 of `nobody asks` in the form of a user's key: no point of the curve, so that no signature fits it."""


@dataclass(frozen=True, slots=True)
class AskerBucket:
    """A key-value bucket in an asker's own account: its user makes it, and alone reads and writes it."""

    name: str
    keys: str
    """Filter of the keys that it may write."""
    max_bytes: int
    drops_oldest: bool = False
    """What a full one does. False = it refuses: it must not forget that a key was revoked, nor log anybody out."""

    @property
    def stream(self) -> str:
        """The stream behind it."""
        return f"KV_{self.name}"

    @property
    def rights(self) -> tuple[str, ...]:
        """What its user publishes to make it, see which entries there are, read one and write one. No consumer, no
        purge, no deletion of a message: an entry is listed by its subject, and removed by writing that it is."""
        verbs = ("INFO", "CREATE", "UPDATE", "MSG.GET")
        return (*(f"$JS.API.STREAM.{verb}.{self.stream}" for verb in verbs), f"$KV.{self.name}.{self.keys}")


API_KEYS = AskerBucket("openwork-api-keys", "*", 4 * 2**20)
"""Keys of persons, hashed, by their id: some 8,000."""
API_STATE = AskerBucket("openwork-api-state", "*.*", 8 * 2**20)
"""Sessions, and what is counted per day: `<kind>.<token>`, each with a time to live."""
API_ONCE = AskerBucket("openwork-api-idempotency", "*", 8 * 2**20, drops_oldest=True)
"""What idempotency keys stand for. By itself: who sends many of them shortens the others' memory, and no more."""
API_BUCKETS = (API_KEYS, API_STATE, API_ONCE)
"""What the HTTP API keeps, in the account `api`. Not among the services' buckets: no service may read a key."""


def exports() -> str:
    """Lines of the services' account: inboxes and requests to publish to, results to hear."""
    lines = [_export("service", inbox_subject("*"))]
    lines += [_export("service", served_subject(subject)) for _, subject, _ in (*REQUESTS, *API_REQUESTS)]
    lines.append(_export("stream", out_subject("*")))
    return "    exports: [\n" + "\n".join(lines) + "\n    ]\n"


def asker_account(name: str, user: str, buckets: tuple[AskerBucket, ...] = (), keepers: str = "") -> str:
    """The block of an asker's account with its one user, who may ask and hear and nothing else.

    A user could tell the others of its own account forged results: it may not publish there.

    Args:
        user: how it logs in, e.g. `nkey: U...`.
        buckets: what it keeps on the server, in its own account; without any it has no JetStream.
        keepers: further users, who save and restore the buckets, as configuration.
    """
    requests = (*REQUESTS, *(API_REQUESTS if name == API_ACCOUNT else ()))
    imports = [_import("service", inbox_subject(name), f"{ASKER_INBOX}.*")]
    imports += [_import("service", served_subject(subject, name), subject) for _, subject, _ in requests]
    imports.append(_import("stream", out_subject(name), f"{ASKER_RESULTS}.*"))
    asked = (f"{ASKER_INBOX}.*", *(subject for _, subject, _ in requests))
    publish = ", ".join(f'"{subject}"' for subject in (*asked, *(right for b in buckets for right in b.rights)))
    return (
        f'  "{name}" {{\n{_store(buckets)}    imports: [\n' + "\n".join(imports) + "\n    ]\n"
        f"    users: [ {{ {user}, permissions: {{\n"
        f"      publish: {{ allow: [{publish}] }}\n"
        f'      subscribe: {{ allow: ["_INBOX.>", "{ASKER_RESULTS}.*"] }}\n'
        f"    }} }}{keepers} ]\n  }}\n"
    )


def nobody_account(name: str) -> str:
    """The block of an account that nobody can log in to, so that the server asks every client for its signature.

    Tried: without any key a server asks for none, and who came with one, even a removed one, was its `no_auth_user`.
    """
    return f'  "{name}" {{ users: [ {{ nkey: {_NOBODYS_KEY}, permissions: {{ publish: {{ deny: ">" }} }} }} ] }}\n'


def _store(buckets: tuple[AskerBucket, ...]) -> str:
    """As many streams as it has buckets, none larger than the largest, none without a limit of its own.

    No limit of the account's bytes: the server counts them once for each copy, and how many there are is a setting.
    """
    if not buckets:
        return ""
    largest = max(bucket.max_bytes for bucket in buckets)
    return (
        f"    jetstream: {{ max_mem: 0, max_streams: {len(buckets)}, max_consumers: 1, "
        f"store_max_stream_bytes: {largest}, max_bytes_required: true }}\n"
    )


def _export(kind: str, subject: str) -> str:
    place = subject.split(".").index("*") + 1
    return f'      {{ {kind}: "{subject}", account_token_position: {place} }}'


def _import(kind: str, subject: str, to: str) -> str:
    return f'      {{ {kind}: {{ account: {SERVICES_ACCOUNT}, subject: "{subject}" }}, to: "{to}" }}'
