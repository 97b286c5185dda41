"""PubMed and PMC queries: a strategy's rungs as fielded Boolean.

A heading goes under [mh], a supplementary concept under [nm], a pharmacological action under [pa] as well, by which
PubMed finds the articles about every drug that has it. Names go to title and abstract, those of drugs to the text
words, which have headings and substances too. A telling word that no list knows goes untagged: PubMed maps it to
headings and synonyms of its own. Filters are the rung's, in PubMed's words.
"""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.guidance import INTERNATIONAL, GuidanceAsked
from openwork_contracts.question import EntityKind, Track
from openwork_contracts.strategy import (
    Heading,
    HeadingKind,
    SearchConcept,
    SearchFilters,
    SearchRung,
    SearchStrategy,
    StudyFilter,
)
from openwork_knowledge.bodies import long_name
from openwork_knowledge.countries import adjectives_of, country_name

from openwork_retrievers.domain.rendering import groups_of

HUMANS = "NOT (animals[mh] NOT humans[mh])"
"""The Cochrane Handbook's form: leaves in what is not indexed yet. `humans[mh]` alone would drop it."""
NO_OPINION = "NOT (comment[pt] OR editorial[pt] OR news[pt] OR published erratum[pt])"
LANGUAGE = "english[la]"

PUBLICATION_TYPES: dict[StudyFilter, str] = {
    StudyFilter.GUIDELINE: "practice guideline[pt] OR guideline[pt] OR consensus development conference[pt]",
    StudyFilter.SYNTHESIS: "systematic review[pt] OR meta-analysis[pt]",
    StudyFilter.RANDOMISED_TRIAL: "randomized controlled trial[pt] OR controlled clinical trial[pt]",
    StudyFilter.CLINICAL_TRIAL: "clinical trial[pt]",
    StudyFilter.COMPARATIVE: "comparative study[pt]",
    StudyFilter.VALIDATION: "validation study[pt]",
}
_FIELDS = {
    HeadingKind.DESCRIPTOR: "mh",
    HeadingKind.SUPPLEMENTARY: "nm",
    HeadingKind.PHARMACOLOGICAL_ACTION: "pa",
}

FALSIFICATION = (
    '("no significant difference"[tiab] OR "no benefit"[tiab] OR ineffective[tiab] OR "adverse effects"[sh] '
    'OR harm[tiab] OR harms[tiab] OR "negative results"[tiab] OR "failed to"[tiab])'
)


@dataclass(frozen=True, slots=True)
class PubmedQuery:
    """One ESearch term and what it is for."""

    term: str
    purpose: str
    """The name of the rung."""
    concepts: tuple[tuple[SearchConcept, ...], ...] = ()
    """Of each group something has to survive the engine's rewriting."""
    has_filters: bool = False


def ladder(strategy: SearchStrategy, *, route_filter: str = "", track: Track = Track.AFFIRMATIVE,
           db: str = "pubmed") -> tuple[PubmedQuery, ...]:  # fmt: skip
    """A query per rung, from strict to broad, each once.

    Args:
        route_filter: a PubMed filter of the registry's entry, part of every query, in place of the rung's types.
    """
    queries: dict[str, PubmedQuery] = {}
    for rung in strategy.rungs:
        groups = groups_of(strategy, rung)
        filters = filter_terms(rung.filters, typed=not route_filter, db=db)
        fixed = [f"({route_filter})"] if route_filter else []
        if track is Track.FALSIFICATION:
            fixed.append(FALSIFICATION)
        term = _join([*(concept_block(group, rung, db) for group in groups), *fixed, *filters])
        queries.setdefault(term, PubmedQuery(term, rung.name, groups, bool(filters)))
    return tuple(queries.values())


def concept_block(group: tuple[SearchConcept, ...], rung: SearchRung, db: str = "pubmed") -> str:
    """Everything of a group, joined by OR."""
    terms = [heading_term(heading) for concept in group for heading in concept.headings]
    for concept in group:
        names = concept.names(broad=rung.broad)
        terms.extend(name_term(name, concept, db) for name in names)
    return f"({' OR '.join(dict.fromkeys(terms))})"


def heading_term(heading: Heading) -> str:
    """A heading in the field that finds it."""
    return f'"{heading.text}"[{_FIELDS.get(heading.kind, "mh")}]'


def name_term(name: str, concept: SearchConcept, db: str) -> str:
    """A name in the fields where it may stand."""
    if concept.kind is None and not concept.headings and " " not in name and "-" not in name:
        return name if db == "pubmed" else f"{name}[All Fields]"
    if db != "pubmed":
        return f'"{name}"[ti] OR "{name}"[ab]'  # PMC has no [tiab]
    return f'"{name}"[{"tw" if concept.kind is EntityKind.DRUG else "tiab"}]'


def filter_terms(filters: SearchFilters, *, typed: bool, db: str = "pubmed") -> list[str]:
    """A rung's filters, each as one term of an AND or a NOT. PMC has none of them but the date."""
    terms = []
    if typed and db == "pubmed" and filters.studies:
        terms.append(
            f"({' OR '.join(PUBLICATION_TYPES[kind] for kind in filters.studies if kind in PUBLICATION_TYPES)})"
        )
    if years := filters.years(1000, 3000):
        terms.append(f"{years[0]}:{years[1]}[dp]")
    if db == "pubmed":
        terms += [LANGUAGE] * filters.english + [HUMANS] * filters.humans + [NO_OPINION] * filters.no_opinion
    return terms


def asked_guidance(asked: GuidanceAsked | None) -> str:
    """Bodies as corporate authors and in titles, countries in titles and in authors' affiliations, joined by OR.

    Empty where none is asked for, or only international ones. Fields as in PubMed's help: [cn] corporate author, [ti]
    title, [ad] affiliation.
    """
    if asked is None:
        return ""
    names = [name for short in asked.bodies if (name := long_name(short))]
    terms = [f'"{name}"[{field}]' for name in names for field in ("cn", "ti", "ad")]
    for code in asked.countries:
        if code != INTERNATIONAL:
            country = country_name(code).removeprefix("the ")
            terms += [f'"{country}"[{field}]' for field in ("ti", "cn", "ad")]
            terms += [f'"{word}"[ti]' for word in adjectives_of(code)]
    return " OR ".join(dict.fromkeys(terms))


def _join(terms: list[str]) -> str:
    """AND between terms; a term that begins with NOT stands by itself."""
    text = ""
    for term in filter(None, terms):
        text += term if not text else f" {term}" if term.startswith("NOT ") else f" AND {term}"
    return text
