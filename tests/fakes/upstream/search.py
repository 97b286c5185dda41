"""One small Boolean engine for all query languages: PubMed's [field] tags, Europe PMC's FIELD: prefixes, plain words.

It does what the adapters' queries need: AND, OR, NOT, brackets, phrases, fields. Words side by side are all required.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from tests.fakes.upstream.corpus import Work, plain

Match = Callable[[Work], float]
"""How often a work matches; 0 = not at all."""

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>\() | (?P<close>\)) | (?P<op>AND\b|OR\b|NOT\b|\||\+)
      | (?:(?P<prefix>[A-Za-z_.]+):)?
        (?: (?P<several>[^\s()"\[\]|+:]+(?:\s+(?!(?:AND|OR|NOT)\b)[^\s()"\[\]|+:]+)+)(?=\[[^\]]*\])
          | \[(?P<low>\S+)\s+TO\s+(?P<high>[^\]\s]+)\] | "(?P<phrase>[^"]*)" | (?P<word>[^\s()"\[\]|+]+) )
        (?:\[(?P<tag>[^\]]*)\])?
    )""",
    re.VERBOSE,
)
_COMMON = frozenset(("does", "from", "have", "versus", "what", "when", "which", "with", "patients"))
_SUBSETS: dict[str, Callable[[Work], bool]] = {
    "cochrane": lambda work: "cochrane" in (work.journal or "").lower(),
    "systematic": lambda work: "systematic review" in work.type_text or "meta analysis" in work.type_text,
    "pubmed books": lambda work: False,
}


_IDENTIFIERS: dict[str, Callable[[Work], str | None]] = {
    "ext_id": lambda work: work.pmid,
    "src": lambda work: "MED" if work.pmid else "AGR",
    "pmcid": lambda work: work.pmcid,
    "doi": lambda work: work.doi,
}
"""Europe PMC's fields that are the whole of something, in whatever case."""


@dataclass(frozen=True)
class Term:
    """One word, phrase or range with its field."""

    text: str
    field: str
    high: str | None = None

    def __call__(self, work: Work) -> float:
        field, text = self.field.lower(), _words(self.text)
        if identifier := _IDENTIFIERS.get(field):
            return float((identifier(work) or "").lower() == self.text.lower())
        if self.high is not None or field in ("dp", "pdat", "pub_year"):
            return float(self._in_range(work))
        if field in ("pt", "pub_type", "publication type"):
            return float(text.strip() in work.type_text)
        if field in ("sb", "filter", "subset"):
            known = _SUBSETS.get(self.text.lower())
            return float(known(work) if known else text.strip() in work.type_text)
        if field in ("la", "lang", "sh"):
            return float(field != "la" or text == " english ")
        if field in ("cn", "au", "auth"):
            return float(text in plain(f"{work.collective_author or ''} {' '.join(work.authors)}"))
        if field in ("open_access",):
            return float(work.pmcid is not None)
        if field in ("mh", "nm") and text in (" humans ", " animals "):
            return float(text == " humans ")
        return float(_count(text, work))

    def _in_range(self, work: Work) -> bool:
        low, _, high = (self.text, "", self.high) if self.high else self.text.partition(":")
        bounds = [int(match[0]) if (match := re.match(r"\d{4}", part or "")) else None for part in (low, high or low)]
        if work.year is None or None in bounds:
            return work.year is not None
        return bounds[0] <= work.year <= bounds[1]  # type: ignore[operator]


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    return plain(text)


def _count(text: str, work: Work) -> int:
    """Occurrences of a phrase, also in the plural."""
    *before, last = text.split() or [""]
    if not work.words.issuperset(before) or not (last in work.words or f"{last}s" in work.words):
        return 0  # most works: a look at their words is a hundredth of a look through their text
    return work.text.count(text) + work.text.count(f"{text.rstrip()}s ")


@dataclass
class Parsed:
    """A query as the engine reads it."""

    match: Match
    terms: list[Term]

    def find(self, works: Iterable[Work]) -> list[Work]:
        """Matching works, best first."""
        scored = [(self.match(work), work) for work in works]
        return [work for score, work in sorted(scored, key=lambda pair: -pair[0]) if score > 0]


def parse(query: str) -> Parsed:
    """Read a query; what cannot be read is left out, as the real engines do."""
    tokens = [match for match in _TOKEN.finditer(query) if match[0].strip()]
    terms: list[Term] = []
    match, _ = _either(tokens, 0, terms)
    return Parsed(match or (lambda work: 0.0), terms)


def _either(tokens: list[re.Match[str]], at: int, terms: list[Term]) -> tuple[Match | None, int]:
    """AND and OR at one level, read from left to right as PubMed does."""
    current: Match | None = None
    op = "AND"
    while at < len(tokens) and not tokens[at]["close"]:
        token = tokens[at]
        if token["op"]:
            op = {"|": "OR", "+": "AND"}.get(token["op"], token["op"])
            at += 1
            continue
        operand: Match | None
        if token["open"]:
            operand, at = _either(tokens, at + 1, terms)
            at += 1
        else:
            operand = _term(token)
            if isinstance(operand, Term):
                terms.append(operand)
            at += 1
        if operand is not None:
            current = operand if current is None and op != "NOT" else _combine(op, current, operand)
        op = "AND"
    return current, at


def _combine(op: str, left: Match | None, right: Match) -> Match:
    before = left or (lambda work: 1.0)
    if op == "OR":
        return lambda work: before(work) + right(work)
    if op == "NOT":
        return lambda work: matched if (matched := before(work)) and not right(work) else 0.0
    return lambda work: _both(before(work), right, work)


def _both(left: float, right: Match, work: Work) -> float:
    """A side that does not match is the end: the other is not asked."""
    return left + matched if left and (matched := right(work)) else 0.0


def _term(token: re.Match[str]) -> Term | None:
    if token["low"]:
        return Term(token["low"], token["prefix"] or "pub_year", token["high"])
    text = token["several"] or (token["phrase"] if token["phrase"] is not None else token["word"])
    return Term(text, token["tag"] or token["prefix"] or "") if plain(text).strip() else None


def any_words(query: str, works: Iterable[Work]) -> list[Work]:
    """For engines that rank by relevance: works with at least half of the telling words, best first."""
    words = [word for word in dict.fromkeys(plain(query).split()) if len(word) > 3 and word not in _COMMON]
    scored = []
    for work in works:
        hits = sum(f" {word} " in work.text for word in words)
        if hits * 2 >= len(words) and hits:
            scored.append((hits, work))
    return [work for _, work in sorted(scored, key=lambda pair: -pair[0])]
