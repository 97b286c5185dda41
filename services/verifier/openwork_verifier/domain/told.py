"""What an asker who waits hears of the gate: how many sentences passed, and the words of those that stand."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.answer import AnswerConcluded, AnswerSection
from openwork_contracts.progress import ClaimProgress
from openwork_contracts.verdict import OPEN_VERDICTS, ClaimVerdict, VerificationScores

MOST_CLAIMS = 20
"""More verdicts than an answer has sentences; with the words below a message stays under `progress.MOST_BYTES`."""
MOST_WORDS_BYTES = 900
"""Of all sentences together; one that does not fit is told without its words, since half a sentence may say more."""


def nothing_passed(failed: Sequence[ClaimVerdict]) -> str:
    """Why there is no sentence to show, where there was evidence; of an empty draft nothing was checked."""
    if not failed:
        return (
            "Works about the question were found, but none of their sentences answers it, so nothing was written. The "
            "sources that were read are listed in the run's history."
        )
    open_ = sum(claim.verdict in OPEN_VERDICTS for claim in failed)
    of_them = [
        f"something is proved against {len(failed) - open_}" if len(failed) > open_ else "",
        f"{open_} could not be confirmed" if open_ else "",
    ]
    why = " and ".join(filter(None, of_them))
    return (
        "Evidence was found, but no sentence of the draft passed the check against it, so there is nothing that can be "
        f"shown with confidence: of {len(failed)}, {why}. The sources that were read are listed in "
        "the run's history."
    )


def told_counts(scores: VerificationScores, *, withheld: int = 0) -> dict[str, int]:
    """Sentences that claim something, those that passed, and those that are held back for good."""
    return {"sentences": scores.claims, "supported": scores.supported, "withheld": withheld}


def told_verdicts(judged: Sequence[AnswerSection]) -> tuple[ClaimProgress, ...]:
    """The verdicts on a draft that is written anew: none of its words is shown."""
    claims = [claim for section in judged for claim in section.claims]
    return tuple(ClaimProgress(verdict=claim.verdict) for claim in claims[:MOST_CLAIMS])


def told_words(outcome: AnswerConcluded) -> tuple[ClaimProgress, ...]:
    """The sentences of the answer, and the verdicts on what is held back from it."""
    left = MOST_WORDS_BYTES
    told: list[ClaimProgress] = []
    for claim in (claim for section in outcome.sections for claim in section.claims):
        size = len(claim.text.encode())
        told.append(ClaimProgress(verdict=claim.verdict, text=claim.text if size <= left else None))
        left -= size if size <= left else 0
    told += [ClaimProgress(verdict=claim.verdict) for claim in outcome.withheld]
    return tuple(told[:MOST_CLAIMS])
