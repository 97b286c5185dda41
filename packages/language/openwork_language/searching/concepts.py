"""What is looked for under all its names: an entity of the question, a group of people, a country, or plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from openwork_contracts.question import Entity, EntityKind
from openwork_contracts.strategy import Heading, HeadingKind, SearchConcept, SearchTerm, TermKind
from openwork_knowledge import mesh
from openwork_knowledge.classes import DrugClass, class_named, classes_of
from openwork_knowledge.folding import is_acronym
from openwork_knowledge.lexicon import brand_table, lexicon
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table

from openwork_language.searching.polarity import is_absent_at
from openwork_language.searching.spellings import spellings
from openwork_language.terms import class_members, same_term

MAX_NAMES = 12
"""Synonyms of one thing, the best known first; the rest hardly add records."""
MAX_NARROWER = 60
"""Narrower concepts of one; what has more of them ("Neoplasms") is too wide for its kinds to be listed."""
MAX_CLASSES = 2
"""Classes of a drug that a broad search adds, the narrowest first: ACE inhibitors, not "antihypertensives"."""
MIN_SHORT_FORM_CHARS = 3
"""A synonym of one or two letters means something else in most records ("AF", "MS"); the asker's own word is kept."""
_SPECIAL = re.compile(r"[\"\[\]{}()*?:^~\\|&!<>=;]+")

_FORMULA = re.compile(r"[a-z][A-Z]")
_HYPHENS = re.compile(r"[\u2010-\u2015]")


def clean_term(text: str) -> str:
    """A name without anything that an engine would read as syntax: quotes, brackets, operators, wildcards."""
    bare = _SPECIAL.sub(" ", _HYPHENS.sub("-", text))
    # Upper-case AND, OR and NOT are operators nearly everywhere.
    plain = (word.lower() if word in ("AND", "OR", "NOT", "TO") else word for word in bare.split())
    return " ".join(plain).strip(" ,.-")


def entity_concept(entity: Entity) -> SearchConcept | None:
    """A disease, drug, class or procedure; `None` when nothing of its names is left once syntax is taken out."""
    names = [(entity.name, TermKind.NAME)]
    if _is_written(entity.text) or not same_term(entity.text, entity.name):
        names.append((entity.text, TermKind.ASKED))
    names += [(s, TermKind.SYNONYM) for s in entity.synonyms[:MAX_NAMES] if _is_written(s)]
    is_drug = entity.kind is EntityKind.DRUG
    members = class_members(entity.name, searching=True) if is_drug else ()
    countable = bool(members) or not is_drug
    spelt = [name for name, _ in names if is_drug or not is_acronym(name)]
    names += [(form, TermKind.SPELLING) for name in spelt for form in _forms(name, countable=countable)]
    if is_drug:
        if members:
            names += [(name, TermKind.MEMBER) for member in best_known(members) for name in _member_names(member)]
        else:
            names += [(brand, TermKind.BRAND) for brand in brands_of(entity.name)]
            names += [
                (name, TermKind.DRUG_CLASS)
                for one in classes_of(entity.name)[:MAX_CLASSES]
                for name in _class_names(one)
            ]
    else:
        names += [(name, TermKind.NARROWER) for name in _narrower_names(entity)]
    terms = _terms(names)
    if not terms:
        return None
    return SearchConcept(name=entity.name, kind=entity.kind, headings=headings_of(entity), terms=terms)


def named_concept(name: str, *, kind: EntityKind | None = None) -> SearchConcept | None:
    """A concept by any of its names, whether or not the lexicon knows it."""
    known = lexicon().lookup(name)
    if known is None:
        return words_concept(name, (name,))
    concept, _ = known
    return entity_concept(
        Entity(
            kind=kind or concept.kind,
            text=name,
            start=0,
            end=max(1, len(name)),
            name=concept.name,
            mesh_id=concept.mesh_id,
            synonyms=concept.synonyms,
        )
    )


def words_concept(name: str, words: Iterable[str], headings: tuple[Heading, ...] = ()) -> SearchConcept | None:
    """Words that no lexicon has, each with its other spellings."""
    asked = [(word, TermKind.ASKED) for word in words]
    spelt = [
        (form, TermKind.SPELLING)
        for word, _ in asked
        for form in _forms(word)
        if len(form) < len(word) or not is_acronym(word)
    ]
    terms = _terms([*asked, *spelt])
    return SearchConcept(name=name, headings=headings, terms=terms) if terms else None


def class_concept(words: str, found: DrugClass) -> SearchConcept | None:
    """A class of drugs that is searched for and tells nothing about whether a claim is right."""
    return entity_concept(
        Entity(
            kind=EntityKind.DRUG,
            text=words,
            start=0,
            end=max(1, len(words)),
            name=found.name,
            mesh_id=found.mesh_id,
            synonyms=found.names,
        )
    )


def subject_concept(words: str, subject: mesh.Subject) -> SearchConcept | None:
    """What MeSH has beside diseases, drugs and procedures: an organ, a protein, a device, a technique."""
    found = words_concept(subject.heading, (words, *subject.names))
    heading = Heading(text=subject.heading, kind=HeadingKind.DESCRIPTOR, mesh_id=subject.mesh_id)
    return found.model_copy(update={"headings": (heading,)}) if found else None


