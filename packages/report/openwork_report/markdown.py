"""Text of other people inside Markdown: it is read as text, whatever it holds.

Titles, passages and messages come from outside. Only what would begin a link, an image, HTML, code or a block is
escaped, so that ordinary sentences ("P<0.001", "[95% CI ...]") stay as they were written.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_SPACE = re.compile(r"\s+")
_ACTIVE = re.compile(
    r"\\"  # a backslash of the text could undo an escape of ours
    r"|<(?=[A-Za-z/!?])"  # HTML and <autolinks>
    r"|(?<=\])[(\[:]"  # [text](address), [text][name], [name]: address
    r"|&(?=#?\w+;)"  # entities
    r"|[`*]"  # code would swallow citation marks; HLA-B*5701 is no emphasis
    r"|(?<![^\W_])_+|_+(?![^\W_])"  # all of a run that touches the edge of a word
    r"|(?<=[A-Za-z]):(?=//)|(?<=\bwww)\.",  # bare addresses, which GitHub makes into links
    re.IGNORECASE,
)
_BLOCK = re.compile(r"^(?:[#>+=~|-]|(\d{1,9})(?=[.)]\s))")
_HTTP = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)


def escaped(text: str) -> str:
    """The text on one line, as Markdown that shows exactly these words."""
    one_line = _SPACE.sub(" ", text).strip()
    safe = _ACTIVE.sub(lambda found: "".join(f"\\{c}" for c in found.group()), one_line)
    return _BLOCK.sub(lambda found: f"{found.group()}\\" if found.group(1) else f"\\{found.group()}", safe)


def link(words: str, address: str) -> str:
    """A link to an address of ours with an identifier of others at its end."""
    return f"[{_in_brackets(words)}]({quote(address, safe=_ADDRESS)})"


def address_of(url: str) -> str | None:
    """An address to print as `<...>`; `None` when it is not http or https."""
    return f"<{quote(url, safe=_ADDRESS + '()')}>" if _HTTP.fullmatch(url) else None


_ADDRESS = "/:;,.?&=#%+@!$'*~_-"


def _in_brackets(text: str) -> str:
    return re.sub(r"[\[\]]", lambda found: f"\\{found.group()}", escaped(text))
