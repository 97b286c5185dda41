"""What the tests of judges share: sources, claims as the gate leaves them, answers."""

from __future__ import annotations

from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.answer import AnswerSection, SectionKind
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, FindingKind, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement
from openwork_verifier.domain.judging.questions import QuestionedClaim, claims_to_ask
from openwork_verifier.domain.judging.verdicts import Judged, apply

from tests.builders import run_on
from tests.handling import bus_of_today

WHO = "a judge"
RATES = "Bleeding of the major kind occurred in 2.1% with apixaban and 3.1% of those with warfarin at 12 months."
LISTED = "Stroke was seen in 1.2% and 1.9% with apixaban and warfarin, respectively."
EFFECTS = (
    "Apixaban did not lower mortality compared with warfarin (P=0.40), but it lowered the risk of stroke (P=0.01)."
)
PREDICTORS = "Age, sex, diabetes, smoking and hypertension predicted stroke."
OTHER = "In mice, exercise was good for memory."
ITEMS = (
    EvidenceItem(n=1, title="Apixaban", text=f"{RATES} {LISTED} {EFFECTS} {PREDICTORS}"),
    EvidenceItem(n=2, title="Exercise", text=OTHER),
)


def suspicion(code: ReasonCode, detail: str = "it looks wrong") -> VerdictReason:
    """As a check gives it."""
    return VerdictReason(code=code, kind=FindingKind.SUSPICION, detail=detail)


def unbound(number: str) -> VerdictReason:
    """The number looks as if it were another arm's."""
    return suspicion(ReasonCode.NUMBER_NOT_BOUND, f"{number!r} belongs to something else in [1]; there it is '9.9%'")


def suspected(text: str, *reasons: VerdictReason, citations: tuple[int, ...] = (1,)) -> ClaimVerdict:
    """A claim with suspicions against it."""
    return ClaimVerdict(text=text, citations=citations, verdict=Verdict.NOT_CONFIRMED, reasons=reasons)


def supported(text: str) -> ClaimVerdict:
    """A claim that code supports, in its own words."""
    return ClaimVerdict(text=text, citations=(1,), verdict=Verdict.SUPPORTED)


def section(*claims: ClaimVerdict) -> tuple[AnswerSection, ...]:
    """A draft of one section."""
    return (AnswerSection(kind=SectionKind.EVIDENCE, heading="Evidence", claims=claims),)


def asked_about(*claims: ClaimVerdict) -> tuple[QuestionedClaim, ...]:
    """The questions about a draft."""
    return claims_to_ask(section(*claims), ITEMS)


def answer(
    quote: str,
    verdict: Judgement = Judgement.ENTAILED,
    *,
    claim: int = 1,
    question: int = 1,
    source: int = 1,
    arm: str = "",
    outcome: str = "",
    time: str = "",
) -> JudgedAnswer:
    """The answer to one question."""
    return JudgedAnswer(claim, question, verdict, source, quote, arm, outcome, time)


def after(claim: ClaimVerdict, *answers: JudgedAnswer) -> ClaimVerdict:
    """The claim when these answers have been given."""
    return judged(claim, *answers).sections[0].claims[0]


def judged(claim: ClaimVerdict, *answers: JudgedAnswer) -> Judged:
    """The draft of one claim when these answers have been given."""
    return apply(section(claim), asked_about(claim), answers, ITEMS, who=WHO)


def some_run(bus: MemoryBus | None = None) -> Run:
    """A run as a judge needs one."""
    return run_on(bus or bus_of_today(), service="verifier")
