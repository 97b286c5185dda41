"""Find the least score of a text worth reading, for the model that a server has, on labelled pairs.

    python -m openwork_reranker.calibrate --url 127.0.0.1:8001 --pairs pairs.jsonl [--model reranker|embedder]

A line of the file is {"set": "...", "question": "...", "title": "...", "text": "...", "relevant": true}; `set` and
`title` may be left out. The minimum is chosen on every other question and reported on the rest.
`make calibrate-reranker` does it on the labelled sets of the evaluation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.errors import OpenWorkError, UsageError

from openwork_reranker.domain.calibration import KEEP, Passing, ScoredPair, choose_minimum, halves, passing
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.hybrid import HybridScorer
from openwork_reranker.domain.results import ReportingScorer
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

_PER_CALL = 200
"""Texts per call of the scorer."""
TIMEOUT_S = 600.0
"""Seconds for one question's texts: a cross-encoder on a CPU needs most of a minute for a hundred."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A question, a text, and whether people called it relevant."""

    set: str
    question: str
    text: ScorableText
    relevant: bool


def read_pairs(path: Path) -> list[LabelledPair]:
    """The pairs of a file.

    Raises:
        UsageError: a line is not such a pair, or there is none.
    """
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text = ScorableText(str(row.get("title", "")), str(row["text"]))
            pairs.append(LabelledPair(str(row.get("set", path.stem)), str(row["question"]), text, row["relevant"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{path}, line {number}, is not a labelled pair: {error}") from None
    if not pairs:
        raise UsageError(f"{path} has no pairs")
    return pairs


async def scored(
    scorer: ReportingScorer, pairs: Iterable[LabelledPair]
) -> tuple[dict[str, list[ScoredPair]], ScorerIdentity]:
    """The scorer's scores by set, each question's texts together, and who gave them."""
    asked: dict[tuple[str, str], list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        asked[pair.set, pair.question].append(pair)
    found: dict[str, list[ScoredPair]] = defaultdict(list)
    identity = scorer.identity
    for (name, question), group in asked.items():
        for start in range(0, len(group), _PER_CALL):
            part = group[start : start + _PER_CALL]
            result = await scorer.score_and_report(focus_of_text(question), [pair.text for pair in part])
            identity = result.identity
            found[name] += [ScoredPair(question, s, p.relevant) for s, p in zip(result.scores, part, strict=True)]
    return dict(found), identity


def report(sets: Mapping[str, Sequence[ScoredPair]], identity: ScorerIdentity, keep: float = KEEP) -> str:
    """The minimum that was chosen, what passes it on questions that it was not chosen on, and how to set it."""
    split = {name: halves(pairs) for name, pairs in sets.items()}
    minimum = choose_minimum({name: first for name, (first, _) in split.items()}, keep)
    held_out = {name: second for name, (_, second) in split.items() if second}
    lines = [
        f"{identity.name}: {identity.model or identity.name}, version {identity.version}",
        f"minimum score {minimum:.3g}: the greatest that keeps {keep:.0%} of the relevant on half of the questions.",
        "On the other half (relevant and irrelevant pairs; with 0 everything passes):",
        "",
        "| set | relevant | irrelevant | passes rightly | passes wrongly | precision | precision at 0 |",
        "|---|---|---|---|---|---|---|",
        *(_row(name, passing(pairs, minimum), passing(pairs, 0.0)) for name, pairs in held_out.items()),
        _row("all", *(passing([p for pairs in held_out.values() for p in pairs], m) for m in (minimum, 0.0))),
        "",
        _how_to_set(identity, minimum),
    ]
    return "\n".join(lines)


def _row(name: str, at: Passing, at_zero: Passing) -> str:
    shares = [_share(value) for value in (at.recall, at.wrongly, at.precision, at_zero.precision)]
    return f"| {name} | {at.relevant} | {at.irrelevant} | {' | '.join(shares)} |"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _how_to_set(identity: ScorerIdentity, minimum: float) -> str:
    if identity.is_lexical:
        return f"Its scores are the lexical scorer's in another order; set OPENWORK_MINIMUM_SCORE={minimum:.3g}."
    return (
        f'Put parameters {{ key: "minimum_score" value: {{ string_value: "{minimum:.3g}" }} }} into the config.pbtxt '
        f"of the model that the server has, or set OPENWORK_MODEL_MINIMUM_SCORE={minimum:.3g}."
    )


async def calibrate(url: str, model: str, pairs: Sequence[LabelledPair], keep: float = KEEP) -> str:
    """Score the pairs on a server and report.

    Raises:
        UsageError: the client of Triton is not installed.
        ModelUnavailable, ModelAnswerRejected: the server does not answer; nothing stands in for it here.
    """
    try:
        from openwork_serving.client import TritonOptions

        from openwork_reranker.adapters.triton.embedder import TritonEmbedder
        from openwork_reranker.adapters.triton.scorer import TritonScorer

        options = TritonOptions(url, timeout_s=TIMEOUT_S)
        served = TritonScorer(options) if model == "reranker" else TritonEmbedder(options)
    except ImportError as error:
        raise UsageError("calibration needs the extra openwork-reranker[triton]") from error
    scorer = served if isinstance(served, TritonScorer) else HybridScorer(served)
    try:
        sets, identity = await scored(scorer, pairs)
    finally:
        await served.close()
    return report(sets, identity, keep)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those that every way to calibrate has."""
    parser.add_argument("--url", default="127.0.0.1:8001", help="host:port of the server's gRPC (%(default)s)")
    parser.add_argument("--model", choices=("reranker", "embedder"), default="reranker", help="(%(default)s)")
    parser.add_argument(
        "--keep", type=_share_of_all, default=KEEP, help="share of relevant texts to keep (%(default)s)"
    )


def _share_of_all(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value


def run(chosen: argparse.Namespace, pairs: Sequence[LabelledPair]) -> int:
    """Calibrate and print; status 2 when that cannot be done."""
    try:
        print(asyncio.run(calibrate(chosen.url, chosen.model, pairs, chosen.keep)))  # noqa: T201
    except OpenWorkError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate on a file of labelled pairs."""
    parser = argparse.ArgumentParser(
        prog="python -m openwork_reranker.calibrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pairs", type=Path, required=True, help="labelled pairs, a JSON object a line")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    try:
        pairs = read_pairs(chosen.pairs)
    except (UsageError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return run(chosen, pairs)


if __name__ == "__main__":
    sys.exit(main())
