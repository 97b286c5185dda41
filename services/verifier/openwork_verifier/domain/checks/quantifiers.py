"""How many of a group: "all", "none", "most" and "few" need words or figures of the source that say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.patterns import pattern
from openwork_language.quantities.compare import QuantityKind, find_quantities

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.support import Support

_K = QuantityKind
_WORDS = {
    name: re.compile(rf"\b{pattern('quantifiers', name)}\b", re.IGNORECASE) for name in ("all", "none", "most", "few")
}
_IDIOMS = (
    r"(?:nearly|almost|virtually|not|practically)\s+all|at\s+all|all-cause|all\s+cause|overall|above\s+all|"
    r"after\s+all|not\s+all|all\s+but|in\s+all\b|each\s+other|(?:the|a)\s+most|"
    r"most\s+(?:common|frequent|important|likely|recent|effective|often|severe|twisted|rotated|of\s+all)\w*|at\s+most|"
    r"all\s+(?:\w+\s+)?(?:P|p)\s?[<=>]|both\s+(?:P|p)\b"
)
_SUPERLATIVES = (
    r"(?:mattered|felt|used|counted|benefited|gained|rose|fell|liked|preferred)\s+most|most\s+(?:by|for|in|when|among|from)|"
    r"most\s+\w+ly(?=\s+(?:at|in|with|by|for|when|among|on)\b|\s*[,.;])|"
    r"(?:\w+est|most\s+\w+|first|last|only)\s+(?:\w+\s+){0,2}of\s+all"
)
_COUNTED = (
    r"(?:every|each|all)\s+(?:added|additional|extra|further|successive|new)|every\s+one\s+of\s+(?:the\s+)?\d+|"
    r"every\s+(?:\d|other|one\s+of)|each\s+(?:day|week|month|year|"
    r"hour|time|additional|unit)|"
    r"every\s+(?:day|week|month|year|hour|time|two|three|four|six|eight|twelve)|no\s+one\s+(?:of|size)|"
    r"(?:out\s+)?of\s+(?:the\s+)?every|whole\s+(?:blood|brain|body|grain|genome)|"
    r"entire\s+cohort|few(?:er)?\s+than|a\s+few"
)
_NO_QUANTIFIER = re.compile(rf"\b(?:{_IDIOMS}|{_SUPERLATIVES}|{_COUNTED})\b", re.IGNORECASE)
_HALF = Decimal(50)
_SUPPORTING = 4


def check_quantifiers(text: str, passages: Sequence[Passage], support: Support) -> tuple[Finding, ...]:
    """A finding where a claim widens "some" to "all" or "most", or narrows "many" to "few"."""
    bare = _NO_QUANTIFIER.sub(" ", text)
    near = [scored.sentence.text for scored in support.ranked[:_SUPPORTING]]
    sources = " ".join(near)
    everything = " ".join(p.item.text for p in passages)
    shares = [share for sentence in near[:1] for share in _shares(sentence)]
    for name, found in _WORDS.items():
        match = found.search(bare)
        if match is None or _WORDS[name].search(_NO_QUANTIFIER.sub(" ", sources)) or _said_in_figures(name, shares):
            continue
        if name == "none" and re.search(r"\b(?:no|not|without|never|un\w+ed)\b", sources, re.IGNORECASE):
            continue
        if name in {"all", "none"} and match.group().lower() in {"both", "each", "whole", "entire"}:
            continue
        if (
            name == "all"
            and re.search(r"\b(?:all|every|each|none|no)\b", everything, re.IGNORECASE)
            and _is_loose(bare, match)
        ):
            continue
        best = support.ranked[0] if support.ranked else None
        return (
            Finding(
                ReasonCode.QUANTIFIER_CHANGED,
                f"{match.group()!r}: the cited sentences do not say so",
                passage=best.passage if best else None,
                sentence=best.sentence if best else None,
            ),
        )
    return ()


def _is_loose(text: str, match: re.Match[str]) -> bool:
    """ "All measures", "all three groups": of things the writer has listed, not of people."""
    return (
        re.match(
            r"\s+(?:three|four|five|six|seven|eight|other|these|those|of\s+them|measures|outcomes)\b",
            text[match.end() :],
        )
        is not None
    )


def _shares(sentence: str) -> list[Decimal]:
    found = []
    for quantity in find_quantities(sentence):
        if quantity.kind is _K.PERCENT and quantity.high is None:
            found.append(quantity.value)
        elif quantity.kind is _K.FRACTION and quantity.total:
            found.append(100 * quantity.value / quantity.total)
    return found


def _said_in_figures(name: str, shares: Sequence[Decimal]) -> bool:
    match name:
        case "all":
            return any(share >= 100 for share in shares)
        case "none":
            return any(share == 0 for share in shares)
        case "most":
            return any(share > _HALF for share in shares)
        case _:
            return any(share < _HALF for share in shares)
