"""The evaluation questions as a dataset in Phoenix, a run of them as an experiment with its evaluators, and a table.

    python -m tests.eval.phoenix                         the thirteen, library only, at http://127.0.0.1:6006
    python -m tests.eval.phoenix --url http://... --name "after the new ranker"
    python -m tests.eval.phoenix --part open --first 20  of the open rows, the first twenty
    python -m tests.eval.phoenix --stand-in              with the local stand-in for the model services

The dataset is brought up to date, an experiment is made anew each time; its traces stand in the experiment's own
project, each beside its run. Models are asked where the environment configures one. Exit code 1 when Phoenix cannot be
used.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean
from typing import Any

import httpx
from openwork_bus import loop
from openwork_bus.annotations import Evaluation
from openwork_bus.run_ids import trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_gateway.domain.evaluations import evaluations_of

from tests.eval.answers import thirteen
from tests.eval.answers.asking import ask_each
from tests.eval.answers.questions import APART, PARTS, load_rows
from tests.eval.answers.score import is_missed, judge
from tests.fakes.models.server import fake_models

THIRTEEN = "thirteen"
AS_WANTED = "as_wanted"
COLUMNS = (
    AS_WANTED,
    "grounding",
    "citation_coverage",
    "unsupported_share",
    "retrieval_ndcg",
    "latency_s",
    "cost_usd",
)
_DEFAULT_URL = "http://127.0.0.1:6006"


@dataclass(frozen=True, slots=True)
class Example:
    """One question, what is wanted of its answer, and who says whether it is so."""

    id: str
    question: str
    wanted: dict[str, Any]
    about: dict[str, Any]
    lacks: Callable[[AnswerDocument], str]
    """What the answer lacks, in words; empty = it is as wanted."""


def examples_of(part: str) -> list[Example]:
    """The questions of a part, in the order of their file."""
    if part == THIRTEEN:
        return [
            Example(
                row["id"],
                row["question"],
                {name: row[name] for name in ("status", "mentions", "cites") if name in row},
                {"topic": row.get("topic")},
                lambda document, row=row: "; ".join(thirteen.findings(row, document)),  # type: ignore[misc]
            )
            for row in thirteen.load_questions()
        ]
    return [
        Example(
            row.id,
            row.question,
            {"covered": row.covered, "records": row.records, "verdicts": row.verdicts, "must": row.must},
            {"topic": row.topic, "kind": row.kind},
            lambda document, row=row: "not what its row asks for" if is_missed(judge(row, document)) else "",  # type: ignore[misc]
        )
        for row in load_rows(part)  # type: ignore[arg-type]
    ]


def evaluations(example: Example, document: AnswerDocument) -> list[Evaluation]:
    """What the gateway says of every run, and whether the answer is what is wanted of it."""
    lacks = example.lacks(document)
    told = Evaluation(AS_WANTED, float(not lacks), "missed" if lacks else "as wanted", lacks or "nothing is missing")
    return [told, *evaluations_of(document)]


class Phoenix:
    """As much of Phoenix's interface as an experiment needs."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.url = url.rstrip("/")
        self._client = httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=30)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def dataset(self, name: str, examples: Sequence[Example]) -> tuple[str, dict[str, str]]:
        """The dataset's id, and the id that Phoenix gave each example; it holds exactly these afterwards."""
        body = {
            "action": "update",
            "name": name,
            "description": "Evaluation questions of Open Work, with what is wanted of their answers",
            "inputs": [{"question": one.question} for one in examples],
            "outputs": [one.wanted for one in examples],
            "metadata": [one.about for one in examples],
            "example_ids": [one.id for one in examples],
        }
        dataset = str(self._post("/datasets/upload", body, sync="true")["dataset_id"])
        found = self._client.get(f"/datasets/{dataset}/examples").raise_for_status().json()["data"]["examples"]
        return dataset, {one["id"]: one["node_id"] for one in found}

    def experiment(self, dataset: str, name: str | None, about: dict[str, Any]) -> tuple[str, str]:
        """A new experiment's id, and the project that its traces belong to."""
        made = self._post(f"/datasets/{dataset}/experiments", {"name": name, "metadata": about})
        return str(made["id"]), str(made["project_name"])

    def record(self, experiment: str, example: str, document: AnswerDocument, found: Sequence[Evaluation]) -> None:
        """One answer and what is said of it."""
        begun = document.submitted_at
        assert begun is not None
        times = {
            "start_time": begun.isoformat(),
            "end_time": (begun + timedelta(seconds=document.timings.total_s)).isoformat(),
        }
        trace_id = trace_id_of(document.run_id)
        references = [reference.id for reference in document.references]
        output = {"status": document.status.value, "answer": document.answer.markdown, "references": references}
        run = {"dataset_example_id": example, "output": output, "repetition_number": 1, "trace_id": trace_id, **times}
        run_id = self._post(f"/experiments/{experiment}/runs", run)["id"]
        for one in found:
            result = {"score": one.score, "label": one.label, "explanation": one.explanation}
            body = {"experiment_run_id": run_id, "name": one.name, "annotator_kind": "CODE", "result": result, **times}
            self._post("/experiment_evaluations", body)

    def _post(self, path: str, body: dict[str, Any], **params: str) -> dict[str, Any]:
        answered: dict[str, Any] = self._client.post(path, json=body, params=params).raise_for_status().json()["data"]
        return answered


