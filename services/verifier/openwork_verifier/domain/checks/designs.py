"""How a study was made: a claim may call it randomised, blinded or pooled only where its source does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import table

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage

_NAMES = tuple(dict.fromkeys(group.rsplit(" ", 1)[0] for group in table("design-claims").groups()))
_NOT = r"(?<!non)(?<!non-)(?<!un)(?<!not )"
_CLAIMS = {
    name: re.compile(rf"{_NOT}\b{pattern('design-claims', f'{name} claim')}(?![\w-])", re.IGNORECASE) for name in _NAMES
}
_SOURCES = {
    name: re.compile(rf"{_NOT}\b{pattern('design-claims', f'{name} source')}(?!\w)", re.IGNORECASE) for name in _NAMES
}
_OPPOSED = {"blinded": "open label", "prospective": "retrospective"}
"""Where the source calls itself the second, the first is not borne out by a loose word."""
_OTHER_STUDIES = re.compile(
    r"\b(?:further|future|larger|more|additional|needed|warranted|previous|earlier|other|subsequent|definitive)\b",
    re.IGNORECASE,
)


def check_designs(text: str, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """A finding for each kind of design that the claim names and no cited passage does."""
    sources = "\n".join(f"{p.item.title}\n{p.item.text}" for p in passages)
    where = ", ".join(f"[{p.item.n}]" for p in passages)
    findings = []
    for name, claimed in _CLAIMS.items():
        match = claimed.search(text)
        if match is None or _OTHER_STUDIES.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        if _borne_out(name, sources):
            continue
        findings.append(Finding(ReasonCode.DESIGN_DIFFERS, f"{match.group()!r}: {where} does not say so of its study"))
    return tuple(findings)


def _borne_out(name: str, sources: str) -> bool:
    opposed = _OPPOSED.get(name)
    if opposed and _CLAIMS[opposed].search(sources) and not _CLAIMS[name].search(sources):
        return False
    return any(
        not _OTHER_STUDIES.search(sources[max(0, match.start() - 40) : match.start()])
        for match in _SOURCES[name].finditer(sources)
    )
