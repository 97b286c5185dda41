"""`openwork library`: the records that need no network."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_evidence.library.record import LibraryRecord

app = typer.Typer(no_args_is_help=True, help="The library of records that come with Open Work or were imported.")


@app.command("list")
@as_client_errors()
def list_(
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array of the records.")] = False,
) -> int:
    """The records, by topic."""
    records = [r for r in _records() if topic is None or r.topic == topic]
    if json_:
        import json

        sys.stdout.write(json.dumps([r.model_dump(mode="json") for r in records], indent=1, ensure_ascii=False) + "\n")
        return 0
    for name, count in sorted(Counter(r.topic for r in records).items()):
        sys.stdout.write(f"{name} ({count})\n")
        for r in sorted((r for r in records if r.topic == name), key=lambda r: (r.year or 0, r.key)):
            where = f"PMID {r.pmid}" if r.pmid else (r.doi or r.url or "")
            sys.stdout.write(f"  {r.year or '    '}  {r.title}  {where}\n")
    return 0


@app.command()
@as_client_errors()
def check(
    unconfirmed: Annotated[bool, typer.Option("--unconfirmed", help="Name every fact that was left out.")] = False,
) -> int:
    """What the starter library holds by topic; relative effects recomputed from counts, identifiers, intervals.

    Exit code 1 on a finding.
    """
    from openwork_evidence.library.check import check_records, recomputed
    from openwork_evidence.library.coverage import unconfirmed as left_out

    records = _records()
    _write_coverage(records)
    if unconfirmed:
        sys.stdout.write("\nlooked for, not confirmed, left out:\n")
        sys.stdout.writelines(f"  {key}: {fact}\n" for key, fact in left_out(records))
        sys.stdout.write("\n")
    findings = check_records(records)
    for finding in findings:
        sys.stdout.write(f"{finding}\n")
    counted = sum(recomputed(result) is not None for r in records for result in r.results)
    sys.stdout.write(f"{len(records)} records, {counted} effects recomputed from counts, {len(findings)} findings\n")
    return 1 if findings else 0


@app.command("import")
@as_client_errors()
def import_(
    files: Annotated[list[Path], typer.Argument(help="PubMed XML, nbib, RIS, BibTeX, CSV or CSL-JSON.")],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Add records of a reference manager to the library, each work once. Exit code 1 when nothing could be read."""
    from openwork_laptop.library import import_files

    report = import_files(files)
    if json_:
        import json

        sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    else:
        for row in report["files"]:
            sys.stdout.write(f"{row['file']}: {row['read']} records read\n")
            for warning in row["warnings"]:
                sys.stdout.write(f"  note: {warning}\n")
        sys.stdout.write(
            f"{report['added']} added, {report['known']} were known; {report['total']} imported records in all\n"
        )
    return 0 if report["added"] or report["known"] else 1


@app.command("import-retractions")
@as_client_errors()
def import_retractions_(
    file: Annotated[Path, typer.Argument(help="The CSV of Retraction Watch, as Crossref publishes it.")],
) -> int:
    """Keep the Retraction Watch file, in place of a former one: it is asked before Crossref, also without a network."""
    from openwork_evidence.retractions import import_retractions

    from openwork_laptop.home import Home

    done = import_retractions(file, Home().library)
    newest = f", the newest of {done.newest:%Y-%m-%d}" if done.newest else ""
    sys.stdout.write(f"{done.rows} notices about {done.works} works{newest}\n")
    if done.without_identifier:
        sys.stdout.write(
            f"  note: {done.without_identifier} rows without a DOI or PMID of the work, or with a notice of an unknown "
            "kind, were left out\n"
        )
    return 0


def _write_coverage(records: tuple[LibraryRecord, ...]) -> None:
    from openwork_evidence.library.coverage import Kind, coverage

    rows = coverage(records)
    width = max(len(row.topic) for row in rows)
    kinds = "".join(f"{kind + 's':>12}" for kind in Kind if kind is not Kind.OTHER) + f"{'others':>8}"
    sys.stdout.write(
        f"{'':{width}} records{kinds}  results  with counts  harms of studies  funding  read twice  unconfirmed\n"
    )
    for row in rows:
        *known, other = row.kinds
        cells = "".join(f"{n:>12}" for n in known) + f"{other:>8}"
        sys.stdout.write(
            f"{row.topic:{width}} {row.records:>7}{cells}{row.results:>9}{_share(row.with_counts, row.results):>13}"
            f"{_share(row.with_harms, row.studies):>18}{_share(row.with_funding, row.studies):>9}"
            f"{_share(row.read_twice, row.records):>12}{row.unconfirmed:>13}\n"
        )


def _share(n: int, of: int) -> str:
    return f"{100 * n / of:.0f} %" if of else "-"


def _records() -> tuple[LibraryRecord, ...]:
    from openwork_evidence.library.record import load_shipped

    return load_shipped()
