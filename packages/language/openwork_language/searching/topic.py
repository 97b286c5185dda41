"""What of a question the lexicon does not know: subjects that have a heading in MeSH, and telling words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import BlockRole, SearchBlock, SearchConcept, TermKind
from openwork_knowledge import mesh
from openwork_knowledge.classes import DrugClass, class_named
from openwork_knowledge.notation import group

from openwork_language.searching.concepts import (
    class_concept,
    clean_term,
    outcomes_in,
    subject_concept,
    words_concept,
)
from openwork_language.searching.information import LITTLE, MUCH, NOTHING, SOME, information

MAX_TOPIC_WORDS = 4
"""Telling words beside the concepts that a strategy keeps; how many of them are required is the ladder's matter."""
MAX_HEADING_WORDS = 5
WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’+.](?=[^\W_]))*")
_BETWEEN_WORDS = " \n\t-\u2010\u2011"

_OWN_NAMES = (TermKind.NAME, TermKind.ASKED, TermKind.SYNONYM)

Known = DrugClass | mesh.Subject | None
"""What a run of words that no entity covers names; `None` = nothing that is listed."""


def topic_of(analysis: QuestionAnalysis, blocks: Sequence[SearchBlock]) -> list[SearchBlock]:
    """Telling words that no block covers, one block each, the most telling first; under MeSH's heading if it has one.

    A symptom is who is meant. A short form with its long one in brackets is one thing. What stands in the place of a
    treatment ("does [music] reduce ...") and has a heading is a treatment; words there tell more than others as common,
    and so do headings. Ordinary words count only where there is nothing else.
    """
    asked = (t.text for b in blocks for c in b.concepts for t in c.terms if t.kind in _OWN_NAMES)
    known = {word for text in asked for word in text.casefold().split()}
    subject, outcome = _slot_words(analysis), _words_of(analysis.pico.outcome)
    found: dict[str, tuple[int, int, SearchBlock]] = {}
    for place, (run, heading) in enumerate(_things(analysis, blocks, subject)):
        if all(word.casefold() in known for word in run):
            continue
        if outcomes_in(" ".join(run)) or (max(map(information, run)) == NOTHING and not _is_condition(heading)):
            continue  # an outcome has a block of its own; "prognosis" is asked about the topic, and is not it
        in_slot = [word.casefold() in subject for word in run]
        told = max(map(information, run)) + any(in_slot) + (heading is not None)
        is_outcome = all(word.casefold() in outcome for word in run)
        treats = isinstance(heading, DrugClass) or (heading and all(in_slot))
        role = BlockRole.INTERVENTION if treats else BlockRole.TOPIC
        if is_outcome:
            role, told = BlockRole.OUTCOME, told + 1
        elif _is_condition(heading):
            role = BlockRole.POPULATION
        named = _concept(" ".join(run), heading)
        if named and told > NOTHING:
            found.setdefault(named.name.casefold(), (told, -place, SearchBlock(role=role, concepts=(named,))))
    defined = [SearchBlock(role=BlockRole.TOPIC, concepts=(c,)) for c in _defined_concepts(analysis)]
    best = sorted(found.values(), key=lambda one: (-one[0], -one[1]))
    least = SOME if blocks or defined or (best and best[0][0] >= SOME) else LITTLE
    return [*defined, *(block for told, _, block in best if told >= least)][:MAX_TOPIC_WORDS]


def _is_condition(known: Known) -> bool:
    return isinstance(known, mesh.Subject) and known.is_condition


def _things(
    analysis: QuestionAnalysis, blocks: Sequence[SearchBlock], subject: frozenset[str]
) -> Iterator[tuple[tuple[str, ...], Known]]:
    """The words that no entity covers, alone or under a heading for several of them."""
    for words in _loose(analysis, _beside(analysis, blocks)):
        yield from _runs(words, subject)


def _concept(text: str, known: Known) -> SearchConcept | None:
    if isinstance(known, DrugClass):
        return class_concept(text, known)
    return subject_concept(text, known) if known else words_concept(text, (text,))


def _defined_concepts(analysis: QuestionAnalysis) -> Iterator[SearchConcept]:
    """Long and short forms that the question explains, where they are no entity."""
    for (long, short), (start, end) in _defined(analysis):
        if any(start < entity.end and entity.start < end for entity in analysis.entities):
            continue
        heading = mesh.subject(long)
        named = subject_concept(long, heading) if heading else words_concept(long, (long,))
        other = words_concept(short, (short,))
        if named and other:
            yield named.model_copy(update={"terms": (*named.terms, *other.terms)})


