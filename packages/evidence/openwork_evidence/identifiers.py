"""Identifiers as people, files and services print them, in the one form of the contracts, or `None`.

Sources of the forms:
- DOI: DOI Handbook, 2.2 "Numbering" (https://doi.org/10.1000/182): prefix `10.` and a registrant, a slash, any graphic
  characters, no difference between cases; Crossref, "Constructing your DOIs", for the characters that occur.
- PMID, PMCID: NLM, "PMID, PMCID and NIHMSID" (https://www.ncbi.nlm.nih.gov/pmc/pmctopmid/): digits without leading
  zeros; `PMC` and digits; either may carry a version after a point, which names the same work.
- NCT number: ClinicalTrials.gov, "Protocol registration data elements": `NCT` and eight digits.
- Other registers: ISRCTN registry, "ISRCTN" and eight digits; Clinical Trials Registry - India, "CTRI", year, month and
  a running number of five or six digits.
- Set id: DailyMed, SPL: a UUID.

Every cleaner takes whatever a parsed answer holds, and cleaning what is clean changes nothing. An identifier that
cannot be told for certain is `None`: a work without a DOI is found by its title, one with another's is that other work.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from openwork_contracts.text import REPLACEMENT
from openwork_language.unseen import without_unseen

MAX_DOI_CHARS = 2048
"""Crossref accepts no longer one; what is longer is a page of text without blanks."""

_SAME = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹘﹣", "-")  # typesetters' hyphens and dashes; no registered suffix has one
    | dict.fromkeys("⁄∕", "/")
    | {"\\": None}  # TeX's `\_`
)
# A suffix ends at white space, quotation marks and ideographic full stops; SICI suffixes hold `<>();:#`.
_DOI = re.compile(r"(?<!\d)(?<!\d\.)10\.[0-9]{4,9}(?:/|%(?:25)*2[Ff])[^\s\"“”„«»‹›‘’。、]+")
_NEXT_DOI = re.compile(r"[\s;,|]*(?:https?:|(?:dx\.)?doi\.org|doi:|</|(\d?)10\.[0-9]{4,9}/).*", re.DOTALL)
_IN_ADDRESS = re.compile(r"https?://(?P<host>[^\s/?#]+)[^\s]*$", re.IGNORECASE)
_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net"})
# What publishers append in the addresses of their own pages: /full, .pdf, bioRxiv's version.
_PAGE = re.compile(
    r"(?:/(?:full|fulltext|abstract|pdf|epdf|pdfdirect|html|meta|summary))+$|(?:v\d+)?(?:\.full|\.abstract)?(?:\.pdf|\.full|\.abstract)$"
)
_PREPRINT_VERSION = re.compile(r"^(10\.1101/[\d.]+)v\d+$")
_TRAILING = f".,;:!?'*/{REPLACEMENT}"
_AROUND = f" \t\r\n{REPLACEMENT}"
"""What may stand around an identifier and is none of it."""

_MOST_NUMBER = 10**12
"""No register counts that far; Python refuses to print a number of more than 4,300 digits."""
_PMID = r"([1-9][0-9]{0,8})(?:\.[0-9]{1,2})?"
_PMID_ALONE = re.compile(
    r"(?:https?://)?(?:(?:www\.|m\.)?pubmed\.ncbi\.nlm\.nih\.gov/|(?:www\.)?ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/(?:\?term=)?"
    rf"|(?:www\.)?pubmed\.gov/|europepmc\.org/(?:article|abstract)/med/|identifiers\.org/pubmed[:/]){_PMID}(?:[/?#&].*)?"
    rf"|(?:info:)?(?:pmid|pubmed(?: id)?)[\s:/#]*{_PMID}|{_PMID}",
    re.IGNORECASE,
)
_PMID_IN_TEXT = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/|\bPMID:?\s*)([1-9][0-9]{0,8})(?![0-9])", re.IGNORECASE
)
_PMCID = r"([1-9][0-9]{0,9})(?:\.[0-9]{1,2})?"
_PMCID_ALONE = re.compile(
    r"(?:https?://)?(?:(?:www\.)?ncbi\.nlm\.nih\.gov/pmc/articles/|pmc\.ncbi\.nlm\.nih\.gov/articles/"
    rf"|europepmc\.org/(?:articles?|abstract)/(?:pmc/)?)(?:PMC)?{_PMCID}(?:[/?#&].*)?"
    rf"|(?:pmcid[\s:]*)?(?:PMC\s?)?{_PMCID}|oai:pubmedcentral\.nih\.gov:{_PMCID}",
    re.IGNORECASE,
)
_PMCID_IN_TEXT = re.compile(r"(?<![A-Za-z0-9])PMC([1-9][0-9]{3,9})(?![0-9])")
"""At least four digits: PMC10 may be a gene, a cell line or a ward."""

_NCT = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=gov))NCT[\s:#-]?([0-9]{4})\s?([0-9]{4})(?![0-9])", re.IGNORECASE)
"""`gov`: abstracts run it together with "ClinicalTrials.gov". Eight digits may be printed as four and four."""
_NCT_PLACE = re.compile(
    r"(?:https?://)?(?:(?:www\.|classic\.)?clinicaltrials\.gov)?(?:/\S*/|(?:\s+(?:identifier|id|number))?[\s:]*)",
    re.IGNORECASE,
)
_ISRCTN = re.compile(r"(?<![A-Za-z0-9])ISRCTN[\s:#-]{0,2}([0-9]{8})(?![0-9])", re.IGNORECASE)
_CTRI = re.compile(
    r"(?<![A-Za-z0-9])CTRI\s?/\s?(20[0-9]{2})\s?/\s?([01][0-9])\s?/\s?([0-9]{5,6})(?![0-9])", re.IGNORECASE
)
_SET_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def clean_doi(text: object) -> str | None:
    """The first DOI of a text, bare and in lower case: of "https://doi.org/10.1000/ABC", "(doi:10.1000/abc).".

    In an address it ends where the path does, and what a publisher's page appends (`/full`, `.pdf`) is left off.
    `None` also where two DOIs are run together so that the first one's end cannot be told.
    """
    plain = _plain(text)
    match = _DOI.search(plain)
    if match is None or len(match[0]) > MAX_DOI_CHARS:
        return None
    doi = match[0]
    address = _IN_ADDRESS.search(plain, max(0, match.start() - MAX_DOI_CHARS), match.start())
    if address:
        doi = re.split(r"[?#&]", doi)[0]
    doi = _decoded(doi)
    following = _NEXT_DOI.search(doi, len("10.1000/"))
    if following and following[1]:
        return None
    doi = _trimmed(doi[: following.start()] if following else doi)
    if address and address["host"].lower() not in _RESOLVERS:
        doi = _trimmed(_PREPRINT_VERSION.sub(r"\1", _PAGE.sub("", doi)))
    return doi if _is_doi(doi) else None


def _decoded(doi: str) -> str:
    """Percent signs undone, however often they were encoded, and then what may have come out of them."""
    while (again := unquote(doi)) != doi:
        doi = again
    folded = _plain(doi).lower()
    inside = _DOI.match(folded)
    doi = inside[0] if inside else ""
    return doi if _plain(doi).lower() == doi == unquote(doi) else ""


def _trimmed(doi: str) -> str:
    """Without the punctuation of the sentence around it."""
    while doi:
        last = doi[-1]
        # A closing bracket belongs to the DOI only if it was opened in it: 10.1016/s0140-6736(24)02600-x.
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(last)
        outside = last in _TRAILING if opening is None else doi.count(opening) < doi.count(last)
        if not outside:
            return doi
        doi = doi[:-1]
    return doi


def _is_doi(doi: str) -> bool:
    prefix, _, suffix = doi.partition("/")
    return bool(suffix) and prefix.startswith("10.") and REPLACEMENT not in doi


def clean_pmid(text: object) -> str | None:
    """PMID out of a number, "PMID: 123" or a page of PubMed or Europe PMC; `None` for a page of anybody else."""
    match = _PMID_ALONE.fullmatch(_plain(text).strip())
    return next(filter(None, match.groups()), None) if match else None


def pmid_in(text: str) -> str | None:
    """The first PMID that a text names as one ("PMID: 123", an address of PubMed)."""
    match = _PMID_IN_TEXT.search(_plain(text))
    return match[1] if match else None


def clean_pmcid(text: object) -> str | None:
    """PMCID out of "PMC123", "123", "PMC123.1", "PMCID: PMC123" or a page of PMC or Europe PMC."""
    match = _PMCID_ALONE.fullmatch(_plain(text).strip())
    return f"PMC{next(filter(None, match.groups()))}" if match else None


def pmcid_in(text: str) -> str | None:
    """The first PMCID of a text or an address, with its letters; of four digits and more."""
    match = _PMCID_IN_TEXT.search(_plain(text))
    return f"PMC{match[1]}" if match else None


def clean_nct(text: object) -> str | None:
    """The whole text as one NCT number or its page, or `None`: an accession of another register is not one."""
    plain = _plain(text).strip()
    match = _NCT.search(plain)
    if match is None or not _NCT_PLACE.fullmatch(plain[: match.start()]):
        return None
    behind = plain[match.end() :]
    return f"NCT{match[1]}{match[2]}" if not behind or re.fullmatch(r"[/?#]\S*|[.,;]", behind) else None


def nct_numbers(text: str) -> tuple[str, ...]:
    """Every NCT number in a text, each once, in order."""
    return tuple(dict.fromkeys(f"NCT{match[1]}{match[2]}" for match in _NCT.finditer(_plain(text))))


def registrations_in(text: str) -> tuple[str, ...]:
    """Every ISRCTN and every CTRI number in a text, each once: "ISRCTN12345678", "CTRI/2020/05/025123"."""
    plain = _plain(text)
    found = [(match.start(), f"ISRCTN{match[1]}") for match in _ISRCTN.finditer(plain)]
    found += [(match.start(), f"CTRI/{match[1]}/{match[2]}/{match[3]}") for match in _CTRI.finditer(plain)]
    return tuple(dict.fromkeys(number for _, number in sorted(found)))


def clean_set_id(text: object) -> str | None:
    """A DailyMed set id (a UUID), lower case."""
    plain = _plain(text).strip()
    return plain.lower() if _SET_ID.fullmatch(plain) else None


def web_address(text: object) -> str | None:
    """An http(s) address, or `None` for anything else: what a page says is an address may be a script."""
    if not isinstance(text, str):
        return None
    bare = without_unseen(text).strip(_AROUND)
    return bare if bare.lower().startswith(("https://", "http://")) and not re.search(r"\s", bare) else None


def _plain(text: object) -> str:
    """A text as it is compared: compatibility forms folded, nothing unseen, one kind of hyphen; a number as text.

    What stands for a lost character is left off at the ends. Within, it stays: an identifier that lacks a character in
    its middle is another one.
    """
    if isinstance(text, int) and not isinstance(text, bool):
        return str(text) if 0 < text < _MOST_NUMBER else ""
    if not isinstance(text, str):
        return ""
    if text.isascii() and "\\" not in text and text.isprintable():
        return text
    return unicodedata.normalize("NFKC", without_unseen(text)).translate(_SAME).strip(_AROUND)
