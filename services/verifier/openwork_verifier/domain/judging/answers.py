"""What a judge answers. Whoever it is: nothing counts without a quotation, and what counts is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from openwork_contracts.verdict import EvidenceItem
from openwork_llm.client import RunOfModel

from openwork_verifier.domain.judging.questions import QuestionedClaim


class Judgement(StrEnum):
    """What a judge says of a question."""

    ENTAILED = "entailed"
    NOT_ENTAILED = "not_entailed"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The answer to one question."""

    claim: int
    """`QuestionedClaim.id`."""
    question: int
    """`Question.id`."""
    verdict: Judgement
    source: int
    """Number of the evidence item that is quoted."""
    quote: str
    arm: str = ""
    """What the number in question belongs to, in words of the source; empty = not told, or no number is asked about."""
    outcome: str = ""
    time: str = ""


class Judge(Protocol):
    """Reads claims and sources side by side."""

    @property
    def name(self) -> str:
        """As readers are told, e.g. "a language model"."""

    async def judge(
        self,
        claims: Sequence[QuestionedClaim],
        items: Sequence[EvidenceItem],
        run: RunOfModel,
        *,
        deadline_at: datetime | None,
    ) -> Sequence[JudgedAnswer]:
        """An answer to each question, or to some of them.

        Args:
            claims: at least one.
            deadline_at: when the run ends; `None` = not known.
        Raises:
            OpenWorkError: there is no answer; the code's verdicts stand.
        """

    async def has_judged(self, run: RunOfModel) -> bool:
        """Whether claims of this run that stand need not be asked about again."""
