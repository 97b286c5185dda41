"""Entailment by a language model, after the checks by code: may what a claim says be said in these words?

All claims against which the checks by code (citations, numbers, names, direction, certainty, advice) have nothing go
into one call: those that code supports, which a judgement can lower, and those of which code only says that their
wording is not the source's, which it can raise. It overrules no finding of those checks. Every judgement must quote
the words of the cited passage that decide it; a quotation that does not stand there makes the judgement void, and the
code's verdict stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.answer import AnswerSection, DraftSection, RevisionRequested
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, EvidenceSpan, ReasonCode, Verdict, VerdictReason
from openwork_evidence.quotes import find_quote
from openwork_language.wording import concepts, content
from openwork_llm.prompts import Filling, Ours, Prompt, Theirs, load_prompt
from pydantic import BaseModel, ConfigDict, Field

MAX_CLAIMS = 40
"""Claims of one call; an answer of 500 words has fewer."""
MAX_SOURCE_CHARS = 6_000
"""Of one source; passages of one work together are seldom longer."""
MIN_SHARED = 2
"""Least content words that a claim and the quotation for it share: else it was quoted at random."""
MAX_SHOWN_CHARS = 160
"""Of a quotation that is shown as the reason."""


class Entailment(StrEnum):
    """What the model says of a claim and its sources."""

    ENTAILED = "entailed"
    NOT_ENTAILED = "not_entailed"
    CONTRADICTED = "contradicted"


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ModelJudgement(_Shape):
    """One claim judged."""

    id: int
    verdict: Entailment
    source: int
    quote: str


class ModelEntailment(_Shape):
    """What the model is asked to say of all claims."""

    judgements: list[ModelJudgement] = Field(max_length=2 * MAX_CLAIMS)


@dataclass(frozen=True, slots=True)
class Checked:
    """The sections after the model's judgement."""

    sections: tuple[AnswerSection, ...]
    n_asked: int
    n_void: int
    """Claims without a judgement that counts: the code's verdict stands for them."""
    n_lowered: int
    n_raised: int


def verifier_prompt() -> Prompt:
    """The prompt in use."""
    return load_prompt("openwork_verifier", "verifier", 1)


def claims_to_ask(
    sections: Sequence[AnswerSection], items: Sequence[EvidenceItem], *, known: frozenset[tuple[str, tuple[int, ...]]]
) -> tuple[ClaimVerdict, ...]:
    """The claims that a model is asked about: nothing by code against them, and not word for word their source's.

    Args:
        known: claims, as (text, citations), that a model has found entailed already.
    """
    texts = {item.n: item.text for item in items}
    return tuple(
        claim
        for section in sections
        for claim in section.claims
        if (claim.verdict is Verdict.SUPPORTED or fails_by_wording_alone(claim))
        and (claim.text, claim.citations) not in known
        and not any(find_quote(claim.text.rstrip("."), texts.get(n, "")) for n in claim.citations)
    )[:MAX_CLAIMS]


def fails_by_wording_alone(claim: ClaimVerdict) -> bool:
    """Whether code only misses words: its source is on the subject, and no check has found a fault."""
    return claim.verdict is Verdict.PARTLY_SUPPORTED and {r.code for r in claim.reasons} == {
        ReasonCode.CONTENT_NOT_FOUND
    }


def with_known(
    sections: Sequence[AnswerSection], known: frozenset[tuple[str, tuple[int, ...]]]
) -> tuple[AnswerSection, ...]:
    """The sections with the claims supported whose wording a model has accepted in the first draft."""
    return _each_claim(
        sections, lambda c: _accepted(c) if (c.text, c.citations) in known and fails_by_wording_alone(c) else c
    )


def known_claims(draft: Sequence[DraftSection], request: RevisionRequested) -> frozenset[tuple[str, tuple[int, ...]]]:
    """The claims of the first draft that did not fail: judged then, and not judged again."""
    failed = {(claim.text, claim.citations) for claim in request.failed}
    return frozenset(
        key for section in draft for claim in section.claims if (key := (claim.text, claim.citations)) not in failed
    )


