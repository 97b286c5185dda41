"""The question as typed, made safe to read: what is kept as the question, and the views that the guard looks at."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata

from openwork_contracts.text import REPLACEMENT

from openwork_query.domain.markup import entities_read, without_markup

_INVISIBLE = {"Cf", "Cc", "Co", "Cs", "Cn"}
"""Unicode categories that a reader does not see: format (zero-width, bidirectional marks), control, unassigned."""
_WHITE = re.compile(r"\s+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LEET = str.maketrans("013457@$!|", "oieastasil")
# Letters of other scripts that look like Latin ones, as used to slip past word lists.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝгнмткАВЕКМНОРСТУХІЈЅοανικρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijshdqwrhmtkABEKMHOPCTYXIJSoavikptuxABEZHIKMNOPTYX",
)
_SPACED = re.compile(r"\b(?:\w[ ._*-]{1,3}){4,}\w\b")


def clean_question(text: str) -> str:
    """The asker's words without markup and invisible characters, white space folded; no word is changed.

    What the contracts' door made visible for readers, a control character, is no word either: left in, it would part
    words of an attack for the guard and not for a model.
    """
    return _WHITE.sub(" ", without_markup(_visible(text))).strip()


def as_typed(text: str) -> str:
    """The same with its markup: what the guard reads besides, since markup is a way to give orders."""
    return _WHITE.sub(" ", _visible(text)).strip()


def _visible(text: str) -> str:
    """Entities read, then what a reader does not see taken out: an entity may stand for it."""
    # Line breaks and the separators Zl and Zp part words; zero-width and control characters do not.
    return "".join(
        " " if c in "\t\v\f" or unicodedata.category(c) in {"Zl", "Zp"} else c
        for c in entities_read(text)
        if c in "\t\n\r\v\f" or (c != REPLACEMENT and unicodedata.category(c) not in _INVISIBLE)
    )


def says_nothing(question: str) -> bool:
    """Whether no letter or digit is left, e.g. only punctuation."""
    return not any(c.isalnum() for c in question)


def views(question: str) -> tuple[str, ...]:
    """The question in the forms under which an attack may hide, in lower case and without accents.

    As it is; with look-alike letters and digits read as Latin letters; with l e t t e r s drawn together; with base64
    decoded.
    """
    plain = _without_accents(unicodedata.normalize("NFKC", question)).lower()
    found = [plain]
    if any(ord(c) > 127 for c in plain):
        found.append(plain.translate(_LOOKALIKES).lower())
    if re.search(r"[a-z][013457@$!|]|[013457@$!|][a-z]", found[-1]):
        found.append(found[-1].translate(_LEET))
    if _SPACED.search(plain):
        # Two or more blanks part words; a single one or a mark parts letters.
        words = re.split(r"\s{2,}|[,;:]\s", question.lower())
        found.append(" ".join(re.sub(r"[\s._*-]", "", w) if _SPACED.search(w) else w for w in words))
    found.extend(_decoded(question))
    return tuple(dict.fromkeys(found))


def _without_accents(text: str) -> str:
    """Latin letters without their accents; other scripts whole, since their marks tell letters apart."""
    if text.isascii():
        return text
    bases = (unicodedata.normalize("NFD", c)[0] for c in text)
    return "".join(base if base.isascii() else c for base, c in zip(bases, text, strict=True))


def _decoded(question: str) -> list[str]:
    """Base64 runs that hold readable ASCII text."""
    texts = []
    for match in _BASE64.finditer(question):
        run = match[0].rstrip("=")
        try:
            text = base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError, ValueError):
            continue
        if text.isprintable() and " " in text:
            texts.append(text.lower())
    return texts
