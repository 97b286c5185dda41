"""`openwork ask QUESTION`: a question in, a cited and checked answer out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from openwork_chassis import loop

if TYPE_CHECKING:
    from openwork_contracts.answer import AnswerDocument


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write answer.md, answer.json and events.jsonl into.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="NATS URL of services that run elsewhere, e.g. nats://host:4222.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Search this source and no other; may be given several times.")
    ] = None,
    deadline_s: Annotated[float | None, typer.Option(min=1, max=3600, help="Seconds after which the run ends.")] = None,
    run_id: Annotated[str | None, typer.Option(help="A ULID of your own; asking it twice is one run.")] = None,
) -> int:
    """Ask a question. Exit code: 0 answered, 1 failed, 2 rejected, 3 too little evidence, 4 bad usage."""
    from openwork_contracts.question import AskOptions, AskRequest

    from openwork_local.cli.output import exit_code, print_document, print_json, progress, write_folder

    request = AskRequest(
        question=question,
        options=AskOptions(sources=tuple(source) if source else None, deadline_s=deadline_s),
        run_id=run_id,
    )
    with progress(quiet=json_) as show:
        document, lines = loop.run(_ask(request, server, show))
    if out is not None:
        write_folder(out, document, lines)
    if json_:
        print_json(document)
    else:
        print_document(document, out=out)
    return exit_code(document)


async def _ask(request: object, server: str | None, show: object) -> tuple[AnswerDocument, list[str]]:
    from openwork_contracts.question import AskRequest
    from openwork_gateway.fold import fold
    from openwork_gateway.submit import submit
    from openwork_gateway.watch import watch

    from openwork_local.stack import session

    assert isinstance(request, AskRequest)
    assert callable(show)
    async with session(server, services=True) as bus:
        from openwork_chassis.settings import ChassisSettings

        reply = await submit(bus, request, ChassisSettings(), producer="cli")
        assert reply.run_id is not None
        history = []
        async for stored in watch(bus, reply.run_id):
            history.append(stored)
            show(stored)
        lines = [stored.event.model_dump_json() for stored in history]
        return fold(history), lines
