"""A question that names trials: it asks about these, and their names are neither people nor outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationKind

from openwork_answers.asked import Question
from openwork_answers.naming import trial_names
from openwork_answers.outcomes import Outcome, read_outcome
from openwork_answers.targets import is_about

_RESULTS = re.compile(
    r"\b(?:show|shown|showed|find|found|findings?|results?|conclude[ds]?|prove[dn]?|effect|benefit|work)\b", re.I
)


def of_the_target(
    question: Question, studies: list[tuple[int, EvidenceCandidate]]
) -> list[tuple[int, EvidenceCandidate]]:
    """Of trials with one name those of the measure that is asked about: of ACCORD on glucose not ACCORD BP."""
    target = question.target
    return [(n, d) for n, d in studies if target is not None and is_about(target, d.title)] or studies


def of_studies(question: Question, documents: Sequence[EvidenceCandidate]) -> Question:
    """A question that names trials asks about these, whatever it says of treatments; their names are no people."""
    names = {name for document in documents for name in trial_names(document)}
    people = tuple(
        term
        for term in question.people
        if not any(name in term.text or term.text in name for name in names)
        and (term.name is not None or term.kind is not PopulationKind.OTHER)
    )
    outcomes = tuple(_without_names(outcome, names) for outcome in question.outcomes)
    asks = _RESULTS.search(question.analysis.question) is not None
    return replace(
        question,
        people=people,
        outcomes=outcomes,
        unread=(),
        studies=True,
        asks_for_effect=bool(question.outcomes) or asks,
    )


def _without_names(outcome: Outcome, names: Iterable[str]) -> Outcome:
    """An outcome without the trial whose it is: "[ACCORD] mortality"."""
    bare = outcome.text
    for name in names:
        bare = re.sub(rf"(?<![\w-]){re.escape(name)}(?!\w)", " ", bare)
    bare = " ".join(bare.split())
    return outcome if not bare or bare == outcome.text else read_outcome(bare)
