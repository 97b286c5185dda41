"""Identifiers as files print them, in the one form of the contracts, or `None`."""

from __future__ import annotations

import re

_DOI = re.compile(r"10\.[0-9]{4,9}/\S+")
_PMID = re.compile(r"[1-9][0-9]{0,8}")
_PMCID = re.compile(r"(?:PMC)?([1-9][0-9]{0,9})(?:\.\d+)?", re.IGNORECASE)
_NCT = re.compile(r"\bNCT\s?(\d{8})\b", re.IGNORECASE)


def clean_doi(text: str | None) -> str | None:
    """Bare, lower-case DOI out of "https://doi.org/10.1000/ABC", "doi:10.1000/abc." and the like."""
    match = _DOI.search(text or "")
    if not match:
        return None
    doi = match[0].rstrip(".,;\"'>”’")
    # A closing bracket belongs to the DOI only if it was opened in it: 10.1016/s0140-6736(24)02600-x.
    while doi.endswith((")", "]")) and doi.count("(") + doi.count("[") < doi.count(")") + doi.count("]"):
        doi = doi[:-1]
    return doi.lower() if len(doi.partition("/")[2]) else None


def clean_pmid(text: str | None) -> str | None:
    """PMID out of digits; a zero or a word is none."""
    bare = (text or "").strip()
    return bare if _PMID.fullmatch(bare) else None


def clean_pmcid(text: str | None) -> str | None:
    """PMCID out of "PMC123", "123" or "PMC123.1"."""
    match = _PMCID.fullmatch((text or "").strip())
    return f"PMC{match[1]}" if match else None


def nct_numbers(text: str) -> tuple[str, ...]:
    """Every NCT number in a text, each once, in order."""
    return tuple(dict.fromkeys(f"NCT{match[1]}" for match in _NCT.finditer(text)))
