"""Editions of guidelines: which took the place of which.

Listed are the ones that were confirmed (`editions.json`). Among the works of one run an older edition is also told by
its title: of the same bodies, about the same thing, with an earlier year.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from openwork_contracts.evidence import EvidenceCandidate, Identifiers, StudyDesign
from openwork_contracts.guidance import GuidelineFacts
from openwork_language.tokens import token_set
from pydantic import BaseModel, ConfigDict, Field

from openwork_evidence.identifiers import clean_doi

_EVERY_TITLE = (
    "guideline guidelines guidance recommendation recommendations clinical practice management diagnosis treatment "
    "prevention evaluation update updated focused edition version report task force joint committee college american "
    "european society association statement consensus developed collaboration special contribution endorsed standards "
    "care international the of for and in on with by executive summary"
)
"""Words that tell guidelines of one body from each other no more than their years do."""


class Edition(BaseModel):
    """An edition that another took the place of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    pmid: str | None = None
    doi: str | None = None
    url: str | None = None
    superseded_by: str
    """The newer edition in words: "ESC 2024"."""
    confirmed_in: str = Field(min_length=1)
    """Address where that was read."""


@cache
def editions() -> tuple[Edition, ...]:
    """The confirmed ones."""
    text = files("openwork_evidence.guidelines").joinpath("editions.json").read_text(encoding="utf-8")
    return tuple(Edition.model_validate(item) for item in json.loads(text))


def superseded_by(identifiers: Identifiers) -> str | None:
    """What took the place of the edition with one of these identifiers; `None` = nothing is known to have."""
    names = _names(identifiers.pmid, identifiers.doi, identifiers.url)
    return next((by for name, by in _superseded().items() if name in names), None)


def with_older_editions(candidates: Sequence[EvidenceCandidate]) -> tuple[EvidenceCandidate, ...]:
    """The candidates, each guideline of which a newer edition is among them marked as superseded by that."""
    guidelines = [c for c in candidates if c.study_design is StudyDesign.GUIDELINE and c.guideline]
    newer = {old.candidate_id: by for old in guidelines if (by := _newest_after(old, guidelines))}
    return tuple(_marked(c, newer[c.candidate_id]) if c.candidate_id in newer else c for c in candidates)


def _newest_after(old: EvidenceCandidate, others: Sequence[EvidenceCandidate]) -> EvidenceCandidate | None:
    if old.guideline is None or old.guideline.superseded_by:
        return None
    later = [one for one in others if is_newer_edition(one, old)]
    return max(later, key=lambda one: _year(one) or 0, default=None)


def is_newer_edition(new: EvidenceCandidate, old: EvidenceCandidate) -> bool:
    """Whether one guideline is a later edition of another: the same bodies and topic, a later year in the title.

    Both titles have to tell their years and say the same of the matter; a part or an update of one question is none.
    """
    if new.guideline is None or old.guideline is None or not old.guideline.bodies:
        return False
    years = (_titled_year(new.title), _titled_year(old.title))
    if years[0] is None or years[1] is None or years[0] <= years[1]:
        return False
    return set(new.guideline.bodies) == set(old.guideline.bodies) and _topic(new.title) == _topic(old.title) != set()


def _marked(candidate: EvidenceCandidate, by: EvidenceCandidate) -> EvidenceCandidate:
    own, other = candidate.guideline or GuidelineFacts(), by.guideline or GuidelineFacts()
    organisation = other.organisation or "/".join(other.bodies)
    words = f"{organisation} {_titled_year(by.title) or _year(by)}"
    return candidate.model_copy(update={"guideline": own.model_copy(update={"superseded_by": words})})


def _year(candidate: EvidenceCandidate) -> int | None:
    facts: GuidelineFacts | None = candidate.guideline
    return (facts.year if facts else None) or candidate.year


def _titled_year(title: str) -> int | None:
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", title)
    return int(years[0]) if len(set(years)) == 1 else None


def _topic(title: str) -> set[str]:
    """Tokens that say what a guideline is about, without its bodies' short forms."""
    bare = re.sub(r"\b[A-Z][A-Z/-]{2,}\b|\d+", " ", title)
    return set(token_set(bare) - token_set(_EVERY_TITLE))


def _names(pmid: str | None, doi: str | None, url: str | None) -> frozenset[str]:
    bare = re.sub(r"^https?://(?:www\.)?|/+$", "", url) if url else None
    named = (("pmid", pmid), ("doi", (clean_doi(doi) or doi) if doi else None), ("url", bare))
    return frozenset(f"{kind}:{name}" for kind, name in named if name)


@cache
def _superseded() -> dict[str, str]:
    return {name: one.superseded_by for one in editions() for name in _names(one.pmid, one.doi, one.url)}
