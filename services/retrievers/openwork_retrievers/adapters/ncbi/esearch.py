"""ESearch answers, as JSON or XML: what was found and what PubMed made of the query."""

from __future__ import annotations

import re
from dataclasses import dataclass

from openwork_contracts.errors import SourceChanged
from openwork_contracts.strategy import SearchConcept
from openwork_http.jsonbody import at, count_at, error_of, load_object, text_at, texts_at

from openwork_retrievers.adapters.xml import flat_text, parse


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """One ESearch answer."""

    count: int
    """Records that match in all."""
    ids: tuple[str, ...] = ()
    web_env: str | None = None
    """The History server's session and set, when `usehistory` was asked for."""
    query_key: str | None = None
    translation: str | None = None
    dropped: tuple[str, ...] = ()
    """Phrases the engine did not find or ignored: they took no part in the search."""
    warnings: tuple[str, ...] = ()
    """Everything it complained about, in its own words."""


def parse_esearch(source: str, body: bytes) -> SearchAnswer:
    """An ESearch answer in either format.

    Raises:
        SourceChanged: neither of them, or without a count.
        SourceUnavailable, SourceRefused: an error inside the answer.
    """
    return _from_xml(source, body) if body.lstrip()[:1] == b"<" else _from_json(source, body)


def _from_json(source: str, body: bytes) -> SearchAnswer:
    answer = load_object(source, body)
    result = at(answer, "esearchresult")
    if reason := text_at(result, "ERROR"):
        raise error_of(source, reason)
    count = count_at(result, "count")
    if count is None:
        raise SourceChanged(f"{source} answered a search without esearchresult.count")
    not_found = (
        *texts_at(result, "errorlist", "phrasesnotfound"),
        *texts_at(result, "errorlist", "fieldsnotfound"),
        *texts_at(result, "warninglist", "phrasesignored"),
        *texts_at(result, "warninglist", "quotedphrasesnotfound"),
    )
    messages = texts_at(result, "warninglist", "outputmessages")
    return SearchAnswer(
        count=count,
        ids=texts_at(result, "idlist"),
        web_env=text_at(result, "webenv"),
        query_key=text_at(result, "querykey"),
        translation=text_at(result, "querytranslation"),
        dropped=not_found,
        warnings=(*(f"not found, left out: {phrase}" for phrase in not_found), *messages),
    )


def _from_xml(source: str, body: bytes) -> SearchAnswer:
    root = parse(source, body)
    reason = flat_text(root.find("ERROR")) or (flat_text(root) if root.tag == "ERROR" else "")
    if reason:
        raise error_of(source, reason)
    count = root.findtext("Count") or ""
    if root.tag != "eSearchResult" or not count.strip().isdigit():
        raise SourceChanged(f"{source} answered a search with <{root.tag}> and no Count")
    not_found = tuple(
        flat_text(entry)
        for path in ("ErrorList/PhraseNotFound", "ErrorList/FieldNotFound", "WarningList/PhraseIgnored",
                     "WarningList/QuotedPhraseNotFound")
        for entry in root.iterfind(path)
    )  # fmt: skip
    messages = tuple(flat_text(entry) for entry in root.iterfind("WarningList/OutputMessage"))
    return SearchAnswer(
        count=int(count),
        ids=tuple((entry.text or "").strip() for entry in root.iterfind("IdList/Id")),
        web_env=root.findtext("WebEnv"),
        query_key=root.findtext("QueryKey"),
        translation=flat_text(root.find("QueryTranslation")) or None,
        dropped=not_found,
        warnings=(*(f"not found, left out: {phrase}" for phrase in not_found), *messages),
    )


def dropped_concepts(answer: SearchAnswer, wanted: tuple[tuple[SearchConcept, ...], ...]) -> tuple[str, ...]:
    """Groups of concepts no name of which took part in the search: what was then searched for is another question.

    A synonym that PubMed does not know, beside others that it does, changes nothing and is not counted.
    """
    dropped = {_bare(phrase) for phrase in answer.dropped}
    translation = _bare(answer.translation or "")
    not_found = []
    for group in wanted:
        names = {_bare(name) for concept in group for name in concept.names(broad=True)}
        names |= {_bare(heading.text) for concept in group for heading in concept.headings}
        if names <= dropped or (translation and not any(_occurs(name, translation) for name in names)):
            not_found.append(" or ".join(concept.name for concept in group))
    return tuple(not_found)


def _bare(text: str) -> str:
    return " ".join(re.sub(r"\[[^\]]*\]|[\"()]", " ", text).lower().split())


def _occurs(name: str, translation: str) -> bool:
    """A name counts as searched when it, or all of its words, stand in the translation."""
    return name in translation or all(word in translation for word in name.split())
