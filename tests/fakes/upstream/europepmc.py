"""Europe PMC REST 6.9: search (core and lite) with cursor paging, and fullTextXML."""

from __future__ import annotations

import base64

from tests.fakes.upstream.corpus import Corpus, Work
from tests.fakes.upstream.jats import article_jats
from tests.fakes.upstream.messages import Reply, Request, element, json_reply, tag, xml_reply
from tests.fakes.upstream.search import parse


class EuropePmc:
    """The calls."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def reply(self, request: Request, path: str) -> Reply:
        if path in ("search", "searchPOST"):
            return self._search(request)
        pmcid, _, kind = path.partition("/")
        if kind == "fullTextXML":
            return self._full_text(pmcid)
        return json_reply({"error": "not found"}, 404)

    def _full_text(self, pmcid: str) -> Reply:
        recorded = self._corpus.articles.get(pmcid)
        if recorded is not None:
            return xml_reply(recorded)
        work = self._corpus.by_pmcid.get(pmcid)
        if work is None:
            error = tag("errCode", 404) + tag("errMsg", f"Full text XML of {pmcid} is not available")
            return Reply(element("errorBean", error).encode(), 404, "application/xml")
        return xml_reply(f'<?xml version="1.0" encoding="UTF-8"?>\n{article_jats(work)}')

    def _search(self, request: Request) -> Reply:
        if not request.get("query"):
            said = "<errorBean><errCode>404</errCode><errMsg>No query was specified</errMsg></errorBean>"
            return Reply(said.encode(), 404, "application/xml")
        found = parse(request.get("query")).find(self._corpus.works)
        if "DATE" in request.get("sort").upper():
            found.sort(key=lambda work: -(work.year or 0))
        size = min(request.number("pageSize", 25), 1000)
        cursor = request.get("cursorMark", "*")
        start = _position(cursor)
        page = found[start : start + size]
        answer: dict[str, object] = {
            "version": "6.9",
            "hitCount": len(found),
            "request": {
                "queryString": request.get("query"),
                "resultType": request.get("resultType", "lite"),
                "cursorMark": cursor,
                "pageSize": size,
                "sort": request.get("sort"),
                "synonym": request.get("synonym") == "true",
            },
            "resultList": {"result": [_result(work, core=request.get("resultType") == "core") for work in page]},
        }
        if found:  # no hits, no cursor
            answer["nextCursorMark"] = _cursor(start + len(page)) if page else cursor
        return json_reply(answer)


def _cursor(position: int) -> str:
    return base64.b64encode(f"at {position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return 0 if cursor == "*" else int(base64.b64decode(cursor).decode().removeprefix("at "))
    except ValueError:
        return 0


def _result(work: Work, *, core: bool) -> dict[str, object]:
    result: dict[str, object] = {
        "id": work.pmid or work.key,
        "source": "MED" if work.pmid else "AGR",
        "title": f"{work.title}.",
        "authorString": f"{', '.join(work.authors)}." if work.authors else None,
        "pubYear": str(work.year) if work.year else None,
        "isOpenAccess": "Y" if work.pmcid else "N",
        "inEPMC": "Y" if work.pmcid else "N",
        "citedByCount": 0,
        "pmid": work.pmid,
        "pmcid": work.pmcid,
        "doi": work.doi,
    }
    if core:
        result |= {
            "abstractText": "".join(
                f"<h4>{part.label}</h4>{part.text}" if part.label else part.text for part in work.parts
            ),
            "journalInfo": {"yearOfPublication": work.year, "journal": {"title": work.journal}},
            "pubTypeList": {"pubType": list(work.types)},
            "authorList": {"author": [{"fullName": name} for name in work.authors]},
            "meshHeadingList": {"meshHeading": [{"descriptorName": name, "majorTopic_YN": "N"} for name in work.mesh]},
            "language": "eng",
        }
        if work.nct_id:
            result["dataLinksTagsList"] = {"dataLinkstag": []}
    return {name: value for name, value in result.items() if value is not None}
