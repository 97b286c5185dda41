"""`openwork runs rerun`: a stored run again from one of its steps, and what changed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork.client import Answer
    from openwork_contracts.answer import AnswerDocument


@as_client_errors()
def rerun(
    run_id: str,
    from_: Annotated[
        str,
        typer.Option(
            "--from",
            help="Run again from this step: query, retrievers, normaliser, reranker, gap, synthesiser, verifier.",
        ),
    ],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    server: Annotated[
        str | None, typer.Option(help="NATS URL of services that run elsewhere, e.g. nats://host:4222.")
    ] = None,
) -> int:
    """Take a run up again from a step, as a new run: its answer, and what changed."""
    from openwork_bus import loop
    from openwork_bus.run_ids import check_run_id
    from openwork_cli.output import exit_code, print_answer, print_json
    from openwork_gateway.domain.folds import fold

    from openwork_laptop.runs import difference
    from openwork_laptop.runs import rerun as again
    from openwork_laptop.stack import session

    async def work() -> tuple[AnswerDocument, AnswerDocument]:
        async with session(server) as bus:
            return fold(await bus.history(check_run_id(run_id))), await again(bus, run_id, from_)

    before, after = loop.run(work())
    answer = _answer(after)
    if json_:
        print_json(answer.raw)
    else:
        print_answer(answer)
        sys.stdout.write("\n" + difference(before, after) + "\n")
    return exit_code(answer)


def _answer(document: AnswerDocument) -> Answer:
    from openwork import models
    from openwork.client import Answer
    from openwork_report.render import rendered

    raw = document.model_dump(mode="json")
    words = models.Rendered.from_dict(rendered(document).model_dump(mode="json"))
    return Answer(models.AnswerDocument.from_dict(raw), words, raw)
