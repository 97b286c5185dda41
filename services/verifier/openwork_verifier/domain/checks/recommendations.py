"""What should be done, and how strongly: only where the source recommends it, with its class and level."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.verdict import ReasonCode

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage

_OUGHT = re.compile(
    r"\b(?:should|must|ought\s+to|is\s+recommended|are\s+recommended|recommends?|needs?\s+to\s+be|is\s+indicated|"
    r"are\s+indicated|"
    r"is\s+contraindicated|standard\s+of\s+care|first-line|first\s+choice|treatment\s+of\s+choice)\b",
    re.IGNORECASE,
)
_SOURCE_OUGHT = re.compile(
    r"\b(?:should|must|ought|recommend\w*|need(?:s|ed)?|indicated|contraindicat\w+|advis\w+|warrant\w*|"
    r"standard\s+of\s+care|standard\s+treatment|first-line|first\s+line|of\s+choice|guideline\w*|"
    r"to\s+be\s+considered)\b",
    re.IGNORECASE,
)
_TO_STUDY = re.compile(
    r"\b(?:(?:further|future|larger?|more|additional|prospective)\s+(?:\w+\s+){0,3}(?:stud\w+|research|trials?|"
    r"investigation\w*|work|evaluation|exploration)|"
    r"(?:be|is|are|deserves?)\s+(?:further\s+|worth\s+)?(?:stud\w+|investigat\w+|explor\w+|evaluated|defined|confirmed|"
    r"validated))\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|n't|never|no\s+longer|against)\b", re.IGNORECASE)
_CLASS = re.compile(
    r"\bclass\s+(?P<value>III|II[ab]?|IV|I|[1-4][ab]?)\b(?!\s+(?:heart|obes|allele|HLA|NYHA))", re.IGNORECASE
)
_LEVEL = re.compile(
    r"\b(?:level|grade)(?:\s+of\s+(?:evidence|recommendation))?\s+(?P<value>(?<!grade\s)[1-5][ab]?|[ABCD](?:-[A-Z]{1,2})?)\b"
)
_STRENGTH = re.compile(
    r"\b(?P<value>strong(?:ly)?|weak(?:ly)?|conditional(?:ly)?)\s+(?:recommend\w*|advis\w*|for\b|against\b)",
    re.IGNORECASE,
)
_CERTAINTY = re.compile(
    r"\b(?P<value>high|moderate|low|very\s+low)[\s-](?:certainty|quality|confidence)\b", re.IGNORECASE
)
_GRADES = (("class", _CLASS), ("level", _LEVEL), ("strength", _STRENGTH), ("certainty", _CERTAINTY))


def check_recommendations(text: str, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """Findings for advice that no cited passage gives, or that it gives with another class, level or strength."""
    sources = "\n".join(p.item.text for p in passages)
    where = ", ".join(f"[{p.item.n}]" for p in passages)
    findings = []
    ought = _OUGHT.search(text)
    if ought is not None and not any(_recommends(s.text) for p in passages for s in p.sentences):
        findings.append(Finding(ReasonCode.RECOMMENDATION_DIFFERS, f"{ought.group()!r}: {where} recommends nothing"))
    elif ought is not None and _turned(text, ought, sources):
        findings.append(
            Finding(ReasonCode.RECOMMENDATION_DIFFERS, f"{ought.group()!r}: {where} recommends the reverse")
        )
    for name, grade in _GRADES:
        mine = _values(grade, text)
        theirs = _values(grade, sources) if mine else set()
        if mine - theirs and theirs:
            shown = ", ".join(sorted(theirs))
            findings.append(
                Finding(
                    ReasonCode.RECOMMENDATION_DIFFERS,
                    f"{name} {', '.join(sorted(mine - theirs))!r}; {where} has {shown}",
                )
            )
    return tuple(findings)


def _recommends(sentence: str) -> bool:
    """Whether a sentence says what should be done, and not what should be studied."""
    return _SOURCE_OUGHT.search(sentence) is not None and not _TO_STUDY.search(sentence)


def _turned(text: str, ought: re.Match[str], sources: str) -> bool:
    """Whether every "should" of the sources is a "should not", and the claim's is none, or the reverse."""
    mine = _NEGATED.search(text[ought.end() : ought.end() + 12]) is not None
    theirs = [_NEGATED.search(sources[m.end() : m.end() + 12]) is not None for m in _OUGHT.finditer(sources)]
    return bool(theirs) and all(negated is not mine for negated in theirs)


def _values(grade: re.Pattern[str], text: str) -> set[str]:
    return {re.sub(r"ly$", "", " ".join(m["value"].lower().split())) for m in grade.finditer(text)}
