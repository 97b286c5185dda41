"""What a run holds that ends as too little evidence: it stands nearest, and no verdict follows."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy

from openwork_answers.asked_words import figures_of
from openwork_answers.beside import figures_shown, new_figures
from openwork_answers.closest_likely import closest_sentences, likely_rows_near
from openwork_answers.closest_rows import with_rows_beside
from openwork_answers.nearest import as_nearest
from openwork_answers.outcomes import NEAR
from openwork_answers.pack import pack_of

_NO_ANSWER = {
    "verdict": ConclusionVerdict.NOT_FOUND,
    "lead": None,
    "others": (),
    "conflicts": (),
    "harms": (),
    "harm_words": None,
    "harm_n": None,
    "likely": (),
    "in_words": None,
    "in_words_besides": (),
    "about": (),
    "untold": (),
}
"""What an answer has, taken away."""


def too_little(
    conclusion: Conclusion,
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """The answer object of a run that is to end as too little evidence, with what it holds as what stands nearest.

    Args:
        conclusion: what `conclude.conclude` made of the rest.
    """
    pack = pack_of(analysis, strategy, tuple(passages), tuple(documents))
    found = as_nearest(conclusion)
    if not conclusion.nearest:  # else its rows stand there already
        found = with_rows_beside(found, pack.question, documents, passages)
    near = found.model_copy(update=_NO_ANSWER)
    is_of_outcome = any(r.outcome_fit in NEAR for r in near.nearest)
    sentences = () if is_of_outcome else closest_sentences(pack)
    shown = figures_shown(near, pack)
    sentences = tuple(s for s in sentences if not figures_of(s.text) or new_figures(s, shown, pack))
    if not (near.nearest or sentences):
        return found
    return near.model_copy(update={"nearest_sentences": sentences, "likely": likely_rows_near(pack, near.results)})
