"""The one tokeniser for lexical matching: the same text gives the same tokens wherever words are compared.

A token is a folded, stemmed word. Spelling variants that mean the same thing in medicine meet in one token:
"haemophilia" and "hemophilia", "SGLT-2" and "SGLT2", "TNF-α" and "TNF-alpha", "metastasis" and "metastases",
"Crohn's" and "Crohn". Tokens are for comparing only; they are not words to show to a reader.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from openwork_language.porter import porter_stem

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "π": "pi",
    "σ": "sigma",
    "ς": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
_FOLD = str.maketrans(
    {
        **_GREEK,
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

_FUNCTION_WORDS = """
    a about above after again all also although always am among an and another any are aren't as at be because been
    before being below between both but by can cannot could couldn't did didn't do does doesn't doing don't done due
    during each either else etc ever every few for from further had hadn't has hasn't have haven't having he her here
    hers him his how however i if in into is isn't it it's its itself just let like made mainly make many may me might
    more most mostly much must my myself nearly neither nor now obtained of off often on once one only onto or other
    our out over own perhaps per quite rather really regarding same seem seen several she should shouldn't show showed
    shown shows significantly since so some such than that the their theirs them then there thereby therefore these
    they this those through thus to too toward towards under until up upon us used using various very via was wasn't
    way we were weren't what when where whether which while who whom whose why will with within without would
    wouldn't yet you your yours
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function and question words, after PubMed's stop word list (NBK3827, appendix) with the question words added."""
# "no", "not" and "against" are kept: in medicine they turn the meaning round.

_COMMON_WORDS = """
    abstract activity analysis aim analyze approach article assess associate associated association author available
    background base baseline case cause change characteristic clinical cohort common compare comparison conclude
    conclusion condition confirm consider contain control current data day decrease demonstrate describe design
    determine develop development difference different discuss disease disorder effect effective evaluate evaluation
    evidence examine exist experience factor figure find finding first follow following function general give great
    group health help high human identify important improve include including increase indicate individual information
    investigate investigation involve know known large lead level like literature long low main major management
    material mean measure medical medicine method model month multiple need new normal note number objective observe
    occur open outcome overall paper part particular patient people percent perform period person point population
    possible potential present previous primary problem process produce provide publish purpose randomized range rate
    reduce relate related relationship relevant report require research respond response result review risk role sample
    second section set severe short show significant similar single small specific standard statement status study
    subject suggest support symptom syndrome system table take term test therapy time total treat treatment trial two
    type understand use useful value week well work year
"""
"""Words that most abstracts hold: they say little about what an abstract is about."""

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


@lru_cache(maxsize=131_072)
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


def tokenise(text: str) -> list[str]:
    """Tokens of a text in reading order, stop words left out.

    A hyphenated word gives its parts, and is joined too where a part is short or a number: "SGLT-2" gives "sglt" and
    "sglt2". "Crohn's" gives "crohn"; "18,201" gives "18201".
    """
    tokens: list[str] = []
    extend = tokens.extend
    of_word = _tokens_of_word
    for word in _WORD.findall(fold(text)):
        extend(of_word(word))
    return tokens


def token_set(text: str) -> frozenset[str]:
    """The distinct tokens of a text."""
    return frozenset(tokenise(text))


COMMON_TOKENS = frozenset(stem(word) for word in _COMMON_WORDS.split())
"""Tokens that most biomedical abstracts hold; a matcher should give them little weight."""
