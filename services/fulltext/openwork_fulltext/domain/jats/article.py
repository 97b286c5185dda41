"""JATS (PMC and Europe PMC full text) as one document: sections with offsets, tables by cell, identifiers, notices."""

from __future__ import annotations

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import Identifiers, NoticeLink
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid, nct_numbers
from openwork_language.dates import parse_year

from openwork_fulltext.domain.document import ParsedDocument, TextBuilder
from openwork_fulltext.domain.jats.elements import Element, attribute, child, children, local_name, read_articles
from openwork_fulltext.domain.jats.sections import SectionWriter
from openwork_fulltext.domain.jats.text import plain_text

_SUMMARIES = {
    "author-summary": "Author summary",
    "editor": "Editor's summary",
    "editors-summary": "Editors' summary",
    "executive-summary": "Executive summary",
    "graphical": "Graphical abstract",
    "key-points": "Key points",
    "plain-language-summary": "Plain language summary",
    "short": "Short summary",
    "summary": "Summary",
    "teaser": "Teaser",
    "toc": "Table of contents summary",
    "web-summary": "Web summary",
}
"""`abstract-type` values of what stands beside the abstract and repeats it (JATS tag library, PMC tagging guides)."""

_LINK_KINDS = {
    "addended-article": "correction_of",
    "addendum": "corrected_by",
    "corrected-article": "correction_of",
    "correction": "corrected_by",
    "correction-forward": "corrected_by",
    "concurrent-correction": "corrected_by",
    "expression-of-concern": "concern_in",
    "object-of-concern": "concern_about",
    "partial-retraction": "retracted_by",
    "preprint": "preprint_of",
    "republished-article": "correction_of",
    "retracted-article": "retraction_of",
    "retraction": "retracted_by",
    "retraction-forward": "retracted_by",
}
"""`related-article-type` values (JATS tag library) as the contract names these links."""

_PUBLICATION_DATES = ("epub", "ppub", "epub-ppub", "electronic", "print", "pub", "collection")


def parse_jats(body: bytes) -> ParsedDocument:
    """Read the first article of a JATS file, whatever its version or wrapping (`article`, `pmc-articleset`).

    References, decision letters and replies are left out. Tables and figures that a file keeps apart
    (`floats-group`) go under the heading of the section that first refers to them.

    Raises:
        SourceChanged: not XML, HTML, cut off, or not an article.
        SourceRefused: a DTD of its own, over a limit, or an error message in place of an article.
    """
    articles = read_articles(body)
    left = f"the file holds {len(articles)} articles; only the first was read"
    return _document(articles[0], (left,) if len(articles) > 1 else ())


def parse_jats_set(body: bytes) -> list[ParsedDocument]:
    """Every article of a set, e.g. EFetch's `pmc-articleset`; one that has neither front matter nor body is left out.

    Raises:
        SourceChanged, SourceRefused: see `parse_jats`.
    """
    documents = []
    for article in read_articles(body):
        try:
            documents.append(_document(article, ()))
        except SourceChanged:
            continue
    return documents


def _document(article: Element, warnings: tuple[str, ...]) -> ParsedDocument:
    meta = child(article, "front", "article-meta")
    if meta is None:
        meta = child(article, "front-stub")
    if meta is None and child(article, "body") is None:
        raise SourceChanged("the full text is a JATS article without front matter and without a body")
    writer = SectionWriter(TextBuilder())
    writer.warnings.extend(warnings)
    title = plain_text(child(meta, "title-group", "article-title"))
    writer.builder.heading(title)
    _write_abstracts(meta, writer)
    _write_body(article, writer)
    return ParsedDocument(
        format="jats",
        title=title or None,
        identifiers=_identifiers(meta, writer.builder),
        article_type=article.get("article-type") or None,
        journal=_journal(article),
        year=_year(meta),
        license=_license(meta),
        text=writer.builder.text,
        sections=tuple(writer.builder.sections),
        has_body=_has_body(article),
        links=_links(meta),
        warnings=tuple(writer.warnings),
    )


def _write_abstracts(meta: Element | None, writer: SectionWriter) -> None:
    abstracts = children(meta, "abstract")
    main = next((a for a in abstracts if _is_main(a)), None)
    if main is None:
        main = next((a for a in abstracts if a.get("abstract-type") == "executive-summary"), None)
    for abstract in abstracts:
        kind = "abstract" if abstract is main or _is_main(abstract) else "summary"
        name = "Abstract" if kind == "abstract" else _SUMMARIES.get(abstract.get("abstract-type") or "", "Summary")
        _write_abstract(abstract, name, kind, writer)
    for translated in children(meta, "trans-abstract"):
        language = attribute(translated, "lang")
        _write_abstract(translated, f"Abstract ({language})" if language else "Translated abstract", "summary", writer)


