"""`openwork ask QUESTION`: a question in, a cited and checked answer out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from openwork_bus import loop

if TYPE_CHECKING:
    from openwork_contracts.answer import AnswerDocument
    from openwork_contracts.question import AskRequest


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
    from openwork_cli.output import exit_code, print_document, print_json, progress, write_folder

    request = _request(question, source=source, deadline_s=deadline_s, run_id=run_id, local=server is None)
    with progress(quiet=json_) as show:
        document, lines = loop.run(_ask(request, server, show))
    if out is not None:
        write_folder(out, document, lines)
    if json_:
        print_json(document)
    else:
        print_document(document, out=out)
    return exit_code(document)


def _request(
    question: str, *, source: list[str] | None, deadline_s: float | None, run_id: str | None, local: bool
) -> AskRequest:
    """What is asked, checked: a slip of the asker is said before anything is started."""
    from openwork_bus.run_ids import check_run_id
    from openwork_contracts.errors import UsageError
    from openwork_contracts.question import AskOptions, AskRequest
    from pydantic import ValidationError

    if source and local:
        from openwork_evidence.library.record import SOURCE
        from openwork_retrievers.domain.registry import SOURCES

        known = {SOURCE, *(spec.route for spec in SOURCES)}
        if unknown := [name for name in source if name not in known]:
            raise UsageError(f"no source is called {unknown[0]!r}; `openwork sources list` shows those there are")
    try:
        return AskRequest(
            question=question,
            options=AskOptions(sources=tuple(source) if source else None, deadline_s=deadline_s),
            run_id=check_run_id(run_id) if run_id else None,
        )
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


async def _ask(request: AskRequest, server: str | None, show: object) -> tuple[AnswerDocument, list[str]]:
    from openwork_gateway.domain.fold import fold
    from openwork_gateway.submit import request_run, submit
    from openwork_gateway.watch import watch
    from openwork_laptop.stack import session

    assert callable(show)
    async with session(server, services=True) as bus:
        from openwork_bus.settings import ServiceSettings

        reply = (
            await submit(bus, request, ServiceSettings(), producer="cli")
            if server is None
            else await request_run(bus, request)
        )
        assert reply.run_id is not None
        history = []
        within_s = request.options.deadline_s or ServiceSettings().answer_deadline_s
        async for stored in watch(bus, reply.run_id, within_s=within_s):
            history.append(stored)
            show(stored)
        lines = [stored.event.model_dump_json() for stored in history]
        return fold(history), lines
