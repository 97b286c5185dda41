"""The claims of an answer: its sentences with their citations, and which of them claim nothing about the world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_evidence.citations import cited_numbers, parse_citations, strip_citations
from openwork_knowledge.patterns import pattern
from openwork_language.effects.find import Certainty, Direction, find_effects
from openwork_language.quantities.compare import QuantityKind, find_quantities
from openwork_language.sentences import is_heading, split_sentences


def _any(group: str) -> str:
    return pattern("evidence-talk", group)


_SET = rf"{_any('set')}\b"
_ABOUT_THE_SET = (
    re.compile(
        rf"^(?:no|few|only\s+\w+|none|neither)\b[^.;]*?\b{_any('works')}\b[^.;]*?\b{_SET}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:the|this|these|our)\s+{_SET}[^.;]*?\b{_any('is_or_has')}\b[^.;]*?\b(?:{_any('lacking')}|from\s+\d)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:the|these)\s+(?:sources?|passages?|evidence|cited\s+studies)\s+(?:do|does|did)\s+not\s+"
        rf"{_any('sources_do_not')}",
        re.IGNORECASE,
    ),
    re.compile(r"^(?:we|i)\s+found\s+no\b", re.IGNORECASE),
)
_ABOUT_THE_METHOD = re.compile(
    rf"^(?:this|the)\s+(?:answer|summary|synthesis|overview|text|section|search)\s+{_any('answer_does')}\b"
    r"|^(?:we|i)\s+(?:searched|looked|screened)\b"
    r"|^(?:each|every)\s+(?:sentence|statement|claim|number)\b|^sources?\s+(?:searched|used)\b"
    r"|^(?:based\s+on|according\s+to)\s+(?:the|these)\s+(?:sources?|evidence)\s*[:.]?$"
    r"|\bnot\s+(?:medical|clinical)\s+advice\b|\bdoes\s+not\s+replace\b",
    re.IGNORECASE,
)
_ABOUT_STATUS = re.compile(
    r"the evidence found (?:"
    r"includes an? (?:retracted|withdrawn) source, which was not used|"
    r"includes a trial that did not test what was asked|"
    r"includes a preprint that is not peer reviewed|"
    r"is limited by an expression of concern about one source"
    r"): *(?P<named>.+)",
    re.IGNORECASE | re.DOTALL,
)
_NAME_AND_WHY = re.compile(
    r"(?P<name>[^()]+(?:\([^()]*\)[^()]+)*?)(?:\s*\((?P<why>[^()]*(?:\([^()]*\)[^()]*)*)\))?[\s.]*", re.DOTALL
)
# "tested blood pressure lowering", "a trial of stroke prevention": a subject, not a result.
_TOPIC = re.compile(r"(?:ing|ions?|ments?|ity)$", re.IGNORECASE)
_TITLE_WORDS = 2
"""A name of fewer words than this may begin many a title."""
_DESCRIPTION_WORDS = 30
_RESULTS = frozenset(
    {QuantityKind.EFFECT, QuantityKind.INTERVAL, QuantityKind.P_VALUE, QuantityKind.PERCENT, QuantityKind.DOSE}
)
_SIGNED = frozenset({Direction.LOWER, Direction.HIGHER, Direction.BETTER, Direction.WORSE})
_CLAUSE = re.compile(r"\b(?:but|and|that|which|who|because|so|show(?:s|ed|ing)?|suggest(?:s|ed|ing)?|proves?)\b", re.I)
_REFERENCE_LINE = re.compile(r"^\s*(?:\[\d{1,3}\]|\d{1,3}\.)\s+.*(?:\b(?:19|20)\d\d\b|doi|PMID|https?:)", re.IGNORECASE)
_REFERENCE_HEADING = re.compile(r"^[#*\s]*(?:references|sources|bibliography|citations)\b[:*\s]*$", re.IGNORECASE)
_VERBLESS_WORDS = 6
_MOST_CHARS = 600
"""Of a sentence about the set of sources; a longer one says more, and takes the patterns long."""
_STOP_AT_END = re.compile(r"[.!?]['\")\]”’*_]*$")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|`")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer."""

    text: str
    """Without citation marks and markdown emphasis."""
    citations: tuple[int, ...]
    states_something: bool
    """False for headings, method, statements about the evidence set."""


