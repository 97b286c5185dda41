"""Keys of users: Ed25519 in NATS's form, made here and kept by nobody but who asks."""

from __future__ import annotations

import secrets


def new_key() -> tuple[str, str]:
    """Seed (`SU...`, secret) and public key (`U...`) of a user."""
    import nkeys

    seed = bytes(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER))
    pair = nkeys.from_seed(bytearray(seed))
    public = bytes(pair.public_key).decode("ascii")
    pair.wipe()
    return seed.decode("ascii"), public
