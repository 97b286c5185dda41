"""The verification gate alone: a text with [n] citations and what it cites in, the verdict on each sentence out."""

from __future__ import annotations

from fastapi import APIRouter
from openwork_contracts.requests import VerifyRequest
from openwork_contracts.verdict import EvidenceItem, VerificationReport
from pydantic import BaseModel, ConfigDict, Field

from openwork_api.bodies import Place, Year
from openwork_api.depend import Bus, Questioner
from openwork_api.problems import ProblemError

router = APIRouter(tags=["verify"])


class Source(BaseModel):
    """One numbered text that the draft cites."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    n: Place
    text: str = Field(max_length=2_000_000)
    """The words that sentences may rest on."""
    title: str = Field(default="", max_length=2000)
    pmid: str | None = Field(default=None, max_length=20)
    doi: str | None = Field(default=None, max_length=300)
    nct_id: str | None = Field(default=None, max_length=20)
    year: Year | None = None
    status: str | None = Field(default=None, max_length=40, examples=["retracted"])
    """What is known of the work: a sentence that cites a retracted one has to say so."""
    text_origin: str | None = Field(default=None, max_length=40, examples=["publisher"])
    """Whose words `text` is, as `/lookup` says it; left out, nothing is claimed of it."""


class Verify(BaseModel):
    """A text to be checked."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
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
    evidence: list[Source] = Field(default_factory=list, max_length=300)
    """What it cites, by number."""


@router.post("/verify", summary="Check a text against its sources")
async def verify(body: Verify, bus: Bus, person: Questioner) -> VerificationReport:
    """Each sentence: supported, not confirmed, unsupported, contradicted or uncited, with reasons. Nothing is kept."""
    return await report_of(bus, person, body)


async def report_of(bus: Bus, person: Questioner, body: Verify) -> VerificationReport:
    """What the gate says of a text."""
    items = tuple(EvidenceItem(**source.model_dump(exclude_none=True)) for source in body.evidence)
    reply = await bus.verify(person, VerifyRequest(text=body.text, evidence=items))
    if reply.report is None:
        raise ProblemError(502, "ContractViolation", "the services' reply holds no report")
    return reply.report
