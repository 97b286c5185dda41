"""PubMed and PMC queries: fielded Boolean from the question's concepts, with a stated filter policy per intent.

The policy (what a filter may cost is in the search log: see `adapter.NcbiAdapter`):

- Every strict form leaves out records about animals only and comments, editorials, news and errata; never retracted
  works, whose status has to be seen. Mechanism questions keep the animals.
- Publication types are asked for in one of the strict queries only, where the intent has types that answer it best;
  the wordings beside it go without, so an older pivotal trial or a safety cohort without the type is still found.
- A date floor only where the asker wanted recent evidence. An abstract is never required.
- The broad form has no filter at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.question import EntityKind, Intent, QuestionAnalysis, Track

from openwork_retrievers.domain.question import Concept, concepts, focus_words

HUMANS = "NOT (animals[mh] NOT humans[mh])"
"""The Cochrane Handbook's form: leaves in what is not indexed yet. `humans[mh]` alone would drop it."""
NO_OPINION = "NOT (comment[pt] OR editorial[pt] OR news[pt] OR published erratum[pt])"
LANGUAGE = "english[la]"

_TRIALS = "randomized controlled trial[pt] OR controlled clinical trial[pt] OR clinical trial[pt]"
_SYNTHESES = "systematic review[pt] OR meta-analysis[pt]"
_GUIDELINES = "practice guideline[pt] OR guideline[pt] OR consensus development conference[pt]"
TYPES_BY_INTENT: dict[Intent, str] = {
    Intent.TREATMENT_GUIDELINE: f"{_GUIDELINES} OR {_SYNTHESES} OR randomized controlled trial[pt]",
    Intent.COMPARATIVE_ANALYSIS: f"{_SYNTHESES} OR {_TRIALS} OR comparative study[pt]",
    Intent.DOSING: f"{_SYNTHESES} OR {_TRIALS} OR {_GUIDELINES}",
    Intent.DIAGNOSTIC_CRITERIA: f"{_GUIDELINES} OR {_SYNTHESES} OR validation study[pt]",
    Intent.SCREENING: f"{_GUIDELINES} OR {_SYNTHESES} OR {_TRIALS}",
}
"""No types for mechanism, adverse events, diagnosis and prognosis: cohorts and bench work answer those, untyped."""

FALSIFICATION = (
    '("no significant difference"[tiab] OR "no benefit"[tiab] OR ineffective[tiab] OR "adverse effects"[sh] '
    'OR harm[tiab] OR harms[tiab] OR "negative results"[tiab] OR "failed to"[tiab])'
)


