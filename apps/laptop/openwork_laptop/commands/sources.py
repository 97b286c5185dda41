"""`openwork sources`: what can be searched, whether it answers, and what a saved answer of it holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors

app = typer.Typer(no_args_is_help=True, help="Sources of evidence: list, check, parse a saved answer.")


@app.command("list")
@as_client_errors()
def list_(json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> int:
    """Every source: what it is, how fast it may be asked, whether it is on."""
    from openwork_laptop.sources import describe_sources

    rows = describe_sources()
    if json_:
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return 0
    for row in rows:
        state = "on " if row["on"] else "off"
        needs = f"; needs {row['needs']}" if row["needs"] else ""
        sys.stdout.write(f"{state} {row['name']!s:<22} {row['per_second']!s:>5}/s  {row['description']}{needs}\n")
    return 0


@app.command()
@as_client_errors()
def check(json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> int:
    """Ask each configured source one small question. Exit code 1 when one does not answer."""
    from openwork_bus import loop
    from openwork_cli.output import one_line

    from openwork_laptop.sources import check_sources

    rows = loop.run(check_sources())
    if json_:
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    else:
        for row in rows:
            sys.stdout.write(f"{row['state']!s:<12} {row['name']!s:<22} {one_line(str(row['detail']))}\n")
    return 1 if any(row["state"] == "failed" for row in rows) else 0


@app.command()
@as_client_errors()
def parse(
    source: Annotated[
        str, typer.Argument(help="Name of the source or its API, e.g. pubmed, clinicaltrials, dailymed.")
    ],
    files: Annotated[list[Path], typer.Argument(help="Saved answers of that API.")],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")] = False,
) -> int:
    """Every record of saved answers as adapter and normaliser read it, and why it would be dropped."""
    from openwork_cli.output import one_line

    from openwork_laptop.sources import parse_files

    rows = parse_files(source, files)
    if not rows:
        sys.stderr.write(f"no records in {', '.join(map(str, files))}\n")
    if json_:
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return 0
    for row in rows:
        identifier = row["pmid"] or row["nct_id"] or row["doi"] or row["set_id"] or row["url"] or row["id"] or ""
        dropped = f"  [dropped: {row['dropped']}]" if row["dropped"] else ""
        words = f"{one_line(str(row['title']))}{dropped}"
        sys.stdout.write(
            f"{row['year'] or '    '}  {one_line(str(identifier)):<14} {row['study_design']!s:<18} {words}\n"
        )
    n_dropped = sum(row["dropped"] is not None for row in rows)
    sys.stdout.write(f"{len(rows) - n_dropped} candidates{f', {n_dropped} dropped' if n_dropped else ''}\n")
    return 0