def find_claims(answer_markdown: str, titles: Sequence[str] = ()) -> tuple[Claim, ...]:
    """The sentences of an answer in order; reference lists are left out. `titles` are those of its evidence."""
    claims: list[Claim] = []
    in_references = False
    for sentence in split_sentences(answer_markdown):
        raw = sentence.text
        if is_heading(raw) or _REFERENCE_HEADING.match(raw):
            in_references = bool(_REFERENCE_HEADING.match(raw))
            claims.append(Claim(raw.strip("#*: \t"), (), states_something=False))
            continue
        if in_references or _is_reference(raw):
            continue
        claims.append(_claim(raw, titles))
    return _joined(claims)


def _claim(raw: str, titles: Sequence[str]) -> Claim:
    text = " ".join(_MARKDOWN.sub("", strip_citations(raw)).split())
    citations = cited_numbers(raw)
    return Claim(text, citations, states_something=states_something(text, citations, titles))


def _joined(claims: list[Claim]) -> tuple[Claim, ...]:
    """A line of nothing but marks gives its citations to the sentence before it."""
    kept: list[Claim] = []
    for claim in claims:
        if not re.search(r"\w", claim.text):
            if claim.citations and kept and kept[-1].states_something:
                merged = tuple(dict.fromkeys(kept[-1].citations + claim.citations))
                kept[-1] = Claim(kept[-1].text, merged, states_something=True)
            continue
        kept.append(claim)
    return tuple(kept)


def states_something(text: str, citations: tuple[int, ...] = (), titles: Sequence[str] = ()) -> bool:
    """Whether a sentence claims something about the world that evidence could bear out.

    Args:
        titles: of the evidence; to name a source by its title is to claim nothing, whatever the title says.
    """
    bare = text.strip()
    if not re.search(r"[^\W\d_]", bare) or bare.endswith("?"):
        return False
    if bare.endswith(":") and not citations:
        return False
    if (
        not citations
        and len(bare.split()) <= _VERBLESS_WORDS
        and not _STOP_AT_END.search(bare)
        and not re.search(r"\d", bare)
    ):
        return False
    status = _ABOUT_STATUS.fullmatch(bare)
    if status:
        return not _only_names(status["named"], titles)
    # With a citation such words are the source's own about what it found: they are held against it.
    nothing = (not citations and _speaks_of_the_set(bare)) or _ABOUT_THE_METHOD.search(bare)
    return not nothing or _asserts(bare)


def is_about_the_set(text: str, titles: Sequence[str] = ()) -> bool:
    """Whether a sentence says something of the sources as a set and nothing of the world.

    Args:
        titles: of the evidence, by which a sentence may name a source.
    """
    bare = text.strip()
    status = _ABOUT_STATUS.fullmatch(bare)
    if status:
        return _only_names(status["named"], titles)
    return _speaks_of_the_set(bare) and not _asserts(bare)


def _speaks_of_the_set(text: str) -> bool:
    return len(text) <= _MOST_CHARS and any(about.search(text) for about in _ABOUT_THE_SET)


def _only_names(named: str, titles: Sequence[str]) -> bool:
    """Whether the words are (the beginning of) a title of the evidence, or a short description without a result."""
    parted = _NAME_AND_WHY.fullmatch(named.strip())
    if parted is None:
        return False
    name, why = _bare(parted["name"]), parted["why"] or ""
    is_title = len(name.split()) >= _TITLE_WORDS and any(_bare(title).startswith(name) for title in titles)
    return all(
        len(part.split()) <= _DESCRIPTION_WORDS and not _has_result(part)
        for part in (why, "" if is_title else parted["name"])
    )


def _bare(title: str) -> str:
    """A title as its words, to compare."""
    return " ".join(re.findall(r"\w+", title.casefold()))


def _has_result(text: str) -> bool:
    """Whether words carry a figure or say which way something goes."""
    return any(quantity.kind in _RESULTS for quantity in find_quantities(text)) or any(
        effect.net is not Direction.DIFFERENT and not _TOPIC.search(text[effect.start : effect.end])
        for effect in find_effects(text)
    )


def _asserts(text: str) -> bool:
    """Whether a sentence, whatever it opens with, carries a figure or says in a later clause what something does."""
    if any(quantity.kind in _RESULTS for quantity in find_quantities(text)):
        return True
    clause = _CLAUSE.search(text)
    return clause is not None and any(
        effect.start > clause.start() and not effect.negated and effect.direction in _SIGNED
        for effect in find_effects(text)
        if effect.certainty is not Certainty.OPEN
    )


def _is_reference(raw: str) -> bool:
    marks = parse_citations(raw)
    return bool(marks) and marks[0].start == 0 and bool(_REFERENCE_LINE.match(raw)) and len(raw.split()) > 4
