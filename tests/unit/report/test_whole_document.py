"""The whole document: everything is said, in both formats, and nothing of other people's texts is obeyed."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from openwork_contracts.answer import AnswerBody, RunStatus
from openwork_report.whole.as_html import html
from openwork_report.whole.as_markdown import markdown

from tests.exports import (
    HOSTILE,
    document,
    full,
)
from tests.unit.report.made import concluded, result

_VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """Tags, links, ids and words of a page; a tag that is not closed fails."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


PARTS = (
    "Answer",
    "The evidence, study by study",
    "Limits of the search",
    "References",
    "Held back",
    "How this came about",
    "What each sentence rests on",
    "Searches as they were sent",
    "Flow of records",
    "Found and not cited (1)",
    "Method",
)


def test_both_formats_have_all_parts_in_the_order_in_which_they_are_read() -> None:
    assert re.findall(r"^#{2,3} (.*)", markdown(full()), re.MULTILINE) == list(PARTS)
    headings = re.findall(r"<h[23][^>]*>(.*?)</h", html(full()))
    assert headings == list(PARTS)


@pytest.mark.parametrize("write", [markdown, html])
def test_figures_whose_words_flow_and_reasons_stand_in_it(write: object) -> None:
    assert callable(write)
    words = re.sub(r"<[^>]+>|\\", " ", write(full()))
    for wanted in (
        "212/9120 v 265/9081; HR 0.70 (95% CI 0.66 to 0.95)",
        "cited text: the paper's own words",
        "Records identified",
        "1: duplicates",
        "Works cited by the answer",
        "It does not diagnose, prescribe or advise",
    ):
        assert wanted in words.replace("&#x27;", "'"), wanted


def test_a_page_loads_nothing_runs_nothing_and_says_so_to_the_browser() -> None:
    page = Page(html(full()))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "link", "iframe", "object", "form", "base"})
    assert not [
        a for _, a in page.tags if {"src", "srcset", "style", "action"} & set(a) or any(n[:2] == "on" for n in a)
    ]
    (policy,) = [a["content"] for a in page.named("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "url(" not in html(full())
    assert "@import" not in html(full())


def test_a_page_can_be_read_without_seeing_it() -> None:
    page = Page(html(full()))
    assert page.named("html")[0]["lang"] == "en"
    assert all(len(page.named(tag)) == 1 for tag in ("main", "header", "footer", "h1", "nav"))
    assert len(page.named("title")) == 1 + len(page.named("svg"))
    assert [picture["role"] for picture in page.named("svg")] == ["img"]
    assert all(a["scope"] in ("col", "row") for a in page.named("th"))
    assert len(page.named("caption")) == len(page.named("table"))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    inner = {a["href"] for a in page.named("a") if (a.get("href") or "").startswith("#")}
    assert {"#ref-1", "#answer", "#how"} <= inner
    assert inner <= {f"#{name}" for name in ids}


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_others_becomes_markup_of_the_page(text: str) -> None:
    plain, hostile = Page(html(full("plain"))), Page(html(full(text)))

    def kinds(page: Page) -> set[str]:
        return {tag for tag, _ in page.tags}

    assert kinds(hostile) <= kinds(plain) | {"ul", "li"}
    assert hostile.named("table").__len__() == len(plain.named("table"))
    addresses = [a.get("href") or "" for a in hostile.named("a")]
    assert all(a.startswith(("#", "https://pubmed.ncbi.nlm.nih.gov/", "https://doi.org/")) for a in addresses)
    shown = "".join(c for c in hostile.words if c.isalnum())
    assert "".join(c for c in text if c.isalnum()) in shown or "\u202e" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_others_becomes_markup_of_the_markdown(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    written = parser.render(markdown(full(text)))
    assert not re.search(r"<(script|img|iframe|style)\b", written)
    assert written.count("<table>") == parser.render(markdown(full("plain"))).count("<table>")
    assert written.count("<tr>") == parser.render(markdown(full("plain"))).count("<tr>")
    assert set(re.findall(r'href="(https?://[^/"]+|\w+:)', written)) <= {
        "https://pubmed.ncbi.nlm.nih.gov",
        "https://doi.org",
    }


def test_a_citation_mark_leads_to_its_reference_and_one_without_a_reference_nowhere() -> None:
    found = full(answer=AnswerBody(markdown="Seen [1][7]. A [link [1]](https://doi.org/10.1/x)."))
    page = html(found)
    assert '<a class="cite" href="#ref-1">[1]</a>[7]' in page
    assert page.count('href="#ref-7"') == 0
    assert re.search(r'<a href="https://doi.org/10.1/x">link \[1\]</a>', page)


def test_a_page_draws_what_markdown_has_in_a_table_or_leaves_out() -> None:
    found = concluded(result(1), result(2))
    page, text = html(found), markdown(found)
    assert "favours apixaban" in page
    assert "as HR; not pooled</figcaption>" in page
    assert "<svg" not in text
    assert "favours" not in text
    assert "| Records identified | 3 |" in markdown(full())


@pytest.mark.parametrize("write", [markdown, html])
def test_a_document_without_its_record_says_what_is_missing_and_how_to_get_it(write: object) -> None:
    assert callable(write)
    text = write(full().model_copy(update={"record": None}))
    assert "openwork export RUN" in text.replace("\\", "")
    assert "Searches as they were sent" not in text


@pytest.mark.parametrize("status", list(RunStatus))
@pytest.mark.parametrize("write", [markdown, html])
def test_a_run_that_ended_otherwise_is_a_document_too(write: object, status: RunStatus) -> None:
    assert callable(write)
    answer = AnswerBody(markdown="It was not searched for.")
    bare = document(status=status, answer=answer, record=None).model_copy(update={"references": ()})
    text = write(bare)
    assert "It was not searched for." in text
    assert "References" not in text


def test_markup_in_the_answer_of_a_file_from_elsewhere_runs_and_loads_nothing() -> None:
    hostile = (
        "<script>x</script> <b onclick=x>b</b> ![p](https://evil.example/p.png) [j](javascript:x) [d](data:text/html,x)"
    )
    page = Page(html(full(answer=AnswerBody(markdown=f"{hostile}\n\n<img src=x onerror=y>\n\n{hostile}"))))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "b"})
    assert not [a for a in page.named("a") if (a.get("href") or "").startswith(("javascript", "data"))]
