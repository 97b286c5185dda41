"""Whether more of an outcome is good or bad, so that "improved pain" and "less pain" are one statement."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_knowledge.tables import alternatives, words

from openwork_language.effects.words import Direction

_D = Direction
_BAD = re.compile(rf"\b{alternatives(words('outcome-valence', 'bad'))}", re.IGNORECASE)
_GOOD = re.compile(rf"\b{alternatives(words('outcome-valence', 'good'))}", re.IGNORECASE)
_SIGN = {
    (_D.BETTER, "bad"): _D.LOWER,
    (_D.WORSE, "bad"): _D.HIGHER,
    (_D.BETTER, "good"): _D.HIGHER,
    (_D.WORSE, "good"): _D.LOWER,
}


_SIGNED_BY_OUTCOME = re.compile(
    r"^(?:improv|better|wors|deteriorat|favou?r|impair|aggravat|exacerbat|superior|inferior)", re.IGNORECASE
)
_RELIEVED = re.compile(r"^(?:alleviat|ameliorat|reliev)", re.IGNORECASE)
"""What is relieved is bad: there is less of it."""


@lru_cache(maxsize=8192)
def valence_of(words_near: str) -> str | None:
    """ "good", "bad", or `None` where the words hold both or neither."""
    bad, good = bool(_BAD.search(words_near)), bool(_GOOD.search(words_near))
    return None if bad == good else "bad" if bad else "good"


def as_sign(direction: Direction, cue: str, words_near: str) -> Direction:
    """ "Better" of a bad outcome is "lower", of a good one "higher"; other words and unknown outcomes stay."""
    if direction is _D.BETTER and _RELIEVED.match(cue):
        return _D.LOWER
    if not _SIGNED_BY_OUTCOME.match(cue):
        return direction
    return _SIGN.get((direction, valence_of(words_near) or ""), direction)
