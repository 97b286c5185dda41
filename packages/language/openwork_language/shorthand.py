"""Clinical shorthand in words: "72M s/p MI, TXA w/in 8 hrs" is a 72-year-old man after MI and tranexamic acid.

What is meant goes on in the place of what was typed, and both are told to the asker. A short form with several meanings
is read only where a word near it decides; one that the lexicon names by itself ("COPD", "MI") stays as it is.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.question import Respelling
from openwork_knowledge.folding import fold_word
from openwork_knowledge.notation import spelt
from openwork_knowledge.tables import alternatives, table

from openwork_language.abbreviations import Meanings, meaning_near
from openwork_language.quantities.number_words import NUMBER_WORDS, number_of_word

_START, _END = r"(?<![\w/&+-])", r"(?![\w/&+-])"
_AGED = re.compile(
    r"(?<![\w.-])(?P<years>\d{1,3})(?:\s?-?\s?(?:y(?:ea)?rs?\s?-?\s?old|y\.?\s?/?o\.?)(?![\w/])(?:\s(?P<word>[mMfF])(?![\w/-]))?"
    r"|\s?(?P<letter>[MF])(?![\w/-]))"
)
_AGED_IN_WORDS = re.compile(
    rf"\b(?P<number>(?:{'|'.join(NUMBER_WORDS)})(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?)"
    r"[\s-](?P<unit>year|month|week|day)s?[\s-]olds?\b"
    r"(?!\s+(?:trials?|stud\w+|data|reviews?|evidence|guid\w+|meta-?\w*|wounds?|records?|samples?))",
    re.IGNORECASE,
)
_DURATION_IN_WORDS = re.compile(
    r"(?<!\bat )(?<!\bby )(?<!\bafter )(?<!\bwithin )"
    rf"\b(?P<number>{'|'.join(word for word in NUMBER_WORDS if word != 'one')})"
    r"(?P<gap>[\s-])(?P<unit>day|week|month)(?=-|s?\s(?:of|course)\b)",
    re.IGNORECASE,
)
""" "Five days of antibiotics", "a five-day course"."""
_INSTEAD = re.compile(
    r"\b(?P<against>compared (?:with|to)|versus|vs\.?|against|(?:rather )?than)\s+"
    r"(?:withholding|holding back|avoiding|leaving out|omitting|not (?:giving|taking|having|prescribing|using)|skipping"
    r"|going without)\s+(?:an?\s+|the\s+|any\s+)?",
    re.IGNORECASE,
)
""" "Compared with [withholding] aspirin" is with no aspirin."""
_OF_SOMEBODY = re.compile(r"(?:^|[.,:;]\s|\b(?:an?|the|this|my|our|is|in|for)\s)$", re.IGNORECASE)
_SEXES = {"m": "man", "f": "woman"}
_SIGNED = re.compile(
    r"(?<![\w-])(?:(?P<named>\w[\w-]*)\s?(?P<sign>[+-])ve\b|(?P<name>[A-Z][A-Za-z0-9-]*[A-Z0-9])\+(?![\w+/]))"
)
_BEHIND_HYPHEN = re.compile(r"(?<=[a-z]-)(?:neg|pos)\b")
_BETWEEN = re.compile(r"\b(?P<low>mild|moderate)-(?P<high>moderate|severe)\b", re.IGNORECASE)
_VITAMINS = re.compile(
    r"\bvit(?:amin)?s?\.?\s(?P<one>[A-K]\d{0,2})(?:\s?(?:and|&|\+|/)\s?)(?:vit(?:amin)?s?\.?\s)?(?P<other>[A-K]\d{0,2})\b"
)
_SAID = re.compile(r"\s?\((?=[a-z]{3})", re.IGNORECASE)
_DAY = re.compile(r"(?<=\b(?:by|at|on|to) )d(?P<n>\d{1,3})\b", re.IGNORECASE)
_PLUS = re.compile(r"(?<=\S) \+ (?=[A-Za-z])")
_NOT_DIABETIC = re.compile(
    r"\b(?P<who>(?:who|that)\s+)?(?:is|are|was|were)(?:n['\N{RIGHT SINGLE QUOTATION MARK}]t|\s+not)\s+diabetics?\b"
    r"(?!\s+\w+ic\b)",
    re.IGNORECASE,
)
_TYPE = r"(?:type|T)\s?-?(?P<type>1|2|I{1,2}|one|two)\s+"
_DIABETICS = re.compile(
    rf"\b(?P<new>(?:newly|recently)[- ]diagnosed\s+)?{_TYPE}diabetics\b"
    rf"|\b(?:(?P<article>an?\s+(?:[a-z-]+\s+){{0,2}}?)|(?<=-old\s)){_TYPE.replace('<type>', '<his>')}diabetic"
    r"(?=\s*(?:[.,;:?]|$)|\s+(?:on|with|who|and|whose|taking|without|after|for|has|is|in)\b)",
    re.IGNORECASE,
)
"""Nouns; "type 2 diabetic patients" says it as an adjective."""
_IN = re.compile(r"\b(?:in|among)\s+$", re.IGNORECASE)
_WITH = re.compile(r"(?<=[A-Za-z,)] )w(?= [A-Za-z])")
""" "Pt w AF"; behind a figure it is a week."""


@lru_cache(maxsize=1024)
def spelt_out(text: str) -> tuple[str, tuple[Respelling, ...]]:
    """The text with its shorthand in words, and what was read as what, each once."""
    changed: dict[str, str] = {}

    def written(match: re.Match[str], read: str | None) -> str:
        if read is None or read == match[0]:
            return match[0]
        changed.setdefault(match[0].strip(), read)
        return read

    out = _AGED.sub(lambda match: written(match, _aged(match)), text)
    out = _AGED_IN_WORDS.sub(lambda match: written(match, _aged_in_words(match)), out)
    out = _DURATION_IN_WORDS.sub(_in_figures, out)
    out = _INSTEAD.sub(lambda match: f"{match['against']} no ", out)
    out = _SIGNED.sub(lambda match: written(match, _signed(match)), out)
    out = _BEHIND_HYPHEN.sub(lambda match: written(match, _meant(match[0], match)), out)
    out = _BETWEEN.sub(lambda match: written(match, f"{match['low']} to {match['high']}"), out)
    out = _VITAMINS.sub(lambda match: written(match, f"vitamin {match['one']} and vitamin {match['other']}"), out)
    out = _DAY.sub(lambda match: written(match, f"day {match['n']}"), out)
    out = _PLUS.sub(" and ", out)
    out = _WITH.sub(lambda match: written(match, "with"), out)
    out = _NOT_DIABETIC.sub(lambda match: written(match, _without_diabetes(match)), out)
    out = _DIABETICS.sub(lambda match: written(match, _with_diabetes(match)), out)
    out = _kind().sub(lambda match: written(match, _kind_meant(match)), out)
    out = _numbered().sub(lambda match: written(match, _unit(match)), out)
    out = _anycase().sub(lambda match: written(match, _meant(match[0].lower(), match)), out)
    if any(letter.islower() for letter in text):  # in capitals alone every word looks like a short form
        out = _exact().sub(lambda match: written(match, _meant(match[0], match)), out)
    return out, tuple(Respelling(typed=typed, read=read) for typed, read in changed.items())


def _without_diabetes(match: re.Match[str]) -> str:
    return "without diabetes" if match["who"] else "has no diabetes"


def _with_diabetes(match: re.Match[str]) -> str | None:
    if match["type"] and not match["new"] and _IN.search(match.string, 0, match.start()):
        return None  # "in type 1 diabetics" says that they are who is meant
    number = {"one": "1", "i": "1", "two": "2", "ii": "2"}
    told = (match["type"] or match["his"]).lower()
    disease = f"type {number.get(told, told)} diabetes"
    if match["type"]:
        return f"people with {match['new'] or ''}{disease}"
    return f"{match['article']}person with {disease}" if match["article"] else f"with {disease}"


def _in_figures(match: re.Match[str]) -> str:
    number = number_of_word(match["number"])
    return match[0] if number is None else f"{number}{match['gap']}{match['unit']}"


def _aged(match: re.Match[str]) -> str | None:
    sex = _SEXES.get((match["word"] or match["letter"] or "").lower())
    if match["letter"] and not 15 < int(match["years"]) < 110:
        return None  # "6F" is no age
    return f"{match['years']}-year-old{f' {sex}' if sex else ''}"


def _aged_in_words(match: re.Match[str]) -> str | None:
    """ "Seven year old" is 7-year-old."""
    number = number_of_word(match["number"])
    if not _OF_SOMEBODY.search(match.string, 0, match.start()):
        return None  # "a wound seven days old", "a hundred and two year old"
    return None if number is None else f"{number}-{match['unit'].lower()}-old"


def _signed(match: re.Match[str]) -> str:
    return f"{match['named'] or match['name']}-{'negative' if match['sign'] == '-' else 'positive'}"


def _unit(match: re.Match[str]) -> str:
    return f"{match['number']} {table('shorthand').values('number')[match['unit'].lower()]}"


def _meant(short: str, match: re.Match[str]) -> str | None:
    """What a short form means where it stands; `None` = the words near it do not decide, or the asker says it himself:
    "NE (neutrophil elastase)", or it is measured.
    """
    if _SAID.match(match.string, match.end()):
        return None
    if not short.islower() and _MEASURED.search(match.string, 0, match.start()):
        return None
    meanings = _meanings().get(short) or _meanings()[short.removesuffix("s")]
    return meaning_near(meanings, match.string, match.start(), match.end())


_MEASURED = re.compile(r"\b(?:free|(?:a\s+)?normal|serum|plasma)\s+$", re.IGNORECASE)
""" "A normal free T4" is a level of it in blood, and nothing that is given."""


@cache
def _meanings() -> dict[str, Meanings]:
    found: dict[str, Meanings] = {}
    for group, phrase, long, *context in table("shorthand").rows:
        near = frozenset(fold_word(word) for part in context for word in re.split(r"[;\s]+", part) if word)
        for short in spelt(phrase):
            key = short if group.startswith("exact") else short.lower()
            found[key] = (*found.get(key, ()), (long, near))
    return found


@cache
def _numbered() -> re.Pattern[str]:
    units = alternatives(table("shorthand").words("number"))
    return re.compile(rf"(?<![\w.])(?P<number>\d+(?:\.\d+)?)\s?(?P<unit>{units}){_END}", re.IGNORECASE)


@cache
def _anycase() -> re.Pattern[str]:
    rows = (row[1] for row in table("shorthand").rows if row[0] in {"any", "drug", "lay"})
    listed = [word for phrase in rows for word in spelt(phrase)]
    return re.compile(rf"{_START}(?:{alternatives(listed)})(?![\w&+-]|(?<!/)/)", re.IGNORECASE)


def _kind_meant(match: re.Match[str]) -> str | None:
    """A kind whose noun is left out; that of another disease stands behind its name ("hepatorenal syndrome type 1")."""
    if not _BEFORE_A_KIND.search(match.string, 0, match.start()):
        return None
    return _meant(re.sub(r"[\s-]+", " ", match[0].lower()), match)


_BEFORE_A_KIND = re.compile(
    r"(?:^|[,.;:(]|\b(?:for|in|with|of|has|have|had|an?|the|on|as|and|or|than|versus|vs|v|adults?|children"
    r"|\w+(?:gliflozin|glutide|insulin|formin|gliptin)))\s*$",
    re.IGNORECASE,
)
_KINDS_OF_ITS_OWN = (
    r"diabet\w*|errors?|MIs?|myocardial|respiratory|hepatorenal|HRS|reactions?|hyper\w+|neuro\w+|collagen|interferons?"
    r"|endoleaks?|autoimmune|AIH|SMA|spinal|von|VWD"
)


@cache
def _kind() -> re.Pattern[str]:
    kinds = alternatives(table("shorthand").words("kind"), plural=True).replace(r"\s+", r"(?:\s+|-)")
    return re.compile(rf"{_START}{kinds}(?![\w&-])(?!\s+(?:{_KINDS_OF_ITS_OWN})\b)", re.IGNORECASE)


@cache
def _exact() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/&+]){alternatives(table('shorthand').words('exact'), plural=True)}(?![\w&-])")
