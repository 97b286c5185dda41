"""`openwork doctor`: is everything there that an answer needs."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer
from openwork_bus import loop


def doctor(json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> int:
    """Check all that an answer needs, and which sources can be reached. Exit code 1 on a fault."""
    from openwork_laptop.checks import run_checks

    results = loop.run(run_checks())
    if json_:
        sys.stdout.write(json.dumps([asdict(r) for r in results], indent=2) + "\n")
    else:
        for result in results:
            sys.stdout.write(f"{result.state:<7} {result.name:<14} {result.detail}\n")
    return 1 if any(r.state == "fault" for r in results) else 0
