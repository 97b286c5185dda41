"""Ask the evaluation questions through the whole pipeline and check what a good answer must have.

python -m tests.eval.answers [--show]        exit code 1 when a question misses something
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from openwork_bus import loop
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.question import AskRequest
from openwork_contracts.verdict import Verdict
from openwork_gateway.domain.folds import fold
from openwork_gateway.domain.render import render_document
from openwork_gateway.watch import watch
from openwork_laptop.home import Home
from openwork_laptop.stack import session

from tests.asking import submit

QUESTIONS = Path(__file__).parent / "questions.yaml"


def load_questions() -> list[dict[str, Any]]:
    """The questions with what a good answer must have."""
    questions: list[dict[str, Any]] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    return questions


async def ask_all(questions: Sequence[str]) -> list[AnswerDocument]:
    """Every question, one after the other, on one embedded server."""
    with tempfile.TemporaryDirectory(prefix="openwork-eval-") as folder:
        async with session(None, home=Home(Path(folder))) as bus:
            documents = []
            for question in questions:
                reply = await submit(bus, AskRequest(question=question), ServiceSettings())
                assert reply.run_id is not None
                documents.append(fold([stored async for stored in watch(bus, reply.run_id)]))
            return documents


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


def main() -> int:
    """Print a line per question; exit code 1 when one misses something."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the answers too")
    arguments = parser.parse_args()
    questions = load_questions()
    documents = loop.run(ask_all([q["question"] for q in questions]))
    bad = 0
    for wanted, document in zip(questions, documents, strict=True):
        missing = findings(wanted, document)
        bad += bool(missing)
        v = document.verification
        sys.stdout.write(
            f"{'ok  ' if not missing else 'MISS'} {wanted['id']:<20} {document.status.value:<20} claims {v.claims:>2} "
            f"supported {v.supported:>2} removed {v.removed:>2} references {len(document.references):>2} "
            f"{document.timings.total_s:.3f} s\n"
        )
        for text in missing:
            sys.stdout.write(f"       {text}\n")
        if arguments.show:
            sys.stdout.write("\n" + render_document(document) + "\n" + "=" * 100 + "\n")
    sys.stdout.write(f"{len(questions) - bad} of {len(questions)} as they should be\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
