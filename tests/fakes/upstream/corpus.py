"""What the server knows: the starter library's records, and recorded ones where the data set is there."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree  # trusted input: our own recorded files

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One labelled part of an abstract."""

    label: str | None
    text: str


@dataclass(frozen=True)
class Work:
    """One publication, as every API will tell of it in its own words."""

    key: str
    title: str
    year: int | None
    journal: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    nct_id: str | None = None
    authors: tuple[str, ...] = ()
    collective_author: str | None = None
    types: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    arms: tuple[JsonObject, ...] = ()
    results: tuple[JsonObject, ...] = ()
    url: str | None = None
    raw: bytes | None = field(default=None, repr=False)
    """The recorded element, given instead of a rendered one."""

    @property
    def abstract(self) -> str:
        return " ".join(part.text for part in self.parts)

    @cached_property
    def text(self) -> str:
        """Title, abstract and headings, in lower case, words separated by single blanks: what is searched."""
        return plain(f"{self.title} {self.abstract} {' '.join(self.mesh)}")

    @cached_property
    def words(self) -> frozenset[str]:
        """Those of `text`."""
        return frozenset(self.text.split())

    @cached_property
    def type_text(self) -> str:
        return plain(" | ".join(self.types))


def plain(text: str) -> str:
    """Lower case, every run of what is neither letter nor digit one blank, a blank at both ends."""
    words = re.findall(r"[^\W_]+", text.lower())
    return f" {' '.join(words)} "


@dataclass(frozen=True)
class Corpus:
    """Everything the server can give."""

    works: tuple[Work, ...]
    studies: tuple[JsonObject, ...] = ()
    """Recorded registrations, whole, as ClinicalTrials.gov v2 gives them."""
    labels: dict[str, bytes] = field(default_factory=dict)
    """Recorded SPL documents by set id."""
    articles: dict[str, bytes] = field(default_factory=dict)
    """Recorded JATS by PMCID."""

    @cached_property
    def by_pmid(self) -> dict[str, Work]:
        return {work.pmid: work for work in self.works if work.pmid}

    @cached_property
    def by_pmcid(self) -> dict[str, Work]:
        return {work.pmcid: work for work in self.works if work.pmcid}

    @cached_property
    def by_doi(self) -> dict[str, Work]:
        return {work.doi.lower(): work for work in self.works if work.doi}


def load(*, recorded: Path | None = None) -> Corpus:
    """The library's records, and those under `recorded` (the `recorded` folder of the data set)."""
    works = _library()
    if recorded is None:
        return Corpus(works)
    known = {work.pmid for work in works}
    works += tuple(work for work in _recorded_pubmed(recorded) if work.pmid not in known)
    return Corpus(works, _recorded_studies(recorded), _recorded_labels(recorded), _recorded_jats(recorded))


def recorded_data() -> Path | None:
    """The data set's folder of recorded answers: OPENWORK_DATA, or `shared/data` beside the repository."""
    base = os.environ.get("OPENWORK_DATA")
    path = Path(base) if base else Path(__file__).parents[4] / "shared" / "data"
    return path / "recorded" if (path / "recorded").is_dir() else None


def _library() -> tuple[Work, ...]:
    folder = files("openwork_evidence.library") / "records"
    entries = sorted((e for e in folder.iterdir() if e.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(_work(record) for entry in entries for record in json.loads(entry.read_text("utf-8")))


def _work(record: JsonObject) -> Work:
    return Work(
        key=record["key"],
        title=record["title"],
        year=record["year"],
        journal=record["journal"],
        pmid=record["pmid"],
        pmcid=record["pmcid"],
        doi=record["doi"],
        nct_id=record["nct_id"],
        authors=tuple(record["authors"]),
        collective_author=record["collective_author"],
        types=tuple(record["publication_types"]),
        mesh=tuple(record["mesh_terms"]),
        parts=tuple(Part(part.get("label"), part["text"]) for part in record["summary"]),
        arms=tuple(record["arms"]),
        results=tuple(record["results"]),
        url=record["url"],
    )


def _recorded_pubmed(folder: Path) -> tuple[Work, ...]:
    found: dict[str, Work] = {}
    for path in sorted((folder / "ncbi" / "pubmed-efetch").glob("*.xml")):
        try:
            root = ElementTree.fromstring(path.read_bytes())
        except ElementTree.ParseError:
            continue
        for article in root.iter("PubmedArticle"):
            work = _from_pubmed(article)
            if work is not None and work.pmid:
                found.setdefault(work.pmid, work)
    return tuple(found.values())


def _from_pubmed(article: ElementTree.Element) -> Work | None:
    def flat(path: str) -> str:
        node = article.find(path)
        return "" if node is None else " ".join("".join(node.itertext()).split())

    def many(path: str) -> tuple[str, ...]:
        return tuple(" ".join("".join(node.itertext()).split()) for node in article.iterfind(path))

    pmid, title = flat("MedlineCitation/PMID"), flat("MedlineCitation/Article/ArticleTitle")
    if not pmid or not title:
        return None
    year = flat("MedlineCitation/Article/Journal/JournalIssue/PubDate/Year")
    ids = {i.get("IdType"): i.text for i in article.iterfind("PubmedData/ArticleIdList/ArticleId")}
    return Work(
        key=f"pmid-{pmid}",
        title=title,
        year=int(year) if year.isdigit() else None,
        journal=flat("MedlineCitation/Article/Journal/Title") or None,
        pmid=pmid,
        pmcid=ids.get("pmc"),
        doi=ids.get("doi"),
        types=many("MedlineCitation/Article/PublicationTypeList/PublicationType"),
        mesh=many("MedlineCitation/MeshHeadingList/MeshHeading/DescriptorName"),
        parts=tuple(Part(None, text) for text in many("MedlineCitation/Article/Abstract/AbstractText")),
        raw=ElementTree.tostring(article, encoding="utf-8"),
    )


def _recorded_studies(folder: Path) -> tuple[JsonObject, ...]:
    found: dict[str, JsonObject] = {}
    for path in sorted((folder / "clinicaltrials" / "v2-studies").glob("*.json*")):
        raw = path.read_bytes()
        answer = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        for study in answer.get("studies", [answer]):
            number = study.get("protocolSection", {}).get("identificationModule", {}).get("nctId")
            if number:
                found[number] = study
    return tuple(found.values())


def _recorded_labels(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted((folder / "dailymed" / "spl").glob("*.xml")):
        raw = path.read_bytes()
        if match := re.search(rb'<setId[^>]*root="([0-9A-Fa-f-]{36})"', raw):
            found[match[1].decode().lower()] = raw
    return found


def _recorded_jats(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted((folder / "ncbi" / "pmc-jats").glob("*.nxml")):
        raw = path.read_bytes()
        if match := re.search(rb'<article-id pub-id-type="pmc(?:id)?">(?:PMC)?(\d+)<', raw):
            found[f"PMC{match[1].decode()}"] = raw
    return found
