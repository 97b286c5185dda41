"""How a word of medical English is folded, so that its spellings meet: haemorrhages, Hemorrhage -> hemorrhage.

The folding is used both when the lexicon is built and when text is read; it need not give good English, only the same
form for both. It never changes offsets: tokens keep their place in the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’ʼ][sS]\b|(?<=[sS])['’ʼ](?=\s+[^\W\d_]))?")
"""A run of letters and digits, with its possessive: "Crohn's" and "Graves'" are one token, "GLP-1" two."""

_GREEK = str.maketrans({"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "ω": "omega", "µ": "mu"})

_BRITISH = (
    ("aem", "em"),  # haemorrhage, anaemia, ischaemia, leukaemia, glycaemia
    ("oedem", "edem"),
    ("oesoph", "esoph"),
    ("oestr", "estr"),
    ("paed", "ped"),
    ("gynaec", "gynec"),
    ("foet", "fet"),
    ("faec", "fec"),
    ("caec", "cec"),
    ("caesar", "cesar"),
    ("coeli", "celi"),
    ("rrhoe", "rrhe"),
    ("pnoe", "pne"),
    ("anaesth", "anesth"),
    ("aetiol", "etiol"),
    ("amoeb", "ameb"),
    ("manoeuv", "maneuv"),
    ("sulph", "sulf"),
    ("leuco", "leuko"),
    ("tumour", "tumor"),
    ("labour", "labor"),
    ("behaviour", "behavior"),
    ("colour", "color"),
    ("humour", "humor"),
    ("odour", "odor"),
    ("fibre", "fiber"),
    ("centre", "center"),
    ("programme", "program"),
    ("neurone", "neuron"),
)
_IZE = re.compile(r"(?<=[a-z]{3})is(e|ed|es|er|ing|ation|ations)$")
_YZE = re.compile(r"ys(e|ed|es|ing)$")  # catheterise, paralyse
_LATIN_PLURALS = {
    "metastases": "metastasis",
    "thrombi": "thrombus",
    "emboli": "embolus",
    "bacteria": "bacterium",
    "fungi": "fungus",
    "diverticula": "diverticulum",
    "ova": "ovum",
    "children": "child",
    "women": "woman",
    "men": "man",
    "feet": "foot",
    "teeth": "tooth",
    "biopsies": "biopsy",
}
_KEEP_S = ("ss", "us", "is", "itis")
_OSES_PLURAL = re.compile(
    r"(diagn|prog|sten|thromb|necr|fibr|cirrh|psych|neur|anastom|hypn|symbi|scler|kyph|lord)oses$"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text: `text` is exactly [start, end), `key` its folded form."""

    text: str
    start: int
    end: int
    key: str


@lru_cache(maxsize=65_536)
def fold_word(word: str) -> str:
    """The form under which all spellings and numbers of one word meet; lower case, without diacritics."""
    folded = word.casefold()
    if folded[-2:-1] in {"'", "’", "ʼ"}:
        folded = folded[:-2]
    elif folded[-1:] in {"'", "’", "ʼ"}:
        folded = folded[:-1]
    if not folded.isascii():
        folded = folded.translate(_GREEK)
        parts = unicodedata.normalize("NFKD", folded)
        folded = "".join(c for c in parts if not unicodedata.combining(c) and not c.isspace())
    if len(folded) < 4:
        return folded
    for british, american in _BRITISH:
        if british in folded:
            folded = folded.replace(british, american)
    folded = _YZE.sub(r"yz\1", _IZE.sub(r"iz\1", folded))
    return _singular(folded)


def _singular(word: str) -> str:
    if not word.endswith("s"):
        return _LATIN_PLURALS.get(word, word)
    if word in _LATIN_PLURALS:
        return _LATIN_PLURALS[word]
    if _OSES_PLURAL.search(word):
        return word[:-2] + "is"
    if word.endswith("itides"):
        return word[:-4] + "s"
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "uses")):
        return word[:-2]
    if word.endswith(_KEEP_S):
        return word
    return word[:-1]


def tokens_of(text: str) -> list[Token]:
    """The words of the text in order, with their offsets."""
    return [Token(m[0], m.start(), m.end(), fold_word(m[0])) for m in WORD.finditer(text)]


def key_of(text: str) -> str:
    """The lexicon key of a name: its folded words joined by "_"."""
    return "_".join(fold_word(m[0]) for m in WORD.finditer(text))


def is_acronym(word: str) -> bool:
    """Whether a single word is written so that its case matters: AF, T2DM, HFpEF, ACEi."""
    return len(word) <= 8 and sum(c.isupper() for c in word) >= 2