def fillings_of(claims: Sequence[ClaimVerdict], items: Sequence[EvidenceItem]) -> dict[str, Filling]:
    """What fills the prompt: the cited sources once each, and the claims by number."""
    cited = {n for claim in claims for n in claim.citations}
    sources: list[Ours | Theirs] = []
    for item in items:
        if item.n in cited:
            text = f"Title: {item.title}\n{item.text[:MAX_SOURCE_CHARS]}"
            sources += (Ours(f"[{item.n}]"), Theirs(f"source {item.n}", text))
    numbered: list[Ours | Theirs] = []
    for i, claim in enumerate(claims, start=1):
        numbered += (
            Ours(f"claim {i}, cites {', '.join(str(n) for n in claim.citations)}"),
            Theirs(f"claim {i}", claim.text),
        )
    return {"sources": tuple(sources), "claims": tuple(numbered)}


def apply(
    sections: Sequence[AnswerSection],
    asked: Sequence[ClaimVerdict],
    answer: ModelEntailment,
    items: Sequence[EvidenceItem],
) -> Checked:
    """The sections with other verdicts where a judgement counts. The first judgement of a claim counts."""
    texts = {item.n: item.text for item in items}
    judged: dict[int, ModelJudgement] = {}
    for judgement in answer.judgements:
        judged.setdefault(judgement.id, judgement)
    changed: dict[tuple[str, tuple[int, ...]], ClaimVerdict] = {}
    n_void = n_raised = 0
    for i, claim in enumerate(asked, start=1):
        own = judged.get(i)
        quote = find_quote(own.quote, texts.get(own.source, "")) if own and own.source in claim.citations else None
        if own is None or quote is None:
            n_void += 1
        elif own.verdict is not Entailment.ENTAILED:
            changed[claim.text, claim.citations] = _lowered(claim, own, quote.text)
        elif fails_by_wording_alone(claim):
            if len(content(claim.text) & concepts(quote.text)) < MIN_SHARED:
                n_void += 1
                continue
            span = EvidenceSpan(n=own.source, quote=quote.text, start=quote.start, end=quote.end)
            changed[claim.text, claim.citations] = _accepted(claim, span)
            n_raised += 1
    return Checked(
        sections=_each_claim(sections, lambda c: changed.get((c.text, c.citations), c)),
        n_asked=len(asked),
        n_void=n_void,
        n_lowered=len(changed) - n_raised,
        n_raised=n_raised,
    )


def _each_claim(
    sections: Sequence[AnswerSection], change: Callable[[ClaimVerdict], ClaimVerdict]
) -> tuple[AnswerSection, ...]:
    return tuple(s.model_copy(update={"claims": tuple(change(c) for c in s.claims)}) for s in sections)


def _accepted(claim: ClaimVerdict, span: EvidenceSpan | None = None) -> ClaimVerdict:
    evidence = (span, *claim.evidence) if span else claim.evidence
    return claim.model_copy(update={"verdict": Verdict.SUPPORTED, "reasons": (), "evidence": evidence})


def _lowered(claim: ClaimVerdict, judgement: ModelJudgement, quote: str) -> ClaimVerdict:
    contradicted = judgement.verdict is Entailment.CONTRADICTED
    what = "contradicts it" if contradicted else "does not say all of it"
    shown = quote if len(quote) <= MAX_SHOWN_CHARS else f"{quote[:MAX_SHOWN_CHARS]}..."
    reason = VerdictReason(
        code=ReasonCode.NOT_ENTAILED, detail=f"as a language model reads it, [{judgement.source}] {what}: {shown!r}"
    )
    return claim.model_copy(
        update={
            "verdict": Verdict.CONTRADICTED if contradicted else Verdict.UNSUPPORTED,
            "reasons": (*claim.reasons, reason),
        }
    )