def _defined(analysis: QuestionAnalysis) -> list[tuple[tuple[str, str], tuple[int, int]]]:
    """Long and short form where the question itself says that they are one, and where both stand together."""
    found = []
    for one in analysis.abbreviations:
        both = re.compile(rf"{re.escape(one.long)}\W{{1,3}}{re.escape(one.short)}", re.IGNORECASE)
        if one.defined_in_question and (match := both.search(analysis.question)):
            found.append(((one.long, one.short), match.span()))
    return found


def _figures(analysis: QuestionAnalysis) -> list[tuple[int, int]]:
    """Where figures say who is meant, with their words: "aged 24 months", "eGFR below 30"."""
    stated = (text for text in analysis.pico.population if any(letter.isdigit() for letter in text))
    return [m.span() for text in stated for m in re.finditer(re.escape(text), analysis.question, re.IGNORECASE)]


def _loose(analysis: QuestionAnalysis, beside: frozenset[tuple[int, int]]) -> list[list[str]]:
    """Runs of words of the question that no entity covers; a run ends at an entity and at a mark."""
    spans = [(entity.start, entity.end) for entity in analysis.entities]
    spans += [span for _, span in _defined(analysis)]
    spans += _figures(analysis)
    runs: list[list[str]] = [[]]
    last = 0
    for match in WORD.finditer(analysis.question):
        covered = any(start < match.end() and match.start() < end for start, end in spans)
        if covered or match.span() in beside or analysis.question[last : match.start()].strip(_BETWEEN_WORDS):
            runs.append([])
        if not covered and match.span() not in beside:
            runs[-1].append(clean_term(match[0].strip("'’-/")))
        last = match.end()
    return [[word for word in run if word] for run in runs if run]


def _runs(words: Sequence[str], subject: frozenset[str]) -> Iterator[tuple[tuple[str, ...], Known]]:
    """The words, joined where MeSH has a heading for several of them; the longest heading wins."""
    i = 0
    while i < len(words):
        n, heading = _longest_heading(words, i, subject)
        yield tuple(words[i : i + n]), heading
        i += n


def _longest_heading(words: Sequence[str], i: int, subject: frozenset[str]) -> tuple[int, Known]:
    """A single ordinary word counts only as what has an effect itself: "music", not "face" of "face masks"."""
    for n in range(min(MAX_HEADING_WORDS, len(words) - i), 0, -1):
        run = words[i : i + n]
        tells = [information(word) for word in run]
        ends = i + 1 == len(words) or information(words[i + 1]) == NOTHING
        several = (n > 1 or "-" in run[0]) and tells[0] > NOTHING and tells[-1] > NOTHING
        heading = class_named(" ".join(run)) or mesh.subject(" ".join(run)) if n == 1 or several else None
        single = tells[0] >= SOME or _is_condition(heading) or (ends and run[0].casefold() in subject)
        if heading and (several or single):
            return n, heading
    return 1, None


def _beside(analysis: QuestionAnalysis, blocks: Sequence[SearchBlock]) -> frozenset[tuple[int, int]]:
    """Words that stand right before or behind one of several alternatives: they belong to that one alone."""
    listed = {c.name for b in blocks if len(b.concepts) > 1 for c in b.concepts}
    found = set()
    for match in WORD.finditer(analysis.question):
        for entity in analysis.entities:
            near = (analysis.question[match.end() : entity.start], analysis.question[entity.end : match.start()])
            if entity.name in listed and " " in near:
                found.add(match.span())
    return frozenset(found)


def _slot_words(analysis: QuestionAnalysis) -> frozenset[str]:
    """Words in the place of a treatment: of its slot and its comparison's, and what is said to have an effect."""
    pico = analysis.pico
    subject = _subject().match(analysis.question)
    texts = (*pico.intervention, *pico.comparison, subject[1] if subject else "")
    return _words_of(texts)


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for text in texts for word in WORD.findall(text))


@cache
def _subject() -> re.Pattern[str]:
    effect = group("question_slots", "effect")
    return re.compile(
        rf"\W*(?:does|do|did|can|could|will|would|may|might)\s+((?:\S+\s+){{1,6}}?){effect}\b", re.IGNORECASE
    )


def is_technical(block: SearchBlock) -> bool:
    """Whether a word of the topic names something rather than describes it."""
    asked = block.concepts[0].names()[0].split()
    return block.role is BlockRole.TOPIC and block.concepts[0].kind is None and max(map(information, asked)) >= MUCH
