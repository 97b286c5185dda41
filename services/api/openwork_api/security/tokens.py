"""Tokens of an identity provider: whose they are, when their signature, issuer, audience and times say so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from joserfc import jwk, jwt
from joserfc.errors import JoseError
from joserfc.util import urlsafe_b64decode

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519")
"""Signatures by a private key. Never `none`, and none by a secret that both sides have."""
_KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""Of tokens that say who somebody is; a logout token, signed by the same key, does not."""
_LEEWAY_S = 30
"""Seconds by which clocks may differ."""

Key = jwk.RSAKey | jwk.ECKey | jwk.OKPKey


class TokenRefused(Exception):  # noqa: N818 - named by what happened
    """A token that says nothing; the message says why."""


class KeyNotKnown(TokenRefused):
    """Signed with a key that is not among those that are known."""


def keys_in(listed: Mapping[str, Any]) -> dict[str, Key]:
    """Public keys for signatures, by their id. What this version does not know is left out."""
    keys: dict[str, Key] = {}
    for row in listed.get("keys") or ():
        kid = row.get("kid", "")
        if row.get("kty") not in _KEY_TYPES or row.get("use", "sig") != "sig" or not isinstance(kid, str):
            continue
        try:
            key = jwk.import_key(row)
        except (JoseError, ValueError, TypeError):
            continue
        if isinstance(key, Key):
            keys[kid] = key
    return keys


def claims_of(
    token: str, keys: Mapping[str, Key], *, issuer: str, audience: str, nonce: str | None = None
) -> dict[str, Any]:
    """What a token says.

    Args:
        nonce: what the login was begun with; `None` = the token is of no login.
    Raises:
        KeyNotKnown: its key may be a newer one. TokenRefused: anything else about it.
    """
    key, algorithm = _key_of(token, keys)
    wanted: dict[str, jwt.ClaimsOption] = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": audience},
        "sub": {"essential": True},
        "exp": {"essential": True},
    }
    if nonce is not None:
        wanted["nonce"] = {"essential": True, "value": nonce}
    registry = jwt.JWTClaimsRegistry(None, _LEEWAY_S, **wanted)
    try:
        claims = jwt.decode(token, key, algorithms=[algorithm]).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError) as error:
        raise TokenRefused(str(error)) from error
    if nonce is not None:
        _check_authorised(claims, audience)
    return claims


def _check_authorised(claims: Mapping[str, Any], client_id: str) -> None:
    """OpenID Connect Core 3.1.3.7: a token for several is for us when it says so."""
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else client_id) != client_id:
        raise TokenRefused("it was given to another client")


def _key_of(token: str, keys: Mapping[str, Key]) -> tuple[Key, str]:
    """The key that its header names, and the algorithm, which the header cannot choose freely."""
    header = _header(token)
    algorithm, kind, kid = header.get("alg"), header.get("typ", "JWT"), header.get("kid")
    if algorithm not in ALGORITHMS:
        raise TokenRefused(f"its algorithm {str(algorithm)[:20]!r} is not taken")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise TokenRefused(f"it is a {str(kind)[:40]!r}")
    if kid is None and len(keys) == 1:
        kid = next(iter(keys))
    if not isinstance(kid, str) or kid not in keys:
        raise KeyNotKnown("its key is not among those of the issuer")
    key = keys[kid]
    if key.alg is not None and key.alg != algorithm:
        raise TokenRefused("its key is for another algorithm")
    return key, algorithm


def _header(token: str) -> dict[str, Any]:
    parts: Iterable[str] = token.split(".")
    try:
        first, _, _ = parts
        header = json.loads(urlsafe_b64decode(first.encode("ascii")))
    except (ValueError, TypeError, RecursionError) as error:
        raise TokenRefused("it is no signed token") from error
    if not isinstance(header, dict):
        raise TokenRefused("it is no signed token")
    return header
