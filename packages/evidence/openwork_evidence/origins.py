"""Whose words a text is: what the sources' records say of it, and which text of a work counts before another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.evidence import StudyDesign, TextOrigin

_PREPRINT_DOI = re.compile(
    # bioRxiv and medRxiv (Cold Spring Harbor also has journals under 10.1101), Research Square, SSRN, arXiv,
    # Preprints.org, OSF, PsyArXiv, ChemRxiv, Authorea, F1000 and Wellcome Open are journals and not here.
    r"^10\.(?:1101/(?:\d{6}|\d{4}\.\d\d\.\d\d\.)|21203/rs|2139/ssrn|48550/|20944/preprints|31219/|31234/|26434/|22541/|31222/|36227/techrxiv)"
)
_PRECEDENCE = {TextOrigin.OUR_SUMMARY: 1, TextOrigin.WEB_PAGE: 2}
"""A summary of ours stands behind every text of the work's own, and before what a page about it happens to say."""


def is_preprint_doi(doi: str | None) -> bool:
    """Whether a DOI is one of a preprint server."""
    return doi is not None and _PREPRINT_DOI.match(doi) is not None


def publication_origin(publication_types: Sequence[str], doi: str | None) -> TextOrigin:
    """Of an abstract that an index of the literature gives: the publisher's words, or those of a preprint.

    An index that keeps an abstract as an inverted list of words (OpenAlex) still has the publisher's words.
    """
    types = {kind.casefold().strip() for kind in publication_types}
    return TextOrigin.PREPRINT if "preprint" in types or is_preprint_doi(doi) else TextOrigin.PUBLISHER


def full_text_origin(design: StudyDesign) -> TextOrigin:
    """Of a full text, wherever a copy of it was found."""
    return TextOrigin.PREPRINT if design is StudyDesign.PREPRINT else TextOrigin.PUBLISHER


def precedence(origin: TextOrigin) -> int:
    """Order of the texts of one work, the first that there is counts: 0 = its own, 1 = our summary, 2 = a page.

    A text of which nobody has said whose it is comes from a source older than the field, or from a file of the asker's,
    and is not ours: it counts as the work's own here, and is not called so anywhere.
    """
    return _PRECEDENCE.get(origin, 0)
