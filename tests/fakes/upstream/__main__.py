"""`python -m tests.fakes.upstream [--port 8765] [--library-only]`: serve until Ctrl-C; prints the settings to use."""

from __future__ import annotations

import argparse
import asyncio
import contextlib

from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.faults import FaultKind


async def _serve(port: int, *, recorded: bool) -> None:
    async with upstream(port, recorded=recorded) as server:
        print(f"# upstream at {server.url}; put these into the environment of Open Work:")
        for name, value in environment(server.url).items():
            print(f"export {name}={value}")
        print(f"# faults: {', '.join(kind.value for kind in FaultKind)}")
        example = '{"kind": "429", "path": "esearch", "times": 2, "retry_after": "1"}'
        print(f"# e.g. curl -d '{example}' {server.url}/_faults")
        print(f"# end them: curl -X DELETE {server.url}/_faults")
        print(f"# requests so far: curl {server.url}/_log", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.upstream", description=__doc__)
    parser.add_argument("--port", type=int, default=8765, help="0 = any free port")
    parser.add_argument("--library-only", action="store_true", help="leave the recorded data set out")
    wanted = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(wanted.port, recorded=not wanted.library_only))


if __name__ == "__main__":
    main()
