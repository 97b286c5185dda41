"""What every query form needs from a question: its concepts with their other names, and the words left over."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from openwork_contracts.question import EntityKind, QuestionAnalysis
from openwork_knowledge.tables import words

MAX_TERMS = 10
"""Most names of one concept in a query: the best known come first, and the rest hardly add records."""
MAX_FOCUS_WORDS = 3
"""Every further word that has to occur loses records: of 204 BioASQ questions, the words
alone match some of the evidence of 79 % with two words, of 73 % with three, of 65 % with four."""
MIN_SHORT_FORM_CHARS = 3
"""A synonym of one or two letters means something else in most records ("AF", "MS"); the asker's own word is kept."""

_WORD = re.compile(r"[A-Za-zÀ-ɏͰ-Ͽ0-9][A-Za-zÀ-ɏͰ-Ͽ0-9'’+/-]*")
_SPECIAL = re.compile(r"[\"\[\]{}()*?:^~\\|&!<>=;]+")

# Words of asking, of grammar and of research in general: they tell nothing about which record is meant.
_STOPWORDS = frozenset(words("stop_words", "search"))


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing a question is about, under every name that may stand in a record."""

    kind: EntityKind
    name: str
    terms: tuple[str, ...]
    """Preferred name first, then the asker's words, then synonyms; cleaned of search syntax."""
    mesh_id: str | None = None

    @property
    def spoken(self) -> str:
        """The best known name in the order of words in which it is said: not "Sleep Apnea, Obstructive"."""
        return next((term for term in self.terms if "," not in term), self.terms[0])


def concepts(analysis: QuestionAnalysis) -> tuple[Concept, ...]:
    """The question's entities, each once, drugs and procedures before diseases: the rarer one narrows more."""
    found: dict[str, Concept] = {}
    for entity in analysis.entities:
        names = (entity.name, entity.text, *(s for s in entity.synonyms if len(s) >= MIN_SHORT_FORM_CHARS))
        terms = _distinct(clean_term(name) for name in names)[:MAX_TERMS]
        key = entity.mesh_id or entity.name.lower()
        if terms and key not in found:
            found[key] = Concept(entity.kind, entity.name, terms, entity.mesh_id)
    return tuple(sorted(found.values(), key=lambda concept: concept.kind == EntityKind.DISEASE))


def focus_words(text: str, known: tuple[Concept, ...], most: int = MAX_FOCUS_WORDS) -> tuple[str, ...]:
    """The (at most `most`) most telling words of a wording that no concept covers, in their order."""
    rest = f" {text} "
    for term in sorted((term for concept in known for term in concept.terms), key=len, reverse=True):
        rest = re.sub(rf"(?<![\w-]){re.escape(term)}(?:e?s)?(?![\w-])", " ", rest, flags=re.IGNORECASE)
    left = (word.strip("'’-/") for word in _WORD.findall(clean_term(rest)))
    telling = _distinct(w for w in left if len(w) > 2 and w.lower() not in _STOPWORDS and not w.isdigit())
    kept = sorted(telling, key=_commonness)[:most]
    return tuple(word for word in telling if word in kept)


def _commonness(word: str) -> tuple[bool, int]:
    """Names with digits or inner capitals (GC1118, PrEP) are rarest, then long words: a rough guide."""
    named = any(letter.isdigit() or letter.isupper() for letter in word[1:])
    return not named, -len(word)


def plain_query(analysis: QuestionAnalysis) -> str:
    """The question's concepts and telling words as plain words, for engines that rank by themselves."""
    known = concepts(analysis)
    spoken = (*(concept.spoken for concept in known), *focus_words(analysis.question, known))
    return " ".join(spoken) or clean_term(analysis.question)


def boolean_query(analysis: QuestionAnalysis, max_terms: int = 5) -> str:
    """`("a" OR "b") AND ("c")`: the form that OpenAlex and web engines read; plain words without an entity."""
    known = concepts(analysis)
    if not known:
        return plain_query(analysis)
    groups = (" OR ".join(f'"{term}"' for term in concept.terms[:max_terms]) for concept in known)
    return " AND ".join(f"({group})" for group in groups)


def clean_term(text: str) -> str:
    """A term without anything that a search engine would read as syntax: quotes, brackets, operators, wildcards."""
    bare = _SPECIAL.sub(" ", text)
    # Upper-case AND, OR and NOT are operators nearly everywhere.
    plain = (word.lower() if word in ("AND", "OR", "NOT", "TO") else word for word in bare.split())
    return " ".join(plain).strip(" ,.-")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for text in texts:
        if text:
            seen.setdefault(text.lower(), text)
    return tuple(seen.values())
