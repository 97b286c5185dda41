"""Thirteen questions, one for each topic of the library and three outside, with what a good answer must have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.verdict import Verdict
from openwork_report.render import render_document

QUESTIONS = Path(__file__).with_name("thirteen.yaml")


def load_questions() -> list[dict[str, Any]]:
    """The questions with what a good answer must have."""
    questions: list[dict[str, Any]] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    return questions


def findings(wanted: dict[str, Any], document: AnswerDocument) -> list[str]:
    """What the answer lacks; empty when it is as it should be."""
    if document.status.value != wanted["status"]:
        return [f"status is {document.status.value}, not {wanted['status']}"]
    text = document.answer.markdown.lower()
    missing = [
        f"does not mention {mention}"
        for mention in wanted.get("mentions", ())
        if not any(option.strip().lower() in text for option in mention.split(" | "))
    ]
    pmids = {reference.pmid for reference in document.references}
    if wanted.get("cites") and not pmids & set(wanted["cites"]):
        missing.append(f"cites none of {', '.join(wanted['cites'])}")
    shown = document.answer.claims
    good = (Verdict.SUPPORTED, Verdict.NOT_A_CLAIM)
    missing += [f"shows a claim that is {c.verdict.value}: {c.text}" for c in shown if c.verdict not in good]
    bare = [c for c in shown if c.verdict is Verdict.SUPPORTED and not c.evidence]
    missing += [f"a supported claim has no span: {c.text}" for c in bare]
    if len(text.split()) > 560:
        missing.append("is over 500 words")
    return missing


def report(documents: Sequence[AnswerDocument], *, show: bool) -> tuple[str, int]:
    """A line per question with what it lacks, and how many lack something; the answers too when shown."""
    lines, bad = [], 0
    for wanted, document in zip(load_questions(), documents, strict=True):
        missing = findings(wanted, document)
        bad += bool(missing)
        v = document.verification
        lines.append(
            f"{'ok  ' if not missing else 'MISS'} {wanted['id']:<20} {document.status.value:<20} claims {v.claims:>2} "
            f"supported {v.supported:>2} removed {v.removed:>2} references {len(document.references):>2} "
            f"{document.timings.total_s:.3f} s"
        )
        lines += [f"       {text}" for text in missing]
        if show:
            lines.append("\n" + render_document(document) + "\n" + "=" * 100)
    lines.append(f"{len(documents) - bad} of {len(documents)} as they should be")
    return "\n".join(lines) + "\n", bad
