"""Tokens and dollars per answer, at list price, from the prompts that the evaluation questions really cause.

    python -m tests.eval.costs [--script hallucinate]

Exit code 1 when the mean is over $0.02, or when an unsupported claim is shown unmarked.
Under a script it also counts the planted sentences that reached the reader: "unmarked" is the gate's own word for its
work, this is not; any of them is exit code 1 too.

The prompts are those of whole runs against the stand-in (tests/fakes/models); tokens are counted as characters / 4, and
thinking is assumed by level (`THINKING_TOKENS`), since no real model is asked. Prices: openwork_llm.prices.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument, AnswerDrafted, RunStatus
from openwork_contracts.question import AskRequest
from openwork_contracts.verdict import Verdict
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.home import Home
from openwork_laptop.stack import session
from openwork_llm.prices import LIST_PRICES, PRICES_AS_OF, PRICES_SOURCE
from openwork_synthesiser.domain.model_text import sentences_of

from tests.asking import submit
from tests.eval.answers.thirteen import load_questions
from tests.fakes.models.honest import honest_answer
from tests.fakes.models.misbehaving import IN_THE_TEXT, Script, text_of, written_by
from tests.fakes.models.reading import Asked
from tests.fakes.models.server import THINKING_TOKENS, FakeModels, fake_models

MOST_MEAN_USD = 0.02
_PASSES = {Verdict.SUPPORTED, Verdict.NOT_A_CLAIM}


@dataclass(frozen=True)
class Row:
    """One question: its answer and what was asked of models for it."""

    id: str
    document: AnswerDocument
    asked: tuple[Asked, ...]
    script: Script | None = None
    drafted: frozenset[str] = frozenset()
    """Every sentence that was put to the gate. A draft's others left before: off the question, or beyond its length."""

    @property
    def unmarked(self) -> int:
        """Claims that are shown without support: must be none."""
        return sum(claim.verdict not in _PASSES for claim in self.document.answer.claims)

    @property
    def planted(self) -> frozenset[str]:
        """Sentences that a misbehaving stand-in wrote and an honest one would not have."""
        return frozenset().union(*(_planted(asked, self.script) for asked in self.asked if self.script))

    @property
    def true_written(self) -> frozenset[str]:
        """True sentences that the free writer wrote in words of its own; none under other scripts."""
        return frozenset().union(*(_written(asked, self.script, true=True) for asked in self.asked if self.script))

    @property
    def true_shown(self) -> frozenset[str]:
        """Of them, those that survived to the reader."""
        return self.true_written & {claim.text for claim in self.document.answer.claims}

    @property
    def planted_shown(self) -> frozenset[str]:
        """Of them, those that reached the reader: judged by what was planted, not by the gate."""
        return self.planted & {claim.text for claim in self.document.answer.claims}

    @property
    def why(self) -> str:
        """The calls with their sizes, dearest model first."""
        parts = [f"{a.step} {a.model.removeprefix('gemini-')} {a.n_chars // 4:,} tokens in" for a in self.asked]
        return "; ".join(parts) or "no model was asked"


def _planted(asked: Asked, script: Script | None) -> frozenset[str]:
    if asked.step not in {"synthesiser", "reviser"}:
        return frozenset()
    if script in {Script.FREE, Script.FREE_ERRING}:
        return _written(asked, script, true=False)
    return _texts(text_of(asked, script)) - _texts(honest_answer(asked))


def _texts(answer: str) -> frozenset[str]:
    """The sentences of a model's claims, as the product reads them."""
    try:
        claims = json.loads(answer).get("claims", ())
    except ValueError:
        return frozenset()
    return frozenset(sentence for one in claims for sentence in sentences_of(str(one["text"])))


def _written(asked: Asked, script: Script | None, *, true: bool) -> frozenset[str]:
    """The free writer's true, or erring, sentences as the product reads them."""
    return frozenset(s for w in written_by(asked, script) if w.is_true is true for s in sentences_of(w.text))


