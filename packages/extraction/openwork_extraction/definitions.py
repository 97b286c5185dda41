"""Short forms that a paper defines: in its text, in its list of abbreviations, in notes and captions of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from openwork_contracts.ranking import TextSection
from openwork_language.abbreviations import definitions_in
from openwork_language.quantities.number_words import number_of_word
from openwork_language.tokens import fold

_LIST = re.compile(r"\babbreviations?\b", re.IGNORECASE)
"""Of the path of a section that lists short forms."""
_LISTED = re.compile(r"\s*[(\[]?(?P<short>[^:=\n]{1,16}?)[)\]]?\s*(?:[:=]|\s[–—-]\s)\s*(?P<long>\S[^\n]{2,120})")
_NOTED = re.compile(
    r"\s*(?:[*a-z]\s?)?(?P<short>[A-Z0-9][\w/+-]{1,11}|[a-z][A-Z]\w{0,8})(?P<two>\s+and\s+(?P<second>[A-Z0-9][\w/+-]{1,11}))?"
    r"(?P<sign>\s*[:=,]\s*|\s+)(?P<long>\S.{3,120})"
)
_PARTS = re.compile(r"[;.]\s*|,\s+(?=[A-Z]{2,}\S*\s*[:=,]?\s)")
_JOINED = re.compile(r"(?P<head>(?:.*\s)?)(?P<one>[\w-]+)\s+and\s+(?P<other>[\w-]+)(?P<tail>\s.*|)$")
LEAST_LISTED = 2
"""Entries of a note that spell their letters out, by which it is seen to be a list of short forms."""
_MOST_WORDS_MORE = 3


def definitions_of(sections: Iterable[TextSection]) -> dict[str, str]:
    """Short form -> what it stands for, of everything a paper says; what the text spells out goes before lists."""
    found: dict[str, str] = {}
    listed: dict[str, str] = {}
    for section in sections:
        if section.table is not None:
            for note in (section.table.caption or "", *section.table.footnotes):
                sure, other = noted(note)
                found |= {s: lo for s, lo in sure.items() if s not in found}
                listed = {**other, **listed}
        elif _LIST.search(" > ".join(section.path[-1:])):
            listed |= dict(_in_list(section.text))
        else:
            found |= {s: lo for s, lo in definitions_in(section.text).items() if s not in found}
    return {**listed, **found}


def _in_list(text: str) -> Iterator[tuple[str, str]]:
    """Entries of a list of abbreviations, one a line or between semicolons: "DPP: dipeptidyl peptidase"."""
    for entry in re.split(r"\n|;\s", text):
        match = _LISTED.fullmatch(entry.strip().rstrip("."))
        if match and _is_short(match["short"]):
            yield match["short"].strip("() "), match["long"].strip()


def _is_short(text: str) -> bool:
    """Whether it is written as short forms are: two capitals, or one with a digit, in one or two words."""
    shown = text.strip("() ")
    capitals = sum(c.isupper() for c in shown)
    return capitals + sum(c.isdigit() for c in shown) >= 2 and capitals > 0 and len(shown.split()) <= 2


def noted(note: str) -> tuple[dict[str, str], dict[str, str]]:
    """ "BMI, body mass index; CAL: Clinical attachment level" of a note.

    Returns:
        The entries whose letters stand in their long form; in a list of several such entries, also the others that are
        set off by a sign and written as a short form: these tell only what nothing else does.
    """
    entries = [match for part in _PARTS.split(note) if (match := _NOTED.match(part))]
    told = [pair for match in entries for pair in _pairs(match)]
    sure = {short: long for short, long, _ in reversed(told) if _fits(short, long)}
    if len(sure) < LEAST_LISTED:
        return sure, {}
    return sure, {s: lo for s, lo, is_set_off in reversed(told) if is_set_off and s not in sure and _is_short(s)}


def _pairs(match: re.Match[str]) -> Iterator[tuple[str, str, bool]]:
    """What an entry defines; "AJ and BJ, jump with left and right leg" defines two."""
    is_set_off = bool(match["sign"].strip())
    long = match["long"].strip()
    if not match["two"]:
        yield match["short"], long, is_set_off
        return
    joined = _JOINED.match(long)
    if joined and " and " not in joined["tail"]:
        for short, word in ((match["short"], joined["one"]), (match["second"], joined["other"])):
            yield short, f"{joined['head']}{word}{joined['tail']}".strip(), is_set_off


def _fits(short: str, long: str) -> bool:
    """Whether the letters of a short form stand in its long form in order, the first at its beginning.

    A Greek letter stands for its name, a digit for itself or for its word: "TNF-α", "1RM".
    """
    letters = [fold(c)[0].lower() for c in short if c.isalpha()]
    if len(letters) < 2 or sum(c.isupper() for c in short) < 2:
        return False
    words = long.split()
    while short[0].isdigit() and words and (words[0].isdigit() or number_of_word(words[0].split("-")[0]) is not None):
        rest = words[0].partition("-")[2]
        words = [rest, *words[1:]] if rest else words[1:]
        if rest:
            break
    low = " ".join(words).lower()
    if not low or low[0] != letters[0]:
        return False
    place = 0
    for letter in letters:
        place = low.find(letter, place) + 1
        if not place:
            return False
    return len(words) <= len(letters) + _MOST_WORDS_MORE
