"""A model's sentence as plain text: nothing that acts or leads elsewhere, no talk about the evidence as a set.

What a model writes beside a finding is dropped here: links, images, HTML, citation marks (sources are named beside the
sentence), questions, and every sentence about the evidence as a set, since no passage can bear it out; the program says
those itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.answer import DraftSection, SectionKind
from openwork_evidence.citations import strip_citations
from openwork_knowledge.patterns import pattern
from openwork_language.sentences import is_heading, split_sentences
from openwork_language.unseen import without_unseen
from openwork_llm.untrusted import unescaped

from openwork_synthesiser.domain.selection import n_words

MAX_CLAIM_CHARS = 900
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"^\s*(?:```|~~~|''')\w*\s*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?[^)]*\)")
_LINK_REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s*\S+.*$", re.MULTILINE)
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|data|javascript|vbscript|mailto)\s*:\S[^\s<>\"']*|//[\w.-]+\.\w{2,}\S*|\bwww\.\S+"
    r"|\b[\w.+-]+@[\w-]+\.\w{2,}\b",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    r"(?<![\w@])(?:[a-z0-9-]+\.)+(?:com|org|net|io|info|biz|gov|edu|co|ru|cn|xyz|example)(?:/\S*)?(?!\w)", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z!?][^<>\n]{0,300}>")
_TAG_START = re.compile(r"<+(?=[A-Za-z/!?])")
_MOST_ROUNDS = 20
"""Removing one thing may put another together ("htt<b></b>ps:"): rounds until nothing changes."""
_SCRIPT = re.compile(r"<(script|style|svg|iframe|object)\b.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`|^>+\s*", re.MULTILINE)
_LABEL = re.compile(rf"^{pattern('evidence-as-a-set', 'label')}\s*:\s+(?=\S)", re.IGNORECASE)
_END = re.compile(r"[.!]['\")\]”’]*$")


def _any(group: str) -> str:
    return pattern("evidence-as-a-set", group)


_MANY, _ONE = _any("many"), _any("one")
_NONE = r"(?:no|few|none|neither|only\s+\w+|not?\s+(?:a\s+single|one|any))\b[^.;]*\b"
_FOUND = r"(?:was|were)\s+(?:found|retrieved|identified|available)\b"
_OPENINGS = (
    rf"{_NONE}(?:{_MANY}|{_ONE})\b",
    rf"(?:the|this|these|those|our|all|both|most|some)\s+(?:[\w-]+\s+){{0,3}}?{_MANY}\b(?=.*\b{_any('of_a_set')}\b)",
    r"(?:we|i)\s+(?:searched|found|looked|screened|reviewed)\b",
    rf"{_MANY}\s+{_any('searching')}\b",
    rf"(?:this|the)\s+{_any('answer')}\b",
    rf"(?:each|every)\s+{_any('each')}\b",
    rf"(?:based\s+on|according\s+to|from|in)\s+(?:the|these|this|our)\s+(?:[\w-]+\s+){{0,2}}?{_any('said_by')}\b",
)
_ANYWHERE = (
    r"\bnot\s+(?:medical|clinical)\s+advice\b|\bdoes\s+not\s+replace\b",
    rf"\b{_FOUND}.{{0,40}}\b{_MANY}\b",
    rf"\b(?:{_MANY}|{_ONE})\b[^.;]*\b(?:was|were|are|is)\s+(?:not\s+)?(?:found|retrieved|identified|available)\b",
)
_ABOUT_THE_SET = re.compile(rf"^(?:{'|'.join(_OPENINGS)})|{'|'.join(_ANYWHERE)}", re.IGNORECASE)
"""Statements about the evidence as a set, drawn wide: what the gate would let pass as "not a claim" must not come from
a model, and the program says it itself."""


def sentences_of(text: str) -> tuple[str, ...]:
    """What a model wrote for one claim as sentences that may be claims, without marks; empty when none may."""
    found = (_sentence(s.text) for s in split_sentences(plain_markdown(text)) if not is_heading(s.text.strip()))
    return tuple(sentence for sentence in found if sentence is not None)


def _sentence(raw: str) -> str | None:
    """One sentence; `None` when it is none that a model may write."""
    text = " ".join(plain_markdown(strip_citations(raw)).split()).strip(" -–•*|#")
    text = _LABEL.sub("", text)
    if not re.search(r"[^\W\d_]{2}", text) or len(text) > MAX_CLAIM_CHARS:
        return None
    if text.endswith(("?", ":")) or is_about_the_set(text):
        return None
    return text if _END.search(text) else text.rstrip(" ,;") + "."


def is_about_the_set(text: str) -> bool:
    """Whether a sentence speaks of the evidence as a set, of the search or of the answer itself."""
    return bool(_ABOUT_THE_SET.search(text.strip()))


def plain_markdown(text: str) -> str:
    """The text without anything that could act, load or lead elsewhere; headings, bullets and citation marks stay."""
    text = without_unseen(unescaped(text))
    for _ in range(_MOST_ROUNDS):
        before, text = text, _stripped(text)
        if text == before:
            return text
    return ""


def _stripped(text: str) -> str:
    for unwanted in (_THOUGHT, _SCRIPT, _IMAGE, _LINK_REFERENCE, _FENCE, _EMPHASIS):
        text = unwanted.sub("", text)
    text = _LINK.sub(lambda m: f"[{m[1]}]" if m[1].strip().isdigit() else m[1], text).replace("](", "] (")
    for unwanted in (_TAG, _ADDRESS, _DOMAIN, _TAG_START):
        text = unwanted.sub("", text)
    return text


def cut_to_words(sections: Sequence[DraftSection], max_words: int) -> tuple[DraftSection, ...]:
    """The sections within the limit: whole sentences go, from the end of the evidence first, the direct answer last."""
    kept = [list(section.claims) for section in sections]
    words = sum(n_words(claim.text) for claims in kept for claim in claims)
    expendable = (SectionKind.EVIDENCE, SectionKind.LIMITATIONS, SectionKind.CONFLICTS, SectionKind.DIRECT_ANSWER)
    for kind in expendable:
        for section, claims in reversed(list(zip(sections, kept, strict=True))):
            while section.kind is kind and claims and words > max_words:
                words -= n_words(claims.pop().text)
    return tuple(
        section.model_copy(update={"claims": tuple(claims)})
        for section, claims in zip(sections, kept, strict=True)
        if claims
    )