def row_of(example: Example, document: AnswerDocument, found: Sequence[Evaluation]) -> str:
    """A line of the table."""
    scores = {one.name: one.score for one in found}
    cells = " ".join(f"{scores[name]:>17.4g}" if name in scores else f"{'-':>17}" for name in COLUMNS)
    return f"{example.id:<24} {document.status.value:<20} {cells}"


def means_of(found: Sequence[Sequence[Evaluation]]) -> str:
    """The last line: each figure's mean over the questions that have it."""
    scores = [[one.score for some in found for one in some if one.name == name] for name in COLUMNS]
    cells = " ".join(f"{fmean(some):>17.4g}" if some else f"{'-':>17}" for some in scores)
    return f"{'mean':<24} {f'{len(found)} questions':<20} {cells}"


async def run(phoenix: Phoenix, part: str, first: int | None, name: str | None) -> AsyncIterator[str]:
    """Ask them all; lines of the table as they come."""
    examples = examples_of(part)
    dataset, ids = phoenix.dataset(f"openwork-{part}", examples)
    examples = examples[:first]
    model = os.environ.get("OPENWORK_MODEL_PROVIDER", "none")
    experiment, project = phoenix.experiment(dataset, name, {"part": part, "model_provider": model})
    os.environ.update(OPENWORK_OTLP_ENDPOINT=phoenix.url, OPENWORK_TRACE_PROJECT=project)
    yield f"{'question':<24} {'outcome':<20} {' '.join(f'{name:>17}' for name in COLUMNS)}"
    seen = []
    answers = ask_each([example.question for example in examples])
    for example in examples:
        document = (await anext(answers)).document
        found = evaluations(example, document)
        phoenix.record(experiment, ids[example.id], document, found)
        seen.append(found)
        yield row_of(example, document, found)
    await answers.aclose()  # type: ignore[attr-defined]  # the services stop, and send what waits
    yield means_of(seen)
    yield f"{phoenix.url}/datasets/{dataset}/compare?experimentId={experiment}"


async def main(arguments: argparse.Namespace) -> int:
    """Print the table."""
    settings = ServiceSettings()
    headers = settings.otlp_headers.get_secret_value() if settings.otlp_headers else ""
    pairs = dict(pair.split("=", 1) for pair in headers.split(",") if "=" in pair)
    phoenix = Phoenix(arguments.url or settings.otlp_endpoint or _DEFAULT_URL, pairs)
    async with AsyncExitStack() as stack:
        stack.callback(phoenix.close)
        if arguments.stand_in:
            os.environ.update((await stack.enter_async_context(fake_models())).gemini_env())
        try:
            async for line in run(phoenix, arguments.part, arguments.first, arguments.name):
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
        except httpx.HTTPError as error:
            sys.stderr.write(f"Phoenix at {phoenix.url} cannot be used: {error}; `make phoenix` starts one\n")
            return 1
    return 0


def arguments_of(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="of Phoenix; else OPENWORK_OTLP_ENDPOINT")
    parser.add_argument("--part", choices=(THIRTEEN, *(part for part in PARTS if part not in APART)), default=THIRTEEN)
    parser.add_argument("--first", type=int, help="ask no more than so many")
    parser.add_argument("--name", help="of the experiment; else Phoenix makes one up")
    parser.add_argument("--stand-in", action="store_true", help="the local stand-in for the model services")
    return parser.parse_args(words)


if __name__ == "__main__":
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    sys.exit(loop.run(main(arguments_of())))
