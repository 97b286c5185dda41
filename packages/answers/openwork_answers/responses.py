"""What a bare "response" is a response of: the symptom that an abstract says its treatment relieves."""

from __future__ import annotations

import re

from openwork_contracts.question import EntityKind
from openwork_language.terms import find_terms

from openwork_answers.outcomes_by_place import is_bare_response

_I = re.IGNORECASE
_RELIEVES = re.compile(
    r"\b(?:reliev\w+|relief\s+(?:of|from)|alleviat\w+|resolution\s+of|resolv\w+)\s+(?P<what>[^.;:]{3,80})", _I
)
_OPENING = re.compile(r"^(?:(?:the|treatment|overall)\s+)+", _I)
_TREATS = re.compile(r"\b(?:treatment|therapy|management|relief|prophylaxis)\s+of\s+(?P<what>[^.;:]{3,80})", _I)
_NEAR = 60
"""Characters within which the symptom's name begins."""


def response_of(outcome: str, title: str, before: str) -> str:
    """The outcome, with its symptom or disease where it is a bare response and one is told.

    Args:
        before: the abstract up to the sentence: what it relieves, the last such words, else what its title treats.
    """
    if not is_bare_response(outcome):
        return outcome
    for pattern, text in ((_RELIEVES, before), (_TREATS, title), (_TREATS, before)):
        for match in reversed(list(pattern.finditer(text))):
            what = match["what"]
            diseases = [t for t in find_terms(what) if t.kind is EntityKind.DISEASE and t.start < _NEAR]
            if diseases:
                return f"{diseases[0].text} {_OPENING.sub('', outcome)}"
    return outcome
