"""A deep review to print: two searches, three studies, a pooled outcome, a harm, a signal, what was left out."""

from __future__ import annotations

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceStatus, Identifiers, StudyDesign, TextOrigin
from openwork_contracts.extraction import (
    ArmCells,
    CellMark,
    ExtractedResult,
    MarkKind,
    ResultSource,
    StudyVariable,
    VariableState,
)
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import Track
from openwork_contracts.record import RunRecord
from openwork_contracts.review import Review, ReviewStudy, ReviewWork, ScreenedRecord, TrackDecision
from openwork_contracts.screening import ScreeningDecision, ScreeningOutcome, Signal
from openwork_contracts.tabulation import (
    ArmCount,
    EffectValue,
    ForestRow,
    LeaveOneOut,
    NotPooled,
    PooledOutcome,
    PredictionInterval,
    ReviewFlow,
    TrackFlow,
)

from tests.exports import document, planned, searched

SENTENCE = "Death from any cause occurred in 276 of 2373 people on dapagliflozin (hazard ratio 0.83)."
BOTH = (Track.AFFIRMATIVE, Track.FALSIFICATION)


def cell(value: str = "276", **changes: object) -> ResultCell:
    """A number that stands in `SENTENCE`."""
    fields: dict[str, object] = {
        "measure": "count",
        "value": value,
        "place": CellPlace(section="Results > Outcomes", start=33, end=36),
        "words": SENTENCE,
    }
    return ResultCell.model_validate(fields | changes)


def extracted(text: str = "death from any cause", **changes: object) -> ExtractedResult:
    """Two arms with counts and a hazard ratio; the other arm stands in a table."""
    place = CellPlace(table="Table 2", row_path=("Outcomes", "Death"), column_path=("Placebo", "n"), table_row=3)
    interval = CellInterval(low="0.71", high="0.97", level="95")
    fields: dict[str, object] = {
        "outcome": text,
        "outcome_fit": Fit.ASKED,
        "time": "18 months",
        "source": ResultSource.TEXT,
        "candidate_id": "pmid:1",
        "text_origin": TextOrigin.PUBLISHER,
        "arms": (
            ArmCells(arm="dapagliflozin", n=cell("2373", measure="people"), events=cell()),
            ArmCells(arm="placebo", n=cell("2371", place=place, words="2371"), events=cell("329", words=SENTENCE)),
        ),
        "effect": cell("0.83", measure="HR", interval=interval, p_value="0.02"),
        "bad": True,
        "marks": (CellMark(kind=MarkKind.PERCENT, words="276 of 2373 is 11.6%, printed 12.6%"),),
    }
    return ExtractedResult.model_validate(fields | changes)


def work(n: int, text: str | None = None, **changes: object) -> ReviewWork:
    """A work; `text` stands in each of its texts."""
    fields: dict[str, object] = {
        "candidate_id": f"pmid:{n}",
        "title": text or f"Trial {n} in heart failure",
        "identifiers": Identifiers(pmid=str(n), doi=f"10.1056/{n}", nct_ids=(f"NCT{n:08}",)),
        "authors": (text or f"Author{n} AB", "Second CD"),
        "journal": text or "N Engl J Med",
        "year": 2019,
        "study_design": StudyDesign.RCT,
        "sources": ("pubmed",),
    }
    return ReviewWork.model_validate(fields | changes)


def study(n: int, *results: ExtractedResult, text: str | None = None, **changes: object) -> ReviewStudy:
    """A study of one report."""
    fields: dict[str, object] = {
        "study_id": f"NCT{n:08}",
        "name": text or f"TRIAL-{n} 2019",
        "work": work(n, text),
        "reports": (f"pmid:{n}",),
        "tracks": BOTH,
        "sample_size": 4744,
        "funding": text or "AstraZeneca",
        "results": results,
    }
    return ReviewStudy.model_validate(fields | changes)


def row(n: int, value: float = 0.8, low: float = 0.7, high: float = 0.9, **changes: object) -> ForestRow:
    """A study in a pooled outcome; three have 20, 30 and 50 % of the weight."""
    fields: dict[str, object] = {
        "study_id": f"NCT{n:08}",
        "study": f"TRIAL-{n} 2019",
        "result": 0,
        "effect": EffectValue(value=value, low=low, high=high),
        "weight": {1: 0.2, 2: 0.3}.get(n, 0.5),
        "tested": ArmCount(events=10 * n, n=100),
        "other": ArmCount(events=12 * n, n=100),
    }
    return ForestRow.model_validate(fields | changes)


def pooled(*rows: ForestRow, text: str | None = None, **changes: object) -> PooledOutcome:
    """Three studies together, with everything that is printed of them."""
    fields: dict[str, object] = {
        "comparison": f"{text or 'dapagliflozin'} versus {text or 'placebo'}",
        "outcome": text or "death from any cause",
        "outcome_fit": Fit.ASKED,
        "measure": "RR",
        "window": text or "over 1 year",
        "rows": rows or (row(1), row(2), row(3)),
        "pooled": EffectValue(value=0.8, low=0.74, high=0.86),
        "model": text or "random effects, REML, Hartung-Knapp",
        "compared": EffectValue(value=0.81, low=0.75, high=0.87),
        "prediction": PredictionInterval(low=0.7, high=0.92),
        "q": 1.5,
        "degrees_of_freedom": 2,
        "q_p_value": 0.47,
        "i2": 0.0,
        "tau2": 0.0,
        "without": (
            LeaveOneOut(study_id="NCT00000001", study="TRIAL-1", effect=EffectValue(value=0.79, low=0.7, high=0.9)),
        ),
        "absolute": text or "20 fewer per 1,000 (10 to 30) at a risk of 120 per 1,000",
        "not_pooled": (
            NotPooled(study_id="x", study=text or "OTHER 2020", result=0, reason=text or "another time window"),
        ),
        "bad": True,
    }
    return PooledOutcome.model_validate(fields | changes)


