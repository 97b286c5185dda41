"""Identifiers as sources print them (addresses, prefixes, numbers) in the one form of the contracts, or `None`."""

from __future__ import annotations

import re
from urllib.parse import unquote

_DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
_PMID = re.compile(r"^[1-9][0-9]{0,8}$")
_PMCID = re.compile(r"^(?:PMC)?([1-9][0-9]{0,9})(?:\.\d+)?$", re.IGNORECASE)
_NCT = re.compile(r"\bNCT\d{8}\b", re.IGNORECASE)
_SET_ID = re.compile(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)


def clean_doi(text: object) -> str | None:
    """Bare, lower-case DOI out of "https://doi.org/10.1000/ABC", "doi:10.1000/abc." and the like."""
    if not isinstance(text, str):
        return None
    match = _DOI.search(unquote(text) if "%2f" in text.lower() else text)
    if not match:
        return None
    doi = match[0].rstrip(".,;\"'>")
    # A closing bracket belongs to the DOI only if it was opened in it: 10.1016/s0140-6736(24)02600-x.
    while doi.endswith(")") and doi.count("(") < doi.count(")"):
        doi = doi[:-1]
    return doi.lower() or None


def clean_pmid(text: object) -> str | None:
    """PMID out of a number, digits or an address such as https://pubmed.ncbi.nlm.nih.gov/40120586."""
    if text is None or isinstance(text, bool):
        return None
    last = str(text).strip().rstrip("/").rsplit("/", 1)[-1].removeprefix("pmid:")
    return last if _PMID.match(last) else None


def clean_pmcid(text: object) -> str | None:
    """PMCID out of "PMC123", "123", "PMC123.1" or an address such as https://www.ncbi.nlm.nih.gov/pmc/articles/123."""
    if text is None or isinstance(text, bool):
        return None
    last = str(text).strip().rstrip("/").rsplit("/", 1)[-1]
    match = _PMCID.match(last)
    return f"PMC{match[1]}" if match else None


def clean_nct(text: object) -> str | None:
    """The whole text as one NCT number, or `None`: an accession of another register is not one."""
    if not isinstance(text, str):
        return None
    bare = text.strip().upper()
    return bare if _NCT.fullmatch(bare) else None


def nct_numbers(text: str) -> tuple[str, ...]:
    """Every NCT number in a text, each once, in order."""
    return tuple(dict.fromkeys(match[0].upper() for match in _NCT.finditer(text)))


def clean_set_id(text: object) -> str | None:
    """A DailyMed set id (a UUID), lower case."""
    if not isinstance(text, str):
        return None
    return text.strip().lower() if _SET_ID.match(text.strip()) else None


def web_address(text: object) -> str | None:
    """An http(s) address, or `None` for anything else: what a page says is an address may be a script."""
    if not isinstance(text, str):
        return None
    bare = text.strip()
    return bare if bare.lower().startswith(("https://", "http://")) and not re.search(r"\s", bare) else None
