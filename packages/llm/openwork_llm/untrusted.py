"""Text from outside, made fit to stand in a prompt: invisible characters removed, tags made harmless, delimited.

Three layers, none of which is trusted alone: what a reader cannot see does not enter; what looks like the end of a
delimiter, a tag or a chat template's control word is escaped; and the delimiter itself carries a random number drawn
for this call alone, which no text written beforehand can hold.
"""

from __future__ import annotations

import html
import re
import secrets
import unicodedata
from collections.abc import Callable

NONCE_BYTES = 8
"""64 random bits per call: guessing the delimiter within one prompt has a chance of 1 in 10^19."""
_KEPT_CONTROLS = "\n\t"
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control, format (zero width, bidirectional, tags), surrogate, private use, unassigned."""
_UNSEEN_RANGES = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels, shown as nothing
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x2800, 0x2800),  # empty Braille cell
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors, used to smuggle bytes
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xE0000, 0xE0FFF),  # tags and further variation selectors
)
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\u0085\v\f]")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?|<_$])")
"""A `<` that could begin a tag or a control word (`<|im_start|>`, `<<SYS>>`); "P <0.001" and "< 5" stay as they are."""
_TEMPLATE_WORDS = re.compile(r"\[(?=/?(?:INST|SYS|SYSTEM|ASSISTANT|USER)\])", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}|~{3,}")


def is_unseen(char: str) -> bool:
    """Whether a reader does not see this character, white space aside."""
    if char in _KEPT_CONTROLS:
        return False
    code = ord(char)
    return unicodedata.category(char) in _UNSEEN_CATEGORIES or any(a <= code <= b for a, b in _UNSEEN_RANGES)


def without_unseen(text: str) -> str:
    """The text without characters that nobody sees; line ends of every kind become a line feed."""
    text = _LINE_ENDS.sub("\n", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if not is_unseen(char))


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
