"""`openwork guidelines`: whose recommendations there are, and those of the asker's own files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors

app = typer.Typer(no_args_is_help=True, help="Guidelines: list, import, check.")


@app.command("list")
@as_client_errors()
def list_(
    country: Annotated[str | None, typer.Option(help="Only this country's: IN, India, EU, international.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> int:
    """Every guideline there is, by country and body."""
    from openwork_contracts.errors import UsageError
    from openwork_knowledge.countries import code_of, country_name

    from openwork_laptop.guidelines import rows

    code = code_of(country) if country else None
    if country and code is None:
        raise UsageError(f"no country is called {country!r}; give its name, its two letters, EU or international")
    found = [row for row in rows() if code is None or row["country"] == code]
    if json_:
        sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        return 0
    last = None
    for row in found:
        if row["country"] != last:
            last = row["country"]
            sys.stdout.write(f"{country_name(last) if last else 'country not told'}\n")
        notes = [f"superseded by {row['superseded_by']}" if row["superseded_by"] else "", "imported" * row["imported"]]
        told = ", ".join(filter(None, notes))
        sys.stdout.write(
            f"  {row['year'] or '    '}  {row['organisation'] or 'no body told'}: {row['title'][:90]}  "
            f"{row['recommendations']} recommendations{f' ({told})' if told else ''}  {row['where']}\n"
        )
    return 0


@app.command("import")
@as_client_errors()
def import_(
    files: Annotated[list[Path], typer.Argument(help="PDF, HTML, JATS, or CSV of recommendations.")],
    organisation: Annotated[str | None, typer.Option(help="Who issued it, as answers are to call it.")] = None,
    country: Annotated[str | None, typer.Option(help="Its country: IN, India, EU, international.")] = None,
    year: Annotated[int | None, typer.Option(min=1900, max=2100, help="Year of the edition.")] = None,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    url: Annotated[str | None, typer.Option(help="Where a reader finds it.")] = None,
    superseded_by: Annotated[str | None, typer.Option(help="The edition that took its place.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Recommendations of guidelines of your own, with page and wording; they stay on this machine.

    Exit code 1 when none was recognised.
    """
    from openwork_contracts.errors import UsageError

    from openwork_laptop.guideline_import.importer import Told
    from openwork_laptop.guidelines import import_files

    if url and not url.startswith(("http://", "https://")):
        raise UsageError(f"--url {url!r} is no address; it begins with http:// or https://")
    told = Told(organisation, country, year, title, url, superseded_by)
    report = import_files(files, told)
    if json_:
        sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    else:
        for row in report["files"]:
            sys.stdout.write(
                f"{row['file']} ({row['format']}): {row['recommendations']} recommendations, {row['graded']} graded\n"
            )
            sys.stdout.writelines(f"  note: {warning}\n" for warning in row["warnings"])
        sys.stdout.write(
            f"{report['added']} guidelines added, {report['replaced']} replaced; {report['total']} imported in all\n"
        )
    return 0 if report["added"] or report["replaced"] else 1


@app.command()
@as_client_errors()
def check(
    unconfirmed: Annotated[bool, typer.Option("--unconfirmed", help="Name every fact that was left out.")] = False,
) -> int:
    """The starter set: what must hold of it, and how many recommendations there are of each wanted body.

    Exit code 1 on a finding; a body that is short of its number is no finding.
    """
    from openwork_evidence.guidelines.check import WANTED, check_starter
    from openwork_evidence.guidelines.record import starter

    from openwork_laptop.guidelines import counts_by_body

    counts = counts_by_body()
    sys.stdout.write(f"{'body':<10} {'wanted':>7} {'there':>6}\n")
    for body, wanted in WANTED.items():
        lacking = f"  {wanted - counts[body]} short" if counts[body] < wanted else ""
        sys.stdout.write(f"{body:<10} {wanted:>7} {counts[body]:>6}{lacking}\n")
    if unconfirmed:
        sys.stdout.write("\nlooked for, not confirmed, left out:\n")
        sys.stdout.writelines(f"  {one.key}: {fact}\n" for one in starter() for fact in one.unconfirmed)
    findings = check_starter(starter())
    sys.stdout.writelines(f"{finding}\n" for finding in findings)
    n = sum(len(one.recommendations) for one in starter())
    sys.stdout.write(f"{len(starter())} guidelines, {n} recommendations in the starter set, {len(findings)} findings\n")
    return 1 if findings else 0
