"""`openwork doctor`: is everything there that an answer needs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def doctor(
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    server: Annotated[
        str | None,
        typer.Option(help="Also services that run elsewhere, asked as the user `operator` (OPENWORK_NATS_USER)."),
    ] = None,
) -> int:
    """Check all that an answer needs, which sources can be reached, how full the store is. Exit code 1 on a fault."""
    from openwork_cli import plugins
    from openwork_cli.output import print_json

    findings = [_services()]
    if plugins.has_stack():
        findings += plugins.stack().checks(server)
    else:
        findings.append(_finding("laptop app", "off", "not installed: services are asked where they run (--server)"))
    if json_:
        print_json(findings)
    else:
        for found in findings:
            sys.stdout.write(f"{found['state']:<7} {found['name']:<14} {found['detail']}\n")
    return 1 if any(found["state"] == "fault" for found in findings) else 0


def _services() -> dict[str, str]:
    """Whether `openwork up` runs here and its gateway answers."""
    from openwork.blocking import call
    from openwork.errors import OpenWorkError
    from openwork.home import running_url

    url = running_url()
    if url is None:
        return _finding("services", "off", "`openwork up` does not run here; `openwork ask` starts them for a question")
    try:
        call(lambda client: client.runs(1), url)
    except OpenWorkError as error:
        return _finding("services", "fault", str(error))
    return _finding("services", "ok", f"the gateway answers at {url}")


def _finding(name: str, state: str, detail: str) -> dict[str, str]:
    return {"name": name, "state": state, "detail": detail}
