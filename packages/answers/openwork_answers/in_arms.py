"""A question as one about the two arms of a source that was found."""

from __future__ import annotations

from dataclasses import replace

from openwork_answers.asked import Question
from openwork_answers.outcomes import Outcome


def in_arms(question: Question, sides: tuple[str, str], outcomes: tuple[Outcome, ...]) -> Question:
    """The question as one about the two arms of a source, the tested one first: nothing is said by yes or no to it."""
    return replace(
        question,
        treatments=(),
        comparators=(),
        contrast=None,
        target=None,
        treated=False,
        stops=False,
        together=False,
        background=(),
        heads=frozenset(),
        outcomes=outcomes,
        unread=(),
        compared=(sides,),
        yes_or_no=False,
        asks_for_effect=True,
    )
