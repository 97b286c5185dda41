"""What is attached to a name: the number within it (COVID-19, type 2), and the dose or route before it (low-dose X)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import ReasonCode, VerdictReason
from openwork_language.numbered_names import NumberedName, find_numbered_names
from openwork_language.terms import Term, find_terms, same_term

from openwork_verifier.naming import passage_terms
from openwork_verifier.passages import Passage

_BEFORE_A_DRUG = re.compile(
    r"\b(?P<label>(?:low|lower|high|higher|standard|reduced|full|moderate|medium)[- ](?:dose|intensity)|oral|"
    r"intravenous|inhaled|topical|subcutaneous|intramuscular|intranasal|extended-release|sustained-release|long-acting|short-acting|"
    r"open-label|adjusted-dose|intensive|conservative)[- ]$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NumbersInNames:
    """What became of the numbers that are part of a claim's names."""

    held: tuple[NumberedName, ...]
    """Names that the source has with these numbers, which therefore count nothing."""
    reasons: tuple[VerdictReason, ...]


def check_numbered_names(text: str, passages: Sequence[Passage]) -> NumbersInNames:
    """Findings for names whose number is not the source's: "COVID-22" of a passage on COVID-19.

    A name that no passage has with any number is a matter of wording, unless its number is broken ("type 9.4"), which
    no name's is.
    """
    mine = find_numbered_names(text)
    theirs: dict[str, set[str]] = {}
    for passage in passages if mine else ():
        for name in find_numbered_names(f"{passage.item.title}.\n{passage.item.text}"):
            theirs.setdefault(name.stem, set()).update(name.numbers)
    terms = find_terms(text)
    cited = ", ".join(f"[{p.item.n}]" for p in passages)
    return NumbersInNames(
        tuple(name for name in mine if name.numbers <= theirs.get(name.stem, set())),
        tuple(
            VerdictReason(
                code=ReasonCode.NUMBER_NOT_FOUND,
                detail=f"{text[name.start : name.end]!r} is not in {cited}" + _instead(theirs.get(name.stem)),
            )
            for name in mine
            if _is_another(name, theirs.get(name.stem), [t for t in terms if _covers(t, name)], passages)
        ),
    )


def _is_another(
    name: NumberedName, numbers: set[str] | None, terms: Sequence[Term], passages: Sequence[Passage]
) -> bool:
    if numbers is not None and name.numbers <= numbers:
        return False
    if any(_is_named(term, passages) and not _only_words(term, name) for term in terms):
        return False  # under another of its names: T2DM
    return numbers is not None or any("." in number for number in name.numbers)


def _is_named(term: Term, passages: Sequence[Passage]) -> bool:
    """Whether a passage has the very concept; words alone would find "type 1 diabetes" in "type 2 diabetes"."""
    return any(_same(term, other) for p in passages for other in passage_terms(p.item.title, p.item.text))


def _covers(term: Term, name: NumberedName) -> bool:
    return term.start <= name.start and name.end <= term.end


def _only_words(term: Term, name: NumberedName) -> bool:
    """Whether the lexicon knows the term without its number, so that its being there says nothing of the number."""
    return not any(number in form for number in name.numbers for form in (term.name, *term.synonyms))


def _instead(numbers: set[str] | None) -> str:
    return f", which has {' and '.join(sorted(numbers))}" if numbers else ""


def check_labels(text: str, passages: Sequence[Passage]) -> tuple[VerdictReason, ...]:
    """Findings for a dose or route that the source gives to the other of two drugs that the claim names."""
    terms = [t for t in find_terms(text) if t.kind is EntityKind.DRUG]
    mine = list(_labelled(text, terms))
    if not mine or len(terms) < 2:
        return ()
    theirs: dict[str, list[Term]] = {}
    for passage in passages:
        source = f"{passage.item.title}.\n{passage.item.text}"
        for label, term in _labelled(source, find_terms(source)):
            theirs.setdefault(label, []).append(term)
    found = []
    for label, term in mine:
        owners = theirs.get(label, [])
        others = [t for t in terms if not _same(t, term)]
        if owners and not any(_same(o, term) for o in owners) and any(_same(o, t) for o in owners for t in others):
            detail = f"{f'{label} {term.text}'!r}: the source says so of {owners[0].text!r}"
            found.append(VerdictReason(code=ReasonCode.ARMS_SWAPPED, detail=detail))
    return tuple(found)


def _labelled(text: str, terms: Sequence[Term]) -> Iterator[tuple[str, Term]]:
    for term in terms:
        match = _BEFORE_A_DRUG.search(text[max(0, term.start - 24) : term.start])
        if match:
            yield match["label"].lower().replace(" ", "-"), term


def _same(a: Term, b: Term) -> bool:
    return a.name == b.name or same_term(a.text, b.text)
