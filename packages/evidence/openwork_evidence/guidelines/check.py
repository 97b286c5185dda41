"""What must hold of the starter set, and how much of each body was wanted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from openwork_knowledge.bodies import country_of
from openwork_knowledge.countries import is_country

from openwork_evidence.guidelines.record import StarterGuideline

MOST = 60
"""Recommendations of the starter set."""
WANTED = {
    "ICMR": 5, "RSSDI": 4, "API": 3, "CSI": 5, "NTEP": 4, "ESC": 8, "ACC": 6, "AHA": 6, "ADA": 5, "KDIGO": 5,
    "SSC": 4, "WHO": 8, "NICE": 6, "USPSTF": 4,
}  # fmt: skip
"""Current recommendations wanted of each body for the library's topics, starter set and library together."""


def check_starter(guidelines: Sequence[StarterGuideline]) -> list[str]:
    """Findings in plain words; empty when everything holds."""
    keys = Counter(one.key for one in guidelines)
    findings = [f"{key}: two guidelines have this key" for key, n in keys.items() if n > 1]
    total = sum(len(one.recommendations) for one in guidelines)
    if total > MOST:
        findings.append(f"the starter set has {total} recommendations; at most {MOST}")
    for one in guidelines:
        findings += [f"{one.key}: {words}" for words in _check(one)]
    return findings


def _check(one: StarterGuideline) -> Iterable[str]:
    if not (one.pmid or one.doi or one.url):
        yield "has no identifier a reader can follow"
    if not is_country(one.country):
        yield f"no country has the code {one.country!r}"
    if one.pmid and not re.fullmatch(r"[1-9]\d{0,8}", one.pmid):
        yield f"PMID {one.pmid!r} is not digits"
    for body in one.bodies:
        if (code := country_of(body)) is None:
            yield f"no body is called {body!r} in guideline-bodies.tsv"
        elif len(one.bodies) == 1 and code != one.country:
            yield f"{body} is of {code}, the guideline of {one.country}"
    for text, n in Counter(r.text for r in one.recommendations).items():
        if n > 1:
            yield f"says twice: {text[:60]}"
    for recommendation in one.recommendations:
        for place in recommendation.confirmed_in:
            if not (place.url or "").startswith(("http://", "https://")):
                yield f"nothing says where it was confirmed: {recommendation.text[:60]}"