def flow(text: str = "population") -> ReviewFlow:
    """Numbers that add up: 10 + 6 records, 5 + 3 not excluded, 2 of them twice, 3 studies read."""
    first = TrackFlow(
        track=Track.AFFIRMATIVE, identified=10, duplicates=1, excluded_notices=1, excluded_no_text=0, screened=8,
        excluded={text: 2, "design": 1}, included=4, unsure=1,
    )  # fmt: skip
    second = TrackFlow(
        track=Track.FALSIFICATION, identified=6, duplicates=0, excluded_notices=0, excluded_no_text=1, screened=5,
        excluded={text: 2}, included=3, unsure=0,
    )  # fmt: skip
    return ReviewFlow(
        tracks=(first, second), in_several=2, sought=6, further_reports=1, studies_read=3, studies_never_read=2,
        with_fulltext=1, abstract_only=2, with_results=2, without_results=1, only_in={Track.FALSIFICATION.value: 1},
    )  # fmt: skip


def decision(n: int, outcome: ScreeningOutcome, text: str | None = None) -> ScreeningDecision:
    """What was decided on a record."""
    out = outcome is ScreeningOutcome.EXCLUDE
    return ScreeningDecision(
        candidate_id=f"pmid:{n}",
        outcome=outcome,
        criterion="population" if out else None,
        reason=text or ("names no heart failure" if out else "meets every criterion"),
        quotation=text or f"Trial {n}",
    )


def screened(n: int, outcome: ScreeningOutcome | None, *tracks: Track, text: str | None = None) -> ScreenedRecord:
    """A record with the same decision by each track that found it; `None` = none in time."""
    one = decision(n, outcome, text) if outcome else None
    made = tuple(TrackDecision(track=track, decision=one, score=0.5) for track in tracks or BOTH)
    return ScreenedRecord(work=work(n, text), decisions=made)


def review(text: str | None = None, **changes: object) -> Review:
    """A whole review; `text` stands wherever text of other people may stand."""
    harm = pooled(row(1), row(2), text=text, outcome=text or "diabetic ketoacidosis", harm=True, pooled=None)
    alone = pooled(row(1), text=text, outcome=text or "stroke", pooled=None, prediction=None, i2=None, q=None)
    third = study(3, text=text, tracks=(Track.FALSIFICATION,), not_extracted=text or "nothing came in time")
    marks = (CellMark(kind=MarkKind.PERCENT, words=text),) if text else extracted().marks
    first = extracted(text or "death from any cause", marks=marks, people=text, time=text or "18 months")
    variables = (
        StudyVariable(name=text or "attrition", state=VariableState.FOUND, value=text or "3%", words=text or "3% left"),
        StudyVariable(name="blinding", state=VariableState.NOT_REPORTED),
    )
    fields: dict[str, object] = {
        "flow": flow(text or "population"),
        "outcomes": (pooled(text=text), harm, alone),
        "studies": (
            study(1, first, text=text, fulltext_source="pmc", license="CC BY", variables=variables),
            study(2, extracted(arms=()), text=text),
            third,
        ),
        "never_read": (study(4, text=text), study(5, text=text)),
        "screened": (
            screened(1, ScreeningOutcome.INCLUDE, text=text),
            screened(2, ScreeningOutcome.UNSURE, Track.AFFIRMATIVE, text=text),
            screened(6, ScreeningOutcome.EXCLUDE, text=text),
            screened(7, None, Track.FALSIFICATION, text=text),
        ),
        "signals": (Signal(candidate_id="pmid:9", kind=text or "retracted"),),
        "signal_works": (work(9, text, status=EvidenceStatus.RETRACTED),),
        "summary": (text or "16 records were found by 2 searches.", text or "Death from any cause: risk ratio 0.80."),
        "limits": (text or "Risk of bias was not assessed.",),
    }
    return Review.model_validate(fields | changes)


def reviewed(text: str | None = None, *, recorded: bool = True, **changes: object) -> AnswerDocument:
    """A run that came to a review, with the record of its searches."""
    request = SearchRequestLog(request=text or "dapagliflozin[tiab]", hits=10, fetched=10)
    against = SearchRequestLog(request=text or "dapagliflozin AND adverse effects[sh]", hits=6, fetched=6)
    record = RunRecord(
        rounds=(planned(), planned().model_copy(update={"track": "falsification"})),
        searches=(
            searched("pubmed", request, found=10),
            searched("pubmed", against, found=6).model_copy(update={"track": "falsification"}),
        ),
    )
    fields: dict[str, object] = {
        "pipeline": "review",
        "question": text or "Does dapagliflozin reduce death in heart failure?",
        "review": review(text),
        "record": record if recorded else None,
        "conclusion": None,
    }
    return document(**(fields | changes)).model_copy(update={"references": ()})
