"""Which work somebody names who types one identifier, and whether a record is that work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.evidence import Identifiers

from openwork_evidence.identifiers import clean_doi, clean_nct, clean_pmcid, clean_pmid


class IdKind(StrEnum):
    """What an identifier is one of; the value is its name for people."""

    PMID = "PMID"
    PMCID = "PMCID"
    DOI = "DOI"
    NCT = "NCT number"


@dataclass(frozen=True, slots=True)
class Named:
    """One identifier, in the one form of the contracts."""

    kind: IdKind
    value: str

    def names(self, identifiers: Identifiers) -> bool:
        """Whether a work with these identifiers is the one that is meant."""
        match self.kind:
            case IdKind.PMID:
                return identifiers.pmid == self.value
            case IdKind.PMCID:
                return identifiers.pmcid == self.value
            case IdKind.DOI:
                return identifiers.doi == self.value
            case IdKind.NCT:
                return self.value in identifiers.nct_ids

    def __str__(self) -> str:
        """As people write it: "PMID 32678530", and what says itself what it is without a word before it."""
        return self.value if self.kind in (IdKind.PMCID, IdKind.NCT) else f"{self.kind.value} {self.value}"


_AROUND = " \t\r\n.,;()[]{}<>\"'“”‘’"
"""What a list or a sentence has around an identifier."""
_NUMBER_WITH_POINT = re.compile(r"[0-9]+\.[0-9]+")
"""A PMID with its version, if it says that it is one; alone it is more likely a figure."""
_DOI_LABEL = re.compile(r"^(?:info:)?doi\b[\s:/]*", re.IGNORECASE)
_DOI_BEGINS = re.compile(r"10\.[0-9]{4,9}(?:/|%)")


def named_by(typed: str) -> Named | None:
    """What was typed as one identifier, with its label or as an address that holds it; digits alone are a PMID.

    `None` for anything else, two identifiers among it: which of them was meant nobody can tell.
    """
    bare = typed.strip(_AROUND)
    if nct := clean_nct(bare):
        return Named(IdKind.NCT, nct)
    if not _NUMBER_WITH_POINT.fullmatch(bare) and (pmid := clean_pmid(bare)):
        return Named(IdKind.PMID, pmid)
    if "pmc" in bare.lower() and (pmcid := clean_pmcid(bare)):
        return Named(IdKind.PMCID, pmcid)
    # A DOI may end with a bracket of its own: its cleaner knows.
    whole = _DOI_LABEL.sub("", typed.strip())
    if re.search(r"\s", whole) or len(_DOI_BEGINS.findall(whole)) > 1:
        return None
    doi = clean_doi(whole)
    return Named(IdKind.DOI, doi) if doi else None
