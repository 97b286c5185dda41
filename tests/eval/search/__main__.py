"""What the search finds of what published reviews included: `python -m tests.eval.search [--misses]`.

Recall of five drug-class reviews at every rung, with one fixed question each (`reviews.tsv`); beside it each rung's
share of unrelated abstracts: SciFact's corpus, and the records screened for the other four reviews. A record is its
title, abstract and headings. Filters are left aside, since the data have no publication types.

A run stops at the first rung that finds `ENOUGH` records; here, of all records screened for the review. Then the share
of BioASQ's documents one of whose snippets meets a rung: a lower bound, since a snippet is a part of an abstract.

With `--clef`, the blocks of twelve Cochrane reviews' questions beside their published strategies, to be read by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.pipelines import ANSWER, pipeline_named
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import SearchRung, SearchStrategy
from openwork_language.searching.ladder import strategy_of
from openwork_language.searching.matching import Searchable, meets
from openwork_query.domain.analysis import analyse

from tests.eval.search.collections_of import Record, bioasq, clef, data_root, scifact, screened

QUESTIONS = Path(__file__).with_name("reviews.tsv")
YEAR = 2026
ENOUGH = pipeline_named(ANSWER).budgets.enough_records


@dataclass(frozen=True, slots=True)
class Counted:
    """One rung on one review."""

    found: int
    """Of the included studies."""
    included: int
    in_review: int
    """Of all records screened for it."""
    unrelated: int
    n_unrelated: int


@dataclass(frozen=True, slots=True)
class Review:
    """A review, its question as a strategy, and its records."""

    name: str
    strategy: SearchStrategy
    records: tuple[Record, ...]

    @property
    def included(self) -> list[Record]:
        """The studies that the review included."""
        return [record for record in self.records if record.included]


def strategy_for(question: str) -> SearchStrategy | None:
    """As the query service makes it; `None` = the question is rejected."""
    analysis = analyse(question, available_sources=("pubmed",), current_year=YEAR)
    return strategy_of(analysis) if isinstance(analysis, QuestionAnalysis) else None


def reviews(root: Path) -> list[Review]:
    """The five reviews."""
    found = []
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, question = line.split("\t")
        strategy = strategy_for(question)
        assert strategy is not None, name
        found.append(Review(name, strategy, screened(root, name)))
    return found


def count(review: Review, rung: SearchRung, unrelated: Sequence[Searchable]) -> Counted:
    """One rung on one review."""

    def met(records: Sequence[Record]) -> int:
        return sum(meets(record.text, review.strategy, rung) for record in records)

    return Counted(
        found=met(review.included),
        included=len(review.included),
        in_review=met(review.records),
        unrelated=sum(meets(text, review.strategy, rung) for text in unrelated),
        n_unrelated=len(unrelated),
    )


def stops_at(counts: Sequence[Counted]) -> int:
    """The number of the rung where a run would stop."""
    return next((n for n, one in enumerate(counts) if one.in_review >= ENOUGH), len(counts) - 1)


def table(found: Sequence[Review], root: Path) -> Iterator[str]:
    """Each rung of each review, then all together where a run would stop and at the broadest rung."""
    abstracts = scifact(root)
    stopped: list[Counted] = []
    broadest: list[Counted] = []
    yield f"{'review':32} {'rung':47} {'included':>11} {'of review':>11} {'unrelated':>14}"
    for review in found:
        others = [record.text for other in found if other is not review for record in other.records]
        counts = [count(review, rung, [*others, *abstracts]) for rung in review.strategy.rungs]
        stop = stops_at(counts)
        for n, (rung, one) in enumerate(zip(review.strategy.rungs, counts, strict=True)):
            mark = " <- stops" if n == stop else ""
            yield (
                f"{review.name:32} {rung.name:47} {one.found:4}/{one.included:<4} "
                f" {one.in_review:5}/{len(review.records):<5}"
                f" {one.unrelated:5}/{one.n_unrelated:<6} {share(one.unrelated, one.n_unrelated)}{mark}"
            )
        stopped.append(counts[stop])
        broadest.append(counts[-1])
    yield _sum("where a run would stop", stopped)
    yield _sum("broadest rung", broadest)


def _sum(name: str, counts: Sequence[Counted]) -> str:
    found, included = sum(c.found for c in counts), sum(c.included for c in counts)
    unrelated, n_unrelated = sum(c.unrelated for c in counts), sum(c.n_unrelated for c in counts)
    return (
        f"all, {name}: {found} of {included} included studies ({share(found, included)}); "
        f"{unrelated} of {n_unrelated} unrelated abstracts ({share(unrelated, n_unrelated)})"
    )


def share(part: int, whole: int) -> str:
    """A percentage with one digit."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def snippets(root: Path) -> Iterator[str]:
    """BioASQ: documents of which a snippet meets a rung. A lower bound: the rest of the abstract is not there."""
    rungs = ("first", "second", "broadest")
    met = dict.fromkeys(rungs, 0)
    documents = questions = 0
    for question, texts in bioasq(root):
        strategy = strategy_for(question)
        questions += strategy is not None
        documents += len(texts)
        if strategy is None:
            continue
        chosen = (strategy.rungs[0], strategy.rungs[min(1, len(strategy.rungs) - 1)], strategy.rungs[-1])
        for name, rung in zip(rungs, chosen, strict=True):
            met[name] += sum(any(meets(text, strategy, rung) for text in parts) for parts in texts)
    told = ", ".join(f"{name} rung {share(met[name], documents)}" for name in rungs)
    yield f"BioASQ ({questions} questions, {documents} documents), a snippet meets: {told} (lower bounds)"


def misses(found: Sequence[Review]) -> Iterator[str]:
    """Included studies that no rung finds, by number and title."""
    for review in found:
        for record in review.included:
            if not meets(record.text, review.strategy, review.strategy.rungs[-1]):
                yield f"{review.name}\t{record.id}\t{record.title}"


def beside_published(root: Path) -> Iterator[str]:
    """For each Cochrane review its published strategy and our blocks."""
    for title, published in clef(root):
        strategy = strategy_for(title)
        yield f"\n== {title}\n-- published\n{published}\n-- ours"
        if strategy is None:
            yield "rejected"
            continue
        for block in strategy.blocks:
            sign = " (absent)" if block.negated else ""
            for concept in block.concepts:
                heads = ", ".join(dict.fromkeys(h.text for h in concept.headings)) or "no heading"
                yield f"{block.role.value}{sign}: {concept.name} [{heads}]: {'; '.join(concept.names())}"
        for rung in strategy.rungs:
            yield f"  {rung.name}: {' AND '.join(_named(strategy, group) for group in rung.numbers)}"


def _named(strategy: SearchStrategy, group: tuple[int, ...]) -> str:
    return "(" + " OR ".join(concept.name for n in group for concept in strategy.blocks[n].concepts) + ")"


def main() -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="included studies that no rung finds")
    parser.add_argument("--clef", action="store_true", help="blocks beside published strategies")
    options = parser.parse_args()
    root = data_root()
    if root is None:
        sys.stdout.write("not measured: the benchmarks are not here (set OPENWORK_DATA)\n")
        return 0
    if options.clef:
        lines = list(beside_published(root))
    else:
        found = reviews(root)
        lines = [*table(found, root), *snippets(root), *(misses(found) if options.misses else ())]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
