"""For whom something holds: subgroups, exclusions; and how strongly it is recommended, on what evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_PEOPLE = r"(?:patients|women|men|children|participants|subjects|individuals|people|those|adults|males|females|smokers)"
_CUE = re.compile(
    rf"(?<!and)(?<!than)(?<!or)(?<!but)(?<!both)(?<!as)(?<!not),? \b(?P<cue>(?:only |especially |particularly )?(?:in|among|for) (?:the |a )?"
    rf"(?:sub(?:group|set)s? of [^,;.()]{{3,60}}|"
    rf"{_PEOPLE} (?:who|with|aged|older|younger|over|under|without|whose|receiving|at)\b"
    r"[^,;.()]{3,70}|(?:elderly|older|younger|non-?smoking|hypertensive|diabetic|obese|postmenopausal|premenopausal|"
    r"male|female|black|white|high-risk|low-risk|severe\w*|mild\w*) (?:patients|women|men|subjects|participants|adults)|"
    r"(?:women|men|males|females|boys|girls|smokers|non-?smokers|non-?users)))(?=[,;] |\.$| \()"
)
_STATES = re.compile(
    r"\b(?:reduc|increas|decreas|lower|higher|associat|improv|risk|effective|benefit|differ|greater|predict)\w*"
)
_TURNS: tuple[tuple[str, str], ...] = (
    (r"\b(?:except|excepting)(?: for| in)?\b", "including"),
    (r"\bwith the exception of\b", "including"),
    (r",? but not (?=(?:in|with|for|by|to|of|on|at|among)\b)", " and also "),
    (r",? but not\b", " and also"),
    (r"\bexcluding\b", "including"),
    (r"\bwere excluded\b", "were included"),
    (r"\bwithout (?=(?:a |any |the )?(?:history|previous|prior|known|diabetes|hypertension|disease|evidence|significant|"
     r"\w+ (?:disease|failure|infarction|infection|disorder|cancer)))", "with "),
    (r"\b(?:patients|women|men|children|subjects|individuals|those) without\b", "patients with"),
    (r"\bnon-?smokers\b", "smokers"),
    (r"\bnondiabetic\b|\bnon-diabetic\b", "diabetic"),
    (r"\bnot (receiving|taking|treated with|using|on|exposed to|requiring)\b", r"\1"),
    (r"\b(?:only in|exclusively in)\b", "also outside"),
    (r"\b(?:un|non-?)treated patients\b", "treated patients"),
    (r"\bfree of\b", "with"),
    (r"\bother than\b", "including"),
    (r"\bindependent(?:ly)? of\b", "dependent on"),
    (r"\brather than\b", "as well as"),
)  # fmt: skip
_STRENGTHS: tuple[tuple[str, str], ...] = (
    (r"\b[Cc]lass (?:IIa|IIb|II|2a|2b)\b", "class I"),
    (r"\b[Cc]lass (?:III|3)\b", "class I"),
    (r"\b[Cc]lass (?:I|1)\b(?!\w)", "class III"),
    (r"\b[Ll]evel (?:of evidence )?(?:B|C)\b", "level A"),
    (r"\b[Ll]evel (?:of evidence )?(?:A)\b", "level C"),
    (r"\b[Gg]rade (?:B|C|D)\b(?= recommendation)", "grade A"),
    (r"\b(?:weak|conditional) recommendation", "strong recommendation"),
    (r"\b[Ss]trong recommendation", "weak recommendation"),
    (r"\bstrongly recommend", "conditionally recommend"),
    (r"\bconditionally recommend", "strongly recommend"),
    (r"\b(?:very[ -])?low[ -](quality|certainty)\b", r"high-\1"),
    (r"\bmoderate[ -](quality|certainty)\b", r"high-\1"),
    (r"\bhigh[ -](quality|certainty)( of)? evidence", r"low-\1\2 evidence"),
    (r"\b(?:very )?low (?:quality|certainty) of (?:the )?evidence", "high quality of evidence"),
    (
        r"\b(?:limited|weak|insufficient|inconclusive|conflicting|inconsistent|little|sparse) evidence\b",
        "strong evidence",
    ),
    (r"\b[Ss]trong evidence\b", "weak evidence"),
    (r"\b(?:may|can|could) be considered\b", "is strongly recommended"),
    (r"\bmay be (?:recommended|used|useful|reasonable)\b", "is strongly recommended"),
    (r"\bis reasonable\b", "is strongly recommended"),
    (r"\bis not recommended\b|\bis contraindicated\b", "is recommended"),
    (r"\bshould not be\b", "should be"),
    (r"\bis recommended\b", "is not recommended"),
)


def subgroup_removed(text: str, abstract: str, random: Random) -> str | None:
    """The subgroup to which a result is bound is left out; the title does not say that all were of it."""
    title, _, body = abstract.partition("\n")
    found = [
        m
        for m in _CUE.finditer(text)
        if not _of_all(m["cue"], title) and _told_of_others(m["cue"], body.replace(text, " "))
    ]
    if not found or not _STATES.search(text):
        return None
    m = random.choice(found)
    changed = (text[: m.start()] + text[m.end() :]).strip().lstrip(", ")
    changed = re.sub(r"\s+([,.;])", r"\1", changed)
    return changed[0].upper() + changed[1:] if len(changed.split()) >= 6 and _STATES.search(changed) else None


def exclusion_turned(text: str, abstract: str, random: Random) -> str | None:
    """ "Except" becomes "including", "but not in" "and also in", "without" "with"."""
    return _turned(text, random, _TURNS)


def strength(text: str, abstract: str, random: Random) -> str | None:
    """The class or strength of a recommendation, or the quality of the evidence, becomes another one."""
    return _turned(text, random, _STRENGTHS)


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "subgroup left out": subgroup_removed,
    "exclusion turned": exclusion_turned,
    "class or strength of a recommendation": strength,
}


def _content(phrase: str) -> list[str]:
    small = {"only", "especially", "particularly", "among", "patients", "those", "with", "who", "subgroup", "subset"}
    return [w[:6] for w in re.findall(r"[a-z]{4,}", phrase.lower()) if w not in small]


def _of_all(cue: str, title: str) -> bool:
    """Whether the title names the same people: then leaving them out changes little."""
    words = _content(cue)
    return not words or sum(w in title.lower() for w in words) * 2 >= len(words)


def _told_of_others(cue: str, rest: str) -> bool:
    """Whether the abstract compares: it names the other sex, or people without, or the whole."""
    return bool(
        re.search(
            r"\b(?:subgroup|overall|both (?:sexes|groups)|without|compared|controls?|versus|whereas|but not|men and women|"
            r"women and men|boys and girls|all patients|whole)\b",
            f"{cue} {rest}",
        )
    )


def _turned(text: str, random: Random, turns: tuple[tuple[str, str], ...]) -> str | None:
    found = [(m, new) for pattern, new in turns for m in re.finditer(pattern, text)]
    if not found:
        return None
    m, new = random.choice(found)
    told = m.expand(new)
    return text[: m.start()] + (told[0].upper() + told[1:] if m.start() == 0 else told) + text[m.end() :]
