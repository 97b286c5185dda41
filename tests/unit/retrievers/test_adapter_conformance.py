"""What every adapter has to do: find, find nothing, page, and tell each fault from "nothing found"."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import source_answers as answers
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord, TextOrigin
from openwork_laptop import library_import
from openwork_retrievers import adapters
from openwork_retrievers.adapters.ports import Adapter, Identity, SourceResult
from openwork_retrievers.domain.registry import BY_ROUTE, build_adapter
from source_fakes import Answer, FailingHttp, ScriptedHttp, ok, search_request

KEY = "s3cret-key"
IDENTITY = Identity(tool="open-work", contact="me@example.org", api_key=KEY)
HTML = "<!DOCTYPE html><html><head><title>Down for maintenance</title></head><body>Sorry</body></html>"


@dataclass(frozen=True)
class Case:
    """One adapter with its answers. `first` marks the call that is made first, to which faults are given."""

    route: str
    first: str
    found: Callable[[], dict[str, list[Answer]]]
    n_found: int
    nothing: dict[str, list[Answer]]
    error_body: str
    error: type[Exception]
    pages: Callable[[], dict[str, list[Answer]]] | None = None
    n_paged: int = 0

    def adapter(self) -> Adapter:
        return build_adapter(BY_ROUTE[self.route], IDENTITY, "https://upstream.example/api")

    async def run(self, rules: dict[str, list[Answer]], limit: int = 20) -> SourceResult:
        return await self.adapter().search(search_request(self.route, limit=limit), ScriptedHttp(rules))


NOT_FOUND = '{"error": {"code": "NOT_FOUND", "message": "No matches found!"}}'
RATE_LIMIT = '{"error":"API rate limit exceeded","api-key":"1.2.3.4","count":"4","limit":"3"}'
LABEL = answers.label(answers.section("34067-9", title="INDICATIONS", text="For examples."))

CASES = [
    Case(
        "pubmed",
        "esearch",
        lambda: {
            "esearch": [ok(answers.esearch("101", "102"))],
            "efetch": [ok(answers.article_set(answers.article("101"), answers.article("102")))],
        },
        2,
        {"esearch": [ok(answers.esearch())]},
        RATE_LIMIT,
        SourceUnavailable,
    ),
    Case(
        "pmc",
        "esearch",
        lambda: {
            "esearch": [ok(answers.esearch("7"))],
            "esummary": [
                ok(
                    json.dumps(
                        {
                            "result": {
                                "uids": ["7"],
                                "7": {
                                    "title": "Work 7",
                                    "articleids": [
                                        {"idtype": "pmid", "value": "101"},
                                        {"idtype": "pmcid", "value": "PMC7"},
                                    ],
                                },
                            }
                        }
                    )
                )
            ],
            "efetch": [ok(answers.article_set(answers.article("101")))],
        },
        1,
        {"esearch": [ok(answers.esearch())]},
        RATE_LIMIT,
        SourceUnavailable,
    ),
    Case(
        "europepmc-open",
        "search",
        lambda: {"search": [ok(answers.europepmc("1", "2"))]},
        2,
        {"search": [ok(answers.europepmc())]},
        "<?xml version='1.0'?><errorBean><errCode>404</errCode><errMsg>Invalid request</errMsg></errorBean>",
        SourceRefused,
        lambda: {
            "cursorMark=B": [ok(answers.europepmc("3", cursor="B", hits=3))],
            "search": [ok(answers.europepmc("1", "2", next_cursor="B", hits=3))],
        },
        3,
    ),
    Case(
        "openalex",
        "works",
        lambda: {"works": [ok(answers.openalex("1", "2"))]},
        2,
        {"works": [ok(answers.openalex())]},
        '{"error": "Invalid query parameters error.", "message": "type is not valid"}',
        SourceRefused,
        lambda: {
            "cursor=B": [ok(answers.openalex("3", hits=3))],
            "works": [ok(answers.openalex("1", "2", next_cursor="B", hits=3))],
        },
        3,
    ),
    Case(
        "semanticscholar",
        "search",
        lambda: {"search": [ok(answers.semanticscholar("1", "2"))]},
        2,
        {"search": [ok(answers.semanticscholar())]},
        '{"message": "Forbidden"}',
        SourceRefused,
        lambda: {
            "offset=2": [ok(answers.semanticscholar("3", total=3))],
            "search": [ok(answers.semanticscholar("1", "2", next_offset=2, total=3))],
        },
        3,
    ),
    Case(
        "clinicaltrials",
        "studies",
        lambda: {"studies": [ok(answers.studies("NCT00000001", "NCT00000002"))]},
        2,
        {"studies": [ok(answers.studies())]},
        '{"error": "Unknown query parameter"}',
        SourceRefused,
        lambda: {
            "pageToken=B": [ok(answers.studies("NCT00000003"))],
            "studies": [ok(answers.studies("NCT00000001", token="B"))],
        },
        2,
    ),
    Case(
        "dailymed",
        "spls.json",
        lambda: {"spls.json": [ok(answers.spls((answers.SET_ID, "APIXABAN TABLET [MAKER INC]")))], ".xml": [ok(LABEL)]},
        1,
        {"spls.json": [ok(answers.spls())]},
        '{"error": "internal server error"}',
        SourceUnavailable,
    ),
    Case(
        "openfda-labels",
        "label.json",
        lambda: {"label.json": [ok(answers.openfda_label())]},
        1,
        {"label.json": [(404, NOT_FOUND.encode())]},
        '{"error": {"code": "OVER_RATE_LIMIT", "message": "rate limit"}}',
        SourceUnavailable,
    ),
    Case(
        "openfda-events",
        "event.json",
        lambda: {"event.json": [ok('{"meta": {}, "results": [{"term": "NAUSEA", "count": 12}]}')]},
        1,
        {"event.json": [(404, NOT_FOUND.encode())]},
        '{"error": {"code": "BAD_REQUEST", "message": "no"}}',
        SourceRefused,
    ),
    Case(
        "rxnav",
        "rxcui.json",
        lambda: {
            "rxcui.json": [ok('{"idGroup": {"rxnormId": ["1364430"]}}')],
            "related.json": [
                ok('{"relatedGroup": {"conceptGroup": [{"tty": "BN", "conceptProperties": [{"name": "Eliquis"}]}]}}')
            ],
            "byRxcui.json": [ok("{}")],
        },
        1,
        {"rxcui.json": [ok('{"idGroup": {"name": "apixaban"}}')]},
        '{"error": "bad rxcui"}',
        SourceRefused,
    ),
    Case(
        "tavily",
        "search",
        lambda: {"search": [ok(answers.web_results("https://who.int/a", "https://cdc.gov/b"))]},
        2,
        {"search": [ok(answers.web_results())]},
        '{"detail": {"error": "Unauthorized: missing API key."}}',
        SourceRefused,
    ),
    Case(
        "google-scholar",
        "search",
        lambda: {"pageno=1": [ok(answers.web_results("https://a.org/a"))], "search": [ok(answers.web_results())]},
        1,
        {"search": [ok(answers.web_results())]},
        '{"error": "engine timeout"}',
        SourceUnavailable,
        lambda: {
            "pageno=1": [ok(answers.web_results("https://a.org/a"))],
            "pageno=2": [ok(answers.web_results("https://a.org/b"))],
            "search": [ok(answers.web_results())],
        },
        2,
    ),
    Case(
        "crossref",
        "works",
        lambda: {"works": [ok(answers.crossref("1", "2"))]},
        2,
        {"works": [ok(answers.crossref())]},
        '{"error": "invalid mailto"}',
        SourceRefused,
    ),
]

every_case = pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
paging_cases = [case for case in CASES if case.pages]
every_paging_case = pytest.mark.parametrize("case", paging_cases, ids=[case.route for case in paging_cases])


@every_case
async def test_adapter_finds_records_and_logs_the_request(case: Case) -> None:
    """Records carry the route and the time they were given, and the log says what was asked."""
    result = await case.run(case.found())
    assert len(result.records) == case.n_found
    assert {record.source for record in result.records} == {case.route}
    assert all(record.retrieved_at == search_request().retrieved_at for record in result.records)
    assert result.log
    assert all(entry.request for entry in result.log)


@every_case
async def test_nothing_found_is_a_result_not_an_error(case: Case) -> None:
    result = await case.run(dict(case.nothing))
    assert result.records == ()
    assert result.log
    assert all(entry.error is None for entry in result.log)


@every_paging_case
async def test_pages_are_followed_to_the_end(case: Case) -> None:
    assert case.pages is not None
    result = await case.run(case.pages())
    assert len(result.records) == case.n_paged
    assert len({record.source_id for record in result.records}) == case.n_paged


@every_paging_case
async def test_a_fault_on_a_later_page_keeps_the_first_and_says_so(case: Case) -> None:
    assert case.pages is not None
    rules = case.pages()
    later = next(iter(rules)) if "pageno=2" not in rules else "pageno=2"
    result = await case.run(rules | {later: [(503, b"busy")]})
    assert 0 < len(result.records) < case.n_paged
    assert any("503" in text for text in result.degradations)
    assert any(entry.error for entry in result.log)


@every_case
async def test_error_inside_a_normal_body_is_raised(case: Case) -> None:
    with pytest.raises(case.error):
        await case.run({case.first: [ok(case.error_body)]})


@every_case
async def test_html_instead_of_an_answer_is_a_changed_source(case: Case) -> None:
    with pytest.raises(SourceChanged, match="HTML"):
        await case.run({case.first: [ok(HTML)]})


@every_case
async def test_cut_off_answer_is_a_changed_source(case: Case) -> None:
    """Half of an answer is never half of a result."""
    whole = case.found()[case.first if case.route != "google-scholar" else "pageno=1"][0][1]
    with pytest.raises(SourceChanged):
        await case.run({case.first: [(200, whole[: len(whole) // 2])]})


@every_case
async def test_changed_schema_is_a_changed_source(case: Case) -> None:
    with pytest.raises(SourceChanged):
        await case.run({case.first: [ok('{"somethingElse": {"entirely": [1, 2]}}')]})


@every_case
@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [
        (429, SourceUnavailable, FailureReason.RATE_LIMITED),
        (500, SourceUnavailable, FailureReason.UNREACHABLE),
        (503, SourceUnavailable, FailureReason.UNREACHABLE),
        (400, SourceRefused, FailureReason.REFUSED),
        (403, SourceRefused, FailureReason.REFUSED),
    ],
)
async def test_status_says_what_to_do_next(
    case: Case, status: int, error: type[Exception], reason: FailureReason
) -> None:
    with pytest.raises(error) as caught:
        await case.run({case.first: [(status, b"no")]})
    assert getattr(caught.value, "reason", None) is reason
    assert str(status) in str(caught.value)


@every_case
async def test_unreachable_source_is_not_one_that_found_nothing(case: Case) -> None:
    port = FailingHttp(lambda: SourceUnavailable("connection refused"))
    with pytest.raises(SourceUnavailable):
        await case.adapter().search(search_request(case.route), port)


@every_case
async def test_keys_and_contact_address_stay_out_of_the_log(case: Case) -> None:
    result = await case.run(case.found())
    assert KEY not in repr(result)
    assert "me@example.org" not in repr(result.log)


@every_case
async def test_at_most_limit_records_come_back(case: Case) -> None:
    result = await case.run((case.pages or case.found)(), limit=1)
    assert len(result.records) == 1


WORDS_OF = {
    "pubmed": TextOrigin.PUBLISHER,
    "pmc": TextOrigin.PUBLISHER,
    "europepmc-open": TextOrigin.PUBLISHER,
    "openalex": TextOrigin.PUBLISHER,
    "semanticscholar": TextOrigin.PUBLISHER,
    "crossref": TextOrigin.PUBLISHER,
    "clinicaltrials": TextOrigin.REGISTRY,
    "dailymed": TextOrigin.LABEL,
    "openfda-labels": TextOrigin.LABEL,
    "openfda-events": TextOrigin.DATABASE,
    "rxnav": TextOrigin.DATABASE,
    "tavily": TextOrigin.WEB_PAGE,
    "google-scholar": TextOrigin.WEB_PAGE,
}


@every_case
async def test_every_record_says_whose_words_its_text_is(case: Case) -> None:
    result = await case.run((case.pages or case.found)())
    assert {record.text_origin for record in result.records} == {WORDS_OF[case.route]}


def test_no_record_is_made_anywhere_without_whose_words_it_has() -> None:
    """Also by the parsers that no search above reaches: summaries, books, recalls, saved answers, imported files."""
    folders = [Path(found.__file__).parent for found in (adapters, library_import)]
    unsaid = [
        f"{path.name}:{call.lineno}"
        for folder in folders
        for path in folder.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "EvidenceRecord"
        if "text_origin" not in {keyword.arg for keyword in call.keywords}
    ]
    assert not unsaid


def spoilt(body: bytes, junk: str) -> bytes:
    """The answer with something unreadable at the end of every text in it, raw or as an escape; its numbers too."""
    text = body.decode()
    if text.lstrip()[:1] != "<":
        return json.dumps(_ending_in(json.loads(text), junk)).encode()
    texts_only = re.sub(r"(?<=[A-Za-z.])</(title|ArticleTitle|AbstractText|paragraph|name)>", rf"{junk}</\1>", text)
    return texts_only.encode("utf-8", "surrogatepass")


_TOKENS = frozenset({"uids", "idtype", "tty", "kind", "type"})
"""Fields whose values are words of the API itself, not text of a record."""


def _ending_in(value: object, junk: str) -> object:
    if isinstance(value, str):
        return value + junk
    if isinstance(value, dict):
        return {key: inner if key in _TOKENS else _ending_in(inner, junk) for key, inner in value.items()}
    return [_ending_in(inner, junk) for inner in value] if isinstance(value, list) else value


@every_case
@pytest.mark.parametrize("junk", ["\ud800", "\x07", "\udfff\x00 \x9d"], ids=["lone surrogate", "bell", "mixed"])
async def test_a_character_that_is_none_costs_neither_the_source_nor_a_record(case: Case, junk: str) -> None:
    """In titles, names, ids, numbers and abstracts; what comes out can be written and sent on."""
    rules = {
        mark: [(status, spoilt(body, junk)) for status, body in given]
        for mark, given in (case.pages or case.found)().items()
    }
    result = await case.run(rules)
    assert len(result.records) == (case.n_paged or case.n_found)
    for record in result.records:
        json.dumps(record.model_dump(mode="json"), ensure_ascii=False).encode()
        assert not re.search("[\x00-\x08\x0e-\x1f\ud800-\udfff]", record.model_dump_json())
    assert [entry.request.encode() for entry in result.log]


XML_CASES = [case for case in CASES if case.route in {"pubmed", "pmc", "dailymed"}]


@pytest.mark.parametrize("case", XML_CASES, ids=[case.route for case in XML_CASES])
async def test_a_character_reference_that_xml_forbids_costs_no_record(case: Case) -> None:
    """`&#xD800;` in the title of an XML answer."""
    rules = {
        mark: [
            (status, re.sub(rb"(?<=[a-z.])</(ArticleTitle|title|paragraph)>", rb" &#xD800;&#7;</\1>", body))
            for status, body in given
        ]
        for mark, given in case.found().items()
    }
    result = await case.run(rules)
    assert len(result.records) == case.n_found


LISTED = {
    "europepmc-open": ("resultList", "result"),
    "openalex": ("results",),
    "semanticscholar": ("data",),
    "clinicaltrials": ("studies",),
    "openfda-labels": ("results",),
    "tavily": ("results",),
    "google-scholar": ("results",),
    "crossref": ("message", "items"),
}
"""Where a page of records has its list. The others list names of labels or numbers, or are read as a stream."""


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.route in LISTED], ids=sorted(LISTED, key=[c.route for c in CASES].index)
)
async def test_a_page_of_any_number_of_records_is_read_no_further_than_asked(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 3,000 records 20 are made, and what follows is not even looked at: it is no JSON. The log names the rest."""
    mark = "pageno=1" if case.route == "google-scholar" else case.first
    status, body = case.found()[mark][0]
    page = json.loads(body)
    place = page
    for key in LISTED[case.route][:-1]:
        place = place[key]
    (last,) = LISTED[case.route][-1:]
    entry = json.dumps(place[last][0])
    place[last] = ["HERE"]
    many = json.dumps(page).replace('"HERE"', ", ".join([entry] * 3000) + ", no JSON").encode()
    built = []
    make = EvidenceRecord.__init__
    monkeypatch.setattr(EvidenceRecord, "__init__", lambda self, **kw: (built.append(self), make(self, **kw))[1])
    result = await case.run(case.found() | {mark: [(status, many)]}, limit=20)
    assert 0 < len(built) <= 20
    assert result.records
    assert any("more than the 20 entries asked for" in text for entry in result.log for text in entry.warnings)


async def test_the_list_of_labels_is_read_no_further_than_asked() -> None:
    case = next(case for case in CASES if case.route == "dailymed")
    row = json.loads(answers.spls((answers.SET_ID, "APIXABAN TABLET [MAKER INC]")))["data"][0]
    page = f'{{"data": [{", ".join([json.dumps(row)] * 200)}, no JSON'.encode()
    result = await case.run(case.found() | {"spls.json": [(200, page)]})
    assert result.records
    assert any("more than the 100 entries asked for" in text for text in result.log[0].warnings)
