"""Text from outside, made fit to stand in a prompt: invisible characters removed, tags made harmless, delimited.

Three layers, none of which is trusted alone: what a reader cannot see does not enter; what looks like the end of a
delimiter, a tag or a chat template's control word is escaped; and each block's delimiter is a keyed digest of that
block, which no text can hold.

Why the digest is safe, and why it is no random number per call. A block could end early only if its text held its own
delimiter: 64 bits made from that very text and a secret that is drawn when the process starts, and is never stored,
sent or logged. Who writes the text cannot compute it, and cannot search for it, since every change of the text makes
another one; one that a model gives away is of no use in any other text, and the text it belongs to is written already.
The same text has the same delimiter as long as the process lives, so that two prompts over the same sources begin with
the same bytes: what servers keep of a prompt's beginning (prefix caching) is used, which a number per call prevents.
"""

from __future__ import annotations

import hashlib
import html
import re
import secrets

from openwork_language.unseen import without_unseen

DIGEST_BYTES = 8
"""64 bits: guessing a block's delimiter has a chance of 1 in 10^19, with one try per text."""
_SECRET = secrets.token_bytes(32)
"""Of this process. Not the deployment's: a secret that is nowhere cannot leak, and most calls of a service that share
a beginning come from one process."""
_TAG_START = re.compile(r"<(?=[A-Za-z/!?|<_$])")
"""A `<` that could begin a tag or a control word (`<|im_start|>`, `<<SYS>>`); "P <0.001" and "< 5" stay as they are."""
_TEMPLATE_WORDS = re.compile(r"\[(?=/?(?:INST|SYS|SYSTEM|ASSISTANT|USER)\])", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}|~{3,}")


def escaped(text: str) -> str:
    """The text with everything escaped that could be read as a tag, a chat template's control word or a code fence."""
    text = _TAG_START.sub("&lt;", text)
    text = _TEMPLATE_WORDS.sub("(", text)
    return _FENCE.sub("'''", text)


def unescaped(text: str) -> str:
    """A model's copy of escaped text as it was before; for finding quotes."""
    return html.unescape(text)


def harmless(text: str) -> str:
    """Untrusted text as it may stand between delimiters."""
    return escaped(without_unseen(text))


class Delimiters:
    """The tags of data blocks: `<data-3f9c... name="question">`, the same for the same block."""

    def __init__(self, secret: bytes = _SECRET) -> None:
        self._secret = secret

    def enclose(self, name: str, text: str) -> str:
        """Text from outside between its tags. `name` is ours and says what it is."""
        inside = harmless(text)
        tag = self._tag_of(f"{name}\n{inside}")
        return f'<{tag} name="{name}">\n{inside}\n</{tag}>'

    def _tag_of(self, block: str) -> str:
        hashed = hashlib.blake2b(block.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=DIGEST_BYTES)
        return f"data-{hashed.hexdigest()}"
