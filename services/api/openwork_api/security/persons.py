"""Persons and scopes out of what an identity provider says of somebody."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

from openwork_api.people import OWN_SCOPES, Scope

PERSON = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""A token of the bus, as the contracts take it, and short enough for a table."""
_MADE = re.compile(r".+-[a-z2-7]{20}")
_HASH_CHARS = 20
"""Of base32: 100 bits. Whoever may choose a name must not find a second one that becomes another's."""
_READABLE_CHARS = 11


def person_of(claim: str) -> str:
    """A token of the bus for what a provider calls somebody: the same for the same, another for any other.

    What fits stays as it is. The rest becomes what fits of it, and a hash of the whole; so does what fits but looks
    like that, since it could be another's.
    """
    if PERSON.fullmatch(claim) and not _MADE.fullmatch(claim):
        return claim
    readable = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-")[:_READABLE_CHARS].strip("-") or "p"
    digest = hashlib.sha256(claim.encode("utf-8", "surrogatepass")).digest()
    return f"{readable}-{base64.b32encode(digest).decode().lower()[:_HASH_CHARS]}"


def scopes_of(groups: frozenset[str], wanted: Mapping[Scope, frozenset[str]]) -> frozenset[Scope]:
    """What members of these groups may.

    Args:
        wanted: groups of which one is needed, by scope; of none for one's own runs = everybody may all with those.
    """
    named = frozenset(scope for scope, needed in wanted.items() if needed & groups)
    return named if wanted.keys() & OWN_SCOPES else named | OWN_SCOPES


def groups_in(claim: object) -> frozenset[str]:
    """Groups as providers write them: a list, or words in a string."""
    if isinstance(claim, str):
        return frozenset(claim.split())
    return frozenset(name for name in claim if isinstance(name, str)) if isinstance(claim, list) else frozenset()
