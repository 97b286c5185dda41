"""What a run's document says of what it did not get, against the same question asked when nothing went wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument, MethodSource
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import SourceStatus
from openwork_http.call import TOO_SHORT


@dataclass(frozen=True)
class Reference:
    """What a question finds when it is asked alone and nothing goes wrong."""

    found: dict[str, int]
    """Records, by source."""
    n_texts: int
    """Full texts read."""


@dataclass(frozen=True)
class Loss:
    """Something that a run did not get."""

    of: str
    """A source, or "full texts"."""
    n: int
    why: str
    """The reason as the document tells it; empty = it does not."""


def reference(document: AnswerDocument) -> Reference:
    """The measure for others, out of a run without fault."""
    found = {source.name: source.found for source in document.method.sources}
    return Reference(found, document.method.counts.get("fulltext", 0))


def losses(document: AnswerDocument, known: Reference) -> Iterator[Loss]:
    """Records of each source, and full texts, that are fewer than known."""
    sources = {source.name: source for source in document.method.sources}
    for name, n in known.found.items():
        source = sources.get(name)
        if (missing := n - (source.found if source else 0)) > 0:
            yield Loss(name, missing, why(document, source) if source else "")
    if (missing := known.n_texts - document.method.counts.get("fulltext", 0)) > 0:
        yield Loss("full texts", missing, why_no_text(document))


def why(document: AnswerDocument, source: MethodSource) -> str:
    """Why a source gave less than it might: its report, and the line that every reader sees."""
    named = re.compile(rf"(?<![\w-]){re.escape(source.name)}(?![\w-])")
    lines = [text for text in document.method.degradations if named.search(text)]
    lines = [text for text in lines if "stricter searches found" not in text and "too little was found" not in text]
    if source.status == SourceStatus.COMPLETED.value:
        return general("; ".join(lines))
    if not (lines and source.reason and source.detail):
        return ""  # a failure is owed all three: a line for every reader, a reason, and the reason in words
    return general(f"{source.status} ({source.reason}), {source.detail}")


def why_no_text(document: AnswerDocument) -> str:
    """What was tried for the works whose full text was not read; empty where one of them has no word."""
    if document.record is None:
        return ""
    unread = [w.fulltext for w in document.record.candidates if w.fulltext and w.fulltext.source is None]
    late = next((text for text in document.method.degradations if "had not arrived" in text), "")
    words = [general("; ".join(one.tried)) or (late if one.elapsed_s is None else "") for one in unread]
    if unread and not all(words):
        return ""
    if not unread:
        return (
            "fewer works with a full text were shortlisted, since their sources failed" if _any_failed(document) else ""
        )
    (most, times), *others = Counter(words).most_common()
    return f"{most} ({times} works{f', {len(others)} other reasons' if others else ''})"


def _any_failed(document: AnswerDocument) -> bool:
    return any(source.status != SourceStatus.COMPLETED.value for source in document.method.sources)


def works_unaccounted(document: AnswerDocument) -> Iterator[str]:
    """Sums that do not add up: a record or a work that is neither kept nor counted out."""
    counts = document.method.counts
    found = sum(source.found for source in document.method.sources)
    if found != counts.get("identified", 0):
        yield f"{found} records found, {counts.get('identified', 0)} identified"
    parts = ("duplicates", "excluded_notices", "excluded_no_text", "excluded_superseded", "screened")
    if (sum_ := sum(counts.get(part, 0) for part in parts)) != counts.get("identified", 0):
        yield f"{counts.get('identified', 0)} records identified, {sum_} accounted for"
    works = document.record.candidates if document.record else ()
    wanted = sum(counts.get(part, 0) for part in ("screened", "excluded_no_text", "excluded_superseded"))
    if len(works) != wanted:
        yield f"{wanted} works, {len(works)} with what became of them"


def wrongly_blamed(document: AnswerDocument, struck: Collection[str]) -> Iterator[str]:
    """Sources that answered as they should and are named as failing; what was ours is to be said to be."""
    for source in document.method.sources:
        ours = source.reason == FailureReason.OWN_LIMIT.value or TOO_SHORT in (source.detail or "")
        if source.name not in struck and source.reason is not None and not ours:
            yield f"{source.name} answered, and is said to have failed ({source.reason}): {source.detail}"


def general(text: str) -> str:
    """A message without what differs from run to run: numbers with a fraction, addresses, long queries."""
    text = re.sub(r"https?://\S+", "URL", text)
    text = re.sub(r"\d+\.\d+ s", "n s", text)
    return text if len(text) <= 300 else f"{text[:200]} ... {text[-90:]}"
