"""Documents to export: every kind of reference, a whole record, and texts that mean to do harm."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_contracts.answer import (
    AnswerBody,
    AnswerDocument,
    Method,
    MethodSource,
    Reference,
    RunStatus,
    Timings,
)
from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_contracts.evidence import (
    ArmResult,
    EffectEstimate,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    Provenance,
    SourceStatus,
    StudyDesign,
    TextOrigin,
    TrialArm,
)
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.record import CandidateRecord, Decision, RoundRecord, RunRecord, SearchRecord
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan, Verdict, VerificationScores

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SCORES = VerificationScores(claims=1, supported=1, unsupported=0, grounding_score=1.0, citation_coverage=1.0)
HOSTILE = (
    'A "title" with {braces} and 50% & $5 #1 a_b c~d e^f \\x',
    "unbalanced { brace",
    "unbalanced } brace, } more",
    "ER  - \nTY  - JOUR\nTI  - a second record",
    "two\r\nlines\vand\x0cmore\u2028here\u2029too\x85end",
    "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>",
    "![x](http://evil.example/p.png) [y](javascript:alert(1)) <http://evil.example>",
    "\u202eright to left\u202c and \u200bnothing seen",
    '=HYPERLINK("http://evil.example","x")',
    "@SUM(A1:A9)",
    "+1+1",
    "-2+3",
    "| a | table | row |",
    "]]> --> */ </style></title></textarea>",
    "}, author = {Somebody Else}, title = {Another}",
    "@article{evil, title = {x}}",
    "Ärzte, 王伟, Ελλάδα, עברית, ไทย, naïve café β₂ ≥ 3 µg",
    "x" * 10_000,
    "word " * 2_000,
    "[1] [2] [999] `code` *stars* _under_ &amp; &#60;",
)


def reference(n: int = 1, /, **changes: object) -> Reference:
    fields: dict[str, object] = {
        "n": n,
        "source": "pubmed",
        "id": f"pmid:{1000 + n}",
        "pmid": str(1000 + n),
        "doi": f"10.1056/nejm{n}",
        "title": "Apixaban versus warfarin in patients with atrial fibrillation",
        "authors": ("Granger CB", "van der Berg-Smith J", "Lopes RD Jr"),
        "journal": "N Engl J Med",
        "year": 2011,
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{1000 + n}/",
        "study_design": StudyDesign.RCT,
        "status": EvidenceStatus.NONE,
        "text_origin": TextOrigin.PUBLISHER,
    }
    return Reference.model_validate(fields | changes)


def claim(n: int = 1, *, cells: tuple[ResultCell, ...] = (), quote: str = "Apixaban lowered stroke.") -> ClaimVerdict:
    span = EvidenceSpan(n=n, quote=quote, start=0, end=len(quote), text_origin=TextOrigin.PUBLISHER)
    return ClaimVerdict(
        text="Apixaban lowered stroke.", citations=(n,), verdict=Verdict.SUPPORTED, evidence=(span,), cells=cells
    )


def hazard_ratio(n: int = 1) -> ResultCell:
    return ResultCell(
        measure="HR",
        value="0.70",
        interval=CellInterval(low="0.60", high="0.80", level="95"),
        place=CellPlace(n=n),
        p_value="<0.001",
    )


def work(name: str, decision: Decision, **changes: object) -> CandidateRecord:
    fields: dict[str, object] = {
        "candidate_id": name,
        "decision": decision,
        "title": f"Work {name}",
        "year": 2011,
        "identifiers": Identifiers(pmid="7"),
        "provenance": (Provenance(source="pubmed", source_id=name, rank=1, retrieved_at=AT),),
    }
    return CandidateRecord.model_validate(fields | changes)


STUDIED: dict[str, object] = {
    "population": "Adults with atrial fibrillation.",
    "sample_size": 18201,
    "arms": (TrialArm(name="apixaban", n=9120), TrialArm(name="warfarin", n=9081)),
    "results": (
        OutcomeResult(
            outcome="stroke or systemic embolism",
            time_point="1.8 years",
            arms=(ArmResult(arm="apixaban", n=9120, events=212), ArmResult(arm="warfarin", n=9081, events=265)),
            effect=EffectEstimate(measure="HR", estimate=0.7, ci_low=0.66, ci_high=0.95, p_value="0.01"),
        ),
    ),
}


def searched(source: str = "pubmed", *requests: SearchRequestLog, found: int = 9, round_: int = 1) -> SearchRecord:
    return SearchRecord(
        track="affirmative",
        round=round_,
        source=source,
        status=SourceStatus.COMPLETED,
        requests=requests,
        found=found,
        elapsed_s=0.5,
    )


def planned(*sources: str, round_: int = 1) -> RoundRecord:
    return RoundRecord(
        track="affirmative", round=round_, planned_at=AT, sources=sources or ("pubmed",), search_variants=()
    )


def document(*references: Reference, **changes: object) -> AnswerDocument:
    fields: dict[str, object] = {
        "run_id": RUN,
        "status": RunStatus.ANSWERED,
        "question": "Does apixaban lower stroke in atrial fibrillation?",
        "pipeline": "answer",
        "track": "affirmative",
        "submitted_at": AT,
        "answer": AnswerBody(markdown="Apixaban lowered stroke [1].", claims=(claim(),)),
        "references": references or (reference(),),
        "method": Method(sources=(MethodSource(name="pubmed", status="completed", found=9, kept=5),)),
        "verification": SCORES,
        "timings": Timings(total_s=1.0),
        "record": RunRecord(),
    }
    return AnswerDocument.model_validate(fields | changes)


ASKED = SearchRequestLog(request="GET https://x/?term=%22a+b%22", rung="strict", hits=811, fetched=9, cap=120)
NOT_ASKED = SearchRequestLog(request="GET https://x/?term=b", rung="broad", not_asked="enough was found")


def full(text: str = "Apixaban lowered stroke", **changes: object) -> AnswerDocument:
    """A document with something in every part."""
    cited = work("pmid:1001", Decision.CITED, n=1, document_score=0.9, **(STUDIED | {"population": text}))
    record = RunRecord(
        rounds=(planned(),),
        searches=(searched("pubmed", ASKED.model_copy(update={"request": text, "rung": text})),),
        candidates=(cited, work("b", Decision.BELOW_THRESHOLD, title=text, reason=text)),
    )
    counts = {"identified": 3, "duplicates": 1, "screened": 2, "shortlisted": 1, "cited": 1}
    fields: dict[str, object] = {
        "question": text,
        "method": Method(counts=counts, degradations=(text,)),
        "record": record,
        "answer": AnswerBody(markdown="Apixaban lowered stroke [1].", claims=(claim(quote=text),)),
        "withheld": (claim().model_copy(update={"verdict": Verdict.NOT_CONFIRMED, "text": text}),),
    }
    return document(reference(title=text, note=text, journal=text, authors=(text,)), **(fields | changes))
