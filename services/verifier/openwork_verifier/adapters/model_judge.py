"""A language model as judge: all questions about a draft in one call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from openwork_contracts.verdict import EvidenceItem
from openwork_llm.client import LanguageModel, RunOfModel
from openwork_llm.prompts import Filling, Ours, Prompt, Theirs, load_prompt
from pydantic import BaseModel, ConfigDict, Field

from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement
from openwork_verifier.domain.judging.questions import MAX_CLAIMS, QuestionedClaim

MAX_SOURCE_CHARS = 6_000
"""Of one source; passages of one work together are seldom longer."""
MAX_ANSWERS = 4 * MAX_CLAIMS
"""Of one call; a claim seldom has more than two questions."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ModelAnswer(_Shape):
    """The answer to one question, as it comes from the model."""

    claim: int
    question: int
    verdict: Judgement
    source: int
    quote: str
    arm: str = ""
    outcome: str = ""
    time: str = ""


class ModelAnswers(_Shape):
    """What the model is asked to say."""

    answers: list[ModelAnswer] = Field(max_length=MAX_ANSWERS)


class ModelJudge:
    """`Judge` that asks the language model of the run; budget, account and kept answers are the client's."""

    name = "a language model"

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def judge(
        self,
        claims: Sequence[QuestionedClaim],
        items: Sequence[EvidenceItem],
        run: RunOfModel,
        *,
        deadline_at: datetime | None,
    ) -> Sequence[JudgedAnswer]:
        """As `Judge.judge`."""
        fillings = fillings_of(claims, items)
        answer = await self._model.ask(judge_prompt(), fillings, ModelAnswers, run, deadline_at=deadline_at)
        return [JudgedAnswer(**one.model_dump()) for one in answer.value.answers]

    async def has_judged(self, run: RunOfModel) -> bool:
        """As `Judge.has_judged`: whether this prompt got an answer in this run."""
        return (await self._model.account(run)).asked(judge_prompt().name)


def judge_prompt() -> Prompt:
    """The prompt in use."""
    return load_prompt("openwork_verifier", "verifier", 3)


def fillings_of(claims: Sequence[QuestionedClaim], items: Sequence[EvidenceItem]) -> dict[str, Filling]:
    """What fills the prompt: the cited sources once each, and the claims by number with their questions.

    The question is ours; what looked wrong holds words of claim and source, and enters as data.
    """
    cited = {n for one in claims for n in one.claim.citations}
    sources: list[Ours | Theirs] = []
    for item in items:
        if item.n in cited:
            text = f"Title: {item.title}\n{item.text[:MAX_SOURCE_CHARS]}"
            sources += (Ours(f"[{item.n}]"), Theirs(f"source {item.n}", text))
    return {"sources": tuple(sources), "claims": tuple(part for one in claims for part in _claim_with_questions(one))}


def _claim_with_questions(one: QuestionedClaim) -> list[Ours | Theirs]:
    numbers = ", ".join(str(n) for n in one.claim.citations)
    parts: list[Ours | Theirs] = [Ours(f"claim {one.id}, cites {numbers}"), Theirs(f"claim {one.id}", one.claim.text)]
    for question in one.questions:
        number = f"question {one.id}.{question.id}"
        parts.append(Ours(f"{number}, kind {question.kind}: {question.words}"))
        if question.suspected:
            parts.append(Theirs(f"suspicion of {number}", question.suspected))
    return parts
