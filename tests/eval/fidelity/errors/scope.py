"""For whom something holds: subgroups, exclusions; and how strongly it is recommended, on what evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_PEOPLE = r"(?:patients|women|men|children|participants|subjects|individuals|people|those|adults|males|females|smokers)"
_SORTS = (
    r"(?:elderly|older|younger|hypertensive|diabetic|obese|postmenopausal|premenopausal|male|female|black|white|"
    r"high-risk|low-risk|severe\w*|mild\w*)"
)
_SEXES = r"(?:women|men|males|females|boys|girls|smokers|non-?smokers|non-?users)"
_CUE = re.compile(
    rf"(?<!and)(?<!than)(?<!or)(?<!but)(?<!both)(?<!as)(?<!not),? \b(?P<cue>(?:only |especially |particularly )?"
    rf"(?:in|among|for) (?:the |a )?(?:sub(?:group|set)s? of [^,;.()]{{3,60}}|"
    rf"{_PEOPLE} (?:who|with|aged|older|younger|over|under|whose)\b[^,;.()]{{3,70}}|"
    rf"{_SORTS} {_PEOPLE}|{_SEXES}))(?=[,;] |\.$| \((?:[Pp]|OR|RR|HR|odds|hazard|\d))"
)
# What is left would not be a sentence: "than was observed [in women]", "and 29 [in women]".
_LEANS = re.compile(r"(?:\bthan\b[^,;]{0,40}|\b(?:also|and [\d.%]+|observed|seen|found|effect|exists|that|those))$")
_STATES = re.compile(
    r"\b(?:reduc|increas|decreas|lower|higher|associat|improv|risk|effective|benefit|differ|greater|predict)\w*"
)
_TURNS: tuple[tuple[str, str], ...] = (
    (r"\b(?:except|excepting)(?: for| in)?\b", "including"),
    (r"\bwith the exception of\b", "including"),
    (r",? but not (?=(?:in|with|for|by|to|of|on|at|among|the|a)\b)", " and also "),
    (r"\bexcluding\b", "including"),
    (r"\bwere excluded\b", "were included"),
    (r"(?<!with or )(?<!with and )\bwithout (?=(?:a |any |the )?(?:history|previous|prior|known|diabetes|disease|"
     r"evidence|hypertension|\w+ (?:disease|failure|infarction|infection|disorder|cancer)))", "with "),
    (r"\b(?:patients|women|men|children|subjects|individuals|those) without\b", "patients with"),
    (r"\bnon-?smokers\b", "smokers"),
    (r"\bnondiabetic\b|\bnon-diabetic\b", "diabetic"),
    (r"\bnot (receiving|taking|treated with|using|on|exposed to|requiring)\b", r"\1"),
    (r"(?<!not )\b(?:only|exclusively) in (?=patients|women|men|children|the|those|subjects)", "also outside "),
    (r"\b(?:un|non-?)treated patients\b", "treated patients"),
    (r"\bfree of\b", "with"),
    (r"\bother than\b", "including"),
    (r"\bindependent(?:ly)? of\b", "dependent on"),
    (r"\brather than\b", "as well as"),
)  # fmt: skip
_RATED = re.compile(r"\b(?:recommend\w*|guidelines?|statement|consensus)\b")
_CLASSES: tuple[tuple[str, str], ...] = (
    (r"\b[Cc]lass (?:IIa|IIb|II|2a|2b|III|3)\b", "class I"),
    (r"\b[Cc]lass (?:I|1)\b", "class III"),
    (r"\b[Ll]evel (?:of evidence )?(?:B|C)\b", "level A"),
    (r"\b[Ll]evel (?:of evidence )?A\b", "level C"),
    (r"\b[Gg]rade (?:B|C|D|2[A-C])\b", "grade A"),
)
_STRENGTHS: tuple[tuple[str, str], ...] = (
    (r"\b(?:weak|conditional) recommendation", "strong recommendation"),
    (r"\b[Ss]trong recommendation", "weak recommendation"),
    (r"\bstrongly recommend", "conditionally recommend"),
    (r"\bconditionally recommend", "strongly recommend"),
    (r"\b(?:very[ -])?low[ -](quality|certainty)(?= (?:of )?(?:the )?evidence)", r"high-\1"),
    (r"\bmoderate[ -](quality|certainty)(?= (?:of )?(?:the )?evidence)", r"high-\1"),
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
    found = list(_CUE.finditer(text))
    if len(found) != 1 or not _STATES.search(text):  # of two subgroups each bears its own result
        return None
    m = found[0]
    if _LEANS.search(text[: m.start()]) or re.search(r"\b(?:whether|respectively)\b", text):
        return None
    if _of_all(m["cue"], title) or not _told_of_others(m["cue"], body.replace(text, " ")):
        return None
    changed = (text[: m.start()] + text[m.end() :]).strip().lstrip(", ")
    changed = re.sub(r"\s+([,.;])", r"\1", changed)
    return changed[0].upper() + changed[1:] if len(changed.split()) >= 6 and _STATES.search(changed) else None


def exclusion_turned(text: str, abstract: str, random: Random) -> str | None:
    """ "Except" becomes "including", "but not in" "and also in", "without" "with"."""
    return _turned(text, random, _TURNS)


def strength(text: str, abstract: str, random: Random) -> str | None:
    """The class or strength of a recommendation, or the quality of the evidence, becomes another one."""
    if re.search(r"\b(?:no|nor|which|whether)\b", text):  # "no test is recommended" would be denied twice
        return None
    return _turned(text, random, (*_STRENGTHS, *(_CLASSES if _RATED.search(text) else ())))


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
    """Whether the abstract has others too: the other sex, people without, the whole; or the cue says "only"."""
    if cue.startswith("only"):
        return True
    others = (
        r"without|overall|whole|total|all (?:patients|subjects|participants|women|men)|subgroups?|subsets?|non-?\w+"
    )
    if re.search(rf"\b{_SEXES}$", cue):
        others = r"(?:wo)?men and (?:wo)?men|boys|girls|both sexes|males|females|smokers|overall"
    return bool(re.search(rf"\b(?:{others})\b", rest))


def _turned(text: str, random: Random, turns: tuple[tuple[str, str], ...]) -> str | None:
    found = [(m, new) for pattern, new in turns for m in re.finditer(pattern, text)]
    if not found:
        return None
    m, new = random.choice(found)
    told = m.expand(new)
    return text[: m.start()] + (told[0].upper() + told[1:] if m.start() == 0 else told) + text[m.end() :]
