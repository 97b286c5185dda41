"""`openwork review QUESTION`: a deep review; `openwork review show RUN`: one that is stored, and its files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from openwork_cli.session import GATEWAY, Server

if TYPE_CHECKING:
    from openwork.client import Answer, Client

ASK = "ask"
Out = Annotated[
    Path | None,
    typer.Option(
        help="Folder for the files: texts, tables, pictures, references, the whole on one page.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


class ReviewGroup(TyperGroup):
    """`openwork review "..."` is `openwork review ask "..."`: what is no command here is the question."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What stands first says which command it is."""
        first = args[0] if args else "--help"
        if first != "--help" and first not in self.commands:
            args = [ASK, *args]
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    cls=ReviewGroup,
    no_args_is_help=True,
    help="A deep review of a question: searches for and against, every record screened, studies read and pooled. "
    '`openwork review "QUESTION"` asks for one.',
)


@app.command(ASK)
def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")],
    max_studies: Annotated[int | None, typer.Option(min=1, max=200, help="Most studies that are read.")] = None,
    from_year: Annotated[
        int | None, typer.Option(min=1800, max=2200, help="Only works from this year or later.")
    ] = None,
    to_year: Annotated[
        int | None, typer.Option(min=1800, max=2200, help="Only works from this year or before.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Search this source and no other; may be given several times.")
    ] = None,
    deadline_s: Annotated[float | None, typer.Option(min=1, max=3600, help="Seconds after which the run ends.")] = None,
    out: Out = None,
    json_: Json = False,
    server: Server = None,
    run_id: Annotated[str | None, typer.Option(help="A ULID of your own; asking it twice is one run.")] = None,
) -> int:
    """Ask for a review. Exit code: 0 done, 1 failed, 2 rejected, 3 too little evidence, 4 bad usage."""
    from openwork.run_ids import check_run_id

    from openwork_cli.ask import check_sources
    from openwork_cli.output import exit_code, progress
    from openwork_cli.phases import review_line
    from openwork_cli.session import with_client

    if run_id:
        check_run_id(run_id)
    if source and server is None:
        check_sources(source)
    if out is not None:
        _check_files()  # before minutes of work whose files nobody here can make
    with progress(quiet=json_, line=review_line) as show:

        async def work(client: Client) -> Answer:
            answer = await client.ask(
                question,
                sources=source,
                deadline_s=deadline_s,
                from_year=from_year,
                to_year=to_year,
                max_studies=max_studies,
                pipeline="review",
                run_id=run_id,
                on_progress=show,
            )
            # The files have every search in them as it was sent, which is in the record.
            return await client.show(answer.run_id, record=True) if out is not None else answer

        answer = with_client(work, server)
    _print(answer, out, json_=json_)
    return exit_code(answer)


@app.command()
def show(run_id: str, out: Out = None, json_: Json = False, server: Server = None) -> int:
    """A review that is stored; with --out its files."""
    from openwork.run_ids import check_run_id

    from openwork_cli.output import exit_code
    from openwork_cli.session import with_client

    wanted = check_run_id(run_id)
    if out is not None:
        _check_files()
    record = out is not None or json_
    answer = with_client(lambda client: client.show(wanted, record=record), server, services=GATEWAY)
    _print(answer, out, json_=json_)
    return exit_code(answer)


def _print(answer: Answer, out: Path | None, *, json_: bool) -> None:
    from openwork_cli.output import print_answer, print_json

    if json_:
        print_json(answer.raw)
    else:
        print_answer(answer)
    if out is not None:
        for path in _written(answer, out):
            sys.stderr.write(f"written: {path}\n")


def _check_files() -> None:
    """Whether something is installed that makes the files. Raises: UsageError."""
    from openwork_cli import plugins

    plugins.stack()


def _written(answer: Answer, folder: Path) -> Sequence[Path]:
    """A run that came to no review has no files, and its message says why."""
    from openwork_cli import plugins

    return plugins.stack().write_review(answer.raw, folder) if answer.raw.get("review") else ()
