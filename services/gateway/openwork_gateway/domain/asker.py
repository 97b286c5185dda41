"""Who asked, as a trace names them: so that what one asker asked stands together, and no name is in it.

An owner is the name of an account, or a person whom the API has authenticated, and a conversation has the id that a
client gave it: each may be somebody's name, so that all of them are hashed. It is a pseudonym and no more: who has a
list of names can compute the same (docs/tracing.md says how, for those who must find a person's traces to delete them).
"""

from __future__ import annotations

import hashlib

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.meta import LOCAL_OWNER

_HEX_DIGITS = 16


def user_of(owner: str) -> str:
    """`local`, which is nobody's name, as it is; any other owner hashed."""
    return owner if owner == LOCAL_OWNER else f"u-{_hashed(owner)}"


def session_of(document: AnswerDocument) -> str:
    """The conversation; a question of none stands with what its asker asked on the same day (UTC).

    A day, since a list of all that somebody ever asked is no session and can hardly be looked at.
    """
    context = document.context
    if context is not None and context.conversation_id:
        return f"c-{_hashed(f'{document.owner} {context.conversation_id}')}"
    day = f"{document.submitted_at:%Y-%m-%d}" if document.submitted_at else "unknown"
    return f"{user_of(document.owner)}-{day}"


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HEX_DIGITS]
