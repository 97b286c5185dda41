"""Whose words a reader is shown, in words: only a source's own are ever called its words."""

from __future__ import annotations

from openwork_contracts.answer import Reference
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.verdict import VerificationScores

_CITED_TEXT = {
    TextOrigin.PUBLISHER: "the paper's own words",
    TextOrigin.PREPRINT: "the preprint's own words",
    TextOrigin.REGISTRY: "the registry's entry",
    TextOrigin.LABEL: "the drug label",
    TextOrigin.WEB_PAGE: "a web page",
    TextOrigin.USER_DOCUMENT: "the text of an imported file",
    TextOrigin.DATABASE: "a database's entry",
}
_OUR_SUMMARY = "our summary, not the paper's words"


def cited_text(reference: Reference) -> str | None:
    """What stands behind a reference's number; `None` = nobody has said it, and nothing is claimed."""
    if reference.text_origin is TextOrigin.OUR_SUMMARY:
        where = f"confirmed at {reference.confirmed_at}" if reference.confirmed_at else None
        return "cited text: " + "; ".join(filter(None, (_OUR_SUMMARY, where)))
    known = _CITED_TEXT.get(reference.text_origin)
    return f"cited text: {known}" if known else None


def checked_against(scores: VerificationScores) -> str:
    """ ": 2 against the sources' own words, 3 against our summaries ..."; empty where nobody has said it of any."""
    unknown = scores.supported - scores.against_own_words - scores.against_summaries
    if unknown == scores.supported:
        return ""
    parts = (
        (scores.against_own_words, "against the sources' own words"),
        (scores.against_summaries, "against our summaries of publications"),
        (unknown, "against text of which it is not known whose words it is"),
    )
    return ": " + ", ".join(f"{n} {words}" for n, words in parts if n)
