"""The doors as configuration of nats-server: what the services' account exports, and what an asker's imports.

The server itself puts the account's name into the subject (`account_token_position`): nobody can take another's.
Tried on nats-server 2.15: docs/adr/0014-askers-in-accounts-of-their-own.md.
"""

from __future__ import annotations

from openwork_contracts.accounts import (
    ASKER_INBOX,
    ASKER_RESULTS,
    SERVICES_ACCOUNT,
    inbox_subject,
    out_subject,
)
from openwork_contracts.requests import REQUESTS
from openwork_contracts.subjects import served_subject

_NOBODYS_KEY = "UACO2PNC3IOPDE7CLHJY6X3OYPL2YTUP5KO272OFYPPAN36IRB4AWRZO"
"""SHA-256 of `nobody asks` in the form of a user's key: no point of the curve, so that no signature fits it."""


def exports() -> str:
    """Lines of the services' account: inboxes and requests to publish to, results to hear."""
    lines = [_export("service", inbox_subject("*"))]
    lines += [_export("service", served_subject(subject)) for _, subject, _ in REQUESTS]
    lines.append(_export("stream", out_subject("*")))
    return "    exports: [\n" + "\n".join(lines) + "\n    ]\n"


def asker_account(name: str, user: str) -> str:
    """The block of an asker's account with its one user, who may ask and hear and nothing else.

    A user could tell the others of its own account forged results: it may not publish there.

    Args:
        user: how it logs in, e.g. `nkey: U...`.
    """
    imports = [_import("service", inbox_subject(name), f"{ASKER_INBOX}.*")]
    imports += [_import("service", served_subject(subject, name), subject) for _, subject, _ in REQUESTS]
    imports.append(_import("stream", out_subject(name), f"{ASKER_RESULTS}.*"))
    publish = ", ".join(f'"{subject}"' for subject in (f"{ASKER_INBOX}.*", *(subject for _, subject, _ in REQUESTS)))
    return (
        f'  "{name}" {{\n    imports: [\n' + "\n".join(imports) + "\n    ]\n"
        f"    users: [ {{ {user}, permissions: {{\n"
        f"      publish: {{ allow: [{publish}] }}\n"
        f'      subscribe: {{ allow: ["_INBOX.>", "{ASKER_RESULTS}.*"] }}\n'
        "    } } ]\n  }\n"
    )


def nobody_account(name: str) -> str:
    """The block of an account that nobody can log in to, so that the server asks every client for its signature.

    Tried: without any key a server asks for none, and who came with one, even a removed one, was its `no_auth_user`.
    """
    return f'  "{name}" {{ users: [ {{ nkey: {_NOBODYS_KEY}, permissions: {{ publish: {{ deny: ">" }} }} }} ] }}\n'


def _export(kind: str, subject: str) -> str:
    place = subject.split(".").index("*") + 1
    return f'      {{ {kind}: "{subject}", account_token_position: {place} }}'


def _import(kind: str, subject: str, to: str) -> str:
    return f'      {{ {kind}: {{ account: {SERVICES_ACCOUNT}, subject: "{subject}" }}, to: "{to}" }}'
