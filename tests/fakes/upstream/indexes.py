"""Indexes of the literature: OpenAlex, Semantic Scholar, Crossref, Unpaywall; and web search: Tavily, SearXNG."""

from __future__ import annotations

import hashlib
import json
import re

from tests.fakes.upstream.corpus import Corpus, Work
from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.search import any_words, parse

_HTML_404 = Reply(b"<!doctype html><html><title>404 Not Found</title></html>", 404, "text/html")


def _numeric_id(work: Work) -> int:
    return int(hashlib.blake2b(work.key.encode(), digest_size=4).hexdigest(), 16)


class OpenAlex:
    """/works with search, filter, cursor; /works/{id}."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def reply(self, request: Request, path: str) -> Reply:
        if path == "works":
            return self._search(request)
        doi = path.removeprefix("works/").removeprefix("https://doi.org/").removeprefix("doi:").lower()
        work = self._corpus.by_doi.get(doi)
        return json_reply(self._work(work)) if work else _HTML_404

    def _search(self, request: Request) -> Reply:
        found = parse(request.get("search")).find(self._corpus.works)
        filters = request.get("filter")
        if match := re.search(r"from_publication_date:(\d{4})", filters):
            found = [work for work in found if (work.year or 0) >= int(match[1])]
        if "type:review" in filters:
            found = [work for work in found if "review" in work.type_text]
        size = min(request.number("per-page", 25), 200)
        cursor = request.get("cursor")
        start = int(cursor[1:]) if re.fullmatch(r"c\d+", cursor) else 0
        page = found[start : start + size]
        following = f"c{start + size}" if cursor and start + size < len(found) else None
        meta = {"count": len(found), "page": None if cursor else 1, "per_page": size, "next_cursor": following}
        wanted = [name for name in request.get("select").split(",") if name]
        works = [self._work(work) for work in page]
        if wanted:
            works = [{name: work[name] for name in wanted if name in work} for work in works]
        return json_reply({"meta": meta, "results": works, "group_by": []})

    def _work(self, work: Work) -> dict[str, object]:
        own_id = f"https://openalex.org/W{_numeric_id(work)}"
        doi = f"https://doi.org/{work.doi.lower()}" if work.doi else None
        ids = {
            "openalex": own_id,
            "doi": doi,
            "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}" if work.pmid else None,
        }
        index: dict[str, list[int]] = {}
        for position, word in enumerate(work.abstract.split()):
            index.setdefault(word, []).append(position)
        return {
            "id": own_id,
            "doi": doi,
            "ids": {name: value for name, value in ids.items() if value},
            "title": work.title,
            "display_name": work.title,
            "publication_year": work.year,
            "publication_date": f"{work.year}-01-01" if work.year else None,
            "language": "en",
            "type": "review" if "review" in work.type_text else "article",
            "primary_location": {"landing_page_url": doi, "source": {"display_name": work.journal}},
            "authorships": [{"author": {"display_name": name}, "raw_author_name": name} for name in work.authors],
            "cited_by_count": 0,
            "is_retracted": False,
            "open_access": {"is_oa": work.pmcid is not None, "oa_status": "green" if work.pmcid else "closed"},
            "mesh": [{"descriptor_name": name, "is_major_topic": False} for name in work.mesh],
            "abstract_inverted_index": index or None,
        }


class SemanticScholar:
    """graph/v1: paper/search, paper/search/bulk, paper/batch, paper/{id}."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def reply(self, request: Request, path: str) -> Reply:
        if path == "paper/search":
            return self._search(request)
        if path == "paper/search/bulk":
            found = parse(request.get("query")).find(self._corpus.works)
            return json_reply({"total": len(found), "token": None, "data": [_paper(work) for work in found[:1000]]})
        if path == "paper/batch":
            ids = json.loads(request.body or b"{}").get("ids", [])
            return json_reply([_paper(work) if (work := self._find(each)) else None for each in ids])
        work = self._find(path.removeprefix("paper/"))
        return json_reply(_paper(work)) if work else json_reply({"error": "Paper not found"}, 404)

    def _search(self, request: Request) -> Reply:
        found = any_words(request.get("query"), self._corpus.works)
        start, size = request.number("offset", 0), min(request.number("limit", 100), 100)
        answer: dict[str, object] = {"total": len(found), "offset": start}
        if start + size < len(found):
            answer["next"] = start + size
        if found:  # zero hits come without `data`
            answer["data"] = [_paper(work) for work in found[start : start + size]]
        return json_reply(answer)

    def _find(self, name: str) -> Work | None:
        kind, _, value = name.partition(":")
        if kind == "PMID":
            return self._corpus.by_pmid.get(value)
        if kind == "DOI":
            return self._corpus.by_doi.get(value.lower())
        return next((work for work in self._corpus.works if _paper_id(work) == name), None)


def _paper_id(work: Work) -> str:
    return hashlib.blake2b(work.key.encode(), digest_size=20).hexdigest()


