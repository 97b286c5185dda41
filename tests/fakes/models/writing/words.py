"""The writer's own words: two tables beside this file, and how a phrase is said otherwise."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, partial
from pathlib import Path
from random import Random

_FOLDER = Path(__file__).parent
_MOST_SWAPS = 3
_SHORT_FORM = re.compile(r"\s?\(([A-Za-z][A-Za-z0-9-]{1,8})\)")
_WHO = frozenset({"patients with", "subjects with", "individuals with", "individuals"})
_MAY_PRECEDE = frozenset(["in", "of", "the", "for", "to", "by", "all", "that", "than", "and", "most", "among", "with"])
"""Any other word before "patients with" belongs to it: "cirrhosis patients with ascites"."""
_FUNCTION_WORDS = frozenset({"to", "of", "in", "the", "and", "a", "an", "by", "with", "for", "on", "at", "or", "from"})
_VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
_A_SOUNDS = re.compile(r"^(?:uni|use|usu|eu|one\b)|^[bcdgjkpqtuvwyz][A-Z\d]", re.IGNORECASE)


@cache
def table(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """A table by kind and key: `own_words` or `own_errors`."""
    rows: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for line in (_FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, key, choices = line.split("\t")
            rows[kind][key] = tuple(choices.split("|"))
    return dict(rows)


def own(kind: str) -> dict[str, tuple[str, ...]]:
    """The writer's words of a kind."""
    return table("own_words")[kind]


def errors(kind: str) -> dict[str, tuple[str, ...]]:
    """The erring writer's words of a kind."""
    return table("own_errors")[kind]


@cache
def _sayings() -> re.Pattern[str]:
    keys = sorted(own("say"), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, keys))})(?![\w'’-])")


def say(text: str, random: Random, most: int = _MOST_SWAPS) -> tuple[str, int]:
    """The text with at most `most` phrases in the writer's own words, and how many were replaced."""
    found = [m for m in _sayings().finditer(text) if not (m[0] in _WHO and _is_joined(text[: m.start()]))]
    chosen = {match.start() for match in random.sample(found, min(most, len(found)))}
    for match in reversed(found):
        if match.start() in chosen:
            word = random.choice(own("say")[match[0]])
            text = _with_article(text[: match.start()], word) + text[match.end() :]
    return text, len(chosen)


def _is_joined(before: str) -> bool:
    words = before.split()
    return bool(words) and before[-1:] == " " and words[-1].lower() not in _MAY_PRECEDE and words[-1][-1].isalnum()


def _with_article(before: str, word: str) -> str:
    """An indefinite article before a replaced word agrees with it; a word with its own article keeps that one."""
    article = re.search(r"\b(an?|the) $", before)
    if article and re.match(r"(?:an?|the) ", word):
        return before[: article.start()] + word
    if article and article[1] != "the" and not re.match(r"an? ", word):
        return f"{before[: article.start()]}{article_of(word)} {word}"
    return before + word


def article_of(word: str) -> str:
    """a or an, by the first letter."""
    return "an" if _VOWEL.match(word) and not _A_SOUNDS.match(word) else "a"


def short_forms(source: str) -> dict[str, str]:
    """The source's own abbreviations, {long form: short form}: only where initials agree letter by letter."""
    found = {}
    for match in _SHORT_FORM.finditer(source):
        letters = [c.lower() for c in match[1] if c.isalpha()]
        if sum(c.isupper() for c in match[1]) < 2 or match[1].endswith("s"):
            continue
        words = re.findall(r"[\w'’]+", source[max(0, match.start() - 120) : match.start()])[-len(letters) :]
        if [w[0].lower() for w in words] != letters or words[0].lower() in _FUNCTION_WORDS:
            continue
        start = source.rfind(words[0], 0, match.start())
        long_form = source[start : match.start()].strip()
        if re.fullmatch(r"[\w'’ -]+", long_form) and len(long_form.split()) <= len(letters):
            found[long_form[0].lower() + long_form[1:] if long_form[1:2].islower() else long_form] = match[1]
    return found


def abbreviated(text: str, forms: dict[str, str], random: Random) -> str:
    """One long form for the source's own short one, or the reverse."""
    for long_form, short in random.sample(sorted(forms.items()), len(forms)):
        if re.search(rf"(?<![\w-]){re.escape(long_form)}(?![\w-])", text):
            found = rf"(?:\b(an?) )?(?<![\w-]){re.escape(long_form)}(?![\w-])"
            return re.sub(found, partial(_short, short=short), text)
        if re.search(rf"(?<![\w-]){re.escape(short)}(?![\w-])", text):
            return re.sub(rf"(?<![\w-]){re.escape(short)}(?![\w-])", long_form, text)
    return text


def _short(match: re.Match[str], short: str) -> str:
    article = "an" if re.match(r"[AEFHILMNORSX]", short) else "a"
    return f"{article} {short}" if match[1] else short


def capital(text: str) -> str:
    """With a capital first letter, unless the word has its own way of writing ("p53", "mRNA")."""
    own_way = re.match(r"\w*[A-Z\d]", text.split(" ")[0])
    return text if own_way else text[:1].upper() + text[1:]


_NAME = re.compile(
    r"^(?:(?!The )[A-Z][a-z]+(?: et al| (?:19|20)\d\d)|(?:American|European|Asian|African|Chinese|Japanese"
    r"|Danish|British|Markov|Bayesian|Caucasian|Hispanic|Asians|Africans|Japan|China|Africa|Europe|Wnt"
    r"|Notch|Akt|Ras|Myc)\b)"
)


def small(text: str) -> str:
    """With a small first letter where the capital was only the sentence's."""
    first = text.split(" ")[0]
    if not re.fullmatch(r"[A-Z][a-z,'’-]+|A", first) or _NAME.match(text):
        return text
    return text[0].lower() + text[1:]
