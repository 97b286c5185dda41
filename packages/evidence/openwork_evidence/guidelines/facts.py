"""Whose guideline a work is and of which country, as far as its title and its collective author say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from openwork_contracts.guidance import INTERNATIONAL, GuidelineFacts
from openwork_knowledge.bodies import bodies_placed, country_of
from openwork_knowledge.countries import countries_in

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def facts_of(title: str, collective_author: str | None, year: int | None) -> GuidelineFacts:
    """The facts that a title and a collective author tell.

    Of bodies of several countries the guideline is international. Where no listed body is named, one country that is
    named says it: "Korean Society of ...", "... in India".
    """
    text = f"{title} {collective_author or ''}"
    placed = bodies_placed(text)
    bodies = tuple(dict.fromkeys(one.name for one in placed))
    country = common_country(code for short in bodies if (code := country_of(short)))
    if country is None:
        inside = [(one.start, one.end) for one in placed]
        named = [one.name for one in countries_in(text) if not any(a <= one.start < b for a, b in inside)]
        country = common_country(named)
    return GuidelineFacts(bodies=bodies, country=country, year=edition_year(title) or year)


def common_country(codes: Iterable[str]) -> str | None:
    """The one code, "international" for several; `None` for none."""
    found = set(codes)
    return next(iter(found)) if len(found) == 1 else INTERNATIONAL if found else None


def edition_year(title: str) -> int | None:
    """The year in a title, where there is one only: "2023 ACC/AHA guideline", "NICE guideline 2019"."""
    years = set(_YEAR.findall(title))
    return int(years.pop()) if len(years) == 1 else None


def countries_of(facts: GuidelineFacts) -> frozenset[str]:
    """The country of a guideline and those of its bodies: a joint one of ADA and EASD is of both."""
    of_bodies = (country_of(short) for short in facts.bodies)
    return frozenset(code for code in (facts.country, *of_bodies) if code)


def place_of(facts: GuidelineFacts | None, asked: tuple[str, ...]) -> int:
    """How near a guideline is to those asked for: 0 = of an asked country, 1 = international, 2 = another, or not told.

    Args:
        asked: codes of countries; empty = nobody asked for any, and all are 0.
    """
    if not asked:
        return 0
    own = countries_of(facts) if facts else frozenset()
    if own & set(asked):
        return 0
    return 1 if INTERNATIONAL in own else 2
