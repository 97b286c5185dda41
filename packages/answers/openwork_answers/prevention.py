"""What prevents a disease is for those who do not have it yet, and is no answer to what treats it."""

from __future__ import annotations

import re
from functools import cache

from openwork_knowledge.notation import group
from openwork_language.asking.of_others import disease_of_another
from openwork_language.asking.people import Told, told_of

from openwork_answers.asked import Question


@cache
def _preventive() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){group('prevention', 'prevents')}(?![\w])", re.IGNORECASE)


def is_of_prevention_alone(text: str, question: Question) -> bool:
    """Whether a statement is for those who do not have the disease yet, and the question is not."""
    return _preventive().search(text) is not None and _preventive().search(question.analysis.question) is None


def is_for_contacts(text: str, question: Question) -> bool:
    """Whether a statement is for contacts of people with a disease, and the question asks what prevents it."""
    if not (_preventive().search(text) and _preventive().search(question.analysis.question)):
        return False
    of_another = disease_of_another(text)
    own = {Told.SAME, Told.PART}
    return of_another is not None and all(told_of(term, of_another[0].text) in own for term in question.people)
