"""Singular and plural, British and American: the forms of a name that a phrase search treats as different words."""

from __future__ import annotations

import re
from functools import cache

from openwork_knowledge.folding import is_acronym
from openwork_knowledge.tables import table

_ANCHOR = {"begins": r"(?<![a-z])", "inside": "", "ends": ""}
_LATIN_SES = re.compile(r"[aeioy]ses$")
"""Plural of "-sis": metastases, analyses."""
_ES = re.compile(r"(?:s|x|z|ch|sh)es$")
_UNCOUNTED = ("itis", "osis", "emia", "uria", "pathy", "therapy", "tension", "ness", "ism", "ase", "ine", "ol", "ide")
"""Endings of diseases and substances of which no plural is written."""
_ADJECTIVES = ("ed", "ing", "al", "ic", "ous", "able", "ible", "ary", "ive", "ant", "ent", "oid", "ular", "form", "ly")
"""Endings of words that describe; some nouns end so too, and go without their plural."""
_NO_PLURAL = re.compile(rf"(?:{'|'.join((*_UNCOUNTED, *_ADJECTIVES))})$")


@cache
def _pairs() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Each spelling as an expression, with the other one; longest first."""
    found = []
    for where, american, british in (row for row in table("spellings").rows if row[0] in _ANCHOR):
        end = r"(?![a-z])" if where == "ends" else ""
        for one, other in ((american, british), (british, american)):
            found.append((re.compile(f"{_ANCHOR[where]}{re.escape(one)}{end}"), other))
    return tuple(sorted(found, key=lambda pair: -len(pair[0].pattern)))


@cache
def _invariable() -> frozenset[str]:
    return frozenset(table("spellings").words("one number"))


def spellings(name: str, *, countable: bool = True) -> tuple[str, ...]:
    """The other forms of a name, without itself: other number of its last word, other side of the Atlantic.

    A short form gets its plural only; a name with a comma (MeSH's order of words) none, since no text is written so.

    Args:
        countable: whether it has a plural: a class of drugs has, a drug has none.
    """
    if "," in name or not name:
        return ()
    if is_acronym(name.split()[-1]):
        if not countable:
            return ()
        return (name[:-1],) if name.endswith("s") else (f"{name}s",)
    own = [name, *filter(None, (_other_number(name) if countable else None,))]
    across = [other for form in own if (other := _across(form))]
    return tuple(dict.fromkeys(form for form in (*own, *across) if form != name))


def describes(word: str) -> bool:
    """Whether a word ends like one that describes, and so names nothing by itself: chronic, implantable, titrated."""
    return word.lower().endswith(_ADJECTIVES)


def _other_number(name: str) -> str | None:
    """Plural of a singular, singular of a plural, by the last word; `None` where neither is written."""
    head, _, word = name.rpartition(" ")
    low = word.lower()
    if _LATIN_SES.search(low):
        return f"{head} {word[:-3]}sis".strip()
    if low.endswith("sis") and not low.endswith("osis"):
        return f"{head} {word[:-3]}ses".strip()
    if len(low) < 4 or not low.isascii() or not low.replace("-", "").isalpha():
        return None
    if low.endswith("ies"):
        return f"{head} {word[:-3]}y".strip()
    if _ES.search(low):
        return f"{head} {word[:-2]}".strip()
    if low in _invariable():
        return None
    if low.endswith("s") and not low.endswith(("ss", "us", "is", "ens")):
        return f"{head} {word[:-1]}".strip()
    if _NO_PLURAL.search(low) or low.endswith(("s", "x")):
        return None
    plural = f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", low) else f"{word}s"
    return f"{head} {plural}".strip()


def _across(name: str) -> str | None:
    """The name as the other side of the Atlantic spells it; `None` = as here."""
    low = name.lower()
    changed = low
    for pattern, other in _pairs():
        found = pattern.search(low)
        if found and other not in low:
            changed = pattern.sub(other, changed)
            break
    return changed if changed != low else None
