"""Whom a result is about: exclusions turned round or lost, "non-X" told as X, a subgroup told as everybody."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.verdict import ReasonCode
from openwork_language.tokens import fold
from openwork_language.wording import concepts, is_common

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.naming import as_printed
from openwork_verifier.domain.passages import Passage, PassageSentence
from openwork_verifier.domain.support import Support

_OUT = re.compile(
    r"(?<!with and )(?<!with or )\b(?:except(?:\s+for|ing)?|excluding|excluded|other\s+than|apart\s+from|aside\s+from|"
    r"without|free\s+of|but\s+not(?:\s+(?:in|for|among|with))?|"
    r"not\s+including|not\s+(?:in|among|for)|never|no\s+history\s+of|with\s+the\s+exception\s+of|unless|only\s+not|"
    r"nor)\s+(?P<what>(?:[\w-]+\s?){1,8})",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:with\s+or\s+without|whether\s+or\s+not|regardless\s+of|irrespective\s+of|no\s+matter\s+whether|including|"
    r"among\s+them|"
    r"included|even\s+(?:in|among|those\s+with))\s+(?P<what>(?:[\w-]+\s?){1,4})|"
    r"(?P<before>(?:[\w-]+\s){1,8})(?:among\s+them|included\b)",
    re.IGNORECASE,
)
_TELLS_AN_EFFECT = re.compile(
    r"(?:an?\s+|any\s+)?(?:significant\s+)?(?:higher|lower|greater|increas\w+|reduc\w+|decreas\w+|excess|loss|change|effect)\b",
    re.IGNORECASE,
)
_NON = re.compile(r"\b(?:non|un)-?(?P<what>[a-z]{4,})", re.IGNORECASE)


def check_scope(text: str, passages: Sequence[Passage], support: Support) -> tuple[Finding, ...]:
    """Findings for exclusions, inclusions and restrictions that differ from the supporting sentences'."""
    near = [(s.passage, s.sentence) for s in support.ranked[:5]]
    found = _exclusion_turned(text, near) or _exclusion_lost(text, near) or _negated_kind(text, near, passages)
    return () if found is None else (found,)


def _specific(words: str) -> frozenset[str]:
    return frozenset(w for w in concepts(words) if not is_common(w) and len(w) > 2)


def _exclusion_turned(text: str, near: Sequence[tuple[Passage, PassageSentence]]) -> Finding | None:
    """The claim leaves out what the source takes in, or takes in what the source leaves out."""
    theirs_out = [(p, s, _specific(m["what"])) for p, s in near for m in _OUT.finditer(s.text)]
    for match in _IN.finditer(text):
        what = _specific(match["what"] or match["before"] or "")
        for passage, sentence, out in theirs_out:
            if (what & out) - _specific(_OUT.sub(" ", sentence.text)):
                return _changed(f"{match.group().strip()!r}", passage, sentence)
    return None


def _exclusion_lost(text: str, near: Sequence[tuple[Passage, PassageSentence]]) -> Finding | None:
    """The source excludes something that the claim names as included."""
    mine_out = frozenset().union(*(_specific(m["what"]) for m in _OUT.finditer(text)))
    mine = _specific(_OUT.sub(" ", text))
    for passage, sentence in near[:2]:
        inside = _specific(_OUT.sub(" ", sentence.text))
        for match in _OUT.finditer(sentence.text):
            # "Without a higher rate of bleeding" leaves nobody out.
            out = frozenset() if _TELLS_AN_EFFECT.match(match["what"]) else _specific(match["what"])
            named = {w for w in out & mine if rarity(w) > 0.6}
            if named and not out & mine_out and not named & inside and not re.search(r"\bnot?\b|n't|\bno\b", text):
                return _changed(
                    f"{as_printed(named, text)!r}, of which it says {match.group().strip()!r}", passage, sentence
                )
    return None


def _negated_kind(
    text: str, near: Sequence[tuple[Passage, PassageSentence]], passages: Sequence[Passage]
) -> Finding | None:
    """ "Non-depressed" told as "depressed"."""
    mine, folded = {fold(m["what"]) for m in _NON.finditer(text)}, fold(text)
    for passage, sentence in near:
        for match in _NON.finditer(sentence.text):
            what = fold(match["what"])
            if what in mine or what.startswith("signific") or not re.search(rf"(?<![\w-]){re.escape(what)}", folded):
                continue
            plain = re.compile(rf"(?<!non)(?<!non-)(?<!un)(?<!un-)\b{re.escape(what)}")
            if not any(plain.search(p.folded) for p in passages):
                return _changed(f"{what!r}, where it says {match.group()!r}", passage, sentence)
    return None


def _changed(what: str, passage: Passage, sentence: PassageSentence) -> Finding:
    detail = f"who is meant differs from [{passage.item.n}]: {what}"
    return Finding(ReasonCode.SCOPE_CHANGED, detail, passage=passage, sentence=sentence)
