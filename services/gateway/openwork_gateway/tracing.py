"""A run's root span and what the run is worth, from the document that its asker gets. After the document is stored."""

from __future__ import annotations

import json

from openwork_bus.run_ids import trace_id_of
from openwork_bus.span_attributes import INPUT_VALUE, METADATA, OUTPUT_VALUE, SESSION_ID, USER_ID
from openwork_bus.telemetry import Attribute, Telemetry
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded

from openwork_gateway.domain.asker import session_of, user_of
from openwork_gateway.domain.evaluations import evaluations_of


def trace_run(telemetry: Telemetry, document: AnswerDocument, ended: RunEnded) -> None:
    """Write the root. Done again after a crash it is the same span.

    Not of a run that was begun inside a trace of somebody else's: that trace has a root.
    """
    if not telemetry.enabled or ended.meta.trace_id not in (None, trace_id_of(document.run_id)):
        return
    ended_at = ended.meta.occurred_at
    started_at = min(document.submitted_at or ended_at, ended_at)
    telemetry.write_root(
        document.run_id,
        started_at=started_at,
        ended_at=ended_at,
        attributes=root_attributes(document, telemetry.project),
        ok=document.status is not RunStatus.FAILED,
    )
    telemetry.write_evaluations(document.run_id, ended_at=ended_at, evaluations=evaluations_of(document))


def root_attributes(document: AnswerDocument, project: str) -> dict[str, Attribute]:
    """Question, outcome, who asked, totals.

    A session's id begins with the project: Phoenix knows a session of one id in one project alone.
    Tokens stand under names of our own: Phoenix adds up `llm.token_count` over all spans, and would count them twice.
    """
    usage, verification = document.usage, document.verification
    counts = {
        **document.method.counts,
        "rounds": len(document.record.rounds) if document.record else 0,
        "claims": verification.claims,
        "supported": verification.supported,
        "withheld": len(document.withheld),
        "references": len(document.references),
        "degradations": len(document.method.degradations),
    }
    known = {"run_id": document.run_id, "pipeline": document.pipeline, "track": document.track}
    return {
        INPUT_VALUE: document.question,
        OUTPUT_VALUE: document.answer.markdown,
        USER_ID: user_of(document.owner),
        SESSION_ID: f"{project}.{session_of(document)}",
        METADATA: json.dumps(known),
        "openwork.run_id": document.run_id,
        "openwork.pipeline": document.pipeline,
        "openwork.track": document.track,
        "openwork.outcome": document.status.value,
        "openwork.intent": document.method.intent or "",
        "openwork.scorer": document.method.scorer or "",
        "openwork.method": document.method.synthesis or "",
        "openwork.total.input_tokens": usage.input_tokens,
        "openwork.total.output_tokens": usage.output_tokens,
        "openwork.total.cost_usd": usage.cost_usd,
        "openwork.total.model_calls": usage.model_calls,
        "openwork.total.duration_s": round(document.timings.total_s, 4),
        **{f"openwork.count.{name}": count for name, count in counts.items()},
    }
