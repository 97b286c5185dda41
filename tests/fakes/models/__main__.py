"""`python -m tests.fakes.models [--script hallucinate] [--step synthesiser] [--times 1]`: serve until Ctrl-C.

Prints the lines to put into the environment of `openwork ask`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib

from tests.fakes.models.misbehaving import Script
from tests.fakes.models.server import fake_models


async def _serve(wanted: argparse.Namespace) -> None:
    async with fake_models(wanted.port) as fake:
        if wanted.script:
            fake.plan(wanted.script, step=wanted.step, times=wanted.times)
        env = fake.openai_env() if wanted.api == "openai" else fake.gemini_env()
        print(f"# a stand-in for language models at {fake.url}; put these into the environment of Open Work:")
        for name, value in env.items():
            print(f"export {name}={value}")
        print(f"# scripts: {', '.join(script.value for script in Script)}", flush=True)
        n_shown = 0
        while True:
            await asyncio.sleep(0.2)
            for asked in fake.log[n_shown:]:
                print(f"# asked: {asked.step or 'unknown'} of {asked.model}, {asked.n_chars} characters", flush=True)
            n_shown = len(fake.log)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.models", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 = any free port")
    parser.add_argument("--api", choices=("gemini", "openai"), default="gemini")
    parser.add_argument(
        "--script", choices=[script.value for script in Script], help="what goes wrong; nothing if left out"
    )
    parser.add_argument(
        "--step", choices=("query", "gap", "synthesiser", "reviser", "verifier"), help="only of this step"
    )
    parser.add_argument("--times", type=int, help="only the first so many requests")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