async def ask_all(fake: FakeModels, script: Script | None) -> list[Row]:
    """Every evaluation question, one after the other."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="openwork-costs-") as folder:
        async with session(None, home=Home(Path(folder))) as bus:
            for wanted in load_questions():
                n_before = len(fake.log)
                reply = await submit(bus, AskRequest(question=wanted["question"]), ServiceSettings())
                assert reply.run_id is not None
                events = [stored async for stored in watch(bus, reply.run_id)]
                drafts = [s.event for s in await bus.history(reply.run_id) if isinstance(s.event, AnswerDrafted)]
                drafted = frozenset(c.text for draft in drafts for section in draft.sections for c in section.claims)
                rows.append(Row(wanted["id"], fold(events), tuple(fake.log[n_before:]), script, drafted))
    return rows


async def measure(script: str | None) -> list[Row]:
    """The rows under a script; honest when `None`."""
    async with fake_models() as fake:
        if script:
            fake.plan(script)
        os.environ.setdefault("OPENWORK_SOURCES", "library")
        os.environ.update(fake.gemini_env())
        return await ask_all(fake, Script(script) if script else None)


def report(rows: Sequence[Row]) -> str:
    """The table as text."""
    lines = []
    for row in rows:
        usage, document = row.document.usage, row.document
        lines.append(
            f"{row.id:<22} {document.status.value:<20} calls {usage.model_calls} in {usage.input_tokens:>6,} out "
            f"{usage.output_tokens:>6,} ${usage.cost_usd:.4f}  claims {document.verification.claims:>2} withheld "
            f"{len(document.withheld):>2} unmarked {row.unmarked}"
        )
    paid = [row for row in rows if row.asked]
    costs = sorted(row.document.usage.cost_usd for row in paid)
    answered = [row.document.usage.cost_usd for row in paid if row.document.status is RunStatus.ANSWERED]
    dearest = max(paid, key=lambda row: row.document.usage.cost_usd)
    by_step: dict[str, list[int]] = defaultdict(list)
    for row in paid:
        for asked in row.asked:
            by_step[asked.step].append(asked.n_chars // 4)
    n_verifications = [sum(a.step == "verifier" for a in row.asked) for row in paid]
    lines += [
        "",
        f"questions {len(rows)}, of which {len(paid)} asked a model",
        f"mean of those with an answer ${sum(answered) / len(answered):.4f} ({len(answered)} questions)",
        f"mean ${sum(costs) / len(costs):.4f}, median ${costs[len(costs) // 2]:.4f}, dearest ${costs[-1]:.4f}",
        f"dearest: {dearest.id}: {dearest.why}",
        f"verification calls per answer: mean {sum(n_verifications) / len(paid):.2f}, most {max(n_verifications)}",
        "input tokens per call, mean (most): "
        + ", ".join(f"{step} {sum(n) // len(n):,} ({max(n):,})" for step, n in sorted(by_step.items())),
        f"unsupported claims shown unmarked: {sum(row.unmarked for row in rows)}",
        f"planted sentences: {sum(len(row.planted) for row in rows)}, of which shown: "
        f"{sum(len(row.planted_shown) for row in rows)}",
        f"true sentences in the free writer's words: {sum(len(row.true_written) for row in rows)}, of which put to the "
        f"gate: {sum(len(row.true_written & row.drafted) for row in rows)}, shown: "
        f"{sum(len(row.true_shown) for row in rows)}",
        *(f"  shown although planted ({row.id}): {text}" for row in rows for text in sorted(row.planted_shown)),
        f"prices of {PRICES_AS_OF} ({PRICES_SOURCE}): "
        + ", ".join(f"{m} {LIST_PRICES[m].input_usd}/{LIST_PRICES[m].output_usd}" for m in sorted(_models(paid))),
        f"thinking tokens assumed per call by level: {THINKING_TOKENS}",
    ]
    return "\n".join(lines)


def _models(rows: Sequence[Row]) -> set[str]:
    return {asked.model for row in rows for asked in row.asked} & LIST_PRICES.keys()


def main() -> int:
    """Print the table; exit code 1 when the mean is too dear or an unsupported claim is shown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--script", choices=sorted(script.value for script in IN_THE_TEXT), help="let the stand-in misbehave"
    )
    wanted = parser.parse_args()
    rows = asyncio.run(measure(wanted.script))
    sys.stdout.write(report(rows) + "\n")
    costs = [row.document.usage.cost_usd for row in rows if row.asked]
    too_dear = wanted.script is None and sum(costs) / len(costs) > MOST_MEAN_USD
    return int(too_dear or any(row.unmarked or row.planted_shown for row in rows))


if __name__ == "__main__":
    sys.exit(main())
