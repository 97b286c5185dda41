"""The strategy against: the same people and treatment, and whatever speaks of harm; the asked outcome is left out.

Harms are seldom named in a question, so that a search for its outcome does not find them (Cochrane Handbook 19.3.1:
search for adverse effects by the treatment, without the outcomes of benefit). Letters, notices and registrations are
wanted here: no rung is confined to kinds of publication, and none leaves opinion out.
"""

from __future__ import annotations

from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import BlockRole, SearchBlock, SearchFilters, SearchRung, SearchStrategy, grouped

from openwork_language.searching.blocks import blocks_of
from openwork_language.searching.concepts import listed_outcome
from openwork_language.searching.ladder import (
    Groups,
    Parts,
    any_of,
    each_asked_once,
    each_of,
    of_chosen_years,
    plain_words,
    whole_question,
)

HARMS = "adverse events"
_LEFT_OUT = frozenset({BlockRole.OUTCOME, BlockRole.TOPIC})


def falsification_of(analysis: QuestionAnalysis) -> SearchStrategy:
    """The strategy of the second track of a review. Pure and deterministic."""
    asked = blocks_of(analysis)
    kept = tuple(block for block in asked if block.role not in _LEFT_OUT)
    if not any(not block.negated for block in kept):
        kept = (*kept, *(block for block in asked if block.role is BlockRole.TOPIC)) or whole_question(analysis)
    harms = SearchBlock(role=BlockRole.OUTCOME, concepts=(listed_outcome(HARMS),))
    blocks = (*kept, harms)
    rungs = _rungs(kept, len(kept), analysis)
    left_out = tuple(
        f"{' or '.join(concept.spoken for concept in block.concepts)}: the asked outcome; this search is for harms"
        for block in asked
        if block.role is BlockRole.OUTCOME
    )
    return SearchStrategy(blocks=blocks, rungs=rungs, plain=plain_words(blocks, rungs[0]), left_out=left_out)


def _rungs(kept: tuple[SearchBlock, ...], harms: int, analysis: QuestionAnalysis) -> tuple[SearchRung, ...]:
    parts = Parts.of(kept)
    tested = tuple(n for n in parts.treatments if kept[n].role is BlockRole.INTERVENTION) or parts.treatments
    treatment, people = any_of(tested), any_of(parts.conditions) or any_of(parts.people)
    subject: Groups = treatment + people or each_of(parts.words[:2])
    named = (
        ("harms of the treatment in these people", (*subject, (harms,)), False),
        ("harms of the treatment in anybody", (*treatment, (harms,)) if treatment else (), False),
        ("the treatment in these people, anything published", subject, True),
    )
    always = of_chosen_years(analysis)
    people_alone = SearchFilters(humans=True, since_year=always.since_year, until_year=always.until_year)
    rungs = (
        SearchRung(name=name, groups=grouped(groups), broad=broad, filters=always if broad else people_alone)
        for name, groups, broad in named
        if groups
    )
    return tuple(each_asked_once(rungs))
