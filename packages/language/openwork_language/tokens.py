"""The one tokeniser for lexical matching: the same text gives the same tokens wherever words are compared.

A token is a folded, stemmed word. Spelling variants that mean the same thing in medicine meet in one token:
"haemophilia" and "hemophilia", "SGLT-2" and "SGLT2", "TNF-α" and "TNF-alpha", "metastasis" and "metastases",
"Crohn's" and "Crohn". Tokens are for comparing only; they are not words to show to a reader.
"""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from functools import lru_cache
from itertools import chain

import snowballstemmer
from openwork_knowledge.tables import table, words

_FOLD = str.maketrans(
    {
        **{letter: name for _, letter, name in table("greek-letters").rows},
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("’‘ʼ′`´", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
    }
)

# A run of letters and digits; inner hyphens and apostrophes hold it together ("nt-probnp", "crohn's"), a point or a
# comma only between digits ("0.62", "18,201"). Text is ASCII where it matters after folding; other scripts keep
# their words whole through \w.
_WORD = re.compile(r"\d+(?:[.,·]\d+)+(?!\w)|[^\W_]+(?:[-'][^\W_]+)*")
_LATIN = re.compile(r"[a-z]+\Z")

STOP_WORDS = frozenset(words("stop-words"))
"""Function and question words."""
# "no", "not" and "against" are kept: in medicine they turn the meaning round.

_JOIN_MAX_PART_CHARS = 4
"""A hyphenated word is also taken as one when a part is as short as this or holds a digit: "nt-probnp", "covid-19",
"anti-tnf", but not "placebo-controlled", whose parts say it all."""


def fold(text: str) -> str:
    """Lower case, NFKC, accents off, Greek letters by name, every dash a hyphen, soft hyphens and zero widths gone."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.replace("µ", "μ").replace("μg", "mcg")).lower().translate(_FOLD)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _american(word: str) -> str:
    """British and Latin spellings to one form. Right for comparing, not for reading: "aerobic" becomes "erobic"."""
    word = word.replace("ae", "e").replace("oe", "e")
    if len(word) >= 6:
        word = word.replace("our", "or").replace("yse", "yze").replace("ysing", "yzing")
        if len(word) >= 7:
            for british, american in _BRITISH_ENDINGS:
                if word.endswith(british):
                    return word[: -len(british)] + american
    return word


_BRITISH_ENDINGS = (
    ("isations", "izations"),
    ("isation", "ization"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("ises", "izes"),
    ("ise", "ize"),
    ("tre", "ter"),
)


class _PerThread(threading.local):
    """The library's stemmers keep the word they work on: one for each thread."""

    def __init__(self) -> None:
        self.porter = snowballstemmer.stemmer("porter")


_STEMMERS = _PerThread()


def porter_stem(word: str) -> str:
    """The stem of one lower-case word of ASCII letters; as in the paper, words of one or two letters stay as they are.

    Source: Porter 1980, DOI 10.1108/eb046814; the library's "porter" is that algorithm, its "english" another one.
    """
    return sys.intern(_STEMMERS.porter.stemWord(word)) if len(word) > 2 else word


_LATIN_ENDINGS = ("ium", "ia", "i")
_LATIN_MIN_CHARS = 4
"""What must be left when a Latin ending goes: "atria" stays, "ischemia" becomes "ischem" as "ischemic" does."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The token of one folded word. Words with digits or from other scripts stay as they are.

    Porter's stripper was made for English; medicine's Latin and Greek meet it halfway: "metastasis" and "metastases",
    "virus" and "viruses", "ischemia" and "ischemic", "bacteria", "bacterium" and "bacterial" get one token each.
    """
    if not _LATIN.match(word):
        return word
    word = _american(word)
    if len(word) > 6 and word.endswith(("sis", "ses")):
        word = word[:-2]
    elif len(word) < 4 or not word.endswith("us") or word.endswith("ous"):
        word = porter_stem(word)
    if word.endswith("lys"):
        return word[:-1] + "z"
    for ending in _LATIN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LATIN_MIN_CHARS:
            return word[: -len(ending)]
    return word


def _tokens_of_word(word: str) -> tuple[str, ...]:
    """The tokens of one surface word: none for a stop word, several for a compound."""
    if word in STOP_WORDS:
        return ()
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    if "-" not in word:
        if word[0].isdigit():
            word = word.replace(",", "").replace("·", ".")
        return (stem(word),) if word not in STOP_WORDS else ()
    parts = word.split("-")
    found = [stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS]
    if any(len(part) <= _JOIN_MAX_PART_CHARS or not part.isalpha() for part in parts):
        found.append(stem("".join(parts)))
    return tuple(found)


@lru_cache(maxsize=131_072)  # texts share their words; reading a known run is three times as fast
def _tokens_of_run(run: str) -> tuple[str, ...]:
    """The tokens of a folded run without white space, "(bleeding," say. No word reaches over white space."""
    return tuple(token for word in _WORD.findall(run) for token in _tokens_of_word(word))


@lru_cache(maxsize=1024)  # both stages of the ranking, the choice among passages and the search read the same texts
def _tokens_of(text: str) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(_tokens_of_run, fold(text).split())))


def tokenise(text: str) -> list[str]:
    """Tokens of a text in reading order, stop words left out.

    A hyphenated word gives its parts, and is joined too where a part is short or a number: "SGLT-2" gives "sglt" and
    "sglt2". "Crohn's" gives "crohn"; "18,201" gives "18201".
    """
    return list(_tokens_of(text))


def token_set(text: str) -> frozenset[str]:
    """The distinct tokens of a text."""
    return frozenset(_tokens_of(text))


COMMON_TOKENS = frozenset(stem(word) for word in words("common-words"))
"""Tokens that most biomedical abstracts hold; a matcher should give them little weight."""
