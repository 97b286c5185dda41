"""Text from outside, made fit to stand in a prompt: invisible characters removed, tags made harmless, delimited.

Three layers, none of which is trusted alone: what a reader cannot see does not enter; what looks like the end of a
delimiter, a tag or a chat template's control word is escaped; and the delimiter itself carries a random number drawn
for this call alone, which no text written beforehand can hold.
"""

from __future__ import annotations

import html
import re
import secrets
from collections.abc import Callable

from openwork_language.unseen import without_unseen

NONCE_BYTES = 8
"""64 random bits per call: guessing the delimiter within one prompt has a chance of 1 in 10^19."""
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
    """The tags of one prompt: `<data-3f9c... name="question">`; the number is drawn anew for every prompt."""

    def __init__(self, draw: Callable[[int], str] = secrets.token_hex) -> None:
        self.tag = f"data-{draw(NONCE_BYTES)}"

    def enclose(self, name: str, text: str) -> str:
        """Text from outside between the tags. `name` is ours and says what it is."""
        inside = harmless(text).replace(self.tag, "")
        return f'<{self.tag} name="{name}">\n{inside}\n</{self.tag}>'
