"""Bodies that issue guidelines, as a question or a guideline names them."""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import table, words


def bodies_in(text: str) -> frozenset[str]:
    """Short forms of the bodies named, by these or their long names; in small letters those that are no word."""
    named = {found.upper() for found in _bodies().findall(text)}
    return frozenset(named | {short for short, long in _long_names().items() if long in text.casefold()})


def bodies_of(document: EvidenceCandidate) -> frozenset[str]:
    """The bodies that a guideline is of, as far as its record names them."""
    return bodies_in(f"{document.title} {document.collective_author or ''} {abstract_text(document)}")


@cache
def _long_names() -> dict[str, str]:
    return {row[1]: row[2].casefold() for row in table("guidance").rows if row[0] == "organisation" and len(row) > 2}


@cache
def _bodies() -> re.Pattern[str]:
    """In capitals: "WHO" is one, "who" is none."""
    long = any_of(body for body in words("guidance", "organisation") if len(body) > 4 and body != "CHEST")
    return re.compile(rf"(?<![A-Za-z])(?:{group('guidance', 'organisation')}|(?i:{long}))(?![A-Za-z])")
