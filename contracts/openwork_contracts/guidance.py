"""Guidelines: whose word one is, of which country, and whether another edition took its place. Owner: retrievers.

Part of records and candidates (`evidence.py`) and of the question's analysis (`question.py`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from openwork_contracts.meta import Contract
from openwork_contracts.text import Text, Texts

INTERNATIONAL = "international"
"""In the place of a country: a body of no one country."""
CountryCode = Annotated[str, StringConstraints(pattern=rf"^(?:[A-Z]{{2}}|{INTERNATIONAL})$")]
"""ISO 3166-1 alpha-2; EU, which ISO reserves, for bodies of Europe; "international"."""


class GuidelineFacts(Contract):
    """Of a record that is a guideline. What is not told is `None`; nothing is guessed from a journal's name."""

    organisation: Text | None = None
    """Who issued it, as it is called in an answer: "AHA/ACC/HFSA"."""
    bodies: Texts = ()
    """Short forms of the bodies, as far as a list knows them: AHA, ACC."""
    country: CountryCode | None = None
    year: int | None = Field(default=None, ge=1600, le=2100)
    """Of the edition, as it calls itself; the year of publication may be another."""
    superseded_by: Text | None = None
    """The edition that took its place, in words: "ESC 2024". `None` = none is known."""


class GuidanceAsked(Contract):
    """Whose guidelines a question asks for, and in which order guidelines are looked at."""

    bodies: Texts = ()
    """Short forms of the bodies that it names."""
    countries: tuple[CountryCode, ...] = ()
    """Countries that it names, in its order; of a body that it names the country is not among them."""
    order: tuple[CountryCode, ...] = ()
    """Asked countries, or those of the named bodies, then international; all others come last."""
