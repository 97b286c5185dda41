"""What is attached to a name: the number within it (COVID-19, type 2), the dose before it (low-dose vasopressin)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import ReasonCode
from openwork_language.numbered_names import NumberedName, find_numbered_names
from openwork_language.terms import Term, find_terms, same_term

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.naming import passage_terms
from openwork_verifier.domain.passages import Passage

_OTHER_STEMS = {"il": ("interleukin",), "interleukin": ("il",), "n": ("omega",), "omega": ("n",)}
_KINDS_OF_SOMETHING = frozenset({"type", "subtype", "serotype", "genotype"})
"""Also printed with that something alone: "HPV type 18" and "HPV-18"."""
_DOSE = re.compile(
    r"\b(?P<label>(?:low|lower|high|higher|standard|reduced|full|moderate|medium)[- ](?:dose|intensity))[- ]$",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\b(?:between|versus|vs|compar\w+|than|instead|rather|differ\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumbersInNames:
    """What became of the numbers that are part of a claim's names."""

    matched: tuple[NumberedName, ...]
    """Names that the source has with these numbers, which therefore count nothing."""
    findings: tuple[Finding, ...]


def check_numbered_names(text: str, passages: Sequence[Passage]) -> NumbersInNames:
    """Findings for names whose number is not the source's: "COVID-22" of a passage on COVID-19.

    A name that no passage has with any number is a matter of wording, unless its number is broken ("type 9.4"), which
    no name's is, and stands nowhere in them.
    """
    mine = find_numbered_names(text)
    if not mine:
        return NumbersInNames((), ())
    source = "\n".join(f"{passage.item.title}.\n{passage.item.text}" for passage in passages)
    theirs: dict[str, set[str]] = {}
    for name in find_numbered_names(source):
        theirs.setdefault(name.stem, set()).update(name.numbers)
    terms = find_terms(text)
    cited = ", ".join(f"[{p.item.n}]" for p in passages)
    matched, reasons = [], []
    for name in mine:
        stems = _stems(name, text)
        numbers = set().union(*(theirs.get(stem, set()) for stem in stems))
        if all(_holds(numbers, number) or _stands_beside(stems, number, source) for number in name.ends):
            matched.append(name)
        elif _is_another(name, numbers, source, [t for t in terms if _covers(t, name)], passages):
            shown = text[name.start : name.end]
            instead = f", which has {' and '.join(sorted(numbers))}" if numbers else ""
            reasons.append(Finding(ReasonCode.NUMBER_NOT_FOUND, f"{shown!r} is not in {cited}{instead}"))
    return NumbersInNames(tuple(matched), tuple(reasons))


def _stems(name: NumberedName, text: str) -> tuple[str, ...]:
    """The name's word, what else it is called, and what it is a kind of."""
    before = re.search(r"(\w+)[\s-]*$", text[: name.start])
    kind_of = (before[1].lower(),) if before and name.stem in _KINDS_OF_SOMETHING else ()
    return (name.stem, *_OTHER_STEMS.get(name.stem, ()), *kind_of)


def _holds(numbers: set[str], number: str) -> bool:
    """Whether a number is among them; "3" is where only "3a" and "3b" are, "3b" where only "3" is."""
    core, letter = number.rstrip("abcd"), number[len(number.rstrip("abcd")) :]
    return any(other.rstrip("abcd") == core and (not letter or other in (core, number)) for other in numbers)


def _stands_beside(stems: Sequence[str], number: str, source: str) -> bool:
    """Whether the source has the number right after one of the words: "IL5", "grade ≥3", "HPV types 16 and 18"."""
    words = "|".join(map(re.escape, stems))
    item = r"[\w.]{1,6}(?:\s?[/&-]\s?|\s(?:and|or|to)\s)"
    listed = rf"[≥≤<>=\s]*(?:{item}){{0,4}}{re.escape(number)}(?![\d.]\d|\d|-?(?:day|week|month|year))"
    return re.search(rf"\b(?:{words})(?:e?s)?[\s-]*(?:types?[\s-])?{listed}", source, re.IGNORECASE) is not None


def _is_another(
    name: NumberedName, numbers: set[str], source: str, terms: Sequence[Term], passages: Sequence[Passage]
) -> bool:
    if any(_is_named(term, passages) and not _only_words(term, name) for term in terms):
        return False  # under another of its names: T2DM
    broken = [number for number in name.ends if "." in number]
    return bool(numbers) or any(number not in source for number in broken)


def _is_named(term: Term, passages: Sequence[Passage]) -> bool:
    """Whether a passage has the very concept; words alone would find "type 1 diabetes" in "type 2 diabetes"."""
    return any(_same(term, other) for p in passages for other in passage_terms(p.item.title, p.item.text))


def _covers(term: Term, name: NumberedName) -> bool:
    return term.start <= name.start and name.end <= term.end


def _only_words(term: Term, name: NumberedName) -> bool:
    """Whether the lexicon knows the term without its number, so that its being there says nothing of the number."""
    return not any(number in form for number in name.numbers for form in (term.name, *term.synonyms))


def check_labels(text: str, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """Findings for a dose that the source, where it compares two drugs of the claim, gives to the other one."""
    mine = list(_labelled(text, find_terms(text)))
    found = []
    for label, term in mine:
        for passage in passages:
            owners = [owner for s in passage.sentences for owner in _owners(s.text, label, term)]
            others = [o for o in owners if not _same(o, term) and any(_same(o, t) for t in find_terms(text))]
            if others and not any(_same(o, term) for o in owners):
                detail = f"{f'{label} {term.text}'!r}: [{passage.item.n}] says so of {others[0].text!r}"
                found.append(Finding(ReasonCode.ARMS_SWAPPED, detail))
    return tuple(found)


def _owners(sentence: str, label: str, term: Term) -> Iterator[Term]:
    """Drugs with that dose in a sentence that compares them with the claim's."""
    terms = find_terms(sentence)
    if _COMPARED.search(sentence) and any(_same(t, term) for t in terms):
        yield from (owner for found, owner in _labelled(sentence, terms) if found == label)


def _labelled(text: str, terms: Sequence[Term]) -> Iterator[tuple[str, Term]]:
    for term in terms:
        match = _DOSE.search(text[max(0, term.start - 24) : term.start]) if term.kind is EntityKind.DRUG else None
        if match:
            yield match["label"].lower().replace(" ", "-"), term


def _same(a: Term, b: Term) -> bool:
    return a.name == b.name or same_term(a.text, b.text)
