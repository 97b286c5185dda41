"""The verification gate alone: a text with [n] citations and what it cites in, the verdict on each sentence out."""

from __future__ import annotations

from fastapi import APIRouter
from openwork_contracts.requests import VerifyRequest
from openwork_contracts.verdict import EvidenceItem, VerificationReport
from pydantic import BaseModel, ConfigDict, Field

from openwork_api.depend import Bus, Questioner
from openwork_api.problems import ProblemError

router = APIRouter(tags=["verify"])


class Verify(BaseModel):
    """A text to be checked."""

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_extra={
            "examples": [
                {
                    "text": "Major bleeding was less frequent with apixaban (2.13% versus 3.90% per year) [1].",
                    "evidence": [
                        {
                            "n": 1,
                            "text": "Major bleeding was less frequent with apixaban than with warfarin (2.13% versus "
                            "3.09% per year; HR 0.69, 95% CI 0.60 to 0.80).",
                        }
                    ],
                }
            ]
        },
    )

    text: str = Field(min_length=1, max_length=200_000)
    """Its sentences cite as [n]."""
    evidence: tuple[EvidenceItem, ...] = ()
    """What it cites, by number."""


@router.post("/verify", summary="Check a text against its sources")
async def verify(body: Verify, bus: Bus, person: Questioner) -> VerificationReport:
    """Each sentence: supported, not confirmed, unsupported, contradicted or uncited, with reasons. Nothing is kept."""
    reply = await bus.verify(person, VerifyRequest(text=body.text, evidence=body.evidence))
    if reply.report is None:
        raise ProblemError(502, "ContractViolation", "the services' reply holds no report")
    return reply.report