@dataclass(frozen=True, slots=True)
class PubmedQuery:
    """One ESearch term and what it is for."""

    term: str
    purpose: str
    concepts: tuple[Concept, ...] = ()
    """What has to survive the engine's rewriting."""
    has_filters: bool = False


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The queries of one search: strict ones first, the broad ones in the order in which they are tried."""

    strict: tuple[PubmedQuery, ...]
    broad: tuple[PubmedQuery, ...]
    unfiltered: PubmedQuery
    """The first strict query without its filters: its count says what the filters cost."""


def plan_queries(analysis: QuestionAnalysis, *, route_filter: str = "", track: Track = Track.AFFIRMATIVE,
                 db: str = "pubmed") -> QueryPlan:  # fmt: skip
    """The queries of a question for one registry entry; `route_filter` is part of every one of them, also the broad."""
    known = concepts(analysis)
    blocks = [concept_block(concept, db) for concept in known]
    fixed = [f"({route_filter})"] if route_filter else []
    if track is Track.FALSIFICATION:
        fixed.append(FALSIFICATION)
    words = focus_words(analysis.question, known)
    # A disease alone ("cancer") ranks anything first: the question's own words have to be there as well.
    narrow = len(known) > 1 or any(concept.kind is not EntityKind.DISEASE for concept in known)
    lead = [*blocks, *fixed] if narrow or not words else [*blocks, _words_block(words, db), *fixed]
    filters = filter_terms(analysis, typed=not route_filter, db=db)
    lighter = filter_terms(analysis, typed=False, db=db)
    unfiltered = PubmedQuery(_join(lead), "every concept, no filter", known)
    strict = [PubmedQuery(_join([*lead, *filters]), "every concept, filters of the intent", known, bool(filters))]
    for variant in (analysis.question, *analysis.search_variants):
        if words := focus_words(variant, known):
            term = _join([*blocks, _words_block(words, db), *fixed, *lighter])
            strict.append(PubmedQuery(term, f"concepts and the words of {variant!r}", known, bool(lighter)))
    core = PubmedQuery(_join([*blocks, *fixed]) if blocks else "", "every concept, no word, no filter", known)
    broad = [unfiltered, core, *_broader(analysis, known, fixed, db)]
    return QueryPlan(_each_once(strict), _each_once(broad), unfiltered)


def _broader(analysis: QuestionAnalysis, known: tuple[Concept, ...], fixed: list[str], db: str) -> list[PubmedQuery]:
    """The two concepts that matter most; then plain words that PubMed maps; then one drug alone."""
    queries = []
    if len(known) > 2:
        kept = _two_main(known)
        term = _join([*(concept_block(concept, db) for concept in kept), *fixed])
        queries.append(PubmedQuery(term, "the two main concepts, no filter", kept))
    main = _two_main(known) if len(known) > 1 else known
    named = tuple(concept.spoken for concept in main)
    for plain in (named,) if named else (focus_words(analysis.question, (), most) for most in (2, 1)):
        if plain:
            term = _join([f"({' AND '.join(plain)})", *fixed])
            queries.append(PubmedQuery(term, "plain words, mapped by the engine", main))
    if len(known) == 2 and known[0].kind != EntityKind.DISEASE:
        term = _join([concept_block(known[0], db), *fixed])
        queries.append(PubmedQuery(term, f"only {known[0].name!r}", known[:1]))
    return queries


def _two_main(known: tuple[Concept, ...]) -> tuple[Concept, ...]:
    """One drug or procedure and one disease where there are both; else the first two."""
    first = known[0]
    second = next((concept for concept in known[1:] if concept.kind != first.kind), known[1])
    return (first, second)


def concept_block(concept: Concept, db: str = "pubmed") -> str:
    """Every name of a concept, joined by OR: as MeSH heading where it is one, and in title or abstract."""
    terms = []
    if concept.mesh_id:
        # Supplementary concepts (C numbers: most newer drugs) have no MeSH heading; PubMed indexes them under [nm].
        terms.append(f'"{concept.terms[0]}"[{"nm" if concept.mesh_id.startswith("C") else "mh"}]')
    # PMC has no [tiab].
    form = '"{0}"[tiab]' if db == "pubmed" else '"{0}"[ti] OR "{0}"[ab]'
    terms.extend(form.format(term) for term in concept.terms)
    return f"({' OR '.join(terms)})"


def filter_terms(analysis: QuestionAnalysis, *, typed: bool, db: str = "pubmed") -> list[str]:
    """The strict form's filters, each as one term of an AND; see the module for the policy."""
    terms = []
    if typed and db == "pubmed" and (types := TYPES_BY_INTENT.get(analysis.intent)):
        terms.append(f"({types})")
    if analysis.recent_since_year is not None:
        terms.append(f"{analysis.recent_since_year}:3000[dp]")
    if db == "pubmed":
        terms.append(LANGUAGE)
        if analysis.intent is not Intent.MECHANISM:
            terms.append(HUMANS)
        terms.append(NO_OPINION)
    return terms


def _words_block(words: tuple[str, ...], db: str) -> str:
    """Words that all have to occur. One that must not be missed goes untagged: PubMed maps it to MeSH and synonyms."""
    if not words:
        return ""
    return "(" + " AND ".join(words if db == "pubmed" else (f"{word}[All Fields]" for word in words)) + ")"


def _join(terms: list[str]) -> str:
    """AND between terms; a term that begins with NOT stands by itself."""
    text = ""
    for term in filter(None, terms):
        text += term if not text else f" {term}" if term.startswith("NOT ") else f" AND {term}"
    return text


def _each_once(queries: list[PubmedQuery]) -> tuple[PubmedQuery, ...]:
    first: dict[str, PubmedQuery] = {}
    for query in queries:
        if query.term:
            first.setdefault(query.term, query)
    return tuple(first.values())
