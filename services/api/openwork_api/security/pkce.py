"""What a login at an identity provider is begun with, after RFC 7636 (PKCE)."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Login:
    """What a login was begun with; the browser keeps it until it comes back."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> Login:
        """Random values, 256 bits each."""
        return cls(*(secrets.token_urlsafe(32) for _ in range(3)))

    @property
    def challenge(self) -> str:
        """RFC 7636, S256."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
