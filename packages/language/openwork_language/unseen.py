"""Characters that a reader does not see: zero width, bidirectional, tags, controls, private use.

They hide words from people and show them to programs, or part a word for a program that is whole for people. What is
shown or quoted enters by the contracts' door (`openwork_contracts.text`), which keeps what a script is written with;
where text is only compared, or put into a prompt, this stricter rule takes the joiners, emoji forms, private use and
unassigned characters too.
"""

from __future__ import annotations

import re
import unicodedata

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


def is_unseen(char: str) -> bool:
    """Whether a reader does not see this character, white space aside."""
    if char in _KEPT_CONTROLS:
        return False
    code = ord(char)
    return unicodedata.category(char) in _UNSEEN_CATEGORIES or any(a <= code <= b for a, b in _UNSEEN_RANGES)


class _Seen(dict[int, int | None]):
    """What `str.translate` makes of a character, judged the first time it is met: itself, or nothing."""

    def __missing__(self, code: int) -> int | None:
        self[code] = kept = None if is_unseen(chr(code)) else code
        return kept


_SEEN = _Seen()


def without_unseen(text: str) -> str:
    """The text without characters that nobody sees; line ends of every kind become a line feed."""
    text = _LINE_ENDS.sub("\n", text)
    return text if text.isascii() and text.isprintable() else text.translate(_SEEN)
