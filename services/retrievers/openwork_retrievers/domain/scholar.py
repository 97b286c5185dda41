"""What search engines print of a paper around its snippet: authors, venue, year, citations.

Google Scholar's line, as SearXNG's engine `google_scholar` takes it apart (its function `parse_gs_a`): "{authors} -
{journal}, {year} - {publisher}", "{authors} - {year} - {publisher}" or "{authors} - {publisher}", and "Cited by 17".
Before a snippet of a web search: "by H Hays · 2026 · Cited by 1 -- ".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CITED = re.compile(r"\bCited by ([\d,]+)", re.IGNORECASE)
_BY = re.compile(
    r"^\s*by (?P<authors>[^·]{2,200}?)\s*·\s*(?P<year>(?:19|20)\d\d)"
    r"(?:\s*·\s*Cited by (?P<cited>[\d,]+))?\s*(?:--|[–—-])?\s*"
)
_LINE = re.compile(
    r"^(?P<authors>[^\n]{2,200}?) [-–] (?:(?P<venue>[^\n]+?), )?(?P<year>(?:19|20)\d\d) [-–] [^\n]{2,100}$"
)
_INITIALS_FIRST = re.compile(r"^(?P<initials>[A-Z]{1,4}(?:-[A-Z])?) (?P<family>[^\s].*)$")
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Told:
    """What was printed beside a snippet; what was not is `None`."""

    authors: tuple[str, ...] = ()
    """ "Family I"; may be only the first few."""
    venue: str | None = None
    year: int | None = None
    cited_by: int | None = None


def cited_by(text: str | None) -> int | None:
    """The number in "Cited by 1,234"; `None` where there is none."""
    found = _CITED.search(text or "")
    return int(found[1].replace(",", "")) if found and found[1].strip(",") else None


def told_before(snippet: str) -> tuple[Told, str]:
    """What stands before a snippet, and the snippet without it."""
    if found := _BY.match(snippet):
        count = found["cited"]
        told = Told(
            authors=authors_of(found["authors"].split(",")),
            year=int(found["year"]),
            cited_by=int(count.replace(",", "")) if count else None,
        )
        return told, snippet[found.end() :].strip()
    first, _, rest = snippet.partition("\n")
    if (line := _LINE.match(first.strip())) and rest.strip():
        venue = (line["venue"] or "").strip(f" {_CUT}")
        told = Told(authors_of(line["authors"].split(",")), venue or None, int(line["year"]), cited_by(rest))
        return told, rest.strip()
    return Told(cited_by=cited_by(snippet)), snippet


def authors_of(names: list[str]) -> tuple[str, ...]:
    """Names as the contracts have them, "Granger CB"; Scholar prints "CB Granger", and "…" where it cut."""
    found = []
    for name in names:
        bare = " ".join(name.replace(_CUT, " ").split())
        if match := _INITIALS_FIRST.match(bare):
            bare = f"{match['family']} {match['initials']}"
        if bare:
            found.append(bare)
    return tuple(found)
