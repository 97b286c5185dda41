"""Drugs, diseases, groups of people and entities that differ by a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.eval.fidelity import perturb

_SYLLABLES = ("bla", "cro", "dri", "fim", "gor", "hul", "jex", "kan", "lup", "mov", "nar", "plo", "quen", "rus", "tze")
_ENDINGS = ("vex", "dal", "nic", "tol", "zar", "pix", "mor", "lune")
_EVERYDAY = (
    "chocolate", "candles", "umbrellas", "marmalade", "cushions", "lemonade", "pancakes", "telescopes", "curtains",
    "gravel", "trumpets", "snowballs", "bicycles", "wallpaper", "sandwiches", "shoelaces", "postcards", "carpets",
    "buttons", "pencils", "ketchup", "doughnuts", "popcorn", "balloons", "mustard", "jigsaws", "teapots", "mittens",
)  # fmt: skip


def _listed(name: str) -> tuple[str, ...]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


DRUGS = tuple(
    dict.fromkeys((*(d for d in perturb.DRUGS if d not in {"placebo", "dopamine"}), *_listed("common_drugs.txt")))
)
RECENT_DRUGS = _listed("recent_inns.txt")
_DRUG = re.compile(rf"\b(?:{'|'.join(sorted(DRUGS, key=len, reverse=True))})\b", re.IGNORECASE)
_DISEASE = re.compile(rf"\b(?:{'|'.join(perturb.DISEASES)})\b", re.IGNORECASE)
_POPULATIONS = {
    **perturb.POPULATIONS,
    "postmenopausal women": "premenopausal women",
    "premature infants": "schoolchildren",
    "preterm infants": "adults",
    "elderly patients": "children",
    "older patients": "children",
    "older people": "children",
    "young adults": "elderly people",
    "healthy volunteers": "critically ill patients",
    "healthy subjects": "critically ill patients",
    "outpatients": "critically ill patients",
    "smokers": "children",
    "pediatric patients": "elderly patients",
    "schoolchildren": "elderly people",
    "volunteers": "newborns",
}
# One member of a numbered family for another: (pattern, what may stand instead of group 1).
_NUMBERED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\b[Tt]ype (1|2|I|II)\b(?= diab| DM)", ("1", "2")),
    (r"\b[Tt]ype (I{1,2}|1|2)\b", ("1", "2")),
    (r"\b[Ss]tages? (I{1,3}|IV|[1-5])\b", ("I", "II", "III", "IV")),
    (r"\b[Gg]rades? ([1-4]|I{1,3}|IV)\b", ("1", "2", "3", "4")),
    (r"\b[Pp]hase ([1-4]|I{1,3}|IV)\b", ("I", "II", "III")),
    (r"\b[Cc]lass (I{1,3}|IV)\b", ("I", "II", "III", "IV")),
    (r"\b[Ee]xons? (\d+)\b", ("9", "11", "14", "19", "20", "21")),
    (r"\b[Cc]odons? (\d+)\b", ("12", "61", "146", "600")),
    (r"\b[Vv]itamin ([A-EK]\d{0,2})\b", ("A", "B6", "B12", "C", "D", "E")),
    (r"\bIL-(\d+)\b", ("1", "4", "6", "8", "10", "17")),
    (r"\binterleukin[- ](\d+)\b", ("1", "4", "6", "8", "10", "17")),
    (r"\bCD(\d+)(?=\+|\b)", ("3", "4", "8", "19", "20", "28")),
    (r"\bTLR(\d+)\b", ("2", "3", "4", "7", "9")),
    (r"\bCOX-([12])\b", ("1", "2")),
    (r"\bBRCA([12])\b", ("1", "2")),
    (r"\bHPV[- ]?(\d+)\b", ("6", "11", "16", "18")),
    (r"\bH(\dN\d)\b", ("1N1", "3N2", "5N1", "7N9")),
    (r"\b[Hh]epatitis ([A-E])\b", ("A", "B", "C", "E")),
    (r"\b[Oo]mega-([36])\b", ("3", "6")),
    (r"\bHIV-([12])\b", ("1", "2")),
    (r"\b[Cc]aspase-(\d+)\b", ("1", "3", "8", "9")),
    (r"\bSTAT(\d)\b", ("1", "3", "5", "6")),
    (r"\bSmad(\d)\b", ("2", "3", "4", "7")),
    (r"\bmiR-(\d+)\w?\b", ("21", "122", "155", "200")),
    (r"\bAkt([123])\b", ("1", "2", "3")),
    (r"\bERK([12])\b(?!/)", ("1", "2")),
    (r"\bTh(1|2|17)\b", ("1", "2", "17")),
    (r"\bSIRT(\d)\b", ("1", "3", "6")),
    (r"\bchromosome (\d+)", ("7", "13", "17", "21")),
    (r"\b[Ff]actor (VIII|IX|VII|X|XI)\b", ("VII", "VIII", "IX", "X")),
    (r"\bNOD([12])\b", ("1", "2")),
    (r"\bcyclin ([ABDE]\d?)\b", ("A", "B1", "D1", "E")),
    (r"\bGLP-([12])\b", ("1", "2")),
    (r"\bIgG?([AEGM])\b", ("A", "E", "G", "M")),
    (r"\bCYP([1-3][A-E]\d+)\b", ("1A2", "2C9", "2D6", "3A4")),
)  # fmt: skip


def drug_common(text: str, abstract: str, random: Random) -> str | None:
    """One drug becomes another in common use."""
    return _drug(text, abstract, random, DRUGS)


def drug_recent(text: str, abstract: str, random: Random) -> str | None:
    """One drug becomes one that was named recently."""
    return _drug(text, abstract, random, RECENT_DRUGS)


def drug_nonsense(text: str, abstract: str, random: Random) -> str | None:
    """One drug becomes a word that does not exist."""
    words = ["".join(random.sample(_SYLLABLES, 2)) + random.choice(_ENDINGS) for _ in range(3)]
    return _drug(text, abstract, random, words)


def drug_everyday(text: str, abstract: str, random: Random) -> str | None:
    """One drug becomes a thing of everyday life."""
    return _drug(text, abstract, random, _EVERYDAY)


def disease(text: str, abstract: str, random: Random) -> str | None:
    """One disease becomes another one, of which the abstract says nothing."""
    return _replaced(text, random, _DISEASE, [d for d in perturb.DISEASES if d not in abstract.lower()])


def population(text: str, abstract: str, random: Random) -> str | None:
    """One group of people becomes another one, of which the abstract says nothing."""
    found = [
        (m, new)
        for word, new in _POPULATIONS.items()
        for m in re.finditer(rf"(?<!-)\b{word}\b(?!-)", text)
        if not re.search(rf"\b{new.split()[-1][:6]}", abstract, re.IGNORECASE)
    ]
    if not found:
        return None
    longest = max(len(m.group()) for m, _ in found)
    m, new = random.choice([f for f in found if len(f[0].group()) == longest])
    return text[: m.start()] + new + text[m.end() :]


def numbered(text: str, abstract: str, random: Random) -> str | None:
    """Type 1 becomes type 2, stage II stage III, exon 19 exon 20, B6 B12; the abstract has no such other."""
    choices = []
    for pattern, members in _NUMBERED:
        for m in re.finditer(pattern, text):
            roman = m[1][0] in "IV"
            for member in members:
                new = _as_roman(member) if roman else _as_digit(member) if m[1].isdigit() else member
                whole = m[0][: m.start(1) - m.start()] + new + m[0][m.end(1) - m.start() :]
                if new != m[1] and not re.search(rf"{re.escape(whole)}\b", abstract, re.IGNORECASE):
                    choices.append((m, whole))
    if not choices:
        return None
    m, whole = random.choice(choices)
    return text[: m.start()] + whole + text[m.end() :]


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "drug: one in common use": drug_common,
    "drug: one named recently": drug_recent,
    "drug: a word that does not exist": drug_nonsense,
    "drug: a thing of everyday life": drug_everyday,
    "disease": disease,
    "population": population,
    "numbered entity": numbered,
}


def _drug(text: str, abstract: str, random: Random, others: tuple[str, ...] | list[str]) -> str | None:
    return _replaced(text, random, _DRUG, [o for o in others if o not in abstract.lower()])


def _replaced(text: str, random: Random, pattern: re.Pattern[str], others: list[str]) -> str | None:
    """One name, wherever it stands in the sentence, becomes another one."""
    found = list(dict.fromkeys(m.group().lower() for m in pattern.finditer(text)))
    if not found or not others:
        return None
    old, new = random.choice(found), random.choice(others)

    def capitalised(m: re.Match[str]) -> str:
        return new[0].upper() + new[1:] if m.group()[0].isupper() else new

    return re.sub(rf"\b{re.escape(old)}\b", capitalised, text, flags=re.IGNORECASE)


_ROMAN = {"1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}


def _as_roman(member: str) -> str:
    return _ROMAN.get(member, member)


def _as_digit(member: str) -> str:
    return next((digit for digit, roman in _ROMAN.items() if roman == member), member)
