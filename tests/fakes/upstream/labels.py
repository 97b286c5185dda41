"""Drug services: DailyMed v2 (spls.json, spls/{setid}.xml), openFDA (labels, FAERS counts), RxNav (RxNorm, ATC)."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.upstream.corpus import Corpus, plain
from tests.fakes.upstream.messages import Reply, Request, element, json_reply, tag

_LOINC = {
    "boxed_warning": ("34066-1", "WARNING"),
    "indications_and_usage": ("34067-9", "1 INDICATIONS AND USAGE"),
    "dosage_and_administration": ("34068-7", "2 DOSAGE AND ADMINISTRATION"),
    "contraindications": ("34070-3", "4 CONTRAINDICATIONS"),
    "warnings_and_cautions": ("43685-7", "5 WARNINGS AND PRECAUTIONS"),
    "adverse_reactions": ("34084-4", "6 ADVERSE REACTIONS"),
    "drug_interactions": ("34073-7", "7 DRUG INTERACTIONS"),
    "mechanism_of_action": ("43679-0", "12.1 Mechanism of Action"),
}


@dataclass(frozen=True)
class Label:
    """A drug with the sections of a label, in our words, abridged: for tests, not for use."""

    name: str
    brands: tuple[str, ...]
    classes: tuple[str, ...]
    rxcui: str
    sections: dict[str, str]
    reactions: tuple[str, ...]

    @property
    def set_id(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{self.name}.label.open-work.test"))

    @property
    def title(self) -> str:
        return f"{self.name.upper()} TABLET [ABRIDGED FOR TESTS]"


def load_labels() -> tuple[Label, ...]:
    entries = json.loads((Path(__file__).parent / "labels.json").read_text("utf-8"))
    return tuple(
        Label(e["name"], tuple(e["brands"]), tuple(e["classes"]), e["rxcui"], e["sections"], tuple(e["reactions"]))
        for e in entries
    )


class DailyMed:
    """Lists labels by drug name; gives each as SPL."""

    def __init__(self, corpus: Corpus, labels: Iterable[Label]) -> None:
        self._documents = {label.set_id: spl(label).encode() for label in labels} | corpus.labels
        self._titles = {label.set_id: (label.title, f"{label.name} {' '.join(label.brands)}") for label in labels}
        for set_id, body in corpus.labels.items():
            title = re.search(rb"<title[^>]*>(.*?)</title>", body, re.DOTALL)
            name = re.search(rb"<manufactured\w+>.*?<name[^>]*>(.*?)<", body, re.DOTALL)
            shown = " ".join(part[1].decode("utf-8", "replace") for part in (name, title) if part)
            self._titles[set_id] = (" ".join(re.sub("<[^>]+>", " ", shown).split())[:200] or "LABEL", shown)

    def reply(self, request: Request, path: str) -> Reply:
        if path == "spls.json":
            return self._list(request)
        if match := re.fullmatch(r"spls/([0-9a-fA-F-]{36})\.(\w+)", path):
            if match[2] != "xml":
                return json_reply({"error": "Unsupported Media Type"}, 415)
            body = self._documents.get(match[1].lower())
            return Reply(body, content_type="text/xml") if body else json_reply({"error": "not found"}, 404)
        return json_reply({"error": "not found"}, 404)

    def _list(self, request: Request) -> Reply:
        wanted = plain(request.get("drug_name"))
        rows = [(set_id, title) for set_id, (title, names) in self._titles.items() if wanted in plain(names)]
        size, page = max(1, request.number("pagesize", 100)), max(1, request.number("page", 1))
        shown = rows[(page - 1) * size : page * size]
        pages = -(-len(rows) // size)
        return json_reply(
            {
                "data": [
                    {"spl_version": 1, "published_date": "Jan 02, 2026", "title": title, "setid": set_id}
                    for set_id, title in shown
                ],
                "metadata": {
                    "db_published_date": "Jan 05, 2026 07:49:27PM EST",
                    "elements_per_page": size,
                    "total_elements": len(rows),
                    "total_pages": pages,
                    "current_page": page,
                    "next_page_url": f"...&page={page + 1}" if page < pages else "null",
                },
            }
        )


class OpenFda:
    """drug/label.json and drug/event.json with count."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self._labels = tuple(labels)

    def reply(self, request: Request, path: str) -> Reply:
        names = [plain(text) for text in re.findall(r'"([^"]+)"', request.get("search"))]
        found = [
            label for label in self._labels if any(n in plain(f"{label.name} {' '.join(label.brands)}") for n in names)
        ]
        if path not in ("drug/label.json", "drug/event.json") or not found:
            return json_reply({"error": {"code": "NOT_FOUND", "message": "No matches found!"}}, 404)
        results: list[dict[str, object]]
        if path == "drug/label.json":
            results = [_fda_label(label) for label in found]
        else:
            terms = list(dict.fromkeys(reaction for label in found for reaction in label.reactions))
            results = [{"term": term.upper(), "count": 1000 // (rank + 1)} for rank, term in enumerate(terms)]
        limit = request.number("limit", 1)
        meta = {"skip": 0, "limit": limit, "total": len(results)}
        return json_reply({"meta": {"disclaimer": "Made up for tests.", "results": meta}, "results": results[:limit]})


def _fda_label(label: Label) -> dict[str, object]:
    names = {"generic_name": [label.name.upper()], "brand_name": list(label.brands), "spl_set_id": [label.set_id]}
    sections = {key: [text] for key, text in label.sections.items()}
    return {"set_id": label.set_id, "id": label.set_id, "effective_time": "20260102", "openfda": names, **sections}


class RxNav:
    """rxcui.json, rxcui/{id}/related.json, rxclass/class/byRxcui.json."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self._labels = {label.rxcui: label for label in labels}

    def reply(self, request: Request, path: str) -> Reply:
        if path == "rxcui.json":
            name = request.get("name").lower()
            ids = [i for i, d in self._labels.items() if name in (d.name, *(brand.lower() for brand in d.brands))]
            return json_reply({"idGroup": {"name": name, **({"rxnormId": ids[:1]} if ids else {})}})
        if match := re.fullmatch(r"rxcui/(\d+)/related\.json", path):
            return json_reply({"relatedGroup": self._related(match[1])})
        if path == "rxclass/class/byRxcui.json":
            drug = self._labels.get(request.get("rxcui"))
            rows = (
                [{"rxclassMinConceptItem": {"className": name, "classType": "ATC1-4"}} for name in drug.classes]
                if drug
                else []
            )
            return json_reply({"rxclassDrugInfoList": {"rxclassDrugInfo": rows}} if rows else {})
        return Reply(b"<html><body>Not found</body></html>", 404, "text/html")

    def _related(self, rxcui: str) -> dict[str, object]:
        drug = self._labels.get(rxcui)
        names = {"IN": [drug.name], "BN": list(drug.brands)} if drug else {}
        groups = [{"tty": kind, "conceptProperties": [{"name": n} for n in each]} for kind, each in names.items()]
        return {"rxcui": rxcui, "termType": ["IN", "BN"], "conceptGroup": groups}


def spl(label: Label) -> str:
    """The label as HL7 SPL."""
    sections = "".join(
        element(
            "component", element("section", _code(code, heading) + tag("title", heading) + text_of(label.sections[key]))
        )
        for key, (code, heading) in _LOINC.items()
        if key in label.sections
    )
    organisation = element("representedOrganization", tag("name", "Abridged for tests"))
    body = (
        '<code code="34391-3" codeSystem="2.16.840.1.113883.6.1" displayName="HUMAN PRESCRIPTION DRUG LABEL"/>'
        + tag("title", label.title)
        + '<effectiveTime value="20260102"/>'
        + f'<setId root="{label.set_id}"/><versionNumber value="1"/>'
        + element("author", element("assignedEntity", organisation))
        + element("component", element("structuredBody", sections))
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet href="spl.xsl" type="text/xsl"?>\n'
    return head + element("document", body, xmlns="urn:hl7-org:v3")


def _code(code: str, heading: str) -> str:
    return element("code", "", code=code, codeSystem="2.16.840.1.113883.6.1", displayName=heading)


def text_of(text: str) -> str:
    return element("text", tag("paragraph", text))
