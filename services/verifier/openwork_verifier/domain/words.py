"""Whose words a claim rests on: the sources' own, or a summary of ours."""

from __future__ import annotations

from collections.abc import Iterable

from openwork_contracts.evidence import TextOrigin
from openwork_contracts.verdict import ClaimVerdict

_LEAST_SURE_FIRST = (TextOrigin.OUR_SUMMARY, TextOrigin.UNKNOWN_ORIGIN)


def rests_on_words_of(claim: ClaimVerdict) -> TextOrigin:
    """Whose words its spans and cells are: ours where one of them is, unknown where of one nobody has said it."""
    return of_several(words.text_origin for words in claim.evidence or claim.cells)


def of_several(origins: Iterable[TextOrigin]) -> TextOrigin:
    """Of all together: a summary of ours among them is said, and what is unknown is claimed of none."""
    found = tuple(origins)
    doubtful = next((origin for origin in _LEAST_SURE_FIRST if origin in found), None)
    return doubtful or next(iter(found), TextOrigin.UNKNOWN_ORIGIN)


def cited_words(claims: Iterable[ClaimVerdict]) -> dict[int, TextOrigin]:
    """Of each citation number, whose words the claims that cite it rest on there."""
    found: dict[int, list[TextOrigin]] = {}
    for claim in claims:
        for span in claim.evidence:
            found.setdefault(span.n, []).append(span.text_origin)
    return {n: of_several(origins) for n, origins in found.items()}
