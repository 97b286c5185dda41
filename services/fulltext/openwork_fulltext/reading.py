"""Reads one file from standard input and writes its document, or why there is none, as JSON: see `adapters/apart.py`.

python -m openwork_fulltext.reading SECONDS_OF_CPU MEGABYTES
"""

from __future__ import annotations

import json
import sys
import time

from openwork_contracts.errors import OpenWorkError

from openwork_fulltext.domain.parse import parse_fulltext

_ENOUGH = 0.7
"""Share of the time after which no page is begun: what was read by then is the text."""


def main() -> None:
    """Hold this process to its limits, then read."""
    cpu_s, memory_mb = int(sys.argv[1]), int(sys.argv[2])
    _limit(cpu_s, memory_mb)
    body = sys.stdin.buffer.read()
    try:
        document = parse_fulltext(body, stop=lambda: time.process_time() > _ENOUGH * cpu_s)
        answer: dict[str, object] = {"document": document.model_dump(mode="json")}
    except OpenWorkError as error:
        answer = {"error": type(error).__name__, "words": str(error), "reason": error.reason}
    sys.stdout.write(json.dumps(answer))


def _limit(cpu_s: int, memory_mb: int) -> None:
    try:
        import resource
    except ImportError:  # no such limits on Windows: there the clock of the caller is all there is
        return
    for kind, value in ((resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory_mb << 20)):
        hard = resource.getrlimit(kind)[1]
        try:
            resource.setrlimit(kind, (value if hard < 0 else min(value, hard), hard))
        except (OSError, ValueError):
            continue  # macOS knows the second limit and does not keep it


if __name__ == "__main__":
    main()
