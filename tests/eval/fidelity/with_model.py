"""Part 3, when a model is configured: the labelled claim sets judged by code alone and with a judge's answers.

The same questions and rules as in a run (`openwork_verifier.domain.judging`), a few claims per call, over a sample of
each set, since every claim is paid for. Prints macro F1 and false alarms of both side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from openwork_bus.run_ids import new_run_id
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerSection, SectionKind
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.verdict import EvidenceItem
from openwork_llm.client import LanguageModel
from openwork_llm.settings import ModelSettings
from openwork_verifier.adapters.model_judge import ModelJudge, judge_prompt
from openwork_verifier.domain.gate import verify_claim
from openwork_verifier.domain.judging.answers import Judge
from openwork_verifier.domain.judging.questions import claims_to_ask
from openwork_verifier.domain.judging.verdicts import apply

from tests.eval.fidelity.benchmarks import NEUTRAL, SETS, SUPPORT, VERDICTS, Item
from tests.eval.fidelity.statistics import macro_f1, share_line

SEED = 20241122
CLAIMS_PER_CALL = 8


@dataclass
class OneRun:
    """What the model's client needs of a run; each set has a budget of its own."""

    telemetry: Telemetry
    service: str = "verifier"
    id: str = field(default_factory=new_run_id)


def is_configured() -> bool:
    """Whether there is a model to ask."""
    return ModelSettings().provider != "none"


async def judge(items: Sequence[Item], judge: Judge, run: OneRun) -> tuple[list[str], list[str], int]:
    """Labels by code alone and after the judge, in the order of the items, and how many calls gave no answer."""
    by_code: list[str] = []
    after: list[str] = []
    n_failed = 0
    for start in range(0, len(items), CLAIMS_PER_CALL):
        part = items[start : start + CLAIMS_PER_CALL]
        sources = [EvidenceItem(n=n, title=i.title, text=i.evidence) for n, i in enumerate(part, start=1)]
        claims = tuple(verify_claim(i.claim, (n,), sources) for n, i in enumerate(part, start=1))
        sections: tuple[AnswerSection, ...] = (AnswerSection(kind=SectionKind.EVIDENCE, heading="", claims=claims),)
        by_code += [VERDICTS.get(c.verdict, NEUTRAL) for c in claims]
        asked = claims_to_ask(sections, sources)
        if asked:
            try:
                answers = await judge.judge(asked, sources, run, deadline_at=None)
                sections = apply(sections, asked, answers, sources, who=judge.name).sections
            except OpenWorkError:
                n_failed += 1
        after += [VERDICTS.get(c.verdict, NEUTRAL) for c in sections[0].claims]
    return by_code, after, n_failed


async def report(data: Path, per_set: int, settings: ModelSettings | None = None) -> str:
    """Both judgements of a sample of every set."""
    model = LanguageModel(settings or ModelSettings(model_budget_tokens=10_000_000, model_budget_usd=20.0))
    lines = [f"with {model.settings.model_of(judge_prompt().tier)}, {per_set} claims of each set"]
    for name, (read, labels) in SETS.items():
        items = list(read(data))
        items = Random(SEED).sample(items, min(per_set, len(items)))
        run = OneRun(Telemetry("verifier", model.settings))
        by_code, after, n_failed = await judge(items, ModelJudge(model), run)
        usage = await model.usage(run)
        calls = f"{usage.model_calls} calls, {n_failed} of them failed, ${usage.cost_usd:.4f}"
        lines.append(f"\n{name}: {len(items)} claims, {calls}")
        for how, said in (("by code alone", by_code), ("with the model", after)):
            pairs = [(item.label, label) for item, label in zip(items, said, strict=True)]
            two = [(str(truth == SUPPORT), str(label == SUPPORT)) for truth, label in pairs]
            three = f"macro F1 (3 labels) {macro_f1(pairs, labels):.3f}, " if len(labels) == 3 else ""
            right = [label for truth, label in pairs if truth == SUPPORT]
            alarms = share_line("false alarms", sum(label != SUPPORT for label in right), len(right))
            lines.append(f"{how}: {three}macro F1 (support or not) {macro_f1(two, ('True', 'False')):.3f}; {alarms}")
    await model.close()
    return "\n".join(lines)


def run_report(data: Path, per_set: int) -> str:
    """`report`, for the command."""
    return asyncio.run(report(data, per_set))