def _paper(work: Work) -> dict[str, object]:
    ids = {"DOI": work.doi, "PubMed": work.pmid, "PubMedCentral": (work.pmcid or "").removeprefix("PMC") or None}
    return {
        "paperId": _paper_id(work),
        "externalIds": {name: value for name, value in ids.items() if value} | {"CorpusId": _numeric_id(work)},
        "url": f"https://www.semanticscholar.org/paper/{_paper_id(work)}",
        "title": work.title,
        "abstract": work.abstract or None,
        "venue": work.journal or "",
        "journal": {"name": work.journal},
        "year": work.year,
        "publicationTypes": ["JournalArticle"],
        "authors": [{"authorId": None, "name": name} for name in work.authors],
        "citationCount": 0,
        "isOpenAccess": work.pmcid is not None,
    }


class Crossref:
    """/works/{doi}, /works?query.bibliographic and /works?filter=doi:..."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def reply(self, request: Request, path: str) -> Reply:
        if path == "works" and (wanted := request.get("filter")):
            dois = [part.removeprefix("doi:").lower() for part in wanted.split(",")]
            works = [self._work(self._corpus.by_doi[doi]) for doi in dois if doi in self._corpus.by_doi]
            message = {"total-results": len(works), "items": works, "items-per-page": len(works)}
            return _crossref("work-list", message)
        if path == "works":
            words = request.get("query.bibliographic") or request.get("query.title") or request.get("query")
            found = any_words(words, [work for work in self._corpus.works if work.doi])
            items = [self._work(work) for work in found[: request.number("rows", 20)]]
            message = {"total-results": len(found), "items": items, "items-per-page": len(items)}
            return json_reply(
                {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}
            )
        found_one = self._corpus.by_doi.get(path.removeprefix("works/").lower())
        if found_one is None:
            return Reply(b"Resource not found.", 404, "text/plain")
        message = self._work(found_one)
        return _crossref("work", message)

    def _work(self, work: Work) -> dict[str, object]:
        people = [dict(zip(("family", "given"), name.rsplit(" ", 1), strict=False)) for name in work.authors]
        return {
            "DOI": (work.doi or "").lower(),
            "URL": f"https://doi.org/{work.doi}",
            "type": "journal-article",
            "title": [work.title],
            "container-title": [work.journal] if work.journal else [],
            "author": people,
            "issued": {"date-parts": [[work.year]]},
            "language": "en",
            "is-referenced-by-count": 0,
        }


def _crossref(kind: str, message: dict[str, object]) -> Reply:
    return json_reply({"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message})


class Unpaywall:
    """/v2/{doi}. A work with a PMCID is open, and its PDF is served by this server."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def reply(self, request: Request, path: str) -> Reply:
        if not request.get("email"):
            return json_reply({"HTTP_status_code": 422, "error": True, "message": "Email address required"}, 422)
        work = self._corpus.by_doi.get(path.lower())
        if work is None:
            return json_reply({"HTTP_status_code": 404, "error": True, "message": f"{path!r} isn't in Unpaywall"}, 404)
        host = request.headers.get("host", "127.0.0.1")
        place = None
        if work.pmcid:
            address = f"http://{host}/pdf/{work.pmcid}.pdf"
            place = {"url": address, "url_for_pdf": address, "url_for_landing_page": work.url,
                     "host_type": "repository",
                     "license": "cc-by", "version": "publishedVersion", "is_best": True}  # fmt: skip
        return json_reply(
            {
                "doi": (work.doi or "").lower(),
                "doi_url": f"https://doi.org/{work.doi}",
                "title": work.title,
                "genre": "journal-article",
                "is_oa": place is not None,
                "oa_status": "green" if place else "closed",
                "best_oa_location": place,
                "oa_locations": [place] if place else [],
                "journal_name": work.journal,
                "year": work.year,
                "z_authors": None,
                "data_standard": 2,
            }
        )


class WebSearch:
    """Tavily's POST /search and SearXNG's GET /search?format=json, over the works' own pages."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def tavily(self, request: Request, path: str) -> Reply:
        if path != "search" or request.method != "POST":
            return json_reply({"detail": {"error": "not found"}}, 404)
        wanted = json.loads(request.body or b"{}")
        found = any_words(str(wanted.get("query", "")), self._corpus.works)[: int(wanted.get("max_results", 5))]
        results = [
            {"title": work.title, "url": work.url, "content": work.abstract[:1500], "raw_content": None,
             "score": round(0.9 / (rank + 1), 4)}
            for rank, work in enumerate(found)
        ]  # fmt: skip
        empty: dict[str, object] = {
            "answer": None,
            "follow_up_questions": None,
            "images": [],
            "response_time": 0.01,
            "request_id": "test",
        }
        return json_reply({"query": wanted.get("query"), "results": results, **empty})

    def searxng(self, request: Request, path: str) -> Reply:
        if path != "search" or request.get("format") != "json":
            return _HTML_404
        start = (max(1, request.number("pageno", 1)) - 1) * 10
        found = any_words(request.get("q"), self._corpus.works)[start : start + 10]
        results = [
            {
                "title": w.title,
                "url": w.url,
                "content": w.abstract[:300],
                "authors": list(w.authors),
                "journal": w.journal,
                "publishedDate": f"{w.year}-01-01T00:00:00" if w.year else None,
                "comments": "Cited by 17",
            }
            for w in found
        ]
        return json_reply({"query": request.get("q"), "number_of_results": 0, "results": results})
