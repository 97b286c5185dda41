"""Which language a question is in, by its script and by the words that sentences are built with.

One word never decides: names of drugs, authors, trials and Latin terms stand in English questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from openwork_contracts.question import Entity
from openwork_knowledge.tables import alternatives, table, words

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*['’]?")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_SCRIPTS: dict[str, re.Pattern[str]] = {
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u9fff\uf900-\ufaff]"),
    "hangul": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "cyrillic": re.compile("[\u0400-\u052f]{2,}"),
    "greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]{3,}"),  # single letters name proteins, receptors and T cells
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f]{2,}"),
    # Armenian, Hebrew, Syriac; the other scripts of South and South-East Asia, Georgian; Ethiopic; Khmer
    "other": re.compile("[\u0530-\u05ff\u0700-\u074f\u0780-\u08ff\u0980-\u10ff\u1200-\u137f\u1780-\u17ff]{2,}"),
}
_LETTERS_OF_A_SIGN = {"han": 3, "kana": 2, "hangul": 2}
"""What a sign counts for beside Latin letters: it stands for a syllable or a word."""
_OF_SCRIPT = {
    "kana": ("ja",),
    "han": ("zh",),
    "devanagari": ("hi", "mr"),
    "cyrillic": ("ru", "uk"),
    "arabic": ("ar", "fa", "ur"),
}
_SPANISH_MARK = re.compile(r"[¿¡]")
_LATIN_LANGUAGES = (
    "es",
    "fr",
    "de",
    "pt",
    "it",
    "nl",
    "sv",
    "da",
    "no",
    "fi",
    "pl",
    "cs",
    "hu",
    "ro",
    "tr",
    "vi",
    "id",
    "ca",
)
_MIN_WORDS = 2
"""Function words of another language from which a sentence may be in it."""
_SHORTEST_CONTENT = 4


@dataclass(frozen=True, slots=True)
class Foreign:
    """A question is in another language than English."""

    language: str | None
    """ISO 639-1; `None` = which one is not certain."""

    @property
    def line(self) -> str | None:
        """A sentence in that language that asks for English; `None` = we have none that is surely right."""
        return table("question-languages").values("line").get(self.language or "")


def foreign(question: str, entities: Sequence[Entity] = ()) -> Foreign | None:
    """The other language of a question; `None` = English, or too few words to tell.

    Args:
        question: cleaned.
        entities: what was found in it; words inside a name of the lexicon ("cri du chat") tell no language.
    """
    if not question.isascii() and (script := _script(question)):
        return Foreign(_language_of_script(script, question))
    return _by_words(question, entities)


def _script(question: str) -> str | None:
    """The script of most of the letters, where that is not Latin."""
    weights = {
        name: sum(len(run) for run in script.findall(question)) * _LETTERS_OF_A_SIGN.get(name, 1)
        for name, script in _SCRIPTS.items()
    }
    if sum(weights.values()) <= len(_LATIN.findall(question)):
        return None
    if weights["kana"]:  # Japanese writes with Han signs too
        return "kana"
    return max(weights, key=lambda name: weights[name])


def _language_of_script(script: str, question: str) -> str | None:
    """The language, where one alone explains the words or the script has only one."""
    candidates = _OF_SCRIPT.get(script, ())
    if script in ("kana", "han"):
        return candidates[0]
    tokens = [token.casefold() for token in _tokens_of_marked_scripts(question)]
    counts = {code: sum(token in _words_of()[code] for token in tokens) for code in candidates}
    best = max(counts, key=lambda code: counts[code], default=None)
    if best is None or not counts[best] or sum(n == counts[best] for n in counts.values()) > 1:
        return None
    return best


def _tokens_of_marked_scripts(question: str) -> list[str]:
    """Words by white space: vowel signs of Devanagari and Arabic are no letters for a regular expression."""
    return [token.strip('?؟।.,;:!()«»"') for token in question.split()]


def _by_words(question: str, entities: Sequence[Entity]) -> Foreign | None:
    tokens = _counted(question, entities)
    counts = {code: _count(tokens, code) for code in _LATIN_LANGUAGES}
    counts["es"] += 2 * bool(_SPANISH_MARK.search(question))
    best = max(counts, key=lambda code: counts[code])
    n = counts[best]
    if not n:
        return None
    english = sum(token.casefold() in _english() for token in tokens)
    # "At", "or" and "in" are words of several languages: what else is said has to be unknown in English as well.
    sure = n >= _MIN_WORDS and n > english and (n > _MIN_WORDS + 1 or _mostly_unknown(question, entities))
    if not sure and (english or not _mostly_unknown(question, entities)):
        return None
    second = max(count for code, count in counts.items() if code != best)
    return Foreign(best if n >= _MIN_WORDS and n > second else None)


def _count(tokens: Sequence[str], code: str) -> int:
    own = _words_of()[code]
    return sum(token.casefold().replace("’", "'") in own for token in tokens)


def _counted(question: str, entities: Sequence[Entity]) -> list[str]:
    """The words that may tell a language: none of a name, of a loan, in capitals, or that a capital makes a name."""
    text = _loans().sub(lambda match: " " * len(match[0]), question)
    inside = [(e.start, e.end) for e in entities]
    found = list(_WORD.finditer(text))
    shouting = question.isupper()
    return [
        match[0]
        for place, match in enumerate(found)
        if (shouting or len(match[0]) == 1 or not match[0].isupper())
        and not any(start < match.end() and match.start() < end and " " in text[start:end] for start, end in inside)
        and not (place and not shouting and match[0][0].isupper() and match[0][-1] not in "'’")
        and not _is_of_a_name(found, place)
    ]


def _is_of_a_name(found: Sequence[re.Match[str]], place: int) -> bool:
    """Whether a particle belongs to a name: "De Backer", "de la Fuente", "Société Française d'Anesthésie"."""
    if found[place][0].casefold() not in _particles():
        return False
    first = last = place
    while first > 0 and found[first - 1][0].casefold() in _particles():
        first -= 1
    while last + 1 < len(found) and found[last][0].casefold() in _particles():
        last += 1
    begins = found[first][0][0].isupper() or (first > 0 and found[first - 1][0][0].isupper()) or first == 0
    return begins and found[last][0][0].isupper() and last > place


def _mostly_unknown(question: str, entities: Sequence[Entity]) -> bool:
    """Whether at least half of the words that say something are in no list of English or of medicine."""
    content = [
        match[0].casefold()
        for match in _WORD.finditer(question)
        if len(match[0]) >= _SHORTEST_CONTENT
        and not any(e.start < match.end() and match.start() < e.end for e in entities)
    ]
    known = _known_words()
    unknown = [word for word in content if word not in known and word.removesuffix("s") not in known]
    named = sum(len(e.text.split()) for e in entities)
    return len(unknown) >= _MIN_WORDS and 2 * len(unknown) >= len(content) + named


@cache
def _words_of() -> dict[str, frozenset[str]]:
    listed = table("question-languages")
    return {group: frozenset(listed.words(group)) for group in listed.groups()}


@cache
def _particles() -> frozenset[str]:
    return frozenset(words("question-languages", "name"))


@cache
def _loans() -> re.Pattern[str]:
    return re.compile(rf"\b{alternatives(words('question-languages', 'loan'))}(?!\w)", re.IGNORECASE)


@cache
def _english() -> frozenset[str]:
    """Function words that English alone has."""
    return frozenset(words("stop-words", "function")) - _words_of()["both"]


@cache
def _known_words() -> frozenset[str]:
    """Words of everyday English and of MeSH. Read only for a question with a single word of another language."""
    return frozenset((*words("ordinary_words"), *words("mesh_words"), *words("stop-words")))