def _is_main(abstract: Element) -> bool:
    return (abstract.get("abstract-type") or "").lower() not in _SUMMARIES


def _write_abstract(abstract: Element, name: str, kind: str, writer: SectionWriter) -> None:
    if not plain_text(abstract):
        return  # a graphical abstract is a picture
    title = plain_text(child(abstract, "title"))
    # "ABSTRACT" printed over the abstract is its name; anything else that is printed there is more telling than ours.
    heading = name if not title or title.lower() == "abstract" else title
    writer.builder.heading(heading)
    writer.walk(abstract, (heading,), kind)


def _write_body(article: Element, writer: SectionWriter) -> None:
    body, back = child(article, "body"), child(article, "back")
    if body is not None:
        writer.walk(body, ())
    for notes in children(child(article, "front"), "notes") + children(
        child(article, "front", "article-meta"), "notes"
    ):
        writer.section(notes, ())  # the statement on the data, which PLOS and others print before the article
    if back is not None:
        writer.walk(back, ())
    _write_funding(child(article, "front", "article-meta"), writer)
    groups = children(article, "floats-group", "floats-wrap")
    groups += children(body, "floats-group") + children(back, "floats-group")
    for group in groups:
        for part in group:
            if local_name(part):
                writer.write_float(part, writer.anchor_of(part))
    if not _has_body(article):
        writer.warnings.append("the file has no body: the publisher may not allow its full text to be given out")


def _write_funding(meta: Element | None, writer: SectionWriter) -> None:
    """Who paid, where it is said in the front matter only: readers of trials need it."""
    words = [
        plain_text(part) for group in children(meta, "funding-group") for part in children(group, "funding-statement")
    ]
    if any(words):
        writer.builder.heading("Funding")
        writer.builder.section(("Funding",), words)


def _has_body(article: Element) -> bool:
    body = child(article, "body")
    return body is not None and any((text or "").strip() for text in body.itertext())


def _identifiers(meta: Element | None, builder: TextBuilder) -> Identifiers:
    """The article's own identifiers; the ids of references and of sub-articles stand elsewhere."""
    ids: dict[str, str] = {}
    for entry in children(meta, "article-id"):
        ids.setdefault((entry.get("pub-id-type") or "").lower(), plain_text(entry))
    pmcid = next((found for kind in ("pmcid", "pmc", "pmcaid") if (found := clean_pmcid(ids.get(kind)))), None)
    abstract = " ".join(section.text for section in builder.sections if section.kind == "abstract")
    return Identifiers(
        pmid=clean_pmid(ids.get("pmid")), pmcid=pmcid, doi=clean_doi(ids.get("doi")), nct_ids=nct_numbers(abstract)
    )


def _journal(article: Element) -> str | None:
    journal = child(article, "front", "journal-meta")
    title = child(journal, "journal-title-group", "journal-title")
    return plain_text(title if title is not None else child(journal, "journal-title")) or None


def _year(meta: Element | None) -> int | None:
    """The earliest year in which the article itself was published; the release in PMC may be much later."""
    years = []
    for date in children(meta, "pub-date"):
        kind = date.get("pub-type") or date.get("publication-format") or "pub"
        year = parse_year(plain_text(child(date, "year")))
        if year is not None and (kind in _PUBLICATION_DATES or date.get("date-type") == "pub"):
            years.append(year)
    if years:
        return min(years)
    return next((y for d in children(meta, "pub-date") if (y := parse_year(plain_text(child(d, "year"))))), None)


def _license(meta: Element | None) -> str | None:
    permissions = child(meta, "permissions")
    if permissions is None:
        return None
    for element in permissions.iter():
        if local_name(element) == "license_ref" and (address := plain_text(element)).startswith("http"):
            return address
    for element in permissions.iter():
        address = attribute(element, "href") or ""
        if local_name(element) in ("license", "ext-link", "uri") and "creativecommons.org/" in address:
            return address
    words = plain_text(child(permissions, "license"))
    return words[:500] or plain_text(child(permissions, "copyright-statement")) or None


def _links(meta: Element | None) -> tuple[NoticeLink, ...]:
    links = []
    for related in children(meta, "related-article"):
        kind = _LINK_KINDS.get((related.get("related-article-type") or "").lower())
        target = attribute(related, "href") or plain_text(related)
        pmid = clean_pmid(target) if related.get("ext-link-type") in ("pubmed", "pmid") else None
        doi = clean_doi(target)
        if kind and (pmid or doi):
            links.append(NoticeLink(kind=kind, pmid=pmid, doi=doi))
    return tuple(links)
