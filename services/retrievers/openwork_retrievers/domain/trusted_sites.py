"""Sites whose pages are trusted, by country, and what a page of one is called in its record."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from openwork_knowledge.tables import table

TRUSTED_PAGE = "Page of a trusted site"
"""Publication type of such a page: its source's policy has a class for it (`SourcePolicy.classes`)."""


@dataclass(frozen=True, slots=True)
class Site:
    """One trusted domain, its subdomains included."""

    domain: str
    kind: str
    """public-health agency, regulator, government, guideline body, society, journal, reviews, reference work."""
    country: str
    """Or a region: Europe, international."""


@cache
def trusted_sites() -> dict[str, Site]:
    """All of them, by domain, in the order of the file."""
    rows = table("trusted_sites").rows
    return {row[1]: Site(row[1], row[2], row[3]) for row in rows if row[0] == "site"}


def trusted_site(host: str) -> Site | None:
    """The site that a host belongs to, the narrowest one; `None` = it is not trusted.

    "nice.org.uk.example.com" and "notnice.org.uk" belong to nobody.
    """
    parts = host.casefold().rstrip(".").split(".")
    known = trusted_sites()
    return next((known[name] for n in range(len(parts)) if (name := ".".join(parts[n:])) in known), None)


def page_types(host: str) -> tuple[str, ...]:
    """Publication types of a page: what kind of site it is on, and of which country; empty where it is not trusted."""
    site = trusted_site(host)
    return (TRUSTED_PAGE, f"{site.kind.capitalize()}, {site.country}") if site else ()