def people_in(text: str) -> tuple[SearchConcept, ...]:
    """Groups of people that a question is about (`search-people.tsv`): children, newborns, pregnancy, ...

    Not those it wants left out ("adults, not children"), nor part of a name ("Child-Pugh", "infant-onset").
    """
    expressions = _expressions("search-people")
    return tuple(
        _concept_of("search-people", group)
        for group, words in expressions.items()
        if any(not _is_apart(text, *match.span()) for match in words.finditer(text))
    )


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether words at [start, end) are wanted absent, or belong to a longer word."""
    return text[end : end + 1] == "-" or text[max(0, start - 1) : start] == "-" or is_absent_at(text, start, end)


def listed_people() -> tuple[SearchConcept, ...]:
    """All groups of people that a search asks for."""
    return tuple(_concept_of("search-people", group) for group in _expressions("search-people"))


def outcomes_in(text: str) -> tuple[SearchConcept, ...]:
    """Outcomes that a text names and that are no diseases (`search-outcomes.tsv`): mortality, quality of life, ..."""
    return _listed("search-outcomes", text)


def listed_outcome(group: str) -> SearchConcept:
    """An outcome of `search-outcomes.tsv` by its name there. Raises: KeyError, when it has none of that name."""
    if group not in _expressions("search-outcomes"):
        raise KeyError(group)
    return _concept_of("search-outcomes", group)


def _listed(name: str, text: str) -> tuple[SearchConcept, ...]:
    expressions = _expressions(name)
    return tuple(_concept_of(name, group) for group, words in expressions.items() if words.search(text))


@cache
def _expressions(name: str) -> dict[str, re.Pattern[str]]:
    groups: dict[str, list[str]] = {}
    for row in table(name).rows:
        if row[0] != "heading":
            groups.setdefault(row[0], []).append(row[1])
    return {g: re.compile(rf"\b{any_of(words)}\b", re.IGNORECASE) for g, words in groups.items()}


@cache
def _concept_of(name: str, group: str) -> SearchConcept:
    rows = table(name).rows
    headings = tuple(Heading(text=r[2], kind=HeadingKind.DESCRIPTOR, mesh_id=r[3]) for r in rows
                     if r[0] == "heading" and r[1] == group)  # fmt: skip
    terms = _terms((row[1], TermKind.ASKED) for row in rows if row[0] == group)
    return SearchConcept(name=group, headings=headings, terms=terms)


def headings_of(entity: Entity) -> tuple[Heading, ...]:
    """The MeSH heading of an entity as MeSH prints it; nothing where it has no identifier."""
    if not entity.mesh_id:
        return ()
    if entity.mesh_id.startswith("C"):
        return (Heading(text=clean_term(entity.name), kind=HeadingKind.SUPPLEMENTARY, mesh_id=entity.mesh_id),)
    heading, is_action = mesh.heading(entity.mesh_id, entity.name)
    own = Heading(text=heading, kind=HeadingKind.DESCRIPTOR, mesh_id=entity.mesh_id)
    if not is_action:
        return (own,)
    return (own, own.model_copy(update={"kind": HeadingKind.PHARMACOLOGICAL_ACTION}))


def best_known(members: Iterable[str]) -> tuple[str, ...]:
    """Drugs of a class, those with a brand that we know first: where names have to be cut, the others go."""
    branded = frozenset(brand_table().values())
    return tuple(sorted(members, key=lambda member: member not in branded))


def brands_of(drug: str) -> tuple[str, ...]:
    """Brand names of a generic name, as they are written."""
    return tuple(brand.capitalize() for brand, generic in brand_table().items() if generic == drug)


def _narrower_names(entity: Entity) -> Iterator[str]:
    """Kinds of a disease or procedure, each under its heading, in the order in which it is said, and one synonym.

    None of a name that is itself only a kind of the heading ("persistent atrial fibrillation").
    """
    if not entity.mesh_id or not same_term(entity.text, entity.name):
        return
    below = mesh.narrower(entity.mesh_id)
    if len(below) > MAX_NARROWER:
        return
    for concept in below:
        for name in [n for n in (concept.name, *concept.synonyms) if len(n) > MIN_SHORT_FORM_CHARS][:3]:
            yield name
            yield from _forms(name) if not is_acronym(name) else ()


def _class_names(name: str) -> Iterator[str]:
    known = class_named(name)
    for one in (name, *(known.names[:MAX_NAMES] if known else ())):
        if len(one) >= MIN_SHORT_FORM_CHARS:
            yield one
            yield from _forms(one)


def _member_names(member: str) -> Iterator[str]:
    """The generic name, and another nonproprietary one where there is one: paracetamol, acetaminophen."""
    yield member
    known = lexicon().lookup(member)
    if known and not known[1]:
        brands = brand_table()
        plain = (s for s in known[0].synonyms if s.islower() and s.isalpha() and s not in brands)
        yield from list(plain)[:2]


def _is_written(name: str) -> bool:
    """Whether texts use it: no form of one or two letters, no formula in letters ("2-2EtN-2MePhAcN")."""
    return len(name) >= MIN_SHORT_FORM_CHARS and not (name[0].isdigit() and _FORMULA.search(name))


def _forms(name: str, *, countable: bool = True) -> tuple[str, ...]:
    return spellings(clean_term(name), countable=countable)


def _terms(names: Iterable[tuple[str, TermKind]]) -> tuple[SearchTerm, ...]:
    """Each name once, whatever its case."""
    seen: dict[str, SearchTerm] = {}
    for name, kind in names:
        text = clean_term(name)
        if text:
            seen.setdefault(text.casefold(), SearchTerm(text=text, kind=kind))
    return tuple(seen.values())
